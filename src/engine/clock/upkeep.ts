// Once an hour: finds lost hints again, lets monitors' own rows follow their facts, and deletes old rows; a bounded
// piece in each turn of the event loop, so that no ping waits long for it.

import { IDEMPOTENCY_SPAN } from "../../domain/limits.ts";
import { DAY, HOUR, type Instant } from "../../domain/time.ts";
import type { Pruned } from "../../store/retention.ts";
import type { Store } from "../../store/store.ts";
import type { Keyring } from "../keyring.ts";
import type { People } from "../people/people.ts";
import { inTransaction } from "../transaction.ts";
import type { Turns } from "../turns.ts";
import type { Wheel } from "./wheel.ts";

const ROWS_A_TURN = 500;
/** Hints compared with their rows. */
const HEALED_A_TURN = 1_000;
/** Closed incidents with their alerts and deliveries, and as long notices and tests with theirs. */
const KEEP_INCIDENTS = 365 * DAY;
/** Decided gaps with what they left unknown. */
const KEEP_GAPS = 90 * DAY;
/** Refused reports that were told. */
const KEEP_REFUSED = 90 * DAY;
/** The history of bulk syncs. */
const KEEP_SYNCS = 90 * DAY;
/** Who did what. */
const KEEP_AUDIT = 365 * DAY;
/** What is left of deleted monitors (R25). */
export const KEEP_DELETED = 7 * DAY;

type Prune = (before: Instant, after: number, limit: number) => Pruned;

interface UpkeepParts {
  readonly store: Store;
  readonly wheel: Wheel;
  readonly keyring: Keyring;
  readonly people: Pick<People, "saveUses">;
  /** Milliseconds. */
  readonly keepPings: number;
  readonly turns: Turns;
}

/** A function that begins the upkeep of the hour `now` is in; it goes on over later turns. */
export function createUpkeep({ store, wheel, keyring, people, keepPings, turns }: UpkeepParts): (now: Instant) => void {
  /** Finds a hint again that any defect has lost (R19). Each is read in the turn it is armed in. */
  function heal(after = 0): void {
    let left = HEALED_A_TURN;
    for (const { monitorId, wakeAt } of store.monitors.allWakes(after)) {
      wheel.arm(monitorId, wakeAt);
      left--;
      if (left === 0) return turns.later(() => heal(monitorId));
    }
  }

  return (now) => {
    turns.later(heal);
    turns.later(keyring.saveUses);
    turns.later(people.saveUses);
    turns.later(() => followUp(() => prune(store, now, keepPings, turns.later)));
  };

  /** Before old rows are deleted: their own rows say what monitors still need. */
  function followUp(done: () => void): void {
    const isLeft = inTransaction(store, () => store.states.followSome(ROWS_A_TURN));
    turns.later(isLeft ? () => followUp(done) : done);
  }
}

/** Deletes pings and runs older than `keepPings` milliseconds that need not stay, and other old rows; over later turns. */
function prune(store: Store, now: Instant, keepPings: number, schedule: (run: () => void) => void): void {
  pruneTable(store.pings.prune, now - keepPings);
  pruneTable(store.runs.prune, now - keepPings);
  pruneTable(store.incidents.prune, now - KEEP_INCIDENTS);
  pruneTable(store.alerts.prune, now - KEEP_INCIDENTS);
  pruneTable(store.deletedMonitors.prune, now - KEEP_DELETED);
  pruneTable(store.gaps.prune, now - KEEP_GAPS);
  pruneTable(store.rateLimitedReports.prune, now - KEEP_REFUSED);
  pruneTable(store.rejectedReports.prune, now - KEEP_REFUSED);
  pruneTable(store.syncs.prune, now - KEEP_SYNCS);
  pruneTable(store.idempotency.prune, now - IDEMPOTENCY_SPAN);
  pruneTable(store.audit.prune, now - KEEP_AUDIT);
  store.sessions.prune(now);

  function pruneTable(piece: Prune, before: Instant, after = 0): void {
    const { after: next } = inTransaction(store, () => piece(before, after, ROWS_A_TURN));
    if (next !== null) schedule(() => pruneTable(piece, before, next));
  }
}

/** Whether an hour has begun since `last` that `now` is in. */
export const isNewHour = (last: Instant, now: Instant): boolean => Math.floor(last / HOUR) !== Math.floor(now / HOUR);
