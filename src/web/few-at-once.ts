// Lets a few calls run at once and a few more wait, and turns away all others. It serves, for example, to hash
// passwords: each hash needs memory and a core.

import { withEnd } from "./with-end.ts";

/**
 * Calls `run` at once if a place is free, otherwise when a place becomes free. Returns `null` when too many calls wait
 * already.
 */
export type FewAtOnce = <Result>(run: () => Result | Promise<Result>) => Result | Promise<Result> | null;

/**
 * Makes a `FewAtOnce`: `running` calls run at once and `waiting` more may wait. Once a place is free for a call that
 * had to wait, the call first awaits `turn`, for example until a later turn of the event loop.
 */
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
