// How notices name jobs: one in a sentence, many in a list that stays short enough to be read.

import type { Instance } from "../message/instance.ts";
import type { ListedMonitor } from "../message/notice.ts";
import { cleanLine } from "../text.ts";
import { counted } from "./spoken-time.ts";
import { formerName, inApplication, inParentheses, NAME_SHOWN_LENGTH, type Named, shownName } from "./subject.ts";
import type { Item } from "./types.ts";

/** How many jobs, and how many of their failures, words name. The webhook's list is longer. */
export const NAMED_MAX = 50;

/** Whether there is no other application, so that naming it tells nothing. */
type Alone = Pick<Instance, "onlyApplication">;

/** `Nightly backup (prod)`, or `3 jobs` when there are more than one. `monitors`: the first of them. */
export function jobsInWords(monitors: readonly ListedMonitor[], total: number, { onlyApplication }: Alone): string {
  const [only] = monitors;
  if (total !== 1 || only === undefined) return counted(total, "job");
  return `${shownName(only)}${inApplication({ ...only, onlyApplication })}`;
}

/** `Nightly backup (prod, nightly-backup)`: in a list the key has no place of its own. */
export function itemName(monitor: ListedMonitor & Named, { onlyApplication }: Alone): string {
  const name = shownName(monitor);
  const key = cleanLine(monitor.monitorKey, NAME_SHOWN_LENGTH);
  const ownKey = key === "" || key === name ? null : key;
  return `${name}${inParentheses(onlyApplication ? null : monitor.applicationId, ownKey, formerName(monitor))}`;
}

/** The end of a list that was cut short. */
export const andMore = (left: number): Item[] =>
  left > 0 ? [{ name: `and ${left} more`, details: [], quote: null, unnamed: left }] : [];
