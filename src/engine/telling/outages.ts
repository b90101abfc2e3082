// Tells elsewhere of a destination that has taken nothing for an hour while something waits there, and once more when it
// takes messages again (R36): once for each outage, through destinations that work. What was given up is undelivered.ts.

import { routesAt } from "../../domain/settings/policy.ts";
import { HOUR, type Instant } from "../../domain/time.ts";
import type { Outage } from "../../store/destinations.ts";
import type { EngineContext } from "../context.ts";
import { workingRoutes } from "./elsewhere.ts";
import { type RaisedNotice, raiseNotice } from "./notices.ts";
import { type Review, type ReviewParts, tellingEveryMinute } from "./review.ts";
import { unsentAt } from "./unsent.ts";

/** How long it may fail before people are told. */
const SILENT = HOUR;

export const createOutages = (parts: ReviewParts): Review => tellingEveryMinute(parts, outagesToTell, tell);

const outagesToTell = (context: EngineContext, now: Instant): Outage[] =>
  context.store.destinations.outages().filter((outage) => isDue(context, outage, now));

/** After a restart it fails once an attempt of this process has shown it. */
function isDue({ failing }: EngineContext, { name, failingSince, toldAlertId }: Outage, now: Instant): boolean {
  if (failingSince === null || toldAlertId !== null) return failingSince === null;
  return failing().has(name) && now - failingSince >= SILENT;
}

const tell = (context: EngineContext, outage: Outage, now: Instant): RaisedNotice[] =>
  outage.failingSince === null
    ? tellItWorks(context, outage, now)
    : tellItFails(context, outage, outage.failingSince, now);

/** Nothing while all others fail too: then it is the network, and the message would not arrive before that works again. */
function tellItFails(context: EngineContext, { name }: Outage, since: Instant, now: Instant): RaisedNotice[] {
  const { policy, store, failing } = context;
  const others = [...policy.destinations.keys()].filter((other) => other !== name);
  if (others.length > 0 && others.every((other) => failing().has(other))) return [];
  const { total, monitors, messages, concerned } = unsentAt(context, "waiting", name);
  if (total === 0) return [];
  const routes = workingRoutes(context, concerned);
  if (routes.length === 0 && others.length > 0) return [];
  const answer = failing().get(name)?.answer ?? null;
  const notice = { kind: "failing", destination: name, since, until: null, answer, total, monitors, messages } as const;
  const raised = raiseNotice(context, notice, routes, now);
  store.destinations.setTold(name, raised.alertId);
  return [raised];
}

/** To those who were told that it fails. */
function tellItWorks(context: EngineContext, { name, toldAlertId, toldSince }: Outage, now: Instant): RaisedNotice[] {
  const { policy, store } = context;
  const told = toldAlertId === null ? [] : store.outgoing.ofAlert(toldAlertId);
  store.destinations.setTold(name, null);
  const routes = told.filter(({ destination, recipient }) =>
    (routesAt(policy, destination) ?? []).some((route) => route.recipient === recipient),
  );
  if (routes.length === 0 || toldSince === null) return [];
  const since = Date.parse(toldSince);
  const notice = { kind: "failing", destination: name, since, until: now, answer: null } as const;
  return [raiseNotice(context, { ...notice, total: 0, monitors: 0, messages: [] }, routes, now)];
}
