// A notice: what rollcall says about itself, and which jobs that leaves in doubt (R26, R33), as channels render it and
// the webhook sends it (R37). The engine decides who gets one, and when; people read it in the words of
// wording/notice.ts.

import type { GapReason } from "../monitor/gap.ts";
import type { UsualLength } from "../monitor/run-lengths.ts";
import type { StorageFault } from "../storage-fault.ts";
import type { Instant } from "../time.ts";
import type { AlertKind, RefusedReport } from "./alert.ts";
import type { Instance } from "./presentation.ts";

/** Instants are ISO 8601 strings. `monitors` may be cut short; `monitorsTotal` counts them all. */
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
  /** The total time, to the nearest second. */
  readonly seconds: number;
  readonly times: number;
  readonly reason: GapReason;
  readonly monitorsTotal: number;
  /** By application and key. */
  readonly monitors: readonly ListedUnknown[];
  /** How many more are in doubt: another notice tells what stays unknown. Notices of earlier versions lack it. */
  readonly awaitedTotal?: number;
}

export interface RefusedDetails {
  readonly kind: "refused";
  readonly monitorsTotal: number;
  /** How many monitors had a refused failure; they come first. */
  readonly failingTotal: number;
  /** After those, by application and key. */
  readonly monitors: readonly ListedRefused[];
}

export interface ListedRefused extends ListedMonitor {
  /** False: the job has no monitor. */
  readonly watched: boolean;
  /** The newest report of each reason, newest first, failures apart. */
  readonly refused: readonly (RefusedReport & {
    /** The parameter or the setting that the reason is about, or empty. */
    readonly field: string;
    /** What a failure said. */
    readonly message: string | null;
    readonly firstAt: string;
    readonly times: number;
  })[];
}

export interface ClockDetails {
  readonly kind: "clock";
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
  readonly database: string;
  /** How many monitors sent a failure that could not be stored, and these monitors; when it is over. */
  readonly failingTotal: number;
  readonly monitors: readonly ListedRefused[];
}

export interface BackupDetails {
  readonly kind: "backup";
  /** What failed: the copy, or the operator's command with it. */
  readonly step: "copy" | "command";
  readonly file: string;
  readonly failedAt: string;
  readonly reason: string;
}

/** What the team asked to be told at times (`alerts.report`). Of each list the first few, the worst first. */
export interface ReportDetails {
  readonly kind: "report";
  readonly from: string;
  readonly to: string;
  readonly monitorsTotal: number;
  /** How many have reported since, had an incident, have one still; and how many whose alerts reach no one. */
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

/** A run that took or takes much longer or shorter than usual (`unusual`), or has ended since that was told. */
export interface UnusualDetails {
  readonly kind: "unusual";
  readonly monitor: ListedMonitor;
  /** Null, and left out in notices of earlier versions: its length was not told before its end. */
  readonly startedAt?: string | null;
  /** Null: it goes on. */
  readonly endedAt: string | null;
  readonly tookSeconds: number;
  readonly usualFromSeconds: number;
  readonly usualToSeconds: number;
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

export interface HeldMessages {
  readonly destination: string;
  /** Since when we have tried in vain to send messages there. */
  readonly since: string;
  readonly answer: string | null;
  readonly messagesTotal: number;
  readonly monitorsTotal: number;
  /** By application and key; may be cut short. */
  readonly monitors: readonly ListedLost[];
}

export interface UndeliveredDetails extends HeldMessages {
  readonly kind: "undelivered";
  /** The destination was taken out of the configuration while they waited. Notices of earlier versions lack it. */
  readonly removed: boolean;
}

export interface FailingDetails extends HeldMessages {
  readonly kind: "failing";
  /** When the destination took messages again; null: it does not yet. */
  readonly until: string | null;
}

export interface ListedLost extends ListedMonitor {
  readonly messagesTotal: number;
  /** Oldest first; may be cut short. */
  readonly messages: readonly {
    readonly deliveryId: string;
    readonly recipient: string | null;
    readonly kind: AlertKind;
    readonly at: string;
  }[];
}

/** R37's fields that are empty here, since neither a notice nor a test is about an incident. */
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

/** R37's `data` for a notice, with its content in `notice`. Additive only. */
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
