// Builds the engine out of its parts, starts it, and hands it to the outer folders. Every change is one transaction: it
// reads, asks the domain and writes. The engine is synchronous, and a caller gets the result after the commit.

import { type InPieces, wholeOf } from "../domain/in-pieces.ts";
import type { Log } from "../domain/log.ts";
import { createBackground, type Scheduler } from "../domain/scheduler.ts";
import type { Failing } from "../domain/telling/reach.ts";
import type { Instant } from "../domain/time.ts";
import { prepareDeliveries } from "../store/deliveries.ts";
import { type Changes, createChangeFeeds } from "../views/changes.ts";
import { createViews } from "../views/views.ts";
import { type AdminKeyring, createAdminKeyring } from "./admin-keyring.ts";
import type { Clock, TellUnstored } from "./api.ts";
import { type ActiveCounts, createActiveCounts } from "./capacity.ts";
import { applyConfiguration, declareAll } from "./clock/apply-configuration.ts";
import { createClockWatch } from "./clock/clock-watch.ts";
import { createDoubts } from "./clock/doubts.ts";
import { createApplicationFollowing } from "./clock/follow-applications.ts";
import { createMaintenancePlans } from "./clock/maintenance-plans.ts";
import { createMonitorMemory } from "./clock/monitor-memory.ts";
import { moveMaintenances, withPlannedMaintenance } from "./clock/planned-maintenance.ts";
import { createWheel } from "./clock/wheel.ts";
import { createCommitter } from "./committer.ts";
import type { EngineSettings } from "./engine-settings.ts";
import { awaitingFirstKey, createConfigured } from "./first-start.ts";
import { createTroubles, createVitalSigns, measuresOf } from "./health/own-health.ts";
import type { IntakeContext } from "./intake/ingest.ts";
import { createIntake } from "./intake/intake.ts";
import { createPlainHttpRefusals } from "./intake/plain-refusals.ts";
import { createRefusals } from "./intake/refusals.ts";
import { createKeyring } from "./keyring.ts";
import { createOperate } from "./operations/operate.ts";
import type { OperationContext } from "./operations/operation.ts";
import { actedIn } from "./operations/operations.ts";
import { createReplies } from "./operations/take-reply.ts";
import { tellAfterRestore } from "./outbox/after-restore.ts";
import { createAnnouncer } from "./outbox/announce.ts";
import { createBackupNews, createNoticeReviews } from "./outbox/notice-reviews.ts";
import { planAllAgain } from "./outbox/plan-again.ts";
import { putOffWaitingMessages } from "./outbox/put-off.ts";
import { createGapTracker, type GapTracker } from "./own-outages/gap-tracker.ts";
import { createLivedClock, type LivedClock } from "./own-outages/lived-clock.ts";
import { createNewestInstant } from "./own-outages/newest-instant.ts";
import type { Pulse } from "./own-outages/pulse.ts";
import { createBrowsers } from "./people/browsers.ts";
import { createPeople } from "./people/person-accounts.ts";

type KeptParts = "destinations" | "statusPages" | "kept";

/** Fields that are also in `OperationContext` are described there. */
export interface EngineParts
  extends EngineSettings,
    Pick<
      OperationContext,
      "store" | "user" | "commandLine" | "randomSecret" | "addresses" | "backups" | "reloads" | KeptParts
    > {
  readonly clock: Clock;
  readonly pulse: Pulse;
  readonly log: Log;
  /** Calls `run` at the end of this turn of the event loop, as `setImmediate` does. */
  readonly schedule: (run: () => void) => void;
  readonly scheduler: Scheduler;
  /**
   * Wakes the notifier. Called after a commit that left something to send. `urgent` is the destination of a message for
   * which a person is waiting.
   */
  readonly nudge: (urgent?: string) => void;
  /**
   * Called after a commit by which this incident ended, was acknowledged or lost its acknowledgement. Also called when
   * a later incident opens, and a receiver gets no message about it because it already knows of trouble by this
   * incident's message (R38). The messages of this incident are then edited where that is possible. Must not throw.
   */
  readonly incidentTouched?: (incidentId: number) => void;
  /** Returns the destinations that take no messages now. Called for each report, so it must be quick. */
  readonly failing: () => Failing;
  readonly tellUnstored: TellUnstored;
  /** Why this process cannot serve every connection, such as its limit of open files; `null` when it can. */
  readonly hostTrouble: () => string | null;
}

