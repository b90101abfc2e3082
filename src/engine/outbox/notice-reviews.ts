// Checks regularly for what people should know about rollcall itself, each kind in its own turn.

import type { InPieces } from "../../domain/in-pieces.ts";
import { type ListedRefused, noticeMessage } from "../../domain/message/notice.ts";
import { listedLost, refusedDetails } from "../../domain/message/notice-lists.ts";
import { NO_STORAGE_NEWS, storageNews } from "../../domain/message/storage-news.ts";
import { routesAt } from "../../domain/settings/alert-routes.ts";
import type { Route } from "../../domain/settings/policy.ts";
import { HOUR, type Instant, MINUTE, toIso, toIsoOrNull } from "../../domain/time.ts";
import type { BackupFailure, TellUnstored } from "../api.ts";
import { type EngineContext, instanceOf, type RaisedNotice } from "../engine-context.ts";
import { raiseNotice } from "../notices.ts";
import { inTransaction } from "../transaction.ts";
import { createDrills } from "./drills.ts";
import { createOutages } from "./outages.ts";
import { inPiecesEveryMinute, type NoticeTools, type Review } from "./review.ts";
import { createTeamSummaries } from "./team-summary.ts";
import { routesElsewhere, type UnsentMessages, unsentAt, workingRoutes } from "./unsent.ts";

interface NoticeReviewsParts extends NoticeTools {
  /** The monitors whose failures could not be stored. Each is returned only once. */
  readonly takeUnstored: () => readonly ListedRefused[];
  readonly tellUnstored: TellUnstored;
}

export function createNoticeReviews(parts: NoticeReviewsParts) {
  const { background } = parts;
  const ofStorage = createStorageNews(parts);
  const onceAMinute = [createDrills(parts), createUndelivered(parts), createOutages(parts), createTeamSummaries(parts)];

  return {
    ofStorage: () => background.later(ofStorage.review),
    /** Whether people know that nothing can be stored, and its end is still to be told. */
    storageEndFollows: ofStorage.endFollows,
    review: (now: Instant): void => {
      for (const each of onceAMinute) if (each.isTime(now)) background.later(() => each.review(now));
    },
  };
}

// Tells people that nothing can be stored, and later that it is over (R36). These messages cannot be stored either, so
// they go straight to every destination. They are sent once for each trouble, although a nearly full disk takes some
// writes.

function createStorageNews(parts: NoticeReviewsParts) {
  const { context, committer, clock, takeUnstored, tellUnstored } = parts;
  let news = NO_STORAGE_NEWS;

  /** Tells when trouble with storage has begun or ended. Must be called once a second. */
  function review(): void {
    const next = storageNews(news, committer.failing(), { at: clock.now(), monotonic: clock.monotonic() });
    if (next.tell !== null) {
      // If telling throws, the end is told at a later call.
      const { fault, since, until } = next.tell;
      const { failingTotal, monitors } = refusedDetails(until === null ? [] : takeUnstored());
      const database = context.store.database.filename;
      const span = { since: toIso(since), until: toIsoOrNull(until) };
      const notice = { kind: "storage", fault, ...span, database, failingTotal, monitors } as const;
      tellUnstored(noticeMessage(notice, clock.now(), instanceOf(context)), allRoutes(context));
    }
    news = next;
  }

  return {
    review,
    /** Whether people know of a trouble whose end is still to be told. */
    endFollows: () => news.notified !== null,
  };
}

const allRoutes = ({ policy }: EngineContext): Route[] =>
  [...policy.destinations.keys()].flatMap((name) => routesAt(policy, name) ?? []);

// Tells of given-up messages at another destination: one notice for each destination, and no other about it for an hour
// (R36). A given-up notice of this kind causes no further notice.

/** Deliveries that belong together are given up within moments of each other, and are told together. */
const GATHERING = MINUTE;
const QUIET = HOUR;
/** How many deliveries are marked as told in one turn of the event loop. */
const MARKED_A_PIECE = 500;

function createUndelivered({ context, committer, announcer, background }: NoticeTools): Review {
  function* tellAll(now: Instant): InPieces<void> {
    // This completes the marking that an end of the process or an error has interrupted.
    yield* forgetNotified(context);
    for (const destination of destinationsToTell(context, now)) {
      const found = yield* unsentAt(context, "given_up", destination);
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
 * Whether `at` is at least this far from `now`. The distance counts in both directions, because an instant after `now`
 * was written by a wrong clock.
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
  const counts = { messagesTotal: total, monitorsTotal: monitors, monitors: listedLost(messages) };
  const notice = { kind: "undelivered", removed, destination, since: toIso(since), answer, ...counts } as const;
  return [raiseNotice(context, notice, routesElsewhere(context, lost, concerned, now), now)];
}

function* forgetNotified({ store }: EngineContext): InPieces<void> {
  while (inTransaction(store, () => store.undelivered.forgetNotified(MARKED_A_PIECE))) yield;
}

// Tells the team that a backup or the command after it failed, because people look at backups only when they need them.

/** Makes the function that tells of a failed backup. If it throws what SQLite throws, the failure is told to nobody. */
export function createBackupNews({ context, committer, announcer }: NoticeTools): (failure: BackupFailure) => void {
  return ({ step, file, at, reason }) => {
    const notice = { kind: "backup", step, file, failedAt: toIso(at), reason } as const;
    const raised = committer.one((now) => raiseNotice(context, notice, workingRoutes(context, [], now), now));
    announcer.notices([raised]);
  };
}
