// What a hearer is owed (R38): the end or the opening of an incident that it should have, and that no row was written
// for because it was no hearer then, or that was given up while it took nothing. A debt is what has no row, so it is
// paid once, also over a crash. Pure.

import { isTrouble } from "../message/alert.ts";
import { type HearerRules, type KnownTrouble, type Lane, type Standing, toldAtLast } from "./lane.ts";

/** Of what no longer stands at the service of a destination that was taken out: there again, it is owed the opening. */
export const TAKEN_BACK = "taken back, because the destination was taken out";

/** Why what waits at a destination, or for a member, is given up when it is taken out of the configuration. */
export const NOT_CONFIGURED = "the destination is not configured any more";

/**
 * The incidents that are over and of which a hearer knows, or will know once all that waits is sent: it is owed the end
 * of each, unless it has a row of that.
 */
export function overFor(lane: Lane, is: HearerRules["is"], { open }: Standing): readonly number[] {
  // People read of trouble and of its end; a machine keeps each incident by its number.
  if (is === "people") {
    const known = toldAtLast(lane);
    return known === null || open !== null ? [] : [known.incident];
  }
  const { told, waiting } = lane;
  const inTrouble = waiting.flatMap(({ kind, incident }) => (isTrouble(kind) && incident !== null ? [incident] : []));
  const ending = waiting.flatMap(({ kind, incident }) => (kind === "Recovered" ? [incident] : []));
  const all = new Set([...(told === null ? [] : [told.incident]), ...inTrouble]);
  return [...all].filter((incident) => incident !== open?.incident && !ending.includes(incident));
}

/** Whether a hearer that has no row of the open incident is owed its opening. `told`: what it knows; else null. */
export const isNewsFor = (told: KnownTrouble | null, { open, isQuietByHand }: Standing): boolean =>
  open !== null &&
  open.acknowledged === null &&
  !isQuietByHand &&
  !(told?.state === "sent" && told.incident === open.incident);
