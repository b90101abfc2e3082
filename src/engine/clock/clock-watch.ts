// Does the regular work. Once a second it looks at the monitors whose time has come (a miss, a run too long) and at
// gaps that still leave monitors in doubt. It also corrects a wrong clock. Once an hour it does the upkeep. All of it
// runs in later turns of the event loop, so that reports go first.

import { type InPieces, piecesOf } from "../../domain/in-pieces.ts";
import { IDEMPOTENCY_SPAN, KEEP_DELETED, PAIRING_SPAN } from "../../domain/limits.ts";
import { weeksWith } from "../../domain/monitor/run-lengths.ts";
import { DAY, type Instant, isNewHour, MINUTE, SECOND } from "../../domain/time.ts";
import type { Pruned } from "../../store/retention.ts";
import { unlessDamaged } from "../../store/sql.ts";
import type { Store } from "../../store/store.ts";
import { RUNS_SHOWN, recentRuns } from "../../views/recent-runs.ts";
import type { AdminKeyring } from "../admin-keyring.ts";
import type { AfterCommit } from "../engine-context.ts";
import type { Keyring } from "../keyring.ts";
import { planAllAgain } from "../outbox/plan-again.ts";
import { putOffWaitingMessages } from "../outbox/put-off.ts";
import type { NoticeTools } from "../outbox/review.ts";
import type { LivedClock } from "../own-outages/lived-clock.ts";
import type { NewestInstant } from "../own-outages/newest-instant.ts";
import type { People } from "../people/person-accounts.ts";
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
 * The work of each second, file by file:
 * 1. `../own-outages/gap-tracker.ts` finds out whether reports could be heard since the last second.
 * 2. The waiting batch is committed. `wheel.ts` names the monitors that may be due; `wake.ts` reads each again, and the
 * domain settles what is due.
 * 3. `../record.ts` saves what that changed; `monitor-memory.ts` arms the wheel again.
 * 4. `doubts.ts` finds the monitors that gaps leave in doubt, and tells what each gap left unknown once there are none.
 * 5. `set-back.ts` pulls back instants that lie in the future.
 * 6. Once an hour the upkeep finds lost hints and deletes old data. Once a day it plans waiting messages again and
 * writes what receivers are owed.
 */
export function createClockWatch(parts: ClockWatchParts) {
  const { clock, gaps, committer, doubts, background, lived } = parts;
  const settling = createSettling(parts);
  const wrongClock = createWrongClock(parts);
  const upkeep = createUpkeep(parts);
  let lastReview = clock.now();

  /**
   * Begins the other work of this second, after `settle` has begun to judge the due monitors. Once an hour that
   * includes the upkeep. `now` is what `settle` returned.
   */
  function review(now: Instant): void {
    if (gaps.hasNews() || committer.failing() !== null) background.later(committer.tryOut);
    background.later(() => doubts.review(now));
    background.later(() => wrongClock.review(now));
    if (isNewHour(lastReview, now)) {
      // Every gap is checked against all monitors again, in case `doubts` was not told of a changed monitor.
      gaps.searchAgain();
      upkeep(now);
    }
    lastReview = now;
  }

  return {
    /**
     * Begins to judge the monitors that are due. The judging happens in later turns. Returns the present instant: what
     * is due by then is judged. Must be called once a second, before `review`.
     */
    settle: (): Instant => {
      const movedMs = lived.look();
      const now = gaps.look();
      // After a forward step of the clock, waiting messages are put off before the notifier asks what is due. Otherwise
      // a message that waits 20 minutes for an acknowledgement would be sent too early.
      if (movedMs !== 0) background.laterThrough(putOffWaitingMessages(parts, movedMs));
      settling.begin(now);
      return now;
    },
    isSettling: settling.isUnderWay,
    review,
    trouble: wrongClock.trouble,
  };
}

// Below: judges the monitors that the wheel names (R19), some in each turn. Their rows say what is really due.

/** How many milliseconds one transaction should take, not counting its commit. Longer ones would hold up reports. */
const TRANSACTION_MS = 8;
const AT_ONCE = { least: 25, most: 250 } as const;

function createSettling({ context, clock, wheel, memory, background, flush }: ClockWatchParts) {
  let settling = false;
  let atOnce: number = AT_ONCE.least;

  /**
   * Judges some of the monitors that are due. The waiting batch is committed first, and reports have had a full turn to
   * come in since `due`. So a report that came in time always counts.
   */
  function settleDue(due: Instant): void {
    // `settling` is reset first, so that the next second begins to judge again even after an error.
    settling = false;
    flush();
    const ids = wheel.advance(due, atOnce);
    if (ids.length > 0) wake(ids, due);
    if (!wheel.more()) return;
    settling = true;
    background.later(() => settleDue(due));
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
      // `atOnce`, the number of monitors for one transaction, at most doubles each time. The first monitors take
      // longest, because the code is not compiled yet.
      atOnce = clamp((ids.length * TRANSACTION_MS) / took, Math.min(2 * atOnce, AT_ONCE.most));
    } catch {
      for (const id of ids) wheel.arm(id, now + SECOND);
      // Perhaps many of these monitors cannot be read. A transaction is repeated at most 32 times, each time without
      // one such monitor, and then fails. A smaller transaction has fewer of them.
      atOnce = AT_ONCE.least;
    }
  }

  return {
    begin: (due: Instant): void => {
      // Only one pass over the due monitors runs at a time. Two passes would move the wheel back and forth, and neither
      // would end.
      if (!settling) background.later(() => background.later(() => settleDue(due)));
      settling = true;
    },
    isUnderWay: () => settling,
  };
}

const clamp = (looks: number, most: number): number => Math.min(Math.max(Math.floor(looks), AT_ONCE.least), most);

