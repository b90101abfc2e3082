// When we tell that nothing can be stored (R36): once for each trouble, though a full disk takes some writes. Pure.

import type { ClockLook } from "../monitor/gap.ts";
import type { StorageFault } from "../storage-fault.ts";
import { type Instant, MINUTE, SECOND } from "../time.ts";

/** Another program may hold the database for a moment; a full disk and a lost file do not come back by themselves. */
const NOTIFIED_AFTER: Readonly<Record<StorageFault, number>> = { full: 0, gone: 0, other: 10 * SECOND };
/** How long storage must have worked before the trouble is over. */
const WORKS_FOR = MINUTE;

export interface StorageTrouble {
  readonly fault: StorageFault;
  readonly since: Instant;
  /** Since when, on the monotonic clock. */
  readonly seenAt: number;
}

export interface StorageNews {
  /** The reported trouble that is not over; null: none. Its end will be told. */
  readonly notified: StorageTrouble | null;
  /** When we first saw it work since; null: it does not. */
  readonly works: ClockLook | null;
  /** What to report now. `until` null: the trouble lasts. */
  readonly tell: { readonly fault: StorageFault; readonly since: Instant; readonly until: Instant | null } | null;
}

export const NO_STORAGE_NEWS: StorageNews = { notified: null, works: null, tell: null };

/** `failing`: the trouble with storage at this look; null: none. */
export function storageNews(
  { notified, works }: StorageNews,
  failing: StorageTrouble | null,
  look: ClockLook,
): StorageNews {
  if (failing !== null) {
    if (notified !== null || look.monotonic - failing.seenAt < NOTIFIED_AFTER[failing.fault])
      return { notified, works: null, tell: null };
    const { fault, since } = failing;
    return { notified: failing, works: null, tell: { fault, since, until: null } };
  }
  if (notified === null) return NO_STORAGE_NEWS;
  const worksSince = works ?? look;
  if (look.monotonic - worksSince.monotonic < WORKS_FOR) return { notified, works: worksSince, tell: null };
  return { ...NO_STORAGE_NEWS, tell: { fault: notified.fault, since: notified.since, until: worksSince.at } };
}
