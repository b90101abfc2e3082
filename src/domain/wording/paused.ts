// How a pause by hand, and what maintenance is planned, are told where people look: by whom, and why (R24). Until when
// stands between.

import { type Instant, SECOND } from "../time.ts";
import { scheduleInWords } from "./schedule-words.ts";
import { span } from "./short-time.ts";
import { byPerson } from "./since-words.ts";

type AskedPause = Readonly<{ by: string | null; reason: string | null }>;

export interface StandingPause {
  /** Null when only a person ends the pause. */
  readonly until: Instant | null;
  /** Null: a maintenance window asked for it. */
  readonly asked: (AskedPause & { readonly planned: boolean }) | null;
}

/** What the configuration or a plan asks for is maintenance; what a person asks for by hand is none. */
export const pauseWord = ({ until, asked }: StandingPause): "in maintenance" | "paused" =>
  until !== null && (asked === null || asked.planned) ? "in maintenance" : "paused";

type AskedFor = Readonly<{ asked: AskedPause | null }>;

/** ` by Ada`, `: ` and `a new disk`: apart, because a person wrote the last, perhaps from right to left. */
export const askedInParts = ({ asked }: AskedFor): readonly string[] =>
  asked === null ? [] : [byPerson(asked.by), ...(asked.reason === null ? [] : [": ", asked.reason])];

/** ` by Ada: a new disk`; empty when nothing was said. */
export const askedInWords = (pause: AskedFor): string => askedInParts(pause).join("");

type SaidMaintenance = Readonly<{ schedule: string | null; timezone: string | null; durationSeconds: number }>;

/** `at 04:00, only on Sunday, Europe/Berlin, for 2 h`; `timezone`: the zone that need not be said. */
export function maintenanceInWords(said: SaidMaintenance, timezone: string): string {
  const lasts = `for ${span(said.durationSeconds * SECOND)}`;
  if (said.schedule === null) return `once, ${lasts}`;
  const zone = said.timezone === null || said.timezone === timezone ? "" : `, ${said.timezone}`;
  return `${scheduleInWords(said.schedule) ?? said.schedule}${zone}, ${lasts}`;
}

/** Of one monitor so much is told; a plan may be made again by mistake, up to a hundred times. */
export const MAINTENANCE_TOLD = 5;

type EndedMaintenance = Readonly<{ endedAt: Instant | null; next: Readonly<{ from: Instant }> | null }>;

/** Whether a person ended it before it began. */
export const isCalledOff = ({ endedAt, next }: EndedMaintenance): boolean =>
  endedAt !== null && next !== null && endedAt < next.from;
