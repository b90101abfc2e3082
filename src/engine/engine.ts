// The engine: every operation is one transaction that reads, asks the domain and writes. Builds its parts in start
// order: intake, clock, telling. Synchronous inside; answers only after the commit is on disk.

import type { InPieces } from "../domain/in-pieces.ts";
import type { LastRefusalNotice } from "../domain/message/refusal-notice.ts";
import type { Instant } from "../domain/time.ts";
import { prepareDeliveries } from "../store/deliveries.ts";
import { createChanges } from "../views/changes.ts";
import { createViews } from "../views/views.ts";
import { type ActiveCounts, createActiveCounts } from "./active-counts.ts";
import { createAdminKeyring } from "./admin-keyring.ts";
import { applyConfiguration, declareAll } from "./clock/apply-configuration.ts";
import { createClockWatch } from "./clock/clock-watch.ts";
import { awaitingFirstKey, createConfigured } from "./clock/configured.ts";
import { createDoubts } from "./clock/doubts.ts";
import { createMonitorMemory } from "./clock/monitor-memory.ts";
import { createWheel } from "./clock/wheel.ts";
import { createCommitter } from "./committer.ts";
import { measuresOf } from "./health/measures.ts";
import { createTroubles } from "./health/troubles.ts";
import { createVitalSigns } from "./health/vital-signs.ts";
import { createGapTracker, type GapTracker } from "./hearing/gap-tracker.ts";
import { createNewestInstant } from "./hearing/newest-instant.ts";
import type { IntakeContext } from "./intake/ingest.ts";
import { createIntake, rhythmsOf } from "./intake/intake.ts";
import { createAddressKeeper } from "./intake/keep-address.ts";
import { outputRulesOf } from "./intake/output-rules.ts";
import { createRateLimitedMemory } from "./intake/rate-limited-memory.ts";
import { createRateLimitedNews } from "./intake/rate-limited-notice.ts";
import { createRejectionCounts } from "./intake/rejection-counts.ts";
import { createRejections } from "./intake/rejections.ts";
import { createSenders } from "./intake/senders.ts";
import { createSync } from "./intake/sync.ts";
import { createKeyring } from "./keyring.ts";
import { createFollowing } from "./operations/follow-application.ts";
import { createOperate } from "./operations/operate.ts";
import type { EngineParts, RunningEngine } from "./parts.ts";
import { createPeople } from "./people/people.ts";
import type { EngineSettings } from "./reloads.ts";
import { tellAfterRestore } from "./telling/after-restore.ts";
import { createAnnouncer } from "./telling/announce.ts";
import { createBackupNews, createTelling } from "./telling/telling.ts";
import { createTurns } from "./turns.ts";

/** An engine over a migrated store; it does nothing until `start`. */
export function createEngine(parts: EngineParts): RunningEngine {
  const built = build(parts);
  const { context, clock, gaps, committer, turns, keyring, people, intake, clockWatch, telling } = built;

  function tick(): void {
    committer.look();
    const now = clockWatch.settle();
    // First: a nearly full disk still takes rows about gaps, but it was full.
    telling.ofStorage();
    clockWatch.review(now);
    turns.later(() => built.tellOfRateLimited(now));
    turns.later(() => built.rejections.review(now, telling.storageEndFollows()));
    telling.review(now);
    // Nobody would catch what these throw where nothing can be stored, and the process would end.
    turns.later(built.senders.review);
    turns.later(built.following.review);
    built.vitalSigns.ticked();
  }

  function stop(deafSince: Instant): void {
    turns.stop();
    intake.flush();
    try {
      keyring.saveUses();
      built.adminKeyring.saveUses();
      people.saveUses();
      built.senders.save();
      committer.one(() => {
        gaps.stop(deafSince);
        context.store.states.followAll();
        context.store.runNames.followAll();
      });
    } catch (error) {
      committer.failed(error);
    }
  }

  return {
    authenticate: intake.authenticate,
    atOldAddress: intake.atOldAddress,
    hasOldAddresses: intake.hasOldAddresses,
    keepAddress: createAddressKeeper(built),
    revokedKey: intake.revokedKey,
    rhythmsOf: (applicationId) => rhythmsOf(context, applicationId),
    heardFrom: built.senders.note,
    as: createOperate({ ...parts, ...built, ownTroubles: built.troubles.ours }),
    adminKeys: built.adminKeyring,
    people,
    unwell: built.vitalSigns.failing,
    measures: () => measuresOf(built),
    outputRules: ({ application }) => outputRulesOf(context.policy, application),
    ingest: intake.ingest,
    rateLimited: intake.rateLimited,
    rejected: built.rejections.note,
    sync: createSync(built),
    changes: { subscribe: built.changes.subscribe },
    views: createViews({ source: context, clock, changes: built.changes }),
    troubles: built.troubles.all,
    backupFailed: createBackupNews(built),
    start: () => start(built),
    reconfigure: (settings) => reconfigure(built, settings),
    deliveriesEnded: built.changes.announceDeliveries,
    tick,
    stop,
  };
}

