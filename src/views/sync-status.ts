// Sync status: an application's monitors but those of drills, however many. First which they are, then their facts page
// by page, both in pieces: the number announced is the number listed, though monitors come and go meanwhile. Changes
// nothing.

import type { InPieces } from "../domain/in-pieces.ts";
import type { FoundGap } from "../domain/monitor/gap.ts";
import { drillEveryOf, monitorPolicy } from "../domain/settings/policy.ts";
import type { Instant } from "../domain/time.ts";
import { databaseSize } from "../store/file/settings.ts";
import type { PlacedMonitor } from "../store/monitor-pages.ts";
import type { SignedInRow } from "../store/sessions.ts";
import type { MonitorSummary } from "./answers/monitors.ts";
import type { MonitorBooks, ViewSource } from "./context.ts";
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

// How rollcall itself is: when it could not hear, how large its database is, and who is signed in. Changes nothing.

const GAPS_SHOWN = 50;

export interface OwnHealth {
  /** The newest first. */
  readonly gaps: readonly FoundGap[];
  /** There are older ones that are not in the list. */
  readonly moreGaps: boolean;
  /** Bytes of the file, without its log; `free`: those that new rows will fill first; `sqlite`: its version. */
  readonly database: { readonly bytes: number; readonly free: number; readonly sqlite: string };
  /** By name; with the uses that have been written, which is once an hour. */
  readonly signedIn: readonly SignedInRow[];
}

/** Throws what SQLite throws. */
export function ownHealth({ store }: Pick<ViewSource, "store">, now: Instant): OwnHealth {
  const gaps = store.gaps.last(GAPS_SHOWN + 1);
  return {
    gaps: gaps.slice(0, GAPS_SHOWN),
    moreGaps: gaps.length > GAPS_SHOWN,
    database: databaseSize(store.database),
    signedIn: store.sessions.signedIn(now),
  };
}
