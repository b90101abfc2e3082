// Says who asked for a manual pause or planned a maintenance, and why (R24). Screens put these words behind the time at
// which the pause ends.

import { type Instant, SECOND } from "../time.ts";
import { scheduleInWords } from "./schedule-words.ts";
import { span } from "./short-time.ts";
import { byPerson } from "./since-words.ts";

type AskedPause = Readonly<{ by: string | null; reason: string | null }>;

export interface StandingPause {
  /** When the pause ends; `null` when only a person ends it. */
  readonly until: Instant | null;
  /** Who asked for the pause, and why; `null` when a maintenance of the configuration did. */
  readonly asked: (AskedPause & { readonly planned: boolean }) | null;
}

/** A pause is called maintenance when it has an end, and the configuration sets it or a person planned it. */
export const pauseWord = ({ until, asked }: StandingPause): "in maintenance" | "paused" =>
  until !== null && (asked === null || asked.planned) ? "in maintenance" : "paused";

type AskedFor = Readonly<{ asked: AskedPause | null }>;

/**
 * Who asked for a pause and why, in the parts ` by Ada`, `: ` and `a new disk`. The reason is a separate part, because
 * a person may write it from right to left.
 */
export const pauseAskedInParts = ({ asked }: AskedFor): readonly string[] =>
  asked === null ? [] : [byPerson(asked.by), ...(asked.reason === null ? [] : [": ", asked.reason])];

/** Who asked for a pause and why, such as ` by Ada: a new disk`; empty when neither is known. */
export const askedInWords = (pause: AskedFor): string => pauseAskedInParts(pause).join("");

type SaidMaintenance = Readonly<{ schedule: string | null; timezone: string | null; durationSeconds: number }>;

/**
 * A maintenance in words, such as `at 04:00, only on Sunday, Europe/Berlin, for 2 h`. Its zone is left out when it is
 * `timezone`, which the reader takes for granted.
 */
export function maintenanceInWords(said: SaidMaintenance, timezone: string): string {
  const lasts = `for ${span(said.durationSeconds * SECOND)}`;
  if (said.schedule === null) return `once, ${lasts}`;
  const zone = said.timezone === null || said.timezone === timezone ? "" : `, ${said.timezone}`;
  return `${scheduleInWords(said.schedule) ?? said.schedule}${zone}, ${lasts}`;
}

/** The most maintenances of one monitor that are listed. The same one may be planned a hundred times by mistake. */
export const MAINTENANCE_TOLD = 5;

type EndedMaintenance = Readonly<{ endedAt: Instant | null; next: Readonly<{ from: Instant }> | null }>;

/** Whether a person ended the maintenance before it began. */
export const isCalledOff = ({ endedAt, next }: EndedMaintenance): boolean =>
  endedAt !== null && next !== null && endedAt < next.from;
