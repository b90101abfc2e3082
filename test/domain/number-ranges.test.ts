// Many numbers as short text, which is read back as the same numbers.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { numberRanges, readNumberRanges } from "../../src/domain/number-ranges.ts";

test("numbers that follow one another are written as a range", () => {
  expect(numberRanges([7, 2, 1, 3, 9])).toBe("1-3,7,9");
  expect(numberRanges([])).toBe("");
});

test("what is written is read back as the same numbers, and no other", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(60), { minLength: 1 }), (numbers) => {
      const ranges = readNumberRanges(numberRanges(numbers))!;
      const read = Array.from({ length: 70 }, (_, number) => number).filter((number) =>
        ranges.some(([first, last]) => first <= number && number <= last),
      );
      expect(read).toEqual(numbers.toSorted((a, b) => a - b));
    }),
  );
});

test.each(["", "a", "1-", "-1", "3-1", "1,,2", "1-2-3", "1.5", "9999999999999999"])("%p is refused", (text) => {
  expect(readNumberRanges(text)).toBeNull();
});