/** Makes the engine, which does nothing until `start` is called. The database must have been migrated. */
export function createEngine(parts: EngineParts) {
  const built = build(parts);
  const { context, clock, gaps, committer, background, keyring, people, intake, clockWatch, noticeReviews } = built;

  function tick(): void {
    committer.look();
    const now = clockWatch.settle();
    // News about storage is told first. The reviews below write small rows, which fit even on a nearly full disk, so
    // storage would seem to work again.
    noticeReviews.ofStorage();
    clockWatch.review(now);
    intake.review(now, noticeReviews.storageEndFollows);
    noticeReviews.review(now);
    // The next two reviews run in a later turn, where errors are caught. If one of them ran in this turn, an error of
    // storage would end the process.
    background.later(built.following.review);
    background.later(built.plans.review);
    built.vitalSigns.ticked();
  }

  /**
   * Commits the reports that wait, and stops the work in later turns. No report was taken after `deafSince`, so the
   * next start makes a gap from then on.
   */
  function stop(deafSince: Instant): void {
    background.stop();
    intake.flush();
    try {
      for (const { saveUses } of [keyring, built.adminKeyring, people]) saveUses();
      intake.save();
      committer.one(() => {
        gaps.stop(deafSince);
        context.store.memory.writeBehindAll();
      });
    } catch (error) {
      committer.failed(error);
    }
  }

  const ownTroubles = () => [...built.troubles.ours(), ...parts.kept.leftOut()];
  const as = createOperate({ ...parts, ...built, ownTroubles });
  return {
    intake: intake.intake,
    as,
    replies: createReplies({ context, clock, as }),
    /** The keys by which programs on other computers ask for operations. Throws when storage fails. */
    adminKeys: built.adminKeyring as Pick<AdminKeyring, "isOpen" | "authenticate" | "revoked">,
    people,
    browsers: built.browsers,
    changes: { subscribe: built.changes.subscribe } as Changes,
    views: createViews(context, clock, built.changes, built),
    troubles: built.troubles.all,
    notInForce: () => parts.kept.leftOut(),
    unwell: built.vitalSigns.failing,
    /** Returns the numbers for `/metrics` that need no long work. Throws when storage fails. */
    measures: () => measuresOf(built),
    /** Tells the team that a backup failed. Throws when storage fails. */
    backupFailed: createBackupNews(built),
    /** Tells open pages that deliveries have ended. Must be called after these endings were stored. */
    deliveriesEnded: built.changes.announceDeliveries,
    /**
     * Plans waiting messages again, and writes those that receivers are owed. Must be called when a destination takes
     * messages again after messages to it were given up.
     */
    worksAgain: () => background.laterThrough(planAllAgain(built)),
    isSettling: clockWatch.isSettling,
    /** Runs the long work of pages and responses in pieces, which share turns with the engine's own long work. */
    scheduler: parts.scheduler,
    /** Returns when this process started or when its clock last made a step, whichever is later. */
    steadySince: built.lived.steadySince,
    start: () => start(built),
    reconfigure: (settings: EngineSettings) => reconfigure(built, settings),
    zonesInUse: () => context.store.zones.all().map(({ name }) => name),
    /** Must be called when new zone rules are in force. The schedules in these zones are computed again (R12). */
    zonesChanged: built.plans.zonesChanged,
    tick,
    stop,
  };
}

/** The whole engine, for the process that runs it. Pages, commands and the HTTP server use `Engine` below. */
export type RunningEngine = ReturnType<typeof createEngine>;

export type Engine = Pick<
  RunningEngine,
  | "intake"
  | "as"
  | "replies"
  | "adminKeys"
  | "people"
  | "browsers"
  | "changes"
  | "views"
  | "troubles"
  | "notInForce"
  | "scheduler"
>;

