// A monitor somebody deletes (R25): out of every list at once, its key free, its history gone after seven days, some
// rows a turn, and nothing of any other monitor with it.

import { describe, expect, test } from "bun:test";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const JOB = { application: null, key: "job" };
const RARELY = { schedule: "0 0 29 2 *" };
const TABLES = ["monitors", "monitor_states", "pings", "runs", "incidents", "alerts", "deliveries"];

const counts = (service: Service): Record<string, number> =>
  Object.fromEntries(TABLES.map((table) => [table, service.count(table)]));

/** Everything that waits has been sent. */
const deliver = (service: Service): void =>
  void service.store.database.run(
    "update deliveries set finished_at = ?, outcome = 'sent', next_attempt_at = null where finished_at is null",
    [service.now],
  );

/** A history of every kind: runs with and without a name, open and over, incidents, alerts and deliveries. */
const history = (monitorKey: string, times: number) => [
  ping({ monitorKey, ...RARELY, maxRuntimeSeconds: 30 * 86_400 }),
  ...Array.from({ length: times }, (_, count) => [
    ping({ monitorKey, kind: "start", runId: count % 2 === 0 ? `run ${count}` : null }),
    ping({ monitorKey, kind: "complete", runId: count % 2 === 0 ? `run ${count}` : null }),
    ping({ monitorKey, kind: "fail", message: `failure ${count}` }),
    ping({ monitorKey, kind: "start", runId: null }),
    ping({ monitorKey }),
  ]).flat(),
  ping({ monitorKey, kind: "start", runId: "open" }),
  ping({ monitorKey, kind: "fail", runId: null }),
];

describe("R25: deleting", () => {
  test("takes it out of every list; a report without a schedule does not find it", async () => {
    using service = openService();
    await service.send(ping(RARELY));
    expect(granted(service.engine.operate("monitor delete", JOB))).toEqual({
      application: "prod",
      key: "job",
      name: "Job",
      incidentId: null,
      recoveryTold: false,
      historyUntil: NOON + 7 * DAY,
      returnsAtStart: false,
    });
    expect(granted(service.engine.operate("monitor list", {})).monitors).toEqual([]);
    expect(service.engine.operate("app list", {})).toMatchObject({ applications: [{ monitors: 0 }] });
    expect(service.engine.operate("monitor show", JOB)).toMatchObject({ refusal: "MONITOR_NOT_FOUND" });
    expect(service.engine.operate("monitor delete", JOB)).toMatchObject({ refusal: "MONITOR_NOT_FOUND" });
    expect(await service.send(ping())).toMatchObject([{ refusal: "MONITOR_NOT_FOUND" }]);
  });

  test("closes an open incident and tells the recovery", async () => {
    using service = openService();
    await service.send(ping(RARELY), ping({ kind: "fail" }));
    expect(granted(service.engine.operate("monitor delete", JOB))).toMatchObject({ incidentId: 1, recoveryTold: true });
    expect(service.alarms().at(-1)).toMatchObject({ kind: "Recovered", reason: "deleted" });
    expect(service.nudges).toBe(2);
  });

  test("begins its counts in a row again: what was closed does not count when it comes back", async () => {
    using service = openService(policyWith({ monitors: { job: { alertAfterMisses: 2, alertAfterFailures: 2 } } }));
    await service.send(ping({ schedule: "0 * * * *" }));
    service.look(NOON + 2 * HOUR + 2 * MINUTE);
    expect(service.alarms()).toHaveLength(1);
    await service.send(ping({ kind: "fail" }));
    granted(service.engine.operate("monitor delete", JOB));
    granted(service.engine.operate("monitor undelete", JOB));
    expect(service.monitor()).toMatchObject({ misses: 0, failures: 0, pendingFail: null });
    service.look(NOON + 3 * HOUR + 2 * MINUTE);
    expect(service.alarms().map(({ reason }) => reason)).toEqual(["opened", "new_cause", "deleted"]);
    service.look(NOON + 4 * HOUR + 2 * MINUTE);
    expect(service.monitor().incident).toMatchObject({ missedSlots: 1, troubles: 2 });
  });

  test("one whose incident opens and closes with it names that incident too", async () => {
    using service = openService();
    await service.send(ping({ schedule: "0 * * * *" }));
    service.at(NOON + HOUR + 2 * MINUTE);
    expect(granted(service.engine.operate("monitor delete", JOB)).incidentId).toBe(1);
    expect(service.alarms().map(({ reason }) => reason)).toEqual(["opened", "deleted"]);
  });

  test("time changes it no more, before and after a restart", async () => {
    using service = openService();
    await service.send(ping({ schedule: "* * * * *" }));
    granted(service.engine.operate("monitor delete", JOB));
    expect([...service.store.monitors.wakes(10)].flat()).toMatchObject([{ wakeAt: null }]);
    service.look(NOON + 5 * MINUTE);
    service.restart();
    service.look(NOON + HOUR);
    expect(service.notified()).toEqual([]);
  });

  test("a report with a schedule makes a new one, pending and without the old history", async () => {
    using service = openService();
    await service.send(...history("job", 3));
    granted(service.engine.operate("monitor delete", JOB));
    service.at(NOON + SECOND);
    await service.send(ping({ ...RARELY, kind: "start" }));
    const shown = granted(service.engine.operate("monitor show", JOB));
    expect(shown).toMatchObject({ status: "pending", createdAt: NOON + SECOND, lastSuccessAt: null, incidentId: null });
    expect([shown.pings.length, shown.runs.length]).toEqual([1, 1]);
  });

  test("one the configuration names with a schedule is said to return, and the next start creates it again", async () => {
    using service = openService(policyWith({ monitors: { job: RARELY } }));
    await service.send(ping());
    expect(granted(service.engine.operate("monitor delete", JOB)).returnsAtStart).toBe(true);
    service.at(NOON + MINUTE);
    service.restart();
    expect(granted(service.engine.operate("monitor show", JOB))).toMatchObject({
      createdAt: NOON + MINUTE,
      lastPingAt: null,
    });
  });
});

