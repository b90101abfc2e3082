// Sync status: an application's monitors but those of drills, however many. First which they are, then their facts page
// by page, both in pieces: the number announced is the number listed, though monitors come and go meanwhile. Changes
// nothing.

import type { InPieces } from "../domain/in-pieces.ts";
import { drillEveryOf, monitorPolicy } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";
import type { PlacedMonitor } from "../store/monitor-pages.ts";
import type { MonitorSummary } from "./answers/monitors.ts";
import type { MonitorBooks } from "./context.ts";
import { PAGE, summaryOf, throughPlaced } from "./monitor-pages.ts";

/** A page of names alone costs a tenth of a full page. */
const IDS_AT_ONCE = 10 * PAGE;

export interface SyncStatus {
  readonly application: string;
  /** The facts are as new as this, or newer. */
  readonly at: Instant;
  /** How many monitors stand on the pages. */
  readonly total: number;
  /** By key, each page read when it is asked for; also what was deleted since `at`. */
  readonly pages: IterableIterator<readonly MonitorSummary[]>;
}

export function* syncStatus({ store, policy }: MonitorBooks, application: string, now: Instant): InPieces<SyncStatus> {
  const ids: number[] = [];
  const note = (listed: readonly PlacedMonitor[]): void => {
    for (const { id, key, hasFacts } of listed) {
      if (hasFacts === 1 && drillEveryOf(monitorPolicy(policy, application, key)) === null) ids.push(id);
    }
  };
  // Few monitors are one piece, and their status one piece, with its length.
  yield* throughPlaced(store, application, note, IDS_AT_ONCE);
  return { application, at: now, total: ids.length, pages: pagesOf({ store, policy }, ids, now) };
}

function* pagesOf({ store, policy }: MonitorBooks, ids: readonly number[], now: Instant) {
  for (let from = 0; from < ids.length; from += PAGE) {
    const outlines = store.monitorPages.outlines(ids.slice(from, from + PAGE));
    yield outlines.map((outline) => summaryOf(policy, outline, now));
  }
}
