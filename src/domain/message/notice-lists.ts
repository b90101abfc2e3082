// Lists of monitors in notices: their order, and their longest length, so that receivers still take the message.

import type { FoundGap } from "../monitor/gap.ts";
import type { Instant } from "../time.ts";
import { SECOND, toIso } from "../time.ts";
import type { AlertKind } from "./alert.ts";
import type {
  ListedLost,
  ListedMonitor,
  ListedRefused,
  ListedRejected,
  ListedUnknown,
  RateLimitedDetails,
  RejectedDetails,
  UnheardDetails,
} from "./notice.ts";

type Identity = Pick<ListedMonitor, "applicationId" | "monitorKey">;

export const LISTED_MAX = 1_000;

/** How much of each monitor's own list to show: all of it while the notice names few monitors, always at least one. */
export const shareOf = (monitors: number): number => Math.max(1, Math.floor(LISTED_MAX / Math.max(1, monitors)));

export const byIdentity = (a: Identity, b: Identity): number =>
  inOrder(a.applicationId, b.applicationId) || inOrder(a.monitorKey, b.monitorKey);

/** Monitors with a refused failure first; then by application and key. */
export const failingFirst = <Counted extends Identity & { readonly failsTotal: number }>(
  a: Counted,
  b: Counted,
): number => Number(b.failsTotal > 0) - Number(a.failsTotal > 0) || byIdentity(a, b);

/** By code units, which sort the same everywhere. */
const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** `total`: how many monitors the gap left unknown; `awaited`: how many more may report still. */
export function unheardDetails(
  gap: FoundGap,
  total: number,
  monitors: readonly ListedUnknown[],
  awaited: number,
): UnheardDetails {
  const { from, silentTo, silentMs, outages, reason } = gap;
  const listed = monitors.toSorted(byIdentity).slice(0, LISTED_MAX);
  const most = shareOf(listed.length);
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

/** What is known of all the reports that a notice counts; `failing`: how many monitors had a failure refused. */
export interface RateLimitedSum {
  readonly from: Instant;
  readonly to: Instant;
  /** The limits to raise, such as `limits.v1_per_minute`. */
  readonly settings: ReadonlySet<string>;
  readonly failsTotal: number;
  readonly failing: number;
}

/** `monitors`: the first of the `total`, each with its newest failures. */
export function rateLimitedDetails(
  { from, to, settings, failsTotal, failing }: RateLimitedSum,
  total: number,
  monitors: readonly ListedRefused[],
): RateLimitedDetails {
  const most = shareOf(failing);
  return {
    kind: "refused",
    from: toIso(from),
    to: toIso(to),
    settings: [...settings].sort(),
    monitorsTotal: total,
    failsTotal,
    failingTotal: failing,
    monitors: monitors
      .toSorted(failingFirst)
      .slice(0, LISTED_MAX)
      .map((monitor) => ({ ...monitor, fails: monitor.fails.slice(0, most) })),
  };
}

export function rejectedDetails(monitors: readonly ListedRejected[]): RejectedDetails {
  const [failing = [], others = []] = [true, false].map((which) =>
    monitors.filter(({ refused }) => refused.some(({ report }) => report === "fail") === which).toSorted(byIdentity),
  );
  return {
    kind: "rejected",
    monitorsTotal: monitors.length,
    failingTotal: failing.length,
    monitors: [...failing, ...others].slice(0, LISTED_MAX),
  };
}

export interface LostMessage {
  /** The delivery's id, for sending it again. */
  readonly delivery: number;
  readonly recipient: string | null;
  readonly at: Instant;
  readonly kind: AlertKind;
  readonly monitor: ListedMonitor;
}

/** These messages by their monitors; `messages`: oldest first. */
export function listedLost(messages: readonly LostMessage[]): ListedLost[] {
  const ofEach = Map.groupBy(messages, ({ monitor }) => JSON.stringify([monitor.applicationId, monitor.monitorKey]));
  const listed = [...ofEach.values()].toSorted(([a], [b]) => byIdentity(a!.monitor, b!.monitor)).slice(0, LISTED_MAX);
  const most = shareOf(listed.length);
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
