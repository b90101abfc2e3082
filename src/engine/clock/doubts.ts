// Finds the monitors that a gap leaves in doubt: they expected a report or the end of a run before the gap ended, and
// are not judged yet. When no such monitor is left, the gap is marked as decided: the work on it is over, and a notice
// tells what it left unknown. If that takes longer than a day, a notice tells what is known by then. Nothing here
// changes a monitor.

import { type InPieces, piecesOf } from "../../domain/in-pieces.ts";
import { UNKNOWN_NOTIFIED_WITHIN } from "../../domain/limits.ts";
import { isGapDecided } from "../../domain/monitor/doubt.ts";
import { undecidedSince, wakeAt } from "../../domain/monitor/settle.ts";
import type { Instant } from "../../domain/time.ts";
import { monitorWithPolicy } from "../../views/completed-monitors.ts";
import type { EngineContext } from "../engine-context.ts";
import { type NoticeTools, reviewOneAtATime } from "../outbox/review.ts";
import { findUnheard, tellUnheard } from "../outbox/unheard-notice.ts";
import type { TrackedGap } from "../own-outages/gap-list.ts";
import type { GapTracker } from "../own-outages/gap-tracker.ts";

const MONITORS_A_PIECE = 200;
const GAPS_A_PIECE = 20;
/**
 * At most this many gaps wait until the monitors that they leave in doubt are judged. If there are more, the oldest are
 * marked as decided early, because younger gaps leave more monitors in doubt.
 */
const GAPS_MAX = 1_000;

export type Doubts = ReturnType<typeof createDoubts>;

export function createDoubts(parts: NoticeTools) {
  const { context, gaps, background } = parts;
  const suspects = createSuspects(context);

  /** Examines the gaps that ended at least a minute ago. Before that, clients send their reports again. */
  function* look(now: Instant): InPieces<void> {
    const over = gaps.overBy(now);
    if (over.length === 0) return;
    const isKnown = over.every(({ search }) => search === "done");
    const ids = isKnown ? suspects.touched() : context.store.monitors.ids();
    if (!isKnown) gaps.searching(over.map(({ id }) => id));
    suspects.begin(isKnown);
    for (const some of piecesOf(ids, MONITORS_A_PIECE)) {
      for (const id of some) suspects.look(id, over.at(-1)!.gap.to, now);
      if (some.length === MONITORS_A_PIECE) yield;
    }
    gaps.searched();
    yield* decideDoubts(parts, freeOf(gaps.tracked(), suspects.first()), now);
    yield* tellJudged(parts, overdueOf(parts, now), suspects, now);
  }

  return {
    /** Finds the monitors that gaps leave in doubt; it examines some in each turn. Must be called once a second. */
    review: reviewOneAtATime(background, look),
    touch: suspects.touch,
  };
}

function freeOf(known: readonly TrackedGap[], { since, wakeAt }: Suspect): readonly TrackedGap[] {
  const beyond = known.length - GAPS_MAX;
  return known
    .filter(({ gap, search }, place) => search === "done" && (isGapDecided(gap, since, wakeAt) || place < beyond))
    .slice(0, GAPS_A_PIECE);
}

/**
 * Returns the gaps that have left some slot or run unknown for a day. A notice must tell of it now, although other
 * monitors are still in doubt.
 */
function overdueOf({ context, gaps }: NoticeTools, now: Instant): readonly TrackedGap[] {
  return gaps.tracked().filter(({ id, search, tellAt }) => {
    if (search !== "done" || tellAt > now) return false;
    const next = (context.store.unknowns.pendingSince(id) ?? now) + UNKNOWN_NOTIFIED_WITHIN;
    if (next > now) gaps.tellNotBefore(id, next);
    return next <= now;
  });
}

/**
 * Tells which slots and runs these gaps left unknown so far. The gaps are not marked as decided, because other monitors
 * are still in doubt. What becomes unknown while this runs is told by a later notice.
 */
