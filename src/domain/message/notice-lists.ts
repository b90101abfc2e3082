// Lists of monitors in notices: how each is named, their order, and their longest length, so that receivers still take
// the message.

import type { NamedMonitor } from "./notice.ts";

export interface ListedMonitor {
  readonly applicationId: string;
  readonly monitorKey: string;
  readonly name: string;
  readonly timezone: string;
}

type Identity = Pick<NamedMonitor, "application" | "key">;
/** The most monitors in a list, and the most runs or fails of all of them together. */
export const LISTED_MAX = 1_000;

export const named = ({ application, key, name, watch }: NamedMonitor): ListedMonitor => ({
  applicationId: application,
  monitorKey: key,
  name,
  timezone: watch.timezone,
});

/** How much of each monitor's own list to show: all of it while the notice names few monitors, always at least one. */
export const shareOf = (monitors: number): number => Math.max(1, Math.floor(LISTED_MAX / Math.max(1, monitors)));

export const byIdentity = (a: Identity, b: Identity): number =>
  inOrder(a.application, b.application) || inOrder(a.key, b.key);

/** Monitors with a refused failure first; then by application and key. */
export const failingFirst = <Counted extends Identity & { readonly failsTotal: number }>(
  a: Counted,
  b: Counted,
): number => Number(b.failsTotal > 0) - Number(a.failsTotal > 0) || byIdentity(a, b);

/** By code units, which sort the same everywhere. */
const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
