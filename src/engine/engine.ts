// The engine: every operation is one transaction that reads, asks the domain and writes. Pings join a batch, the wheel
// wakes monitors, an operator's words are done at once. Synchronous inside; nothing is answered before it is on disk.

import { type Refusal, refuse } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Policy } from "../domain/policy.ts";
import { wakeAt } from "../domain/settle.ts";
import { HOUR, type Instant, SECOND, toIso } from "../domain/time.ts";
import { transition } from "../domain/transition.ts";
import { prepareDeliveries } from "../store/deliveries.ts";
import type { Store } from "../store/store.ts";
import { createBatcher } from "./batcher.ts";
import { awaitingFirstKey, createConfigured, declareConfigured, missingApplications } from "./configured.ts";
import type { Clock, Engine, Ping, Receipt } from "./contract.ts";
import { NO_GAPS } from "./gaps.ts";
import { type Ingested, ingest, rulesOf } from "./ingest.ts";
import { createKeyring } from "./keyring.ts";
import { type Failing, unreachable } from "./reach.ts";
import { type Aftermath, type Desk, type RaisedAlert, record } from "./record.ts";
import { runBatch } from "./transaction.ts";
import { isNewHour, prune } from "./upkeep.ts";
import { createWheel } from "./wheel.ts";

/** Pings that share one transaction at most; a turn that brought more commits the rest in the next. */
const BATCH_LIMIT = 2_000;
/** Monitors that are looked at in one transaction at most. */
const WAKES_AT_ONCE = 100;
/** Hints compared with their rows in one turn of the hourly scan. */
const HEALED_A_TURN = 1_000;

const NOT_STORED = refuse("STORAGE_UNAVAILABLE", "the report could not be stored; it was not recorded, send it again");

export interface EngineParts {
  readonly store: Store;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly log: Log;
  /** Calls back at the end of this turn of the event loop: `setImmediate`. */
  readonly schedule: (run: () => void) => void;
  /** Called after a commit that left something to deliver. */
  readonly nudge: () => void;
  /** Destinations that take nothing at present; asked on each ping. */
  readonly failing: () => Failing;
  /** Milliseconds. */
  readonly keepPings: number;
}

export interface RunningEngine extends Engine {
  /**
   * Brings what the configuration names into the store and fills the wheel, once. Answers the slugs of applications that
   * wait for their first key.
   */
  start(): string[];
  /** Called once a second. */
  tick(): void;
  /** Commits what waits. */
  stop(): void;
}

interface Arrival {
  readonly ping: Ping;
  readonly at: Instant;
}

