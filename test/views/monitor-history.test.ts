// The history of one monitor: its reports, and among them the slots that none filled.

import { expect, test } from "bun:test";
import { DAY, HOUR, MINUTE } from "../../src/domain/time.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const HOURLY = "0 * * * *";

const historyOf = (service: Service, asked: object = {}) => {
  const { entries, more } = granted(service.engine.operate("monitor history", { key: "job", ...asked }));
  return { entries: entries.map(({ at, kind, outcome }) => [(at - NOON) / HOUR, kind ?? outcome]), more };
};

/** Reports at 12:00 and 13:00, none at 14:00, a late one at 15:30, 16:00 unheard. */
async function eventful(): Promise<Service> {
  const service = openService();
  await service.send(ping({ schedule: HOURLY }));
  service.look(NOON + HOUR);
  await service.send(ping());
  service.look(NOON + 2 * HOUR + 10 * MINUTE);
  service.look(NOON + 3 * HOUR + 30 * MINUTE);
  await service.send(ping());
  service.standStill(2 * HOUR - 10 * MINUTE);
  service.look(NOON + 5 * HOUR + 30 * MINUTE);
  return service;
}

test("has reports and unfilled slots in one list, the newest first", async () => {
  using service = await eventful();
  expect(historyOf(service)).toEqual({
    entries: [
      [5, "unknown"],
      [4, "unknown"],
      [3.5, "heartbeat"],
      [3, "missed"],
      [2, "missed"],
      [1, "heartbeat"],
      [0, "heartbeat"],
    ],
    more: false,
  });
});

test("goes back as far as is asked, and at most so many", async () => {
  using service = await eventful();
  expect(historyOf(service, { sinceSeconds: 3 * 3600 }).entries).toEqual([
    [5, "unknown"],
    [4, "unknown"],
    [3.5, "heartbeat"],
    [3, "missed"],
  ]);
  expect(historyOf(service, { limit: 2 })).toEqual({
    entries: [
      [5, "unknown"],
      [4, "unknown"],
    ],
    more: true,
  });
});

test("goes beyond the last 20 reports", async () => {
  using service = openService();
  await service.send(ping({ schedule: HOURLY }));
  for (let hour = 1; hour <= 30; hour++) {
    service.look(NOON + hour * HOUR);
    await service.send(ping({ kind: hour % 10 === 0 ? "fail" : "heartbeat", message: null }));
  }
  const all = historyOf(service);
  expect([all.entries.length, all.more]).toEqual([31, false]);
  expect(all.entries.filter(([, what]) => what === "fail")).toEqual([
    [30, "fail"],
    [20, "fail"],
    [10, "fail"],
  ]);
});

test("of a monitor that never reported, names what was missed in the last week alone", () => {
  using service = openService();
  granted(service.engine.operate("monitor create", { application: "prod", key: "job", schedule: "0 0 * * *" }));
  for (let day = 1; day <= 12; day++) service.look(NOON + day * DAY);
  const { entries } = historyOf(service, { limit: 100 });
  expect([entries.length, new Set(entries.map(([, what]) => what))]).toEqual([7, new Set(["missed"])]);
});
