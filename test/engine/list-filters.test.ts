// Lists narrowed to one monitor, and to what is not older than asked.

import { expect, test } from "bun:test";
import { DAY, HOUR } from "../../src/domain/time.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

async function failAndRecover(service: Service, monitorKey: string): Promise<void> {
  await service.send(ping({ monitorKey, schedule: "0 0 1 1 *", kind: "fail" }));
  await service.send(ping({ monitorKey }));
}

test("incidents of one monitor, of the last hours, that are open", async () => {
  using service = openService();
  await failAndRecover(service, "a");
  await failAndRecover(service, "b");
  service.at(NOON + DAY);
  await service.send(ping({ monitorKey: "a", kind: "fail" }));
  const ids = (asked: object) => {
    const { incidents, more } = granted(service.engine.operate("incident list", asked));
    return [incidents.map(({ id }) => id), more];
  };
  expect(ids({ monitor: "a" })).toEqual([[3, 1], false]);
  expect(ids({ monitor: "a", limit: 1 })).toEqual([[3], true]);
  expect(ids({ monitor: "a", before: 3 })).toEqual([[1], false]);
  expect(ids({ monitor: "a", open: true })).toEqual([[3], false]);
  expect(ids({ monitor: "b", open: true })).toEqual([[], false]);
  expect(ids({ sinceSeconds: 3600 })).toEqual([[3], false]);
  expect(ids({ application: "prod", sinceSeconds: (2 * DAY) / 1000 })).toEqual([[3, 2, 1], false]);
  expect(service.engine.operate("incident list", { monitor: "nowhere" })).toMatchObject({
    refusal: "MONITOR_NOT_FOUND",
  });
});

test("refused reports of one monitor, also of one that does not exist, and of the last hours", () => {
  using service = openService();
  const { caller } = ping();
  for (const [hours, monitorKey] of [
    [0, "a"],
    [2, "b"],
  ] as const) {
    service.at(NOON + hours * HOUR);
    const refusal = { refusal: "NOT_FOUND", message: "no" } as const;
    service.engine.intake.refused({ caller, monitorKey, kind: "fail", refusal });
    service.endTurns();
  }
  const keys = (asked: object) =>
    granted(service.engine.operate("monitor refused", asked)).refused.map(({ monitorKey }) => monitorKey);
  expect(keys({})).toEqual(["b", "a"]);
  expect(keys({ monitor: "a" })).toEqual(["a"]);
  expect(keys({ sinceSeconds: 3600 })).toEqual(["b"]);
});

test("bulk syncs of the last hours", () => {
  using service = openService();
  const { caller } = ping();
  for (const [hours, source] of [
    [0, "cron"],
    [2, "airflow"],
  ] as const) {
    service.at(NOON + hours * HOUR);
    service.engine.intake.sync(caller, { source, version: null, authoritative: true, entries: [] });
  }
  const sources = (asked: object) =>
    granted(service.engine.operate("app syncs", asked)).syncs.map(({ source }) => source);
  expect(sources({})).toEqual(["airflow", "cron"]);
  expect(sources({ sinceSeconds: 3600 })).toEqual(["airflow"]);
});
