// Pieces of advice that say the same of several jobs, as one. Pure.

import { counted } from "../../domain/wording/spoken-time.ts";
import type { GivenAdvice } from "../answers/status.ts";

/** `of`: of how many jobs it is said; null of one job, which its piece names, and of what is no job. */
export type AlikeAdvice = Readonly<{ says: string; of: string | null; pieces: GivenAdvice["advice"] }>;

/** In the order in which each was first said. */
export const alikeAdvice = (advice: GivenAdvice["advice"]): AlikeAdvice[] =>
  [...Map.groupBy(advice, ({ says }) => says)].map(([says, pieces]) => ({
    says,
    of:
      pieces.length === 1 || pieces.some(({ key }) => key === null) ? null : `each of ${counted(pieces.length, "job")}`,
    pieces,
  }));
