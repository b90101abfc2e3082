// What the rulings say of slots, gaps and reports, written down once more for the laws: independent of the core's own
// deadlines, of which it imports nothing but types and the slots themselves.

import type { Gap, Monitor, Watch } from "../../src/domain/monitor.ts";
import type { OpenRun } from "../../src/domain/run.ts";
import { nextSlot, slotsAround } from "../../src/domain/slots.ts";
import { type Instant, toIso } from "../../src/domain/time.ts";
import type { Signal } from "../../src/domain/transition.ts";
import type { Moment } from "./timeline.ts";

/** Fails the timeline with a sentence that names the step at which the law is broken. */
export function must(holds: boolean, otherwise: string, { signal, now, at }: Moment): asserts holds {
  if (!holds) throw new Error(`${otherwise}, at the ${signal.kind} of ${toIso(now)} (counted at ${toIso(at)})`);
}

/** R20: slot + grace + 5 s. */
export const closeOf = (watch: Watch, slot: Instant): Instant => slot + watch.graceSeconds * 1000 + 5000;

export const slotAfter = ({ schedule, timezone }: Watch, at: Instant): Instant | null =>
  schedule === null ? null : nextSlot(schedule, timezone, at);

/** R20: min(60 s, a tenth of the distance to the slot before it). */
export function toleranceBefore(watch: Watch, slot: Instant): number {
  const { before } = slotsAround(watch.schedule!, watch.timezone, slot - 1);
  return Math.min(60_000, (slot - before!) / 10);
}

/** R26: a gap of any length touches [from, to]. */
export const touching = (gaps: readonly Gap[], from: Instant, to: Instant): readonly Gap[] =>
  gaps.filter((gap) => !(gap.to < from || to < gap.from));

export const gapsOnSlot = (watch: Watch, slot: Instant, gaps: readonly Gap[]): readonly Gap[] =>
  gaps.length === 0 ? [] : touching(gaps, slot - toleranceBefore(watch, slot), closeOf(watch, slot));

export const gapsOnRun = (run: { startedAt: Instant; deadline: Instant }, gaps: readonly Gap[]): readonly Gap[] =>
  touching(gaps, run.startedAt, run.deadline);

/** R26: at its deadline or 60 s after the last gap that touches it, whichever is later. */
export const judged = (deadline: Instant, gaps: readonly Gap[]): Instant =>
  Math.max(deadline, ...gaps.map(({ to }) => to + 60_000));

export const slotJudged = (watch: Watch, slot: Instant, gaps: readonly Gap[]): Instant =>
  judged(closeOf(watch, slot), gapsOnSlot(watch, slot, gaps));

export const runJudged = (run: OpenRun, gaps: readonly Gap[]): Instant => judged(run.deadline, gapsOnRun(run, gaps));

const REPORTS: readonly Signal["kind"][] = ["heartbeat", "start", "complete", "fail", "refused"];
export const isReport = ({ signal }: { readonly signal: Signal }): boolean => REPORTS.includes(signal.kind);

export const isEnd = (signal: Signal): signal is Signal & { kind: "heartbeat" | "complete" | "fail" } =>
  signal.kind === "heartbeat" || signal.kind === "complete" || signal.kind === "fail";

/** R23: a heartbeat or complete with no failed check that is set to fail. */
export const isSuccess = ({ signal }: Moment): boolean =>
  (signal.kind === "heartbeat" || signal.kind === "complete") && signal.checks.verdict !== "failed";

/** R20: the first slot that a report leaves unfilled, or null without a schedule. */
export function firstUnfilledBy({ signal, at, after }: Moment, watch: Watch): Instant | null {
  const next = slotAfter(watch, at);
  if (next === null) return null;
  const endsStartedRun = isEnd(signal) && after.run !== null && after.run.startedAt !== null;
  return !endsStartedRun && next - at <= toleranceBefore(watch, next) ? slotAfter(watch, next) : next;
}

export const isManual = ({ pauses }: Monitor): boolean => pauses.manual !== null;
