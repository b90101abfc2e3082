// The computer rollcall runs on, as far as its clocks go: true time, which only the simulation knows, the clock on its
// wall, which people and time servers set, and one that only counts.

import type { Clock } from "../../src/engine/api.ts";
import type { Instant } from "./units.ts";

export interface Machine {
  /** What both clocks show; true time is hidden from those who read these. */
  readonly clock: Clock;
  /** True time. */
  now(): Instant;
  /** How far the wall clock is ahead of true time; negative: behind. */
  wrongBy(): number;
  moveTo(now: Instant): void;
  /** Somebody sets the wall clock by so much. */
  step(by: number): void;
  /** So much of the time that has passed was slept through, and the counting clock stood still. */
  slept(time: number): void;
}

export function createMachine(start: Instant): Machine {
  let now = start;
  let wrong = 0;
  let slept = 0;
  return {
    clock: { now: () => now + wrong, monotonic: () => now - start - slept },
    now: () => now,
    wrongBy: () => wrong,
    moveTo: (to) => {
      now = to;
    },
    step: (by) => {
      wrong += by;
    },
    slept: (time) => {
      slept += time;
    },
  };
}
