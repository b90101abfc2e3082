// Watching the clock, once a second: settles due monitors, decides gaps, corrects the times of a wrong clock, and once
// an hour does the upkeep. Each in later turns of the event loop.

import { type InPieces, piecesOf } from "../../domain/in-pieces.ts";
import { IDEMPOTENCY_SPAN, KEEP_DELETED, PAIRING_SPAN } from "../../domain/limits.ts";
import { weeksWith } from "../../domain/monitor/run-lengths.ts";
import { LINK_SPAN } from "../../domain/people/sign-in.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../domain/time.ts";
import type { Pruned } from "../../store/retention.ts";
import { unlessDamaged } from "../../store/sql.ts";
import type { Store } from "../../store/store.ts";
import { RUNS_SHOWN, recentRuns } from "../../views/recent-runs.ts";
import type { AdminKeyring } from "../admin-keyring.ts";
import type { AfterCommit } from "../engine-context.ts";
import type { Keyring } from "../keyring.ts";
import { planAllAgain } from "../outbox/plan-again.ts";
import type { NoticeTools } from "../outbox/review.ts";
import type { LivedClock } from "../own-outages/lived-clock.ts";
import type { NewestInstant } from "../own-outages/newest-instant.ts";
import type { People } from "../people/accounts.ts";
import { inTransaction } from "../transaction.ts";
import type { Doubts } from "./doubts.ts";
import type { MonitorMemory } from "./monitor-memory.ts";
import { createWrongClock } from "./set-back.ts";
import { wakeOne } from "./wake.ts";
import type { Wheel } from "./wheel.ts";

export type ClockWatch = ReturnType<typeof createClockWatch>;

interface ClockWatchParts extends NoticeTools {
  readonly keyring: Keyring;
  readonly adminKeyring: AdminKeyring;
  readonly people: People;
  readonly wheel: Wheel;
  readonly doubts: Doubts;
  readonly newest: NewestInstant;
  readonly memory: MonitorMemory;
  readonly flush: () => void;
  readonly lived: LivedClock;
}

/**
 * What a second brings, file by file:
 * 1. `../hearing/gap-tracker.ts` looks whether we heard since the last look; the waiting batch of reports commits.
 * 2. `wheel.ts` names the monitors that may be due; `wake.ts` reads each again, and the domain settles what is.
 * 3. `../record.ts` saves what that changed; `monitor-memory.ts` arms the wheel again.
 * 4. `doubts.ts` judges what a gap has left in doubt, and tells it.
 * 5. `wrong-clock.ts` pulls back instants that lie in the future.
 * 6. Once an hour the upkeep finds lost hints, and deletes what is older than it is kept; once a day it looks whether
 *    hearers are owed something.
 */
export function createClockWatch(parts: ClockWatchParts) {
  const { clock, gaps, committer, doubts, turns, lived } = parts;
  const settling = createSettling(parts);
  const wrongClock = createWrongClock(parts);
  const upkeep = createUpkeep(parts);
  let lastReview = clock.now();

  /** The rest of the work of each second. `now`: the result of `settle`. */
  function review(now: Instant): void {
    if (gaps.hasNews() || committer.failing() !== null) turns.later(committer.tryOut);
    turns.later(() => doubts.review(now));
    turns.later(() => wrongClock.review(now));
    if (isNewHour(lastReview, now)) {
      // Also finds changes that no call has named.
      gaps.searchAgain();
      upkeep(now);
    }
    lastReview = now;
  }

  return {
    /** To be called once a second, before all else: settles due monitors in a later turn. Returns the instant. */
    settle: (): Instant => {
      const movedMs = lived.look();
      const now = gaps.look();
      // Before the notifier asks what is due: what waits for a person to take it on waits by lived time.
      if (movedMs !== 0) turns.laterThrough(moveWaits(parts, movedMs));
      settling.begin(now);
      return now;
    },
    isSettling: settling.isUnderWay,
    review,
    trouble: wrongClock.trouble,
  };
}

