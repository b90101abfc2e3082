// Tells people that nothing can be stored, while it lasts, and that it is over (R36). It cannot store its messages either:
// they go straight to every destination. Once for each trouble, though a nearly full disk takes something now and then.

import type { Notice, RejectedMonitor } from "../../domain/message/notice.ts";
import { noticeMessage } from "../../domain/message/notice-message.ts";
import { NO_STORAGE_NEWS, storageNews } from "../../domain/message/storage-news.ts";
import { type Route, routesAt } from "../../domain/settings/policy.ts";
import type { Clock, TellUnstored } from "../api.ts";
import type { Committer } from "../committer.ts";
import { type EngineContext, houseOf } from "../context.ts";
import type { Rejections } from "../intake/rejections.ts";

export interface StorageNewsTeller {
  /** To be called once a second. */
  review(): void;
  /** Whether people know of a trouble whose end is still to be told. */
  endFollows(): boolean;
}

interface StorageNewsParts {
  readonly context: EngineContext;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly rejections: Pick<Rejections, "takeUnstored">;
  readonly tell: TellUnstored;
}

const NO_FAILURES: readonly RejectedMonitor[] = [];

export function createStorageNews(parts: StorageNewsParts): StorageNewsTeller {
  const { context, committer, clock, rejections, tell } = parts;
  let news = NO_STORAGE_NEWS;

  function review(): void {
    const next = storageNews(news, committer.failing(), { at: clock.now(), monotonic: clock.monotonic() });
    if (next.tell !== null) {
      // If this throws, the end is told with a later look.
      const failed = next.tell.until === null ? NO_FAILURES : rejections.takeUnstored(clock.now());
      const database = context.store.database.filename;
      const notice: Notice = { kind: "storage", ...next.tell, database, failed };
      tell(noticeMessage(notice, clock.now(), houseOf(context)), allRoutes(context));
    }
    news = next;
  }

  return { review, endFollows: () => news.told !== null };
}

const allRoutes = ({ policy }: EngineContext): Route[] =>
  [...policy.destinations.keys()].flatMap((name) => routesAt(policy, name) ?? []);
