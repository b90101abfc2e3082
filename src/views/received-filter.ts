// Which refused reports and bulk syncs an operator asks for.

import { type Instant, SECOND } from "../domain/time.ts";

export interface ReceivedFilter {
  /** Null: of all applications. */
  readonly application: string | null;
  /** Only what is about the monitor with this key; null: of all. */
  readonly monitor: string | null;
  /** How far back; null: as far as there is anything. */
  readonly sinceSeconds: number | null;
  readonly limit: number;
}

/** There are at most 500 of an application. */
export const ALL_RECEIVED = 10_000;

/** From when on; everything where nothing is said. */
export const sinceOf = (sinceSeconds: number | null, now: Instant): Instant =>
  sinceSeconds === null ? Number.NEGATIVE_INFINITY : now - sinceSeconds * SECOND;
