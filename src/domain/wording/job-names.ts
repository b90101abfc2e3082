// How messages name jobs: one job within a sentence, and many jobs in a list that stays short enough to be read.

import { NAME_LENGTH } from "../limits.ts";
import type { AlertData, MonitorNames } from "../message/alert.ts";
import type { ListedMonitor } from "../message/notice.ts";
import type { Instance } from "../message/presentation.ts";
import { cleanLine } from "../text.ts";
import { counted, grouped } from "./spoken-time.ts";
import type { Item } from "./types.ts";

/** The most characters that are shown of a name. A list of mails then still shows the words behind the name. */
export const NAME_SHOWN_LENGTH = 60;

export const shownName = (data: Pick<AlertData, "name" | "monitorKey">): string =>
  cleanLine(data.name, NAME_SHOWN_LENGTH) || cleanLine(data.monitorKey, NAME_SHOWN_LENGTH) || "(no name)";

/** The name under which the job's incident was first told: `formerly Backup` (R37); `null` when it is the same. */
export function formerName(data: Named): string | null {
  const before = data.formerly == null ? null : shownName(data.formerly);
  return before === null || before === shownName(data) ? null : `formerly ${before}`;
}

export type Named = MonitorNames & { readonly formerly?: MonitorNames | null };

/** The job's name, and behind it the name under which its incident was first told: `Nightly (formerly Backup)`. */
export const nameNowAndThen = (data: Named): string => `${shownName(data)}${inParentheses(formerName(data))}`;

export function inParentheses(...parts: readonly (string | null)[]): string {
  const said = parts.filter((part) => part !== null);
  return said.length === 0 ? "" : ` (${said.join(", ")})`;
}

/** The most jobs that a message lists in words. The data for a webhook lists more. */
const NAMED_MAX = 50;

/** Tells whether there is only one application. Its name is then not shown. */
type Alone = Pick<Instance, "onlyApplication">;

/**
 * How a sentence names jobs: `Nightly backup (prod)` for one job, `3 jobs` for several. `monitors` needs to hold only
 * the first of them.
 */
export function jobsInWords(monitors: readonly ListedMonitor[], total: number, { onlyApplication }: Alone): string {
  const [only] = monitors;
  if (total !== 1 || only === undefined) return counted(total, "job");
  return `${shownName(only)}${inParentheses(onlyApplication ? null : only.applicationId)}`;
}

/** How a list names a job: `Nightly backup (prod, nightly-backup)`. The list shows the key nowhere else. */
export function jobNameInList(monitor: ListedMonitor & Named, { onlyApplication }: Alone): string {
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
    .map((job) => ({ name: jobNameInList(job, instance), details: detailsOf(job), quote: quoteOf(job) }));
  return [...named, ...andMore(total - named.length)];
}

export const andMore = (left: number): Item[] =>
  left > 0 ? [{ name: `and ${grouped(left)} more`, details: [], quote: null, unnamed: left }] : [];

/**
 * Says for whom a delivery is: `Ada (mail)` for a member of the team, `ops@example.org (mail)` for another address,
 * otherwise just the destination, `mail`.
 */
export function addressInWords(address: {
  readonly destination: string;
  readonly recipient: string | null;
  readonly person?: string | null;
}): string {
  const whom = address.person ?? address.recipient;
  return whom === null ? address.destination : `${cleanLine(whom, NAME_LENGTH)} (${address.destination})`;
}
