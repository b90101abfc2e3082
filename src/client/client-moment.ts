// When something happened on this machine, and how long ago that is. A report that waited says its age and not its
// time: the server then need not trust this machine's clock.

import { readFileSync } from "node:fs";
import { type Instant, SECOND } from "../domain/time.ts";

/** As the spool's files have it. */
export interface Moment {
  readonly wall: Instant;
  /** Changes with each start of the machine; null: the system does not say. */
  readonly boot: string | null;
  /** Since that start, also while the machine slept, in milliseconds; null with `boot`. */
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

/** Whole seconds, never negative. Within one start of the machine a clock that was set does not count. */
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
