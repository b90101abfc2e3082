// Keys of monitors from names of checks: letters, digits, dots, dashes and underscores, as jobs can write them anywhere.

import type { Check } from "./check.ts";

const KEY_MAX = 100;

/** Empty where nothing of it can stand in a key. */
export const keyOf = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._]+/g, "-")
    .replaceAll(/-{2,}/g, "-")
    .slice(0, KEY_MAX)
    .replaceAll(/^[-.]+|[-.]+$/g, "");

/**
 * A key for each, in their order. The first of several with one name keeps it, as jobs may know it; the others get the first
 * surname that none of these has too, and in the end a number. So the same list gives the same keys.
 */
export function keysFor(checks: readonly Pick<Check, "stem" | "surnames">[], prefix: string): readonly string[] {
  const wished = checks.map(({ stem, surnames }) => prefix + (keyOf(stem) || keyOf(`check-${surnames.at(-1) ?? ""}`)));
  const taken = new Set(wished);
  const given = new Set<string>();
  return checks.map((check, place) => {
    const key = wished[place]!;
    const namesakes = checks.filter((other, at) => other !== check && wished[at] === key);
    const own = check.surnames.filter((name) => namesakes.every(({ surnames }) => !surnames.includes(name)));
    const longer = own.map((name) => `${key}-${keyOf(name)}`).filter((candidate) => !taken.has(candidate));
    const candidates = given.has(key) ? longer : [key];
    const free = candidates.find((candidate) => !given.has(candidate)) ?? numbered(key, new Set([...taken, ...given]));
    given.add(free);
    return free;
  });
}

function numbered(key: string, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number++) if (!taken.has(`${key}-${number}`)) return `${key}-${number}`;
}
