// The engine: every operation is one transaction that reads, asks the domain and writes. Builds its parts in start
// order: intake, clock, notices. Synchronous inside; answers only after the commit is on disk.

import { type InPieces, wholeOf } from "../domain/in-pieces.ts";
import type { Log } from "../domain/log.ts";
import type { Failing } from "../domain/settings/reach.ts";
import type { Instant } from "../domain/time.ts";
import { createTurns, type TurnTaker } from "../domain/turns.ts";
import { prepareDeliveries } from "../store/deliveries.ts";
import { type Changes, createChanges } from "../views/changes.ts";
import { createViews } from "../views/views.ts";
import { type AdminKeyring, createAdminKeyring } from "./admin-keyring.ts";
import type { Clock, TellUnstored } from "./api.ts";
import { type ActiveCounts, createActiveCounts } from "./capacity.ts";
import {
  applyConfiguration,
  awaitingFirstKey,
  createConfigured,
  createPlans,
  declareAll,
  moveMaintenances,
  withPlans,
} from "./clock/apply-configuration.ts";
import { createClockWatch, moveWaits } from "./clock/clock-watch.ts";
import { createDoubts } from "./clock/doubts.ts";
import { createMonitorMemory } from "./clock/monitor-memory.ts";
import { createWheel } from "./clock/wheel.ts";
import { createCommitter } from "./committer.ts";
import type { EngineSettings } from "./engine-settings.ts";
import { createTroubles, createVitalSigns, measuresOf } from "./health/own-health.ts";
import type { IntakeContext } from "./intake/ingest.ts";
import { createIntake } from "./intake/intake.ts";
import { createPlainRefusals } from "./intake/plain-refusals.ts";
import { createRefusals } from "./intake/refusals.ts";
import { createKeyring } from "./keyring.ts";
import { createAnswers } from "./operations/answers.ts";
import { createFollowing } from "./operations/application-operations.ts";
import { createOperate } from "./operations/operate.ts";
import type { OperationContext } from "./operations/operation.ts";
import { actedIn } from "./operations/operations.ts";
import { tellAfterRestore } from "./outbox/after-restore.ts";
import { createAnnouncer } from "./outbox/announce.ts";
import { createBackupNews, createNoticeReviews } from "./outbox/notice-reviews.ts";
import { planAllAgain } from "./outbox/plan-again.ts";
import { createGapTracker, type GapTracker } from "./own-outages/gap-tracker.ts";
import { createLivedClock, type LivedClock } from "./own-outages/lived-clock.ts";
import { createNewestInstant } from "./own-outages/newest-instant.ts";
import type { Pulse } from "./own-outages/pulse.ts";
import { createPeople } from "./people/accounts.ts";
import { createBrowsers } from "./people/browsers.ts";

type KeptParts = "destinations" | "statusPages" | "kept";

/** What it is made of: what stands in a context is described there. */
export interface EngineParts
  extends EngineSettings,
    Pick<
      OperationContext,
      "store" | "user" | "commandLine" | "randomSecret" | "addresses" | "backups" | "reloads" | KeptParts
    > {
  readonly clock: Clock;
  readonly pulse: Pulse;
  readonly log: Log;
  /** Calls back at the end of this turn of the event loop: `setImmediate`. */
  readonly schedule: (run: () => void) => void;
  readonly turns: TurnTaker;
  /** Called after a commit that left something to deliver; `urgent`: a destination where a person waits for it. */
  readonly nudge: (urgent?: string) => void;
  /** Called after a commit by which an incident was acknowledged or is over; must not throw. */
  readonly answered?: (incidentId: number) => void;
  /** Destinations that take nothing now; called on each ping. */
  readonly failing: () => Failing;
  readonly tellUnstored: TellUnstored;
  /** Why this process cannot serve all connections now; null: it can. */
  readonly hostTrouble: () => string | null;
}

