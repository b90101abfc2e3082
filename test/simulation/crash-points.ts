// Places in the notifier's work at which the process may die: before and after each exchange with the outbox, and while
// a message is on its way. Once armed, the process dies the next time work reaches the place.

import type { ClaimedDelivery, Outbox } from "../../src/engine/api.ts";
import type { Instant } from "./units.ts";

export const CRASH_POINTS = [
  "before claim",
  "after claim",
  "during send",
  "after answer",
  "before mark",
  "after mark",
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

export interface CrashPoints {
  /** Null: the process need not die any more. */
  arm(point: CrashPoint | null): void;
  /** The one that is armed; null: none is. */
  armed(): CrashPoint | null;
  /** Work has come to this place; whether the process has died of it. */
  reached(point: CrashPoint): boolean;
  /** The outbox with these places in it. */
  guard(outbox: Outbox, noted: Noted): Outbox;
}

/** What was written down of a delivery. */
export interface Noted {
  readonly sent: (id: number) => void;
  readonly givenUp: (delivery: ClaimedDelivery, at: Instant) => void;
}

/** What the dying process throws; nobody is left to catch it but the simulation. */
const GONE = new Error("the process is gone");

export function createCrashPoints(kill: (point: CrashPoint) => void): CrashPoints {
  let armed: CrashPoint | null = null;

  function reached(point: CrashPoint): boolean {
    if (armed !== point) return false;
    armed = null;
    kill(point);
    return true;
  }

  /** In the middle of what the process itself does: nothing follows. */
  function mayDie(point: CrashPoint): void {
    if (reached(point)) throw GONE;
  }

  function guard(outbox: Outbox, noted: Noted): Outbox {
    const underWay = new Map<number, ClaimedDelivery>();
    return {
      ...outbox,
      exchange: (endings, wanted) => {
        const { nextAttemptAt } = outbox.exchange([], { ...wanted, limit: 0 });
        if (wanted.limit > 0 && nextAttemptAt !== null && nextAttemptAt <= wanted.now) mayDie("before claim");
        const sent = endings.some(({ ending }) => ending === "sent");
        if (sent) mayDie("before mark");
        const claims = outbox.exchange(endings, wanted);
        for (const ending of endings) {
          if (ending.ending === "sent") noted.sent(ending.id);
          if (ending.ending === "given_up") noted.givenUp(underWay.get(ending.id)!, ending.at);
        }
        for (const delivery of claims.claimed) underWay.set(delivery.id, delivery);
        if (sent) mayDie("after mark");
        if (claims.claimed.length > 0) mayDie("after claim");
        return claims;
      },
    };
  }

  return {
    arm: (point) => {
      armed = point;
    },
    armed: () => armed,
    reached,
    guard,
  };
}
