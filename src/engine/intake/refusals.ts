// Keeps refused reports in memory (R26, R33), so that a flood of them costs few reads and writes. Refused reports of
// one kind are counted, and written together once a minute. Also remembers which monitors a rate limit refused lately,
// and whether a notice is due. Everything here is bounded and may be lost; the table of refused reports is what counts.

import type { InPieces } from "../../domain/in-pieces.ts";
import { boundedMap } from "../../domain/maps.ts";
import {
  NOTHING_REFUSED,
  pendingRefusalsWith,
  type RefusedNews,
  rankOfRefusedReport,
  refusalNoticeDue,
} from "../../domain/message/refused-report.ts";
import { maskPlainKeys } from "../../domain/output/secrets.ts";
import { HOUR, type Instant, MINUTE, withinHour } from "../../domain/time.ts";
import { type NewRefused, refusedRowKey } from "../../store/refused-reports.ts";
import type { Store } from "../../store/store.ts";
import type { Clock, Ping, RefusedPing } from "../api.ts";

export type Refusals = ReturnType<typeof createRefusals>;

export function createRefusals(clock: Clock, { refusedReports: rows }: Pick<Store, "refusedReports">) {
  const { remember, ...late } = createLimitedOfLate();
  let pending = NOTHING_REFUSED;
  let lastNoticeAt: Instant | null = null;

  return {
    ...createCounts(clock),
    ...late,
    /** Reads from the database what the memory held before the restart. Must be called before the first report. */
    start: (now: Instant): void => {
      lastNoticeAt = rows.lastNoticeAt();
      pending = rows.pending();
      for (const { field: setting, ...row } of rows.limitedSince(now - HOUR, MONITORS_KEPT))
        remember(row.applicationId, row.monitorKey, { at: row.at, setting, until: row.at, rank: 0 });
    },
    remember,
    add: (news: RefusedNews | null): void => {
      if (news !== null) pending = pendingRefusalsWith(pending, news);
    },
    isDue: (now: Instant): boolean => refusalNoticeDue(pending, lastNoticeAt, now),
    /**
     * Runs `work`, which sends the notices about refused reports. When `work` returns true, a notice was written at
     * `now`, and the next one waits an hour from then.
     */
    *tellBy(work: InPieces<boolean>, now: Instant): InPieces<void> {
      if (yield* work) lastNoticeAt = now;
      pending = rows.pending();
    },
  };
}

// Below: counts refused reports by kind: the same application, monitor, error code and parameter.

/**
 * How many kinds of refused reports wait at most to be written: 1,000 in all, and 200 of one application. These limits
 * hold for three groups separately: reports that a rate limit refused, other reports of the kind `fail`, and all the
 * rest. Reports beyond a limit are counted only as one total.
 */
const KINDS_MAX = 1_000;
const KINDS_OF_APPLICATION_MAX = 200;

interface CountedKind {
  /** The newest refused report of this kind. Its `times` is how many of the kind have not been written yet. */
  newest: NewRefused;
  /**
   * When the last attempt was made to write the refused reports of this kind to the database, in milliseconds of the
   * monotonic clock. -Infinity before the first attempt.
   */
  triedAt: number;
  readonly bounded: readonly string[];
}

