// Loaded before each test file: `toMatchObject` looks at a copy. The one of Bun writes the matchers of a pattern over
// what it is given, which may be a constant of the product that a later test gets too.

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

/** Objects of classes stay what they are. */
function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, copied(one)]));
}
