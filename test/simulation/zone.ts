// The clocks of a time zone as a list of their changes, from the runtime's own data. Imports nothing of the product.

import { DAY, type Instant } from "./units.ts";

export interface Zone {
  readonly name: string;
  /** What to add to an instant for its wall-clock time. */
  offsetAt(at: Instant): number;
  /** The instants that show this wall-clock time: none where it is skipped, two where it is repeated. */
  showing(wall: Instant): readonly Instant[];
  /** No change from the day before this local day to the day after it. `day`: days since 1970-01-01. */
  isQuiet(day: number): boolean;
}

const FIRST = Date.UTC(2015, 0, 1);
const LAST = Date.UTC(2080, 0, 1);

const zones = new Map<string, Zone>();

export function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const made = makeZone(name);
  zones.set(name, made);
  return made;
}

function makeZone(name: string): Zone {
  const starts: Instant[] = [Number.NEGATIVE_INFINITY];
  const offsets: number[] = [offsetAccordingToTemporal(name, FIRST)];
  let at = FIRST;
  while (true) {
    const change = inZone(name, at).getTimeZoneTransition("next");
    if (change === null || change.epochMilliseconds > LAST) break;
    at = change.epochMilliseconds;
    starts.push(at);
    offsets.push(offsetAccordingToTemporal(name, at));
  }
  /** Most questions are about one period for months. */
  let current = 0;

  function offsetAt(instant: Instant): number {
    while (instant < starts[current]!) current--;
    while (current + 1 < starts.length && instant >= starts[current + 1]!) current++;
    return offsets[current]!;
  }

  function showing(wall: Instant): Instant[] {
    const candidates = new Set([wall - offsetAt(wall - DAY), wall - offsetAt(wall + DAY)]);
    return [...candidates].filter((instant) => instant + offsetAt(instant) === wall).sort((a, b) => a - b);
  }

  const isQuiet = (day: number): boolean => offsetAt((day - 2) * DAY) === offsetAt((day + 3) * DAY);

  return { name, offsetAt, showing, isQuiet };
}

const inZone = (name: string, at: Instant): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(name);

const offsetAccordingToTemporal = (name: string, at: Instant): number => inZone(name, at).offsetNanoseconds / 1e6;
