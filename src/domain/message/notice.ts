// A notice is a message about rollcall itself, for example that it could not hear. It also names the jobs that this
// leaves in doubt (R26, R33). This file has the data of each kind of notice; wording/notice-words.ts has their words.

import type { GapReason } from "../monitor/gap.ts";
import type { UsualLength } from "../monitor/run-lengths.ts";
import type { StorageFault } from "../storage-fault.ts";
import type { Instant } from "../time.ts";
import type { AlertKind, RefusedReport } from "./alert.ts";
import type { Instance } from "./presentation.ts";

/** Instants are ISO 8601 strings. The list `monitors` may be cut; `monitorsTotal` counts all of them. */
export type NoticeDetails =
  | UnheardDetails
  | RefusedDetails
  | ClockDetails
  | DrillDetails
  | UndeliveredDetails
  | FailingDetails
  | StorageDetails
  | BackupDetails
  | ReportDetails
  | UnusualDetails;

export type ListedMonitor = Readonly<{ applicationId: string; monitorKey: string; name: string; timezone: string }>;

export interface UnheardDetails {
  readonly kind: "unheard";
  readonly from: string;
  readonly to: string;
  /** How long the outages of rollcall in the gap lasted together, rounded to whole seconds. */
  readonly seconds: number;
  readonly times: number;
  readonly reason: GapReason;
  readonly monitorsTotal: number;
  /** The monitors with a slot or run that became unknown, sorted by application and key. */
  readonly monitors: readonly ListedUnknown[];
  /**
   * How many more monitors are not judged yet. A later notice tells which of them became unknown. Notices of earlier
   * versions lack it.
   */
  readonly awaitedTotal?: number;
}

export interface RefusedDetails {
  readonly kind: "refused";
  readonly monitorsTotal: number;
  /** How many monitors sent a fail that was refused. */
  readonly failingTotal: number;
  /** The monitors whose fail was refused come first. Both parts are sorted by application and key. */
  readonly monitors: readonly ListedRefused[];
}

export interface ListedRefused extends ListedMonitor {
  /** False when the refused report named a job that has no monitor. */
  readonly watched: boolean;
  /** The newest report for each reason, the newest first. Fails are listed apart from other reports. */
  readonly refused: readonly (RefusedReport & {
    /** The parameter or setting that was wrong; empty when the reason is about none. */
    readonly field: string;
    /** The message of a fail; `null` without one, and for other reports. */
    readonly message: string | null;
    readonly firstAt: string;
    readonly times: number;
  })[];
}

export interface ClockDetails {
  readonly kind: "clock";
  readonly aheadSeconds: number;
  /** True when the clock was set back by exactly `aheadSeconds`; false when it was at least that. */
  readonly exact: boolean;
  readonly since: string;
  readonly monitorsTotal: number;
}

export interface StorageDetails {
  readonly kind: "storage";
  readonly fault: StorageFault;
  readonly since: string;
  /** When rollcall could store again; `null` while it cannot. */
  readonly until: string | null;
  readonly database: string;
  /**
   * How many monitors sent a fail that could not be stored. They are counted once rollcall can store again. Until
   * then this is 0, and `monitors` is empty.
   */
  readonly failingTotal: number;
  readonly monitors: readonly ListedRefused[];
}

export interface BackupDetails {
  readonly kind: "backup";
  /** What failed: the copy itself, or the operator's command that runs after it. */
  readonly step: "copy" | "command";
  readonly file: string;
  readonly failedAt: string;
  readonly reason: string;
}

/** The regular report that a team asked for (`alerts.report`). Each list has a few monitors, the worst first. */
export interface ReportDetails {
  readonly kind: "report";
  readonly from: string;
  readonly to: string;
  readonly monitorsTotal: number;
  /**
   * How many of the team's monitors reported between `from` and `to`. The next three numbers are the monitors that had
   * an incident then, those with an open incident now, and those whose alerts reach no one.
   */
  readonly reportedTotal: number;
  readonly troubledTotal: number;
  readonly openTotal: number;
  readonly untoldTotal: number;
  readonly flaky: readonly ListedReported[];
  readonly slow: readonly ListedReported[];
  readonly slower: readonly ListedReported[];
  readonly untold: readonly ListedReported[];
}

