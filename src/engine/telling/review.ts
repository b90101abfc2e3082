// Looks once a minute for something to tell, and tells it in one transaction. The caller says what, and to whom.

import { type Instant, MINUTE } from "../../domain/time.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import type { Announcer } from "./announce.ts";
import type { RaisedNotice } from "./notices.ts";

/** Once a minute: being a minute late does not matter. */
export interface Review {
  isTime(now: Instant): boolean;
  review(now: Instant): void;
}

export interface ReviewParts {
  readonly context: EngineContext;
  readonly committer: Committer;
  readonly announcer: Announcer;
}

/** `look` is called at the first review of each minute. */
export function everyMinute(look: (now: Instant) => void): Review {
  let lastMinute: number | null = null;
  return {
    isTime: (now) => minuteOf(now) !== lastMinute,
    review: (now) => {
      lastMinute = minuteOf(now);
      look(now);
    },
  };
}

const minuteOf = (at: Instant): number => Math.floor(at / MINUTE);

/** `dueAt` reads what is to be told; `tell` writes the notices of one of these, and runs inside the transaction of all. */
export const tellingEveryMinute = <Due>(
  { context, committer, announcer }: ReviewParts,
  dueAt: (context: EngineContext, now: Instant) => readonly Due[],
  tell: (context: EngineContext, due: Due, now: Instant) => RaisedNotice[],
): Review =>
  everyMinute((now) => {
    const due = dueAt(context, now);
    if (due.length === 0) return;
    announcer.notices(committer.one((at) => due.flatMap((one) => tell(context, one, at))));
  });
