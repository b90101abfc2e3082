// Bulk sync in the engine: what it does to a monitor's slots, incidents and pauses, to the plan's capacity, and beside
// reports, people and a disk that refuses.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { statusOf } from "../../src/domain/monitor/monitor.ts";
import type { EntryFault, Registry, RegistryEntry } from "../../src/domain/monitor/reconcile.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Caller } from "../../src/engine/api.ts";
import type { SyncSummary } from "../../src/views/schemas/received-schemas.ts";
import { changeRows } from "../support/database.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { monitorsInStatus } from "../support/sync-status.ts";

setDefaultTimeout(120_000);

const CALLER: Caller = { applicationId: 1, application: "prod", keyId: 1, scope: "sync" };
const HOURLY = "0 * * * *";
const RUNS = { numRuns: Number(process.env.PROPERTY_RUNS ?? 20) };

const entry = (key: string, schedule: string | null = HOURLY): RegistryEntry => ({
  key,
  declared: { ...NOTHING_DECLARED, schedule },
  metadata: null,
});

const registry = (
  entries: readonly (string | RegistryEntry | EntryFault)[],
  changes: Partial<Registry> = {},
): Registry => ({
  source: "scheduler",
  version: null,
  authoritative: true,
  entries: entries.map((one) => (typeof one === "string" ? entry(one) : one)),
  ...changes,
});

/** Syncs and answers `key action` of each. */
const sync = (
  { engine }: Service,
  entries: readonly (string | RegistryEntry | EntryFault)[],
  changes: Partial<Registry> = {},
): string[] =>
  engine.intake.sync(CALLER, registry(entries, changes)).synced.map(({ key, action }) => `${key} ${action}`);

const statuses = (service: Service): Record<string, string> =>
  Object.fromEntries(monitorsInStatus(service.engine, CALLER).map(({ key, status }) => [key, status]));

