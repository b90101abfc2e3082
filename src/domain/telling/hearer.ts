// By which rules a hearer, a destination and recipient, hears: as the configuration has them now. Pure.

import { hearingFor } from "../settings/alert-routes.ts";
import type { Hearing } from "../settings/hearing.ts";
import type { DestinationRules, Policy, Route } from "../settings/policy.ts";
import type { HearerRules } from "./lane.ts";

/** A hearer that is no destination any more hears all at once, so that what waits there is given up. */
export function hearerRules(whole: Policy, { destination, recipient }: Route): HearerRules {
  const rules = whole.destinations.get(destination);
  return {
    is: readerOf(rules),
    wantsOpenings: wantsOpenings(whole, rules, recipient),
    hearing: (via) => hearingBy(whole, destination, via),
    timezone: whole.timezone,
  };
}

/** By which rules a destination hears what came by the rota `via`, or without one (null). */
export function hearingBy(whole: Policy, destination: string, via: string | null): Hearing {
  const rota = via === null ? undefined : whole.rotas?.get(via);
  return hearingFor(whole, destination, rota?.turns.includes(destination) ? rota : null);
}

function readerOf(rules: DestinationRules | undefined): HearerRules["is"] {
  if (rules === undefined || rules.takes === "events") return "log";
  return rules.takes === "incidents" ? "pager" : "people";
}

/** A member may want no openings (R38); everybody else gets all. */
function wantsOpenings({ team }: Policy, rules: DestinationRules | undefined, recipient: string | null): boolean {
  if (rules?.takes !== "mail" || rules.recipients !== null) return true;
  const member = team.members.find(({ email }) => email === recipient);
  return (
    member === undefined || (["InitialFailure", "NeverExecuted"] as const).every((kind) => member.events.includes(kind))
  );
}
