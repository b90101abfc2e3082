// The event loop of one process: its turns, its timers by the machine's counting clock, and the microtasks in between.
// Sometimes it is busy, and a turn ends late. What is left in it when the process dies never runs.

import { drainMicrotasks } from "bun:jsc";
import type { Machine } from "./machine.ts";
import type { Random } from "./random.ts";
import type { Instant } from "./units.ts";

export interface Loop {
  /** At the end of this turn: `setImmediate`. */
  schedule(run: () => void): void;
  /** As src/cli/clock.ts has it. */
  after(milliseconds: number, run: () => void): () => void;
  /** Lets everything run that waits for no event. */
  microtasks(): void;
  /** When a turn ends or a timer is due, in true time; Infinity: neither. */
  nextAt(): Instant;
  /** Ends a turn, or fires the timers that are due. */
  work(): void;
  /** No turn has anything left to do. */
  isIdle(): boolean;
  /** The process is gone: nothing in it runs any more. */
  die(): void;
  isDead(): boolean;
}

interface Timer {
  /** By the counting clock. */
  readonly due: number;
  readonly run: () => void;
}

const BUSY = 0.002;
const BUSY_MOST = 900;

export function createLoop(machine: Machine, random: Random): Loop {
  let turn: (() => void)[] = [];
  let turnEndsAt = Number.POSITIVE_INFINITY;
  const timers = new Set<Timer>();
  let firstDue = Number.POSITIVE_INFINITY;
  let dead = false;

  function schedule(run: () => void): void {
    if (dead) return;
    turn.push(run);
    if (turnEndsAt !== Number.POSITIVE_INFINITY) return;
    turnEndsAt = machine.now() + (random.chance(BUSY) ? random.whole(1, BUSY_MOST) : 0);
  }

  function after(milliseconds: number, run: () => void): () => void {
    const timer = { due: machine.clock.monotonic() + milliseconds, run };
    timers.add(timer);
    firstDue = Math.min(firstDue, timer.due);
    return () => {
      timers.delete(timer);
      findFirst();
    };
  }

  function findFirst(): void {
    firstDue = Number.POSITIVE_INFINITY;
    for (const { due } of timers) firstDue = Math.min(firstDue, due);
  }

  const timerAt = (): Instant => machine.now() + Math.max(0, firstDue - machine.clock.monotonic());

  function work(): void {
    if (turnEndsAt <= machine.now()) endTurn();
    else fire();
    drainMicrotasks();
  }

  function endTurn(): void {
    const runs = turn;
    turn = [];
    turnEndsAt = Number.POSITIVE_INFINITY;
    for (const run of runs) {
      if (dead) return;
      run();
      drainMicrotasks();
    }
  }

  function fire(): void {
    const now = machine.clock.monotonic();
    const due = [...timers].filter((timer) => timer.due <= now).sort((a, b) => a.due - b.due);
    for (const timer of due) {
      if (dead || !timers.delete(timer)) continue;
      timer.run();
      drainMicrotasks();
    }
    findFirst();
  }

  return {
    schedule,
    after,
    microtasks: drainMicrotasks,
    nextAt: () => Math.min(turnEndsAt, timerAt()),
    work,
    isIdle: () => turn.length === 0,
    isDead: () => dead,
    die: () => {
      dead = true;
      turn = [];
      turnEndsAt = Number.POSITIVE_INFINITY;
      timers.clear();
      firstDue = Number.POSITIVE_INFINITY;
    },
  };
}
