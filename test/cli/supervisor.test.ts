// What a service manager is told, and when, beyond what test/executable/supervised.slow.test.ts hears from the
// executable.

import { describe, expect, test } from "bun:test";
import { createSupervisor } from "../../src/cli/serving/supervisor.ts";
import { SECOND } from "../../src/domain/time.ts";

/** A manager that hears, unless it is said to be busy, and a clock to set. */
function openManager(patience: number | null) {
  const heard: (readonly string[])[] = [];
  const state = { busy: false, now: 0 };
  const supervisor = createSupervisor({
    send: (lines) => {
      if (!state.busy) heard.push(lines);
      return !state.busy;
    },
    patience,
    clock: { monotonic: () => state.now },
    machineClock: () => 7n,
  });
  return { supervisor, heard, state };
}

const beat = (status: string): string[] => ["WATCHDOG=1", `STATUS=${status}`];

describe("a beat", () => {
  test.each([
    [10 * SECOND, 5],
    [120 * SECOND, 30],
    [null, 30],
  ])("with a patience of %d ms is said every %d s", (patience, every) => {
    const { supervisor, heard, state } = openManager(patience);
    for (state.now = 0; state.now < 300 * SECOND; state.now += SECOND) supervisor.beat(() => "well");
    expect(heard).toHaveLength(300 / every);
  });

  test("that found no room is said at the next tick, and with it what found none before", () => {
    const { supervisor, heard, state } = openManager(10 * SECOND);
    state.busy = true;
    supervisor.ready("well");
    supervisor.beat(() => "worse");
    expect(heard).toEqual([]);
    state.busy = false;
    state.now += SECOND;
    supervisor.beat(() => "well again");
    supervisor.beat(() => "not due");
    expect(heard).toEqual([["READY=1", "STATUS=well", ...beat("well again")]]);
  });

  test("is one line a word, whatever the status holds", () => {
    const { supervisor, heard } = openManager(null);
    supervisor.beat(() => "not ready:\nREADY=1");
    expect(heard).toEqual([beat("not ready: READY=1")]);
  });
});