const upTo = (count: number, prefix = "k"): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe("what a declaration does to a monitor", () => {
  test("NeverExecuted: a declared monitor that never reports is told of at its first close, without waiting for a ping", () => {
    using service = openService();
    sync(service, ["job"]);
    service.look(NOON + HOUR + MINUTE + 4 * SECOND);
    expect(service.alarms()).toEqual([]);
    service.look(NOON + HOUR + MINUTE + 6 * SECOND);
    expect(service.alarms()).toMatchObject([{ monitor: "job", kind: "NeverExecuted", cause: "missed" }]);
  });

  test("rule 4: withdrawing pauses and closes the open incident with Recovered; nothing is missed while it lasts", () => {
    using service = openService();
    sync(service, ["job"]);
    service.look(NOON + HOUR + 2 * MINUTE);
    expect(sync(service, [])).toEqual(["job paused_removed"]);
    service.look(NOON + 5 * HOUR);
    expect(service.alarms().map(({ kind, reason }) => [kind, reason])).toEqual([
      ["NeverExecuted", expect.any(String)],
      ["Recovered", "withdrawn"],
    ]);
    expect(statuses(service)).toEqual({ job: "paused" });
    expect(service.monitor().incident).toBeNull();
  });

  test("rule 6: who reappears expects the next slot, and misses none of those in between", () => {
    using service = openService();
    sync(service, ["job"]);
    sync(service, []);
    service.look(NOON + 3 * HOUR + 10 * MINUTE);
    expect(sync(service, ["job"])).toEqual(["job updated"]);
    expect(service.monitor().expectedAt).toBe(NOON + 4 * HOUR);
    service.look(NOON + 3 * HOUR + 30 * MINUTE);
    expect(service.alarms()).toEqual([]);
  });

  test("rule 6: a manual pause survives both, withdrawing and reappearing", () => {
    using service = openService();
    sync(service, ["job"]);
    service.engine.operate("monitor pause", { application: null, key: "job" });
    sync(service, []);
    sync(service, ["job"]);
    expect(service.monitor().pauses).toEqual({
      manual: { until: null },
      discovery: false,
      plan: false,
      suspension: false,
    });
  });

  test("rule 3: a new schedule is in force at once, and what was overdue under the old one is told first", () => {
    using service = openService();
    sync(service, ["job"]);
    service.at(NOON + 2 * HOUR);
    expect(sync(service, [entry("job", "0 4 * * *")])).toEqual(["job updated"]);
    expect(service.alarms()).toMatchObject([{ kind: "NeverExecuted" }]);
    expect(service.monitor().expectedAt).toBe(NOON + 16 * HOUR);
  });

  test("R12: alternating two spellings of a schedule is an update each time and silences no dead job", () => {
    using service = openService();
    const spellings = ["*/5 * * * *", "0-59/5 * * * *"];
    const declare = (place: number): string[] => sync(service, [entry("job", spellings[place % 2]!)]);
    expect(declare(0)).toEqual(["job created"]);
    expect(declare(0)).toEqual(["job unchanged"]);
    for (let minute = 1; minute <= 6; minute += 1) {
      service.look(NOON + minute * MINUTE);
      expect(declare(minute)).toEqual(["job updated"]);
    }
    service.look(NOON + 6 * MINUTE + 5 * SECOND);
    expect(service.alarms()).toMatchObject([{ kind: "NeverExecuted", at: "2026-03-02T12:06:05.000Z" }]);
  });

  test("R31: what the configuration sets wins; only declared values make an update", () => {
    using service = openService(policyWith({ monitors: { job: { graceSeconds: 600 } } }));
    const declared = { ...NOTHING_DECLARED, schedule: HOURLY, graceSeconds: 120 };
    expect(sync(service, [{ ...entry("job"), declared }])).toEqual(["job created"]);
    expect(monitorsInStatus(service.engine, CALLER)).toMatchObject([{ graceSeconds: 600 }]);
    expect(sync(service, [{ ...entry("job"), declared }])).toEqual(["job unchanged"]);
    expect(sync(service, [{ ...entry("job"), declared: { ...declared, graceSeconds: 300 } }])).toEqual(["job updated"]);
    expect(monitorsInStatus(service.engine, CALLER)).toMatchObject([{ graceSeconds: 600 }]);
  });

  test("R29: updatedAt moves with declared values, not with pings or with the same declaration", async () => {
    using service = openService();
    sync(service, ["job"]);
    const updatedAt = () => monitorsInStatus(service.engine, CALLER)[0]!.updatedAt - NOON;
    service.at(NOON + MINUTE);
    await service.send(ping());
    sync(service, ["job"]);
    expect(updatedAt()).toBe(0);
    expect(service.store.database.query("select declared_at as at from monitors").get()).toEqual({ at: NOON + MINUTE });
    sync(service, [entry("job", "30 * * * *")]);
    expect(updatedAt()).toBe(MINUTE);
  });

  test("R14, R42: a report that brings the first schedule says so in words", async () => {
    using service = openService();
    sync(service, [entry("job", null)]);
    const [answer] = await service.send(ping({ schedule: HOURLY }));
    expect(answer).toMatchObject({ warning: 'The schedule changed from none to "0 * * * *".' });
  });

  test("R25: a deleted key is created again, pending and without its history", async () => {
    using service = openService();
    sync(service, ["job"]);
    await service.send(ping());
    service.engine.operate("monitor delete", { application: null, key: "job" });
    expect(sync(service, ["job"])).toEqual(["job created"]);
    expect(monitorsInStatus(service.engine, CALLER)).toMatchObject([{ status: "pending", lastPingAt: null }]);
  });

  test("R3: applications know nothing of each other", () => {
    using service = openService();
    service.engine.operate("app create", { slug: "other" });
    sync(service, ["job"]);
    const other = { ...CALLER, applicationId: 2, application: "other" };
    expect(service.engine.intake.sync(other, registry([])).synced).toEqual([]);
    expect(monitorsInStatus(service.engine, other)).toEqual([]);
    expect(statuses(service)).toEqual({ job: "pending" });
  });

  test("all of it stands after a restart", () => {
    using service = openService();
    sync(service, ["a", "b"]);
    sync(service, ["a"]);
    service.restart();
    expect(statuses(service)).toEqual({ a: "pending", b: "paused" });
    expect(sync(service, ["a", "b"])).toEqual(["a unchanged", "b updated"]);
  });
});

