// Keeps open overviews true: looks again when something has changed, and now and then because time alone makes a job
// late. Those who look at the same share the work.

import { SECOND } from "../../domain/time.ts";
import type { EventSink } from "../event-stream.ts";
import type { PagesParts } from "../pages-parts.ts";
import type { Viewer } from "../viewer.ts";
import type { FirstReportProps } from "./first-report.tsx";
import { overviewOf } from "./overview.ts";
import { differenceOf, type Parts, partsOf } from "./parts.tsx";
import type { OverviewQuery } from "./query.ts";

/** Milliseconds between two looks: at least, and at most. */
const SOONEST = 1 * SECOND;
const LATEST = 10 * SECOND;
/** Looks that are remembered for others. */
const SHARED_MAX = 100;

interface Look {
  readonly at: number;
  readonly revision: number;
  readonly parts: Parts;
}

export interface LiveParts extends Pick<PagesParts, "engine" | "clock" | "after" | "log"> {
  readonly catchUp: () => Promise<void>;
}

/** What one browser looks at. `seen`: the revision that its page was made from; null: an unknown one. */
export interface Watched {
  readonly viewer: Viewer;
  readonly query: OverviewQuery;
  readonly seen: number | null;
  readonly first: FirstReportProps;
  /** Whether the viewer may still look. */
  readonly isSignedIn: () => boolean;
}

export function createLive({ engine, clock, after, log, catchUp }: LiveParts) {
  const shared = new Map<string, Look>();

  function look({ viewer, query, first }: Watched): Look {
    const key = JSON.stringify([query, viewer.role, viewer.applications, first]);
    const known = shared.get(key);
    const revision = engine.board.revision();
    if (known !== undefined && known.revision === revision && clock.monotonic() - known.at < SOONEST) return known;
    const parts = partsOf(overviewOf(engine, viewer, query), viewer, first);
    if (shared.size >= SHARED_MAX) shared.clear();
    const made = { at: clock.monotonic(), revision, parts };
    shared.set(key, made);
    return made;
  }

  /** Sends what changes until it is ended. */
  return (watched: Watched, sink: EventSink): (() => void) => {
    let before: Parts | null = null;
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
        await catchUp();
        if (isOver) return;
        if (!watched.isSignedIn()) return sink.end();
        const { parts, revision } = look(watched);
        const isKnown = isFirst && watched.seen === revision;
        const news = isKnown ? "" : differenceOf(before, parts);
        isFirst = false;
        before = parts;
        if (news === "") sink.beat();
        else sink.send(news);
      } catch (error) {
        log("error", "live_view_failed", { error });
      }
      again(false);
    }

    const unsubscribe = engine.board.onChange(() => again(true));
    void lookAgain();
    return () => {
      isOver = true;
      cancel();
      unsubscribe();
    };
  };
}
