// A rota is a name in a route that means one destination after the other, each for a week (R38). Pure.

import { instantsOf, offsetPeriodAt, type WallTime } from "../schedule/zone.ts";
import { DAY, type Instant } from "../time.ts";
import type { Hearing } from "./hearing.ts";

/**
 * The destinations of a rota. `since` is when the first week of the first turn begins. The rules in `hears` override
 * those of the destinations.
 */
export type Rota = Readonly<{ name: string; turns: readonly string[]; since: WallTime; hears: Hearing }>;

const WEEK = 7 * DAY;

/**
 * The destination that is on call, and until when. Before `since` it is the first one. A week begins at the wall-clock
 * time of `since` (R17).
 */
export function onCall({ turns, since }: Rota, timezone: string, at: Instant) {
  const beginOf = (week: number): Instant => instantsOf(since + week * WEEK, timezone).first;
  // The week is guessed, and may be off by one at most, because clocks are never changed by a week.
  let next = Math.max(0, Math.floor((at + offsetPeriodAt(timezone, at).offset - since) / WEEK));
  while (next === 0 || beginOf(next) <= at) next++;
  return { name: turns[(next - 1) % turns.length]!, until: beginOf(next) };
}

/**
 * Reads for example `2026-11-30T09:00`, without a zone; `null` when the text has another form or the day does not
 * exist.
 */
export function parseSince(text: string): WallTime | null {
  const wall = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  // `Date.parse` takes the 31st of February for the 3rd of March, so the day is compared.
  return !Number.isNaN(wall) && new Date(wall).toISOString().startsWith(text) ? wall : null;
}
