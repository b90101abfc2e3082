// What needs attention now, over all applications or one: a screen for people, and an exit code for scripts. Changes
// nothing.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import type { InPieces } from "../domain/in-pieces.ts";
import { isLaterThanUsual, STATUSES, statusOf } from "../domain/monitor/monitor.ts";
import { unheardOf } from "../domain/settings/reach.ts";
import type { Instant } from "../domain/time.ts";
import type { MonitorOutline } from "../store/monitor-pages.ts";
import type { MonitorSummary } from "./answers/monitors.ts";
import type { StatusSummary } from "./answers/status.ts";
import type { ViewSource } from "./context.ts";
import { findListed, monitorIdOf } from "./find-named.ts";
import { listIncidents } from "./incidents.ts";
import { sentencesNow } from "./jobs-now.ts";
import { summaryOf, throughPlaced } from "./monitor-pages.ts";

/** More would not fit on a screen. */
const NAMED = 20;

type StatusContext = ViewSource & { readonly ownTroubles: () => string[] };

export function statusOfAll(
  context: StatusContext,
  { application }: { readonly application: string | null },
  now: Instant,
): InPieces<StatusSummary> | Refusal {
  const owner = findListed(context, application);
  const newest = { monitor: null, sinceSeconds: null, before: Number.MAX_SAFE_INTEGER, limit: NAMED };
  const open = listIncidents(context, { application, open: true, ...newest }, now);
  if (isRefusal(owner)) return owner;
  return isRefusal(open) ? open : read(context, application, open, now);
}

function* read(
  context: StatusContext,
  application: string | null,
  open: Exclude<ReturnType<typeof listIncidents>, Refusal>,
  now: Instant,
): InPieces<StatusSummary> {
  const { store, policy, failing, ownTroubles } = context;
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<MonitorSummary["status"], number>;
  const warnings: MonitorOutline[] = [];
  let unreadable = 0;
  yield* throughPlaced(store, application, (listed) => {
    const outlines = store.monitorPages.outlines(listed.map(({ id }) => id)).filter(({ readable }) => readable);
    unreadable += listed.length - outlines.length;
    for (const outline of outlines) {
      const status = statusOf(outline, now);
      counts[status]++;
      if (status === "warning" && warnings.length < NAMED && isLaterThanUsual(outline, now)) warnings.push(outline);
    }
  });
  const { incidents, more } = yield* open;
  yield;
  const placed = incidents.map((one) => ({ one, id: monitorIdOf(context, one.application, one.key) }));
  const ids = [...placed.map(({ id }) => id), ...warnings.map(({ id }) => id)].filter((id) => id !== null);
  const sentences = sentencesNow(context, ids, now);
  const sentenceOf = (id: number | null) => [...((id === null ? undefined : sentences.get(id)) ?? [])];
  const applications = store.applications.list().filter(({ slug }) => (application ?? slug) === slug);
  return {
    troubles: ownTroubles(),
    counts,
    incidents: placed.map(({ one, id }) => ({ ...one, now: sentenceOf(id) })),
    moreIncidents: more,
    warnings: warnings.map((outline) => ({ ...summaryOf(policy, outline, now), now: sentenceOf(outline.id) })),
    unreadable,
    failing: [...failing()].map(([destination, { answer, since }]) => ({ destination, answer, since })),
    // Destinations that take nothing are named above.
    unheard: unheardOf(policy, new Map(), applications.filter(isActive), "operator"),
    suspended: applications.filter((one) => !isActive(one)).map(({ slug }) => slug),
  };
}

const isActive = ({ suspendedAt }: { readonly suspendedAt: Instant | null }): boolean => suspendedAt === null;
