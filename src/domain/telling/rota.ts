// A rota: a name in a list of destinations that means one destination after another, each for a week (R38). Pure.

import { instantsOf, offsetPeriodAt, type WallTime } from "../schedule/zone.ts";
import { DAY, type Instant } from "../time.ts";
import type { Hearing } from "./hearing.ts";

/**
 * `turns` are destinations, each on call for a week, the first from `since` on. `hears` overrides the rules of these
 * destinations.
 */
export type Rota = Readonly<{ name: string; turns: readonly string[]; since: WallTime; hears: Hearing }>;

const WEEK = 7 * DAY;

/**
 * The destination that is on call at `at`, and until when. Before `since` it is the first one. Each week begins at the
 * wall time of `since`, also after a clock change (R17).
 */
export function onCall({ turns, since }: Rota, timezone: string, at: Instant) {
  const beginOf = (week: number): Instant => instantsOf(since + week * WEEK, timezone).first;
  // The zone's offset at `at` gives the number of the week. It is wrong by one at most, because a clock change is
  // shorter than a week.
  let next = Math.max(0, Math.floor((at + offsetPeriodAt(timezone, at).offset - since) / WEEK));
  while (next === 0 || beginOf(next) <= at) next++;
  return { name: turns[(next - 1) % turns.length]!, until: beginOf(next) };
}

/** Reads the wall time at which a rota begins, such as `2026-11-30T09:00`; `null` when the text is no such time. */
export function parseRotaSince(text: string): WallTime | null {
  const wall = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  // `Date.parse` takes the 31st of February for the 3rd of March, so the day it found is compared with the text.
  return !Number.isNaN(wall) && new Date(wall).toISOString().startsWith(text) ? wall : null;
}