describe("R29: the history of syncs", () => {
  const fault = (key: string): EntryFault => ({ key, error: "schedule: it is nonsense", blocksRemoval: true });
  /** The same as it is listed. */
  const listed = (key: string) => ({ key, error: fault(key).error, withheldRemoval: true });
  const history = ({ engine }: Service, limit = 20): readonly SyncSummary[] => {
    const list = engine.operate("app syncs", { application: null, limit });
    return "syncs" in list ? list.syncs : [];
  };

  test("says when, who, under which version, what was changed, and what was withheld and why", () => {
    using service = openService();
    sync(service, ["a", "b"], { version: "1.2" });
    service.at(NOON + MINUTE);
    sync(service, ["b", entry("c")], { version: "1.3" });
    service.at(NOON + 2 * MINUTE);
    sync(service, ["b", fault("x")], { version: "1.3" });
    expect(history(service)).toEqual([
      {
        application: "prod",
        keyId: 1,
        source: "scheduler",
        version: "1.3",
        authoritative: true,
        firstAt: NOON + 2 * MINUTE,
        at: NOON + 2 * MINUTE,
        times: 1,
        total: 2,
        created: 0,
        updated: 0,
        unchanged: 1,
        removed: 0,
        errors: 1,
        withheld: 1,
        changes: [],
        errorList: [listed("x")],
        withheldKeys: ["c"],
      },
      expect.objectContaining({
        at: NOON + MINUTE,
        removed: 1,
        created: 1,
        changes: [
          { key: "a", action: "paused_removed" },
          { key: "c", action: "created" },
        ],
      }),
      expect.objectContaining({ at: NOON, version: "1.2", created: 2 }),
    ]);
  });

  test("the log says at warn what was withheld and why", () => {
    using service = openService();
    sync(service, ["a", "b"]);
    sync(service, ["a", fault("x")]);
    const [first, second] = service.logged.filter(({ event }) => event === "synced");
    expect(first).toMatchObject({ level: "info" });
    expect(first?.fields).not.toHaveProperty("withheld");
    expect(second).toMatchObject({
      level: "warn",
      fields: { withheld: 1, because: "x: schedule: it is nonsense" },
    });
  });

  test("syncs of a source that repeat the last one and change nothing share a row; anything else has its own", () => {
    using service = openService();
    sync(service, ["a"]);
    for (let minute = 1; minute <= 30; minute++) {
      service.at(NOON + minute * MINUTE);
      sync(service, ["a"]);
    }
    expect(history(service)).toMatchObject([
      { firstAt: NOON + MINUTE, at: NOON + 30 * MINUTE, times: 30, unchanged: 1 },
      { firstAt: NOON, times: 1, created: 1 },
    ]);
    sync(service, ["a"], { version: "2" });
    sync(service, ["x"], { source: "another" });
    sync(service, ["a"], { version: "2" });
    expect(history(service).map(({ source, version, times }) => [source, version, times])).toEqual([
      ["another", null, 1],
      ["scheduler", "2", 2],
      ["scheduler", null, 30],
      ["scheduler", null, 1],
    ]);
  });

  test("is bounded: 500 rows of an application, the newest, and 90 days", () => {
    using service = openService();
    for (let count = 0; count < 505; count++) {
      service.at(NOON + count * SECOND);
      sync(service, [entry("a", count % 2 === 0 ? HOURLY : "30 * * * *")]);
    }
    expect(service.count("syncs")).toBe(500);
    expect(history(service, 1_000).at(-1)?.at).toBe(NOON + 5 * SECOND);
    expect(service.engine.operate("app syncs", { application: null, limit: 20 })).toMatchObject({ more: true });
    service.look(NOON + 90 * DAY + 2 * HOUR);
    expect(service.count("syncs")).toBe(0);
  });

  test("a long list of keys is cut, its number is not, and what withheld removal is among the errors that are kept", () => {
    using service = openService();
    sync(service, upTo(150));
    const faults = upTo(30, "f").map((key) => ({ ...fault(key), blocksRemoval: key === "f29" }));
    sync(service, faults);
    const [last] = history(service);
    expect(last).toMatchObject({ withheld: 150, errors: 30 });
    expect([last?.withheldKeys.length, last?.errorList.length]).toEqual([100, 20]);
    expect(last?.errorList[0]).toEqual(listed("f29"));
  });

  test("of one application alone where it is named, and a refusal where there is none of that name", () => {
    using service = openService();
    sync(service, ["a"]);
    expect(service.engine.operate("app syncs", { application: "prod", limit: 20 })).toMatchObject({
      syncs: [{ total: 1 }],
    });
    expect(service.engine.operate("app syncs", { application: "nowhere", limit: 20 })).toMatchObject({
      refusal: "NOT_FOUND",
    });
  });
});

