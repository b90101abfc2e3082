// The verdict on gaps: every report that was sent and not heard lies in a gap that rollcall found, and no gap is longer
// than its fault, except for the ten seconds between two writes that rollcall is alive (R26).

import { Contradiction } from "./failure.ts";
import type { KnownGap } from "./rules-words.ts";
import { DAY, type Instant, iso, MINUTE, SECOND } from "./units.ts";

export interface HearingVerdict {
  /** Gaps as rollcall found them, disjoint and ascending; the rules read them too. */
  readonly gaps: readonly KnownGap[];
  /** From this instant of the wall clock on it may not hear, for one more reason. */
  deaf(at: Instant): void;
  /** One reason less; it hears again when none is left, and all that the clock has shown since belongs to the span. */
  hears(at: Instant): void;
  /** A request reached the machine at this instant and was lost for good. */
  lost(at: Instant): void;
  /** Rollcall has written these down, each with its reason. */
  found(written: readonly WrittenGap[]): void;
  /** Some gap ends after this instant: it was found by a clock that was wrong, and may still be cut. */
  reachesBeyond(at: Instant): boolean;
  /** The clock had been wrong: gaps from `now` on are forgotten. */
  pulledBack(now: Instant): void;
  /** It has heard for a while: all that was lost must lie in a gap by now. */
  review(now: Instant): void;
  /**
   * As `MonitorRules.keep`, of a backup that is made at this instant. Put back at a later one, all in between is lost.
   */
  keep(madeAt: Instant): (at: Instant) => void;
}

export type WrittenGap = KnownGap & { readonly reason: string };

interface Span {
  from: Instant;
  to: Instant;
}

const BEFORE = 12 * SECOND;
/** What waited while it stood still comes in within seconds, and they belong to the gap. */
const AFTER = 7 * SECOND;
const RETRIES = MINUTE;
/**
 * What goes on is told a quarter of an hour after it began, a minute after its end; an outage in it may last one too.
 */
const NOTIFIED_AFTER = 12 * MINUTE;
/** Longer than any incident: the slots of one that is reminded of no more are counted when it ends. */
const KEPT = 400 * DAY;

