// Notices for tests: monitors that a gap left unknown or whose reports were refused, and the messages they become.

import type { Instance } from "../../src/domain/message/instance.ts";
import type { Notice, RateLimitedMonitor, UnknownMonitor } from "../../src/domain/message/notice.ts";
import { type NoticeMessage, noticeMessage } from "../../src/domain/message/notice-message.ts";
import { type FoundGap, oneGap } from "../../src/domain/monitor/gap.ts";
import type { Watch } from "../../src/domain/monitor/monitor.ts";
import type { Instant } from "../../src/domain/time.ts";
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

/** Due at 03:30 in Berlin, half an hour into the gap; changed as the test says. */
export const unknownOf = (changes: Partial<UnknownMonitor> = {}): UnknownMonitor => ({
  ...NAMED,
  slots: { first: Date.parse("2026-03-01T02:30:00.000Z"), count: 1 },
  runs: [],
  expectedAt: Date.parse("2026-03-02T02:30:00.000Z"),
  ...changes,
});

/** A monitor that is due every so often, as `schedule` says. */
export const watchOf = (schedule: string | null, timezone = "UTC"): Watch => ({ ...WATCH, schedule, timezone });

/** Its fails are all it had, in any order. */
export function refusedOf(changes: Partial<Omit<RateLimitedMonitor, "failsTotal">> = {}): RateLimitedMonitor {
  const { fails = [], ...others } = changes;
  const newestFirst = fails.toSorted((a, b) => b.at - a.at);
  return { ...NAMED, minutes: 12, ...others, failsTotal: fails.length, fails: newestFirst };
}

/** The house of these notices: it has several applications. */
export const HOUSE: Instance = {
  from: "https://cron.example.org",
  teamName: null,
  timezone: "UTC",
  onlyApplication: false,
  commandUser: null,
};

export const noticeOf = (notice: Notice, at: Instant = NOTICE_AT, instance: Partial<Instance> = {}): NoticeMessage =>
  noticeMessage(notice, at, { ...HOUSE, ...instance });

export const unheardIn = (gap: FoundGap, ...monitors: readonly UnknownMonitor[]): Notice & { kind: "unheard" } => ({
  kind: "unheard",
  gap,
  total: monitors.length,
  monitors,
  awaited: 0,
});

export const unheardOf = (monitors: readonly UnknownMonitor[] = [unknownOf()]): NoticeMessage =>
  noticeOf(unheardIn(oneGap(GAP_FROM, GAP_TO, "stopped"), ...monitors));

export const refusalsOf = (monitors: readonly RateLimitedMonitor[] = [refusedOf()]): NoticeMessage =>
  noticeOf(refusedIn(monitors));

/** The notice that names these monitors and no others. */
export const refusedIn = (
  monitors: readonly RateLimitedMonitor[],
  changes: Partial<Notice & { kind: "refused" }> = {},
): Notice => ({
  kind: "refused",
  from: GAP_FROM,
  to: GAP_TO,
  settings: ["limits.v1_per_minute"],
  total: monitors.length,
  failing: monitors.filter(({ failsTotal }) => failsTotal > 0).length,
  fails: monitors.reduce((sum, { failsTotal }) => sum + failsTotal, 0),
  monitors,
  ...changes,
});

export const CLOCK_NOTICE: NoticeMessage = noticeOf({
  kind: "clock",
  backMs: 10_800_000,
  exact: true,
  since: Date.parse("2026-03-01T03:51:00.000Z"),
  monitors: 12,
});
