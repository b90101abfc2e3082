// What the rulings say of slots, gaps and reports, written down once more for the laws: independent of the core's own
// deadlines; it imports nothing of these but types and the slots themselves.

import { boundedMap } from "../../../src/domain/maps.ts";
import type { Gap, Monitor, Watch } from "../../../src/domain/monitor/monitor.ts";
import type { OpenRun } from "../../../src/domain/monitor/run.ts";
import type { Signal } from "../../../src/domain/monitor/transition.ts";
import type { MaintenanceWindow } from "../../../src/domain/schedule/maintenance.ts";
import { nextSlot, slotsAround } from "../../../src/domain/schedule/slots.ts";
import { type Instant, toIso } from "../../../src/domain/time.ts";
import type { Moment } from "./timeline.ts";

/** Fails the timeline with a sentence that names the step at which the law is broken. */
export function must(holds: boolean, otherwise: string, { signal, now, at }: Moment): asserts holds {
  if (!holds) throw new Error(`${otherwise}, at the ${signal.kind} of ${toIso(now)} (counted at ${toIso(at)})`);
}

/** R20: slot + grace + 5 s. */
export const closeOf = (watch: Watch, slot: Instant): Instant => slot + watch.graceSeconds * 1000 + 5000;

/** `known`: a slot of an interval, from which its others lie whole intervals apart (R44). */
export function slotAfter({ schedule, everySeconds, timezone }: Watch, at: Instant, known: Instant | null = null) {
  if (schedule !== null) return nextSlot(schedule, timezone, at);
  if (everySeconds === null || known === null) return null;
  let slot = known;
  while (slot <= at) slot += everySeconds * 1000;
  return slot;
}

/** R12: the same slots as far as a schedule of these tests can show, in the same zone. */
export function isSameSchedule(one: Watch, other: Watch): boolean {
  if (one.everySeconds !== other.everySeconds) return false;
  if (one.schedule === null || other.schedule === null) return one.schedule === other.schedule;
  return one.timezone === other.timezone && someSlots(one) === someSlots(other);
}

const knownSlots = boundedMap<string>(1_000);

function someSlots(watch: Watch): string {
  const name = `${watch.schedule} ${watch.timezone}`;
  const known = knownSlots.get(name);
  if (known !== undefined) return known;
  const slots = [Date.parse("2026-01-01")];
  while (slots.length < 100) slots.push(slotAfter(watch, slots.at(-1)!)!);
  knownSlots.set(name, slots.join());
  return slots.join();
}

/** R20: min(60 s, a tenth of the distance to the slot before it). */
export function toleranceBefore(watch: Watch, slot: Instant): number {
  if (watch.everySeconds !== null) return Math.min(60_000, watch.everySeconds * 100);
  const { before } = slotsAround(watch.schedule!, watch.timezone, slot - 1);
  return Math.min(60_000, (slot - before!) / 10);
}

/** R26: a gap of any length touches [from, to]. */
export const touching = (gaps: readonly Gap[], from: Instant, to: Instant): readonly Gap[] =>
  gaps.filter((gap) => !(gap.to < from || to < gap.from));

/** Gaps that touch the slot's window, whether or not they leave it in doubt. */
export const gapsNearSlot = (watch: Watch, slot: Instant, gaps: readonly Gap[]): readonly Gap[] =>
  gaps.length === 0 ? [] : touching(gaps, slot - toleranceBefore(watch, slot), closeOf(watch, slot));

/** R26: whether a gap lies between two slots that are more than six hours apart. */
function isBetweenFarSlots(watch: Watch, { from }: Gap): boolean {
  if (watch.everySeconds !== null) return watch.everySeconds > 21_600;
  const { before, after } = slotsAround(watch.schedule!, watch.timezone, from);
  return after! - before! > 21_600_000;
}

/**
 * R26: of gaps of at most 60 s only those within 60 s of an instant at which the report was likely; where every such
 * instant is that far from the window, or none is known, all of them. Of those between slots that are far apart only
 * those within 10 s of such an instant.
 */
