// Reports given-up messages elsewhere: one notice per destination, then no other about it for an hour (R36). A given-up
// notice of this kind causes no other.

import type { Route } from "../../domain/settings/policy.ts";
import { HOUR, type Instant, MINUTE } from "../../domain/time.ts";
import type { EngineContext } from "../context.ts";
import type { InStretches } from "../reads/in-stretches.ts";
import { inTransaction } from "../transaction.ts";
import { routesElsewhere } from "./elsewhere.ts";
import { type RaisedNotice, raiseNotice } from "./notices.ts";
import { inStretchesEveryMinute, type Review, type ReviewParts } from "./review.ts";
import { type UnsentMessages, unsentAt } from "./unsent.ts";

/** Deliveries that belong together are given up within moments, and reported together. */
const GATHERING = MINUTE;
const QUIET = HOUR;
/** Deliveries marked as told in one turn of the event loop. */
const MARKED_A_TURN = 500;

export function createUndelivered({ context, committer, announcer, turns }: ReviewParts): Review {
  function* tellAll(now: Instant): InStretches<void> {
    // What an end of the process or an error has left.
    yield* forgetTold(context);
    for (const destination of destinationsToTell(context, now)) {
      const found = yield* unsentAt(context, "given_up", destination);
      yield;
      announcer.notices(committer.one((at) => tell(context, destination, found, at)));
      yield;
      yield* forgetTold(context);
    }
  }
  return inStretchesEveryMinute(turns, tellAll);
}

function destinationsToTell({ store }: EngineContext, now: Instant): string[] {
  return store.undelivered.destinations().flatMap(({ destination, givenUpAt }) => {
    const toldAt = store.undelivered.lastNoticeAt(destination);
    const isDue = isPast(givenUpAt, GATHERING, now) && (toldAt === null || isPast(toldAt, QUIET, now));
    return isDue ? [destination] : [];
  });
}

/** In both directions, because an instant after now was written by a wrong clock. */
const isPast = (at: Instant, milliseconds: number, now: Instant): boolean => Math.abs(now - at) >= milliseconds;

function tell(context: EngineContext, destination: string, found: UnsentMessages, now: Instant): RaisedNotice[] {
  const { total, monitors, since, upTo, answer, messages, concerned } = found;
  context.store.undelivered.markTold(destination, upTo);
  if (since === null) return [];
  const lost = messages.map(({ recipient }): Route => ({ destination, recipient }));
  const removed = !context.policy.destinations.has(destination);
  const notice = { kind: "undelivered", removed, destination, total, monitors, since, answer, messages } as const;
  return [raiseNotice(context, notice, routesElsewhere(context, lost, concerned), now)];
}

function* forgetTold({ store }: EngineContext): InStretches<void> {
  while (inTransaction(store, () => store.undelivered.forgetTold(MARKED_A_TURN))) yield;
}
