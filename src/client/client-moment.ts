// When something happened on this machine, and how long ago that is. A report that waited gives its age and not its
// time, so that the server need not trust this machine's clock.

import { readFileSync } from "node:fs";
import { type Instant, SECOND } from "../domain/time.ts";

/** A moment in the form of the spool's files. */
export interface Moment {
  readonly wall: Instant;
  /** An id that changes with each start of the machine; `null` when the system has none. */
  readonly boot: string | null;
  /** Milliseconds since that start, including the time that the machine slept; `null` when `boot` is. */
  readonly uptime: number | null;
}

export function momentAt(wall: Instant): Moment {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const [seconds = ""] = readFileSync("/proc/uptime", "utf8").split(" ");
    return { wall, boot, uptime: Math.round(Number(seconds) * SECOND) };
  } catch {
    return { wall, boot: null, uptime: null };
  }
}

/** The age in whole seconds, never negative. Unless the machine was restarted, a change of the clock does not count. */
export function ageSeconds(then: Moment, now: Moment): number {
  const sameBoot = then.boot !== null && then.boot === now.boot;
  const age = sameBoot ? now.uptime! - then.uptime! : now.wall - then.wall;
  return Math.max(0, Math.floor(age / SECOND));
}

export type After = (milliseconds: number, run: () => void) => () => void;

export function limited(other: AbortSignal | null, within: number, after: After): AbortSignal {
  const controller = new AbortController();
  after(within, () => controller.abort());
  return other === null ? controller.signal : AbortSignal.any([controller.signal, other]);
}
