// Keeps open pages true: looks again when something has changed, and now and then because time alone makes a job late.
// Those who see the same are on one channel: one look and one message serve them all, however many there are.

import type { Refusal } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import type { Log } from "../../domain/log.ts";
import { SECOND } from "../../domain/time.ts";
import type { TurnTaker } from "../../domain/turns.ts";
import type { Clock } from "../../engine/api.ts";
import { type MyTurn, turnsOf } from "../../http/turn-promises.ts";
import { type ChangeFeed, type Changes, DELIVERIES } from "../../views/changes.ts";
import { type EventSink, eventOf } from "../event-stream.ts";
import { fewAtOnce, inTurns } from "../turns.ts";
import { differenceOf, type Shown } from "./live-part.tsx";

/** Milliseconds between two looks of a channel: at least, and at most. */
const SOONEST = 1 * SECOND;
const LATEST = 10 * SECOND;
/** Bytes a second that a browser is sent for longer: after a large message comes a rest. */
const STEADY = 16 * 1024;
/** Milliseconds from a look to another channel's: many of them take their time rather than all of ours. */
const PAUSE = 25;
const SENT_AT_ONCE = 8;

export interface View {
  /** Those whose key is the same see the same. */
  readonly key: string;
  /** Called before each look. */
  readonly prepare: () => Promise<void>;
  /** A piece throws what SQLite throws. */
  readonly look: () => InPieces<Shown>;
  /** Calls back when it may have changed; answers how to end that. */
  readonly onChange: (wake: () => void) => () => void;
  /** Whether the page in the browser was made from this look. */
  readonly isSeen: (shown: Shown) => boolean;
  /** Whose it is: those of one session may look, or may not, together. */
  readonly session: string;
  /** Whether its viewer may still look. Asked once for each look and session. */
  readonly mayLook: () => boolean;
}

/** What a page says of what is watched for it. */
export type LiveView = Omit<View, "session" | "mayLook">;

/** A page that can be watched: the segments of its address, of which `:name` is a parameter. */
export interface LivePattern {
  readonly segments: readonly string[];
  readonly make: (asking: never, params: never) => LiveView | Refusal;
}

export type LiveWatch = ReturnType<typeof createLive>;

interface LiveParts {
  readonly turns: TurnTaker;
  readonly clock: Pick<Clock, "monotonic">;
  readonly after: (milliseconds: number, run: () => void) => () => void;
  readonly log: Log;
}

interface Watcher {
  readonly view: View;
  readonly sink: EventSink;
  /** What its browser shows; null: the page as it was loaded. */
  before: Shown | null;
}

/** Sends what changes until it is ended; answers how. */
export function createLive(parts: LiveParts) {
  const channels = new Map<string, ReturnType<typeof openChannel>>();
  const queue = createQueue(parts);

  return (view: View, sink: EventSink) => {
    const channel = channels.get(view.key) ?? openChannel(view, parts, queue);
    channels.set(view.key, channel);
    const watcher = { view, sink, before: null };
    channel.watchers.add(watcher);
    channel.hurry();
    return () => {
      channel.watchers.delete(watcher);
      if (channel.watchers.size > 0 || channels.get(view.key) !== channel) return;
      channels.delete(view.key);
      channel.close();
    };
  };
}

function openChannel(
  { onChange }: View,
  { turns, clock, after, log }: LiveParts,
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
      const bytes = await tell(watchers, await inTurns(turns, first.view.look()), turnsOf(turns));
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

/** Answers how many bytes a browser got that had the look before. */
async function tell(watchers: ReadonlySet<Watcher>, shown: Shown, nextTurn: MyTurn): Promise<number> {
  const messages = new Map<Shown | null, Uint8Array | null>();
  const sessions = new Map<string, boolean>();
  let sent = 0;
  let bytes = 0;
  for (const watcher of [...watchers]) {
    const { view, sink, before } = watcher;
    if (!watchers.has(watcher)) continue;
    // After the look: it took turns, in which a person may have lost the right to see it.
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
    if (++sent % SENT_AT_ONCE === 0) await nextTurn();
  }
  return bytes;
}

/** Does one after another, with a pause behind each. */
function createQueue({ after }: Pick<LiveParts, "after">) {
  const oneAtATime = fewAtOnce(1, Number.POSITIVE_INFINITY);
  const pause = () => new Promise<void>((resolve) => void after(PAUSE, resolve));
  return (work: () => Promise<void>): void => void oneAtATime(() => work().finally(pause));
}

// Which open pages a change concerns: one feed of changes for all of them, which ends when the last page closes.

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
    /** Calls back when this monitor changed or, with null, any; and when a delivery ended. Answers how to end that. */
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

// Wakes less often than something changes: the first change wakes at once, those that follow it soon together.

type OnChange = (wake: () => void) => () => void;

/** `rest`: the least between two wakes, in milliseconds. */
export const throttle =
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
