// Notes after each commit which monitors have changed, to tell open pages. While no page is open, a ping pays one
// comparison.

import { coalesced } from "../domain/scheduler.ts";

/** How many changed monitors are noted for a listener. If more have changed, the listener reads all monitors again. */
export const CHANGES_KEPT = 1_000;

/** Stands in a feed among the ids of monitors, and says that deliveries have ended. No monitor has this id. */
export const DELIVERIES = 0;

export interface Changes {
  /**
   * Begins to note changes. `wake` is called in a turn of the event loop after the commit, and again only after the
   * changes were taken. `wake` must not throw.
   */
  subscribe(wake: () => void): ChangeFeed;
}

export interface ChangeFeed {
  /**
   * The ids of monitors that may have been created, changed or deleted since the last call, each once. The id
   * `DELIVERIES` (0) among them means that deliveries have changed. `too_many` means that more changed than are noted.
   */
  take(): readonly number[] | "too_many";
  /** Ends the feed: `wake` is not called any more. */
  end(): void;
}

interface Listener {
  readonly wakeLater: () => void;
  readonly changed: Set<number>;
  tooMany: boolean;
}

/** Makes the part that notes changes. `schedule` must call `run` in a later turn of the event loop. */
export function createChangeFeeds(schedule: (run: () => void) => void) {
  const listeners = new Set<Listener>();

  /** Notes the monitors that a commit has touched. Must be called after each commit. A `null` is ignored. */
  function announce(touched: readonly ({ readonly monitorId: number } | null)[]): void {
    if (listeners.size === 0) return;
    tell(touched.flatMap((each) => each?.monitorId ?? []));
  }

  function tell(ids: readonly number[]): void {
    if (ids.length === 0) return;
    for (const listener of listeners) {
      const hadNone = listener.changed.size === 0;
      noteChanged(listener, ids);
      if (hadNone) listener.wakeLater();
    }
  }

  function subscribe(wake: () => void): ChangeFeed {
    const wakeLater = coalesced(schedule, () => {
      if (listeners.has(listener) && listener.changed.size > 0) wake();
    });
    const listener: Listener = { wakeLater, changed: new Set(), tooMany: false };
    listeners.add(listener);
    return { take: () => takeChanges(listener), end: () => void listeners.delete(listener) };
  }

  return {
    subscribe,
    announce,
    /** Notes that deliveries have ended. Must be called after a commit in which some have. */
    announceDeliveries: () => tell([DELIVERIES]),
  };
}

function noteChanged(listener: Listener, ids: readonly number[]): void {
  for (const id of ids) {
    if (listener.tooMany) return;
    listener.changed.add(id);
    listener.tooMany = listener.changed.size > CHANGES_KEPT;
  }
}

function takeChanges(listener: Listener): readonly number[] | "too_many" {
  const taken = listener.tooMany ? "too_many" : [...listener.changed];
  listener.changed.clear();
  listener.tooMany = false;
  return taken;
}
