// What needs somebody now, over all applications or one: a screen for people, and an exit code for scripts. Changes nothing.

import { isRefusal, type Refusal } from "../../domain/errors.ts";
import { STATUSES } from "../../domain/monitor/monitor.ts";
import type { Instant } from "../../domain/time.ts";
import type { EngineContext } from "../context.ts";
import type { MonitorSummary } from "../operations/answers/monitors.ts";
import type { StatusSummary } from "../operations/answers/status.ts";
import { unheardOf } from "../telling/reach.ts";
import type { InStretches } from "./in-stretches.ts";
import { listIncidents } from "./look-incidents.ts";
import { pagesOfMonitors } from "./monitor-pages.ts";

/** More would not fit on a screen. */
const NAMED = 20;

type StatusContext = EngineContext & { readonly ownTroubles: () => string[] };

export function statusOfAll(
  context: StatusContext,
  { application }: { readonly application: string | null },
  now: Instant,
): InStretches<StatusSummary> | Refusal {
  const pages = pagesOfMonitors(context, { application, status: null }, now);
  const newest = { monitor: null, sinceSeconds: null, before: Number.MAX_SAFE_INTEGER, limit: NAMED };
  const open = listIncidents(context, { application, open: true, ...newest }, now);
  if (isRefusal(pages)) return pages;
  return isRefusal(open) ? open : read(context, application, pages, open);
}

function* read(
  { store, policy, failing, ownTroubles }: StatusContext,
  application: string | null,
  pages: Exclude<ReturnType<typeof pagesOfMonitors>, Refusal>,
  open: Exclude<ReturnType<typeof listIncidents>, Refusal>,
): InStretches<StatusSummary> {
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<MonitorSummary["status"], number>;
  const warnings: MonitorSummary[] = [];
  let unreadable = 0;
  for (const page of pages) {
    yield;
    unreadable += page.unreadable.length;
    for (const monitor of page.monitors) {
      counts[monitor.status]++;
      if (monitor.status === "warning" && warnings.length < NAMED) warnings.push(monitor);
    }
  }
  const { incidents, more } = yield* open;
  const applications = store.applications.list().filter(({ slug }) => (application ?? slug) === slug);
  return {
    troubles: ownTroubles(),
    counts,
    incidents,
    moreIncidents: more,
    warnings,
    unreadable,
    failing: [...failing()].map(([destination, { answer, since }]) => ({ destination, answer, since })),
    // Destinations that take nothing are named above.
    unheard: unheardOf(policy, new Map(), applications.filter(isActive), "operator"),
    suspended: applications.filter((one) => !isActive(one)).map(({ slug }) => slug),
  };
}

const isActive = ({ suspendedAt }: { readonly suspendedAt: Instant | null }): boolean => suspendedAt === null;
