// Makes the lists of monitors in notices: sorted, and short enough for receivers to accept the message.

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

/** How many entries, such as runs, each listed monitor may have: fewer with more monitors, but at least one. */
const listedShare = (monitors: number): number => Math.max(1, Math.floor(LISTED_MAX / Math.max(1, monitors)));

export const byIdentity = (a: Identity, b: Identity): number =>
  compareNames(a.applicationId, b.applicationId) || compareNames(a.monitorKey, b.monitorKey);

/** Compares two names by code units, so that the order does not depend on the machine's language. */
const compareNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Makes the notice about a gap. `total` is how many monitors became unknown, and `monitors` are those to list.
 * `awaited` is how many more monitors are not judged yet.
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

export const isFailReported = ({ refused }: ListedRefused): boolean => refused.some(({ report }) => report === "fail");

/**
 * Makes the notice about refused reports. `monitors` are those to list, of `total` monitors. `failing` is how many
 * monitors sent a fail that was refused.
 */
export function refusedDetails(
  monitors: readonly ListedRefused[],
  total = monitors.length,
  failing = monitors.filter(isFailReported).length,
): RefusedDetails {
  const listed = monitors.toSorted((a, b) => Number(isFailReported(b)) - Number(isFailReported(a)) || byIdentity(a, b));
  return {
    kind: "refused",
    monitorsTotal: total,
    failingTotal: failing,
    monitors: listed.slice(0, LISTED_MAX),
  };
}

export interface LostMessage {
  /** The id of the delivery, by which people can send it again. */
  readonly delivery: number;
  readonly recipient: string | null;
  readonly at: Instant;
  readonly kind: AlertKind;
  readonly monitor: ListedMonitor;
}

/** Lists undelivered messages by their monitors. `messages` must have the oldest first. */
export function listedLostMessages(messages: readonly LostMessage[]): ListedLost[] {
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
