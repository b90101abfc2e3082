// Reconciliation of a registry with what is known, as laws over any registry, and examples of each action. Time has no
// part in it; what the engine makes of the actions is tested with the engine.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isActive, type Pauses } from "../../src/domain/monitor/monitor.ts";
import {
  type Action,
  type EntryFault,
  type KnownMonitor,
  type Reconciliation,
  type Registry,
  type RegistryEntry,
  reconcile,
  signalsOf,
  type Update,
} from "../../src/domain/monitor/reconcile.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { DEFAULT_WATCH } from "../support/timeline-table.ts";

const RUNS = { numRuns: Number(process.env.PROPERTY_RUNS ?? 2_000) };
const SOURCE = "scheduler";
const NO_PAUSES: Pauses = { manual: null, discovery: false, plan: false, suspension: false };

const keys = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(value, { nil: null });
const declared = fc.record({
  name: maybe(fc.constantFrom("One", "Two")),
  schedule: maybe(fc.constantFrom("0 4 * * *", "30 5 * * *")),
  everySeconds: fc.constant(null),
  timezone: maybe(fc.constantFrom("UTC", "Europe/Berlin")),
  graceSeconds: maybe(fc.constantFrom(60, 600)),
  maxRuntimeSeconds: maybe(fc.constantFrom(60, 7_200)),
  alertAfterMisses: fc.constant(null),
  alertAfterFailures: fc.constant(null),
  severity: fc.constant(null),
  labels: maybe(fc.constantFrom("db", "db nightly")),
  note: fc.constant(null),
  mailRule: fc.constant(null),
});
const metadata = maybe(fc.constantFrom("{}", '{"queue":"mail"}'));
const pauses: fc.Arbitrary<Pauses> = fc.record({
  manual: maybe(fc.record({ until: maybe(fc.constant(1_000)) })),
  discovery: fc.boolean(),
  plan: fc.boolean(),
  suspension: fc.constant(false),
});
const anyEntry: fc.Arbitrary<RegistryEntry> = fc.record({ key: keys, declared, metadata });
const anyFault: fc.Arbitrary<EntryFault> = fc.record({
  key: fc.oneof(keys, fc.constant("")),
  error: fc.constant("faulty"),
  blocksRemoval: fc.boolean(),
});
const anyRegistry: fc.Arbitrary<Registry> = fc.record({
  source: fc.constant(SOURCE),
  version: fc.constant(null),
  authoritative: fc.boolean(),
  entries: fc.array(fc.oneof({ weight: 5, arbitrary: anyEntry }, { weight: 1, arbitrary: anyFault }), { maxLength: 8 }),
});
const anyKnown: fc.Arbitrary<KnownMonitor[]> = fc
  .uniqueArray(
    fc.record({ key: keys, source: maybe(fc.constantFrom(SOURCE, "another")), declared, metadata, pauses }),
    { selector: ({ key }) => key },
  )
  .map((monitors) => monitors.map((monitor, index) => ({ ...monitor, id: index + 1 })));
const anyCapacity = fc.oneof(fc.nat({ max: 4 }), fc.constant(Number.POSITIVE_INFINITY));

/** What is known once the actions have been taken. */
function after(known: readonly KnownMonitor[], { actions }: Reconciliation): KnownMonitor[] {
  const monitors = new Map(known.map((monitor) => [monitor.key, monitor]));
  for (const action of actions) {
    switch (action.action) {
      case "created":
      case "created_plan_limited": {
        const plan = action.action === "created_plan_limited";
        const { key, declared, metadata } = action.entry;
        const monitor = { id: monitors.size + 1, key, source: SOURCE, declared, metadata };
        monitors.set(key, { ...monitor, pauses: { ...NO_PAUSES, plan } });
        break;
      }
      case "updated":
      case "unchanged": {
        const { known: before, declared, metadata, lifts, limited } = action;
        const left = { ...before.pauses, plan: before.pauses.plan || limited };
        if (lifts.includes("discovery")) left.discovery = false;
        if (lifts.includes("plan")) left.plan = false;
        monitors.set(before.key, { ...before, source: SOURCE, declared, metadata, pauses: left });
        break;
      }
      case "paused_removed":
        monitors.set(action.known.key, { ...action.known, pauses: { ...action.known.pauses, discovery: true } });
    }
  }
  return [...monitors.values()];
}

const active = (monitors: readonly KnownMonitor[]): number => monitors.filter(({ pauses }) => isActive(pauses)).length;
const keyOf = (action: Action): string => ("known" in action ? action.known.key : action.entry.key);

function holds(law: (registry: Registry, known: KnownMonitor[], capacity: number, result: Reconciliation) => void) {
  const inputs = [anyRegistry, anyKnown, anyCapacity] as const;
  const check = (registry: Registry, known: KnownMonitor[], capacity: number): void =>
    law(registry, known, capacity, reconcile(registry, known, capacity));
  fc.assert(fc.property(...inputs, check), RUNS);
}

