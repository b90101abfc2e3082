// What the address of the overview asks for: which jobs, in which groups and order, and which page of them. Everything
// that is not understood is left out.

import { isOverdue } from "../../domain/monitor/monitor.ts";
import { hasLabel } from "../../domain/pattern.ts";
import type { TroubledLately } from "../../domain/settings/flapping.ts";
import type { Instant } from "../../domain/time.ts";
import type { SaidPart } from "../../domain/wording/now.ts";
import type { BoardMonitor } from "../../views/board.ts";
import type { RecentRun } from "../../views/recent-runs.ts";
import type { Tone } from "../assets/assets.ts";
import { addressOf, numberIn, oneOf, textIn } from "../list-query.ts";
import type { Health } from "../parts/shapes.tsx";
import type { ToldApart } from "../shown.ts";

export const SHOWN = ["all", "trouble", "taken", "late", "waiting", "well", "paused", "slow"] as const;
const GROUPS = ["application", "source", "environment", "owner"] as const;
const SORTS = ["trouble", "name", "last", "next", "length"] as const;

export type OverviewQuery = Readonly<ReturnType<typeof readQuery>>;

const PAGE_MAX = 100_000;

export const readQuery = (search: URLSearchParams) => ({
  /** Part of a name or key; empty: all. */
  find: textIn(search, "find"),
  show: oneOf(SHOWN, search, "show"),
  group: oneOf(GROUPS, search, "group"),
  sort: oneOf(SORTS, search, "sort"),
  page: pageIn(search),
});

export const EVERY_JOB: OverviewQuery = readQuery(new URLSearchParams());

/** From 1; one that cannot be reached stands for the first. */
export function pageIn(search: URLSearchParams): number {
  const page = numberIn(search, "page") ?? 1;
  return page <= PAGE_MAX ? page : 1;
}

/** The address without what is as usual; `/` when all is. */
export const overviewPath = ({ find, show, group, sort, page }: OverviewQuery, path = "/"): string =>
  addressOf(path, {
    find,
    show: [show, SHOWN],
    group: [group, GROUPS],
    sort: [sort, SORTS],
    page: page === 1 ? null : page,
  });

// How a job stands, as people think of it: its status, with `late` apart from other warnings.

export const healthOf = (monitor: Pick<BoardMonitor, "status" | "expectedAt">, now: Instant): Health =>
  monitor.status === "warning" && isOverdue(monitor, now) ? "late" : monitor.status;

const ORDER: readonly Health[] = ["critical", "late", "warning", "unknown", "running", "pending", "healthy", "paused"];

export const rankOf = (health: Health): number => ORDER.indexOf(health);

/** `trouble` needs attention; `taken`: a person has acknowledged it. */
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

/** The one judge of what needs attention: for the headline, every count, filter and search. */
export function partOf(job: Pick<BoardMonitor, "status" | "expectedAt" | "takenOn">, now: Instant): JobsPart {
  const health = healthOf(job, now);
  return health === "critical" && job.takenOn ? "taken" : PARTS[health];
}

/** Whether it is getting slow, however it is. */
export const isSlower = ({ length }: Pick<BoardMonitor, "length">): boolean =>
  length !== null && length.slower !== null;

// What a search finds: jobs with all of its words in name or key; `owner:`, `env:`, `app:`, `label:`, `is:` narrow it.

const FIELDS = { owner: "owner", env: "environment", app: "application" } as const;

/** What a person may write behind `is:`. */
const STANDS: Readonly<Record<string, OverviewQuery["show"]>> = { attention: "trouble" };

export function findsJob(text: string, now: Instant): (job: BoardMonitor) => boolean {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const tests = words.map((word): ((job: BoardMonitor) => boolean) => {
    const [, field = "", value = ""] = /^(owner|env|app|label|is):(.+)$/.exec(word) ?? [];
    if (field === "is" && value === "slow") return isSlower;
    if (field === "is") {
      return (job) => healthOf(job, now) === value || partOf(job, now) === (STANDS[value] ?? value);
    }
    if (field === "label") return ({ labels }) => hasLabel(labels, value);
    if (field !== "") return (job) => (job[FIELDS[field as keyof typeof FIELDS]] ?? "").toLowerCase().includes(value);
    return ({ name, key }) => name.toLowerCase().includes(word) || key.toLowerCase().includes(word);
  });
  return (job) => tests.every((holds) => holds(job));
}

// The overview as data: what its templates show. Types only.

export interface ShownJob extends BoardMonitor {
  readonly health: Health;
  readonly runs: readonly RecentRun[];
  /** What it is doing now; empty where the row says it already. */
  readonly sentence: readonly SaidPart[];
  readonly apart: ToldApart;
  /** Null: it did not come into trouble again and again. */
  readonly lately: TroubledLately | null;
}

export interface JobGroup {
  /** An application's slug, a source, an environment or an owner; empty: of none. */
  readonly name: string;
  /** All that the query finds in it, also on other pages. */
  readonly total: number;
  readonly jobs: readonly ShownJob[];
}

export interface Headline {
  readonly sentence: string;
  readonly title: string;
  readonly tone: Tone;
  /** How many jobs need attention. */
  readonly needs: number;
  /** Whether rollcall itself does. */
  readonly isOwn: boolean;
  /** Since when all is well; null: it is not, or no incident is known. */
  readonly quietSince: Instant | null;
  /** The job that is expected next; null: none is. */
  readonly next: (Pick<BoardMonitor, "application" | "key" | "name" | "timezone"> & { readonly at: Instant }) | null;
}
