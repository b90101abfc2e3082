// Tells people that nothing can be stored, while it lasts, and that it is over (R36). It cannot store its messages either:
// they go straight to every destination. Once for each trouble, though a nearly full disk takes something now and then.

import { noticeMessage } from "../../domain/message/notice-message.ts";
import { NO_STORAGE_NEWS, storageNews } from "../../domain/message/storage-news.ts";
import { type Route, routesAt } from "../../domain/settings/policy.ts";
import type { Clock, TellUnstored } from "../api.ts";
import type { Committer } from "../committer.ts";
import { type EngineContext, houseOf } from "../context.ts";

interface StorageNewsParts {
  readonly context: EngineContext;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly tell: TellUnstored;
}

/** To be called once a second. */
export function createStorageNews({ context, committer, clock, tell }: StorageNewsParts): () => void {
  let news = NO_STORAGE_NEWS;
  return () => {
    news = storageNews(news, committer.failing(), { at: clock.now(), monotonic: clock.monotonic() });
    if (news.tell === null) return;
    const notice = { kind: "storage", ...news.tell, database: context.store.database.filename } as const;
    tell(noticeMessage(notice, clock.now(), houseOf(context)), allRoutes(context));
  };
}

const allRoutes = ({ policy }: EngineContext): Route[] =>
  [...policy.destinations.keys()].flatMap((name) => routesAt(policy, name) ?? []);