describe("R28: laws of reconciliation", () => {
  test("the same registry sent again changes nothing, and is told the same of the plan", () => {
    holds((registry, known, capacity, first) => {
      const then = after(known, first);
      const room = capacity - (active(then) - active(known));
      const again = reconcile(registry, then, room);
      expect(again.actions.map(({ action }) => action)).toEqual(again.actions.map(() => "unchanged"));
      expect(again.faults).toEqual(first.faults);
      expect(after(then, again)).toEqual(then);
      const limited = ({ actions }: Reconciliation) =>
        actions.filter((one) => one.action === "created_plan_limited" || ("limited" in one && one.limited)).map(keyOf);
      expect(limited(again).sort()).toEqual(limited(first).sort());
    });
  });

  test("nothing is ever deleted, and every action is about a monitor of its own", () => {
    holds((_, known, __, result) => {
      const left = new Set(after(known, result).map(({ key }) => key));
      for (const { key } of known) expect(left.has(key)).toBe(true);
      const acted = result.actions.map(keyOf);
      expect(new Set(acted).size).toBe(acted.length);
    });
  });

  test("R28: only an authoritative registry removes, and only what its own source declared last and it does not name", () => {
    holds((registry, _, __, { actions }) => {
      const removed = actions.flatMap((action) => (action.action === "paused_removed" ? [action.known] : []));
      if (!registry.authoritative) expect(removed).toEqual([]);
      for (const { key, source, pauses } of removed) {
        expect(source).toBe(SOURCE);
        expect(pauses.discovery).toBe(false);
        expect(registry.entries.some((entry) => entry.key === key)).toBe(false);
      }
    });
  });

  test("R29: an invalid schedule anywhere removes nothing; without one every absent monitor of the source is paused", () => {
    holds((registry, known, _, { actions }) => {
      const removed = actions.filter(({ action }) => action === "paused_removed").map(keyOf);
      const blocked = registry.entries.some((entry) => "error" in entry && entry.blocksRemoval);
      const absent = known
        .filter(
          ({ key, source, pauses }) =>
            source === SOURCE && !pauses.discovery && !registry.entries.some((entry) => entry.key === key),
        )
        .map(({ key }) => key);
      expect(removed.sort()).toEqual(blocked || !registry.authoritative ? [] : absent.sort());
    });
  });

  test("R29: every entry that withholds removal is among the faults or the superseded, each once, and nothing else is", () => {
    holds((registry, _, __, { faults, superseded }) => {
      const blocking = registry.entries.filter((entry) => "error" in entry && entry.blocksRemoval);
      const told = [...faults, ...superseded].filter(({ blocksRemoval }) => blocksRemoval);
      expect(new Set(told)).toEqual(new Set(blocking as EntryFault[]));
      expect(told.length).toBe(blocking.length);
      expect(superseded.every(({ blocksRemoval, key }) => blocksRemoval && key !== "")).toBe(true);
    });
  });

  test("R29: withheld is exactly what the same registry would remove, were its faulty entries sound", () => {
    holds((registry, known, capacity, { withheld, actions }) => {
      const sound = registry.entries.map((one) => ("error" in one ? { ...one, blocksRemoval: false } : one));
      const would = reconcile({ ...registry, entries: sound }, known, capacity).actions;
      const removedBy = (list: readonly Action[]) =>
        list.filter(({ action }) => action === "paused_removed").map(keyOf);
      expect([...removedBy(actions), ...withheld.map(({ key }) => key)]).toEqual(removedBy(would));
      expect(removedBy(actions).length === 0 || withheld.length === 0).toBe(true);
    });
  });

  test("the order of the registry does not matter, but for two declarations of one key", () => {
    fc.assert(
      fc.property(anyRegistry, anyKnown, anyCapacity, fc.nat(), (registry, known, capacity, turn) => {
        const entries = registry.entries.filter(({ key }, at, all) => all.findIndex((one) => one.key === key) === at);
        const shift = entries.length === 0 ? 0 : turn % entries.length;
        const turned = [...entries.slice(shift), ...entries.slice(0, shift)].reverse();
        const one = reconcile({ ...registry, entries }, known, capacity);
        expect(reconcile({ ...registry, entries: turned }, known.toReversed(), capacity)).toEqual(one);
      }),
      RUNS,
    );
  });

  test("of two declarations of a key the last wins, faulty or not", () => {
    holds((registry, known, capacity, result) => {
      const entries = registry.entries.filter(
        ({ key }, at, all) => key === "" || all.findLastIndex((one) => one.key === key) === at,
      );
      const blocked = registry.entries.some((entry) => "error" in entry && entry.blocksRemoval);
      const alone = reconcile(
        { ...registry, entries, authoritative: registry.authoritative && !blocked },
        known,
        capacity,
      );
      expect(alone.actions).toEqual(result.actions);
      expect(alone.faults).toEqual(result.faults);
    });
  });

  test("a pause by hand survives, with its end", () => {
    holds((_, known, __, result) => {
      const then = new Map(after(known, result).map(({ key, pauses }) => [key, pauses.manual]));
      for (const { key, pauses } of known) expect(then.get(key)).toEqual(pauses.manual);
    });
  });

  test("R34: capacity is never exceeded, and what has no room is paused by the plan until it has", () => {
    holds((_, known, capacity, result) => {
      const then = after(known, result);
      expect(active(then) - active(known)).toBeLessThanOrEqual(capacity);
      const full = capacity - (active(then) - active(known)) < 1;
      for (const { key, pauses } of then) {
        const declaredNow = result.actions.some((action) => "entry" in action && keyOf(action) === key);
        if (!declaredNow) continue;
        expect(pauses.discovery).toBe(false);
        if (!full) expect(pauses.plan).toBe(false);
      }
    });
  });

  test("what a registry does not say stays as it was", () => {
    holds((_, __, ___, { actions }) => {
      for (const action of actions) {
        if (!("declared" in action)) continue;
        const { entry, known, declared: next } = action;
        for (const field of Object.keys(NOTHING_DECLARED) as (keyof typeof NOTHING_DECLARED)[]) {
          expect(next[field]).toBe(entry.declared[field] ?? known.declared[field]);
        }
        expect(action.metadata).toBe(entry.metadata ?? known.metadata);
      }
    });
  });
});

