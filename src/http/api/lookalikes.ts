// Unknown parameters that resemble a known one (R7): their sender means something by them, and must learn that they had
// no effect. We ignore all other unknown ones.

import { nearest } from "../../domain/nearest.ts";
import type { Lookalike } from "../../engine/api.ts";
import type { Parameter } from "./parameters.ts";
import type { Query } from "./query.ts";

/** Without the parts that people write in several ways: case, `_`, `-`. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, "");

const NONE: readonly Lookalike[] = [];

/** How many names we look at, and how long they may be: a query of nonsense must cost little. */
const LOOKED_AT_MAX = 20;
const NAME_MAX = 30;
/** Shorter words resemble one another by chance. */
const GUESSED_FROM = 6;

/** Finds them in a query with these parameters, in the order of sending, among the first 20 unknown names. */
export function createFinder(parameters: readonly Parameter[]): (query: Query) => readonly Lookalike[] {
  const known: ReadonlySet<string> = new Set(parameters.map(({ name }) => name));
  const meant: ReadonlyMap<string, string> = new Map([
    ...parameters.flatMap(({ name, alsoCalled = [] }) => alsoCalled.map((other): [string, string] => [other, name])),
    ...parameters.map(({ name }): [string, string] => [plain(name), name]),
  ]);

  function meantBy(word: string): string | null {
    const near = meant.has(word) || word.length < GUESSED_FROM ? word : nearest(word, meant.keys());
    return near === null ? null : (meant.get(near) ?? null);
  }

  return (query) => {
    let found = NONE;
    let left = LOOKED_AT_MAX;
    for (const name of query.keys()) {
      if (known.has(name)) continue;
      if (left-- === 0) break;
      const resembled = name.length > NAME_MAX ? null : meantBy(plain(name));
      if (resembled !== null) found = [...found, { name, meant: resembled }];
    }
    return found;
  };
}
