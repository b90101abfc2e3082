// Decides what signals (a report, a command, the passing of time) mean for a monitor now. The domain decides; two
// things are added here. A pause by hand goes on while the clock that ends it may be wrong (R26). When a new incident
// opens, the domain decides again, now knowing the monitor's earlier incidents: the new one may continue their series
// (R38).

import { isBehind } from "../domain/clock-set-back.ts";
import type { Monitor } from "../domain/monitor/monitor.ts";
import { FORMER_MAX, type MonitorPast, NO_PAST } from "../domain/monitor/series.ts";
import { type Signal, type Transition, transitions } from "../domain/monitor/transition.ts";
import type { Instant } from "../domain/time.ts";
import type { MonitorRecord } from "../views/completed-monitors.ts";
import type { EngineContext } from "./engine-context.ts";
import { gapsAbout } from "./own-outages/gap-tracker.ts";

type Deciding = Pick<EngineContext, "steady" | "gaps" | "store">;

export function decide(
  context: Deciding,
  { id, monitor }: Pick<MonitorRecord, "id" | "monitor">,
  signals: readonly [Signal, ...Signal[]],
  now: Instant,
): Transition {
  const known = withPauseAskedFor(context, id, monitor, now);
  const decision = decideUnderPauses(context, known, signals, now, NO_PAST);
  const { incidentCount } = decision.monitor;
  if (incidentCount === monitor.incidentCount || incidentCount === 1) return decision;
  // A new incident has opened. Openings are rare, so the earlier incidents are read only now, for a second decision.
  const { incidents, pausesByHand } = context.store;
  const former = incidents.lately(id, monitor.incidentCount, FORMER_MAX);
  return decideUnderPauses(context, known, signals, now, {
    former: former.filter(({ closedAt }) => closedAt !== null),
    askedForQuietAt: pausesByHand.find(id)?.at ?? null,
  });
}

/**
 * Returns the monitor with its pause by hand put back, if a clock that was ahead has ended that pause too early. This
 * is the case when the clock is now behind the monitor's last change, and the end that the person asked for lies ahead.
 * A failure in this time then counts as one during the pause.
 */
function withPauseAskedFor({ store }: Deciding, id: number, monitor: Monitor, now: Instant): Monitor {
  if (monitor.pauses.manual !== null || !isBehind(monitor.changedAt - now)) return monitor;
  const asked = store.pausesByHand.find(id);
  const stands = asked !== null && asked.at <= now && asked.until !== null && asked.until > now;
  return stands ? { ...monitor, pauses: { ...monitor.pauses, manual: { until: asked.until } } } : monitor;
}

function decideUnderPauses(
  context: Deciding,
  monitor: Monitor,
  signals: readonly [Signal, ...Signal[]],
  now: Instant,
  past: MonitorPast,
): Transition {
  const gaps = gapsAbout(context, monitor);
  if (!isPauseHeld(context, monitor, now)) return transitions(monitor, signals, now, gaps, past);
  const manual = { until: null };
  const decision = transitions({ ...monitor, pauses: { ...monitor.pauses, manual } }, signals, now, gaps, past);
  const { pauses } = decision.monitor;
  if (pauses.manual !== manual) return decision;
  return { ...decision, monitor: { ...decision.monitor, pauses: { ...pauses, manual: monitor.pauses.manual } } };
}

/**
 * Whether a pause by hand goes on although its end has passed on the clock. The pause does so while the clock is not
 * believed, because the clock was moved forward within the last ten minutes and is often corrected soon. What happens
 * meanwhile is judged later, each event at its own time.
 */
export function isPauseHeld(
  { steady }: Pick<EngineContext, "steady">,
  { pauses, changedAt }: Monitor,
  now: Instant,
): boolean {
  const until = pauses.manual?.until ?? null;
  return until !== null && until <= Math.max(now, changedAt) && until > steady();
}
