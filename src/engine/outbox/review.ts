// Helps to run checks once a minute, each of which looks for something to tell. A check that may find very much reads
// it in pieces over several turns, and never runs twice at the same time.

import type { InPieces } from "../../domain/in-pieces.ts";
import type { Background } from "../../domain/scheduler.ts";
import { type Instant, MINUTE } from "../../domain/time.ts";
import type { EngineTools } from "../engine-context.ts";
import type { Announcer } from "./announce.ts";

/** A check that runs once a minute: `isTime` says whether this minute's run is still to come, and `review` runs it. */
export interface Review {
  isTime(now: Instant): boolean;
  review(now: Instant): void;
}

export type NoticeTools = EngineTools & Readonly<{ announcer: Announcer }>;

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
  everyMinute(reviewOneAtATime(background, work));

/**
 * Makes a function that begins `work`, unless the work it began earlier is still going on. When the work has ended, or
 * an error has ended it, the next call begins it again.
 */
export function reviewOneAtATime(
  background: Background,
  work: (now: Instant) => InPieces<void>,
): (now: Instant) => void {
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
