// What becomes of a report that cannot be sent: it waits in the spool, or it is lost, and the one whose job it is hears why.

import { messageOf } from "../domain/message-of.ts";
import type { Report } from "./report.ts";
import type { Kept, Spool } from "./spool.ts";

export interface Keeping {
  /** On disk when this returns; a text: it cannot be kept, and why. */
  keep(report: Report): Kept | string;
  /** Says that it will never be told. */
  lost(report: Report, why: string): void;
}

export function createKeeping(spool: Spool, say: (sentence: string) => void): Keeping {
  const reasons = new Set<string>();

  return {
    keep: (report) => {
      try {
        return spool.keep(report) ?? "it could not be sent, and too many wait already";
      } catch (error) {
        return `it could be neither sent nor kept: ${messageOf(error)}`;
      }
    },
    /** What refuses a start refuses its end: each reason is said once. */
    lost: ({ kind, monitor }, why) => {
      if (!reasons.has(why)) say(`the ${kind} of ${monitor} is lost: ${why}`);
      reasons.add(why);
    },
  };
}
