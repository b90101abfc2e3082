// Outcome checks: what is as expected and what is not, how it is said, and what is kept. Names are looked up as names,
// whatever else they mean to JavaScript.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  checkOutcomes,
  type Expectation,
  type Expected,
  NO_EXPECTATIONS,
  NO_OUTCOMES,
  type OutcomeValue,
  outcomesToKeep,
} from "../../src/domain/monitor/reported-outcomes.ts";

type Asked = Partial<Expectation>;

const expecting = (asked: Readonly<Record<string, Asked>>): Map<string, Expectation> =>
  new Map(
    Object.entries(asked).map(([key, one]) => [key, { equals: null, min: null, max: null, onFailure: "fail", ...one }]),
  );

const reported = (values: Readonly<Record<string, OutcomeValue>>): Map<string, OutcomeValue> =>
  new Map(Object.entries(values));

const check = (asked: Readonly<Record<string, Asked>>, values: Readonly<Record<string, OutcomeValue>>) =>
  checkOutcomes(expecting(asked), reported(values));

describe("R27: one outcome", () => {
  const AT_LEAST_1 = { min: 1 };
  const AT_MOST_3 = { max: 3 };
  const BETWEEN = { min: -1, max: 1 };

  test.each<[string, Asked, OutcomeValue]>([
    ["the least there may be", AT_LEAST_1, 1],
    ["more than the least", AT_LEAST_1, 1e308],
    ["the most there may be", AT_MOST_3, 3],
    ["less than the most", AT_MOST_3, -1e308],
    ["within both bounds", BETWEEN, 0.5],
    ["the only value within both bounds", { min: 2, max: 2 }, 2],
    ["the same number", { equals: 0 }, 0],
    ["0 for -0", { equals: 0 }, -0],
    ["true", { equals: true }, true],
    ["false", { equals: false }, false],
  ])("passes: %s", (_, asked, value) => {
    expect(check({ rows: asked }, { rows: value })).toEqual({ verdict: "passed" });
  });

  test.each<[Asked, OutcomeValue, string]>([
    [AT_LEAST_1, 0.999, "rows was 0.999, expected at least 1"],
    [AT_LEAST_1, true, "rows was true, expected at least 1"],
    [{ min: 0 }, false, "rows was false, expected at least 0"],
    [AT_MOST_3, 4, "rows was 4, expected at most 3"],
    [AT_MOST_3, false, "rows was false, expected at most 3"],
    [BETWEEN, 2, "rows was 2, expected -1 to 1"],
    [BETWEEN, -2, "rows was -2, expected -1 to 1"],
    [{ equals: 0 }, false, "rows was false, expected 0"],
    [{ equals: 1 }, true, "rows was true, expected 1"],
    [{ equals: true }, 1, "rows was 1, expected true"],
    [{ equals: true }, false, "rows was false, expected true"],
    [{ equals: false }, true, "rows was true, expected false"],
    [{ equals: 12 }, 12.5, "rows was 12.5, expected 12"],
  ])("fails: expected %j, observed %j", (asked, value, message) => {
    expect(check({ rows: asked }, { rows: value })).toMatchObject({ verdict: "failed", message });
  });

  test.each<[Asked, string]>([
    [AT_LEAST_1, "rows is missing, expected at least 1"],
    [{ max: 0 }, "rows is missing, expected at most 0"],
    [{ equals: false }, "rows is missing, expected false"],
    [{ equals: 0 }, "rows is missing, expected 0"],
  ])("fails when it is missing: expected %j", (asked, message) => {
    expect(check({ rows: asked }, { other: 1 })).toMatchObject({ verdict: "failed", message });
  });
});

