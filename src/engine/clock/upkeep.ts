// Once an hour: finds lost hints again, lets monitors' own rows follow their facts, and deletes old rows; a bounded
// piece in each turn of the event loop, so that no ping waits long for it.

import type { InPieces } from "../../domain/in-pieces.ts";
import { IDEMPOTENCY_SPAN, KEEP_DELETED, PAIRING_SPAN } from "../../domain/limits.ts";
import { DAY, HOUR, type Instant } from "../../domain/time.ts";
import type { Pruned } from "../../store/retention.ts";
import type { Store } from "../../store/store.ts";
import type { AdminKeyring } from "../admin-keyring.ts";
import type { EngineContext } from "../context.ts";
import type { Keyring } from "../keyring.ts";
import type { People } from "../people/people.ts";
import { inTransaction } from "../transaction.ts";
import type { Turns } from "../turns.ts";
import type { Wheel } from "./wheel.ts";

const ROWS_A_TURN = 500;
/** Each goes with its alerts and deliveries. */
const INCIDENTS_A_TURN = 100;
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
type Prune = (before: Instant, after: number, limit: number) => Pruned;

interface UpkeepParts {
  readonly context: EngineContext;
  readonly wheel: Wheel;
  readonly keyring: Keyring;
  readonly adminKeyring: Pick<AdminKeyring, "saveUses">;
  readonly people: Pick<People, "saveUses">;
  readonly turns: Turns;
}

/** A function that begins the upkeep of the hour `now` is in; it goes on over later turns. */
export function createUpkeep(parts: UpkeepParts): (now: Instant) => void {
  const { context, wheel, keyring, adminKeyring, people, turns } = parts;
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
    store.sessions.prune(now);
    // Each by itself: an error in one keeps no other from its end.
    for (const [piece, before, atOnce] of oldRows(store, now, context.keepPings))
      later(pruneTable(store, piece, before, atOnce));
  }

  const later = (work: InPieces<void>): void => turns.later(() => turns.through(work));

  return (now) => {
    later(heal());
    turns.later(keyring.saveUses);
    turns.later(adminKeyring.saveUses);
    turns.later(people.saveUses);
    later(tidy(now));
  };
}

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
  [store.rateLimitedReports.prune, now - KEEP_REFUSED],
  [store.rejectedReports.prune, now - KEEP_REFUSED],
  [store.syncs.prune, now - KEEP_SYNCS],
  [store.idempotency.prune, now - IDEMPOTENCY_SPAN],
  [store.audit.prune, now - KEEP_AUDIT],
];

function* pruneTable(store: Store, piece: Prune, before: Instant, atOnce = ROWS_A_TURN): InPieces<void> {
  for (let after: number | null = 0; ; yield) {
    after = inTransaction(store, () => piece(before, after!, atOnce)).after;
    if (after === null) return;
  }
}

/** Whether an hour has begun since `last` that `now` is in. */
export const isNewHour = (last: Instant, now: Instant): boolean => Math.floor(last / HOUR) !== Math.floor(now / HOUR);
