// Finds the messages that a receiver should have got but that have no delivery (R38). For example, its destination was
// not configured when an incident opened, and is configured now. Once the delivery is written, the message is no longer
// owed. So it is written only once, even after a crash. Pure.

import { tellsOfTrouble } from "../message/alert.ts";
import { type KnownTrouble, type Lane, type ReceiverRules, type Standing, toldAtLast } from "./lane.ts";

/**
 * The stored answer of a delivery whose message was taken back at the receiving service, such as PagerDuty, because the
 * destination was removed. If the destination is configured again, it is told of the incident again.
 */
export const TAKEN_BACK = "taken back, because the destination was taken out";

/** The stored answer of a delivery that was given up, because its destination or member is not configured any more. */
export const NOT_CONFIGURED = "the destination is not configured any more";

/**
 * The ended incidents of which this receiver is owed the end. The receiver takes them for open, or will do so once the
 * messages that wait for it are sent.
 */
export function endedIncidentsKnownTo(
  lane: Lane,
  receiverKind: ReceiverRules["receiverKind"],
  { open }: Standing,
): readonly number[] {
  // People only need to hear that the trouble is over. A machine keeps a record of each incident and needs its end.
  if (receiverKind === "people") {
    const known = toldAtLast(lane);
    return known === null || open !== null ? [] : [known.incident];
  }
  const { told, waiting } = lane;
  const inTrouble = waiting.flatMap(({ kind, incident }) =>
    tellsOfTrouble(kind) && incident !== null ? [incident] : [],
  );
  const ending = waiting.flatMap(({ kind, incident }) => (kind === "Recovered" ? [incident] : []));
  const all = new Set([...(told === null ? [] : [told.incident]), ...inTrouble]);
  return [...all].filter((incident) => incident !== open?.incident && !ending.includes(incident));
}

/** Whether a receiver that has no delivery of the open incident is owed that incident's first alert. */
export const isNewsFor = (told: KnownTrouble | null, { open, isQuietByHand }: Standing): boolean =>
  open !== null &&
  open.acknowledged === null &&
  !isQuietByHand &&
  !(told?.state === "sent" && told.incident === open.incident);