describe("R27: several outcomes", () => {
  const ASKED = { rows: { min: 1 }, verified: { equals: true }, errors: { max: 0, onFailure: "warn" } } as const;

  test("all as expected pass, and what nobody expects does not matter", () => {
    expect(check(ASKED, { errors: 0, rows: 5, verified: true, more: 9 })).toEqual({ verdict: "passed" });
  });

  test("one that only warns leaves a warning", () => {
    expect(check(ASKED, { errors: 2, rows: 5, verified: true })).toEqual({
      verdict: "warned",
      message: "errors was 2, expected at most 0",
      outcomes: [
        { key: "rows", observed: 5, expected: { equals: null, min: 1, max: null }, verdict: "passed" },
        { key: "verified", observed: true, expected: { equals: true, min: null, max: null }, verdict: "passed" },
        { key: "errors", observed: 2, expected: { equals: null, min: null, max: 0 }, verdict: "warned" },
      ],
    });
  });

  test("a failure beats a warning, and is named before it", () => {
    const warnsFirst = { errors: ASKED.errors, rows: ASKED.rows, verified: ASKED.verified };
    const checks = check(warnsFirst, { errors: 2, rows: 0 });
    expect(checks).toMatchObject({
      verdict: "failed",
      message: "rows was 0, expected at least 1; verified is missing, expected true; errors was 2, expected at most 0",
      outcomes: [{ verdict: "warned" }, { verdict: "failed" }, { verdict: "failed" }],
    });
  });

  test("a report without any has none of them", () => {
    expect(checkOutcomes(expecting(ASKED), NO_OUTCOMES)).toMatchObject({
      verdict: "failed",
      outcomes: [{ observed: null }, { observed: null }, { observed: null }],
    });
  });

  test("where nothing is expected everything passes", () => {
    expect(checkOutcomes(NO_EXPECTATIONS, reported({ rows: -1, verified: false }))).toEqual({ verdict: "passed" });
    expect(outcomesToKeep(NO_EXPECTATIONS, reported({ rows: -1 }))).toBeNull();
  });
});

describe("R27: names that mean something else to JavaScript are ordinary names", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "length", "0"];

  test.each(names)("%s", (name) => {
    const expectations = new Map([...expecting({ x: { min: 1 } })].map(([, one]) => [name, one] as const));
    expect(checkOutcomes(expectations, NO_OUTCOMES)).toMatchObject({
      message: `${name} is missing, expected at least 1`,
    });
    expect(checkOutcomes(expectations, new Map([[name, 1]]))).toEqual({ verdict: "passed" });
    expect(JSON.stringify(outcomesToKeep(expectations, new Map([[name, 1]])))).toBe(`{"${name}":1}`);
    expect(outcomesToKeep(expecting({ other: { min: 1 } }), new Map([[name, 1]]))).toBeNull();
  });
});

test("only what is expected is kept, whether it is as it should be or not", () => {
  const expectations = expecting({ rows: { min: 1 }, verified: { equals: true }, missing: { min: 0 } });
  expect(outcomesToKeep(expectations, reported({ note: 1, verified: false, rows: 0 }))).toEqual({
    verified: false,
    rows: 0,
  });
});

const names = fc.constantFrom("rows", "errors", "__proto__", "constructor", "a_1");
const values = fc.oneof(
  fc.constantFrom(-1, 0, 1, 2),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const bounds = fc.constantFrom(null, -1, 0, 1, 2);
const expectationsOf = fc.oneof(
  fc.record({ equals: values, min: fc.constant(null), max: fc.constant(null) }),
  fc
    .record({ equals: fc.constant(null), min: bounds, max: bounds })
    .filter(({ min, max }) => min !== null || max !== null),
);
const onFailure = fc.constantFrom("warn" as const, "fail" as const);
const entries = <Value>(value: fc.Arbitrary<Value>) =>
  fc.uniqueArray(fc.tuple(names, value), { selector: ([name]) => name, maxLength: 5 });

test("R27: whatever is expected and reported, each name is judged by itself and the worst counts", () => {
  const asked = entries(fc.tuple(expectationsOf, onFailure).map(([one, how]) => ({ ...one, onFailure: how })));
  fc.assert(
    fc.property(asked, entries(values), (expected, observed) => {
      const found = checkOutcomes(new Map(expected), new Map(observed));
      const unmet = expected.filter(([name, one]) => !fits(one, observed.find(([key]) => key === name)?.[1]));
      const fails = unmet.some(([, { onFailure }]) => onFailure === "fail");
      expect(found.verdict).toBe(unmet.length === 0 ? "passed" : fails ? "failed" : "warned");
      if (found.verdict === "passed") return;
      expect(found.outcomes.map(({ key }) => key)).toEqual(expected.map(([name]) => name));
      expect(found.outcomes.filter(({ verdict }) => verdict !== "passed").map(({ key }) => key)).toEqual(
        unmet.map(([name]) => name),
      );
      expect(found.message.split("; ")).toHaveLength(unmet.length);
      for (const [name] of unmet) expect(found.message).toContain(`${name} `);
    }),
  );
});

/** The rule again, said otherwise: nothing is converted, bounds are for numbers and belong to what they allow. */
function fits({ equals, min, max }: Expected, value: OutcomeValue | undefined): boolean {
  if (value === undefined) return false;
  if (equals !== null) return typeof equals === typeof value && Number(equals) === Number(value);
  if (typeof value === "boolean") return false;
  return !((min !== null && value < min) || (max !== null && value > max));
}