/** An engine over a migrated store; it does nothing by itself until `start`. */
export function createEngine(parts: EngineParts): RunningEngine {
  const { store, policy, clock, log, schedule, nudge, failing, keepPings } = parts;
  const { database } = store;
  const desk: Desk = { store, policy, failing, deliveries: prepareDeliveries(database) };
  const keyring = createKeyring(store, clock);
  const wheel = createWheel(clock.now());
  const batcher = createBatcher<Arrival, Receipt | Refusal>({ commit, failed, schedule, limit: BATCH_LIMIT });
  /** Monitors whose rows threw at the last look: nobody would hear of them. */
  const unreadable = new Set<number>();
  let storageFault: string | null = null;
  let settling = false;
  let stopped = false;
  let lastTick = clock.now();

  function commit(arrivals: readonly Arrival[]): (Receipt | Refusal)[] {
    const results = runBatch(database, arrivals, ({ ping, at }) => ingest(desk, ping, at), thrown);
    storageWorks();
    finish(results.map(({ aftermath }) => aftermath));
    return results.map(({ answer }) => answer);
  }

  function thrown({ ping }: Arrival, error: unknown): Ingested {
    const { application } = ping.caller;
    log("error", "ping_failed", { application, monitor: ping.monitorKey, error });
    return { answer: refuse("INTERNAL_ERROR", "the report could not be processed"), aftermath: null };
  }

  function failed(error: unknown): Refusal {
    storageFailed(error);
    return NOT_STORED;
  }

  /** Logged once until it works again: a batch may fail with every turn. */
  function storageFailed(error: unknown): void {
    if (storageFault === null) log("error", "storage_failed", { error });
    storageFault = "the database cannot be written";
  }

  function storageWorks(): void {
    if (storageFault !== null) log("info", "storage_works");
    storageFault = null;
  }

  /** Whoever sends nothing while we are not ready would never let us find out that storage works again. */
  function tryStorage(): void {
    database.transaction(store.pings.tryOut).immediate();
    storageWorks();
  }

  /** After the commit. Hints go first: no deadline is forgotten because something else goes wrong. */
  function finish(aftermaths: readonly (Aftermath | null)[]): void {
    for (const aftermath of aftermaths) {
      if (aftermath === null) continue;
      wheel.arm(aftermath.monitorId, aftermath.wakeAt);
      unreadable.delete(aftermath.monitorId);
    }
    const raised = aftermaths.flatMap((aftermath) => aftermath?.raised ?? []);
    if (raised.length > 0) announce(raised);
  }

  /** What was committed stays committed, whatever becomes of the words about it. */
  function announce(raised: readonly RaisedAlert[]): void {
    try {
      nudge();
      for (const alert of raised) logAlert(log, alert);
    } catch (error) {
      log("error", "announcing_failed", { error });
    }
  }

  /** The waiting batch goes first, and input has had a full turn since `due`: no report in time loses to the clock (R19). */
  function settleDue(due: Instant): void {
    settling = false;
    batcher.flush();
    const ids = wheel.advance(due, WAKES_AT_ONCE);
    if (ids.length > 0) wake(ids, due);
    if (!wheel.more()) return;
    settling = true;
    inLaterTurn(() => settleDue(due));
  }

  /** In a later turn; a failure there has nobody to be thrown to. */
  function inLaterTurn(run: () => void): void {
    schedule(() => {
      if (stopped) return;
      try {
        run();
      } catch (error) {
        storageFailed(error);
      }
    });
  }

  function wake(ids: readonly number[], now: Instant): void {
    try {
      finish(applyToEach(ids, (id) => wakeOne(desk, id, now), now));
      storageWorks();
    } catch (error) {
      storageFailed(error);
      for (const id of ids) wheel.arm(id, now + SECOND);
    }
  }

  /** One transaction for all. A row that throws stops nobody else: it is logged and looked at again in an hour (R19). */
  function applyToEach<Result extends Aftermath>(
    ids: readonly number[],
    apply: (id: number) => Result | null,
    now: Instant,
  ): (Result | null)[] {
    return runBatch<number, Result | null>(database, ids, apply, (monitorId, error) => {
      log("error", "monitor_unreadable", { monitorId, error });
      unreadable.add(monitorId);
      wheel.arm(monitorId, now + HOUR);
      return null;
    });
  }

  function start(): string[] {
    const now = clock.now();
    database
      .transaction(() => {
        for (const slug of missingApplications(desk)) store.applications.create(slug, now);
        createConfigured(desk, now);
      })
      .immediate();
    for (const { monitorId, wakeAt } of store.monitors.allWakes()) wheel.arm(monitorId, wakeAt);
    const declared = applyToEach(store.monitors.ids(), (id) => declareConfigured(desk, id, now), now);
    finish(declared);
    for (const one of declared) if (one?.unwatched) log("warn", "monitor_without_schedule", one.unwatched);
    return awaitingFirstKey(desk);
  }

  function tick(): void {
    const now = clock.now();
    // Never two looks beside each other: they would move the wheel back and forth, and neither would come to its end.
    if (!settling) inLaterTurn(() => inLaterTurn(() => settleDue(now)));
    settling = true;
    if (storageFault !== null) inLaterTurn(tryStorage);
    if (isNewHour(lastTick, now)) inLaterTurn(() => hourly(now));
    lastTick = now;
  }

  function hourly(now: Instant): void {
    heal();
    inLaterTurn(keyring.saveUses);
    inLaterTurn(() => prune(store, now, keepPings, inLaterTurn));
  }

  /** A hint that was lost, by whatever defect, is found again (R19). Some a turn, each read in the turn it is armed in. */
  function heal(after = 0): void {
    let left = HEALED_A_TURN;
    for (const { monitorId, wakeAt } of store.monitors.allWakes(after)) {
      wheel.arm(monitorId, wakeAt);
      left--;
      if (left === 0) return inLaterTurn(() => heal(monitorId));
    }
  }

  function stop(): void {
    stopped = true;
    batcher.flush();
    try {
      keyring.saveUses();
    } catch (error) {
      storageFailed(error);
    }
  }

  function troubles(): string[] {
    const unheard = store.applications.list().flatMap(({ slug }) => {
      const why = unreachable(policy, failing(), slug, "");
      return why === null ? [] : [`alerts of application "${slug}" cannot be delivered: ${why}`];
    });
    const unread = unreadable.size === 0 ? [] : [`${unreadable.size} monitors cannot be read, the log names them`];
    return [...(storageFault === null ? [] : [storageFault]), ...unread, ...unheard];
  }

  return {
    authenticate: keyring.authenticate,
    createApplication: keyring.createApplication,
    createKey: keyring.createKey,
    listKeys: keyring.listKeys,
    revokeKey: keyring.revokeKey,
    ingest: (ping) => batcher.submit({ ping, at: clock.now() }),
    troubles,
    start,
    tick,
    stop,
  };
}

/** Looks at one monitor because time has passed; writes nothing when there was nothing to settle. */
function wakeOne(desk: Desk, monitorId: number, now: Instant): Aftermath {
  const before = desk.store.monitors.loadById(monitorId, rulesOf(desk.policy));
  const due = before === null ? null : wakeAt(before.monitor, NO_GAPS);
  if (before === null || due === null || due > now) return { monitorId, wakeAt: due, raised: [] };
  return record(desk, before, transition(before.monitor, { kind: "wake" }, now, NO_GAPS), now, null);
}

/** Without a delivery the log is all there is, so it speaks as loudly as it can (R36). */
function logAlert(log: Log, { message, deliveries }: RaisedAlert): void {
  const { applicationId: application, monitorKey: monitor, kind, cause, reason, incidentId: incident } = message.data;
  const level = deliveries === 0 ? "error" : "info";
  log(level, "alert", { application, monitor, kind, cause, reason, incident, trueAt: toIso(message.at), deliveries });
}