function doubting(
  gaps: readonly Gap[],
  from: Instant,
  to: Instant,
  likely: readonly Instant[],
  watch: Watch | null,
): readonly Gap[] {
  const near = (instant: Instant, span: Gap, within = 60_000): boolean =>
    span.from - within <= instant && instant <= span.to + within;
  const relevant = likely.filter((instant) => near(instant, { from, to }));
  const excusing = gaps.filter(
    ({ excuses, to: end }) => excuses === undefined || (excuses === "closed" && to <= end + 60_000),
  );
  const found = touching(excusing, from, to);
  return found.filter((gap) => {
    if (gap.to - gap.from > 60_000) return true;
    if (watch !== null && isBetweenFarSlots(watch, gap)) return relevant.some((instant) => near(instant, gap, 10_000));
    return relevant.length === 0 || relevant.some((instant) => near(instant, gap));
  });
}

export function gapsOnSlot({ watch, lastSuccess }: Monitor, slot: Instant, gaps: readonly Gap[]): readonly Gap[] {
  if (gaps.length === 0) return [];
  const { afterSlotMs = null, startAfterSlotMs = null } = lastSuccess ?? {};
  const likely = [afterSlotMs, startAfterSlotMs].filter((distance) => distance !== null).map((after) => slot + after);
  return doubting(gaps, likelyFrom(watch, slot, likely), closeOf(watch, slot), likely, watch);
}

/**
 * From when the report of a slot may come. That of an interval comes when it likes: it is likely as long after the last
 * end as that came after the one before, however long before its slot (R44). So that instant lies in its window, and a
 * short gap at its slot, an hour later, hides no miss (R26). With the window of a schedule's slot, a law would call
 * that slot in doubt.
 */
function likelyFrom(watch: Watch, slot: Instant, likely: readonly Instant[]): Instant {
  const latest = slot - toleranceBefore(watch, slot);
  if (watch.everySeconds === null) return latest;
  const afterLastEnd = slot - watch.everySeconds * 1000 + 1;
  return Math.max(
    afterLastEnd,
    Math.min(latest, ...(likely.length === 0 ? [afterLastEnd] : likely.map((at) => at - 60_000))),
  );
}

export const gapsOnRun = (
  { lastRunMs }: Pick<Monitor, "lastRunMs">,
  run: { startedAt: Instant; deadline: Instant },
  gaps: readonly Gap[],
): readonly Gap[] =>
  doubting(gaps, run.startedAt, run.deadline, lastRunMs === null ? [] : [run.startedAt + lastRunMs], null);

/** R26: an instant in the future comes back by as much as the clock was set back, and never lies in the future then. */
export const cameBack = (instant: Instant, now: Instant, backMs: number): Instant =>
  instant <= now ? instant : Math.min(now, instant - backMs);

/** R26: at its deadline or 60 s after the last gap that touches it, whichever is later. */
export const judged = (deadline: Instant, gaps: readonly Gap[]): Instant =>
  Math.max(deadline, ...gaps.map(({ to }) => to + 60_000));

export const slotJudged = (monitor: Monitor, slot: Instant, gaps: readonly Gap[]): Instant =>
  judged(closeOf(monitor.watch, slot), gapsOnSlot(monitor, slot, gaps));

export const runJudged = (monitor: Monitor, run: OpenRun, gaps: readonly Gap[]): Instant =>
  judged(run.deadline, gapsOnRun(monitor, run, gaps));

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

/** R20: the newest slot that a start at `at` fills; null without a schedule. */
export function slotOfStart(watch: Watch, at: Instant): Instant | null {
  const next = slotAfter(watch, at);
  if (next === null) return null;
  return next - at <= toleranceBefore(watch, next) ? next : slotsAround(watch.schedule!, watch.timezone, at).before;
}

/** R23: what closes is told no more, or not yet: a miss was told, or a run past its deadline may still report. */
export const onlyCounts = ({ incident }: Monitor): boolean =>
  incident !== null && (incident.causes.includes("missed") || incident.awaitsRun);

export const isManual = ({ pauses }: Monitor): boolean => pauses.manual !== null;

/** R24: a maintenance window as it takes place once. */
export interface Span {
  readonly from: Instant;
  readonly until: Instant;
}

/** Milliseconds. */
const lengthOf = (window: MaintenanceWindow): number =>
  "from" in window ? window.until - window.from : window.durationSeconds * 1000;

const spanOf = (window: MaintenanceWindow, from: Instant): Span => ({ from, until: from + lengthOf(window) });

/**
 * R17: each wall time of the expression is one start: the first time the zone shows it or, where a change skips it, the
 * first instant after that change. Wall times are what the expression has in UTC; a day before `after` is early enough
 * to begin.
 */
