// Lets a few run at once, a few more wait, and turns the rest away: hashing needs memory and a core for each.

/** Runs it when its turn comes; null: too many wait already. */
export type FewAtOnce = <Result>(run: () => Promise<Result>) => Promise<Result | null>;

export function fewAtOnce(running: number, waiting: number): FewAtOnce {
  let left = running;
  const queue: (() => void)[] = [];
  return async (run) => {
    if (left === 0) {
      if (queue.length >= waiting) return null;
      await new Promise<void>((resolve) => queue.push(resolve));
    } else left--;
    try {
      return await run();
    } finally {
      const next = queue.shift();
      if (next === undefined) left++;
      else next();
    }
  };
}
