// Lists of monitors in notices: their order, and their greatest length, so that receivers still accept the message.

import type { FoundGap } from "../monitor/gap.ts";
import { type Instant, SECOND, toIso } from "../time.ts";
import type { AlertKind } from "./alert.ts";
import type {
  ListedLost,
  ListedMonitor,
  ListedRefused,
  ListedUnknown,
  RefusedDetails,
  UnheardDetails,
} from "./notice.ts";

type Identity = Pick<ListedMonitor, "applicationId" | "monitorKey">;

export const LISTED_MAX = 1_000;

/**
 * How much of each monitor's own list is shown: all of it when the notice names few monitors, and at least one entry.
 */
const listedShare = (monitors: number): number => Math.max(1, Math.floor(LISTED_MAX / Math.max(1, monitors)));

export const byIdentity = (a: Identity, b: Identity): number =>
  compareNames(a.applicationId, b.applicationId) || compareNames(a.monitorKey, b.monitorKey);

/** Compares two names by code units, which gives the same order everywhere. */
const compareNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Makes the content of the notice. `total` is how many monitors the gap left unknown; `awaited` is how many may still
 * report.
 */
export function unheardDetails(
  gap: FoundGap,
  total: number,
  monitors: readonly ListedUnknown[],
  awaited: number,
): UnheardDetails {
  const { from, silentTo, silentMs, outages, reason } = gap;
  const listed = monitors.toSorted(byIdentity).slice(0, LISTED_MAX);
  const most = listedShare(listed.length);
  return {
    kind: "unheard",
    from: toIso(from),
    to: toIso(silentTo),
    seconds: Math.round(silentMs / SECOND),
    times: outages,
    reason,
    monitorsTotal: total,
    monitors: listed.map((monitor) => ({ ...monitor, runs: monitor.runs.slice(0, most) })),
    awaitedTotal: awaited,
  };
}

export const isFailing = ({ refused }: ListedRefused): boolean => refused.some(({ report }) => report === "fail");

/**
 * Makes the content of the notice. `monitors` are the first of `total` monitors, of which `failing` sent a refused
 * failure.
 */
export function refusedDetails(
  monitors: readonly ListedRefused[],
  total = monitors.length,
  failing = monitors.filter(isFailing).length,
): RefusedDetails {
  const listed = monitors.toSorted((a, b) => Number(isFailing(b)) - Number(isFailing(a)) || byIdentity(a, b));
  return {
    kind: "refused",
    monitorsTotal: total,
    failingTotal: failing,
    monitors: listed.slice(0, LISTED_MAX),
  };
}

export interface LostMessage {
  /** The delivery's id, by which it can be sent again. */
  readonly delivery: number;
  readonly recipient: string | null;
  readonly at: Instant;
  readonly kind: AlertKind;
  readonly monitor: ListedMonitor;
}

/** Groups these messages by their monitors. `messages` has the oldest first. */
export function listedLost(messages: readonly LostMessage[]): ListedLost[] {
  const ofEach = Map.groupBy(messages, ({ monitor }) => JSON.stringify([monitor.applicationId, monitor.monitorKey]));
  const listed = [...ofEach.values()].toSorted(([a], [b]) => byIdentity(a!.monitor, b!.monitor)).slice(0, LISTED_MAX);
  const most = listedShare(listed.length);
  return listed.map((of) => ({
    ...of.at(-1)!.monitor,
    messagesTotal: of.length,
    messages: of.slice(0, most).map(({ delivery, recipient, kind, at }) => ({
      deliveryId: String(delivery),
      recipient,
      kind,
      at: toIso(at),
    })),
  }));
}
