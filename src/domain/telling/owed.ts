// Finds what a receiver is owed (R38): the opening or the end of an incident that has no delivery, because the receiver
// was not configured then or took nothing. Once the delivery is written nothing is owed, so it is paid exactly once,
// also over a crash. Pure.

import { isTrouble } from "../message/alert.ts";
import { type KnownTrouble, type Lane, type ReceiverRules, type Standing, toldAtLast } from "./lane.ts";

/**
 * The answer of a delivery that its service has withdrawn, because the destination was removed. If the destination is
 * configured again it is owed the opening.
 */
export const TAKEN_BACK = "taken back, because the destination was taken out";

/** The answer of a delivery that is given up because its destination or member is not configured any more. */
export const NOT_CONFIGURED = "the destination is not configured any more";

/**
 * The ended incidents of which a receiver knows, or will know once all waiting messages are sent. It is owed the end of
 * each of them that has no delivery yet.
 */
export function endedIncidentsKnownTo(
  lane: Lane,
  receiverKind: ReceiverRules["receiverKind"],
  { open }: Standing,
): readonly number[] {
  // People only need to know that the trouble is over, while a machine keeps each incident by its number.
  if (receiverKind === "people") {
    const known = toldAtLast(lane);
    return known === null || open !== null ? [] : [known.incident];
  }
  const { told, waiting } = lane;
  const inTrouble = waiting.flatMap(({ kind, incident }) => (isTrouble(kind) && incident !== null ? [incident] : []));
  const ending = waiting.flatMap(({ kind, incident }) => (kind === "Recovered" ? [incident] : []));
  const all = new Set([...(told === null ? [] : [told.incident]), ...inTrouble]);
  return [...all].filter((incident) => incident !== open?.incident && !ending.includes(incident));
}

/**
 * Whether the open incident is news for a receiver that has no delivery of it. `told` is what the receiver knows, or
 * `null` when it knows of no trouble.
 */
export const isNewsFor = (told: KnownTrouble | null, { open, isQuietByHand }: Standing): boolean =>
  open !== null &&
  open.acknowledged === null &&
  !isQuietByHand &&
  !(told?.state === "sent" && told.incident === open.incident);