export interface ListedReported extends ListedMonitor {
  readonly incidents: number;
  readonly usualSeconds: number | null;
  readonly slower: UsualLength["slower"];
}

/** A run of unusual length. A second notice tells how it ended, if people were told while it went on. */
export interface UnusualDetails {
  readonly kind: "unusual";
  readonly monitor: ListedMonitor;
  /** When the run began; `null` when people first hear of it at its end. Notices of earlier versions lack it. */
  readonly startedAt?: string | null;
  /** When the run ended; `null` while it goes on. */
  readonly endedAt: string | null;
  readonly tookSeconds: number;
  readonly usualFromSeconds: number;
  readonly usualToSeconds: number;
}

export interface DrillDetails {
  readonly kind: "drill";
  readonly monitor: ListedMonitor;
  readonly drilledAt: string;
  /** Where the drill went. Empty when the monitor's alerts go nowhere. */
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
  /** The runs of the monitor that became unknown, the oldest first. The list may be cut; `runsTotal` counts all. */
  readonly runs: readonly { readonly runId: string | null; readonly startedAt: string }[];
  readonly expectedAt: string | null;
}

export interface HeldMessages {
  readonly destination: string;
  /** Since when every attempt to send to this destination has failed. */
  readonly since: string;
  readonly answer: string | null;
  readonly messagesTotal: number;
  readonly monitorsTotal: number;
  /**
   * The monitors whose messages were not taken, sorted by application and key. The list may be cut; `monitorsTotal`
   * counts all.
   */
  readonly monitors: readonly ListedLost[];
}

export interface UndeliveredDetails extends HeldMessages {
  readonly kind: "undelivered";
  /** True when the destination was removed while these messages waited. Notices of earlier versions lack it. */
  readonly removed: boolean;
}

export interface FailingDetails extends HeldMessages {
  readonly kind: "failing";
  /** When the destination took a message again; `null` while it takes none. */
  readonly until: string | null;
}

export interface ListedLost extends ListedMonitor {
  readonly messagesTotal: number;
  /** The messages about this monitor, the oldest first. The list may be cut; `messagesTotal` counts all. */
  readonly messages: readonly {
    readonly deliveryId: string;
    readonly recipient: string | null;
    readonly kind: AlertKind;
    readonly at: string;
  }[];
}

/** The fields of an alert's `data` (R37) that are `null` in notices and tests, which are about no incident. */
export const NOT_APPLICABLE = {
  incidentId: null,
  applicationId: null,
  monitorKey: null,
  name: null,
  kind: null,
  cause: null,
  reason: null,
  status: null,
  severity: null,
  environment: null,
  owner: null,
  schedule: null,
  expectedAt: null,
  openedAt: null,
  recoveredAt: null,
  durationSeconds: null,
  missedSlots: null,
  failureMessage: null,
  outcomes: null,
  runId: null,
  url: null,
} as const;

export type NotApplicable = typeof NOT_APPLICABLE;

/** The `data` of a notice (R37). No field is ever removed. */
export interface NoticeData extends NotApplicable, Omit<Instance, "from"> {
  readonly links: Record<string, string>;
  readonly notice: NoticeDetails;
}

export type NoticeMessage = Readonly<{ type: "service.notice"; at: Instant; data: NoticeData }>;

export const noticeMessage = (
  notice: NoticeDetails,
  at: Instant,
  { from: _, ...instance }: Instance,
): NoticeMessage => ({ type: "service.notice", at, data: { ...NOT_APPLICABLE, ...instance, links: {}, notice } });
