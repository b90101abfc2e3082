// What a bulk sync reads of its application: enough for every decision, and no more than that.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { newMonitor } from "../../src/domain/monitor/monitor.ts";
import { type Registry, reconcile } from "../../src/domain/monitor/reconcile.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { openTestStore } from "../support/database.ts";
import { PLAIN_WATCH } from "../support/watch.ts";

const CREATED = 1_772_330_400_000;
const KEYS = ["a", "b", "c", "d", "e", "f"];

interface Given {
  readonly key: string;
  readonly source: string | null;
  readonly pauses: { readonly discovery: boolean; readonly plan: boolean };
}

const store = openTestStore();
let made = 0;

/** The id of a new application with these monitors. Those of the others bear the same keys, and mean nothing to it. */
function applicationWith(given: readonly Given[]): number {
  const application = store.applications.create(`app-${made++}`, CREATED);
  for (const { key, source, pauses } of given) {
    const monitor = { ...newMonitor(PLAIN_WATCH, CREATED), pauses: { manual: null, suspension: false, ...pauses } };
    const { id } = store.monitors.insert(application, key, NOTHING_DECLARED, monitor, null);
    if (source !== null)
      store.registries.saveDeclaration(id, { source, version: null, metadata: null, declaredAt: CREATED });
  }
  return application.id;
}

const source = fc.constantFrom("crontab", "airflow");
const given = fc.uniqueArray(
  fc.record({
    key: fc.constantFrom(...KEYS),
    source: fc.option(source, { nil: null }),
    pauses: fc.record({ discovery: fc.boolean(), plan: fc.boolean() }),
  }),
  { selector: ({ key }) => key },
);
const entry = fc
  .constantFrom(...KEYS)
  .chain((key) =>
    fc.constantFrom(
      { key, declared: { ...NOTHING_DECLARED, schedule: "0 2 * * *" }, metadata: null },
      { key, error: "it is wrong", blocksRemoval: true },
      { key, error: "it is wrong", blocksRemoval: false },
    ),
  );
const registry: fc.Arbitrary<Registry> = fc.record({
  source,
  version: fc.constant(null),
  authoritative: fc.boolean(),
  entries: fc.array(entry, { maxLength: 6 }),
});

test("R28, R29: what a sync reads decides the same as if it read all of its application", () => {
  fc.assert(
    fc.property(given, registry, fc.integer({ min: -1, max: 6 }), (monitors, declared, capacity) => {
      const application = applicationWith(monitors);
      const known = (of: string | null, keys: readonly string[]) => store.registries.known(application, of, keys);
      const read = known(
        declared.authoritative ? declared.source : null,
        declared.entries.map(({ key }) => key),
      );
      const all = known(null, KEYS);
      expect(all).toHaveLength(monitors.length);
      expect(reconcile(declared, read, capacity)).toEqual(reconcile(declared, all, capacity));
    }),
    {
      numRuns: 200,
      examples: [
        [
          [{ key: "a", source: "crontab", pauses: { discovery: false, plan: false } }],
          { source: "crontab", version: null, authoritative: true, entries: [] },
          6,
        ],
      ],
    },
  );
});

test("R28: a sync that withdraws nothing reads the monitors it names alone, however many its source has", () => {
  const all = KEYS.map((key) => ({ key, source: "crontab", pauses: { discovery: false, plan: false } }));
  expect(store.registries.known(applicationWith(all), null, ["b", "none"]).map(({ key }) => key)).toEqual(["b"]);
});

test("R28: what a registry withdrew long ago is not read again, unless it is named", () => {
  const withdrawn = (key: string) => ({ key, source: "crontab", pauses: { discovery: true, plan: false } });
  const watched = { ...withdrawn("c"), pauses: { discovery: false, plan: true } };
  const application = applicationWith([withdrawn("a"), withdrawn("b"), watched]);
  expect(store.registries.known(application, "crontab", ["b"]).map(({ key }) => key)).toEqual(["b", "c"]);
});
