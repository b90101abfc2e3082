// Decides when to tell that nothing can be stored (R36): once for each trouble, although a full disk takes some writes.
// Pure.

import type { ClockLook } from "../monitor/gap.ts";
import type { StorageFault } from "../storage-fault.ts";
import { type Instant, MINUTE, SECOND } from "../time.ts";

/**
 * How long a fault must last before it is told. Another program may hold the database for a moment; a full disk and a
 * lost file do not recover by themselves.
 */
const NOTIFIED_AFTER: Readonly<Record<StorageFault, number>> = { full: 0, gone: 0, other: 10 * SECOND };
/** How long storage must have worked before the trouble counts as over. */
const WORKS_FOR = MINUTE;

export interface StorageTrouble {
  readonly fault: StorageFault;
  readonly since: Instant;
  /** When the trouble was first seen, by the monotonic clock. */
  readonly seenAt: number;
}

export interface StorageNews {
  /** The told trouble that is not over yet, whose end will be told; `null` when there is none. */
  readonly notified: StorageTrouble | null;
  /** When storage was first seen to work again; `null` while it does not work. */
  readonly works: ClockLook | null;
  /** What to tell now. `until` is `null` while the trouble lasts. */
  readonly tell: { readonly fault: StorageFault; readonly since: Instant; readonly until: Instant | null } | null;
}

export const NO_STORAGE_NEWS: StorageNews = { notified: null, works: null, tell: null };

/** `failing` is the trouble that storage has at this moment, or `null` when it has none. */
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
