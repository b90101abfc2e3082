// The engine: every operation is one transaction that reads, asks the domain and writes. Pings join a batch, the wheel
// wakes monitors, an operator's words are done at once. Synchronous inside; nothing is answered before it is on disk.

import { type Refusal, refuse } from "../domain/errors.ts";
import type { FoundGap } from "../domain/monitor/gap.ts";
import { HOUR, type Instant, SECOND } from "../domain/time.ts";
import { prepareDeliveries } from "../store/deliveries.ts";
import type { Caller, Ping, PingAnswer } from "./api.ts";
import { createCommitter } from "./committer.ts";
import { awaitingFirstKey, createConfigured, declareConfigured } from "./configured.ts";
import { createBatcher } from "./intake/batcher.ts";
import { type Ingested, ingest } from "./intake/ingest.ts";
import { ingestRateLimited, type RateLimited, tellRateLimited } from "./intake/rate-limited.ts";
import { createRateLimitedMemory } from "./intake/rate-limited-memory.ts";
import { createRejections } from "./intake/rejections.ts";
import { createSync, syncStatus } from "./intake/sync.ts";
import { createKeyring } from "./keyring.ts";
import { createOperators, type Operate } from "./operations/operators.ts";
import type { EngineParts, RunningEngine } from "./parts.ts";
import type { AfterCommit, EngineContext } from "./record.ts";
import { createAnnouncer } from "./telling/announce.ts";
import { createDrills } from "./telling/drills.ts";
import { decideGap } from "./telling/notices.ts";
import { createOutages } from "./telling/outages.ts";
import { createStorageNews } from "./telling/storage-news.ts";
import { createUndelivered } from "./telling/undelivered.ts";
import { createTroubles } from "./troubles.ts";
import { createDoubts } from "./watch/doubts.ts";
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
  const refusals = createRateLimitedMemory(store.refusedReports);
  const deliveries = prepareDeliveries(store.database);
  const context: EngineContext = { store, policy, failing, home, user, deliveries, refusals, gaps: vigil.gaps };
  const keyring = createKeyring(store, clock);
  const announcer = createAnnouncer(log, nudge);
  const wheel = createWheel(clock.now());
  const batcher = createBatcher<Arrival, PingAnswer>({
    commit,
    failed: () => NOT_STORED,
    schedule,
    limit: BATCH_LIMIT,
  });
  const doubts = createDoubts({ context, gaps: vigil.gaps, decided: gapsDecided, inLaterTurn });
  const wrongClock = createWrongClock({
    context,
    clock,
    vigil,
    committer,
    applyToEach,
    finish,
    announcer,
    inLaterTurn,
  });
  const drills = createDrills({ context, committer, log, announcer });
  const undelivered = createUndelivered({ context, committer, announcer });
  const outages = createOutages({ context, committer, announcer });
  const rejections = createRejections({ context, clock, committer, announcer, log, inLaterTurn });
  const tellOfStorage = createStorageNews({ context, committer, clock, tell: tellUnstored });
  const upkeep = createUpkeep({ store, wheel, keyring, keepPings, inLaterTurn });
  /** Monitors whose rows threw at the last look: nobody would hear of them. */
  const unreadable = new Set<number>();
  let settling = false;
  let stopped = false;
  let lastTick = clock.now();

  function commit(arrivals: readonly Arrival[]): PingAnswer[] {
    const results = committer.all<Arrival, Ingested>(arrivals, take, thrown, arrivals[0]!.at);
    for (const { refused } of results) if (refused !== undefined) refusals.remember(refused);
    finish(results.map(({ afterCommit }) => afterCommit));
    return results.map(({ answer }) => answer);
  }

  const take = ({ ping, at, refusedBy }: Arrival): Ingested =>
    refusedBy === null ? ingest(context, ping, at) : takeNote(ingestRateLimited(context, ping, at, refusedBy));

  function thrown({ ping }: Arrival, error: unknown): Ingested {
    const { application } = ping.caller;
    log("error", "ping_failed", { application, monitor: ping.monitorKey, error });
    return { answer: refuse("INTERNAL_ERROR", "the report could not be processed"), afterCommit: null };
  }

  /** After the commit. Hints go first: no deadline is forgotten because something else goes wrong. */
  function finish(afterCommits: readonly (AfterCommit | null)[]): void {
    for (const afterCommit of afterCommits) {
      if (afterCommit === null) continue;
      const { monitorId, wakeAt, changedAt } = afterCommit;
      wheel.arm(monitorId, wakeAt);
      unreadable.delete(monitorId);
      wrongClock.stored(changedAt);
      doubts.touch(monitorId);
    }
    announcer.alerts(afterCommits.flatMap((afterCommit) => afterCommit?.raised ?? []));
  }

  /** A refusal that repeats what is known costs nothing more. */
  function refused(ping: Ping, setting: string): void {
    const at = clock.now();
    if (refusals.isNews(ping, at)) void batcher.submit({ ping, at, refusedBy: setting });
  }

  function tellOfRefusals(now: Instant): void {
    if (!refusals.noticeDue(now)) return;
    const raised = committer.one((at) => tellRateLimited(context, at));
    refusals.told(now);
    announcer.notices(raised);
  }

  function gapsDecided(gaps: readonly FoundGap[]): void {
    const raised = committer.one((now) => gaps.flatMap((gap) => decideGap(context, gap, now)));
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
      finish(applyToEach(ids, (id) => wakeOne(context, id, now), now));
    } catch {
      for (const id of ids) wheel.arm(id, now + SECOND);
    }
  }

  /** One transaction for all. A row that throws stops nobody else: it is logged and looked at again in an hour (R19). */
  function applyToEach<Result extends AfterCommit>(
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
    committer.one((now) => createConfigured(context, now));
    const now = clock.now();
    const declared = applyToEach(store.monitors.ids(), (id) => declareConfigured(context, id, now), now);
    finish(declared);
    for (const one of declared) if (one?.unwatched) log("warn", "monitor_without_schedule", one.unwatched);
    wrongClock.start();
    return awaitingFirstKey(context);
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
    const { answer, afterCommit, urgent } = committer.one(run);
    finish([afterCommit]);
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
    ...createOperators({ context, operate, flush: batcher.flush, clock }),
    authenticate,
    createApplication: keyring.createApplication,
    createKey: keyring.createKey,
    listKeys: keyring.listKeys,
    revokeKey: keyring.revokeKey,
    ingest: (ping) => batcher.submit({ ping, at: clock.now(), refusedBy: null }),
    refused,
    rejected: rejections.note,
    sync: createSync({ context, clock, committer, log, flush: batcher.flush, finish }),
    syncStatus: (caller) => syncStatus(context, caller, clock.now()),
    troubles: createTroubles({ context, committer, wrongClock, clock, unreadable }),
    start,
    tick,
    stop,
  };
}

const takeNote = (refused: RateLimited): Ingested => ({ answer: REFUSED, afterCommit: refused.afterCommit, refused });