function windowStartAfter(window: MaintenanceWindow, zone: string, after: Instant): Instant {
  if ("from" in window) return window.from > after ? window.from : Number.POSITIVE_INFINITY;
  const { schedule } = window;
  const timezone = window.timezone ?? zone;
  const question = `${schedule} ${timezone} ${after}`;
  const known = windowStarts.get(question);
  if (known !== undefined) return known;
  let wall = nextSlot(schedule, "UTC", after - 86_400_000)!;
  while (instantOfWall(wall, timezone) <= after) wall = nextSlot(schedule, "UTC", wall)!;
  const start = instantOfWall(wall, timezone);
  windowStarts.set(question, start);
  return start;
}

/** Many facts and laws ask about the same moments. */
const windowStarts = boundedMap<Instant>(100_000);

function instantOfWall(wall: number, timezone: string): Instant {
  const time = Temporal.Instant.fromEpochMilliseconds(wall).toZonedDateTimeISO("UTC").toPlainDateTime();
  const shown = time.toZonedDateTime(timezone, { disambiguation: "earlier" });
  if (shown.toPlainDateTime().equals(time)) return shown.epochMilliseconds;
  return shown.getTimeZoneTransition("next")!.epochMilliseconds;
}

/** The windows that begin in (after, until], in order. */
export function windowsIn({ maintenance, timezone }: Watch, after: Instant, until: Instant): readonly Span[] {
  const spans = maintenance.flatMap((window) => {
    const found: Span[] = [];
    const startAfter = (at: Instant): Instant => windowStartAfter(window, timezone, at);
    for (let from = startAfter(after); from <= until; from = startAfter(from)) found.push(spanOf(window, from));
    return found;
  });
  return spans.toSorted((a, b) => a.from - b.from);
}

/** The first window that begins after `after`; null without any. */
export function nextWindow({ maintenance, timezone }: Watch, after: Instant): Span | null {
  const spans = maintenance
    .map((window) => spanOf(window, windowStartAfter(window, timezone, after)))
    .filter(({ from }) => from < Number.POSITIVE_INFINITY);
  return spans.toSorted((a, b) => a.from - b.from)[0] ?? null;
}

/** Of each window the last beginning whose span has `at` in it. */
export const windowsAt = (watch: Watch, at: Instant): readonly Span[] =>
  watch.maintenance.flatMap((window) =>
    windowsIn({ ...watch, maintenance: [window] }, at - lengthOf(window), at).slice(-1),
  );

/** Until when windows last in whose span `at` lies; null when it lies in none. */
export function windowEnd(watch: Watch, at: Instant): Instant | null {
  const ends = windowsAt(watch, at).map(({ until }) => until);
  return ends.length === 0 ? null : Math.max(...ends);
}

type Manual = Monitor["pauses"]["manual"];

/** R24: if a manual pause stands already, the later end wins. */
export const laterEnd = (manual: Manual, until: Instant | null): Manual =>
  until === null || (manual !== null && (manual.until ?? until) >= until) ? manual : { until };

/** What time alone makes of a pause by hand in (since, at], and when it was lifted meanwhile. */
export function manualBy(watch: Watch, manual: Manual, since: Instant, at: Instant) {
  const lifted: Instant[] = [];
  let health = manual;
  const liftBefore = (time: Instant): void => {
    if (health === null || health.until === null || health.until >= time) return;
    lifted.push(Math.max(health.until, since));
    health = null;
  };
  for (const { from, until } of windowsIn(watch, since, at)) {
    liftBefore(from);
    health = laterEnd(health, until);
  }
  liftBefore(at + 1);
  return { manual: health, lifted };
}

/** When a pause by hand ended in the course of this moment; null when none did. */
export function manualEnd({ at, before, after }: Moment): Instant | null {
  const { lifted } = manualBy(before.watch, before.pauses.manual, before.changedAt, at);
  if (lifted.length > 0) return lifted[0]!;
  return isManual(before) && !isManual(after.monitor) ? at : null;
}

/** Whether the pause that stood before this moment had ended by then: nobody looks while we are deaf (R24, R26). */
export function isWatchedAgain(moment: Moment, at: Instant): boolean {
  const { manual, discovery, plan } = moment.before.pauses;
  const end = manualEnd(moment);
  return manual !== null && !discovery && !plan && end !== null && end <= at;
}
