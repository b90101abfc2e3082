// Which open pages a change concerns: one feed of changes for all of them, which ends when the last page closes.

import { type ChangeFeed, type Changes, DELIVERIES } from "../../views/changes.ts";

export interface News {
  /**
   * Calls back when this monitor changed or, with null, any; and when a delivery ended. Answers how to end that.
   */
  onChange(monitorId: number | null, wake: () => void): () => void;
  /** Rises with every change while somebody listens. */
  revision(): number;
}

interface NewsListener {
  readonly monitorId: number | null;
  readonly wake: () => void;
}

export function createNews(changes: Changes): News {
  const listeners = new Set<NewsListener>();
  let feed: ChangeFeed | null = null;
  let revision = 0;

  function handOut(): void {
    const taken = feed?.take() ?? [];
    revision++;
    const ids = taken === "too_many" ? null : new Set(taken);
    const isForAll = ids === null || ids.has(DELIVERIES);
    for (const { monitorId, wake } of listeners) {
      if (isForAll || monitorId === null || ids.has(monitorId)) wake();
    }
  }

  return {
    onChange: (monitorId, wake) => {
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
    revision: () => revision,
  };
}
