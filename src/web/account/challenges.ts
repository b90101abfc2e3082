// Challenges that browsers were given and have not answered yet: each counts once, and not for long. Bounded; forgets
// everything at a start.

import { CHALLENGE_SPAN } from "../../domain/people/passkey.ts";
import type { Clock } from "../../engine/api.ts";

export interface Challenges {
  /** `purpose`: what alone it may be answered for. */
  give(challenge: string, purpose: string): void;
  /** Whether it was given for this purpose and counts; from then on it never does. */
  take(challenge: string, purpose: string): boolean;
}

const KEPT = 5_000;

export function createChallenges(clock: Pick<Clock, "monotonic">): Challenges {
  /** In the order in which they were given. */
  const open = new Map<string, { readonly purpose: string; readonly since: number }>();

  function forgetOld(): void {
    const oldest = clock.monotonic() - CHALLENGE_SPAN;
    for (const [challenge, { since }] of open)
      if (since <= oldest || open.size >= KEPT) open.delete(challenge);
      else return;
  }

  return {
    give: (challenge, purpose) => {
      forgetOld();
      open.set(challenge, { purpose, since: clock.monotonic() });
    },
    take: (challenge, purpose) => {
      const given = open.get(challenge);
      open.delete(challenge);
      return given?.purpose === purpose && clock.monotonic() < given.since + CHALLENGE_SPAN;
    },
  };
}
