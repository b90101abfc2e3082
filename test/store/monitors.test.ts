// Monitors as rows: whatever is saved is loaded again, and nothing else is.

import { beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Monitor, newMonitor, type Watch } from "../../src/domain/monitor/monitor.ts";
import { startedRun } from "../../src/domain/monitor/run.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import type { StoredMonitor } from "../../src/store/monitors.ts";
import { NO_RUNS } from "../../src/store/runs.ts";
import type { Store } from "../../src/store/store.ts";
import { openTestStore } from "../support/database.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { PLAIN_WATCH } from "../support/watch.ts";
import { anyDeclared, anyInstant, anyMonitor, anyText, anyWatch } from "./monitor-arbitraries.ts";

const CREATED = 1_772_330_400_000;
const RULES = {
  alertAfterMisses: 2,
  alertAfterFailures: 3,
  reminders: { after: [3_600_000], every: 86_400_000, max: 30 },
  maintenance: [{ schedule: "0 2 * * 0", timezone: null, durationSeconds: 7200 }],
};
const WATCH: Watch = { ...PLAIN_WATCH, ...RULES };

/** The part of what is in force that is stored. */
const appliedIn = ({ alertAfterMisses, alertAfterFailures, reminders, ...applied }: Watch) => applied;

const factsOf = ({ watch, ...facts }: Monitor) => facts;

let store: Store;

beforeEach(() => {
  store = openTestStore();
});

function insert(slug: string, key: string, wakeAt: number | null = null): StoredMonitor {
  const application = store.applications.find(slug) ?? store.applications.create(slug, CREATED);
  return store.monitors.insert(application, key, NOTHING_DECLARED, newMonitor(WATCH, CREATED), wakeAt);
}

test("any state that is saved is loaded again, equal in every field", () => {
  const application = store.applications.create("prod", CREATED);
  let inserted = 0;
  fc.assert(
    fc.property(
      anyMonitor(anyWatch(RULES), CREATED),
      anyMonitor(anyWatch(RULES), CREATED),
      anyDeclared,
      fc.option(anyInstant, { nil: null }),
      anyText,
      (first, second, declared, wakeAt, suffix) => {
        inserted += 1;
        const key = `${inserted}${suffix}`;
        let record = store.monitors.insert(application, key, NOTHING_DECLARED, newMonitor(WATCH, CREATED), null);
        // Twice, so that every column is also overwritten, with null too.
        for (const monitor of [first, { ...second, runs: [...first.runs, ...second.runs.slice(first.runs.length)] }]) {
          const all = new Set(monitor.runs.map(({ number }) => number));
          const runs = store.runs.save(record.id, record.storedRuns, monitor.runs, all);
          const { incident } = monitor;
          const openIncidentId = incident === null ? null : store.incidents.save(record.id, incident);
          const heads = {
            ...record.heads,
            runsThatMatter: runs.size,
            openIncidentId,
            pingCount: 7,
            lastPingId: wakeAt,
          };
          store.monitors.saveSettings(record.id, declared, monitor.watch, monitor.changedAt);
          store.monitors.saveState(record.id, monitor, heads, wakeAt);
          const loaded = store.monitors.load(application.id, key, null)!;
          const { id, applicationId } = record;
          expect(loaded).toEqual({
            id,
            applicationId,
            application: "prod",
            key,
            declared,
            applied: appliedIn(monitor.watch),
            updatedAt: monitor.changedAt,
            wakeAt,
            heads,
            storedRuns: runs,
            facts: factsOf(monitor),
          });
          expect(store.monitors.loadById(id)).toEqual(loaded);
          record = loaded;
        }
      },
    ),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 200) },
  );
});

test("a monitor is inserted as it is loaded", () => {
  const application = store.applications.create("prod", CREATED);
  const declared = {
    ...NOTHING_DECLARED,
    name: "N",
    schedule: "0 2 * * *",
    timezone: "UTC",
    graceSeconds: 90,
    maxRuntimeSeconds: 60,
  };
  const monitor = newMonitor(WATCH, CREATED);
  const record = store.monitors.insert(application, "nightly", declared, monitor, CREATED + 1);
  expect(store.monitors.load(application.id, "nightly", null)).toEqual(record);
  expect([record.declared, record.applied, record.facts]).toEqual([declared, appliedIn(WATCH), factsOf(monitor)]);
});

test("R24: windows of maintenance are kept as they were when the settings were last saved", () => {
  const { id } = insert("prod", "nightly");
  const saved = () => store.monitors.loadById(id)!.applied.maintenance;
  expect(saved()).toEqual(RULES.maintenance);
  const windows = [...RULES.maintenance, { schedule: "0 3 * * *", timezone: "Asia/Tokyo", durationSeconds: 60 }];
  store.monitors.saveSettings(id, NOTHING_DECLARED, { ...WATCH, maintenance: windows }, CREATED);
  expect(saved()).toEqual(windows);
  store.monitors.saveSettings(id, NOTHING_DECLARED, { ...WATCH, maintenance: [] }, CREATED);
  expect(saved()).toEqual([]);
});