/** Every part of an engine, each made from the parts before it. */
function build(parts: EngineParts) {
  const { store, clock, pulse, log, schedule, nudge, tellUnstored } = parts;
  const gaps = createGapTracker({ store, clock, pulse, log });
  const active = createActiveCounts(store);
  const committer = createCommitter({ store, gaps, active, clock, log });
  const turns = createTurns({ schedule, clock, failed: committer.failed });
  const context = contextOf(parts, gaps, active);
  const keyring = createKeyring(store, clock);
  const adminKeyring = createAdminKeyring(store, clock);
  const people = createPeople({ context, clock, committer, randomSecret: parts.randomSecret });
  const announcer = createAnnouncer(log, nudge);
  const changes = createChanges(schedule);
  const common = { context, clock, gaps, committer, turns, keyring, adminKeyring, people, announcer, changes, log };

  const wheel = createWheel(clock.now());
  const newest = createNewestInstant(store, gaps);
  const doubts = createDoubts(common);
  const memory = createMonitorMemory({ ...common, wheel, newest, doubts });

  const rejections = createRejections(common);
  const intake = createIntake({ ...common, memory, schedule, noteRefused: rejections.note });
  const tellOfRateLimited = createRateLimitedNews(common);
  const { flush } = intake;
  const senders = createSenders({ ...common, store });
  const following = createFollowing({ ...common, memory });
  const clockWatch = createClockWatch({ ...common, wheel, newest, doubts, memory, flush });
  const telling = createTelling({ ...common, takeUnstored: rejections.takeUnstored, tellUnstored });
  const vitalSigns = createVitalSigns(common);
  const troubles = createTroubles({ ...common, clockWatch, memory, hostTrouble: parts.hostTrouble });
  return {
    ...common,
    wheel,
    newest,
    memory,
    intake,
    flush,
    rejections,
    tellOfRateLimited,
    senders,
    following,
    follow: following.begin,
    clockWatch,
    telling,
    vitalSigns,
    troubles,
  };
}

function contextOf(
  { store, clock, policy, home, incidentUrl, keepPings, failing, user }: EngineParts,
  gaps: GapTracker,
  active: ActiveCounts,
): IntakeContext {
  const deliveries = prepareDeliveries(store.database);
  const lastRefusalNotice: LastRefusalNotice = { at: null };
  const rateLimitedMemory = createRateLimitedMemory(store.rateLimitedReports, lastRefusalNotice);
  const rejectionCounts = createRejectionCounts(clock);
  const settings = { policy, home, incidentUrl, keepPings };
  return {
    ...settings,
    store,
    failing,
    user,
    deliveries,
    rateLimitedMemory,
    rejectionCounts,
    lastRefusalNotice,
    active,
    gaps,
  };
}

/** See `RunningEngine.start`. */
function start(built: ReturnType<typeof build>): string[] {
  const { context, clock, gaps, committer, newest, rejections } = built;
  gaps.start();
  context.rateLimitedMemory.start(clock.now());
  rejections.start();
  committer.one((now) => {
    tellAfterRestore(context, now);
    createConfigured(context, now);
  });
  applyConfiguration(built);
  built.following.begin();
  newest.start();
  return awaitingFirstKey(context);
}

/** See `RunningEngine.reconfigure`. */
function* reconfigure(built: ReturnType<typeof build>, settings: EngineSettings): InPieces<string[]> {
  const { context, committer, flush } = built;
  const { policy, home, incidentUrl, keepPings } = context;
  // What has arrived is judged by the settings under which it was sent.
  flush();
  Object.assign(context, settings);
  try {
    committer.one((now) => createConfigured(context, now));
  } catch (error) {
    Object.assign(context, { policy, home, incidentUrl, keepPings });
    throw error;
  }
  yield* declareAll(built);
  return awaitingFirstKey(context);
}
