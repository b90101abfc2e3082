// Keeps open pages true: looks again when something has changed, and now and then because time alone makes a job late.
// Those who see the same share the work.

import type { Log } from "../../domain/log.ts";
import { SECOND } from "../../domain/time.ts";
import type { Clock } from "../../engine/api.ts";
import type { EventSink } from "../event-stream.ts";
import { differenceOf, type Shown } from "./shown.ts";

/** Milliseconds between two looks: at least, and at most. */
const SOONEST = 1 * SECOND;
const LATEST = 10 * SECOND;
/** Looks that are remembered for others. */
const SHARED_MAX = 100;

/** A page that stays open. */
export interface View {
  /** Those whose key is the same see the same. */
  readonly key: string;
  /** Called before each look. */
  readonly prepare: () => Promise<void>;
  /** Rises when what it shows may have changed. */
  readonly revision: () => number;
  /** Throws what SQLite throws. */
  readonly look: () => Shown;
  /** Calls back when it may have changed; answers how to end that. */
  readonly onChange: (wake: () => void) => () => void;
  /** Whether the page in the browser was made from this look. */
  readonly isSeen: (shown: Shown, revision: number) => boolean;
  /** Whether its viewer may still look. */
  readonly mayLook: () => boolean;
}

/** Sends what changes until it is ended; answers how. */
export type Watch = (view: View, sink: EventSink) => () => void;

interface Look {
  readonly at: number;
  readonly revision: number;
  readonly shown: Shown;
}

interface LiveParts {
  readonly clock: Clock;
  readonly after: (milliseconds: number, run: () => void) => () => void;
  readonly log: Log;
}

export function createLive({ clock, after, log }: LiveParts): Watch {
  const shared = new Map<string, Look>();

  function look({ key, revision, look }: View): Look {
    const known = shared.get(key);
    const present = revision();
    if (known !== undefined && known.revision === present && clock.monotonic() - known.at < SOONEST) return known;
    if (shared.size >= SHARED_MAX) shared.clear();
    const made = { at: clock.monotonic(), revision: present, shown: look() };
    shared.set(key, made);
    return made;
  }

  return (view, sink) => {
    let before: Shown | null = null;
    let isFirst = true;
    let isOver = false;
    let lastAt = Number.NEGATIVE_INFINITY;
    let cancel = (): void => {};
    let isSoon = false;

    function again(isUrgent: boolean): void {
      if (isOver || (isSoon && isUrgent)) return;
      cancel();
      isSoon = isUrgent;
      const rest = lastAt + (isUrgent ? SOONEST : LATEST) - clock.monotonic();
      cancel = after(Math.max(0, rest), () => void lookAgain());
    }

    async function lookAgain(): Promise<void> {
      isSoon = false;
      lastAt = clock.monotonic();
      try {
        await view.prepare();
        if (isOver) return;
        if (!view.mayLook()) return sink.end();
        const { shown, revision } = look(view);
        const news = isFirst && view.isSeen(shown, revision) ? "" : differenceOf(before, shown);
        isFirst = false;
        before = shown;
        if (news === "") sink.beat();
        else sink.send(news);
      } catch (error) {
        log("error", "live_view_failed", { error });
      }
      again(false);
    }

    const unsubscribe = view.onChange(() => again(true));
    void lookAgain();
    return () => {
      isOver = true;
      cancel();
      unsubscribe();
    };
  };
}
