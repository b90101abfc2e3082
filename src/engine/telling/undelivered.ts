// Reports given-up messages elsewhere: one notice per destination, then no other about it for an hour (R36). A given-up
// notice of this kind causes no other.

import type { Route } from "../../domain/settings/policy.ts";
import { HOUR, type Instant, MINUTE } from "../../domain/time.ts";
import type { EngineContext } from "../context.ts";
import { routesElsewhere } from "./elsewhere.ts";
import { type RaisedNotice, raiseNotice } from "./notices.ts";
import { type Review, type ReviewParts, tellingEveryMinute } from "./review.ts";
import { unsentAt } from "./unsent.ts";

/** Deliveries that belong together are given up within moments, and reported together. */
const GATHERING = MINUTE;
const QUIET = HOUR;

export const createUndelivered = (parts: ReviewParts): Review => tellingEveryMinute(parts, destinationsToTell, tell);

function destinationsToTell({ store }: EngineContext, now: Instant): string[] {
  return store.undelivered.destinations().flatMap(({ destination, givenUpAt }) => {
    const toldAt = store.undelivered.lastNoticeAt(destination);
    const isDue = isPast(givenUpAt, GATHERING, now) && (toldAt === null || isPast(toldAt, QUIET, now));
    return isDue ? [destination] : [];
  });
}

/** In both directions, because an instant after now was written by a wrong clock. */
const isPast = (at: Instant, milliseconds: number, now: Instant): boolean => Math.abs(now - at) >= milliseconds;

function tell(context: EngineContext, destination: string, now: Instant): RaisedNotice[] {
  const { undelivered } = context.store;
  const { total, monitors, since, messages, concerned } = unsentAt(context, "given_up", destination);
  const answer = undelivered.lastAnswer(destination);
  undelivered.markTold(destination);
  if (since === null) return [];
  const lost = messages.map(({ recipient }): Route => ({ destination, recipient }));
  const notice = { kind: "undelivered", destination, total, monitors, since, answer, messages } as const;
  return [raiseNotice(context, notice, routesElsewhere(context, lost, concerned), now)];
}
