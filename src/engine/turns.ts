// Later turns of the event loop: for work that no request waits for, so that no ping waits long for it.

export interface Turns {
  /** Runs this in a later turn, where a failure has no caller to reach. */
  later(run: () => void): void;
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

  return {
    later,
    stop: () => {
      stopped = true;
    },
  };
}
