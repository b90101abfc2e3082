// Asks the domain what signals mean for a monitor now. It hides from the domain the end of a pause that a wrong clock
// has skipped (R26), and lets a new incident continue its series (R38).

import type { Monitor } from "../domain/monitor/monitor.ts";
import { FORMER_MAX, type MonitorPast, NO_PAST } from "../domain/monitor/series.ts";
import { type Signal, type Transition, transitions } from "../domain/monitor/transition.ts";
import { isBehind } from "../domain/monitor/wrong-clock.ts";
import type { Instant } from "../domain/time.ts";
import type { MonitorRecord } from "../views/completed-monitors.ts";
import type { EngineContext } from "./engine-context.ts";
import { gapsAbout } from "./new-monitors.ts";

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
  // Earlier incidents are read only when an incident opens, which is rare.
  const { incidents, pausesByHand } = context.store;
  const former = incidents.lately(id, monitor.incidentCount, FORMER_MAX);
  return decideUnderPauses(context, known, signals, now, {
    former: former.filter(({ closedAt }) => closedAt !== null),
    askedForQuietAt: pausesByHand.find(id)?.at ?? null,
  });
}

/**
 * Restores a manual pause that ended by a clock that was ahead, as soon as that clock is seen behind. A failure in the
 * minutes before the stored times are pulled back then counts as one during the pause.
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
 * Whether a manual pause goes on although it is over by the clock: the clock was moved forward, and is often corrected
 * within minutes. What happened after the pause's end is judged once the clock has been steady, each event at its own
 * time.
 */
export function isPauseHeld(
  { steady }: Pick<EngineContext, "steady">,
  { pauses, changedAt }: Monitor,
  now: Instant,
): boolean {
  const until = pauses.manual?.until ?? null;
  return until !== null && until <= Math.max(now, changedAt) && until > steady();
}