export function hearingVerdict(): HearingVerdict {
  const gaps: KnownGap[] = [];
  let befell: Span[] = [];
  let now: Span | null = null;
  let reasons = 0;
  let lost: Instant[] = [];
  /** What is lost because a backup was restored. */
  let undone: Span[] = [];
  /** Rollcall has written down no gap of the last restore yet. */
  let isPending = false;

  function pass(at: Instant): void {
    if (now === null) return;
    now.from = Math.min(now.from, at);
    now.to = Math.max(now.to, at);
  }

  /**
   * What of a gap nothing explains; null: nothing. It may go on over a minute in which it heard: clients had no time to
   * try again (R26).
   */
  function unexplained({ from, to }: Span): Instant | null {
    let covered = from;
    const present = now === null ? [] : [{ from: now.from, to: Number.POSITIVE_INFINITY }];
    for (const cause of [...befell, ...present].sort((a, b) => a.from - b.from)) {
      if (cause.from - BEFORE - (covered === from ? 0 : RETRIES) <= covered)
        covered = Math.max(covered, cause.to + AFTER);
    }
    return covered >= to ? null : covered;
  }

  /**
   * When the clock stood behind, a later gap may lie over one that is decided. What it leaves of that one stays: slots
   * that are only counted are judged by it for as long as their incident is open (R23, R26).
   */
  function giveWay(gap: Span, undecided: ReadonlySet<Instant>): void {
    const overlaps = ({ from, to }: KnownGap): boolean => from <= gap.to && to >= gap.from;
    const left = gaps.flatMap((known) =>
      undecided.has(known.from) || !overlaps(known) ? [known] : besides(known, gap),
    );
    gaps.splice(0, gaps.length, ...left);
  }

  /** Only what came and went for long enough loses its excuse, and what follows it at once. */
  function checkExcuse(gap: KnownGap): void {
    const follows = ({ to, excuses }: KnownGap): boolean =>
      excuses !== null && gap.from > to && gap.from - to < RETRIES;
    if (gap.excuses === null || gaps.some(follows)) return;
    if (gap.excuses === "closed" && gap.to - gap.from >= NOTIFIED_AFTER) return;
    throw new Contradiction("a gap excuses too little", null, { gap: shown(gap), of: gap.excuses }, []);
  }

  /** R26: it is told as what it was. */
  function checkReason({ reason, ...gap }: WrittenGap): void {
    const isOfRestore = undone.some(({ from, to }) => from <= gap.to && to >= gap.from);
    const isTrue = reason === "restored" ? isOfRestore : !(isOfRestore && isPending);
    if (isOfRestore) isPending = false;
    if (!isTrue)
      throw new Contradiction("a gap has another reason", null, { gap: shown(gap), reason }, undone.map(shown));
  }

  function found(written: readonly WrittenGap[]): void {
    const undecided = new Set(written.map(({ from }) => from));
    for (const { reason, ...gap } of written) {
      checkReason({ reason, ...gap });
      checkExcuse(gap);
      const known = gaps.find(({ from }) => from === gap.from);
      if (known !== undefined) known.excuses = gap.excuses;
      if (known?.to === gap.to) continue;
      const since = unexplained(gap);
      if (since !== null) {
        const details = { gap: shown(gap), since: iso(since) };
        throw new Contradiction("a gap although rollcall could hear", null, details, befell.slice(-9).map(shown));
      }
      giveWay(gap, undecided);
      if (known === undefined) gaps.push({ ...gap });
      else known.to = gap.to;
      gaps.sort((a, b) => a.from - b.from);
    }
    const overlapping = gaps.find(({ from }, place) => place > 0 && from <= gaps[place - 1]!.to);
    if (overlapping !== undefined)
      throw new Contradiction("gaps overlap", null, { gap: shown(overlapping) }, gaps.map(shown));
  }

  function review(at: Instant): void {
    const heard = lost.find((instant) => !gaps.some(({ from, to }) => from <= instant && instant <= to));
    if (heard !== undefined) {
      throw new Contradiction(
        "a report was lost outside every gap",
        null,
        { lostAt: iso(heard) },
        gaps.slice(-5).map(shown),
      );
    }
    lost = [];
    befell = befell.filter(({ to }) => to > at - KEPT);
    undone = undone.filter(({ to }) => to > at - KEPT);
    while (gaps.length > 0 && gaps[0]!.to < at - KEPT) gaps.shift();
  }

  return {
    gaps,
    deaf: (at) => {
      reasons += 1;
      now ??= { from: at, to: at };
      pass(at);
    },
    hears: (at) => {
      reasons -= 1;
      pass(at);
      if (reasons > 0 || now === null) return;
      befell.push(now);
      now = null;
    },
    lost: (at) => void lost.push(at),
    found,
    reachesBeyond: (at) => gaps.some(({ to }) => to > at),
    pulledBack: (at) => {
      const kept = gaps.filter(({ from }) => from < at);
      gaps.splice(0, gaps.length, ...kept);
      for (const gap of kept) gap.to = Math.min(gap.to, at - 1);
      lost = lost.filter((instant) => instant <= at);
    },
    review,
    keep: (madeAt) => {
      const kept = gaps.map((gap) => ({ gap, ...gap }));
      return (at) => {
        gaps.splice(0, gaps.length, ...kept.map(({ gap, to, excuses }) => Object.assign(gap, { to, excuses })));
        // What was heard shortly before it was made may be in the gap as well.
        // It may be put back in the second in which it was made.
        const from = Math.min(madeAt + SECOND, at);
        lost = [...lost.filter((instant) => instant < madeAt), from, at];
        isPending = true;
        undone.push({ from, to: at });
        pass(madeAt);
      };
    },
  };
}

const besides = (known: KnownGap, { from, to }: Span): KnownGap[] =>
  [
    { ...known, to: Math.min(known.to, from - 1) },
    { ...known, from: Math.max(known.from, to + 1) },
  ].filter((piece) => piece.from <= piece.to);

const shown = ({ from, to }: Span): string => `${iso(from)} to ${iso(to)}`;
