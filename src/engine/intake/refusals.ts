// What memory knows of refused reports (R26, R33), so that a flood costs next to nothing: how many are alike, each kind
// written once a minute; which monitors a rate limit has refused of late; and what no notice has named yet. Bounded.
// The rows are the truth.

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

/** An empty memory until it is started. */
export function createRefusals(clock: Clock, { refusedReports: rows }: Pick<Store, "refusedReports">) {
  const { remember, ...late } = createLimitedOfLate();
  let pending = NOTHING_REFUSED;
  let lastNoticeAt: Instant | null = null;

  return {
    ...createCounts(clock),
    ...late,
    /** Reads what the process before this one left. Once, before the first report. */
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
    /** Does the work that tells of all until now, and says whether it did. */
    *tell(work: InPieces<boolean>, now: Instant): InPieces<void> {
      if (yield* work) lastNoticeAt = now;
      pending = rows.pending();
    },
  };
}

// How many refused reports are alike.

/**
 * How many kinds we count separately at a time, in all and per application; so many kinds of failures besides, and of
 * what rate limits refuse. What goes beyond is counted together.
 */
const KINDS_MAX = 1_000;
const KINDS_OF_APPLICATION_MAX = 200;

interface CountedKind {
  /** `times`: how many are not written. */
  newest: NewRefused;
  /** When it was last written, on the monotonic clock. */
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

  /** Counts one. Returns whether it may be written now. */
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
    // Other reports, however many, must leave room for a failure: it is told to no one else.
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
    /** It was written without having been counted; what repeats it waits for a minute. */
    countsFrom: (row: NewRefused): void => {
      const kind = kinds.get(identityOf(row)) ?? admit(identityOf(row), row);
      if (kind !== null && kind.newest.times === 0) kind.triedAt = clock.monotonic();
    },
    /** What to write now. We try each kind only once a minute, even if writing fails. */
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
    /** Forgets those without a report for a minute: the next report is written at once. */
    forgetQuiet: (): void => {
      for (const [id, { newest, triedAt, bounded }] of kinds) {
        if (newest.times > 0 || !isMinuteAgo(triedAt)) continue;
        kinds.delete(id);
        for (const each of bounded) sizes.set(each, sizeOf(each) - 1);
      }
    },
    /** How many went beyond the bounds and were not asked for yet; 0 for a minute after some were. */
    takeBeyond: (): number => {
      if (beyond === 0 || !isMinuteAgo(beyondTakenAt)) return 0;
      const taken = beyond;
      beyond = 0;
      beyondTakenAt = clock.monotonic();
      return taken;
    },
  };
}

/** The sentence's subject: the parameter or setting before its colon. */
const FIELD = /^([\w.]+): /;

/** One report as it is counted and written. We must not store a key that is in the wrong place. */
export function rowOf({ caller, monitorKey, kind, message = null, refusal }: RefusedPing, at: Instant): NewRefused {
  const { applicationId, application, keyId } = caller;
  const key = maskedKeys(monitorKey);
  const field = FIELD.exec(refusal.message)?.[1] ?? "";
  const what = { code: refusal.refusal, field, reason: maskedKeys(refusal.message), kind, message };
  return { applicationId, application, monitorKey: key, keyId, ...what, firstAt: at, at, times: 1 };
}

// Monitors whose reports a rate limit refused of late: those of one minute need no look at their monitor.

/** Those beyond are forgotten; that costs a look or a warning. */
const MONITORS_KEPT = 10_000;

interface LimitedOfLate {
  readonly at: Instant;
  /** The setting that refused it; null: it has no monitor. */
  readonly setting: string | null;
  /** Until then reports of its minute up to this rank need no look. */
  readonly until: Instant;
  readonly rank: number;
}

function createLimitedOfLate() {
  const late = boundedMap<LimitedOfLate>(MONITORS_KEPT);
  return {
    /** A rate limit has refused a report of this monitor, and that is committed. */
    remember: (applicationId: number, monitorKey: string, limited: LimitedOfLate): void =>
      late.set(keyOf(applicationId, monitorKey), limited),
    /** Whether a refused report repeats another of its minute, and so changes nothing. */
    isQuiet: ({ caller, monitorKey, kind }: Ping, at: Instant): boolean => {
      const known = late.get(keyOf(caller.applicationId, monitorKey));
      const from = Math.floor((known?.at ?? 0) / MINUTE) * MINUTE;
      return known !== undefined && at >= from && at < known.until && rankOf(kind) <= known.rank;
    },
    /** The setting that refused a report of this monitor within the last hour; null: none did (R14). */
    settingThatRefused: (applicationId: number, monitorKey: string, now: Instant): string | null => {
      const known = late.get(keyOf(applicationId, monitorKey));
      return known !== undefined && withinHour(known.at, now) ? known.setting : null;
    },
  };
}

const keyOf = (applicationId: number, monitorKey: string): string => `${applicationId}/${monitorKey}`;
