// Settles the monitors that the wheel names (R19), some in each turn of the event loop. Each one's row says what is due.

import { type Instant, SECOND } from "../../domain/time.ts";
import type { EngineContext } from "../context.ts";
import type { MonitorMemory } from "../monitor-memory.ts";
import type { Turns } from "../turns.ts";
import { wakeOne } from "./wake.ts";
import type { Wheel } from "./wheel.ts";

/** Monitors that are looked at in one transaction at most: some 10 ms of processor time where each raises an alert. */
const WAKES_AT_ONCE = 250;

interface SettleParts {
  readonly context: EngineContext;
  readonly wheel: Wheel;
  readonly memory: MonitorMemory;
  readonly turns: Turns;
  /** Commits the reports that wait. */
  readonly flush: () => void;
}

/** A function that settles everything due by the instant it is given, over later turns. */
export function createSettle({ context, wheel, memory, turns, flush }: SettleParts): (due: Instant) => void {
  let settling = false;

  /** The waiting batch goes first, and input has had a full turn since `due`: no report in time loses to the clock. */
  function settleDue(due: Instant): void {
    // If this throws, the next look begins anew.
    settling = false;
    flush();
    const ids = wheel.advance(due, WAKES_AT_ONCE);
    if (ids.length > 0) wake(ids, due);
    if (!wheel.more()) return;
    settling = true;
    turns.later(() => settleDue(due));
  }

  function wake(ids: readonly number[], now: Instant): void {
    try {
      memory.finish(memory.applyToEach(ids, (id) => wakeOne(context, id, now), now));
    } catch {
      for (const id of ids) wheel.arm(id, now + SECOND);
    }
  }

  return (due) => {
    // Never two looks beside each other: they would move the wheel back and forth, and neither would come to its end.
    if (!settling) turns.later(() => turns.later(() => settleDue(due)));
    settling = true;
  };
}
