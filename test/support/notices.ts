// Notices for tests: monitors that a gap left unknown or whose reports were refused, and the messages about them.

import {
  type ListedRefused,
  type ListedUnknown,
  type NoticeDetails,
  type NoticeMessage,
  noticeMessage,
  type UnheardDetails,
} from "../../src/domain/message/notice.ts";
import { refusedDetails, unheardDetails } from "../../src/domain/message/notice-lists.ts";
import type { Instance } from "../../src/domain/message/presentation.ts";
import { type FoundGap, oneGap } from "../../src/domain/monitor/gap.ts";
import type { Watch } from "../../src/domain/monitor/monitor.ts";
import { type Instant, toIso, toIsoOrNull } from "../../src/domain/time.ts";
import { PLAIN_WATCH } from "./watch.ts";

/** When these notices are sent, unless a test says otherwise: a minute after the gap. */
export const NOTICE_AT: Instant = Date.parse("2026-03-01T04:01:00.000Z");
export const GAP_FROM: Instant = Date.parse("2026-03-01T02:00:00.000Z");
export const GAP_TO: Instant = Date.parse("2026-03-01T04:00:00.000Z");

const WATCH: Watch = {
  ...PLAIN_WATCH,
  schedule: "30 3 * * *",
  timezone: "Europe/Berlin",
};

const NAMED = { application: "prod", key: "nightly-backup", name: "Backup", watch: WATCH };

const listed = ({ application, key, name, watch }: typeof NAMED) => ({
  applicationId: application,
  monitorKey: key,
  name,
  timezone: watch.timezone,
});

type Unknown = typeof NAMED & {
  readonly slots: { readonly first: Instant; readonly count: number } | null;
  readonly runs: readonly { readonly runId: string | null; readonly startedAt: Instant }[];
  readonly expectedAt: Instant | null;
};

/** A monitor due at 03:30 in Berlin, half an hour into the gap, with the test's changes. */
export function unknownOf(changes: Partial<Unknown> = {}): ListedUnknown {
  const slots = { first: Date.parse("2026-03-01T02:30:00.000Z"), count: 1 };
  const expectedAt = Date.parse("2026-03-02T02:30:00.000Z");
  const unknown: Unknown = { ...NAMED, slots, runs: [], expectedAt, ...changes };
  return {
    ...listed(unknown),
    firstSlot: toIsoOrNull(unknown.slots?.first ?? null),
    slotsTotal: unknown.slots?.count ?? 0,
    runsTotal: unknown.runs.length,
    runs: unknown.runs
      .toSorted((a, b) => a.startedAt - b.startedAt)
      .map(({ runId, startedAt }) => ({ runId, startedAt: toIso(startedAt) })),
    expectedAt: toIsoOrNull(unknown.expectedAt),
  };
}

/** A monitor that is due as `schedule` says. */
export const watchOf = (schedule: string | null, timezone = "UTC"): Watch => ({ ...WATCH, schedule, timezone });

type Refused = typeof NAMED & {
  readonly watched: boolean;
  /** The settings of the limits that refused the reports. */
  readonly settings: readonly string[];
  /** The refused fails; when there are none, a heartbeat was refused. */
  readonly fails: readonly { readonly at: Instant; readonly message: string | null }[];
};

/** A job of which the rate limit refused twelve reports, or these failures. */
export function refusedOf(changes: Partial<Refused> = {}): ListedRefused {
  const { watched, settings, fails, ...named }: Refused = {
    ...NAMED,
    watched: true,
    settings: ["limits.v1_per_minute"],
    fails: [],
    ...changes,
  };
  const failures = fails.map(({ at, message }) => refusedAt(at, { report: "fail", message }));
  const others = settings.map((field) => refusedAt(GAP_TO, { field, firstAt: toIso(GAP_FROM), times: 12 }));
  const refused = (failures.length > 0 ? failures : others).toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return { ...listed(named), watched, refused };
}

/** A report that the rate limit refused at that time, with the test's changes. */
export const refusedAt = (
  at: Instant,
  changes: Partial<ListedRefused["refused"][number]> = {},
): ListedRefused["refused"][number] => ({
  at: toIso(at),
  report: "heartbeat",
  error: "RATE_LIMIT_EXCEEDED",
  field: "limits.v1_per_minute",
  reason: "limits.v1_per_minute: more came than it allows",
  message: null,
  firstAt: toIso(at),
  times: 1,
  ...changes,
});

/** The instance of these notices, which has several applications. */
export const HOUSE: Instance = {
  from: "https://cron.example.org",
  teamName: null,
  timezone: "UTC",
  onlyApplication: false,
  commandUser: null,
  commandLine: null,
};

export const noticeOf = (
  notice: NoticeDetails,
  at: Instant = NOTICE_AT,
  instance: Partial<Instance> = {},
): NoticeMessage => noticeMessage(notice, at, { ...HOUSE, ...instance });

export const unheardIn = (gap: FoundGap, ...monitors: readonly ListedUnknown[]): UnheardDetails =>
  unheardDetails(gap, monitors.length, monitors, 0);

export const unheardOf = (monitors: readonly ListedUnknown[] = [unknownOf()]): NoticeMessage =>
  noticeOf(unheardIn(oneGap(GAP_FROM, GAP_TO, "stopped"), ...monitors));

/** The notice about these monitors and no others. */
export const refusalsOf = (monitors: readonly ListedRefused[] = [refusedOf()]): NoticeMessage =>
  noticeOf(refusedDetails(monitors));

export const CLOCK_NOTICE: NoticeMessage = noticeOf({
  kind: "clock",
  aheadSeconds: 10_800,
  exact: true,
  since: "2026-03-01T03:51:00.000Z",
  monitorsTotal: 12,
});
