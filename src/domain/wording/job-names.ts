// Names jobs in messages: one job in a sentence, and many in a list that stays short enough to be read.

import { NAME_LENGTH } from "../limits.ts";
import type { AlertData, MonitorNames } from "../message/alert.ts";
import type { ListedMonitor } from "../message/notice.ts";
import type { Instance } from "../message/presentation.ts";
import { cleanLine } from "../text.ts";
import { counted, grouped } from "./spoken-time.ts";
import type { Item } from "./types.ts";

/** How many characters of a name are shown, so that a list of mails still shows the words after the name. */
export const NAME_SHOWN_LENGTH = 60;

export const shownName = (data: Pick<AlertData, "name" | "monitorKey">): string =>
  cleanLine(data.name, NAME_SHOWN_LENGTH) || cleanLine(data.monitorKey, NAME_SHOWN_LENGTH) || "(no name)";

/** The name under which the incident was first told, if it was another: `formerly Backup` (R37). */
export function formerName(data: Named): string | null {
  const before = data.formerly == null ? null : shownName(data.formerly);
  return before === null || before === shownName(data) ? null : `formerly ${before}`;
}

export type Named = MonitorNames & { readonly formerly?: MonitorNames | null };

/** The monitor's name and the one under which its incident was first told: `Nightly (formerly Backup)`. */
export const nameNowAndThen = (data: Named): string => `${shownName(data)}${inParentheses(formerName(data))}`;

export function inParentheses(...parts: readonly (string | null)[]): string {
  const said = parts.filter((part) => part !== null);
  return said.length === 0 ? "" : ` (${said.join(", ")})`;
}

/** How many jobs the words name, and how many of their failures. The webhook's list is longer. */
const NAMED_MAX = 50;

/** Says whether there is only one application, so that its name need not be shown. */
type Alone = Pick<Instance, "onlyApplication">;

/**
 * The jobs in words, such as `Nightly backup (prod)`, or `3 jobs` for more than one. `monitors` holds the first of
 * them.
 */
export function jobsInWords(monitors: readonly ListedMonitor[], total: number, { onlyApplication }: Alone): string {
  const [only] = monitors;
  if (total !== 1 || only === undefined) return counted(total, "job");
  return `${shownName(only)}${inParentheses(onlyApplication ? null : only.applicationId)}`;
}

/**
 * The name of a job in a list, such as `Nightly backup (prod, nightly-backup)`. The key is included, because a list has
 * no other place for it.
 */
export function itemName(monitor: ListedMonitor & Named, { onlyApplication }: Alone): string {
  const name = shownName(monitor);
  const key = cleanLine(monitor.monitorKey, NAME_SHOWN_LENGTH);
  const ownKey = key === "" || key === name ? null : key;
  return `${name}${inParentheses(onlyApplication ? null : monitor.applicationId, ownKey, formerName(monitor))}`;
}

export function jobItems<Job extends ListedMonitor & Named>(
  jobs: readonly Job[],
  total: number,
  instance: Alone,
  detailsOf: (job: Job) => readonly string[],
  quoteOf: (job: Job) => string | null = () => null,
): Item[] {
  const named = jobs
    .slice(0, NAMED_MAX)
    .map((job) => ({ name: itemName(job, instance), details: detailsOf(job), quote: quoteOf(job) }));
  return [...named, ...andMore(total - named.length)];
}

export const andMore = (left: number): Item[] =>
  left > 0 ? [{ name: `and ${grouped(left)} more`, details: [], quote: null, unnamed: left }] : [];

/** Whom a message is for, such as `Ada (mail)`, `ops@example.org (mail)` when no member has that address, or `mail`. */
export function addressInWords(address: {
  readonly destination: string;
  readonly recipient: string | null;
  readonly person?: string | null;
}): string {
  const whom = address.person ?? address.recipient;
  return whom === null ? address.destination : `${cleanLine(whom, NAME_LENGTH)} (${address.destination})`;
}
