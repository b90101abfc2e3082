// The engine: every operation is one transaction that reads, asks the domain and writes. Pings join a batch, the wheel
// wakes monitors, an operator's words are done at once. Synchronous inside; nothing is answered before it is on disk.

import { type Refusal, refuse } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { FoundGap } from "../domain/monitor/gap.ts";
import type { Policy } from "../domain/settings/policy.ts";
import { HOUR, type Instant, SECOND } from "../domain/time.ts";
import { prepareDeliveries } from "../store/deliveries.ts";
import type { Store } from "../store/store.ts";
import type { Caller, Clock, Engine, Ping, PingAnswer, TellUnstored } from "./api.ts";
import { createCommitter } from "./committer.ts";
import { awaitingFirstKey, createConfigured, declareConfigured } from "./configured.ts";
import { createBatcher } from "./intake/batcher.ts";
import { type Ingested, ingest } from "./intake/ingest.ts";
import { createRefusalMemory } from "./intake/refusal-memory.ts";
import { ingestRefused, type Refused, tellRefusals } from "./intake/refusals.ts";
import { createRejections } from "./intake/rejections.ts";
import { createSync, syncStatus } from "./intake/sync.ts";
import { createKeyring } from "./keyring.ts";
import { createOperators, type Operate } from "./operations/operators.ts";
import type { Aftermath, Desk } from "./record.ts";
import { createAnnouncer } from "./telling/announce.ts";
import { createDrills } from "./telling/drills.ts";
import { decideGap } from "./telling/notices.ts";
import { createOutages } from "./telling/outages.ts";
import type { Failing } from "./telling/reach.ts";
import { createStorageNews } from "./telling/storage-news.ts";
import { createUndelivered } from "./telling/undelivered.ts";
import { createTroubles } from "./troubles.ts";
import { createDoubts } from "./watch/doubts.ts";
import type { Pulse } from "./watch/pulse.ts";
import { createUpkeep, isNewHour } from "./watch/upkeep.ts";
import { createVigil } from "./watch/vigil.ts";
import { wakeOne } from "./watch/wake.ts";
import { createWheel } from "./watch/wheel.ts";
import { createWrongClock } from "./watch/wrong-clock.ts";

/** Pings that share one transaction at most; a turn that brought more commits the rest in the next. */
const BATCH_LIMIT = 2_000;
/** Monitors that are looked at in one transaction at most. */
const WAKES_AT_ONCE = 100;

/** Nobody reads it: who was refused has been answered. */
const REFUSED = refuse("RATE_LIMIT_EXCEEDED", "the rate limit refused the report");
const NOT_STORED = refuse("STORAGE_UNAVAILABLE", "the report could not be stored; it was not recorded, send it again");

export interface EngineParts {
  readonly store: Store;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly pulse: Pulse;
  readonly log: Log;
  /** Calls back at the end of this turn of the event loop: `setImmediate`. */
  readonly schedule: (run: () => void) => void;
  /** Called after a commit that left something to deliver; `urgent`: a destination at which a person waits for it. */
  readonly nudge: (urgent?: string) => void;
  /** Destinations that take nothing at present; asked on each ping. */
  readonly failing: () => Failing;
  readonly tellUnstored: TellUnstored;
  /** How people know this rollcall: its public address, or the computer's name. */
  readonly home: string;
  /** As whom it runs, and its commands are typed; null: not known. */
  readonly user: string | null;
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
  /** Commits what waits. `deafSince`: when reports were last taken. */
  stop(deafSince: Instant): void;
}

interface Arrival {
  readonly ping: Ping;
  readonly at: Instant;
  /** The setting whose limit refused it; null: it is to be recorded. */
  readonly refusedBy: string | null;
}

