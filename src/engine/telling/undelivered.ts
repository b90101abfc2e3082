// Tells elsewhere of what was given up: one notice for each destination, after which there is quiet about it for an hour
// (R36). A notice of this kind that is given up itself calls for no other.

import type { LostMessage } from "../../domain/message/notice.ts";
import type { Route } from "../../domain/settings/policy.ts";
import { HOUR, type Instant, MINUTE } from "../../domain/time.ts";
import type { UndeliveredRow } from "../../store/undelivered.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../record.ts";
import type { Announcer } from "./announce.ts";
import { routesElsewhere } from "./elsewhere.ts";
import { type RaisedNotice, raiseNotice } from "./notices.ts";

/** What belongs together is given up within moments, and is told together. */
const GATHERING = MINUTE;
const QUIET = HOUR;
/** So many are looked at for whom to tell and what to name; all are counted. */
const LOOKED_AT = 1_000;

interface UndeliveredParts {
  readonly context: EngineContext;
  readonly committer: Committer;
  readonly announcer: Announcer;
}

interface Undelivered {
  /** Once a minute. */
  isTime(now: Instant): boolean;
  review(now: Instant): void;
}

export function createUndelivered({ context, committer, announcer }: UndeliveredParts): Undelivered {
  const { undelivered } = context.store;
  let lastMinute: number | null = null;

  function review(now: Instant): void {
    lastMinute = minuteOf(now);
    const due = undelivered.destinations().filter(({ destination, givenUpAt }) => {
      const toldAt = undelivered.lastNoticeAt(destination);
      return isPast(givenUpAt, GATHERING, now) && (toldAt === null || isPast(toldAt, QUIET, now));
    });
    if (due.length === 0) return;
    announcer.notices(committer.one((at) => due.flatMap(({ destination }) => tell(context, destination, at))));
  }

  return { isTime: (now) => minuteOf(now) !== lastMinute, review };
}

const minuteOf = (at: Instant): number => Math.floor(at / MINUTE);

/** Either way, since an instant ahead of now was written by a clock that was wrong. */
const isPast = (at: Instant, milliseconds: number, now: Instant): boolean => Math.abs(now - at) >= milliseconds;

function tell(context: EngineContext, destination: string, now: Instant): RaisedNotice[] {
  const { undelivered } = context.store;
  const { total, monitors, since } = undelivered.sum("given_up", destination);
  const answer = undelivered.lastAnswer(destination);
  const rows = undelivered.rows("given_up", destination, LOOKED_AT);
  undelivered.markTold(destination);
  if (since === null) return [];
  const lost = rows.map(({ recipient }): Route => ({ destination, recipient }));
  const messages = rows.map(lostMessage);
  const concerned = messages.flatMap(({ monitor }) => monitor ?? []);
  const routes = routesElsewhere(context, lost, concerned);
  return [
    raiseNotice(context, { kind: "undelivered", destination, total, monitors, since, answer, messages }, routes, now),
  ];
}

/** As a notice tells it. */
export function lostMessage({
  id,
  recipient,
  at,
  application,
  key,
  name,
  timezone,
  kind,
}: UndeliveredRow): LostMessage {
  const isRead = application !== null && key !== null && name !== null && timezone !== null && kind !== null;
  const monitor = isRead ? { application, key, name, timezone, kind } : null;
  return { delivery: id, recipient, at, monitor };
}