describe("R34: plan capacity", () => {
  const limited = (most: number): Service => openService(policyWith({ prod: { maxActiveMonitors: most } }));

  test("what is beyond it is created_plan_limited, paused and an error of its own", () => {
    using service = limited(2);
    const report = service.engine.intake.sync(CALLER, registry(["c", "a", "b"]));
    expect(report.synced.map(({ key, action }) => [key, action])).toEqual([
      ["a", "created"],
      ["b", "created"],
      ["c", "created_plan_limited"],
    ]);
    expect(report.errors).toEqual([
      { key: "c", error: expect.stringContaining("applications.prod.max_active_monitors"), blocksRemoval: false },
    ]);
    expect(report).toMatchObject({ total: 3, faults: 0 });
    expect(statuses(service)).toEqual({ a: "pending", b: "pending", c: "paused" });
    service.look(NOON + DAY);
    expect(service.alarms().map(({ monitor }) => monitor)).not.toContain("c");
  });

  test("a plan-limited one resumes when there is room and it is declared again, and not before", () => {
    using service = limited(1);
    sync(service, ["a", "b"]);
    expect(sync(service, ["a", "b"])).toEqual(["a unchanged", "b unchanged"]);
    expect(statuses(service)).toEqual({ a: "pending", b: "paused" });
    service.engine.operate("monitor pause", { application: null, key: "a" });
    expect(statuses(service)).toEqual({ a: "paused", b: "paused" });
    expect(sync(service, ["a", "b"])).toEqual(["a unchanged", "b updated"]);
    expect(statuses(service)).toEqual({ a: "paused", b: "pending" });
  });

  test("what one request withdraws makes room for what it declares", () => {
    using service = limited(2);
    sync(service, ["a", "b"]);
    expect(sync(service, ["c", "d"])).toEqual(["a paused_removed", "b paused_removed", "c created", "d created"]);
    expect(statuses(service)).toEqual({ a: "paused", b: "paused", c: "pending", d: "pending" });
  });

  test("monitors that are there keep recording, whatever the capacity", async () => {
    using service = limited(1);
    sync(service, ["a", "b"]);
    const answers = await service.send(ping({ monitorKey: "a" }), ping({ monitorKey: "b" }));
    expect(answers).toMatchObject([{ kind: "heartbeat" }, { kind: "heartbeat" }]);
  });
});

