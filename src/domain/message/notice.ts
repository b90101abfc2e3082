// A notice says something about rollcall itself and which jobs that leaves in doubt (R26, R33). Channels render it and
// the webhook sends it (R37). The engine decides who gets one and when; wording/notice-words.ts has its words.

import type { GapReason } from "../monitor/gap.ts";
import type { UsualLength } from "../monitor/run-lengths.ts";
import type { StorageFault } from "../storage-fault.ts";
import type { Instant } from "../time.ts";
import type { AlertKind, RefusedReport } from "./alert.ts";
import type { Instance } from "./presentation.ts";

/**
 * The content of a notice. Instants are ISO 8601 strings. `monitors` may be shortened; `monitorsTotal` counts all of
 * them.
 */
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
  /** The length of the outages together, rounded to seconds. */
  readonly seconds: number;
  readonly times: number;
  readonly reason: GapReason;
  readonly monitorsTotal: number;
  /** Sorted by application and key. */
  readonly monitors: readonly ListedUnknown[];
  /**
   * How many more monitors are in doubt; another notice tells which of them stay unknown. Notices of earlier versions
   * lack it.
   */
  readonly awaitedTotal?: number;
}

export interface RefusedDetails {
  readonly kind: "refused";
  readonly monitorsTotal: number;
  /** How many monitors had a refused failure. These monitors come first in the list. */
  readonly failingTotal: number;
  /** First the monitors with a refused failure, then the others, each by application and key. */
  readonly monitors: readonly ListedRefused[];
}

export interface ListedRefused extends ListedMonitor {
  /** False when the job has no monitor. */
  readonly watched: boolean;
  /** The newest report for each reason, the newest first; failures are listed separately. */
  readonly refused: readonly (RefusedReport & {
    /** The parameter or setting that the reason is about; empty when there is none. */
    readonly field: string;
    /** The message of a failure. */
    readonly message: string | null;
    readonly firstAt: string;
    readonly times: number;
  })[];
}

export interface ClockDetails {
  readonly kind: "clock";
  readonly aheadSeconds: number;
  /** False when the clock was set back by at least this much, and perhaps by more. */
  readonly exact: boolean;
  readonly since: string;
  readonly monitorsTotal: number;
}

export interface StorageDetails {
  readonly kind: "storage";
  readonly fault: StorageFault;
  readonly since: string;
  /** When storage worked again; `null` while it does not. */
  readonly until: string | null;
  readonly database: string;
  /** Once storage works again: how many monitors sent a failure that could not be stored, and which ones. */
  readonly failingTotal: number;
  readonly monitors: readonly ListedRefused[];
}

export interface BackupDetails {
  readonly kind: "backup";
  /** Says whether the copy failed, or the operator's command after it. */
  readonly step: "copy" | "command";
  readonly file: string;
  readonly failedAt: string;
  readonly reason: string;
}

/** The regular report that a team asked for (`alerts.report`). Each list has its first few entries, the worst first. */
export interface ReportDetails {
  readonly kind: "report";
  readonly from: string;
  readonly to: string;
  readonly monitorsTotal: number;
  /**
   * How many monitors reported, how many had an incident, how many have one still, and how many have alerts that reach
   * nobody.
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

/** A run that took or takes much longer or shorter than usual (`unusual`), or that has ended since that was told. */
export interface UnusualDetails {
  readonly kind: "unusual";
  readonly monitor: ListedMonitor;
  /** `null` when the unusual length was not told before the run's end. Notices of earlier versions lack it. */
  readonly startedAt?: string | null;
  /** `null` while the run goes on. */
  readonly endedAt: string | null;
  readonly tookSeconds: number;
  readonly usualFromSeconds: number;
  readonly usualToSeconds: number;
}

export interface DrillDetails {
  readonly kind: "drill";
  readonly monitor: ListedMonitor;
  readonly drilledAt: string;
  /** Empty when the monitor's alerts go nowhere. */
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
  /** Sorted by start, the oldest first; the list may be shortened. */
  readonly runs: readonly { readonly runId: string | null; readonly startedAt: string }[];
  readonly expectedAt: string | null;
}

export interface HeldMessages {
  readonly destination: string;
  /** Since when all attempts to send messages there have failed. */
  readonly since: string;
  readonly answer: string | null;
  readonly messagesTotal: number;
  readonly monitorsTotal: number;
  /** Sorted by application and key; the list may be shortened. */
  readonly monitors: readonly ListedLost[];
}

export interface UndeliveredDetails extends HeldMessages {
  readonly kind: "undelivered";
  /**
   * True when the destination was removed from the configuration while the messages waited. Notices of earlier versions
   * lack it.
   */
  readonly removed: boolean;
}

export interface FailingDetails extends HeldMessages {
  readonly kind: "failing";
  /** When the destination took messages again; `null` while it does not. */
  readonly until: string | null;
}

export interface ListedLost extends ListedMonitor {
  readonly messagesTotal: number;
  /** The oldest first; the list may be shortened. */
  readonly messages: readonly {
    readonly deliveryId: string;
    readonly recipient: string | null;
    readonly kind: AlertKind;
    readonly at: string;
  }[];
}

/** Fields of R37 that are empty here, because neither a notice nor a test is about an incident. */
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

/** The `data` of a notice (R37), with its content in `notice`. Fields are only ever added. */
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
