// Joins advice that says the same about several jobs. Pure.

import { counted } from "../../domain/wording/spoken-time.ts";
import type { GivenAdvice } from "../schemas/status-schemas.ts";

/**
 * One sentence of advice (`says`), and all pieces of advice that have this sentence. `of` says how many jobs these are
 * about, such as `each of 3 jobs`. It is `null` for a single piece, and for advice about no job.
 */
export type AlikeAdvice = Readonly<{ says: string; of: string | null; pieces: GivenAdvice["advice"] }>;

/** Groups advice with the same sentence. The sentences keep their order. */
export const alikeAdvice = (advice: GivenAdvice["advice"]): AlikeAdvice[] =>
  [...Map.groupBy(advice, ({ says }) => says)].map(([says, pieces]) => ({
    says,
    of:
      pieces.length === 1 || pieces.some(({ key }) => key === null) ? null : `each of ${counted(pieces.length, "job")}`,
    pieces,
  }));
