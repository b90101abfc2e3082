// Joins pieces of advice that say the same about several jobs. Pure.

import { counted } from "../../domain/wording/spoken-time.ts";
import type { GivenAdvice } from "../schemas/status-schemas.ts";

/**
 * A sentence of advice with its pieces. `of` names the number of jobs; it is `null` for one job, which its piece names,
 * and for advice that is about no job.
 */
export type AlikeAdvice = Readonly<{ says: string; of: string | null; pieces: GivenAdvice["advice"] }>;

/** Joins the advice with one sentence; sentences stand in the order in which they first occurred. */
export const alikeAdvice = (advice: GivenAdvice["advice"]): AlikeAdvice[] =>
  [...Map.groupBy(advice, ({ says }) => says)].map(([says, pieces]) => ({
    says,
    of:
      pieces.length === 1 || pieces.some(({ key }) => key === null) ? null : `each of ${counted(pieces.length, "job")}`,
    pieces,
  }));
