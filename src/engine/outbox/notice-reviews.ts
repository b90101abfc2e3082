// Looks regularly for what people should know about rollcall itself, and tells them. This file tells of storage that
// fails, messages that were given up and failed backups. It also runs the checks of drills.ts, outages.ts and
// team-summary.ts once a minute.

import type { InPieces } from "../../domain/in-pieces.ts";
import { type ListedRefused, noticeMessage } from "../../domain/message/notice.ts";
import { listedLostMessages, refusedDetails } from "../../domain/message/notice-lists.ts";
import { NO_STORAGE_NEWS, storageNoticeDue } from "../../domain/message/storage-news.ts";
import { routesAt } from "../../domain/settings/alert-routes.ts";
import type { Route } from "../../domain/settings/policy.ts";
import { HOUR, type Instant, MINUTE, toIso, toIsoOrNull } from "../../domain/time.ts";
import type { BackupFailure, TellUnstored } from "../api.ts";
import { type EngineContext, type RaisedNotice, thisInstance } from "../engine-context.ts";
import { raiseNotice } from "../notices.ts";
import { inTransaction } from "../transaction.ts";
import { createDrills } from "./drills.ts";
import { createOutages } from "./outages.ts";
import { inPiecesEveryMinute, type NoticeTools, type Review } from "./review.ts";
import { createTeamSummaries } from "./team-summary.ts";
import { otherRoutesForUnsent, type UnsentMessages, unsentMessagesAt, workingRoutes } from "./unsent.ts";

interface NoticeReviewsParts extends NoticeTools {
  /**
   * Returns the monitors whose fails (reports of a failed job) could not be stored. Each of these fails is returned
   * only once.
   */
  readonly takeUnstored: () => readonly ListedRefused[];
  readonly tellUnstored: TellUnstored;
}

export function createNoticeReviews(parts: NoticeReviewsParts) {
  const { background } = parts;
  const ofStorage = createStorageNews(parts);
  const onceAMinute = [createDrills(parts), createUndelivered(parts), createOutages(parts), createTeamSummaries(parts)];

  return {
    ofStorage: () => background.later(ofStorage.review),
    /** Whether people were told that nothing can be stored, but not yet that it is over. */
    storageEndFollows: ofStorage.endFollows,
    review: (now: Instant): void => {
      for (const each of onceAMinute) if (each.isTime(now)) background.later(() => each.review(now));
    },
  };
}

// Below: tells people that nothing can be stored, and later that storage works again (R36). Such a message cannot be
// stored either, so it is sent straight to every destination. Each trouble is told once, even if a nearly full disk
// takes a write now and then.

function createStorageNews(parts: NoticeReviewsParts) {
  const { context, committer, clock, takeUnstored, tellUnstored } = parts;
  let news = NO_STORAGE_NEWS;

  /** Tells people when storage has begun to fail, and when it works again. Must be called once a second. */
  function review(): void {
    const next = storageNoticeDue(news, committer.failing(), { at: clock.now(), monotonic: clock.monotonic() });
    if (next.tell !== null) {
      // If an error is thrown below, `news` stays as it was. So the next call tries again to tell people.
      const { fault, since, until } = next.tell;
      const { failingTotal, monitors } = refusedDetails(until === null ? [] : takeUnstored());
      const database = context.store.database.filename;
      const span = { since: toIso(since), until: toIsoOrNull(until) };
      const notice = { kind: "storage", fault, ...span, database, failingTotal, monitors } as const;
      tellUnstored(noticeMessage(notice, clock.now(), thisInstance(context)), allRoutes(context));
    }
    news = next;
  }

  return {
    review,
    endFollows: () => news.notified !== null,
  };
}

const allRoutes = ({ policy }: EngineContext): Route[] =>
  [...policy.destinations.keys()].flatMap((name) => routesAt(policy, name) ?? []);

// Below: when messages to a destination were given up, a notice tells other destinations (R36). The next notice about
// the same destination comes an hour later at the earliest. A notice that is given up itself leads to no further one.

/**
 * How long a notice about messages that were given up waits, in milliseconds. Messages to one destination are given up
 * within moments of each other; after this wait, one notice can name them all.
 */
const GATHERING = MINUTE;
const QUIET = HOUR;
/** A notice tells of deliveries that were given up. This many are marked as told of in one turn of the event loop. */
const MARKED_A_PIECE = 500;

function createUndelivered({ context, committer, announcer, background }: NoticeTools): Review {
  function* tellAll(now: Instant): InPieces<void> {
    // If an error or the end of the process interrupted the marking of deliveries as told, it is completed here.
    yield* forgetNotified(context);
    for (const destination of destinationsToTell(context, now)) {
      const found = yield* unsentMessagesAt(context, "given_up", destination);
      yield;
      announcer.notices(committer.one((at) => unsentNotices(context, destination, found, at)));
      yield;
      yield* forgetNotified(context);
    }
  }
  return inPiecesEveryMinute(background, tellAll);
}

function destinationsToTell({ store }: EngineContext, now: Instant): string[] {
  return store.undelivered.destinations().flatMap(({ destination, givenUpAt }) => {
    const notifiedAt = store.undelivered.lastNoticeAt(destination);
    const isDue = isPast(givenUpAt, GATHERING, now) && (notifiedAt === null || isPast(notifiedAt, QUIET, now));
    return isDue ? [destination] : [];
  });
}

/**
 * Whether `at` is at least this many milliseconds away from `now`, in either direction. An instant after `now` was
 * written under a wrong clock, and must not hold anything up.
 */
const isPast = (at: Instant, milliseconds: number, now: Instant): boolean => Math.abs(now - at) >= milliseconds;

function unsentNotices(
  context: EngineContext,
  destination: string,
  found: UnsentMessages,
  now: Instant,
): RaisedNotice[] {
  const { total, monitors, since, upTo, answer, messages, recipients } = found;
  context.store.undelivered.markNotified(destination, upTo);
  if (since === null) return [];
  const lost = recipients.map((recipient): Route => ({ destination, recipient }));
  const concerned = messages.map(({ monitor }) => monitor);
  const removed = !context.policy.destinations.has(destination);
  const counts = { messagesTotal: total, monitorsTotal: monitors, monitors: listedLostMessages(messages) };
  const notice = { kind: "undelivered", removed, destination, since: toIso(since), answer, ...counts } as const;
  return [raiseNotice(context, notice, otherRoutesForUnsent(context, lost, concerned, now), now)];
}

function* forgetNotified({ store }: EngineContext): InPieces<void> {
  while (inTransaction(store, () => store.undelivered.forgetNotified(MARKED_A_PIECE))) yield;
}

// Below: tells the team that a backup or the command after it failed. People seldom look at backups.

/**
 * Makes the function that writes the notice about one failed backup. The function throws when storage fails; then
 * people are not told.
 */
export function createBackupNews({ context, committer, announcer }: NoticeTools): (failure: BackupFailure) => void {
  return ({ step, file, at, reason }) => {
    const notice = { kind: "backup", step, file, failedAt: toIso(at), reason } as const;
    const raised = committer.one((now) => raiseNotice(context, notice, workingRoutes(context, [], now), now));
    announcer.notices([raised]);
  };
}
