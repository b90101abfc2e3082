// Decides when people are told that rollcall cannot store anything, and when they are told that storage works again
// (R36). Each trouble is told once, although a full disk may take some writes in between. Pure.

import type { ClockLook } from "../monitor/gap.ts";
import type { StorageFault } from "../storage-fault.ts";
import { type Instant, MINUTE, SECOND } from "../time.ts";

/**
 * How long a fault must last before it is told, in milliseconds. Another program may hold the database for a moment
 * (`other`); a full disk and a lost file do not mend by themselves.
 */
const NOTIFIED_AFTER: Readonly<Record<StorageFault, number>> = { full: 0, gone: 0, other: 10 * SECOND };
/** How long everything must have been stored before the trouble counts as over, in milliseconds. */
const WORKS_FOR = MINUTE;

export interface StorageTrouble {
  readonly fault: StorageFault;
  readonly since: Instant;
  /** When the trouble was first seen, by the monotonic clock, in milliseconds. */
  readonly seenAt: number;
}

export interface StorageNews {
  /** The trouble that was told and is not over yet; `null` without one. Its end will be told. */
  readonly notified: StorageTrouble | null;
  /** When rollcall was first seen to store again; `null` while it cannot. */
  readonly works: ClockLook | null;
  /** What is to be told now; `null` when nothing is. `until` is when the trouble ended, or `null` while it lasts. */
  readonly tell: { readonly fault: StorageFault; readonly since: Instant; readonly until: Instant | null } | null;
}

export const NO_STORAGE_NEWS: StorageNews = { notified: null, works: null, tell: null };

/**
 * Returns what is to be told now (`tell`), and what the next call must get. `failing` is the trouble that storage has
 * at this look; `null` when storage works.
 */
export function storageNoticeDue(
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
