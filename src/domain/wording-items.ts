// How notices name jobs: one in a sentence, many in a list that stays short enough to be read.

import { cleanLine } from "./clean-text.ts";
import type { ListedMonitor } from "./notice-lists.ts";
import { counted } from "./spoken-time.ts";
import type { Item } from "./wording.ts";
import { NAME_SHOWN_LENGTH, shownName } from "./wording-subject.ts";

/** So many jobs, and so many of their failures, are named in words. The webhook's list is longer. */
export const NAMED_MAX = 50;

/** `Nightly backup (prod)`, or `3 jobs` when there are more than one. `monitors`: the first of them. */
export function jobsInWords(monitors: readonly ListedMonitor[], total: number): string {
  const [only] = monitors;
  return total === 1 && only !== undefined ? `${shownName(only)} (${only.applicationId})` : counted(total, "job");
}

/** `Nightly backup (prod, nightly-backup)`: in a list the key has no place of its own. */
export function itemName(monitor: ListedMonitor): string {
  const name = shownName(monitor);
  const key = cleanLine(monitor.monitorKey, NAME_SHOWN_LENGTH);
  return `${name} (${monitor.applicationId}${key === "" || key === name ? "" : `, ${key}`})`;
}

/** The end of a list that was cut short. */
export const andMore = (left: number): Item[] =>
  left > 0 ? [{ name: `and ${left} more`, details: [], quote: null }] : [];
