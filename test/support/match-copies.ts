// Loaded before each test file: makes `toMatchObject` compare with a copy. Bun's own writes the matchers of a pattern
// over the given value, which may be a constant of the product that a later test uses too.

import { expect } from "bun:test";

const { toMatchObject } = Object.getPrototypeOf(expect(null));

expect.extend({
  toMatchObject(received: unknown, pattern: object) {
    const matched: unknown = this.isNot ? expect(copied(received)).not : expect(copied(received));
    try {
      toMatchObject.call(matched, pattern);
      return { pass: !this.isNot, message: () => "" };
    } catch (error) {
      return { pass: this.isNot, message: () => (error as Error).message };
    }
  },
});

/** Objects of classes are not copied. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copied(one)]));
}
