// What revoking a key would mean, for the page that asks before it is done. rollcall does not record which job reports with
// which key, so it names the jobs that may, and claims no more.

import { isRefusal } from "../../domain/errors.ts";
import type { KeySummary } from "../../engine/operations/answers/applications.ts";
import type { MonitorList, MonitorSummary } from "../../engine/operations/answers/monitors.ts";
import type { Engine } from "../../engine/parts.ts";
import type { Viewer } from "../viewer.ts";
import { ringsOf } from "./rings.ts";
import { canReport } from "./scope.ts";

const JOBS_NAMED = 20;

export type NamedJob = Pick<MonitorSummary, "application" | "key" | "name">;

export interface Revoking {
  readonly key: KeySummary;
  /** What follows. */
  readonly means: "nothing_seen" | "syncs_stop" | "all_reports_stop" | "some_reports_may_stop";
  /** How many other keys of the application jobs can report with. */
  readonly others: number;
  /** How many jobs the application has, and the first of them. */
  readonly jobs: number;
  readonly named: readonly NamedJob[];
}

/** Null: there is no such key that works and that the viewer may see. Throws what SQLite throws. */
export function revokingOf(engine: Engine, viewer: Viewer, id: number): Revoking | null {
  const ring = ringsOf(engine, viewer).find(({ live }) => live.some((one) => one.id === id));
  const key = ring?.live.find((one) => one.id === id);
  if (ring === undefined || key === undefined) return null;
  const others = ring.live.filter((one) => one.id !== id && canReport(one.scope)).length;
  const means = meaningOf(key, others);
  const named = means === "nothing_seen" || means === "syncs_stop" ? [] : jobsOf(engine, ring.slug);
  return { key, means, others, jobs: ring.monitors, named };
}

function meaningOf({ lastUsedAt, scope }: KeySummary, others: number): Revoking["means"] {
  if (lastUsedAt === null) return "nothing_seen";
  if (!canReport(scope)) return "syncs_stop";
  return others === 0 ? "all_reports_stop" : "some_reports_may_stop";
}

/** The first page alone is read. */
function jobsOf(engine: Engine, application: string): NamedJob[] {
  const pages = engine.operateByPages("monitor list", { application });
  if (pages === null || isRefusal(pages)) return [];
  const [first] = pages.take(1) as Iterable<Pick<MonitorList, "monitors">>;
  return (first?.monitors ?? []).slice(0, JOBS_NAMED);
}
