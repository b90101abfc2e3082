// The map that forgets: it never holds more than its limit, never answers wrongly, and keeps what is in use.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { boundedMap } from "../../src/domain/maps.ts";

test("a bounded map answers what was set last or nothing, and remembers at most its limit", () => {
  const anyStep = fc.record({ key: fc.nat(30).map(String), value: fc.option(fc.nat()) });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 12 }), fc.array(anyStep, { maxLength: 200 }), (limit, steps) => {
      const bounded = boundedMap<number>(limit);
      const truth = new Map<string, number>();
      for (const { key, value } of steps) {
        if (value === null) {
          const found = bounded.get(key);
          if (found !== undefined) expect(found).toBe(truth.get(key)!);
        } else {
          bounded.set(key, value);
          truth.set(key, value);
          expect(bounded.get(key)).toBe(value);
        }
      }
      const kept = [...truth.keys()].filter((key) => bounded.get(key) !== undefined);
      expect(kept.length).toBeLessThanOrEqual(limit);
    }),
  );
});

test("a bounded map keeps the entry that is asked for again and again", () => {
  const bounded = boundedMap<number>(10);
  bounded.set("used", 1);
  for (let index = 0; index < 1_000; index += 1) {
    bounded.set(`other ${index}`, index);
    expect(bounded.get("used")).toBe(1);
  }
  expect(bounded.get("other 1")).toBeUndefined();
});
