// Keeps open pages current: makes a page again when something has changed, and at least every ten seconds, because time
// alone makes a job late. Viewers of the same content have one shared page, which is made and encoded once for all of
// them.

import type { Refusal } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import type { Log } from "../../domain/log.ts";
import type { Scheduler } from "../../domain/scheduler.ts";
import { SECOND } from "../../domain/time.ts";
import type { Clock } from "../../engine/api.ts";
import { createYield, doInPieces, type Yield } from "../../http/yield.ts";
import { type ChangeFeed, type Changes, DELIVERIES } from "../../views/changes.ts";
import { fewAtOnce } from "../few-at-once.ts";
import { type EventSink, eventOf } from "./event-stream.ts";
import { differenceOf, type Shown } from "./live-part.tsx";

/** How many milliseconds pass between two updates of a shared page: at least `SOONEST`, at most `LATEST`. */
const SOONEST = 1 * SECOND;
const LATEST = 10 * SECOND;
/** How many bytes a second a browser gets on average: the next update waits longer after a large message. */
const STEADY = 16 * 1024;
/**
 * How many milliseconds pass after the update of one shared page before the next is updated. So the server has time for
 * other work, and very many shared pages are each updated less often.
 */
const PAUSE = 25;
const SENT_AT_ONCE = 8;

export interface View {
  /** The key of the page's content: viewers with the same key see the same page. */
  readonly key: string;
  /** Called each time before the page is made. */
  readonly prepare: () => Promise<void>;
  /** Makes the page; each step may throw SQLite's errors. */
  readonly look: () => InPieces<Shown>;
  /** Calls `wake` when the page may have changed. Returns a function that ends these calls. */
  readonly onChange: (wake: () => void) => () => void;
  /** Whether the page, as the browser loaded it, has this content already. */
  readonly isSeen: (shown: Shown) => boolean;
  /** The viewer's session, as `seatSessionOf` names it. */
  readonly session: string;
  /** Whether the viewer may still see the page. Each update asks once for all windows of a session. */
  readonly mayLook: () => boolean;
}

/** A view without the session and the rights, which the connection adds. */
export type LiveView = Omit<View, "session" | "mayLook">;

/** A page that can be watched, with the segments of its address; `:name` is a parameter. */
export interface LivePattern {
  readonly segments: readonly string[];
  readonly make: (asking: never, params: never) => LiveView | Refusal;
}

export type LiveWatch = ReturnType<typeof createLive>;

interface LiveParts {
  readonly scheduler: Scheduler;
  readonly clock: Pick<Clock, "monotonic">;
  readonly after: (milliseconds: number, run: () => void) => () => void;
  readonly log: Log;
}

interface Watcher {
  readonly view: View;
  readonly sink: EventSink;
  /** The content that the browser shows, as far as this connection knows; `null` at first, for the page as loaded. */
  before: Shown | null;
}

/**
 * Makes the function that sends the changes of a view to a browser. That function returns another one, which ends the
 * sending.
 */
export function createLive(parts: LiveParts) {
  const sharedPages = new Map<string, ReturnType<typeof openSharedPage>>();
  const queue = createQueue(parts);

  return (view: View, sink: EventSink) => {
    const sharedPage = sharedPages.get(view.key) ?? openSharedPage(view, parts, queue);
    sharedPages.set(view.key, sharedPage);
    const watcher = { view, sink, before: null };
    sharedPage.watchers.add(watcher);
    sharedPage.hurry();
    return () => {
      sharedPage.watchers.delete(watcher);
      if (sharedPage.watchers.size > 0 || sharedPages.get(view.key) !== sharedPage) return;
      sharedPages.delete(view.key);
      sharedPage.close();
    };
  };
}

