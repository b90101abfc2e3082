// What a hearer is owed (R38): the end or the opening of an incident that it should have, and that no row was written
// for because it was no hearer then, or that was given up while it took nothing. A debt is what has no row, so it is
// paid once, also over a crash. Pure.

import type { HearerRules, KnownTrouble, Standing } from "./lane.ts";

/** Why what waits at a destination, or for a member, is given up when it is taken out of the configuration. */
export const NOT_CONFIGURED = "the destination is not configured any more";

/** Which messages a hearer has rows of; those do not count that were given up while it took nothing or was none. */
export interface HearerRows {
  /** One is of the open incident. For a turn of a rota, a row of another turn counts too. */
  readonly hasOpening: boolean;
  /** One is the end of what it was told. */
  readonly hasEnd: boolean;
}

/** What a hearer is owed that knows of `told`. */
export function owedTo(
  told: KnownTrouble | null,
  is: HearerRules["is"],
  { open, isQuietByHand }: Standing,
  { hasOpening, hasEnd }: HearerRows,
): Readonly<{ end: boolean; opening: boolean }> {
  const knowsWhatStands = told !== null && told.state === "sent" && told.incident === open?.incident;
  // People read of trouble and of its end; a machine keeps each incident by its number.
  const isOver = told !== null && (is === "people" ? open === null : open?.incident !== told.incident);
  const isUnanswered = open !== null && !open.isAcknowledged && !isQuietByHand;
  return { end: isOver && !hasEnd, opening: isUnanswered && !knowsWhatStands && !hasOpening };
}
