// Reads from the configuration by which rules a receiver (a destination, or one recipient of it) is told. Pure.

import { hearingFor } from "../settings/alert-routes.ts";
import type { Hearing } from "../settings/hearing.ts";
import { type DestinationRules, memberAt, type Policy, type Route } from "../settings/policy.ts";
import type { ReceiverRules } from "./lane.ts";

/**
 * The rules by which a receiver is told. A destination that is no longer configured gets rules without any waiting, so
 * that its messages come due at once and are then given up.
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
 * The rules by which a destination hears what came through the rota `via`, or directly (`null`). The rota's rules apply
 * only while the destination is still one of its turns.
 */
export function hearingBy(whole: Policy, destination: string, via: string | null): Hearing {
  const rota = via === null ? undefined : whole.rotas?.get(via);
  return hearingFor(whole, destination, rota?.turns.includes(destination) ? rota : null);
}

function recipientKind(rules: DestinationRules | undefined): ReceiverRules["receiverKind"] {
  if (rules === undefined || rules.takes === "events") return "log";
  return rules.takes === "incidents" ? "pager" : "people";
}

/** Whether the receiver wants the openings of incidents. Only a member may not want them (R38). */
function wantsOpenings({ team }: Policy, rules: DestinationRules | undefined, recipient: string | null): boolean {
  if (rules?.takes !== "mail" || rules.recipients !== null) return true;
  const member = memberAt(team, recipient);
  return (
    member === undefined || (["InitialFailure", "NeverExecuted"] as const).every((kind) => member.events.includes(kind))
  );
}