describe("examples", () => {
  const entry = (key: string, schedule: string | null = "0 4 * * *"): RegistryEntry => ({
    key,
    declared: { ...NOTHING_DECLARED, schedule },
    metadata: null,
  });
  const known = (key: string, over: Partial<KnownMonitor> = {}): KnownMonitor => ({
    id: key.charCodeAt(0),
    key,
    source: SOURCE,
    declared: entry(key).declared,
    metadata: null,
    pauses: NO_PAUSES,
    ...over,
  });
  const said = (
    monitors: KnownMonitor[],
    entries: (RegistryEntry | EntryFault)[],
    capacity = Number.POSITIVE_INFINITY,
  ): string[] =>
    reconcile({ source: SOURCE, version: null, authoritative: true, entries }, monitors, capacity).actions.map(
      (action) => `${keyOf(action)} ${action.action}`,
    );

  test("each action once", () => {
    const monitors = [known("a"), known("b"), known("c"), known("x", { source: null })];
    expect(said(monitors, [entry("a"), entry("b", "5 4 * * *"), entry("d"), entry("e")], 0)).toEqual([
      "c paused_removed",
      "a unchanged",
      "b updated",
      "d created",
      "e created_plan_limited",
    ]);
  });

  test("an empty list pauses all that the source declared, and nobody else's", () => {
    const monitors = [known("a"), known("b", { source: "another" }), known("c", { source: null })];
    expect(said(monitors, [])).toEqual(["a paused_removed"]);
  });

  test("who comes back is resumed and updated; who is paused by hand for good takes no room by it", () => {
    const discovery = { ...NO_PAUSES, discovery: true };
    const both = { ...discovery, manual: { until: null } };
    const monitors = [known("a", { pauses: discovery }), known("b", { pauses: both })];
    const { actions } = reconcile(
      { source: SOURCE, version: null, authoritative: true, entries: [entry("a"), entry("b")] },
      monitors,
      1,
    );
    expect(actions).toMatchObject([
      { action: "updated", lifts: ["discovery"], limited: false },
      { action: "updated", lifts: ["discovery"], limited: false },
    ]);
  });

  test("who comes back where there is no room is paused by the plan instead", () => {
    const monitors = [known("a", { pauses: { ...NO_PAUSES, discovery: true } })];
    const { actions } = reconcile(
      { source: SOURCE, version: null, authoritative: true, entries: [entry("a")] },
      monitors,
      0,
    );
    expect(actions).toMatchObject([{ action: "updated", lifts: ["discovery"], limited: true }]);
  });
});

test("R34: a monitor for which there is no room is paused by the plan before its other pause is lifted", () => {
  const pauses: Pauses = { ...NO_PAUSES, discovery: true };
  const known: KnownMonitor = { id: 1, key: "a", source: SOURCE, declared: NOTHING_DECLARED, metadata: null, pauses };
  const declared = { ...NOTHING_DECLARED, schedule: "0 4 * * *" };
  const entry: RegistryEntry = { key: "a", declared, metadata: null };
  const update: Update = {
    action: "updated",
    entry,
    known,
    declared,
    metadata: null,
    lifts: ["discovery"],
    limited: true,
  };
  const saidBy = (change: Partial<Update>) =>
    signalsOf({ ...update, ...change }, DEFAULT_WATCH).map(({ kind }) => kind);
  expect(saidBy({})).toEqual(["declare", "pause", "resume"]);
  expect(saidBy({ declared: NOTHING_DECLARED })).toEqual(["pause", "resume"]);
  expect(saidBy({ limited: false })).toEqual(["declare", "resume"]);
  expect(saidBy({ known: { ...known, pauses: { ...pauses, plan: true } } })).toEqual(["declare", "resume"]);
  expect(saidBy({ declared: NOTHING_DECLARED, limited: false, lifts: [] })).toEqual([]);
});
