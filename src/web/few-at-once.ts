// Lets a few run at once, a few more wait, and turns the rest away: hashing needs memory and a core for each.

/** Runs it when its turn comes, at once if a place is free; null: too many wait already. */
export type FewAtOnce = <Result>(run: () => Result | Promise<Result>) => Result | Promise<Result> | null;

/** `turn`: what one that has waited waits for besides, when it has its place. */
export function fewAtOnce(running: number, waiting: number, turn?: () => Promise<void>): FewAtOnce {
  let left = running;
  const queue: (() => void)[] = [];
  const leave = (): void => {
    const next = queue.shift();
    if (next === undefined) left++;
    else next();
  };
  return (run) => {
    if (left === 0) {
      if (queue.length >= waiting) return null;
      return new Promise<void>((resolve) => queue.push(resolve)).then(turn).then(() => withEnd(run, leave));
    }
    left--;
    return withEnd(run, leave);
  };
}

/**
 * Calls `end` when the work has ended. Work without a promise gets none: its answer is there before anything else runs.
 */
export function withEnd<Result>(work: () => Result | Promise<Result>, end: () => void): Result | Promise<Result> {
  let result: Result | Promise<Result>;
  try {
    result = work();
  } catch (error) {
    end();
    throw error;
  }
  if (result instanceof Promise) return result.finally(end);
  end();
  return result;
}
