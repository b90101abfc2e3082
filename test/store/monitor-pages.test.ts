// Monitors as lists read them: in their order however they are cut into pages, and with the facts of a whole load.

import { beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { newMonitor, statusOf, type Watch } from "../../src/domain/monitor/monitor.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import type { MonitorPlace } from "../../src/store/monitor-pages.ts";
import type { Store } from "../../src/store/store.ts";
import { changeRows, openTestStore } from "../support/database.ts";
import { PLAIN_WATCH } from "../support/watch.ts";
import { anyDeclared, anyInstant, anyMonitor, anyWatch } from "./monitor-arbitraries.ts";

const CREATED = 1_772_330_400_000;
const RULES = {
  alertAfterMisses: 2,
  alertAfterFailures: 3,
  reminders: { after: [3_600_000], every: 86_400_000, max: 30 },
  maintenance: [],
};
const WATCH: Watch = { ...PLAIN_WATCH, ...RULES };

let store: Store;

beforeEach(() => {
  store = openTestStore();
});

function insert(slug: string, key: string): number {
  const application = store.applications.find(slug) ?? store.applications.create(slug, CREATED);
  return store.monitors.insert(application, key, NOTHING_DECLARED, newMonitor(WATCH, CREATED), null).id;
}

function walked(application: string | null, limit: number): string[] {
  const names: string[] = [];
  for (let place: MonitorPlace | null = null; ; ) {
    const listed = store.monitorPages.after(application, place, limit);
    names.push(...listed.map((each) => `${each.application}/${each.key}`));
    if (listed.length < limit) return names;
    place = listed.at(-1)!;
  }
}

test("they are listed by application and key, in pages of any length, of one application or all", () => {
  for (const slug of ["test", "prod", "alone", "zone"]) store.applications.create(slug, CREATED);
  for (const [slug, keys] of [
    ["test", ["b", "a b", "ä", "a/b", "A", "a"]],
    ["prod", ["b", "c", "a"]],
    ["alone", ["only"]],
  ] as const)
    for (const key of keys) insert(slug, key);
  const prod = ["prod/a", "prod/b", "prod/c"];
  const all = ["alone/only", ...prod, "test/A", "test/a", "test/a b", "test/a/b", "test/b", "test/ä"];
  for (let limit = 1; limit <= all.length + 1; limit++) {
    expect(walked(null, limit)).toEqual(all);
    expect(walked("prod", limit)).toEqual(prod);
    expect(walked("zone", limit)).toEqual([]);
  }
  expect(Object.fromEntries(store.monitorPages.counts())).toEqual({ 1: 6, 2: 3, 3: 1 });
});

test("a page goes on behind a monitor that is gone, and lists no deleted one", () => {
  const ids = ["a", "b", "c", "d"].map((key) => insert("prod", key));
  const [, second] = store.monitorPages.after(null, null, 2);
  store.deletedMonitors.mark(ids[1]!, CREATED);
  expect(store.monitorPages.after(null, second!, 2).map(({ key }) => key)).toEqual(["c", "d"]);
  expect(walked("prod", 10)).toEqual(["prod/a", "prod/c", "prod/d"]);
});

test("outlines come in the order they are asked for, deleted ones too, and none for an unknown id", () => {
  const ids = ["a", "b", "c"].map((key) => insert("prod", key));
  store.deletedMonitors.mark(ids[2]!, CREATED);
  const read = store.monitorPages.outlines([ids[2]!, 99, ids[0]!, ids[1]!]);
  expect(read.map(({ key, readable }) => [key, readable])).toEqual([
    ["c", true],
    ["a", true],
    ["b", true],
  ]);
  expect(store.monitorPages.outlines([])).toEqual([]);
});

test("an outline says of any monitor what a whole load says, and its status", () => {
  const application = store.applications.create("prod", CREATED);
  let inserted = 0;
  fc.assert(
    fc.property(anyMonitor(anyWatch(RULES), CREATED), anyDeclared, anyInstant, (monitor, declared, now) => {
      inserted += 1;
      const { id } = store.monitors.insert(application, `${inserted}`, declared, newMonitor(WATCH, CREATED), null);
      const { incident, watch } = monitor;
      const openIncidentId = incident === null ? null : store.incidents.save(id, incident);
      const heads = { ...store.monitors.loadById(id)!.heads, openIncidentId };
      store.monitors.saveSettings(id, declared, watch, monitor.changedAt);
      store.monitors.saveState(id, monitor, heads, null);
      const [outline] = store.monitorPages.outlines([id]);
      expect(outline).toMatchObject({
        id,
        application: "prod",
        key: `${inserted}`,
        declaredName: declared.name,
        schedule: watch.schedule,
        timezone: watch.timezone,
        graceSeconds: watch.graceSeconds,
        maxRuntimeSeconds: watch.maxRuntimeSeconds,
        receivedAt: monitor.receivedAt,
        succeededAt: monitor.succeededAt,
        expectedAt: monitor.expectedAt,
        pauses: monitor.pauses,
        incident: openIncidentId,
        createdAt: monitor.createdAt,
        updatedAt: monitor.changedAt,
        readable: true,
      });
      expect(statusOf(outline!, now)).toBe(statusOf(monitor, now));
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 200) },
  );
});

test.each([
  ["the slots open from before", "update monitor_states set carried = '[1,'"],
  ["an incident that is gone", "update monitor_states set open_incident_id = 99"],
  ["the incident's causes", "update incidents set causes = '{'"],
  ["the windows of maintenance", "update monitors set maintenance = 'x'"],
])("what a load cannot read is marked, and what it can is not: %s", (_what, spoil) => {
  const id = insert("prod", "bad");
  const monitor = newMonitor(WATCH, CREATED);
  const [incident] = fc.sample(
    anyMonitor(anyWatch(RULES), CREATED)
      .map((any) => any.incident)
      .filter((any) => any !== null),
    1,
  );
  const openIncidentId = store.incidents.save(id, incident!);
  store.monitors.saveState(id, monitor, { ...store.monitors.loadById(id)!.heads, openIncidentId }, null);
  expect(store.monitorPages.outlines([id])).toMatchObject([{ readable: true }]);
  changeRows(store, spoil);
  expect(() => store.monitors.loadById(id)).toThrow();
  expect(store.monitorPages.outlines([id])).toMatchObject([{ readable: false, incident: expect.any(Number) }]);
  expect(store.monitorPages.after(null, null, 10)).toMatchObject([{ key: "bad", hasFacts: 1 }]);
});

test("a monitor without its row of facts is listed, and nothing else is said of it", () => {
  const id = insert("prod", "halved");
  store.database.run("delete from monitor_states");
  expect(store.monitors.loadById(id)).toBeNull();
  expect(store.monitorPages.after(null, null, 10)).toMatchObject([{ key: "halved", hasFacts: 0 }]);
  expect(store.monitorPages.outlines([id])).toEqual([]);
});
