// Finds out whether many jobs fell silent together, so that one sentence can say so before each job is named. Pure.

import { type Instant, MINUTE } from "../time.ts";

/** An open incident about missing reports. A field is `null` when it is not known. */
export type Silent = Readonly<{
  openedAt: Instant;
  /** The network address from which the job last reported. */
  address: string | null;
  source: string | null;
  application: string;
}>;

/**
 * The first field of `SHARED` in which all incidents of a group agree: most likely it is the cause. They do not agree
 * in a field that is `null`. `null` when they agree in no field.
 */
type Shared = { readonly of: (typeof SHARED)[number]; readonly name: string } | null;

const SHARED = ["address", "source", "application"] as const;

/** How many incidents a group must have; fewer are shown one by one. */
export const FEWEST = 5;
/** An incident that begins more than this many milliseconds after the one before it begins a new group. */
const APART = 10 * MINUTE;

/** The largest group of incidents that began soon after one another, the oldest first; `null` if all are too small. */
export function silentTogether<Of extends Silent>(silent: readonly Of[]) {
  let largest: Of[] = [];
  let group: Of[] = [];
  for (const one of silent.toSorted((a, b) => a.openedAt - b.openedAt)) {
    if (one.openedAt - (group.at(-1)?.openedAt ?? one.openedAt) > APART) group = [];
    group.push(one);
    if (group.length > largest.length) largest = group;
  }
  const [first, last] = [largest[0], largest.at(-1)];
  if (first === undefined || last === undefined || largest.length < FEWEST) return null;
  const of = SHARED.find((field) => first[field] !== null && largest.every((one) => one[field] === first[field]));
  const shared: Shared = of === undefined ? null : { of, name: first[of]! };
  return { members: largest, from: first.openedAt, to: last.openedAt, shared };
}
