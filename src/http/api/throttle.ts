// Counts the requests of each API key against the rate limits of a group of paths (R33), and logs keys that exceed a
// limit.

import type { Log } from "../../domain/log.ts";
import type { RateExcess, RateLimit, RateVerdict, RhythmCount, Window } from "../../domain/rate-limit.ts";
import { grownLimit, judgeRate } from "../../domain/rate-limit.ts";
import { MINUTE } from "../../domain/time.ts";
import type { Caller, Clock } from "../../engine/api.ts";

type CountedCaller = Pick<Caller, "keyId"> & Partial<Pick<Caller, "application" | "applicationId">>;

/**
 * Counts one request with the caller's key. Returns `null` when it is within the limits, otherwise the limit that it
 * exceeds.
 */
export type Throttle = (caller: CountedCaller) => RateExcess | null;

interface KeyMemory {
  windows: readonly Window[] | undefined;
  /**
   * The limits in force for this key, which may have grown with the schedules of its application. `limitsAt` says when
   * they were last found, in milliseconds of the monotonic clock.
   */
  limits: readonly RateLimit[];
  limitsAt: number;
  unsaid: number;
  /** When the key was last logged, in milliseconds of the monotonic clock. */
  saidAt: number;
}

/**
 * Makes a throttle. `rhythmsOf` says how often an application's monitors are expected to report, because limits may
 * grow with that. Time is taken from the monotonic clock, so that a change of the wall clock locks no client out and
 * lets none in. A key that was not seen for one or two spans of the longest limit is forgotten, because all its windows
 * have ended.
 */
export function createThrottle(
  limits: readonly RateLimit[],
  clock: Clock,
  log: Log,
  rhythmsOf: (applicationId: number) => readonly RhythmCount[] = () => [],
): Throttle {
  if (limits.length === 0) return () => null;
  const canGrow = limits.some(({ growsTo }) => growsTo !== undefined);
  const longest = Math.max(...limits.map(({ span }) => span));
  let young = new Map<number, KeyMemory>();
  let old = new Map<number, KeyMemory>();
  let youngSince = wholeMilliseconds(clock);

  function memoryOf(keyId: number, now: number): KeyMemory {
    if (now - youngSince >= longest) {
      old = young;
      young = new Map();
      youngSince = now;
    }
    const known = young.get(keyId);
    if (known !== undefined) return known;
    const memory = old.get(keyId) ?? {
      windows: undefined,
      limits,
      limitsAt: now - MINUTE,
      unsaid: 0,
      saidAt: now - MINUTE,
    };
    young.set(keyId, memory);
    return memory;
  }

  /** Logs at most one line a minute for each key, because the refusals of a client in a loop must not fill the disk. */
  function say(memory: KeyMemory, { keyId, application }: CountedCaller, { limit }: RateExcess, now: number): void {
    if (now - memory.saidAt < MINUTE) {
      memory.unsaid++;
      return;
    }
    const owner = application === undefined ? {} : { application };
    log("warn", "rate_limit_exceeded", { ...owner, keyId, setting: limit.setting, refusedBefore: memory.unsaid });
    memory.saidAt = now;
    memory.unsaid = 0;
  }

  /**
   * Judges one request. When a key exceeds its limits, they are computed again from the schedules of its application,
   * which may allow more requests. That takes a query, so it is done at most once a minute.
   */
  function judge(memory: KeyMemory, { applicationId }: CountedCaller, now: number): RateVerdict {
    const verdict = judgeRate(memory.limits, memory.windows, now);
    if (verdict.accepted || !canGrow || applicationId === undefined || now - memory.limitsAt < MINUTE) return verdict;
    const rhythms = rhythmsOf(applicationId);
    memory.limits = limits.map((limit) => grownLimit(limit, rhythms));
    memory.limitsAt = now;
    return judgeRate(memory.limits, memory.windows, now);
  }

  return (caller) => {
    const now = wholeMilliseconds(clock);
    const memory = memoryOf(caller.keyId, now);
    const verdict = judge(memory, caller, now);
    if (verdict.accepted) {
      memory.windows = verdict.windows;
      return null;
    }
    say(memory, caller, verdict, now);
    return verdict;
  };
}

/** The monotonic time in whole milliseconds, so that the whole seconds of `Retry-After` follow from it exactly. */
const wholeMilliseconds = (clock: Clock): number => Math.floor(clock.monotonic());