function openSharedPage(
  { onChange }: View,
  { scheduler, clock, after, log }: LiveParts,
  queue: ReturnType<typeof createQueue>,
) {
  const watchers = new Set<Watcher>();
  let lastAt = Number.NEGATIVE_INFINITY;
  let rest = SOONEST;
  let cancel = (): void => {};
  let isSoon = false;
  let isUnderWay = false;
  let isOver = false;

  function again(isUrgent: boolean): void {
    if (isOver || (isSoon && isUrgent)) return;
    isSoon = isUrgent;
    if (isUnderWay) return;
    cancel();
    const left = lastAt + (isUrgent ? rest : LATEST) - clock.monotonic();
    cancel = after(Math.max(0, left), () => {
      isUnderWay = true;
      queue(lookAgain);
    });
  }

  async function lookAgain(): Promise<void> {
    isSoon = false;
    lastAt = clock.monotonic();
    try {
      const [first] = watchers;
      if (first === undefined) return;
      await first.view.prepare();
      const bytes = await tell(watchers, await doInPieces(scheduler, first.view.look()), createYield(scheduler));
      rest = Math.min(LATEST, Math.max(SOONEST, (bytes / STEADY) * SECOND));
    } catch (error) {
      log("error", "live_view_failed", { error });
    } finally {
      isUnderWay = false;
      const wasUrgent = isSoon;
      isSoon = false;
      again(wasUrgent);
    }
  }

  const hurry = (): void => again(true);
  const unsubscribe = onChange(hurry);
  const close = (): void => {
    isOver = true;
    cancel();
    unsubscribe();
  };
  return { watchers, hurry, close };
}

/**
 * Sends a shared page to its watchers. Returns the size in bytes of the largest message to a browser that had got an
 * earlier version: the larger it is, the longer the next update waits.
 */
async function tell(watchers: ReadonlySet<Watcher>, shown: Shown, yieldNow: Yield): Promise<number> {
  const messages = new Map<Shown | null, Uint8Array | null>();
  const sessions = new Map<string, boolean>();
  let sent = 0;
  let bytes = 0;
  for (const watcher of [...watchers]) {
    const { view, sink, before } = watcher;
    if (!watchers.has(watcher)) continue;
    // The right to see the page is checked only now, because making the page took several turns, in which the person
    // may have lost that right.
    const may = sessions.get(view.session) ?? view.mayLook();
    sessions.set(view.session, may);
    if (!may) {
      sink.end();
      continue;
    }
    let message = messages.get(before);
    if (message === undefined) {
      const difference = differenceOf(before, shown);
      message = difference === "" ? null : eventOf(difference);
      messages.set(before, message);
    }
    if (message === null || (before === null && view.isSeen(shown))) sink.beat();
    else sink.send(message);
    if (before !== null) bytes = Math.max(bytes, message?.byteLength ?? 0);
    watcher.before = shown;
    if (++sent % SENT_AT_ONCE === 0) await yieldNow();
  }
  return bytes;
}

/** Runs the given work, one piece after another, with a pause after each. */
function createQueue({ after }: Pick<LiveParts, "after">) {
  const oneAtATime = fewAtOnce(1, Number.POSITIVE_INFINITY);
  const pause = () => new Promise<void>((resolve) => void after(PAUSE, resolve));
  return (work: () => Promise<void>): void => void oneAtATime(() => work().finally(pause));
}

// Wakes the open pages that a change concerns. All pages share one feed of changes, which ends when the last page
// closes.

export type News = ReturnType<typeof createNews>;

export function createNews(changes: Changes) {
  const listeners = new Set<{ readonly monitorId: number | null; readonly wake: () => void }>();
  let feed: ChangeFeed | null = null;

  function handOut(): void {
    const taken = feed?.take() ?? [];
    const ids = taken === "too_many" ? null : new Set(taken);
    const isForAll = ids === null || ids.has(DELIVERIES);
    for (const { monitorId, wake } of listeners) {
      if (isForAll || monitorId === null || ids.has(monitorId)) wake();
    }
  }

  return {
    /**
     * Calls `wake` when this monitor has changed or a delivery has ended. With `monitorId` `null`, a change of any
     * monitor counts. Returns a function that ends these calls.
     */
    onChange: (monitorId: number | null, wake: () => void) => {
      feed ??= changes.subscribe(handOut);
      const listener = { monitorId, wake };
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        feed?.end();
        feed = null;
      };
    },
  };
}

type OnChange = (wake: () => void) => () => void;

/**
 * Makes an `OnChange` that wakes less often: at once for the first change, and then at most once in `rest`
 * milliseconds.
 */
export const throttledOnChange =
  (onChange: OnChange, rest: number, { clock, after }: Pick<LiveParts, "clock" | "after">): OnChange =>
  (wake) => {
    let lastAt = Number.NEGATIVE_INFINITY;
    let cancel: (() => void) | null = null;

    function wakeNow(): void {
      cancel = null;
      lastAt = clock.monotonic();
      wake();
    }

    const end = onChange(() => {
      if (cancel !== null) return;
      const left = lastAt + rest - clock.monotonic();
      if (left <= 0) wakeNow();
      else cancel = after(left, wakeNow);
    });
    return () => {
      cancel?.();
      end();
    };
  };
