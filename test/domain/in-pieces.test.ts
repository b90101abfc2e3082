// Long work as pieces: what is sorted in pieces is sorted as it would be at once.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { sortedInPieces, wholeOf } from "../../src/domain/in-pieces.ts";

test("a list sorted in pieces is as one sorted at once, and equal items stay in their order", () => {
  const items = fc.array(fc.record({ key: fc.nat(20), place: fc.nat() }), { maxLength: 5_000, size: "max" });
  fc.assert(
    fc.property(items, (list) => {
      const compare = (a: { key: number }, b: { key: number }) => a.key - b.key;
      expect(wholeOf(sortedInPieces(list, compare))).toEqual(list.toSorted(compare));
    }),
    { numRuns: 30 },
  );
  const many = Array.from({ length: 30_000 }, (_, place) => (place * 7_919) % 10_007);
  const work = sortedInPieces(many, (a, b) => a - b);
  let pieces = 1;
  let step = work.next();
  for (; !step.done; step = work.next()) pieces++;
  expect(step.value).toEqual(many.toSorted((a, b) => a - b));
  expect(pieces).toBeGreaterThan(300);
});