/** An engine over a migrated store; it does nothing until `start`. */
export function createEngine(parts: EngineParts) {
  const built = build(parts);
  const { context, clock, gaps, committer, turns, keyring, people, intake, clockWatch, noticeReviews } = built;

  function tick(): void {
    committer.look();
    const now = clockWatch.settle();
    // First: a nearly full disk still takes rows about gaps, but it was full.
    noticeReviews.ofStorage();
    clockWatch.review(now);
    intake.review(now, noticeReviews.storageEndFollows);
    noticeReviews.review(now);
    // Nothing would catch what it throws where nothing can be stored, and the process would end.
    turns.later(built.following.review);
    turns.later(built.plans.review);
    built.vitalSigns.ticked();
  }

  /** Commits what waits. `deafSince`: when reports were last taken. */
  function stop(deafSince: Instant): void {
    turns.stop();
    intake.flush();
    try {
      for (const { saveUses } of [keyring, built.adminKeyring, people]) saveUses();
      intake.save();
      committer.one(() => {
        gaps.stop(deafSince);
        context.store.states.followAll();
        context.store.runNames.followAll();
        context.store.answerNames.followAll();
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
    /** Answers to alerts, given where these are read. */
    answers: createAnswers({ context, clock, as }),
    /** By which programs elsewhere ask for operations. Throws what SQLite throws. */
    adminKeys: built.adminKeyring as Pick<AdminKeyring, "isOpen" | "authenticate" | "revoked">,
    people,
    browsers: built.browsers,
    changes: { subscribe: built.changes.subscribe } as Changes,
    views: createViews(context, clock, built.changes, built),
    troubles: built.troubles.all,
    notInForce: () => parts.kept.leftOut(),
    unwell: built.vitalSigns.failing,
    /** For `/metrics`: what is at hand. Throws what SQLite throws. */
    measures: () => measuresOf(built),
    /** Tells the team that a backup failed. Throws what SQLite throws. */
    backupFailed: createBackupNews(built),
    /** To be called when deliveries have ended: views that are open show it. */
    deliveriesEnded: built.changes.announceDeliveries,
    /** To be called when a destination that gave messages up takes some again. */
    worksAgain: () => turns.laterThrough(planAllAgain(built)),
    isSettling: clockWatch.isSettling,
    /** In which long work of the edges takes its place beside the engine's own. */
    turns: parts.turns,
    /** The start of this process, or the last step of the clock. */
    steadySince: built.lived.steadySince,
    start: () => start(built),
    reconfigure: (settings: EngineSettings) => reconfigure(built, settings),
    /** The zones whose rules decide when something is due. */
    zonesInUse: () => context.store.zones.all().map(({ name }) => name),
    /** To be called when other rules of them are in force: for monitors in them the schedule has changed (R12). */
    zonesChanged: built.plans.zonesChanged,
    tick,
    stop,
  };
}

/** What the process that runs it asks of it. */
export type RunningEngine = ReturnType<typeof createEngine>;

export type Engine = Pick<
  RunningEngine,
  | "intake"
  | "as"
  | "answers"
  | "adminKeys"
  | "people"
  | "browsers"
  | "changes"
  | "views"
  | "troubles"
  | "notInForce"
  | "turns"
>;

/** Every part of an engine, each made from the parts before it. */
function build(parts: EngineParts) {
  const { store, clock, pulse, log, schedule, nudge, tellUnstored } = parts;
  const lived = createLivedClock(store, clock);
  const gaps = createGapTracker({ store, clock, lived, pulse, log });
  const active = createActiveCounts(store);
  const committer = createCommitter({ store, gaps, active, clock, log });
  // Work in later turns needs storage, so an error there is taken for one of storage.
  const turns = createTurns(parts.turns, committer.failed);
  const context = contextOf(parts, gaps, active, lived);
  const keyring = createKeyring(store, clock);
  const adminKeyring = createAdminKeyring(store, clock);
  const people = createPeople({ context, clock, committer, randomSecret: parts.randomSecret });
  const announcer = createAnnouncer(log, nudge);
  const changes = createChanges(schedule);
  const common = {
    context,
    clock,
    gaps,
    committer,
    turns,
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
  const memory = createMonitorMemory({ ...common, wheel, newest, doubts, answered: parts.answered });

  const intake = createIntake({ ...common, memory, schedule });
  const { flush, seen, takeUnstored } = intake;
  const following = createFollowing({ ...common, memory });
  const plans = createPlans({ ...common, memory, wheel });
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
  { settled, steady }: LivedClock,
): IntakeContext {
  const deliveries = prepareDeliveries(store.database);
  const settings = { policy: withPlans(policy, store, clock.now()), home, incidentUrl, keepPings };
  return {
    ...settings,
    store,
    failing,
    inStory: (action) => actedIn(action)?.inStory ?? null,
    user,
    commandLine,
    deliveries,
    refusals: createRefusals(clock, store),
    plainRefusals: createPlainRefusals(),
    active,
    gaps,
    settled,
    steady,
  };
}

/** Brings configured names into the store, fills the wheel; returns slugs that wait for their first key. */
function start(built: ReturnType<typeof build>): string[] {
  const { context, clock, gaps, committer, newest, intake, people } = built;
  gaps.start();
  intake.start(clock.now());
  const restored = committer.one((now) => {
    const afterCommits = tellAfterRestore(context, now);
    createConfigured(context, now);
    const { liveness } = context.store;
    if (liveness.answerSecret() === null) liveness.keepAnswerSecret(people.randomToken());
    return afterCommits;
  });
  built.memory.finish(restored);
  applyConfiguration(built);
  built.following.begin();
  newest.start();
  const movedMs = built.lived.look();
  if (movedMs !== 0) wholeOf(moveWaits(built, movedMs));
  // The settings may be others than those of the process before.
  built.turns.through(planAllAgain(built));
  return awaitingFirstKey(context);
}

/**
 * Puts other settings in force, as a start with them would: at once for what comes from now on, and for each monitor by
 * the end of the pieces. Returns what `start` does. Throws what SQLite throws: before the first piece, nothing has
 * changed; later, another call goes on.
 */
function* reconfigure(built: ReturnType<typeof build>, settings: EngineSettings): InPieces<string[]> {
  const { context, clock, committer, flush } = built;
  const { policy, home, incidentUrl, keepPings } = context;
  // What has arrived is judged by the settings under which it was sent.
  flush();
  committer.one((now) => moveMaintenances(context.store, now));
  Object.assign(context, settings, { policy: withPlans(settings.policy, context.store, clock.now()) });
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
