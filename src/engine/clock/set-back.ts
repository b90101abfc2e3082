// Corrects what a wrong clock has stored. After a clock that was ahead is set back, stored instants lie in the future,
// and nothing is due until the clock reaches them (R26). If that lasts for ten minutes (domain/clock-set-back.ts),
// people are told and the instants are pulled back.

import { CLOCK_UNSEEN, clockSeen, isBehind, type SetBack, setBack } from "../../domain/clock-set-back.ts";
import { type InPieces, piecesOf } from "../../domain/in-pieces.ts";
import { type Instant, SECOND, toIso } from "../../domain/time.ts";
import { durationInWords } from "../../domain/wording/spoken-time.ts";
import type { GapRow } from "../../store/gaps.ts";
import { listedMonitorOf, raiseNotices, readableMonitor } from "../notices.ts";
import { type Audience, type AudienceMonitor, type Audiences, createAudiences } from "../outbox/audiences.ts";
import { planAllAgain } from "../outbox/plan-again.ts";
import { type NoticeTools, reviewOneAtATime } from "../outbox/review.ts";
import { findUnheard, tellUnheard } from "../outbox/unheard-notice.ts";
import type { NewestInstant } from "../own-outages/newest-instant.ts";
import type { MonitorMemory } from "./monitor-memory.ts";
import { rebaseOne } from "./wake.ts";

const MONITORS_A_PIECE = 100;

type WrongClockParts = NoticeTools & Readonly<{ newest: NewestInstant; memory: MonitorMemory }>;

export function createWrongClock(parts: WrongClockParts) {
  const { clock, newest, background } = parts;
  let stand = CLOCK_UNSEEN;
  let isNotified = false;

  function* look(now: Instant): InPieces<void> {
    const seen = { at: clock.now(), monotonic: clock.monotonic() };
    stand = clockSeen(stand, seen, newest.ahead(now));
    if (stand.behind === null) isNotified = false;
    const step = setBack(stand, seen);
    if (step === null) return;
    // People are told first. If the process ended after the pull-back, nothing would show that the clock was wrong.
    if (!isNotified) yield* tellWrongClock(parts, stand.behind!.at, step);
    isNotified = true;
    yield* pullBack(parts, { backMs: step.backMs, since: stand.behind!.at });
  }

  return {
    review: reviewOneAtATime(background, look),
    trouble: (now: Instant) =>
      isBehind(newest.ahead(now))
        ? `the clock is ${durationInWords(newest.ahead(now))} behind the newest stored time, until then nothing is missed; ` +
          "after 10 minutes stored times are pulled back"
        : null,
  };
}

/** Tells of the wrong clock and of what gaps in the future left unknown. Then it deletes these gaps. */
function* tellWrongClock(parts: WrongClockParts, seenAt: Instant, step: SetBack): InPieces<void> {
  const { context, clock, gaps, committer, announcer } = parts;
  const ahead = yield* findAhead(parts);
  const aheadSeconds = Math.round(step.backMs / SECOND);
  const unheard = yield* findUnheard(context, unreachedBy(clock.now(), gaps.tracked()), clock.now());
  const { raised, cutAt } = committer.one((now) => {
    // Gaps are cut just before `now`, so that none touches a run that begins from now on.
    const before = now - 1;
    const ofGaps = unreachedBy(before, unheard).flatMap((each) => tellUnheard(context, each, now));
    const noticeOf = ({ total }: Audience<AudienceMonitor>) =>
      ({ kind: "clock", aheadSeconds, exact: step.exact, since: toIso(seenAt), monitorsTotal: total }) as const;
    const ofClock = raiseNotices(context, ahead.all(), noticeOf, now);
    gaps.cut(before);
    return { raised: [...ofGaps, ...ofClock], cutAt: before };
  });
  gaps.wasCut(cutAt);
  announcer.notices(raised);
}

const unreachedBy = <One extends GapRow>(at: Instant, gaps: readonly One[]): readonly One[] =>
  gaps.filter(({ gap }) => gap.from > at);

function* findAhead({ context, clock }: WrongClockParts): InPieces<Audiences<AudienceMonitor>> {
  const { store } = context;
  const found = createAudiences<AudienceMonitor>(clock.now());
  for (const some of piecesOf(store.monitors.ids(), MONITORS_A_PIECE)) {
    const now = clock.now();
    for (const id of some) {
      const changedAt = store.states.load(id)?.changedAt ?? now;
      const record = changedAt > now ? readableMonitor(context, id) : null;
      if (record !== null) found.add(listedMonitorOf(record), record.policy);
    }
    yield;
  }
  return found;
}

function* pullBack(parts: WrongClockParts, step: Readonly<{ backMs: number; since: Instant }>): InPieces<void> {
  const { context, clock, newest, memory } = parts;
  const { backMs } = step;
  // Pulls back the messages that wait, also those of deleted monitors, and plans them again. Whether a message waits
  // for the end of quiet hours was decided by the wrong clock.
  yield* planAllAgain(
    parts,
    (monitorId, now) => context.deliveries.pullBack.run({ monitorId, now, backMs }).changes > 0,
  );
  for (const some of piecesOf(context.store.monitors.ids(), MONITORS_A_PIECE)) {
    const now = clock.now();
    memory.finish(memory.applyToEach(some, (id) => rebaseOne(context, id, now, step), now));
    yield;
  }
  context.store.pausedSpans.pullBackDeleted(clock.now(), backMs);
  // From here on the clock does not count as wrong. This holds even if a monitor could not be read, because one damaged
  // row must not keep rollcall from being ready.
  newest.pulledBack(clock.now());
}
