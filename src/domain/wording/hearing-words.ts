// Says when a destination hears of an alert, or why it does not.

import type { Severity } from "../message/presentation.ts";
import type { RoutedAddress } from "../settings/alert-routes.ts";
import { type MemberEvent, type MonitorPolicy, nearestTierValue, type Policy, severityOf } from "../settings/policy.ts";
import { isAtLeast } from "../telling/hearing.ts";
import { isPlanToSend, type MessagePlan } from "../telling/plan.ts";
import { onCall } from "../telling/rota.ts";
import type { Instant } from "../time.ts";
import type { UnwordedPart } from "./types.ts";

/**
 * Says when a destination hears of a first alert, or why it does not. `endDue` is when the recovery from the last
 * failure is due, if that recovery still waits; otherwise `at`.
 */
export function planInWords(
  plan: MessagePlan,
  { hears }: RoutedAddress,
  severity: Severity,
  at: Instant,
  endDue: Instant,
): UnwordedPart[] {
  if (!isPlanToSend(plan))
    return [
      "has a message that it failed and none yet that it recovered, so hears no more of the same until ",
      { at: endDue, as: "when" },
    ];
  const due: UnwordedPart = { at: plan.due ?? at, as: "when" };
  if (hears.afterSeconds !== undefined && due.at > at) return ["hears of it if no one has acknowledged it by ", due];
  if (plan.why === "quiet") return ["hears of it when its quiet hours end: ", due];
  if (plan.why === "behind") return ["hears of it behind an earlier message, which waits until ", due];
  const isUrgent = hears.urgent !== undefined && isAtLeast(severity, hears.urgent);
  return [isUrgent ? "hears of it at once, also in its quiet hours" : "hears of it at once"];
}

/**
 * When `name` is a rota: who is on call, and until when. When it is a destination that takes turns in rotas: the names
 * of these rotas. Otherwise empty.
 */
export function turnInWords({ rotas = new Map(), timezone }: Policy, name: string, at: Instant): UnwordedPart[] {
  const rota = rotas.get(name);
  const its = [...rotas.values()].filter(({ turns }) => turns.includes(name)).map((one) => one.name);
  if (rota === undefined) return its.length === 0 ? [] : [`takes turns in ${its.join(", ")}`];
  const { name: turn, until } = onCall(rota, timezone, at);
  return [`${turn} until `, { at: until, as: "when" }];
}

const EVENTS: Readonly<Record<MemberEvent, string>> = {
  InitialFailure: "new trouble",
  NeverExecuted: "jobs that never reported",
  ContinuedFailure: "trouble that goes on",
  Recovered: "recoveries",
};

/** Why an alert of the kind `event` is not sent to the address. `goesTo` are the destinations that get the alert. */
export function leftOutInWords(
  policy: MonitorPolicy,
  { leftOut, hears: { severity, environments = [] } }: Pick<RoutedAddress, "leftOut" | "hears">,
  event: MemberEvent,
  goesTo: Iterable<string>,
): string {
  switch (leftOut) {
    case "events":
      return `, whose events leave out ${EVENTS[event]}`;
    case "severity":
      return `: it hears of ${severity === "critical" ? "critical alone" : `${severity} and worse`}, and this is ${severityOf(policy)}`;
    case "environment":
      return `: it hears of ${environments.join(", ")}, and this is of ${nearestTierValue(policy, "environment") ?? "none"}`;
    case "turn":
      return ": it is not its week";
    default:
      return `; its alerts go to ${[...goesTo].join(", ") || "no one"}`;
  }
}
