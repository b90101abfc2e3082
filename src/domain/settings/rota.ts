// A rota: a name in a route that stands for one destination after the other, each for a week (R38). Pure.

import { instantsOf, offsetPeriodAt, type WallTime } from "../schedule/zone.ts";
import { DAY, type Instant } from "../time.ts";
import type { Hearing } from "./hearing.ts";

/** `since`: when the first week of the first begins. `hears`: goes before what a destination says itself. */
export type Rota = Readonly<{ name: string; turns: readonly string[]; since: WallTime; hears: Hearing }>;

const WEEK = 7 * DAY;

/**
 * The destination whose week it is, and until when. Before `since` it is the first one's too. A week begins at the
 * wall-clock time of `since` (R17).
 */
export function onCall({ turns, since }: Rota, timezone: string, at: Instant) {
  const beginOf = (week: number): Instant => instantsOf(since + week * WEEK, timezone).first;
  // Clocks were never set by as much as a week.
  let next = Math.max(0, Math.floor((at + offsetPeriodAt(timezone, at).offset - since) / WEEK));
  while (next === 0 || beginOf(next) <= at) next++;
  return { name: turns[(next - 1) % turns.length]!, until: beginOf(next) };
}

/** Reads `2026-11-30T09:00`, which names no zone; null: the text has another form, or no calendar has that day. */
export function parseSince(text: string): WallTime | null {
  const wall = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  // A 31st of February would count as the 3rd of March.
  return !Number.isNaN(wall) && new Date(wall).toISOString().startsWith(text) ? wall : null;
}
