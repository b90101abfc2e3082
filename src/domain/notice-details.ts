// What a notice tells, as its message carries it: for programs as it is, for people by wording-notice.ts. Lists are put in
// order and bounded here, so that a message stays one that receivers take.

import type { ToldKind } from "./alert.ts";
import type { FoundGap, GapReason } from "./gap.ts";
import type { LostMessage, NamedMonitor, Notice, RefusedMonitor, RejectedMonitor, UnknownMonitor } from "./notice.ts";
import type { StorageFault } from "./storage-fault.ts";
import { toIso, toIsoOrNull, wholeSeconds } from "./time.ts";

/** Instants are ISO 8601 strings. `monitors` may be cut short; `monitorsTotal` counts them all. */
export type NoticeDetails =
  | RejectedDetails
  | UnheardDetails
  | RefusedDetails
  | ClockDetails
  | DrillDetails
  | UndeliveredDetails
  | StorageDetails;

export interface UnheardDetails {
  readonly kind: "unheard";
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
  readonly reason: GapReason;
  readonly monitorsTotal: number;
  /** By application and key. */
  readonly monitors: readonly ListedUnknown[];
}

export interface RefusedDetails {
  readonly kind: "refused";
  readonly from: string;
  readonly to: string;
  readonly settings: readonly string[];
  readonly monitorsTotal: number;
  readonly failsTotal: number;
  /** How many monitors reported a failure that was refused; these stand first. */
  readonly failingTotal: number;
  /** Those with a refused fail first; then by application and key. */
  readonly monitors: readonly ListedRefused[];
}

export interface RejectedDetails {
  readonly kind: "rejected";
  readonly monitorsTotal: number;
  /** How many monitors reported a failure that was refused; these stand first. */
  readonly failingTotal: number;
  /** Then by application and key. */
  readonly monitors: readonly ListedRejected[];
}

export interface ListedRejected extends ListedMonitor {
  /** False: there is no such monitor, so nobody watches the job. */
  readonly watched: boolean;
  /** The newest of each reason, newest first; `report`: what was reported, null when the request named nothing known. */
  readonly refused: readonly { readonly at: string; readonly report: string | null; readonly reason: string }[];
}

export interface ClockDetails {
  readonly kind: "clock";
  readonly aheadSeconds: number;
  readonly since: string;
  readonly monitorsTotal: number;
}

