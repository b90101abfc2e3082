// Later turns of the event loop: work that no request waits for is done there, so that no ping waits long for it.

export interface Turns {
  /** Runs this in a later turn; a failure there can be thrown to no caller. */
  later(run: () => void): void;
  /** Nothing runs any more. */
  stop(): void;
}

interface TurnsParts {
  /** Calls back at the end of this turn of the event loop: `setImmediate`. */
  readonly schedule: (run: () => void) => void;
  /** What runs in later turns needs storage: an error there is taken for one of storage. */
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
