// Each mutant finds its place in the sources: one that no longer did would break nothing. `test/task mutants` runs
// them.

import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { type Mutant, mutantsOf, mutate, sourcesIn } from "./mutants.ts";

const SOURCES = sourcesIn(join(import.meta.dir, "../../src"));

describe.each([
  "core",
  "service",
  "state-log",
  "known",
  "row-names",
  "gaps",
  "late",
  "unheard",
  "past",
  "paused",
  "signing-in",
  "lanes",
  "telling",
])("the mutants of %s", (group) => {
  test("each say what they break, change one place, and have a name of their own", () => {
    const mutants = mutantsOf(group);
    expect(mutants.length).toBeGreaterThan(0);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
    for (const mutant of mutants) {
      expect([mutant.name, mutant.says]).toEqual([mutant.name, expect.stringMatching(/^[A-Z0-9].*\.$/)]);
      for (const [path, text] of mutate(SOURCES, mutant)) expect(text).not.toBe(SOURCES.get(path)!);
    }
  });
});

const mutant = (...changes: Mutant["changes"]): Mutant => ({ name: "a", says: "A.", changes });

test("a mutant whose lines stand nowhere, or twice, is refused", () => {
  const sources = new Map([["a.ts", "one\ntwo\none\n"]]);
  expect(() => mutate(sources, mutant({ from: "three", to: "" }))).toThrow(
    "0 places, not one, have these lines:\nthree",
  );
  expect(() => mutate(sources, mutant({ from: "one", to: "" }))).toThrow("2 places, not one");
  expect(mutate(sources, mutant({ from: "two", to: "" }, { from: "one\none", to: "$&" }))).toEqual(
    new Map([["a.ts", "$&\n"]]),
  );
});
