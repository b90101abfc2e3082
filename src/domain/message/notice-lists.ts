// Lists of monitors in notices: how each is named, in what order they stand, and how long they are at most, so that a
// message stays one that receivers take.

import type { NamedMonitor } from "./notice.ts";

export interface ListedMonitor {
  readonly applicationId: string;
  readonly monitorKey: string;
  readonly name: string;
  readonly timezone: string;
}

type Identity = Pick<NamedMonitor, "application" | "key">;
/** Monitors in a list, and as many runs or fails of all of them. */
export const LISTED_MAX = 1_000;

export const named = ({ application, key, name, watch }: NamedMonitor): ListedMonitor => ({
  applicationId: application,
  monitorKey: key,
  name,
  timezone: watch.timezone,
});

/** How much of each monitor's own list is shown: all of it while few are named, at least one however many are. */
export const shareOf = (monitors: number): number => Math.max(1, Math.floor(LISTED_MAX / Math.max(1, monitors)));

export const byIdentity = (a: Identity, b: Identity): number =>
  inOrder(a.application, b.application) || inOrder(a.key, b.key);

/** By code units, which is the same everywhere. */
const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