export interface StorageDetails {
  readonly kind: "storage";
  readonly fault: StorageFault;
  readonly since: string;
  /** Since when it works again; null while it does not. */
  readonly until: string | null;
  /** Its path. */
  readonly database: string;
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

export interface UndeliveredDetails {
  readonly kind: "undelivered";
  readonly destination: string;
  /** Since when messages were tried there in vain. */
  readonly since: string;
  /** What the last attempt ended with. */
  readonly answer: string | null;
  readonly messagesTotal: number;
  readonly monitorsTotal: number;
  /** By application and key; may be cut short. */
  readonly monitors: readonly ListedLost[];
}

export interface ListedLost extends ListedMonitor {
  readonly messagesTotal: number;
  /** Oldest first; may be cut short. */
  readonly messages: readonly {
    readonly deliveryId: string;
    readonly recipient: string | null;
    readonly kind: ToldKind;
    readonly at: string;
  }[];
}

export interface ListedMonitor {
  readonly applicationId: string;
  readonly monitorKey: string;
  readonly name: string;
  readonly timezone: string;
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

type Identity = Pick<NamedMonitor, "application" | "key">;
type KnownLost = LostMessage & { readonly monitor: NonNullable<LostMessage["monitor"]> };

/** Monitors in a list, and as many runs or fails of all of them. */
const LISTED_MAX = 1_000;

/** The details of a notice. */
export function detailsOf(notice: Notice): NoticeDetails {
  switch (notice.kind) {
    case "unheard":
      return unheard(notice.gap, notice.monitors);
    case "refused":
      return refused(notice);
    case "rejected":
      return rejected(notice.monitors);
    case "clock":
      return {
        kind: "clock",
        aheadSeconds: wholeSeconds(0, notice.aheadMs),
        since: toIso(notice.since),
        monitorsTotal: notice.monitors,
      };
    case "storage": {
      const { kind, fault, since, until, database } = notice;
      return { kind, fault, since: toIso(since), until: toIsoOrNull(until), database };
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
      return undelivered(notice);
    default:
      return notice satisfies never;
  }
}

function unheard({ from, to, reason }: FoundGap, monitors: readonly UnknownMonitor[]): UnheardDetails {
  const listed = monitors.toSorted(byIdentity).slice(0, LISTED_MAX);
  return {
    kind: "unheard",
    from: toIso(from),
    to: toIso(to),
    seconds: wholeSeconds(from, to),
    reason,
    monitorsTotal: monitors.length,
    monitors: listed.map((monitor) => listedUnknown(monitor, shareOf(listed.length))),
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

function refused({ from, to, settings, monitors }: Notice & { kind: "refused" }): RefusedDetails {
  const failing = monitors.filter(({ fails }) => fails.length > 0).toSorted(byIdentity);
  const others = monitors.filter(({ fails }) => fails.length === 0).toSorted(byIdentity);
  const most = shareOf(failing.length);
  return {
    kind: "refused",
    from: toIso(from),
    to: toIso(to),
    settings: [...new Set(settings)].sort(),
    monitorsTotal: monitors.length,
    failsTotal: failing.reduce((sum, { fails }) => sum + fails.length, 0),
    failingTotal: failing.length,
    monitors: [...failing, ...others].slice(0, LISTED_MAX).map((monitor) => listedRefused(monitor, most)),
  };
}

function listedRefused(monitor: RefusedMonitor, most: number): ListedRefused {
  const newestFirst = monitor.fails.toSorted((a, b) => b.at - a.at).slice(0, most);
  return {
    ...named(monitor),
    minutes: monitor.minutes,
    failsTotal: monitor.fails.length,
    fails: newestFirst.map(({ at, message }) => ({ at: toIso(at), message })),
  };
}

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
        .map(({ at, kind, reason }) => ({ at: toIso(at), report: kind, reason })),
    })),
  };
}

function undelivered(notice: Notice & { kind: "undelivered" }): UndeliveredDetails {
  const { destination, total, monitors, since, answer, messages } = notice;
  const known = messages.flatMap(({ monitor, ...message }) => (monitor === null ? [] : [{ ...message, monitor }]));
  const ofEach = [...Map.groupBy(known, ({ monitor }) => JSON.stringify([monitor.application, monitor.key])).values()];
  const listed = ofEach.toSorted(([a], [b]) => byIdentity(a!.monitor, b!.monitor)).slice(0, LISTED_MAX);
  return {
    kind: "undelivered",
    destination,
    since: toIso(since),
    answer,
    messagesTotal: total,
    monitorsTotal: monitors,
    monitors: listed.map((of) => listedLost(of, shareOf(listed.length))),
  };
}

/** `messages`: of one monitor, at least one. */
function listedLost(messages: readonly KnownLost[], most: number): ListedLost {
  const { application, key, name, timezone } = messages.at(-1)!.monitor;
  return {
    applicationId: application,
    monitorKey: key,
    name,
    timezone,
    messagesTotal: messages.length,
    messages: messages.slice(0, most).map(({ delivery, recipient, at, monitor }) => ({
      deliveryId: String(delivery),
      recipient,
      kind: monitor.kind,
      at: toIso(at),
    })),
  };
}

const named = ({ application, key, name, watch }: NamedMonitor): ListedMonitor => ({
  applicationId: application,
  monitorKey: key,
  name,
  timezone: watch.timezone,
});

/** How much of each monitor's own list is shown: all of it while few are named, at least one however many are. */
const shareOf = (monitors: number): number => Math.max(1, Math.floor(LISTED_MAX / Math.max(1, monitors)));

const byIdentity = (a: Identity, b: Identity): number => inOrder(a.application, b.application) || inOrder(a.key, b.key);

/** By code units, which is the same everywhere. */
const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