test("R22: the run that a signal names is loaded, though it matters to no other", () => {
  const { id, applicationId } = insert("prod", "nightly");
  const run = startedRun(1, { runId: "a", attempt: null }, CREATED, CREATED + 1);
  store.runs.save(id, NO_RUNS, [run], new Set());
  expect(store.monitors.load(applicationId, "nightly", "a")?.facts.runs).toEqual([run]);
  expect(store.monitors.load(applicationId, "nightly", null)?.facts.runs).toEqual([]);
});

describe("a monitor is found", () => {
  test("R6: by its application and its exact key", () => {
    const one = insert("prod", "nightly");
    const other = insert("test", "nightly");
    expect(store.monitors.load(one.applicationId, "nightly", null)?.id).toBe(one.id);
    expect(store.monitors.load(other.applicationId, "nightly", null)?.id).toBe(other.id);
    for (const key of ["Nightly", "nightly ", "night", ""]) {
      expect(store.monitors.load(one.applicationId, key, null)).toBeNull();
    }
    expect(store.monitors.loadById(99)).toBeNull();
    expect(store.monitors.find(other.applicationId, "nightly")).toBe(other.id);
    expect(store.monitors.find(other.applicationId, "Nightly")).toBeNull();
    expect([...store.monitors.ids()]).toEqual([one.id, other.id]);
  });

  test("an id is never given twice, since old pings still name it", () => {
    const { id } = insert("prod", "nightly");
    store.database.run("DELETE FROM monitor_states");
    store.database.run("DELETE FROM monitors");
    expect(insert("prod", "nightly").id).toBeGreaterThan(id);
  });
});

test("the wakes of all monitors are read a page at a time, each page when it is asked for", () => {
  const expected: { monitorId: number; wakeAt: number | null }[] = [];
  store.database.transaction(() => {
    for (let index = 0; index < 2_500; index += 1) {
      const wakeAt = index % 3 === 0 ? null : CREATED + index;
      const { id } = insert("prod", `job-${index}`, wakeAt);
      expected.push({ monitorId: id, wakeAt });
    }
  })();
  for (const atOnce of [10, 1_000, 1_250, 5_000]) expect([...store.monitors.wakes(atOnce)].flat()).toEqual(expected);
  const wakes = store.monitors.wakes(1_000);
  expect(wakes.next().value).toEqual(expected.slice(0, 1_000));
  // A write between two readings is not held up by them, and is seen.
  const { id } = insert("prod", "late", CREATED);
  expect([...wakes].flat()).toEqual([...expected.slice(1_000), { monitorId: id, wakeAt: CREATED }]);
});

describe("what is known of monitors' rows", () => {
  const KEYS = ["a", "b", "c"] as const;
  type Change = (known: Store, key: string, id: number | null) => void;
  const CHANGES: Readonly<Record<string, Change>> = {
    look: (at, key) => void at.monitors.load(1, key, null),
    insert: (_at, key, id) => void (id === null && insert("prod", key)),
    declare: (at, _key, id) =>
      id !== null &&
      at.monitors.saveSettings(id, { ...NOTHING_DECLARED, name: `${id}` }, appliedIn(WATCH), CREATED + 1),
    rename: (at, key, id) =>
      id !== null && at.monitors.find(1, `${key}2`) === null && at.monitors.rename(id, `${key}2`),
    delete: (at, _key, id) => void (id !== null && at.deletedMonitors.mark(id, CREATED)),
    restore: (at, key, id) => {
      const gone = id === null ? at.deletedMonitors.find(1, key, 0) : null;
      if (gone !== null) at.deletedMonitors.unmark(gone);
    },
  };
  const anyChange = fc.record({
    change: fc.constantFrom(...Object.keys(CHANGES)),
    key: fc.constantFrom(...KEYS),
    ends: fc.constantFrom("commit", "rollback", "on"),
  });

  test("is what the rows say, whatever is changed, and whatever a transaction takes back", () => {
    fc.assert(
      fc.property(fc.array(anyChange, { minLength: 1, maxLength: 40, size: "max" }), (changes) => {
        store = openTestStore();
        store.applications.create("prod", CREATED);
        const { database, monitors, states, known } = store;
        let takeBack = (): void => {};
        for (const { change, key, ends } of changes) {
          if (!database.inTransaction) {
            database.run("BEGIN");
            takeBack = states.memory.begin();
            known.memory.begin();
          }
          CHANGES[change]!(store, key, monitors.find(1, key));
          if (ends === "rollback") takeBack();
          if (ends !== "on") database.run(ends);
          for (const one of KEYS.flatMap((name) => [name, `${name}2`])) {
            const id = monitors.find(1, one);
            expect(monitors.load(1, one, null)).toEqual(id === null ? null : monitors.loadById(id));
          }
        }
        if (database.inTransaction) database.run("ROLLBACK");
      }),
      propertyRuns(60),
    );
  });

  test("is read once", () => {
    insert("prod", "a");
    store.known.memory.begin();
    const first = store.monitors.load(1, "a", null)!;
    expect(store.monitors.load(1, "a", null)!.declared).toBe(first.declared);
    expect(store.known.get(1, "a")).not.toBe(null);
  });
});
