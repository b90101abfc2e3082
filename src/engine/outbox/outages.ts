// Sends a notice to other destinations when a destination has taken nothing for an hour although messages wait there.
// It sends another when the destination takes messages again (R36). Each is sent once for an outage. notice-reviews.ts
// tells of messages that were given up.

import type { InPieces } from "../../domain/in-pieces.ts";
import { listedLostMessages } from "../../domain/message/notice-lists.ts";
import { routesAt } from "../../domain/settings/alert-routes.ts";
import type { Policy } from "../../domain/settings/policy.ts";
import { HOUR, type Instant, toIso } from "../../domain/time.ts";
import type { Outage } from "../../store/deliveries.ts";
import type { EngineContext, RaisedNotice } from "../engine-context.ts";
import { raiseNotice } from "../notices.ts";
import { inPiecesEveryMinute, type NoticeTools, type Review } from "./review.ts";
import { type UnsentMessages, unsentMessagesAt, workingRoutes } from "./unsent.ts";

const SILENT = HOUR;

export function createOutages({ context, committer, announcer, background }: NoticeTools): Review {
  function* tellAll(now: Instant): InPieces<void> {
    for (const { name, failingSince } of outagesToTell(context, now)) {
      const waiting = failingSince === null ? null : yield* unsentMessagesAt(context, "waiting", name);
      yield;
      // The destination may work again by now, so the transaction looks once more whether the outage must be told.
      const tellOne = (at: Instant) =>
        outagesToTell(context, at).flatMap((one) =>
          one.name === name ? outageNotices(context, one, waiting, at) : [],
        );
      announcer.notices(committer.one(tellOne));
    }
  }
  return inPiecesEveryMinute(background, tellAll);
}

const outagesToTell = (context: EngineContext, now: Instant): Outage[] =>
  context.store.destinations.outages().filter((outage) => isDue(context, outage, now));

/**
 * Whether a notice about the outage is due. When the destination works again, the notice is due at once. While it
 * fails, the notice is due after an hour, with two exceptions. After a restart it waits until this process has failed
 * to send there too, because the destination may have recovered. It also waits while every other destination fails: the
 * network is then the cause, and the notice would not arrive.
 */
function isDue({ policy, failing }: EngineContext, { name, failingSince, toldAlertId }: Outage, now: Instant): boolean {
  if (failingSince === null || toldAlertId !== null) return failingSince === null;
  const others = othersThan(name, policy);
  const allFail = others.length > 0 && others.every((other) => failing().has(other));
  const known = failing().get(name);
  return known !== undefined && !known.remembered && now - failingSince >= SILENT && !allFail;
}

const othersThan = (name: string, { destinations }: Policy): string[] =>
  [...destinations.keys()].filter((other) => other !== name);

function outageNotices(
  context: EngineContext,
  outage: Outage,
  waiting: UnsentMessages | null,
  now: Instant,
): RaisedNotice[] {
  if (outage.failingSince === null) return tellItWorks(context, outage, now);
  return waiting === null ? [] : tellItFails(context, outage.name, outage.failingSince, waiting, now);
}

function tellItFails(
  context: EngineContext,
  name: string,
  since: Instant,
  { total, monitors, messages }: UnsentMessages,
  now: Instant,
): RaisedNotice[] {
  const { policy, store, failing } = context;
  if (total === 0) return [];
  const routes = workingRoutes(
    context,
    messages.map(({ monitor }) => monitor),
    now,
  );
  if (routes.length === 0 && othersThan(name, policy).length > 0) return [];
  const answer = failing().get(name)?.answer ?? null;
  const span = { since: toIso(since), until: null };
  const waits = { messagesTotal: total, monitorsTotal: monitors, monitors: listedLostMessages(messages) };
  const notice = { kind: "failing", destination: name, ...span, answer, ...waits } as const;
  const raised = raiseNotice(context, notice, routes, now);
  store.destinations.setNotified(name, raised.alertId);
  return [raised];
}

/** Tells those who were told of the outage that it is over. */
function tellItWorks(
  context: EngineContext,
  { name, toldAlertId, notifiedSince }: Outage,
  now: Instant,
): RaisedNotice[] {
  const { policy, store } = context;
  const told = toldAlertId === null ? [] : store.outgoing.ofAlert(toldAlertId);
  store.destinations.setNotified(name, null);
  const routes = told.filter(({ destination, recipient }) =>
    (routesAt(policy, destination) ?? []).some((route) => route.recipient === recipient),
  );
  if (routes.length === 0 || notifiedSince === null) return [];
  const span = { since: notifiedSince, until: toIso(now) };
  const waits = { messagesTotal: 0, monitorsTotal: 0, monitors: [] };
  const notice = { kind: "failing", destination: name, ...span, answer: null, ...waits } as const;
  return [raiseNotice(context, notice, routes, now)];
}
