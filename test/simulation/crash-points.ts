// Places in the notifier's work at which the process may die: before and after each word it has with the outbox, and while
// a message is on its way. Armed, the next time work comes by the place the process is gone.

import type { Outbox } from "../../src/engine/contract.ts";
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
  arm(point: CrashPoint): void;
  /** The one that is armed; null: none is. */
  armed(): CrashPoint | null;
  /** Work has come to this place; whether the process has died of it. */
  reached(point: CrashPoint): boolean;
  /** The outbox with these places in it. `marked`: a delivery was marked as sent. */
  guard(outbox: Outbox, marked: (id: number) => void): Outbox;
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

  function guard(outbox: Outbox, marked: (id: number) => void): Outbox {
    return {
      ...outbox,
      claim: (now: Instant, busy, limit) => {
        const next = outbox.nextAttemptAt(busy);
        if (next !== null && next <= now) mayDie("before claim");
        const claimed = outbox.claim(now, busy, limit);
        if (claimed.length > 0) mayDie("after claim");
        return claimed;
      },
      sent: (id, at, answer) => {
        mayDie("before mark");
        outbox.sent(id, at, answer);
        marked(id);
        mayDie("after mark");
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
