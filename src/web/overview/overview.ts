// Decides what the overview shows and in which order: the sentence, what needs attention, and one page of jobs in their
// groups. The templates decide how they look.

import { type InPieces, type Made, piecesOf, sortedInPieces } from "../../domain/in-pieces.ts";
import { FEWEST, silentTogether } from "../../domain/monitor/silent-together.ts";
import type { Instant } from "../../domain/time.ts";
import type { WordedPart } from "../../domain/wording/now.ts";
import type { Engine } from "../../engine/engine.ts";
import type { BoardMonitor } from "../../views/board.ts";
import type { RecentRun } from "../../views/recent-runs.ts";
import type { AttendedIncident } from "../../views/schemas/incident-schemas.ts";
import { smallDay } from "../day/day.ts";
import { troublesFor } from "../health/troubles.ts";
import { type NotifiedAddress, notifiedAddressesOf } from "../parts/notified-line.tsx";
import { type ToldApart, tellingNamesakesApart } from "../shown.ts";
import { type Viewer, viewerMaySee } from "../viewer.ts";
import {
  filterPartOfJob,
  findsJob,
  type Headline,
  healthOf,
  isSlower,
  type JobGroup,
  type OverviewQuery,
  rankOf,
  type ShownJob,
} from "./model.ts";
import { overviewHeadlineOf } from "./saying.ts";

const JOBS_ON_A_PAGE = 100;
/**
 * How many incidents of each kind (fell silent together, other trouble, acknowledged) are shown. With so few, the list
 * of jobs begins on the first screen of a desktop computer.
 */
const NEEDS_SHOWN = 8;
/** The last runs of this many jobs are read before other work may go on. */
const READ_AT_ONCE = 10;

/** How many jobs are counted before other work may go on. */
const COUNTED_AT_ONCE = 500;

type Finds = (job: BoardMonitor) => boolean;

/**
 * Reads all jobs that the viewer may see, those among them that `isFound` accepts, and the open incidents. Before the
 * call, the caller must have awaited `catchUp` (`PagesParts`), which brings the board up to date.
 */
function* readJobs(engine: Engine, viewer: Viewer, isFound: Finds) {
  const { now } = engine.views.viewContext();
  const matching: BoardMonitor[] = [];
  /** `warned` counts the jobs of the part `late` that are not overdue: those with a warning or an unknown slot. */
  const counts = { all: 0, trouble: 0, taken: 0, late: 0, waiting: 0, well: 0, paused: 0, slow: 0, warned: 0 };
  const all = yield* engine.views.board.monitors(now, ({ application }) => viewerMaySee(viewer, application));
  const paused = new Set(all.filter(({ status }) => status === "paused").map(applicationAndKey));
  const { needing: open } = yield* engine.views.openIncidents(viewer.applications, (job) =>
    paused.has(applicationAndKey(job)),
  );
  for (const piece of piecesOf(all, COUNTED_AT_ONCE)) {
    for (const monitor of piece) {
      const part = filterPartOfJob(monitor, now);
      if (part === "late" && healthOf(monitor, now) !== "late") counts.warned++;
      counts.all++;
      counts[part]++;
      if (isSlower(monitor)) counts.slow++;
      if (isFound(monitor)) matching.push(monitor);
    }
    yield;
  }
  const troubles = troublesFor(engine, viewer);
  return { all, matching, counts, open, troubles, saying: overviewHeadlineOf({ counts, open, troubles, viewer }) };
}

/**
 * Returns what the headline says of all jobs; browsers show this in the title and the icon of their tabs. Each step may
 * throw SQLite's errors.
 */
export function* overviewStanding(engine: Engine, viewer: Viewer): InPieces<ReturnType<typeof overviewHeadlineOf>> {
  return (yield* readJobs(engine, viewer, () => false)).saying;
}

export type Overview = Made<typeof overviewOf>;

