// Bounds how long something may take.

/** Calls `run` once, after so many milliseconds; the returned function cancels it. */
export type After = (milliseconds: number, run: () => void) => () => void;

/** Aborts after so many milliseconds, or with the other; null: there is no other. */
export function limited(other: AbortSignal | null, within: number, after: After): AbortSignal {
  const controller = new AbortController();
  after(within, () => controller.abort());
  return other === null ? controller.signal : AbortSignal.any([controller.signal, other]);
}
