// How a pause by hand, and what maintenance is planned, are told where people look: by whom, and why (R24). Until when
// stands between.

import { type Instant, SECOND } from "../time.ts";
import { inWords } from "./schedule.ts";
import { span } from "./short-time.ts";
import { byPerson } from "./since.ts";

export interface StandingPause {
  /** Null: until a person resumes it. An instant, or as it is written. */
  readonly until: Instant | string | null;
  /** Null: a maintenance window asked for it. */
  readonly asked: { readonly by: string | null; readonly reason: string | null } | null;
}

/** A pause with an end is maintenance when the configuration or a person says what it is for. */
export const pauseWord = ({ until, asked }: StandingPause): "in maintenance" | "paused" =>
  until !== null && (asked === null || asked.reason !== null) ? "in maintenance" : "paused";

/** ` by Ada: a new disk`; empty when nothing was said. */
export const askedInWords = ({ asked }: Pick<StandingPause, "asked">): string =>
  asked === null ? "" : `${byPerson(asked.by)}${asked.reason === null ? "" : `: ${asked.reason}`}`;

type SaidMaintenance = Readonly<{ schedule: string | null; timezone: string | null; durationSeconds: number }>;

/** `at 04:00, only on Sunday, Europe/Berlin, for 2 h`; `timezone`: the zone that need not be said. */
export function maintenanceInWords(said: SaidMaintenance, timezone: string): string {
  const lasts = `for ${span(said.durationSeconds * SECOND)}`;
  if (said.schedule === null) return `once, ${lasts}`;
  const zone = said.timezone === null || said.timezone === timezone ? "" : `, ${said.timezone}`;
  return `${inWords(said.schedule) ?? said.schedule}${zone}, ${lasts}`;
}

type EndedMaintenance<At> = Readonly<{ endedAt: At | null; next: Readonly<{ from: At; until: At }> | null }>;

/** Whether a person ended it before it began. Instants, or as they are written. */
export const isCalledOff = <At extends Instant | string>({ endedAt, next }: EndedMaintenance<At>): boolean =>
  endedAt !== null && next !== null && endedAt < next.from;