function createCounts(clock: Clock) {
  const kinds = new Map<string, CountedKind>();
  const sizes = new Map<string, number>();
  let beyond = 0;
  let beyondTakenAt = Number.NEGATIVE_INFINITY;

  const isMinuteAgo = (at: number): boolean => clock.monotonic() - at >= MINUTE;
  const sizeOf = (bound: string): number => sizes.get(bound) ?? 0;

  /**
   * Counts a refused report. Returns true when reports of its kind may be written now: nobody tried to write such a
   * report within the last minute.
   */
  function count(row: NewRefused): boolean {
    const id = refusedRowKey(row);
    const kind = kinds.get(id) ?? admit(id, row);
    if (kind === null) {
      beyond++;
      return false;
    }
    const { times, firstAt, message } = kind.newest;
    kind.newest = times === 0 ? row : { ...row, times: times + row.times, firstAt, message: row.message ?? message };
    return isMinuteAgo(kind.triedAt);
  }

  function admit(id: string, newest: NewRefused): CountedKind | null {
    // Refused fails have their own limits, so that a flood of other reports cannot push them out. No other message
    // tells people of them.
    const group = newest.code === "RATE_LIMIT_EXCEEDED" ? "limited" : newest.kind === "fail" ? "fail" : "other";
    const [all, ofThis] = [group, `${group}/${newest.applicationId}`];
    if (sizeOf(all) >= KINDS_MAX || sizeOf(ofThis) >= KINDS_OF_APPLICATION_MAX) return null;
    const bounded = [all, ofThis];
    const kind = { newest: { ...newest, times: 0 }, triedAt: Number.NEGATIVE_INFINITY, bounded };
    kinds.set(id, kind);
    for (const each of bounded) sizes.set(each, sizeOf(each) + 1);
    return kind;
  }

  return {
    count,
    /**
     * Notes that other code has just written this refused report. Further reports of its kind are then written a minute
     * later at the earliest. Does nothing while earlier reports of the kind wait to be written.
     */
    noteWritten: (row: NewRefused): void => {
      const kind = kinds.get(refusedRowKey(row)) ?? admit(refusedRowKey(row), row);
      if (kind !== null && kind.newest.times === 0) kind.triedAt = clock.monotonic();
    },
    /** Returns the refused reports to write now. Each is returned once a minute at most, even when writing it fails. */
    takeDue: (): readonly NewRefused[] => {
      const due = [...kinds.values()].filter(({ newest, triedAt }) => newest.times > 0 && isMinuteAgo(triedAt));
      for (const kind of due) kind.triedAt = clock.monotonic();
      return due.map(({ newest }) => newest);
    },
    written: (rows: readonly NewRefused[]): void => {
      for (const row of rows) kinds.get(refusedRowKey(row))!.newest = { ...row, times: 0 };
    },
    unwritten: (): readonly NewRefused[] =>
      [...kinds.values()].flatMap(({ newest }) => (newest.times > 0 ? [newest] : [])),
    /** Forgets each kind of which no report came for a minute. The next report of that kind is written at once. */
    forgetQuiet: (): void => {
      for (const [id, { newest, triedAt, bounded }] of kinds) {
        if (newest.times > 0 || !isMinuteAgo(triedAt)) continue;
        kinds.delete(id);
        for (const each of bounded) sizes.set(each, sizeOf(each) - 1);
      }
    },
    /**
     * Returns how many reports were not counted by kind, because there were too many kinds. The count begins at the
     * last call that returned more than 0. Returns 0 when that call was less than a minute ago.
     */
    takeUncounted: (): number => {
      if (beyond === 0 || !isMinuteAgo(beyondTakenAt)) return 0;
      const taken = beyond;
      beyond = 0;
      beyondTakenAt = clock.monotonic();
      return taken;
    },
  };
}

/** Finds the parameter or setting with which the text of a refusal begins, such as `grace` in `grace: must be …`. */
const FIELD = /^([\w.]+): /;

/**
 * Makes the row of a refused report. A caller may have put an API key where the monitor's key belongs, so the text is
 * masked before it is stored.
 */
export function refusedRow(
  { caller, monitorKey, kind, message = null, refusal }: RefusedPing,
  at: Instant,
): NewRefused {
  const { applicationId, application, keyId } = caller;
  const key = maskPlainKeys(monitorKey);
  const field = FIELD.exec(refusal.message)?.[1] ?? "";
  const what = { code: refusal.refusal, field, reason: maskPlainKeys(refusal.message), kind, message };
  return { applicationId, application, monitorKey: key, keyId, ...what, firstAt: at, at, times: 1 };
}

// Below: monitors with a report that a rate limit refused lately, so that a further report of such a monitor costs no
// read.

/**
 * How many monitors are remembered for which a rate limit has refused a report. A forgotten monitor costs a read at its
 * next refused report.
 */
const MONITORS_KEPT = 10_000;

interface LimitedOfLate {
  readonly at: Instant;
  /** The rate limit that refused the report, such as `limits.v1_per_minute`; `null` when the monitor does not exist. */
  readonly setting: string | null;
  /**
   * Until this instant, another refused report of the monitor changes nothing, unless it ranks higher than `rank`. A
   * fail ranks highest and a log lowest.
   */
  readonly until: Instant;
  readonly rank: number;
}

function createLimitedOfLate() {
  const late = boundedMap<LimitedOfLate>(MONITORS_KEPT);
  return {
    /** Remembers that a rate limit refused a report of this monitor. Must be called after the refusal was stored. */
    remember: (applicationId: number, monitorKey: string, limited: LimitedOfLate): void =>
      late.set(keyOf(applicationId, monitorKey), limited),
    /**
     * Whether this refused report need not be examined, because it would change nothing of the monitor: one that says
     * at least as much was refused and examined in the same minute.
     */
    isQuiet: ({ caller, monitorKey, kind }: Ping, at: Instant): boolean => {
      const known = late.get(keyOf(caller.applicationId, monitorKey));
      const from = Math.floor((known?.at ?? 0) / MINUTE) * MINUTE;
      return known !== undefined && at >= from && at < known.until && rankOfRefusedReport(kind) <= known.rank;
    },
    /** Returns the setting whose limit refused a report of the monitor in the last hour; `null` when none did (R14). */
    settingThatRefused: (applicationId: number, monitorKey: string, now: Instant): string | null => {
      const known = late.get(keyOf(applicationId, monitorKey));
      return known !== undefined && withinHour(known.at, now) ? known.setting : null;
    },
  };
}

const keyOf = (applicationId: number, monitorKey: string): string => `${applicationId}/${monitorKey}`;