function* tellJudged(
  { context, gaps, committer, announcer }: NoticeTools,
  overdue: readonly TrackedGap[],
  suspects: ReturnType<typeof createSuspects>,
  now: Instant,
): InPieces<void> {
  for (const one of overdue) {
    const last = context.store.unknowns.lastPending(one.id);
    const unheard = yield* findUnheard(context, [one], now, ({ to }) => suspects.since(to));
    if (!isUnchanged(gaps, one) || context.store.unknowns.lastPending(one.id) !== last) continue;
    const raised = committer.one((now) => {
      gaps.tell(one.id);
      return unheard.flatMap((each) => tellUnheard(context, each, now));
    });
    gaps.tellNotBefore(one.id, now + UNKNOWN_NOTIFIED_WITHIN);
    announcer.notices(raised);
  }
}

/**
 * Marks these gaps as decided, and tells which slots and runs they left unknown. Must be called when no monitor is in
 * doubt because of them. A gap that changes meanwhile is left to the next review.
 */
function* decideDoubts(
  { context, gaps, committer, announcer }: NoticeTools,
  free: readonly TrackedGap[],
  now: Instant,
): InPieces<void> {
  if (free.length === 0) return;
  const unheard = yield* findUnheard(context, free, now);
  const unchanged = unheard.filter((each) => isUnchanged(gaps, each));
  const ids = unchanged.map(({ id }) => id);
  const raised = committer.one((now) => {
    gaps.decide(ids, now);
    return unchanged.flatMap((each) => tellUnheard(context, each, now));
  });
  gaps.decided(ids);
  announcer.notices(raised);
}

const isUnchanged = (gaps: GapTracker, { id, gap }: Pick<TrackedGap, "id" | "gap">): boolean =>
  gaps.tracked().some((one) => one.id === id && one.gap === gap);

// Below: the monitors in doubt, kept in memory. After a restart they are found again.

interface Suspect {
  readonly since: Instant;
  /** When time alone changes the monitor next; Infinity when it never does. */
  readonly wakeAt: Instant;
}

function createSuspects(context: EngineContext) {
  const suspects = new Map<number, Suspect>();
  const touched = new Set<number>();

  /**
   * Finds the monitor's oldest slot or run that is not judged yet; the returned `since` is its beginning. Returns
   * `null` when all are judged. An unreadable monitor gives `null` too, because the gap must not wait for it for ever.
   */
  function suspectOf(id: number, now: Instant): Suspect | null {
    try {
      const record = monitorWithPolicy(context, id);
      const since = record === null ? null : undecidedSince(record.monitor, now);
      if (record === null || since === null) return null;
      return { since, wakeAt: wakeAt(record.monitor, context.gaps.undecided()) ?? Number.POSITIVE_INFINITY };
    } catch {
      return null;
    }
  }

  return {
    touch: (id: number): void => {
      if (suspects.has(id)) touched.add(id);
    },
    touched: () => [...touched],
    /** Begins to examine all monitors; when `keep` is true, only those that changed since the last examination. */
    begin: (keep: boolean): void => {
      if (!keep) suspects.clear();
      touched.clear();
    },
    /**
     * Examines one monitor. It is in doubt if its oldest slot or run not judged yet began at or before `newestEnd`, the
     * end of the newest gap.
     */
    look: (id: number, newestEnd: Instant, now: Instant): void => {
      const suspect = suspectOf(id, now);
      if (suspect === null || suspect.since > newestEnd) suspects.delete(id);
      else suspects.set(id, suspect);
    },
    /** Returns the monitors in doubt whose oldest slot or run that is not judged yet began at or before `at`. */
    since: (at: Instant) => [...suspects].filter(([, { since }]) => since <= at).map(([id]) => id),
    /** Returns the earliest `since` and the earliest `wakeAt` of the monitors in doubt; Infinity when there is none. */
    first: (): Suspect => {
      let since = Number.POSITIVE_INFINITY;
      let wakeAt = Number.POSITIVE_INFINITY;
      for (const suspect of suspects.values()) {
        since = Math.min(since, suspect.since);
        wakeAt = Math.min(wakeAt, suspect.wakeAt);
      }
      return { since, wakeAt };
    },
  };
}
