// Which monitors changed, noted after each commit while a page listens: a ping pays one comparison while none does.

import { onceATurn } from "../domain/turns.ts";

/** Monitors that are noted for one view; beyond them it reads all of its own again. */
export const CHANGES_KEPT = 1_000;

/** Stands in a feed for deliveries that have ended; no monitor has this id. */
export const DELIVERIES = 0;

export interface Changes {
  /** Notes what changes. `wake`: called once, in a turn after the commit, when there is something; must not throw. */
  subscribe(wake: () => void): ChangeFeed;
}

export interface ChangeFeed {
  /**
   * The ids of monitors that were created, changed or deleted since this was asked last, each once; some may only have
   * been looked at. Among them `DELIVERIES`. `too_many`: more than are kept.
   */
  take(): readonly number[] | "too_many";
  /** Nothing is noted any more, and no view is woken. */
  end(): void;
}

interface Listener {
  readonly wakeLater: () => void;
  readonly changed: Set<number>;
  tooMany: boolean;
}

/** `schedule`: calls back in a later turn of the event loop. */
export function createChanges(schedule: (run: () => void) => void) {
  const listeners = new Set<Listener>();

  /** To be called after each commit, with each monitor that it touched; null: it touched none. */
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
    const wakeLater = onceATurn(schedule, () => {
      if (listeners.has(listener) && listener.changed.size > 0) wake();
    });
    const listener: Listener = { wakeLater, changed: new Set(), tooMany: false };
    listeners.add(listener);
    return { take: () => takeChanges(listener), end: () => void listeners.delete(listener) };
  }

  return {
    subscribe,
    announce,
    /** To be called after a commit in which deliveries ended. */
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