/** An engine over a migrated store; it does nothing by itself until `start`. */
export function createEngine(parts: EngineParts): RunningEngine {
  const { store, policy, clock, pulse, log, schedule, nudge, failing, home, user, keepPings, tellUnstored } = parts;
  const vigil = createVigil(store.gaps, clock, pulse, log);
  const committer = createCommitter({ store, vigil, clock, log });
  const refusals = createRefusalMemory(store.refusedReports);
  const deliveries = prepareDeliveries(store.database);
  const desk: Desk = { store, policy, failing, home, user, deliveries, refusals, gaps: vigil.gaps };
  const keyring = createKeyring(store, clock);
  const announcer = createAnnouncer(log, nudge);
  const wheel = createWheel(clock.now());
  const batcher = createBatcher<Arrival, PingAnswer>({
    commit,
    failed: () => NOT_STORED,
    schedule,
    limit: BATCH_LIMIT,
  });
  const doubts = createDoubts({ desk, gaps: vigil.gaps, decided: gapsDecided, inLaterTurn });
  const wrongClock = createWrongClock({ desk, clock, vigil, committer, applyToEach, finish, announcer, inLaterTurn });
  const drills = createDrills({ desk, committer, log, announcer });
  const undelivered = createUndelivered({ desk, committer, announcer });
  const outages = createOutages({ desk, committer, announcer });
  const rejections = createRejections({ desk, clock, committer, announcer, log, inLaterTurn });
  const tellOfStorage = createStorageNews({ desk, committer, clock, tell: tellUnstored });
  const upkeep = createUpkeep({ store, wheel, keyring, keepPings, inLaterTurn });
  /** Monitors whose rows threw at the last look: nobody would hear of them. */
  const unreadable = new Set<number>();
  let settling = false;
  let stopped = false;
  let lastTick = clock.now();

  function commit(arrivals: readonly Arrival[]): PingAnswer[] {
    const results = committer.all<Arrival, Ingested>(arrivals, take, thrown, arrivals[0]!.at);
    for (const { refused } of results) if (refused !== undefined) refusals.remember(refused);
    finish(results.map(({ aftermath }) => aftermath));
    return results.map(({ answer }) => answer);
  }

  const take = ({ ping, at, refusedBy }: Arrival): Ingested =>
    refusedBy === null ? ingest(desk, ping, at) : takeNote(ingestRefused(desk, ping, at, refusedBy));

  function thrown({ ping }: Arrival, error: unknown): Ingested {
    const { application } = ping.caller;
    log("error", "ping_failed", { application, monitor: ping.monitorKey, error });
    return { answer: refuse("INTERNAL_ERROR", "the report could not be processed"), aftermath: null };
  }

  /** After the commit. Hints go first: no deadline is forgotten because something else goes wrong. */
  function finish(aftermaths: readonly (Aftermath | null)[]): void {
    for (const aftermath of aftermaths) {
      if (aftermath === null) continue;
      const { monitorId, wakeAt, changedAt } = aftermath;
      wheel.arm(monitorId, wakeAt);
      unreadable.delete(monitorId);
      wrongClock.stored(changedAt);
      doubts.touch(monitorId);
    }
    announcer.alerts(aftermaths.flatMap((aftermath) => aftermath?.raised ?? []));
  }

  /** A refusal that repeats what is known costs nothing more. */
  function refused(ping: Ping, setting: string): void {
    const at = clock.now();
    if (refusals.isNews(ping, at)) void batcher.submit({ ping, at, refusedBy: setting });
  }

  function tellOfRefusals(now: Instant): void {
    if (!refusals.noticeDue(now)) return;
    const raised = committer.one((at) => tellRefusals(desk, at));
    refusals.told(now);
    announcer.notices(raised);
  }

  function gapsDecided(gaps: readonly FoundGap[]): void {
    const raised = committer.one((now) => gaps.flatMap((gap) => decideGap(desk, gap, now)));
    for (const gap of gaps) vigil.forget(gap);
    announcer.notices(raised);
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
        committer.failed(error);
      }
    });
  }

  function wake(ids: readonly number[], now: Instant): void {
    try {
      finish(applyToEach(ids, (id) => wakeOne(desk, id, now), now));
    } catch {
      for (const id of ids) wheel.arm(id, now + SECOND);
    }
  }

  /** One transaction for all. A row that throws stops nobody else: it is logged and looked at again in an hour (R19). */
  function applyToEach<Result extends Aftermath>(
    ids: readonly number[],
    apply: (id: number) => Result | null,
    now: Instant,
  ): (Result | null)[] {
    const unread = (monitorId: number, error: unknown): null => {
      log("error", "monitor_unreadable", { monitorId, error });
      unreadable.add(monitorId);
      doubts.touch(monitorId);
      wheel.arm(monitorId, now + HOUR);
      return null;
    };
    return committer.all<number, Result | null>(ids, apply, unread, null);
  }

  function start(): string[] {
    vigil.start();
    refusals.start(clock.now());
    rejections.start();
    committer.one((now) => createConfigured(desk, now));
    const now = clock.now();
    const declared = applyToEach(store.monitors.ids(), (id) => declareConfigured(desk, id, now), now);
    finish(declared);
    for (const one of declared) if (one?.unwatched) log("warn", "monitor_without_schedule", one.unwatched);
    wrongClock.start();
    return awaitingFirstKey(desk);
  }

  function tick(): void {
    const now = vigil.look();
    // Never two looks beside each other: they would move the wheel back and forth, and neither would come to its end.
    if (!settling) inLaterTurn(() => inLaterTurn(() => settleDue(now)));
    settling = true;
    // First: a disk that is nearly full takes what the vigil writes, and was full all the same.
    inLaterTurn(tellOfStorage);
    if (vigil.hasNews() || committer.failing() !== null) inLaterTurn(committer.keepVigil);
    inLaterTurn(() => doubts.review(now));
    inLaterTurn(() => wrongClock.review(now));
    inLaterTurn(() => tellOfRefusals(now));
    inLaterTurn(() => rejections.review(now));
    if (drills.isTime(now)) inLaterTurn(() => drills.review(now));
    if (undelivered.isTime(now)) inLaterTurn(() => undelivered.review(now));
    if (outages.isTime(now)) inLaterTurn(() => outages.review(now));
    if (isNewHour(lastTick, now)) {
      doubts.heal();
      upkeep(now);
    }
    lastTick = now;
  }

  function stop(deafSince: Instant): void {
    stopped = true;
    batcher.flush();
    try {
      keyring.saveUses();
      committer.one(() => vigil.stop(deafSince));
    } catch (error) {
      committer.failed(error);
    }
  }

  /** An operator's word: after the reports that wait, and at once. */
  const operate: Operate = (run) => {
    batcher.flush();
    const { answer, aftermath, urgent } = committer.one(run);
    finish([aftermath]);
    if (urgent !== undefined) nudge(urgent);
    return answer;
  };

  function authenticate(key: string): Caller | Refusal {
    try {
      return keyring.authenticate(key);
    } catch (error) {
      committer.lost(error);
      return NOT_STORED;
    }
  }

  return {
    ...createOperators({ desk, operate, flush: batcher.flush, clock }),
    authenticate,
    createApplication: keyring.createApplication,
    createKey: keyring.createKey,
    listKeys: keyring.listKeys,
    revokeKey: keyring.revokeKey,
    ingest: (ping) => batcher.submit({ ping, at: clock.now(), refusedBy: null }),
    refused,
    rejected: rejections.note,
    sync: createSync({ desk, clock, committer, log, flush: batcher.flush, finish }),
    syncStatus: (caller) => syncStatus(desk, caller, clock.now()),
    troubles: createTroubles({ desk, committer, wrongClock, clock, unreadable }),
    start,
    tick,
    stop,
  };
}

const takeNote = (refused: Refused): Ingested => ({ answer: REFUSED, aftermath: refused.aftermath, refused });
