// Keys of monitors from names of checks: letters, digits, dots, dashes and underscores, as jobs can write them
// anywhere.

import type { ImportedCheck } from "./check.ts";

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
 * A key for each, in their order. The first of several with one name keeps it, as jobs may know it; the others get the
 * first surname that none of these has too, and in the end a number. So the same list gives the same keys.
 */
export function keysFor(
  checks: readonly Pick<ImportedCheck, "stem" | "surnames">[],
  prefix: string,
): readonly string[] {
  const wished = checks.map(({ stem, surnames }) => prefix + (keyOf(stem) || keyOf(`check-${surnames.at(-1) ?? ""}`)));
  const namesakes = Map.groupBy(checks, (_, place) => wished[place]!);
  const owned = new Map([...namesakes].map(([key, those]) => [key, ownSurnames(those)]));
  const given = new Set<string>();
  const isFree = (key: string): boolean => !given.has(key) && !namesakes.has(key);
  const numbers = new Map<string, number>();

  function numbered(key: string): string {
    let number = numbers.get(key) ?? 2;
    while (!isFree(`${key}-${number}`)) number++;
    numbers.set(key, number + 1);
    return `${key}-${number}`;
  }

  return checks.map(({ surnames }, place) => {
    const key = wished[place]!;
    const longer = surnames.filter((name) => owned.get(key)!.has(name)).map((name) => `${key}-${keyOf(name)}`);
    const free = given.has(key) ? (longer.find(isFree) ?? numbered(key)) : key;
    given.add(free);
    return free;
  });
}

/** Those that one alone of these has. */
function ownSurnames(namesakes: readonly Pick<ImportedCheck, "surnames">[]): ReadonlySet<string> {
  const all = Map.groupBy(
    namesakes.flatMap(({ surnames }) => [...new Set(surnames)]),
    (name) => name,
  );
  return new Set([...all].filter(([, { length }]) => length === 1).map(([name]) => name));
}
