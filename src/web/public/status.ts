// Chooses the data that a status page shows. Nothing else of a job may become public.

import type { StatusPageSettings } from "../../domain/settings/status-page-settings.ts";
import { targetMatcherOf } from "../../domain/settings/targets.ts";
import { DAY, type Instant } from "../../domain/time.ts";
import { CAUSES, troublesInWords } from "../../domain/wording/causes.ts";
import { tallyOf } from "../../domain/wording/results.ts";
import { counted } from "../../domain/wording/spoken-time.ts";
import type { LookBack, PastMonitor } from "../../views/look-back.ts";
import type { DayResult, PastDay } from "../../views/past-days.ts";
import type { Tone } from "../assets/assets.ts";
import { healthOf } from "../overview/model.ts";
import { nameOnPage, pageLine } from "../shown.ts";

export const DAYS_SHOWN = 90;
export const JOBS_SHOWN = 100;
const INCIDENTS_SHOWN = 30;

export type PublicJob = Readonly<ReturnType<typeof jobOf>>;

/**
 * Which share of a job's runs went well, from 0 to 1. For a job with an interval (R44) it is a share of days, because
 * an interval has no fixed slots.
 */
export type Share = Readonly<{ of: "runs" | "days"; well: number }>;

export type PublicStatus = Readonly<ReturnType<typeof statusPageView>>;

export function statusPageView({ title, messages }: StatusPageSettings, past: LookBack) {
  const { now, timezone, monitors } = past;
  const jobs = monitors.map((monitor) => jobOf(monitor, now)).sort(byHealth);
  const incidents = monitors.flatMap(({ monitor, incidents }) =>
    incidents.map((incident) => incidentOf(nameOnPage(monitor), incident, messages)),
  );
  const newest = incidents.sort(
    (a, b) => Number(a.closedAt !== null) - Number(b.closedAt !== null) || b.openedAt - a.openedAt,
  );
  return {
    title: pageLine(title ?? past.name),
    now,
    timezone,
    summary: statusSummary(jobs),
    maintenances: past.maintenances.flatMap((one) => maintenanceOf(one, past, messages)).slice(0, MAINTENANCE_NAMED),
    jobs,
    moreJobs: past.more,
    /** The incidents on the page: open ones first, then closed ones; in both groups, the newest first. */
    incidents: newest.slice(0, INCIDENTS_SHOWN),
    moreIncidents: Math.max(0, newest.length - INCIDENTS_SHOWN),
  };
}

const AHEAD = 7 * DAY;
const MAINTENANCE_NAMED = 10;

/**
 * Returns the maintenance in a list if it lasts now or begins within 7 days, and concerns a job of the page. Otherwise
 * the list is empty. `why` is the reason for the maintenance; `null` when there is none, or when the page does not
 * quote what people wrote.
 */
function maintenanceOf(
  { monitors, next, reason }: LookBack["maintenances"][number],
  past: LookBack,
  isQuoted: boolean,
) {
  const reaches = targetMatcherOf(monitors);
  const names = past.monitors.flatMap(({ monitor }) =>
    reaches(monitor.key, monitor.labels) ? nameOnPage(monitor) : [],
  );
  if (next === null || next.from > past.now + AHEAD || names.length === 0) return [];
  const whose = names.length === past.monitors.length ? "all jobs" : names.join(", ");
  return [{ whose, from: next.from > past.now ? next.from : null, until: next.until, why: isQuoted ? reason : null }];
}

function jobOf(past: PastMonitor, now: Instant) {
  const { monitor, days } = past;
  return {
    /** The key, from which the address of the job's badge is made. The page does not show it. */
    key: monitor.key,
    name: nameOnPage(monitor),
    health: publicHealth(past, now),
    /** The last days of the job, the oldest first. */
    days,
    tally: tallyOf(days.map(({ result }) => result)),
    share: shareOf(days),
  };
}

/**
 * The share of slots that went well, or for an interval (R44) the share of days. Slots and days whose reports rollcall
 * could not receive are not counted. Returns `null` when nothing was expected.
 */
function shareOf(days: readonly PastDay[]): Share | null {
  const isInterval = days.some(({ expected }) => expected === null);
  if (isInterval) {
    const count = (...results: DayResult[]): number => days.filter((day) => results.includes(day.result)).length;
    const heard = count("succeeded", "missed", "failed");
    return heard === 0 ? null : { of: "days", well: count("succeeded") / heard };
  }
  const sum = (of: (day: PastDay) => number): number =>
    days.reduce((total, day) => (day.result === "unread" ? total : total + of(day)), 0);
  const bad = sum(({ missed, failed }) => missed + failed);
  // A run may fail when none was expected. So if a day has more missed and failed runs than expected runs, the number
  // of missed and failed runs counts as the number of expected runs.
  const heard = sum(({ expected, missed, failed, unknown }) => Math.max((expected ?? 0) - unknown, missed + failed));
  return heard === 0 ? null : { of: "runs", well: 1 - bad / heard };
}

