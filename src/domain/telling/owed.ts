// What a hearer is owed (R38): the end or the opening of an incident that it should have, and that no row was written
// for because it was no hearer then, or that was given up while it took nothing. A debt is what has no row, so it is
// paid once, also over a crash. Pure.

import type { HearerRules, KnownTrouble, Standing } from "./lane.ts";

/** Why what waits at a destination, or for a member, is given up when it is taken out of the configuration. */
export const NOT_CONFIGURED = "the destination is not configured any more";

/** Whether all is over of which a hearer knows, so that it is owed an end unless it has a row of one. */
export const isOverFor = (told: KnownTrouble, is: HearerRules["is"], { open }: Standing): boolean =>
  // People read of trouble and of its end; a machine keeps each incident by its number.
  is === "people" ? open === null : open?.incident !== told.incident;

/** Whether a hearer that has no row of the open incident is owed its opening. `told`: what it knows; else null. */
export const isNewsFor = (told: KnownTrouble | null, { open, isQuietByHand }: Standing): boolean =>
  open !== null &&
  !open.isAcknowledged &&
  !isQuietByHand &&
  !(told?.state === "sent" && told.incident === open.incident);
