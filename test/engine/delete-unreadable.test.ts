// Deleting a monitor whose rows cannot be read (R25): by whatever defect, it can be got rid of, and what can be read of
// its open incident is told as recovered.

import { describe, expect, test } from "bun:test";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { DAY, HOUR, MINUTE, toIso } from "../../src/domain/time.ts";
import { changeRows } from "../support/database.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const BAD = { application: null, key: "bad" };
const HOURLY = "0 * * * *";

/** A monitor with an open incident, runs and reports, spoilt; and one beside it that nothing is wrong with. */
async function spoilt(...poison: string[]): Promise<Service> {
  const service = openService(policyWith({ monitors: { bad: { name: "The bad one" } } }));
  await service.send(
    ping({ monitorKey: "good", schedule: HOURLY }),
    ping({ monitorKey: "bad", schedule: HOURLY, timezone: "Europe/Berlin" }),
    ping({ monitorKey: "bad", kind: "start", runId: "open" }),
    ping({ monitorKey: "bad", kind: "fail", message: "disk full" }),
  );
  for (const statement of poison) changeRows(service.store, statement);
  return service;
}

const deliver = (service: Service): void =>
  void service.store.database.run(
    "update deliveries set finished_at = ?, outcome = 'sent', next_attempt_at = null where finished_at is null",
    [service.now],
  );

const openIncidents = (service: Service) =>
  service.store.database.query("select id from incidents where closed_at is null").all();

const NOTIFIED = [
  [
    "a pointer to an incident that is not there",
    "update monitor_states set open_incident_id = 99 where monitor_id = 2",
  ],
  ["a schedule that is none", "update monitors set schedule = 'rubbish' where id = 2"],
  ["a zone that is none", "update monitors set timezone = 'No/Where' where id = 2"],
  ["no row of facts", "delete from monitor_states where monitor_id = 2"],
] as const;

const NOT_NOTIFIED = [
  ["causes that are no JSON", "update incidents set causes = '{'"],
  ["causes that are no list", "update incidents set causes = '7'"],
] as const;

describe.each([...NOTIFIED, ...NOT_NOTIFIED])("R25: a monitor with %s", (_, poison) => {
  test("is deleted: out of every list, its key free, and gone after a week with all that belongs to it", async () => {
    using service = await spoilt(poison);
    service.at(NOON + MINUTE);
    expect(granted(service.engine.operate("monitor delete", BAD))).toMatchObject({
      application: "prod",
      key: "bad",
      name: "The bad one",
      incidentId: 1,
      historyUntil: NOON + MINUTE + 7 * DAY,
    });
    expect(granted(service.engine.operate("monitor list", {}))).toMatchObject({
      monitors: [{ key: "good" }],
      unreadable: [],
    });
    expect(openIncidents(service)).toEqual([]);
    expect(service.engine.operate("monitor delete", BAD)).toMatchObject({ refusal: "MONITOR_NOT_FOUND" });
    expect(service.engine.troubles()).toEqual([]);

    deliver(service);
    service.restart();
    service.look(NOON + 8 * DAY);
    deliver(service);
    service.look(NOON + 8 * DAY + HOUR);
    expect(service.logged.filter(({ level }) => level === "error")).toEqual([]);
    const owned = (table: string) => service.store.database.query(`select 1 from ${table} where monitor_id = 2`).all();
    expect(["monitor_states", "runs", "incidents"].flatMap(owned)).toEqual([]);
    expect(service.store.database.query("select id from monitors").all()).toEqual([{ id: 1 }]);
  });

  test("leaves room for a new one, with none of the old history", async () => {
    using service = await spoilt(poison);
    granted(service.engine.operate("monitor delete", BAD));
    await service.send(ping({ monitorKey: "bad", schedule: HOURLY }));
    expect(granted(service.engine.operate("monitor show", BAD))).toMatchObject({
      status: "healthy",
      pings: [{}],
      runs: [],
    });
  });
});

test.each([...NOTIFIED.slice(0, -1), ...NOT_NOTIFIED])(
  "R25: with %s, its reports go with it after a week",
  async (_, poison) => {
    using service = await spoilt(poison);
    granted(service.engine.operate("monitor delete", BAD));
    deliver(service);
    service.look(NOON + 8 * DAY);
    // Reports have no index: they are found along their chain alone, which must have kept its beginning.
    expect(service.store.database.query("select 1 from pings where monitor_id = 2").all()).toEqual([]);
  },
);

test.each(NOTIFIED)("R25: with %s, the recovery of its incident is told", async (_, poison) => {
  using service = await spoilt(poison);
  service.at(NOON + 2 * HOUR);
  expect(granted(service.engine.operate("monitor delete", BAD)).recoveryTold).toBe(true);
  expect(service.alarms().map(({ kind, reason, cause }) => [kind, reason, cause])).toEqual([
    ["InitialFailure", "opened", "failed"],
    ["Recovered", "deleted", "failed"],
  ]);
  const [recovery] = service.store.database
    .query<{ data: string }, []>("select data from alerts order by id desc limit 1")
    .all();
  expect(alertDataFrom(recovery!.data)!).toMatchObject({
    incidentId: "1",
    durationSeconds: 7_200,
    name: "The bad one",
  });
  const factsGone = service.count("monitor_states") === 1;
  expect(alertDataFrom(recovery!.data)!).toMatchObject({ lastPingAt: factsGone ? null : toIso(NOON) });
});

test.each(NOT_NOTIFIED)("R25: with %s, nothing is told of its incident, and that is said", async (_, poison) => {
  using service = await spoilt(poison);
  expect(granted(service.engine.operate("monitor delete", BAD)).recoveryTold).toBe(false);
  expect(service.alarms()).toHaveLength(1);
});

test("R25: nothing of what was written before it threw is kept", async () => {
  using service = await spoilt("update monitors set schedule = 'rubbish' where id = 2");
  // Paused, so that the schedule is first read when the recovery is put into words, after the incident was saved.
  changeRows(service.store, "update monitor_states set paused_manually = 1, expected_at = null where monitor_id = 2");
  granted(service.engine.operate("monitor delete", BAD));
  expect(service.count("alerts")).toBe(2);
  expect(service.count("incidents")).toBe(1);
});

test("R25: a database that cannot be read throws, and nothing is deleted", async () => {
  using service = await spoilt();
  service.store.database.run("alter table incidents rename to lost");
  expect(() => service.engine.operate("monitor delete", BAD)).toThrow();
  service.store.database.run("alter table lost rename to incidents");
  expect(granted(service.engine.operate("monitor show", BAD)).status).toBe("critical");
});