/**
 * What is told `after` a time is told as much later as the clock was moved on, and a first link keeps its day. What
 * lies in the future once the clock is set back comes back later (`wrong-clock.ts`); links are cut to a day at once.
 */
export function* moveWaits(
  parts: Pick<NoticeTools, "context" | "committer" | "announcer" | "log">,
  movedMs: number,
): InPieces<void> {
  const { store, deliveries } = parts.context;
  const changed = parts.committer.one((now) => {
    if (movedMs < 0) {
      store.people.boundLinks(now + LINK_SPAN);
      return 0;
    }
    const before = now - movedMs;
    if (store.people.count() === 0) store.people.putOffFirstLink({ before, movedMs });
    return deliveries.putOff.run({ before, movedMs }).changes;
  });
  if (changed > 0) yield* planAllAgain(parts);
}

// Settles the monitors that the wheel names (R19), some in each turn; each one's row says what is due.

/** How long the looks of one transaction should take, without its commit. Milliseconds: pings wait for them. */
const TAKES = 8;
const AT_ONCE = { least: 25, most: 250 } as const;

function createSettling({ context, clock, wheel, memory, turns, flush }: ClockWatchParts) {
  let settling = false;
  let atOnce: number = AT_ONCE.least;

  /** The waiting batch goes first, and input has had a full turn since `due`: no report in time loses to the clock. */
  function settleDue(due: Instant): void {
    // If this throws, the next look begins again.
    settling = false;
    flush();
    const ids = wheel.advance(due, atOnce);
    if (ids.length > 0) wake(ids, due);
    if (!wheel.more()) return;
    settling = true;
    turns.later(() => settleDue(due));
  }

  function wake(ids: readonly number[], now: Instant): void {
    const startedAt = clock.monotonic();
    let took = 0;
    const look = (id: number): AfterCommit | null => {
      const looked = wakeOne(context, id, now);
      took = clock.monotonic() - startedAt;
      return looked;
    };
    try {
      memory.finish(memory.applyToEach(ids, look, now));
      // The first looks take longest: nothing of it has run before, or not for long.
      atOnce = clamp((ids.length * TAKES) / took, Math.min(2 * atOnce, AT_ONCE.most));
    } catch {
      for (const id of ids) wheel.arm(id, now + SECOND);
      // Where very many cannot be read, only few at once come to an end.
      atOnce = AT_ONCE.least;
    }
  }

  return {
    /** Settles everything due by this instant, over later turns. */
    begin: (due: Instant): void => {
      // Never two looks beside each other: they would move the wheel back and forth, and neither would come to its end.
      if (!settling) turns.later(() => turns.later(() => settleDue(due)));
      settling = true;
    },
    isUnderWay: () => settling,
  };
}

const clamp = (looks: number, most: number): number => Math.min(Math.max(Math.floor(looks), AT_ONCE.least), most);

// Once an hour: finds lost hints again, lets monitors' own rows follow their facts, and deletes old rows; a bounded
// piece in each turn of the event loop, so that no ping waits long for it.

const ROWS_A_TURN = 500;
/** Each goes with its alerts and deliveries. */
const INCIDENTS_A_TURN = 100;
const HEALED_A_TURN = 1_000;
/** Closed incidents with their alerts and deliveries, and as long notices and tests with theirs. */
const KEEP_INCIDENTS = 365 * DAY;
/** Decided gaps with what they left unknown. */
const KEEP_GAPS = 90 * DAY;
const KEEP_REFUSED = 90 * DAY;
const KEEP_SYNCS = 90 * DAY;
const KEEP_AUDIT = 365 * DAY;
const KEEP_MAINTENANCE = 365 * DAY;

type Prune = (before: Instant, after: number, limit: number) => Pruned;