/**
 * Returns what the overview shows for a query, as data. Before the call, the caller must have awaited `catchUp`
 * (`PagesParts`), which brings the board up to date. Each step may throw SQLite's errors.
 */
export function* overviewOf(engine: Engine, viewer: Viewer, query: OverviewQuery, zone: string) {
  const { now, timezone, onlyApplication } = engine.views.viewContext();
  const seen = yield* readJobs(engine, viewer, finding(query, now));
  const { all, counts, open, troubles } = seen;
  const found = yield* sortedInPieces(seen.matching, comparing(query, now));
  const pages = Math.max(1, Math.ceil(found.length / JOBS_ON_A_PAGE));
  const page = Math.min(query.page, pages);
  const shown = found.slice((page - 1) * JOBS_ON_A_PAGE, page * JOBS_ON_A_PAGE);
  yield;
  const needing = foundAmong(open, all, query.find, now);
  const { together, alone, taken } = sortedNeeds(engine, needing, all);
  const named = [together?.incidents ?? [], alone, taken].flatMap((incidents) => incidents.slice(0, NEEDS_SHOWN));
  const apart = tellingNamesakesApart([...named, ...shown], all);
  const needs = needsOf(engine, named, all, apart);
  const needsAmong = (incidents: readonly AttendedIncident[]): Needs => ({
    incidents,
    shown: incidents.flatMap(({ id }) => needs.get(id) ?? []),
  });
  yield;
  const groups = yield* groupsOf(engine, { found, shown, query, apart, now });
  const isCalm = all.length > 0 && seen.saying.needs === 0 && !seen.saying.isOwn && needing.length === 0;
  const maintenances = engine.views.maintenances({ applications: viewer.applications, since: now, limit: 0 });
  return {
    now,
    /** The server's time zone. */
    timezone,
    maintenances: maintenances.filter(({ state }) => state === "now"),
    query: { ...query, page },
    headline: {
      ...seen.saying,
      quietSince: seen.saying.tone === "well" ? quietSince(engine, viewer) : null,
      next: nextOf(all),
    } satisfies Headline,
    /**
     * The jobs that fell silent together, at about the same time and most likely for one cause; `null` when none did.
     * `unnotified` counts those of their incidents about which no one was notified.
     */
    together: together && {
      ...together,
      ...needsAmong(together.incidents),
      unnotified: together.incidents.filter(({ attention }) => attention === "unnotified").length,
    },
    alone: needsAmong(alone),
    taken: needsAmong(taken),
    /**
     * A small day page of all jobs. `null` when there are no jobs, when something needs attention or is acknowledged,
     * or when the page shows only some jobs.
     */
    day: isCalm && query.find === "" && query.show === "all" ? yield* smallDay(engine, all, zone) : null,
    /** Sentences about what keeps rollcall itself from its work, and about destinations that take no messages. */
    troubles,
    counts,
    groups,
    found: found.length,
    pages,
    onlyApplication,
  };
}

const applicationAndKey = ({ application, key }: Pick<BoardMonitor, "application" | "key">): string =>
  `${application}/${key}`;

function finding({ find, show }: OverviewQuery, now: Instant): Finds {
  const finds = findsJob(find, now);
  return (job) =>
    (show === "all" || filterPartOfJob(job, now) === show || (show === "slow" && isSlower(job))) && finds(job);
}

function foundAmong(open: readonly AttendedIncident[], all: readonly BoardMonitor[], find: string, now: Instant) {
  const finds = findsJob(find, now);
  const found = new Set(all.filter(finds).map(applicationAndKey));
  return find === "" ? open : open.filter((incident) => found.has(applicationAndKey(incident)));
}

const groupOf = (job: BoardMonitor, { group }: OverviewQuery): string => job[group] ?? "";

/**
 * Compares two jobs by group, then by the chosen order. Jobs that compare as equal keep the order in which they were
 * read, by name.
 */
