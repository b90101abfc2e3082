// The rate limit of one group of paths (R33): it remembers each key's windows, and logs when a key exceeds its limit.

import type { Log } from "../../domain/log.ts";
import type { RateExcess, RateLimit, RateVerdict, RhythmCount, Window } from "../../domain/rate-limit.ts";
import { grownLimit, judgeRate } from "../../domain/rate-limit.ts";
import { MINUTE } from "../../domain/time.ts";
import type { Caller, Clock } from "../../engine/api.ts";

type CountedCaller = Pick<Caller, "keyId"> & Partial<Pick<Caller, "application" | "applicationId">>;

/** Counts one request of this caller's key; `null` when it is within the limits. */
export type Throttle = (caller: CountedCaller) => RateExcess | null;

interface KeyMemory {
  windows: readonly Window[] | undefined;
  /** The limits in force for this key, and when they were found, on the monotonic clock. */
  limits: readonly RateLimit[];
  limitsAt: number;
  unsaid: number;
  /** When the key was last logged, on the monotonic clock. */
  saidAt: number;
}

/**
 * Makes a throttle. `rhythmsOf` says how often an application's monitors are expected to report. It uses the monotonic
 * clock, so that a change of the other clock locks no client out and lets none in. It keeps the keys that were seen
 * within the last two spans of its longest limit, and forgets a key only when all its windows have ended, which changes
 * no response.
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

  /** Logs one line per minute and key, because the refusals of a client in a loop must not fill the disk. */
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

  /** The schedules are read only when a key has exceeded its limit, and once a minute, because that costs a query. */
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

/** The monotonic time in whole milliseconds, so that a response in whole seconds is exact to the millisecond. */
const wholeMilliseconds = (clock: Clock): number => Math.floor(clock.monotonic());
