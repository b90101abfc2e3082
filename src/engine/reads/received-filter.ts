// Which refused reports and bulk syncs an operator asks for.

import { type Instant, SECOND } from "../../domain/time.ts";

export interface ReceivedFilter {
  /** Null: of all applications. */
  readonly application: string | null;
  /** How far back; null: as far as there is anything. */
  readonly sinceSeconds: number | null;
  readonly limit: number;
}

/** From when on; everything where nothing is said. */
export const sinceOf = (sinceSeconds: number | null, now: Instant): Instant =>
  sinceSeconds === null ? Number.NEGATIVE_INFINITY : now - sinceSeconds * SECOND;