function comparing(query: OverviewQuery, now: Instant): (a: BoardMonitor, b: BoardMonitor) => number {
  const rank = (job: BoardMonitor): number => rankOf(healthOf(job, now));
  const within = (a: BoardMonitor, b: BoardMonitor): number => {
    switch (query.sort) {
      case "trouble":
        return rank(a) - rank(b);
      case "name":
        return 0;
      case "last":
        return (b.lastPingAt ?? 0) - (a.lastPingAt ?? 0);
      case "next":
        return (a.lateSince ?? a.nextAt ?? Number.MAX_VALUE) - (b.lateSince ?? b.nextAt ?? Number.MAX_VALUE);
      case "length":
        return (b.length?.usualMs ?? 0) - (a.length?.usualMs ?? 0);
    }
  };
  return (a, b) => {
    const groupA = groupOf(a, query);
    const groupB = groupOf(b, query);
    if (groupA !== groupB) return groupA < groupB ? -1 : 1;
    return within(a, b);
  };
}

interface FoundJobs {
  readonly found: readonly BoardMonitor[];
  readonly shown: readonly BoardMonitor[];
  readonly query: OverviewQuery;
  readonly apart: ReturnType<typeof tellingNamesakesApart>;
  readonly now: Instant;
}

function* groupsOf(engine: Engine, { found, shown, query, apart, now }: FoundJobs): InPieces<JobGroup[]> {
  const totals = new Map<string, number>();
  for (const job of found) {
    const name = groupOf(job, query);
    totals.set(name, (totals.get(name) ?? 0) + 1);
  }
  const made = new Map<number, ShownJob>();
  for (const piece of piecesOf(shown, READ_AT_ONCE)) {
    const runs = engine.views.board.recentRuns(piece.map(({ id }) => id));
    const jobs = piece.map((job) => ({ job, recent: runs.get(job.id) ?? [] }));
    const lately = engine.views.troubledLately(piece.map(({ id }) => id));
    yield;
    // Only the rows of jobs that are not healthy, or came into trouble lately, get a sentence. A healthy job's row
    // needs none, and most jobs are healthy.
    const troubled = jobs.filter(({ job, recent }) => lately.has(job.id) || rowHealth(job, recent, now) !== "healthy");
    const sentences = troubled.length === 0 ? null : engine.views.sentencesNow(troubled.map(({ job }) => job.id));
    for (const { job, recent } of jobs)
      made.set(job.id, {
        ...job,
        runs: recent,
        health: rowHealth(job, recent, now),
        sentence: sentences?.get(job.id) ?? [],
        apart: apart(job),
        lately: lately.get(job.id) ?? null,
      });
    yield;
  }
  return [...Map.groupBy(shown, (job) => groupOf(job, query))].map(([name, jobs]) => ({
    name,
    total: totals.get(name)!,
    jobs: jobs.map(({ id }) => made.get(id)!),
  }));
}

/** The state that a row shows. A run that has not ended is shown only when the job is healthy. */
function rowHealth(job: BoardMonitor, recent: readonly RecentRun[], now: Instant): ShownJob["health"] {
  const isRunning = recent.at(-1)?.result === "running" && job.status === "healthy";
  return isRunning ? "running" : healthOf(job, now);
}

// Collects what needs attention: each open incident with what its job is doing now, and who was told of the incident.

export interface Need {
  readonly incident: AttendedIncident;
  readonly apart: ToldApart;
  /** The zone of the job's schedule. */
  readonly timezone: string;
  /** A sentence about what the job is doing now. */
  readonly sentence: readonly WordedPart[];
  readonly notified: readonly NotifiedAddress[];
}

/**
 * Open incidents of one kind (fell silent together, other trouble, or acknowledged), the worst and oldest first.
 * `incidents` has all of them, `shown` those on the page.
 */
export interface Needs {
  readonly incidents: readonly AttendedIncident[];
  readonly shown: readonly Need[];
}