const NAMES = new Intl.Collator("en", { numeric: true });

const byHealth = (a: PublicJob, b: PublicJob): number =>
  Number(b.health === "failing") - Number(a.health === "failing") || NAMES.compare(a.name, b.name);

// Tells an incident to the public. The words name no time, because the page shows the times beside them. They quote
// what the job wrote only when the page is set to do so.

type StatusIncident = PastMonitor["incidents"][number];

export type PublicIncident = Readonly<ReturnType<typeof incidentOf>>;

function incidentOf(job: string, incident: StatusIncident, isQuoted: boolean) {
  const { openedAt, closedAt, message, causes } = incident;
  return {
    job,
    /** The troubles in words: `Missed, also failed`. */
    head: troublesInWords(incident),
    story: causes.map((cause) => causeSentence(cause, incident)).join(" "),
    openedAt,
    closedAt,
    /** The message that the job sent; `null` when the job sent none, or when the page does not quote messages. */
    quote: (isQuoted && message !== null && pageLine(message)) || null,
  };
}

function causeSentence(cause: StatusIncident["causes"][number], { opening, missedSlots }: StatusIncident): string {
  if (cause === "missed" && opening === "NeverExecuted") return "It had never reported.";
  const missed = cause === "missed" && missedSlots > 1 ? `: ${counted(missedSlots, "run")} did not come` : "";
  return `It ${CAUSES[cause].did}${missed}.`;
}

// Names the state of a job, or of a whole application, in the words of a status page. Those words are plainer than the
// words of other pages, because readers of a status page know neither rollcall nor the jobs.

export const STANDINGS = ["failing", "late", "warning", "unknown", "waiting", "well", "paused"] as const;

export type PublicHealth = (typeof STANDINGS)[number];

export const TONES: Readonly<Record<PublicHealth, Tone>> = {
  failing: "bad",
  late: "late",
  warning: "late",
  unknown: "quiet",
  waiting: "quiet",
  well: "well",
  paused: "quiet",
};

const PUBLIC: Readonly<Record<ReturnType<typeof healthOf>, PublicHealth>> = {
  critical: "failing",
  late: "late",
  warning: "warning",
  unknown: "unknown",
  pending: "waiting",
  healthy: "well",
  running: "well",
  paused: "paused",
};

function publicHealth({ monitor, unheard }: PastMonitor, now: Instant): PublicHealth {
  const health = healthOf(monitor, now);
  return health === "warning" && unheard ? "unknown" : PUBLIC[health];
}

export interface Summary {
  readonly health: PublicHealth;
  /** The state in a sentence: `2 of 12 jobs are failing.` */
  readonly sentence: string;
  /** The state in two words: `2 failing`. */
  readonly short: string;
}

/**
 * Summarizes the jobs of a page: the worst state is told. If all jobs that are not paused are well, the page is called
 * well.
 */
function statusSummary(jobs: readonly { readonly health: PublicHealth }[]): Summary {
  const health = STANDINGS.find((one) => jobs.some((job) => job.health === one));
  if (health === undefined) return { health: "unknown", sentence: "There is no job here yet.", short: "no jobs" };
  const count = jobs.filter((job) => job.health === health).length;
  const isAll = count === jobs.length;
  const calm = jobs.filter((job) => job.health === "well" || job.health === "paused").length === jobs.length;
  if (calm && health === "well")
    return { health, sentence: isAll ? allAre(count, "well") : "All watched jobs are well.", short: "well" };
  if (isAll) return { health, sentence: allAre(count, SAID[health]), short: health };
  const some = `${count} of ${counted(jobs.length, "job")} ${count === 1 ? "is" : "are"} ${SAID[health]}.`;
  return { health, sentence: some, short: `${count} ${health}` };
}

const SAID: Readonly<Record<PublicHealth, string>> = {
  failing: "failing",
  late: "late",
  warning: "in doubt",
  unknown: "unknown, because rollcall could not hear",
  waiting: "waiting for the first report",
  well: "well",
  paused: "paused",
};

const allAre = (count: number, said: string): string =>
  count === 1 ? `The job is ${said}.` : `All ${count} jobs are ${said}.`;
