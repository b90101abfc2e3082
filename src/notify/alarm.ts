// One alarm at a time: wakes the notifier at the earliest requested instant. Must not use a clock of dates, which
// people may set.

export interface Alarm {
  /** Rings after this number of milliseconds, in a later turn of the event loop; an earlier alarm replaces a later. */
  within(milliseconds: number): void;
  /** From now on it never rings. */
  close(): void;
}

const NONE = { at: Number.POSITIVE_INFINITY, cancel: () => {} };

/** `monotonic`: in milliseconds. `after`: as the notifier's. */
export function createAlarm(
  monotonic: () => number,
  after: (milliseconds: number, run: () => void) => () => void,
  ring: () => void,
): Alarm {
  let next = NONE;
  let closed = false;

  function cancel(): void {
    next.cancel();
    next = NONE;
  }

  function rings(): void {
    next = NONE;
    ring();
  }

  return {
    within: (milliseconds) => {
      const at = monotonic() + milliseconds;
      if (closed || next.at <= at) return;
      cancel();
      next = { at, cancel: after(milliseconds, rings) };
    },
    close: () => {
      closed = true;
      cancel();
    },
  };
}
