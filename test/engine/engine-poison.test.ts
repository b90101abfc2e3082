// A monitor whose rows cannot be read, by whatever defect: it is said once, looked at again in an hour, and stops
// nobody else: not in a batch of reports, not among those that are due with it, not at the start.

import { describe, expect, test } from "bun:test";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { changeRows } from "../support/database.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";

const HOURLY = "0 * * * *";
const CLOSES = NOON + HOUR + MINUTE + 5 * SECOND;

/** What spoils the first monitor, and what repairs it. */
const POISONS = [
  ["causes of its incident", "update incidents set causes = '{'", `update incidents set causes = '["failed"]'`],
  [
    "incident",
    "update monitor_states set open_incident_id = 99 where monitor_id = 1",
    "update monitor_states set open_incident_id = 1 where monitor_id = 1",
  ],
  [
    "schedule",
    "update monitors set schedule = 'rubbish' where id = 1",
    `update monitors set schedule = '${HOURLY}' where id = 1`,
  ],
  [
    "zone",
    "update monitors set timezone = 'No/Where' where id = 1",
    "update monitors set timezone = 'UTC' where id = 1",
  ],
] as const;

async function threeWatched(poison: string): Promise<Service> {
  const service = openService(policyWith({ monitors: { bad: { graceSeconds: 60 } } }));
  await service.send(...["bad", "job", "other"].map((monitorKey) => ping({ monitorKey, schedule: HOURLY })));
  await service.send(ping({ monitorKey: "bad", kind: "fail" }));
  changeRows(service.store, poison);
  return service;
}

const missed = (service: Service): string[] =>
  service
    .notified()
    .filter(({ cause, reason }) => cause === "missed" && reason !== "reminder")
    .map(({ monitor }) => monitor);

const complaints = (service: Service): number => service.logged.filter(({ level }) => level === "error").length;

describe.each(POISONS)("R19: an unreadable %s", (_what, poison, repair) => {
  test("stops nobody who is due with it, is said once, and is looked at again in an hour", async () => {
    using service = await threeWatched(poison);
    service.look(CLOSES);
    expect(missed(service)).toEqual(["job", "other"]);
    const [complaint] = service.logged.filter(({ level }) => level === "error");
    expect(complaint).toMatchObject({
      event: "monitor_unreadable",
      fields: { monitorId: 1, error: expect.any(Error) },
    });

    expect(service.engine.troubles()).toEqual(["1 monitor cannot be read, the log has more"]);

    for (let minute = 1; minute < 58; minute++) service.look(CLOSES + minute * MINUTE);
    expect(complaints(service)).toBe(1);
    service.look(CLOSES + HOUR);
    expect(complaints(service)).toBe(2);

    changeRows(service.store, repair);
    service.look(CLOSES + 2 * HOUR);
    expect(missed(service)).toEqual(["job", "other", "bad"]);
    expect(service.notified().at(-1)).toMatchObject({ monitor: "bad", at: service.notified()[2]!.at });
  });

  test("answers its own reports INTERNAL_ERROR, and the others of the batch are recorded", async () => {
    using service = await threeWatched(poison);
    const answers = await service.send(
      ping({ monitorKey: "job" }),
      ping({ monitorKey: "bad" }),
      ping({ monitorKey: "gone" }),
      ping({ monitorKey: "other", kind: "fail" }),
    );
    expect(answers).toMatchObject([
      { kind: "heartbeat" },
      { refusal: "INTERNAL_ERROR" },
      { refusal: "MONITOR_NOT_FOUND" },
      { kind: "fail" },
    ]);
    expect(service.count("pings")).toBe(6);
    expect(service.logged.filter(({ level }) => level === "error")).toMatchObject([
      { event: "ping_failed", fields: { application: "prod", monitor: "bad" } },
    ]);
    expect(service.engine.troubles()).toEqual([]);

    changeRows(service.store, repair);
    expect(await service.send(ping({ monitorKey: "bad" }))).toMatchObject([{ kind: "heartbeat" }]);
  });

  test("does not keep the service from starting, with another configuration either", async () => {
    using service = await threeWatched(poison);
    service.restart(
      policyWith({ monitors: { bad: { graceSeconds: 120, schedule: HOURLY }, job: { graceSeconds: 120 } } }),
    );
    expect(service.monitor("job").watch.graceSeconds).toBe(120);
    expect(complaints(service)).toBeLessThanOrEqual(1);
    service.look(CLOSES + MINUTE);
    expect(missed(service)).toEqual(expect.arrayContaining(["other", "job"]));
  });
});

test("a monitor without its row of facts answers INTERNAL_ERROR, and the others are watched", async () => {
  using service = await threeWatched("delete from monitor_states where monitor_id = 1");
  const answers = await service.send(ping({ monitorKey: "bad", schedule: HOURLY }), ping());
  expect(answers).toMatchObject([{ refusal: "INTERNAL_ERROR" }, { kind: "heartbeat" }]);
  service.restart();
  service.look(CLOSES);
  expect(missed(service)).toEqual(["job", "other"]);
});