/** A function that begins the upkeep of the hour `now` is in; it goes on over later turns. */
function createUpkeep(parts: ClockWatchParts): (now: Instant) => void {
  const { context, wheel, keyring, adminKeyring, people, turns, lived } = parts;
  const { store } = context;

  /** Finds a hint again that any defect has lost (R19). Each is read in the turn it is armed in. */
  function* heal(): InPieces<void> {
    for (const page of store.monitors.wakes(HEALED_A_TURN)) {
      for (const { monitorId, wakeAt } of page) if (wakeAt !== null) wheel.arm(monitorId, wakeAt);
      yield;
    }
  }

  /** Before old rows are deleted: their own rows say what monitors still need. */
  function* tidy(now: Instant): InPieces<void> {
    while (inTransaction(store, () => store.states.followSome(ROWS_A_TURN))) yield;
    // A clock that is wrong for a minute must delete nothing.
    const settled = lived.settled();
    store.sessions.prune(settled);
    later(measureRuns(store, now));
    // Each by itself: an error in one keeps no other from its end.
    for (const [piece, before, atOnce] of oldRows(store, settled, context.keepPings))
      later(pruneTable(store, piece, before, atOnce));
  }

  const later = turns.laterThrough;
  let plannedOn = wholeDay(parts.clock.now());

  return (now) => {
    later(heal());
    if (wholeDay(now) !== plannedOn) later(planAllAgain(parts));
    plannedOn = wholeDay(now);
    for (const { saveUses } of [keyring, adminKeyring, people]) turns.later(saveUses);
    later(tidy(now));
  };
}

const wholeDay = (at: Instant): number => Math.floor(at / DAY);

/** What is deleted, and how old it must be: of pings and runs not those that must stay. */
const oldRows = (
  store: Store,
  now: Instant,
  keepPings: number,
): (readonly [Prune, before: Instant, atOnce?: number])[] => [
  [store.pings.prune, now - keepPings],
  [store.outputs.prune, now - keepPings],
  [store.runs.prune, now - keepPings],
  [store.runNames.prune, now - PAIRING_SPAN],
  [store.incidents.prune, now - KEEP_INCIDENTS, INCIDENTS_A_TURN],
  [store.alerts.prune, now - KEEP_INCIDENTS, INCIDENTS_A_TURN],
  [store.deletedMonitors.prune, now - KEEP_DELETED],
  [store.gaps.prune, now - KEEP_GAPS],
  [store.refusedReports.prune, now - KEEP_REFUSED],
  [store.syncs.prune, now - KEEP_SYNCS],
  [store.idempotency.prune, now - IDEMPOTENCY_SPAN],
  [store.answerNames.prune, now - IDEMPOTENCY_SPAN],
  [store.audit.prune, now - KEEP_AUDIT],
  [store.maintenances.prune, now - KEEP_MAINTENANCE],
];

/** Monitors whose runs are read in one piece, and how many runs of one that is read for the first time. */
const MEASURED_A_TURN = 10;
const FIRST_RUNS = 200;

/** Once a day for each monitor that reports: how long its newest runs took. */
function* measureRuns(store: Store, now: Instant): InPieces<void> {
  for (let from: number | null = 0; from !== null; yield) {
    const { due, after } = store.runLengths.due(from, now - DAY + MINUTE);
    for (const few of piecesOf(due, MEASURED_A_TURN)) {
      const most = few.some(({ weeks }) => weeks === null) ? FIRST_RUNS : RUNS_SHOWN;
      const runs = unlessDamaged(() => recentRuns(store, few, most));
      const save = () => {
        for (const { id, weeks } of few)
          store.runLengths.save(id, now, weeksWith(weeks ?? [], runs?.get(id) ?? [], now));
      };
      // No one is alarmed because of these.
      unlessDamaged(() => inTransaction(store, save));
      yield;
    }
    from = after;
  }
}

function* pruneTable(store: Store, piece: Prune, before: Instant, atOnce = ROWS_A_TURN): InPieces<void> {
  for (let after: number | null = 0; ; yield) {
    after = inTransaction(store, () => piece(before, after!, atOnce)).after;
    if (after === null) return;
  }
}

export const isNewHour = (last: Instant, now: Instant): boolean => Math.floor(last / HOUR) !== Math.floor(now / HOUR);
