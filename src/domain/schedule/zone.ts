// Time zones: which names exist, and the periods of time in which a zone keeps one offset. The only file that uses
// `Temporal`; it must not know schedules.

import { boundedMap } from "../maps.ts";
import { DAY, type Instant } from "../time.ts";

/** A wall-clock time without a zone, written as the instant it would be in UTC: milliseconds since 1970-01-01. */
export type WallTime = number;

/** A span in which a zone's clocks run evenly; the spans of a zone follow one another without a gap. */
export interface OffsetPeriod {
  /** First instant; -Infinity when nothing came before. */
  readonly from: Instant;
  /** First instant after it; Infinity when nothing follows. */
  readonly until: Instant;
  /** Milliseconds to add to an instant for its wall time. */
  readonly offset: number;
  /**
   * From this wall time on, the period shows its wall times for the first time. Later than the wall time of `from`
   * where clocks were set back: the period before has already shown what lies between (R17).
   */
  readonly freshFrom: WallTime;
}

/** A name must begin with a letter: `Temporal` also takes bare offsets such as `+02:00`. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** Whether this is the name of an IANA time zone (R13). Bare offsets are not; case does not matter. */
export const isTimezone = (name: string): boolean => spellTimezone(name) !== null;

/** The name as IANA spells it, `Europe/Berlin` for `europe/BERLIN`; a link stays as it is. Null when it is no zone. */
export function spellTimezone(name: string): string | null {
  if (!NAME.test(name)) return null;
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId;
  } catch {
    return null;
  }
}

const UTC: OffsetPeriod = {
  from: Number.NEGATIVE_INFINITY,
  until: Number.POSITIVE_INFINITY,
  offset: 0,
  freshFrom: Number.NEGATIVE_INFINITY,
};

/** A search needs the periods around now; a count over years recomputes the rest, a few microseconds each. */
const KEPT_PER_ZONE = 8;
const periods = boundedMap<OffsetPeriod[]>(1_000);

/** The period of the zone in which this instant lies. The zone must be one that `isTimezone` accepts. */
export function offsetPeriodAt(timezone: string, at: Instant): OffsetPeriod {
  if (timezone === "UTC" || timezone === "Etc/UTC") return UTC;
  let kept = periods.get(timezone);
  if (kept === undefined) {
    kept = [];
    periods.set(timezone, kept);
  }
  for (const period of kept) if (period.from <= at && at < period.until) return period;

  const found = findOffsetPeriod(timezone, at);
  if (kept.length === KEPT_PER_ZONE) kept.shift();
  kept.push(found);
  return found;
}

/**
 * Only the period before can have shown a wall time of this one: no zone ever changed twice within the day or so by
 * which its clocks could be set back. A test checks every zone's whole history for that.
 */
function findOffsetPeriod(timezone: string, at: Instant): OffsetPeriod {
  // One millisecond later, because a change at this very instant begins its period.
  const previous = inZone(timezone, at + 1).getTimeZoneTransition("previous");
  const here = inZone(timezone, at);
  const next = here.getTimeZoneTransition("next");
  const until = next === null ? Number.POSITIVE_INFINITY : next.epochMilliseconds;
  const offset = offsetOf(here);
  if (previous === null) return { from: UTC.from, until, offset, freshFrom: UTC.freshFrom };

  const from = previous.epochMilliseconds;
  const shownBefore = from + offsetOf(inZone(timezone, from - 1));
  return { from, until, offset, freshFrom: Math.max(from + offset, shownBefore) };
}

const inZone = (timezone: string, at: Instant): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);

const offsetOf = (time: Temporal.ZonedDateTime): number => time.offsetNanoseconds / 1_000_000;

/**
 * When clocks show this wall time, the first and the last time: both are one instant but where a change shows it twice.
 * Where a change skips it, the first instant after that (R17).
 */
export function instantsOf(wall: WallTime, timezone: string): Readonly<{ first: Instant; last: Instant }> {
  const [before, after] = [wall - DAY, wall + DAY].map((near) => wall - offsetPeriodAt(timezone, near).offset);
  const shown = [before!, after!].filter((at) => at + offsetPeriodAt(timezone, at).offset === wall);
  const change = offsetPeriodAt(timezone, before!).from;
  return { first: shown[0] ?? change, last: shown.at(-1) ?? change };
}
