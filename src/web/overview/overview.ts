// Decides what the overview shows and in which order: the sentence, what needs somebody, and one page of jobs in their
// groups. The templates decide how.

import { isRefusal } from "../../domain/errors.ts";
import type { Instant } from "../../domain/time.ts";
import type { IncidentSummary } from "../../engine/operations/answers/incidents.ts";
import type { Engine } from "../../engine/parts.ts";
import type { BoardMonitor } from "../../engine/reads/board.ts";
import { type InStretches, piecesOf, sortedInStretches } from "../../engine/reads/in-stretches.ts";
import type { RecentRun } from "../../engine/reads/recent-runs.ts";
import { namesakesOf } from "../shown.ts";
import { maySee, type Viewer } from "../viewer.ts";
import { headlineOf } from "./headline.ts";
import type { JobGroup, Overview } from "./model.ts";
import { needsOf } from "./needs.ts";
import type { OverviewQuery } from "./query.ts";
import { partOf, rankOf, standingOf } from "./standing.ts";

const JOBS_ON_A_PAGE = 100;
const NEEDS_SHOWN = 12;
const OPEN_READ = 1_000;
/** Jobs that are looked at in one stretch. */
const LOOKED_AT_ONCE = 500;
/** Jobs whose last runs are read in one stretch. */
const READ_AT_ONCE = 10;

/** The board must have caught up. A stretch throws what SQLite throws. */
export function* overviewOf(engine: Engine, viewer: Viewer, query: OverviewQuery): InStretches<Overview> {
  const { now, onlyApplication } = engine.bearings();
  const all: BoardMonitor[] = [];
  const matching: BoardMonitor[] = [];
  const counts = { all: 0, trouble: 0, late: 0, waiting: 0, well: 0, paused: 0 };
  const isFound = finding(query);
  for (const piece of piecesOf(yield* engine.board.monitors(now), LOOKED_AT_ONCE)) {
    for (const monitor of piece) {
      if (!maySee(viewer, monitor.application)) continue;
      const part = partOf(standingOf(monitor, now));
      all.push(monitor);
      counts.all++;
      counts[part]++;
      if (isFound(monitor, part)) matching.push(monitor);
    }
    yield;
  }
  const found = yield* sortedInStretches(matching, comparing(query, now));
  const pages = Math.max(1, Math.ceil(found.length / JOBS_ON_A_PAGE));
  const page = Math.min(query.page, pages);
  const shown = found.slice((page - 1) * JOBS_ON_A_PAGE, page * JOBS_ON_A_PAGE);
  yield;
  const open = openIncidents(engine, viewer, all);
  const urgent = open.slice(0, NEEDS_SHOWN);
  const namesakes = namesakesOf([...urgent, ...shown], all);
  const needs = needsOf(engine, urgent, all, namesakes);
  yield;
  const groups = yield* groupsOf(engine, { found, shown, query, namesakes, now });
  return {
    now,
    query: { ...query, page },
    headline: headlineOf(all, counts, now),
    needs,
    moreNeeds: Math.max(0, open.length - NEEDS_SHOWN),
    troubles: engine.troubles(viewer.applications === null ? "operator" : "anyone"),
    counts,
    groups,
    found: found.length,
    pages,
    onlyApplication,
  };
}

/** Those of jobs that somebody has paused need nobody, as the sentence on top says (R18). */
function openIncidents(engine: Engine, viewer: Viewer, jobs: readonly BoardMonitor[]): IncidentSummary[] {
  const listed = engine.operate("incident list", { open: true, limit: OPEN_READ });
  if (isRefusal(listed) || listed.incidents.length === 0) return [];
  const paused = new Set(jobs.filter(({ status }) => status === "paused").map(nameOf));
  return listed.incidents.filter((one) => maySee(viewer, one.application) && !paused.has(nameOf(one)));
}

const nameOf = ({ application, key }: Pick<BoardMonitor, "application" | "key">): string => `${application}/${key}`;

function finding({ find, show }: OverviewQuery): (job: BoardMonitor, part: ReturnType<typeof partOf>) => boolean {
  const wanted = find.toLowerCase();
  return ({ name, key }, part) =>
    (show === "all" || part === show) &&
    (wanted === "" || name.toLowerCase().includes(wanted) || key.toLowerCase().includes(wanted));
}

const groupOf = (job: BoardMonitor, { group }: OverviewQuery): string => job[group] ?? "";

const NAMES = new Intl.Collator("en", { numeric: true });

function comparing(query: OverviewQuery, now: Instant): (a: BoardMonitor, b: BoardMonitor) => number {
  const rank = (job: BoardMonitor): number => rankOf(standingOf(job, now));
  const byName = (a: BoardMonitor, b: BoardMonitor): number => NAMES.compare(a.name, b.name) || a.id - b.id;
  const within = (a: BoardMonitor, b: BoardMonitor): number => {
    switch (query.sort) {
      case "trouble":
        return rank(a) - rank(b);
      case "name":
        return 0;
      case "last":
        return (b.lastPingAt ?? 0) - (a.lastPingAt ?? 0);
      case "next":
        return (a.expectedAt ?? Number.MAX_VALUE) - (b.expectedAt ?? Number.MAX_VALUE);
    }
  };
  return (a, b) => {
    const groupA = groupOf(a, query);
    const groupB = groupOf(b, query);
    if (groupA !== groupB) return groupA < groupB ? -1 : 1;
    return within(a, b) || byName(a, b);
  };
}

interface Found {
  readonly found: readonly BoardMonitor[];
  /** Those of the page that is asked for. */
  readonly shown: readonly BoardMonitor[];
  readonly query: OverviewQuery;
  readonly namesakes: ReadonlySet<string>;
  readonly now: Instant;
}

function* groupsOf(engine: Engine, { found, shown, query, namesakes, now }: Found): InStretches<JobGroup[]> {
  const totals = new Map<string, number>();
  for (const job of found) {
    const name = groupOf(job, query);
    totals.set(name, (totals.get(name) ?? 0) + 1);
  }
  const runs = new Map<number, readonly RecentRun[]>();
  for (let place = 0; place < shown.length; place += READ_AT_ONCE) {
    const ids = shown.slice(place, place + READ_AT_ONCE).map(({ id }) => id);
    for (const [id, found] of engine.board.recentRuns(ids)) runs.set(id, found);
    yield;
  }
  return [...Map.groupBy(shown, (job) => groupOf(job, query))].map(([name, jobs]) => ({
    name,
    total: totals.get(name)!,
    jobs: jobs.map((job) => {
      const recent = runs.get(job.id) ?? [];
      const isRunning = recent.at(-1)?.became === "running" && job.status === "healthy";
      const standing = isRunning ? "running" : standingOf(job, now);
      return { ...job, runs: recent, standing, hasNamesake: namesakes.has(job.name) };
    }),
  }));
}
