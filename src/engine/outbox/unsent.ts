// Finds the messages that a destination has not taken, and other destinations that can tell people of these messages.
// It counts all of them and names the oldest, for notices. It sends nothing.

import { type InPieces, piecesOf } from "../../domain/in-pieces.ts";
import type { LostMessage } from "../../domain/message/notice-lists.ts";
import { noticeRoutesOf, routesAt, teamRoutes } from "../../domain/settings/alert-routes.ts";
import { monitorPolicy, type Route } from "../../domain/settings/policy.ts";
import type { Instant } from "../../domain/time.ts";
import type { UndeliveredRow, Unsent, UnsentRow } from "../../store/delivery-lists.ts";
import type { EngineContext } from "../engine-context.ts";
import type { AudienceMonitor } from "./audiences.ts";

/** How many of the oldest messages are read, to find out which jobs a notice names and who gets it. */
const LOOKED_AT = 1_000;
/** How many rows one turn of the event loop counts, and how many messages it reads. */
const COUNTED_A_PIECE = 1_000;
const READ_A_PIECE = 250;

export interface UnsentMessages {
  readonly total: number;
  readonly monitors: number;
  /** When the oldest of these messages was created; `null` when there is none. */
  readonly since: Instant | null;
  /**
   * The last message that was counted; later ones have a higher number. For messages that were given up, it is the
   * number in the column `untold`. For messages that wait, it is the id.
   */
  readonly upTo: number;
  readonly answer: string | null;
  /** The messages that are about a monitor, the oldest first. */
  readonly messages: readonly LostMessage[];
  readonly recipients: readonly (string | null)[];
}

/**
 * Counts messages that did not arrive at this destination. With `given_up`, these are the messages that were given up
 * and that no notice has told of; with `waiting`, those that still wait.
 */
export function* unsentMessagesAt(
  { store: { undelivered } }: EngineContext,
  unsent: Unsent,
  destination: string,
): InPieces<UnsentMessages> {
  const upTo = undelivered.lastPlace(unsent, destination);
  const ids: number[] = [];
  const monitors = new Set<number>();
  let since: Instant | null = null;
  let last: UnsentRow | undefined;
  for (let rows: readonly UnsentRow[] = []; ; yield) {
    rows = undelivered.unsent(unsent, { destination, after: last?.place ?? 0, upTo, limit: COUNTED_A_PIECE });
    for (const { id, monitorId, createdAt } of rows) {
      ids.push(id);
      if (monitorId !== null) monitors.add(monitorId);
      since = Math.min(since ?? createdAt, createdAt);
    }
    last = rows.at(-1) ?? last;
    if (rows.length < COUNTED_A_PIECE) break;
  }
  const messages: LostMessage[] = [];
  const recipients: (string | null)[] = [];
  const oldest = ids.sort((a, b) => a - b).slice(0, LOOKED_AT);
  for (const some of piecesOf(oldest, READ_A_PIECE)) {
    yield;
    const rows = undelivered.byIds(some);
    messages.push(...rows.flatMap(lostMessage));
    recipients.push(...rows.map(({ recipient }) => recipient));
  }
  const answer = last === undefined ? null : undelivered.answer(last.id);
  // A message after a restore names a job, but belongs to no monitor of this database.
  const named = new Set(messages.map(({ monitor }) => JSON.stringify([monitor.applicationId, monitor.monitorKey])));
  const total = ids.length;
  return { total, monitors: Math.max(monitors.size, named.size), since, upTo, answer, messages, recipients };
}

/** Returns the message as notices list it, in a list of one; empty when it is about no monitor or unreadable. */
function lostMessage({ id, recipient, at, application, key, name, timezone, kind }: UndeliveredRow): LostMessage[] {
  const isRead = application !== null && key !== null && name !== null && timezone !== null && kind !== null;
  if (!isRead) return [];
  return [
    { delivery: id, recipient, at, kind, monitor: { applicationId: application, monitorKey: key, name, timezone } },
  ];
}

// Below: finds other destinations at which people can be told of a message that did not arrive. Nothing is sent.

/**
 * Returns routes by which people can be told of messages that did not arrive; empty when no route is left. `lost` are
 * the routes at which the messages did not arrive; they are left out. These are tried in order: the routes of the
 * alerts of `monitors`, those of the team, those of any one destination. Routes that take messages now are tried before
 * all others.
 */
export function otherRoutesForUnsent(
  context: EngineContext,
  lost: readonly Route[],
  monitors: readonly AudienceMonitor[],
  at: Instant,
): Route[] {
  const choices = choicesOf(context, lost, monitors, at);
  return firstOf([...workingOf(context, choices), ...choices]);
}

/**
 * Returns routes that take messages now: those of the alerts of `monitors`, else those of the team, else those of any
 * one destination. Empty when nothing takes messages now.
 */
export const workingRoutes = (context: EngineContext, monitors: readonly AudienceMonitor[], at: Instant): Route[] =>
  firstOf(workingOf(context, choicesOf(context, [], monitors, at)));

const firstOf = (choices: readonly Route[][]): Route[] => choices.find((routes) => routes.length > 0) ?? [];

const workingOf = ({ failing }: EngineContext, choices: readonly Route[][]): Route[][] =>
  choices.map((routes) => routes.filter(({ destination }) => !failing().has(destination)));

function choicesOf(
  { policy }: EngineContext,
  lost: readonly Route[],
  monitors: readonly AudienceMonitor[],
  at: Instant,
): Route[][] {
  return [
    monitors.flatMap(({ applicationId, monitorKey }) =>
      noticeRoutesOf(monitorPolicy(policy, applicationId, monitorKey), at),
    ),
    teamRoutes(policy, at),
    ...[...policy.destinations.keys()].map((name) => routesAt(policy, name) ?? []),
  ].map((routes) => distinctRoutes(routes).filter((route) => !lost.some((one) => isSameRoute(one, route))));
}

const isSameRoute = (a: Route, b: Route): boolean => a.destination === b.destination && a.recipient === b.recipient;

const distinctRoutes = (routes: readonly Route[]): Route[] => [
  ...new Map(routes.map((route) => [JSON.stringify([route.destination, route.recipient]), route])).values(),
];
