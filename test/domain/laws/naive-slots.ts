// The slots of the naive model, second by second: those of minutes of each hour, and those of an interval (R44). It
// must import nothing.

/** Seconds since the beginning of an hour in UTC; the watch begins at 0. */
export type Second = number;

export interface NaiveSlots {
  /** Whether there is a slot at this second for which nothing has come. */
  readonly waits: (slot: Second) => boolean;
  /** The slot was missed, or counted as that. */
  readonly miss: (slot: Second) => void;
  /** The slot closes under a run that is inside its deadline. */
  readonly cover: (slot: Second) => void;
  /** Slots up to this one that were covered are passed over: a run is past its deadline, or something was counted. */
  readonly passOver: (slot: Second) => void;
  /** A start, or an end, which may be early. */
  readonly fill: (at: Second, kind: "start" | "end", early: boolean) => void;
  /** A window of maintenance begins; `paused`: until when a pause stands already, null: none. */
  readonly putOff: (at: Second, until: Second, paused: Second | null) => void;
  readonly resume: (at: Second) => void;
  /** Whether a run that began then is another run's by now; `since`: the end of that run. */
  readonly isFurther: (startedAt: Second, at: Second, since: Second) => boolean;
  /** How long it is from one slot to the next, around a second. */
  readonly apart: (at: Second) => Second;
}

export function minuteSlots(minutes: readonly number[]): NaiveSlots {
  const settled = new Set<Second>();
  const isSlot = (at: Second): boolean => at > 0 && at % 60 === 0 && minutes.includes((at / 60) % 60);

  function settleUntil(at: Second): void {
    for (let minute = 0; minute <= at; minute += 60) if (isSlot(minute)) settled.add(minute);
  }

  function after(at: Second): Second {
    let next = at + 1;
    while (!isSlot(next)) next += 1;
    return next;
  }

  /** Also before the watch has begun. */
  function upTo(at: Second): Second {
    let before = at;
    while (before % 60 !== 0 || !minutes.includes((((before / 60) % 60) + 60) % 60)) before -= 1;
    return before;
  }

  /** The newest slot that a report which may be early fills. */
  function reached(at: Second): Second {
    const [before, next] = [upTo(at), after(at)];
    return next - at <= Math.min(60, (next - before) / 10) ? next : before;
  }

  return {
    waits: (slot) => isSlot(slot) && !settled.has(slot),
    miss: (slot) => void settled.add(slot),
    cover: (slot) => void settled.add(slot),
    passOver: () => {},
    fill: (at, _, early) => {
      settleUntil(at);
      if (early) settled.add(reached(at));
    },
    putOff: () => {},
    resume: settleUntil,
    isFurther: (startedAt, at, since) => reached(at) > reached(startedAt) && reached(at) > since,
    apart: (at) => after(at) - upTo(at),
  };
}

/** It counts from an end, from the beginning, or from the end of a pause in which the job need not have run. */
export function intervalSlots(interval: Second): NaiveSlots {
  let since: Second = 0;
  const gone = new Set<Second>();
  const isSlot = (at: Second): boolean => at > since && (at - since) % interval === 0;

  /** The oldest that nothing has settled: a covered one may still be filled. */
  function oldest(): Second {
    let slot = since + interval;
    while (gone.has(slot)) slot += interval;
    return slot;
  }

  function countFrom(at: Second): void {
    since = at;
    gone.clear();
  }

  return {
    waits: (slot) => isSlot(slot) && !gone.has(slot),
    miss: (slot) => void gone.add(slot),
    cover: () => {},
    passOver: (until) => {
      for (let slot = oldest(); slot <= until; slot += interval) gone.add(slot);
    },
    fill: (at, kind) => {
      if (kind === "end") countFrom(at);
    },
    // Its time does not count; what was due before is due again as it ends.
    putOff: (at, until, paused) => {
      const slot = oldest() + Math.max(0, until - Math.max(at, paused ?? at));
      countFrom((paused === null ? Math.max(slot, until) : slot) - interval);
    },
    resume: (at) => {
      if (oldest() < at) countFrom(at);
    },
    isFurther: (startedAt, at) => at - startedAt >= interval,
    apart: () => interval,
  };
}