function build(parts: EngineParts) {
  const { store, clock, pulse, log, schedule, nudge, tellUnstored } = parts;
  const lived = createLivedClock(store, clock);
  const gaps = createGapTracker({ store, clock, lived, pulse, log });
  const active = createActiveCounts(store);
  const committer = createCommitter({ store, gaps, active, clock, log });
  // Work in later turns writes to the database, so each of its errors is treated as an error of storage.
  const background = createBackground(parts.scheduler, committer.failed);
  const context = contextOf(parts, gaps, active, lived);
  const keyring = createKeyring(store, clock);
  const adminKeyring = createAdminKeyring(store, clock);
  const people = createPeople({ context, clock, committer, randomSecret: parts.randomSecret });
  const announcer = createAnnouncer(log, nudge);
  const changes = createChangeFeeds(schedule);
  const common = {
    context,
    clock,
    gaps,
    committer,
    background,
    keyring,
    adminKeyring,
    people,
    announcer,
    changes,
    log,
    lived,
  };

  const wheel = createWheel(clock.now());
  const newest = createNewestInstant(store, gaps);
  const doubts = createDoubts(common);
  const memory = createMonitorMemory({ ...common, wheel, newest, doubts, incidentTouched: parts.incidentTouched });

  const intake = createIntake({ ...common, memory, schedule });
  const { flush, seen, takeUnstored } = intake;
  const following = createApplicationFollowing({ ...common, memory });
  const plans = createMaintenancePlans({ ...common, memory, wheel });
  const browsers = createBrowsers({ ...common, plans, nudge });
  const clockWatch = createClockWatch({ ...common, wheel, newest, doubts, memory, flush });
  const noticeReviews = createNoticeReviews({ ...common, takeUnstored, tellUnstored });
  const vitalSigns = createVitalSigns(common);
  const troubles = createTroubles({ ...common, clockWatch, memory, hostTrouble: parts.hostTrouble });
  return {
    ...common,
    wheel,
    newest,
    memory,
    intake,
    flush,
    seen,
    following,
    follow: following.begin,
    plans,
    browsers,
    clockWatch,
    noticeReviews,
    vitalSigns,
    troubles,
  };
}

function contextOf(
  { store, clock, policy, home, incidentUrl, keepPings, failing, user, commandLine }: EngineParts,
  gaps: GapTracker,
  active: ActiveCounts,
  { certain, steady }: LivedClock,
): IntakeContext {
  const deliveries = prepareDeliveries(store.database);
  const settings = { policy: withPlannedMaintenance(policy, store, clock.now()), home, incidentUrl, keepPings };
  return {
    ...settings,
    store,
    failing,
    inStory: (action) => actedIn(action)?.inStory ?? null,
    user,
    commandLine,
    deliveries,
    refusals: createRefusals(clock, store),
    plainRefusals: createPlainHttpRefusals(),
    active,
    gaps,
    certain,
    steady,
  };
}

/**
 * Prepares everything for the first report: configured applications and monitors are stored, and the timing wheel
 * learns when to look at each monitor. Returns the slugs of applications that have no key yet.
 */
function start(built: ReturnType<typeof build>): string[] {
  const { context, clock, gaps, committer, newest, intake, people } = built;
  gaps.start();
  intake.start(clock.now());
  const restored = committer.one((now) => {
    const afterCommits = tellAfterRestore(context, now);
    createConfigured(context, now);
    const { liveness } = context.store;
    if (liveness.replySecret() === null) liveness.keepReplySecret(people.randomToken());
    return afterCommits;
  });
  built.memory.finish(restored);
  applyConfiguration(built);
  built.following.begin();
  newest.start();
  const movedMs = built.lived.look();
  if (movedMs !== 0) wholeOf(putOffWaitingMessages(built, movedMs));
  // Waiting messages are planned again, because the settings may differ from those before the restart.
  built.background.through(planAllAgain(built));
  return awaitingFirstKey(context);
}

/**
 * Puts other settings in force without a restart. New applications and monitors get them at once; every other monitor
 * has them when the generator ends. Returns the slugs of applications that have no key yet. Throws when storage fails.
 * If that happens before the first `yield`, the former settings stay in force. If it happens later, the new ones are in
 * force, and another call can bring them to all monitors.
 */
function* reconfigure(built: ReturnType<typeof build>, settings: EngineSettings): InPieces<string[]> {
  const { context, clock, committer, flush } = built;
  const { policy, home, incidentUrl, keepPings } = context;
  // Reports that have arrived were sent before the reload, so they are judged by the settings before it.
  flush();
  committer.one((now) => moveMaintenances(context.store, now));
  Object.assign(context, settings, { policy: withPlannedMaintenance(settings.policy, context.store, clock.now()) });
  try {
    committer.one((now) => createConfigured(context, now));
  } catch (error) {
    Object.assign(context, { policy, home, incidentUrl, keepPings });
    throw error;
  }
  yield* declareAll(built);
  yield* planAllAgain(built);
  return awaitingFirstKey(context);
}