/** Collects what the page says about each of these open incidents, by the incident's number. */
function needsOf(
  engine: Engine,
  open: readonly AttendedIncident[],
  jobs: readonly BoardMonitor[],
  apart: ReturnType<typeof tellingNamesakesApart>,
): ReadonlyMap<number, Need> {
  const needs = new Map<number, Need>();
  const names = new Set(open.map(applicationAndKey));
  const theirs = new Map(
    jobs.flatMap((job) => (names.has(applicationAndKey(job)) ? [[applicationAndKey(job), job] as const] : [])),
  );
  const sentences = engine.views.sentencesNow([...theirs.values()].map(({ id }) => id));
  const notified = engine.views.notified(open.map(({ id }) => id));
  for (const incident of open) {
    const job = theirs.get(applicationAndKey(incident));
    if (job === undefined) continue;
    needs.set(incident.id, {
      incident,
      apart: apart(incident),
      timezone: job.timezone,
      sentence: sentences.get(job.id) ?? [],
      notified: notifiedAddressesOf(notified.get(incident.id) ?? []),
    });
  }
  return needs;
}

function quietSince({ views }: Engine, { applications }: Viewer): Instant | null {
  const asked = { applications, state: "closed", before: Number.MAX_SAFE_INTEGER, limit: 1 } as const;
  return views.incidents(asked).incidents[0]?.closedAt ?? null;
}

function nextOf(jobs: readonly BoardMonitor[]): Headline["next"] {
  let next: Headline["next"] = null;
  for (const { application, key, name, timezone, nextAt } of jobs) {
    if (nextAt === null) continue;
    if (next === null || nextAt < next.at) next = { application, key, name, timezone, at: nextAt };
  }
  return next;
}

/**
 * Sorts open incidents into three kinds: those of jobs that fell silent together, other trouble, and acknowledged
 * trouble.
 */
function sortedNeeds(engine: Engine, needing: readonly AttendedIncident[], jobs: readonly BoardMonitor[]) {
  const taken = needing.filter(({ attention }) => attention === "taken");
  const untaken = needing.filter(({ attention }) => attention !== "taken");
  const together = togetherOf(engine, untaken, jobs);
  const members = new Set(together?.incidents);
  return { together, alone: untaken.filter((incident) => !members.has(incident)), taken };
}

/** The incidents of jobs that fell silent together, and what these jobs have in common; `null` when none did. */
function togetherOf({ views }: Engine, untaken: readonly AttendedIncident[], jobs: readonly BoardMonitor[]) {
  // Only incidents that began with a miss count. An incident that began with a failure opened at that failure, so its
  // time does not say when the job fell silent.
  const missed = untaken.filter(({ causes }) => causes[0] === "missed");
  // Nearly always there are too few of these incidents, and then the names and senders of many jobs need not be read.
  if (missed.length < FEWEST) return null;
  const byName = new Map(jobs.map((job) => [applicationAndKey(job), job]));
  const silent = missed.flatMap((incident) => {
    const job = byName.get(applicationAndKey(incident));
    return job === undefined ? [] : [{ job, incident }];
  });
  const addresses = views.addresses(silent.map(({ job }) => job.id));
  const found = silentTogether(
    silent.map(({ job: { id, source, application }, incident }) => {
      const address = addresses.get(id) ?? null;
      return {
        incident,
        openedAt: incident.openedAt,
        source,
        application,
        // The address from which the job last reported. An address of this machine counts as none, because it is a
        // proxy's, and all jobs behind the proxy share it.
        address: address !== null && isThisMachine(address) ? null : address,
      };
    }),
  );
  if (found === null) return null;
  const { members, ...together } = found;
  const theirs = new Set(members.map(({ incident }) => incident));
  return { ...together, incidents: untaken.filter((incident) => theirs.has(incident)) };
}

const isThisMachine = (address: string): boolean => /^(?:127\.|::1$|::ffff:127\.)/.test(address);
