// How long one turn of the event loop takes: what comes in meanwhile waits for its end. Measured in processor time of
// this thread, so that neither the disk nor other programs count.

export interface TurnProbe {
  /** Milliseconds of the longest turn since this was asked last. */
  longest(): number;
  /** The event loop may be left. */
  stop(): void;
}

const processorMilliseconds = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Looks at the end of each turn, and keeps the event loop busy. */
export function startTurnProbe(): TurnProbe {
  let longest = 0;
  let last = processorMilliseconds();
  let running = true;
  const look = (): void => {
    const now = processorMilliseconds();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(look);
  };
  setImmediate(look);
  return {
    longest: () => {
      const found = longest;
      longest = 0;
      return found;
    },
    stop: () => {
      running = false;
    },
  };
}
