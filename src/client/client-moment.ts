// Notes when something happened on this machine, and computes how long ago that is. A report that waited tells its age,
// not its time, because this machine's clock may be wrong.

import { readFileSync } from "node:fs";
import { type Instant, SECOND } from "../domain/time.ts";

/** A moment, as the files of the spool hold it. The spool has the reports that wait to be sent. */
export interface Moment {
  readonly wall: Instant;
  /** An id that changes with each start of the machine; `null` when the system has none. */
  readonly boot: string | null;
  /** Milliseconds since the start of the machine, including the time that it slept; `null` when `boot` is `null`. */
  readonly uptime: number | null;
}

export function clientMomentAt(wall: Instant): Moment {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const [seconds = ""] = readFileSync("/proc/uptime", "utf8").split(" ");
    return { wall, boot, uptime: Math.round(Number(seconds) * SECOND) };
  } catch {
    return { wall, boot: null, uptime: null };
  }
}

/**
 * The whole seconds from `then` to `now`, never negative. A change of the clock does not count, unless the machine was
 * restarted in between or has no `boot` id.
 */
export function ageSeconds(then: Moment, now: Moment): number {
  const sameBoot = then.boot !== null && then.boot === now.boot;
  const age = sameBoot ? now.uptime! - then.uptime! : now.wall - then.wall;
  return Math.max(0, Math.floor(age / SECOND));
}

export type After = (milliseconds: number, run: () => void) => () => void;

export function limitedReportSignal(other: AbortSignal | null, within: number, after: After): AbortSignal {
  const controller = new AbortController();
  after(within, () => controller.abort());
  return other === null ? controller.signal : AbortSignal.any([controller.signal, other]);
}
