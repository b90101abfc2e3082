// How a pause by hand is told where people look: maintenance or a pause, by whom, and why (R24). Until when stands
// between.

import type { Instant } from "../time.ts";
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
export const askedInWords = ({ asked }: StandingPause): string =>
  asked === null ? "" : `${byPerson(asked.by)}${asked.reason === null ? "" : `: ${asked.reason}`}`;
