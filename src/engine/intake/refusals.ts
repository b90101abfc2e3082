// Remembers refused reports (R26, R33), so that a flood of them costs little: how many are alike, so that each kind is
// written once a minute; which monitors a rate limit has refused lately; and what no notice has named yet. The memory
// is limited, and the rows are the truth.

import { maskedKeys } from "../../domain/api-key.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import { boundedMap } from "../../domain/maps.ts";
import {
  NOTHING_REFUSED,
  type RefusedNews,
  rankOf,
  refusalNoticeDue,
  withinHour,
  withRefusal,
} from "../../domain/message/refused-report.ts";
import { HOUR, type Instant, MINUTE } from "../../domain/time.ts";
import { identityOf, type NewRefused } from "../../store/refused-reports.ts";
import type { Store } from "../../store/store.ts";
import type { Clock, Ping, RefusedPing } from "../api.ts";

export type Refusals = ReturnType<typeof createRefusals>;

/** Creates an empty memory, which `start` fills. */
export function createRefusals(clock: Clock, { refusedReports: rows }: Pick<Store, "refusedReports">) {
  const { remember, ...late } = createLimitedOfLate();
  let pending = NOTHING_REFUSED;
  let lastNoticeAt: Instant | null = null;

  return {
    ...createCounts(clock),
    ...late,
    /** Reads what the earlier process left. Must be called once, before the first report. */
    start: (now: Instant): void => {
      lastNoticeAt = rows.lastNoticeAt();
      pending = rows.pending();
      for (const { field: setting, ...row } of rows.limitedSince(now - HOUR, MONITORS_KEPT))
        remember(row.applicationId, row.monitorKey, { at: row.at, setting, until: row.at, rank: 0 });
    },
    remember,
    add: (news: RefusedNews | null): void => {
      if (news !== null) pending = withRefusal(pending, news);
    },
    isDue: (now: Instant): boolean => refusalNoticeDue(pending, lastNoticeAt, now),
    /**
     * Runs `work`, which tells people of the refused reports so far. If it returns true, a notice was written at `now`.
     */
    *tellBy(work: InPieces<boolean>, now: Instant): InPieces<void> {
      if (yield* work) lastNoticeAt = now;
      pending = rows.pending();
    },
  };
}

// Counts how many refused reports are alike.

/**
 * How many kinds are counted separately at a time, in all and for each application. As many kinds are allowed again for
 * failures, and again for what rate limits refuse. Anything beyond is counted together.
 */
const KINDS_MAX = 1_000;
const KINDS_OF_APPLICATION_MAX = 200;

interface CountedKind {
  /** The newest of these reports. Its `times` is how many of them are not written yet. */
  newest: NewRefused;
  /** When the kind was last written, by the monotonic clock. */
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

  /** Counts one report. Returns whether it may be written now. */
  function count(row: NewRefused): boolean {
    const id = identityOf(row);
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
    // Failures are counted in a group of their own, because other reports, however many, must leave room for them: no
    // other message tells of a failure.
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
    /** Notes that a report was written without having been counted. Its repetitions wait for a minute. */
    countsFrom: (row: NewRefused): void => {
      const kind = kinds.get(identityOf(row)) ?? admit(identityOf(row), row);
      if (kind !== null && kind.newest.times === 0) kind.triedAt = clock.monotonic();
    },
    /** Returns the kinds to write now. Each kind is tried only once a minute, even if writing fails. */
    takeDue: (): readonly NewRefused[] => {
      const due = [...kinds.values()].filter(({ newest, triedAt }) => newest.times > 0 && isMinuteAgo(triedAt));
      for (const kind of due) kind.triedAt = clock.monotonic();
      return due.map(({ newest }) => newest);
    },
    written: (rows: readonly NewRefused[]): void => {
      for (const row of rows) kinds.get(identityOf(row))!.newest = { ...row, times: 0 };
    },
    unwritten: (): readonly NewRefused[] =>
      [...kinds.values()].flatMap(({ newest }) => (newest.times > 0 ? [newest] : [])),
    /** Forgets kinds without a report for a minute. Their next report is written at once. */
    forgetQuiet: (): void => {
      for (const [id, { newest, triedAt, bounded }] of kinds) {
        if (newest.times > 0 || !isMinuteAgo(triedAt)) continue;
        kinds.delete(id);
        for (const each of bounded) sizes.set(each, sizeOf(each) - 1);
      }
    },
    /**
     * How many reports were beyond the limits of separate counting since they were last taken. Returns a number at most
     * once a minute, otherwise 0.
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

/** Finds the subject of a refusal's sentence: the parameter or setting before its first colon. */
const FIELD = /^([\w.]+): /;

/** A report as it is counted and written. A key that was put in the wrong place must not be stored. */
export function refusedRow(
  { caller, monitorKey, kind, message = null, refusal }: RefusedPing,
  at: Instant,
): NewRefused {
  const { applicationId, application, keyId } = caller;
  const key = maskedKeys(monitorKey);
  const field = FIELD.exec(refusal.message)?.[1] ?? "";
  const what = { code: refusal.refusal, field, reason: maskedKeys(refusal.message), kind, message };
  return { applicationId, application, monitorKey: key, keyId, ...what, firstAt: at, at, times: 1 };
}

// Remembers monitors whose reports a rate limit refused lately, so that further ones of the same minute need no read.

/** How many monitors are remembered. To forget one costs a read, or a warning. */
const MONITORS_KEPT = 10_000;

interface LimitedOfLate {
  readonly at: Instant;
  /** The setting that refused the report; `null` when the report has no monitor. */
  readonly setting: string | null;
  /** Reports of the same minute, up to `rank`, need no read until this instant. */
  readonly until: Instant;
  readonly rank: number;
}

function createLimitedOfLate() {
  const late = boundedMap<LimitedOfLate>(MONITORS_KEPT);
  return {
    /** Notes that a rate limit has refused a report of this monitor, after that was committed. */
    remember: (applicationId: number, monitorKey: string, limited: LimitedOfLate): void =>
      late.set(keyOf(applicationId, monitorKey), limited),
    /** Whether a refused report repeats another one of its minute, and so changes nothing. */
    isQuiet: ({ caller, monitorKey, kind }: Ping, at: Instant): boolean => {
      const known = late.get(keyOf(caller.applicationId, monitorKey));
      const from = Math.floor((known?.at ?? 0) / MINUTE) * MINUTE;
      return known !== undefined && at >= from && at < known.until && rankOf(kind) <= known.rank;
    },
    /** The setting that refused a report of this monitor within the last hour; `null` when none did (R14). */
    settingThatRefused: (applicationId: number, monitorKey: string, now: Instant): string | null => {
      const known = late.get(keyOf(applicationId, monitorKey));
      return known !== undefined && withinHour(known.at, now) ? known.setting : null;
    },
  };
}

const keyOf = (applicationId: number, monitorKey: string): string => `${applicationId}/${monitorKey}`;
