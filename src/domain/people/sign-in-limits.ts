// How often somebody may try to sign in: from one network, and as one person. A limit for one of the two would let an
// attacker try one password on many people, or use many addresses against one.

import type { RateLimit } from "../rate-limit.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";

export const ADDRESS_LIMITS: readonly RateLimit[] = [
  { setting: "sign-ins from an address in a minute", most: 10, span: MINUTE },
  { setting: "sign-ins from an address in an hour", most: 60, span: HOUR },
];

/** A guess a minute would need thousands of years for a password that is not in any list. */
export const PERSON_LIMITS: readonly RateLimit[] = [
  { setting: "sign-ins of a person in ten minutes", most: 10, span: 10 * MINUTE },
  { setting: "sign-ins of a person in a day", most: 100, span: DAY },
];
