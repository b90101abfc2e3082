// Telling, once a second: looks for what people should know about rollcall itself, each kind in its own turn of the
// event loop. Alerts of monitors are written where they are decided.

import type { Log } from "../../domain/log.ts";
import type { Instant } from "../../domain/time.ts";
import type { Clock, TellUnstored } from "../api.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import { createRateLimitedNews } from "../intake/rate-limited-notice.ts";
import type { Rejections } from "../intake/rejections.ts";
import type { Turns } from "../turns.ts";
import type { Announcer } from "./announce.ts";
import { createDrills } from "./drills.ts";
import { createOutages } from "./outages.ts";
import { createStorageNews } from "./storage-news.ts";
import { createUndelivered } from "./undelivered.ts";

export interface Telling {
  /** Tells that nothing can be stored, or can be again. */
  ofStorage(): void;
  /** Tells the rest of what there is to tell. */
  review(now: Instant): void;
}

interface TellingParts {
  readonly context: EngineContext;
  readonly clock: Clock;
  readonly committer: Committer;
  readonly announcer: Announcer;
  readonly log: Log;
  readonly turns: Turns;
  readonly rejections: Rejections;
  readonly tellUnstored: TellUnstored;
}

export function createTelling(parts: TellingParts): Telling {
  const { turns, rejections } = parts;
  const storageNews = createStorageNews({ ...parts, tell: parts.tellUnstored });
  const tellOfRateLimited = createRateLimitedNews(parts);
  const onceAMinute = [createDrills(parts), createUndelivered(parts), createOutages(parts)];

  return {
    ofStorage: () => turns.later(storageNews.review),
    review: (now) => {
      turns.later(() => tellOfRateLimited(now));
      turns.later(() => rejections.review(now, storageNews.endFollows()));
      for (const each of onceAMinute) if (each.isTime(now)) turns.later(() => each.review(now));
    },
  };
}
