// Later turns of the event loop: for work that no request waits for, so that no ping waits long for it.

export interface Turns {
  /** Runs this in a later turn, where a failure has no caller to reach. */
  later(run: () => void): void;
  /**
   * Runs this over the items, at most `atOnce` in a turn: the first now, and the others in later turns. Runs once where there
   * are no items. An error ends it.
   */
  inStretches<Item>(
    items: readonly Item[],
    atOnce: number,
    run: (stretch: readonly Item[], isLast: boolean) => void,
  ): void;
  /** Nothing runs any more. */
  stop(): void;
}

interface TurnsParts {
  /** Calls back at the end of this turn of the event loop: `setImmediate`. */
  readonly schedule: (run: () => void) => void;
  /** Work in later turns needs storage, so we take an error there as a storage error. */
  readonly failed: (error: unknown) => void;
}

export function createTurns({ schedule, failed }: TurnsParts): Turns {
  let stopped = false;

  function later(run: () => void): void {
    schedule(() => {
      if (stopped) return;
      try {
        run();
      } catch (error) {
        failed(error);
      }
    });
  }

  function inStretches<Item>(
    items: readonly Item[],
    atOnce: number,
    run: (stretch: readonly Item[], isLast: boolean) => void,
    from = 0,
  ): void {
    const next = from + atOnce;
    const isLast = next >= items.length;
    run(items.slice(from, next), isLast);
    if (!isLast) later(() => inStretches(items, atOnce, run, next));
  }

  return {
    later,
    inStretches: (items, atOnce, run) => inStretches(items, atOnce, run),
    stop: () => {
      stopped = true;
    },
  };
}
