// Reads what the address of the overview asks for: which jobs, in which groups and order, and which page of them. Any
// other parameter or value is ignored.

import { isOverdue } from "../../domain/monitor/monitor.ts";
import { hasLabel } from "../../domain/settings/targets.ts";
import type { TroubledLately } from "../../domain/telling/flapping.ts";
import type { Instant } from "../../domain/time.ts";
import type { WordedPart } from "../../domain/wording/now.ts";
import type { BoardMonitor } from "../../views/board.ts";
import type { RecentRun } from "../../views/recent-runs.ts";
import type { Tone } from "../assets/assets.ts";
import { numberParameter, pathWithQuery, textParameter, wordParameter } from "../list-query.ts";
import type { Health } from "../parts/shapes.tsx";
import type { ToldApart } from "../shown.ts";

export const SHOWN = ["all", "trouble", "taken", "late", "waiting", "well", "paused", "slow"] as const;
const GROUPS = ["application", "source", "environment", "owner"] as const;
const SORTS = ["trouble", "name", "last", "next", "length"] as const;

export type OverviewQuery = Readonly<ReturnType<typeof readOverviewQuery>>;

const PAGE_MAX = 100_000;

export const readOverviewQuery = (search: URLSearchParams) => ({
  /** The words of the search, which `findsJob` reads; an empty text finds all jobs. */
  find: textParameter(search, "find"),
  show: wordParameter(SHOWN, search, "show"),
  group: wordParameter(GROUPS, search, "group"),
  sort: wordParameter(SORTS, search, "sort"),
  page: pageIn(search),
});

export const EVERY_JOB: OverviewQuery = readOverviewQuery(new URLSearchParams());

export function pageIn(search: URLSearchParams): number {
  const page = numberParameter(search, "page") ?? 1;
  return page <= PAGE_MAX ? page : 1;
}

export const overviewPath = ({ find, show, group, sort, page }: OverviewQuery, path = "/"): string =>
  pathWithQuery(path, {
    find,
    show: [show, SHOWN],
    group: [group, GROUPS],
    sort: [sort, SORTS],
    page: page === 1 ? null : page,
  });

// Names the health of a job as people think of it: its status, but `late` instead of `warning` while a report is
// overdue.

export const healthOf = (monitor: Pick<BoardMonitor, "status" | "expectedAt">, now: Instant): Health =>
  monitor.status === "warning" && isOverdue(monitor, now) ? "late" : monitor.status;

const ORDER: readonly Health[] = ["critical", "late", "warning", "unknown", "running", "pending", "healthy", "paused"];

export const rankOf = (health: Health): number => ORDER.indexOf(health);

/**
 * The parts into which the filter divides all jobs. Jobs in `trouble` need attention; `taken` is trouble that a person
 * has acknowledged.
 */
export type JobsPart = Exclude<OverviewQuery["show"], "all" | "slow">;

const PARTS: Readonly<Record<Health, JobsPart>> = {
  critical: "trouble",
  late: "late",
  warning: "late",
  unknown: "late",
  pending: "waiting",
  healthy: "well",
  running: "well",
  paused: "paused",
};

/**
 * The part in which a job is listed. The headline, every count, the filter and the search all use this function, so
 * they agree on what needs attention.
 */
export function filterPartOfJob(job: Pick<BoardMonitor, "status" | "expectedAt" | "takenOn">, now: Instant): JobsPart {
  const health = healthOf(job, now);
  return health === "critical" && job.takenOn ? "taken" : PARTS[health];
}

/** Whether the job's runs take longer and longer. The job's status plays no part. */
export const isSlower = ({ length }: Pick<BoardMonitor, "length">): boolean =>
  length !== null && length.slower !== null;

// Finds the jobs that have each word of a search in their name or key. A word that begins with `owner:`, `env:`,
// `app:`, `label:` or `is:` looks at another property, as in `owner:anna`.

const FIELDS = { owner: "owner", env: "environment", app: "application" } as const;

/**
 * Words that a person may type after `is:`, with the filter that each means. The names of the filters may be typed,
 * too.
 */
const FILTER_ALIASES: Readonly<Record<string, OverviewQuery["show"]>> = { attention: "trouble" };

export function findsJob(text: string, now: Instant): (job: BoardMonitor) => boolean {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const tests = words.map((word): ((job: BoardMonitor) => boolean) => {
    const [, field = "", value = ""] = /^(owner|env|app|label|is):(.+)$/.exec(word) ?? [];
    if (field === "is" && value === "slow") return isSlower;
    if (field === "is") {
      return (job) => healthOf(job, now) === value || filterPartOfJob(job, now) === (FILTER_ALIASES[value] ?? value);
    }
    if (field === "label") return ({ labels }) => hasLabel(labels, value);
    if (field !== "") return (job) => (job[FIELDS[field as keyof typeof FIELDS]] ?? "").toLowerCase().includes(value);
    return ({ name, key }) => name.toLowerCase().includes(word) || key.toLowerCase().includes(word);
  });
  return (job) => tests.every((holds) => holds(job));
}

// Defines the overview as the data that its templates show. There are only types below.

export interface ShownJob extends BoardMonitor {
  readonly health: Health;
  readonly runs: readonly RecentRun[];
  /** A sentence about what the job is doing now; empty when the row says it already. */
  readonly sentence: readonly WordedPart[];
  readonly apart: ToldApart;
  /** How often the job came into trouble in the last day; `null` unless it did repeatedly. */
  readonly lately: TroubledLately | null;
}

export interface JobGroup {
  /**
   * The name of the group: an application's slug, a source, an environment or an owner. Empty for the group of jobs
   * that have none.
   */
  readonly name: string;
  /** How many jobs of the group the query finds, on all pages of the list together. */
  readonly total: number;
  readonly jobs: readonly ShownJob[];
}

export interface Headline {
  readonly sentence: string;
  readonly title: string;
  readonly tone: Tone;
  /** The number of jobs that need attention. */
  readonly needs: number;
  /** Whether rollcall itself has troubles that need attention. */
  readonly isOwn: boolean;
  /**
   * When the newest of the closed incidents ended; `null` when the tone is not `well`, or when no incident has ended.
   */
  readonly quietSince: Instant | null;
  /** The job that is expected next; `null` when none is expected. */
  readonly next: (Pick<BoardMonitor, "application" | "key" | "name" | "timezone"> & { readonly at: Instant }) | null;
}
