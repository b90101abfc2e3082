// Runs checks once a minute for something to tell. What is found is read in pieces, because it may be very much, and
// told in one transaction.

import type { InPieces } from "../../domain/in-pieces.ts";
import type { Background } from "../../domain/scheduler.ts";
import { type Instant, MINUTE } from "../../domain/time.ts";
import type { EngineTools } from "../engine-context.ts";
import type { Announcer } from "./announce.ts";

/** A check that runs once a minute, because being a minute late does not matter. */
export interface Review {
  isTime(now: Instant): boolean;
  review(now: Instant): void;
}

export type NoticeTools = EngineTools & Readonly<{ announcer: Announcer }>;

/** `look` is called at the first review of each minute. */
export function everyMinute(look: (now: Instant) => void): Review {
  let lastMinute: number | null = null;
  return {
    isTime: (now) => wholeMinute(now) !== lastMinute,
    review: (now) => {
      lastMinute = wholeMinute(now);
      look(now);
    },
  };
}

const wholeMinute = (at: Instant): number => Math.floor(at / MINUTE);

export const inPiecesEveryMinute = (background: Background, work: (now: Instant) => InPieces<void>): Review =>
  everyMinute(oneAtATime(background, work));

/**
 * Makes work run never twice at the same time. A call during the work is ignored; after its end or an error the next
 * call starts it again.
 */
export function oneAtATime(background: Background, work: (now: Instant) => InPieces<void>): (now: Instant) => void {
  let underWay = false;
  function* once(now: Instant): InPieces<void> {
    underWay = true;
    try {
      yield* work(now);
    } finally {
      underWay = false;
    }
  }
  return (now) => {
    if (!underWay) background.through(once(now));
  };
}
