// The content of a notice: programs get it as it is, people get it from wording/notice.ts. Orders and bounds the lists
// here, so that receivers still take the message.

import type { GapReason } from "../monitor/gap.ts";
import type { StorageFault } from "../storage-fault.ts";
import { SECOND, toIso, toIsoOrNull } from "../time.ts";
import { type FailingDetails, heldMessages, type UndeliveredDetails } from "./held-messages.ts";
import type { Notice, RateLimitedMonitor, RejectedMonitor, UnknownMonitor } from "./notice.ts";
import { byIdentity, failingFirst, LISTED_MAX, type ListedMonitor, named, shareOf } from "./notice-lists.ts";

/** Instants are ISO 8601 strings. `monitors` may be cut short; `monitorsTotal` counts them all. */
export type NoticeDetails =
  | RejectedDetails
  | UnheardDetails
  | RateLimitedDetails
  | ClockDetails
  | DrillDetails
  | UndeliveredDetails
  | FailingDetails
  | StorageDetails
  | BackupDetails;

export interface UnheardDetails {
  readonly kind: "unheard";
  readonly from: string;
  readonly to: string;
  /** The total time, to the nearest second. */
  readonly seconds: number;
  /** How many outages; more than one when one began soon after the other. */
  readonly times: number;
  readonly reason: GapReason;
  readonly monitorsTotal: number;
  /** By application and key. */
  readonly monitors: readonly ListedUnknown[];
  /**
   * How many more are in doubt: another notice tells of those that stay unknown. Absent in notices of earlier versions.
   */
  readonly awaitedTotal?: number;
}

export interface RateLimitedDetails {
  readonly kind: "refused";
  readonly from: string;
  readonly to: string;
  readonly settings: readonly string[];
  readonly monitorsTotal: number;
  readonly failsTotal: number;
  /** How many monitors had a refused failure; they come first. */
  readonly failingTotal: number;
  /** Those with a refused fail first; then by application and key. */
  readonly monitors: readonly ListedRefused[];
}

export interface RejectedDetails {
  readonly kind: "rejected";
  readonly monitorsTotal: number;
  /** How many monitors had a refused failure; they come first. */
  readonly failingTotal: number;
  /** After those, by application and key. */
  readonly monitors: readonly ListedRejected[];
}

export interface ListedRejected extends ListedMonitor {
  /** False: the job has no monitor. */
  readonly watched: boolean;
  /** The newest report of each reason, newest first; `report`: its kind, null when the request named nothing known. */
  readonly refused: readonly {
    readonly at: string;
    readonly report: string | null;
    /** The code of the refusal. */
    readonly error: string;
    readonly reason: string;
  }[];
}

export interface ClockDetails {
  readonly kind: "clock";
  /** How far the clock was set back, to the nearest second. */
  readonly aheadSeconds: number;
  /** False: at least this far. */
  readonly exact: boolean;
  readonly since: string;
  readonly monitorsTotal: number;
}

export interface StorageDetails {
  readonly kind: "storage";
  readonly fault: StorageFault;
  readonly since: string;
  /** Since when it works again; null: it does not yet. */
  readonly until: string | null;
  /** Its path. */
  readonly database: string;
  /** How many monitors sent a failure that could not be stored, and these monitors; when it is over. */
  readonly failingTotal: number;
  readonly monitors: readonly ListedRejected[];
}

export interface BackupDetails {
  readonly kind: "backup";
  /** What failed: the copy, or the operator's command with it. */
  readonly step: "copy" | "command";
  /** Its path. */
  readonly file: string;
  readonly failedAt: string;
  readonly reason: string;
}

export interface DrillDetails {
  readonly kind: "drill";
  readonly monitor: ListedMonitor;
  readonly drilledAt: string;
  /** Empty: the monitor's alerts go nowhere. */
  readonly addresses: readonly {
    readonly destination: string;
    readonly recipient: string | null;
    readonly delivered: boolean;
    readonly answer: string | null;
  }[];
}

export interface ListedUnknown extends ListedMonitor {
  readonly firstSlot: string | null;
  readonly slotsTotal: number;
  readonly runsTotal: number;
  /** By their start, oldest first; may be cut short. */
  readonly runs: readonly { readonly runId: string | null; readonly startedAt: string }[];
  readonly expectedAt: string | null;
}

export interface ListedRefused extends ListedMonitor {
  readonly minutes: number;
  readonly failsTotal: number;
  /** Newest first; may be cut short. */
  readonly fails: readonly { readonly at: string; readonly message: string | null }[];
}

