// Notes which monitors changed, after each commit, while a page listens. Without a listening page a ping costs one
// comparison.

import { coalesced } from "../domain/scheduler.ts";

/** How many monitors are noted for one view. If more have changed, the view reads all its monitors again. */
export const CHANGES_KEPT = 1_000;

/** An entry in a feed that means deliveries have ended. No monitor has this id. */
export const DELIVERIES = 0;

export interface Changes {
  /**
   * Begins to note changes. `wake` is called once, in a turn after the commit, when there is a change; it must not
   * throw.
   */
  subscribe(wake: () => void): ChangeFeed;
}

export interface ChangeFeed {
  /**
   * The ids of monitors that were created, changed or deleted since the last call, each once; some may not have
   * changed. It may contain `DELIVERIES`. `too_many` means that more changed than are kept.
   */
  take(): readonly number[] | "too_many";
  /** Ends the notes; the view is not woken any more. */
  end(): void;
}

interface Listener {
  readonly wakeLater: () => void;
  readonly changed: Set<number>;
  tooMany: boolean;
}

/** Makes the notes of changes. `schedule` calls back in a later turn of the event loop. */
export function createChanges(schedule: (run: () => void) => void) {
  const listeners = new Set<Listener>();

  /**
   * Notes what a commit has changed. Must be called after each commit, with an entry for each monitor that it touched;
   * `null` is an entry without a monitor.
   */
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
