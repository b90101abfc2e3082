// The clock changes that the zone proof goes through: every zone's from 2000 to 2040, zones with the same history once,
// and side by side those around which walls show the same.

import type { Instant } from "../../../src/domain/time.ts";
import { type ClockChange, historyOf, type ZoneHistory } from "../scheduler-models/zone-history.ts";

export const FROM: Instant = Date.UTC(2000, 0, 1);
export const UNTIL: Instant = Date.UTC(2041, 0, 1);

export interface Place {
  readonly history: ZoneHistory;
  readonly change: ClockChange;
}

/** The history of every zone that `Intl` knows. */
export const allHistories = (): ZoneHistory[] =>
  Intl.supportedValuesOf("timeZone").map((timezone) => historyOf(timezone, FROM, UNTIL));

/** One zone for each history that differs from all others. */
export function distinctHistories(histories: readonly ZoneHistory[]): ZoneHistory[] {
  const found = new Map<string, ZoneHistory>();
  for (const history of histories) {
    const key = JSON.stringify([history.first, history.changes]);
    if (!found.has(key)) found.set(key, history);
  }
  return [...found.values()];
}

/** Zones and years with clock changes that differ in kind: which hour, how far, at midnight, for good, a whole day. */
const LANDMARKS = [
  ["Europe/Berlin", 2026],
  ["America/New_York", 2026],
  ["Australia/Lord_Howe", 2026],
  ["America/Sao_Paulo", 2018],
  ["Africa/Cairo", 2026],
  ["America/Havana", 2026],
  ["America/St_Johns", 2006],
  ["Africa/Casablanca", 2026],
  ["Antarctica/Troll", 2026],
  ["Antarctica/Casey", 2018],
  ["Pacific/Apia", 2011],
  ["America/Caracas", 2007],
  ["Europe/Moscow", 2014],
  ["Europe/Lisbon", 2000],
] as const;

export const landmarks = (): Place[] =>
  LANDMARKS.flatMap(([timezone, year]) => {
    const places = placesOf([historyOf(timezone, FROM, UNTIL)]);
    return places.filter(({ change }) => new Date(change.at).getUTCFullYear() === year);
  });

export const placesOf = (histories: readonly ZoneHistory[]): Place[] =>
  histories.flatMap((history) => history.changes.map((change) => ({ history, change })));

/** Places at which the same wall-clock time gives way to the same other one. */
export function alike(places: readonly Place[]): Place[][] {
  const found = new Map<string, Place[]>();
  for (const place of places) {
    const { at, before, after } = place.change;
    const key = `${at / 60_000 + before} ${after - before}`;
    const group = found.get(key);
    if (group === undefined) found.set(key, [place]);
    else group.push(place);
  }
  return [...found.values()];
}
