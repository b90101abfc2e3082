// Tells people that nothing can be stored, while it lasts, and that it is over (R36). It cannot store its messages either:
// they go straight to every destination. Once for each trouble, though a nearly full disk takes something now and then.

import { noticeMessage } from "../../domain/message/notice-message.ts";
import { type Route, routesAt } from "../../domain/settings/policy.ts";
import type { StorageFault } from "../../domain/storage-fault.ts";
import { type Instant, MINUTE, SECOND } from "../../domain/time.ts";
import type { Clock, TellUnstored } from "../api.ts";
import type { Committer } from "../committer.ts";
import { type EngineContext, houseOf } from "../context.ts";

/** Another program may hold the database for a moment; a full disk does not pass by itself. */
const OTHER_AFTER: Readonly<Record<StorageFault, number>> = { full: 0, other: 10 * SECOND };
/** How long storage must have worked before the trouble is over. */
const WORKS_FOR = MINUTE;

interface StorageNewsParts {
  readonly context: EngineContext;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly tell: TellUnstored;
}

/** To be called once a second. */
export function createStorageNews({ context, committer, clock, tell }: StorageNewsParts): () => void {
  /** What was told and is not over. */
  let told: { readonly fault: StorageFault; readonly since: Instant } | null = null;
  let works: { readonly at: Instant; readonly since: number } | null = null;

  function say(fault: StorageFault, since: Instant, until: Instant | null): void {
    const database = context.store.database.filename;
    const message = noticeMessage({ kind: "storage", fault, since, until, database }, clock.now(), houseOf(context));
    tell(message, allRoutes(context));
  }

  return () => {
    const failing = committer.failing();
    if (failing !== null) {
      works = null;
      if (told !== null || clock.monotonic() - failing.seenAt < OTHER_AFTER[failing.fault]) return;
      told = failing;
      say(failing.fault, failing.since, null);
      return;
    }
    if (told === null) return;
    works ??= { at: clock.now(), since: clock.monotonic() };
    if (clock.monotonic() - works.since < WORKS_FOR) return;
    say(told.fault, told.since, works.at);
    told = null;
    works = null;
  };
}

const allRoutes = ({ policy }: EngineContext): Route[] =>
  [...policy.destinations.keys()].flatMap((name) => routesAt(policy, name) ?? []);