describe("beside others", () => {
  test("reports that wait are committed first, and 100 monitors are one transaction", async () => {
    using service = openService();
    const answer = service.engine.intake.ingest(ping({ schedule: HOURLY }));
    expect(sync(service, ["job", ...upTo(99)])).toContain("job unchanged");
    expect(await answer).toMatchObject({ kind: "heartbeat" });
  });

  test("a disk that refuses changes nothing, and the error goes on to whoever answers for it", () => {
    using service = openService();
    sync(service, ["a"]);
    const other = service.connect();
    other.run("BEGIN IMMEDIATE");
    expect(() => sync(service, ["b"])).toThrow();
    other.run("ROLLBACK");
    expect(statuses(service)).toEqual({ a: "pending" });
  });

  test("a monitor whose row cannot be read is an error of its own", () => {
    using service = openService();
    sync(service, ["a", "b"]);
    changeRows(service.store, "update monitor_states set open_incident_id = 99 where monitor_id = 1");
    const report = service.engine.intake.sync(CALLER, registry([entry("a", "5 * * * *"), entry("b", "5 * * * *")]));
    expect(report.synced.map(({ key, action }) => `${key} ${action}`)).toEqual(["b updated"]);
    expect(report).toMatchObject({ errors: [{ key: "a" }], total: 2, faults: 1 });
    const withdrawn = service.engine.intake.sync(CALLER, registry(["c"]));
    expect(withdrawn).toMatchObject({ errors: [{ key: "a" }], total: 1, faults: 0 });
  });

  /** What may come at the same time, as one word each. */
  const actions = fc.array(
    fc.constantFrom("sync all", "sync some", "sync none", "first ping", "delete", "pause", "resume", "wait"),
    { minLength: 2, maxLength: 12 },
  );

  test("syncs, first pings, deletions and pauses in any order: no error, no duplicate, and the last sync holds", async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (words) => {
        using service = openService(policyWith({ prod: { maxActiveMonitors: 3 } }));
        const name = { application: null, key: "a" };
        const answers: Promise<unknown>[] = [];
        for (const word of words) {
          if (word === "sync all") sync(service, ["a", "b", "c", "d"]);
          if (word === "sync some") sync(service, ["a", "c"]);
          if (word === "sync none") sync(service, []);
          if (word === "first ping")
            answers.push(service.engine.intake.ingest(ping({ monitorKey: "a", schedule: HOURLY })));
          if (word === "delete") service.engine.operate("monitor delete", name);
          if (word === "pause") service.engine.operate("monitor pause", name);
          if (word === "resume") service.engine.operate("monitor resume", name);
          if (word === "wait") service.look(service.now + HOUR);
        }
        sync(service, ["b", "c"]);
        service.endTurns();
        for (const answer of await Promise.all(answers))
          expect(answer).not.toMatchObject({ refusal: "INTERNAL_ERROR" });
        expect(service.logged.filter(({ level }) => level === "error")).toEqual([]);
        const monitors = monitorsInStatus(service.engine, CALLER);
        expect(new Set(monitors.map(({ key }) => key)).size).toBe(monitors.length);
        const active = monitors.filter(({ pauses }) => pauses.manual === null && !pauses.discovery && !pauses.plan);
        expect(active.length).toBeLessThanOrEqual(3);
        for (const key of ["b", "c"]) expect(service.monitor(key).pauses.discovery).toBe(false);
        expect(statusOf(service.monitor("b"), service.now)).not.toBe("paused");
      }),
      RUNS,
    );
  });
});

test("R29: an alert says where its job runs, as the metadata said then, and how long its runs usually take", async () => {
  using service = openService();
  const runsOn = { host: "web1", user: "backup", where: "backup.timer", unit: "backup.service" };
  sync(service, [{ ...entry("job"), metadata: JSON.stringify({ ...runsOn, queue: "billing" }) }]);
  const weeks = [{ from: NOON - 7 * DAY, runs: 3, medianMs: 90 * SECOND }];
  service.store.runLengths.save(1, NOON, weeks);
  await service.send(ping({ kind: "start", runId: "r" }), ping({ kind: "fail", runId: "r" }));
  sync(service, [{ ...entry("job"), metadata: '{"host":["web2"],"where":"elsewhere"}' }]);
  service.look(NOON + HOUR);
  await service.send(
    ping({ monitorKey: "other", kind: "fail", schedule: HOURLY, host: "db1.example.org", user: "ada" }),
  );
  const told = service.store.database.query<{ data: string }, []>("SELECT data FROM alerts ORDER BY id").all();
  expect(told.map(({ data }) => alertDataFrom(data)!)).toMatchObject([
    { reason: "opened", runsOn, usualSeconds: 90 },
    { reason: "reminder", runsOn: null, usualSeconds: null },
    { reason: "opened", runsOn: { host: "db1.example.org", user: "ada", where: null, unit: null } },
  ]);
});