describe("R25: its history", () => {
  test("stays for seven days and is gone after, but nothing of a monitor with the same key or any other", async () => {
    using service = openService();
    await service.send(...history("other", 10));
    deliver(service);
    const others = counts(service);
    await service.send(...history("job", 10));
    granted(service.engine.operate("monitor delete", JOB));
    deliver(service);
    await service.send(...history("job", 0));
    deliver(service);
    const before = counts(service);
    service.look(NOON + 7 * DAY);
    expect(counts(service)).toMatchObject({ monitors: before["monitors"]!, pings: before["pings"]! });
    service.look(NOON + 7 * DAY + HOUR);
    deliver(service);
    const after = counts(service);
    // Of the new `job`: its three reports, one open run, and the incident.
    expect(after).toMatchObject({ monitors: others["monitors"]! + 1, pings: others["pings"]! + 3 });
    expect(after["runs"]).toBe(others["runs"]! + 1);
    expect(after["incidents"]).toBe(others["incidents"]! + 1);
    expect(granted(service.engine.operate("monitor show", { application: "prod", key: "other" })).pings).toHaveLength(
      20,
    );
    expect(granted(service.engine.operate("monitor show", JOB)).pings).toHaveLength(3);
  });

  test("goes a bounded number of rows a turn, while reports are taken in between", async () => {
    using service = openService();
    await service.send(...history("job", 390));
    granted(service.engine.operate("monitor delete", JOB));
    deliver(service);
    service.at(NOON + 8 * DAY);
    service.engine.tick();
    const steps: number[] = [];
    for (let before = service.count("pings"); service.endTurn(); ) {
      const after = service.count("pings");
      steps.push(before - after);
      before = after;
      if (steps.length === 3) void service.engine.intake.ingest(ping({ monitorKey: "new", ...RARELY }));
    }
    expect(Math.max(...steps)).toBeLessThanOrEqual(500);
    expect(steps.filter((deleted) => deleted > 0).length).toBeGreaterThan(3);
    expect(counts(service)).toEqual({
      monitors: 1,
      monitor_states: 1,
      pings: 1,
      runs: 0,
      incidents: 0,
      alerts: 0,
      deliveries: 0,
    });
  });

  test("an incident stays while its recovery is on its way, and goes with the next hour after that", async () => {
    using service = openService();
    await service.send(ping(RARELY), ping({ kind: "fail" }));
    granted(service.engine.operate("monitor delete", JOB));
    service.look(NOON + 8 * DAY);
    expect(counts(service)).toMatchObject({ monitors: 1, pings: 0, incidents: 1, alerts: 2 });
    deliver(service);
    service.look(NOON + 8 * DAY + HOUR);
    expect(counts(service)).toMatchObject({ monitors: 0, monitor_states: 0, incidents: 0, alerts: 0, deliveries: 0 });
  });

  test("what outlived the chain of reports goes too: a last failure, an open run, unknowns, refused reports", async () => {
    using service = openService();
    await service.send(
      ping({ ...RARELY, maxRuntimeSeconds: 200 * 86_400 }),
      ping({ kind: "fail" }),
      ping({ kind: "start" }),
      ...Array.from({ length: 30 }, () => ping({ kind: "log" })),
    );
    service.look(NOON + 91 * DAY);
    expect([service.count("pings"), service.count("runs")]).toEqual([21, 1]);
    const { database } = service.store;
    const later = NOON + 98 * DAY;
    database.run("insert into unknowns (gap_id, monitor_id, at, slot, slots) values (1, 1, 0, 0, 1), (1, 2, 0, 0, 1)");
    for (const [key, at] of [
      ["job", NOON + 50 * DAY],
      ["other", later],
    ] as const)
      database.run(`insert into refused_reports (application_id, monitor_key, code, field, failed, reason, key_id, first_at, at, times, news)
        values (1, '${key}', 'RATE_LIMIT_EXCEEDED', '', 0, '', 1, ${at}, ${at}, 1, 0)`);
    granted(service.engine.operate("monitor delete", JOB));
    deliver(service);
    service.look(NOON + 99 * DAY);
    expect(counts(service)).toMatchObject({ monitors: 0, pings: 0, runs: 0, incidents: 0 });
    expect(database.query("select monitor_key as key from refused_reports").all()).toEqual([{ key: "other" }]);
    expect(database.query("select monitor_id from unknowns").all()).toEqual([{ monitor_id: 2 }]);
  });
});
