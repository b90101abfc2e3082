// Measures how long one turn of the event loop takes, because requests that come meanwhile wait for its end. It counts
// processor time of this thread, so that neither the disk nor other programs matter.

export interface TurnProbe {
  /** Milliseconds of the longest turn since this was last called. */
  longest(): number;
  /** Ends the probe, so that the process can end. */
  stop(): void;
}

const processorMilliseconds = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Measures at the end of each turn, and keeps the event loop busy. */
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
