// What revoking a key would mean, for the page that asks before it is done. rollcall remembers with which key each job
// reported last, and claims no more.

import { isRefusal } from "../../domain/errors.ts";
import type { Engine } from "../../engine/engine.ts";
import type { KeySummary } from "../../views/answers/applications.ts";
import type { MonitorSummary } from "../../views/answers/monitors.ts";
import { asActor, type Viewer } from "../viewer.ts";
import { type Ring, ringsOf } from "./rings.ts";
import { canReport } from "./used.tsx";

const JOBS_NAMED = 20;

export type NamedJob = Pick<MonitorSummary, "application" | "key" | "name">;

export interface Revoking {
  readonly key: KeySummary;
  /** What follows. */
  readonly means: "nothing_seen" | "syncs_stop" | "all_reports_stop" | "some_reports_may_stop";
  /** How many other keys of the application jobs can report with. */
  readonly others: number;
  /** How many old addresses it has at which jobs can report, at most as many as the page of keys shows. */
  readonly addresses: number;
  /**
   * How many jobs that concerns: all of the application, or those that reported with it last; and the first of them.
   */
  readonly jobs: number;
  readonly named: readonly NamedJob[];
}

/** Null: there is no such key that works and that the viewer may see. Throws what SQLite throws. */
export function revokingOf(engine: Engine, viewer: Viewer, id: number): Revoking | null {
  const ring = ringsOf(engine, viewer).find(({ live }) => live.some((one) => one.id === id));
  const key = ring?.live.find((one) => one.id === id);
  if (ring === undefined || key === undefined) return null;
  const others = ring.live.filter((one) => one.id !== id && canReport(one.scope)).length;
  const addresses = ring.addresses.length;
  const means = meaningOf(key, others + addresses);
  return { key, means, others, addresses, ...concerned(engine, viewer, ring, means, id) };
}

function concerned(
  engine: Engine,
  viewer: Viewer,
  { slug, monitors }: Ring,
  means: Revoking["means"],
  id: number,
): Pick<Revoking, "jobs" | "named"> {
  switch (means) {
    case "nothing_seen":
    case "syncs_stop":
      return { jobs: monitors, named: [] };
    case "all_reports_stop":
      return { jobs: monitors, named: jobsOf(engine, slug) };
    case "some_reports_may_stop":
      return usersOf(engine, viewer, slug, id);
    default:
      return means satisfies never;
  }
}

/** The jobs that reported with it last. */
export function usersOf(engine: Engine, viewer: Viewer, application: string, id: number) {
  const shown = engine.as(asActor(viewer)).operate("key show", { id });
  if (isRefusal(shown)) return { jobs: 0, named: [] };
  return { jobs: shown.monitors, named: shown.monitorKeys.map((key) => ({ application, key, name: key })) };
}

function meaningOf({ lastUsedAt, scope }: KeySummary, others: number): Revoking["means"] {
  if (lastUsedAt === null) return "nothing_seen";
  if (!canReport(scope)) return "syncs_stop";
  return others === 0 ? "all_reports_stop" : "some_reports_may_stop";
}

/** The first page alone is read. */
function jobsOf(engine: Engine, application: string): NamedJob[] {
  const first = engine.as("host").ask("monitor list", { application }).next().value;
  return first === undefined || isRefusal(first) ? [] : first.monitors.slice(0, JOBS_NAMED);
}
