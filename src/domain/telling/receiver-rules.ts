// Reads from the configuration how a receiver wants to be told: a destination, or one recipient of it. Pure.

import { hearingFor } from "../settings/alert-routes.ts";
import { type DestinationRules, memberAt, type Policy, type Route } from "../settings/policy.ts";
import type { Hearing } from "./hearing.ts";
import type { ReceiverRules } from "./lane.ts";

/**
 * Returns how the receiver wants to be told. Nothing is held back for a destination that is no longer configured: its
 * messages come due and are given up.
 */
export function receiverRules(whole: Policy, { destination, recipient }: Route): ReceiverRules {
  const rules = whole.destinations.get(destination);
  return {
    receiverKind: recipientKind(rules),
    wantsOpenings: wantsOpenings(whole, rules, recipient),
    hearing: (via) => hearingBy(whole, destination, via),
    timezone: whole.timezone,
  };
}

/**
 * At which times a destination wants to hear of messages. `via` is the rota by which they go to the destination; `null`
 * without a rota. The settings of the rota count for what waits, also after the destination was taken out of the rota.
 */
export function hearingBy(whole: Policy, destination: string, via: string | null): Hearing {
  const rota = via === null ? undefined : whole.rotas?.get(via);
  return hearingFor(whole, destination, rota ?? null);
}

function recipientKind(rules: DestinationRules | undefined): ReceiverRules["receiverKind"] {
  if (rules === undefined || rules.takes === "events") return "log";
  return rules.takes === "incidents" ? "pager" : "people";
}

/**
 * Whether the receiver wants both kinds of first alerts: of a job that is in trouble, and of a job that has never
 * reported. Only a member of the team can decline one (R38).
 */
function wantsOpenings({ team }: Policy, rules: DestinationRules | undefined, recipient: string | null): boolean {
  if (rules?.takes !== "mail" || rules.recipients !== null) return true;
  const member = memberAt(team, recipient);
  return (
    member === undefined || (["InitialFailure", "NeverExecuted"] as const).every((kind) => member.events.includes(kind))
  );
}

export const receiverKey = ({ destination, recipient }: Route): string => JSON.stringify([destination, recipient]);