/** The details of a notice. */
export function detailsOf(notice: Notice): NoticeDetails {
  switch (notice.kind) {
    case "unheard":
      return unheard(notice);
    case "refused":
      return refused(notice);
    case "rejected":
      return rejected(notice.monitors);
    case "clock":
      return {
        kind: "clock",
        aheadSeconds: Math.round(notice.backMs / SECOND),
        exact: notice.exact,
        since: toIso(notice.since),
        monitorsTotal: notice.monitors,
      };
    case "storage": {
      const { kind, fault, since, until, database, failed } = notice;
      const { failingTotal, monitors } = rejected(failed);
      return { kind, fault, since: toIso(since), until: toIsoOrNull(until), database, failingTotal, monitors };
    }
    case "backup": {
      const { kind, step, file, at, reason } = notice;
      return { kind, step, file, failedAt: toIso(at), reason };
    }
    case "drill":
      return {
        kind: "drill",
        monitor: named(notice.monitor),
        drilledAt: toIso(notice.drilledAt),
        addresses: notice.deliveries.map(({ destination, recipient, outcome, answer }) => ({
          destination,
          recipient,
          delivered: outcome === "sent",
          answer,
        })),
      };
    case "undelivered":
      return { kind: "undelivered", removed: notice.removed, ...heldMessages(notice) };
    case "failing":
      return { kind: "failing", ...heldMessages(notice), until: toIsoOrNull(notice.until) };
    default:
      return notice satisfies never;
  }
}

function unheard({ gap, total, monitors, awaited }: Notice & { kind: "unheard" }): UnheardDetails {
  const { from, silentTo, silentMs, outages, reason } = gap;
  const listed = monitors.toSorted(byIdentity).slice(0, LISTED_MAX);
  return {
    kind: "unheard",
    from: toIso(from),
    to: toIso(silentTo),
    seconds: Math.round(silentMs / SECOND),
    times: outages,
    reason,
    monitorsTotal: total,
    monitors: listed.map((monitor) => listedUnknown(monitor, shareOf(listed.length))),
    awaitedTotal: awaited,
  };
}

function listedUnknown(monitor: UnknownMonitor, most: number): ListedUnknown {
  const { slots, runs, expectedAt } = monitor;
  const oldestFirst = runs.toSorted((a, b) => a.startedAt - b.startedAt).slice(0, most);
  return {
    ...named(monitor),
    firstSlot: toIsoOrNull(slots?.first ?? null),
    slotsTotal: slots?.count ?? 0,
    runsTotal: runs.length,
    runs: oldestFirst.map(({ runId, startedAt }) => ({ runId, startedAt: toIso(startedAt) })),
    expectedAt: toIsoOrNull(expectedAt),
  };
}

function refused(notice: Notice & { kind: "refused" }): RateLimitedDetails {
  const { from, to, settings, total, failing, fails, monitors } = notice;
  const most = shareOf(failing);
  return {
    kind: "refused",
    from: toIso(from),
    to: toIso(to),
    settings: [...new Set(settings)].sort(),
    monitorsTotal: total,
    failsTotal: fails,
    failingTotal: failing,
    monitors: monitors
      .toSorted(failingFirst)
      .slice(0, LISTED_MAX)
      .map((monitor) => listedRefused(monitor, most)),
  };
}

const listedRefused = (monitor: RateLimitedMonitor, most: number): ListedRefused => ({
  ...named(monitor),
  minutes: monitor.minutes,
  failsTotal: monitor.failsTotal,
  fails: monitor.fails.slice(0, most).map(({ at, message }) => ({ at: toIso(at), message })),
});

function rejected(monitors: readonly RejectedMonitor[]): RejectedDetails {
  const [failing = [], others = []] = [true, false].map((which) =>
    monitors.filter(({ refused }) => refused.some(({ kind }) => kind === "fail") === which).toSorted(byIdentity),
  );
  return {
    kind: "rejected",
    monitorsTotal: monitors.length,
    failingTotal: failing.length,
    monitors: [...failing, ...others].slice(0, LISTED_MAX).map((monitor) => ({
      ...named(monitor),
      watched: monitor.watched,
      refused: monitor.refused
        .toSorted((a, b) => b.at - a.at)
        .map(({ at, kind, code, reason }) => ({ at: toIso(at), report: kind, error: code, reason })),
    })),
  };
}
