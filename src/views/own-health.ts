// How rollcall itself is: when it could not hear, how large its database is, and who is signed in. Changes nothing.

import type { FoundGap } from "../domain/monitor/gap.ts";
import type { Instant } from "../domain/time.ts";
import { databaseSize } from "../store/file/settings.ts";
import type { SignedInRow } from "../store/sessions.ts";
import type { ViewSource } from "./context.ts";

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