// Below: the upkeep of each hour. It finds monitors that the wheel has lost, updates the monitors' rows from the facts
// in memory, and deletes old rows. Each turn does a limited piece, so that no report waits long.

const ROWS_A_PIECE = 500;
/** How many incidents one turn deletes, each with its alerts and deliveries. */
const INCIDENTS_A_PIECE = 100;
const HEALED_A_PIECE = 1_000;
/** How long closed incidents are kept, with their alerts and deliveries. Notices and tests are kept as long. */
const KEEP_INCIDENTS = 365 * DAY;
/** How long gaps are kept after all of their monitors were judged, with the slots and runs that they left unknown. */
const KEEP_GAPS = 90 * DAY;
const KEEP_REFUSED = 90 * DAY;
const KEEP_SYNCS = 90 * DAY;
const KEEP_AUDIT = 365 * DAY;
const KEEP_MAINTENANCE = 365 * DAY;
/**
 * How long rollcall remembers the times at which monitors were paused: longer than calendars and status pages look
 * back.
 */
const KEEP_PAUSED = 100 * DAY;

type Prune = (before: Instant, after: number, limit: number) => Pruned;

/** Makes the function that begins the upkeep of an hour, which goes on over later turns. */
function createUpkeep(parts: ClockWatchParts): (now: Instant) => void {
  const { context, wheel, keyring, adminKeyring, people, background, lived } = parts;
  const { store } = context;

  /** Gives every monitor's due time to the wheel again, in case an error has lost one (R19). */
  function* heal(): InPieces<void> {
    for (const page of store.monitors.wakes(HEALED_A_PIECE)) {
      for (const { monitorId, wakeAt } of page) if (wakeAt !== null) wheel.arm(monitorId, wakeAt);
      yield;
    }
  }

  /** Updates the monitors' rows first, because they say which old rows are still needed; then deletes old rows. */
  function* tidy(now: Instant): InPieces<void> {
    while (inTransaction(store, () => store.memory.writeBehindSome(ROWS_A_PIECE))) yield;
    // The age of a row counts from the time that is believed. Otherwise a clock that is years ahead for a minute would
    // delete everything.
    const believed = lived.certain();
    store.sessions.prune(believed);
    later(measureRuns(store, now));
    // Each table is pruned in work of its own, so that an error in one does not stop the others.
    for (const [piece, before, atOnce] of oldRows(store, believed, context.keepPings))
      later(pruneTable(store, piece, before, atOnce));
  }

  const later = background.laterThrough;
  let plannedOn = wholeDay(parts.clock.now());

  return (now) => {
    later(heal());
    if (wholeDay(now) !== plannedOn) later(planAllAgain(parts));
    plannedOn = wholeDay(now);
    for (const { saveUses } of [keyring, adminKeyring, people]) background.later(saveUses);
    later(tidy(now));
  };
}

const wholeDay = (at: Instant): number => Math.floor(at / DAY);

/**
 * The tables from which old rows are deleted, each with an instant: rows from before it are deleted. Reports and runs
 * that a monitor still needs are kept even then.
 */
const oldRows = (
  store: Store,
  now: Instant,
  keepPings: number,
): (readonly [Prune, before: Instant, atOnce?: number])[] => [
  [store.pings.prune, now - keepPings],
  [store.outputs.prune, now - keepPings],
  [store.runs.prune, now - keepPings],
  [store.runNames.prune, now - PAIRING_SPAN],
  [store.incidents.prune, now - KEEP_INCIDENTS, INCIDENTS_A_PIECE],
  [store.alerts.prune, now - KEEP_INCIDENTS, INCIDENTS_A_PIECE],
  [store.deletedMonitors.prune, now - KEEP_DELETED],
  [store.gaps.prune, now - KEEP_GAPS],
  [store.refusedReports.prune, now - KEEP_REFUSED],
  [store.syncs.prune, now - KEEP_SYNCS],
  [store.idempotency.prune, now - IDEMPOTENCY_SPAN],
  [store.receiptNames.prune, now - IDEMPOTENCY_SPAN],
  [store.audit.prune, now - KEEP_AUDIT],
  [store.maintenances.prune, now - KEEP_MAINTENANCE],
  [store.pausedSpans.prune, now - Math.max(KEEP_PAUSED, keepPings)],
];

/**
 * For how many monitors one turn computes the lengths of runs, and how many runs it reads of a monitor for which they
 * were never computed.
 */
const MEASURED_A_PIECE = 10;
const FIRST_RUNS = 200;

/** Computes once a day how long the newest runs of each monitor took. */
function* measureRuns(store: Store, now: Instant): InPieces<void> {
  for (let from: number | null = 0; from !== null; yield) {
    const { due, after } = store.runLengths.due(from, now - DAY + MINUTE);
    for (const few of piecesOf(due, MEASURED_A_PIECE)) {
      const most = few.some(({ weeks }) => weeks === null) ? FIRST_RUNS : RUNS_SHOWN;
      const runs = unlessDamaged(() => recentRuns(store, few, most));
      const save = () => {
        for (const { id, weeks } of few)
          store.runLengths.save(id, now, weeksWith(weeks ?? [], runs?.get(id) ?? [], now));
      };
      // Damaged pages are skipped here, because no alarm depends on the lengths of runs.
      unlessDamaged(() => inTransaction(store, save));
      yield;
    }
    from = after;
  }
}

function* pruneTable(store: Store, piece: Prune, before: Instant, atOnce = ROWS_A_PIECE): InPieces<void> {
  for (let after: number | null = 0; ; yield) {
    after = inTransaction(store, () => piece(before, after!, atOnce)).after;
    if (after === null) return;
  }
}
