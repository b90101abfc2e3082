// Finds another way to tell people of a message that did not arrive. Sends nothing.

import { monitorPolicy, noticeRoutesOf, type Route, routesAt, teamRoutes } from "../../domain/settings/policy.ts";
import type { EngineContext } from "../context.ts";
import type { AudienceMonitor } from "./audiences.ts";

/**
 * The routes on which these monitors' alerts go and that take messages; else the team's; else those of any one
 * destination. None is `lost`. When none takes messages now, the first that may again; empty: there is no other.
 */
export function routesElsewhere(
  context: EngineContext,
  lost: readonly Route[],
  monitors: readonly AudienceMonitor[],
): Route[] {
  const choices = choicesOf(context, lost, monitors);
  return firstOf([...workingOf(context, choices), ...choices]);
}

/** These routes, but only where messages are taken now; empty: nowhere. */
export const workingRoutes = (context: EngineContext, monitors: readonly AudienceMonitor[]): Route[] =>
  firstOf(workingOf(context, choicesOf(context, [], monitors)));

const firstOf = (choices: readonly Route[][]): Route[] => choices.find((routes) => routes.length > 0) ?? [];

const workingOf = ({ failing }: EngineContext, choices: readonly Route[][]): Route[][] =>
  choices.map((routes) => routes.filter(({ destination }) => !failing().has(destination)));

function choicesOf({ policy }: EngineContext, lost: readonly Route[], monitors: readonly AudienceMonitor[]): Route[][] {
  return [
    monitors.flatMap(({ applicationId, monitorKey }) =>
      noticeRoutesOf(monitorPolicy(policy, applicationId, monitorKey)),
    ),
    teamRoutes(policy),
    ...[...policy.destinations.keys()].map((name) => routesAt(policy, name) ?? []),
  ].map((routes) => distinct(routes).filter((route) => !lost.some((one) => isSame(one, route))));
}

const isSame = (a: Route, b: Route): boolean => a.destination === b.destination && a.recipient === b.recipient;

const distinct = (routes: readonly Route[]): Route[] => [
  ...new Map(routes.map((route) => [JSON.stringify([route.destination, route.recipient]), route])).values(),
];
