// The clock changes of a zone, found by asking `Intl` what its clocks show and halving the time between two different
// answers. For the scheduler models and the proof on them: it must import nothing of the product but types.

import type { Instant } from "../../../src/domain/time.ts";

/** A change of a zone's clocks; the offsets are minutes to add to UTC. */
export interface ClockChange {
  /** The first instant of the new offset, at the beginning of a minute. */
  readonly at: Instant;
  readonly before: number;
  readonly after: number;
}

export interface ZoneHistory {
  readonly timezone: string;
  /** The offset at the beginning, in minutes. */
  readonly first: number;
  /** In the order of time. */
  readonly changes: readonly ClockChange[];
}

const MINUTE = 60_000;
/** No zone changed twice within less than six days since 2000, so one answer every three misses none. */
const STRIDE = 3 * 24 * 60 * MINUTE;

/** What the zone's clocks did in [from, until), both at the beginning of a minute. The zone must be known to `Intl`. */
export function historyOf(timezone: string, from: Instant, until: Instant): ZoneHistory {
  const shownAt = createOffsetWords(timezone);
  const changes: ClockChange[] = [];
  let shown = shownAt(from);
  for (let known = from; known < until; known += STRIDE) {
    const later = Math.min(known + STRIDE, until);
    const next = shownAt(later);
    if (next === shown) continue;
    const at = changeBetween(shownAt, known, later);
    changes.push({ at, before: inMinutes(shown), after: inMinutes(next) });
    shown = next;
  }
  return { timezone, first: inMinutes(shownAt(from)), changes };
}

/** The offset in force at an instant, in minutes. */
export function offsetAt(history: ZoneHistory, at: Instant): number {
  let offset = history.first;
  for (const change of history.changes) if (change.at <= at) offset = change.after;
  return offset;
}

/** Answers with the offset as text, `GMT+01:00`. */
function createOffsetWords(timezone: string): (at: Instant) => string {
  const format = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
  return (at) => {
    const text = format.format(at);
    return text.slice(text.indexOf("GMT"));
  };
}

/** The first minute that shows something else than `early` does, with one change in between. */
function changeBetween(shownAt: (at: Instant) => string, early: Instant, late: Instant): Instant {
  const old = shownAt(early);
  let before = early;
  let after = late;
  while (after - before > MINUTE) {
    const middle = before + Math.floor((after - before) / MINUTE / 2) * MINUTE;
    if (shownAt(middle) === old) before = middle;
    else after = middle;
  }
  if (shownAt(after - 1) !== old) throw new Error(`a change within a minute before ${new Date(after).toISOString()}`);
  return after;
}

function inMinutes(offset: string): number {
  const parts = /^GMT(?:([+-])(\d\d):(\d\d))?$/.exec(offset);
  if (parts === null) throw new Error(`not an offset of whole minutes: ${offset}`);
  const minutes = Number(parts[2] ?? 0) * 60 + Number(parts[3] ?? 0);
  return parts[1] === "-" ? -minutes : minutes;
}
