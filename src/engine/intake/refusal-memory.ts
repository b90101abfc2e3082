// Remembers what was refused and why (R26, R33): for each reason what no notice has named yet, and when the next notice
// is due; of reports that a rate limit refused also which need no job, and whose were refused of late. The rows are the
// truth, this makes a flood cheap. Bounded; told of commits only.

import type { InPieces } from "../../domain/in-pieces.ts";
import { boundedMap } from "../../domain/maps.ts";
import {
  firstOf,
  NOTHING_REFUSED,
  type PendingRefusals,
  rankOf,
  refusalNoticeDue,
  withinHour,
  withRefusal,
} from "../../domain/message/refused-report.ts";
import { type Instant, MINUTE } from "../../domain/time.ts";
import type { NewRejected, RejectedSort } from "../../store/refused-reports.ts";
import type { Store } from "../../store/store.ts";
import type { Ping } from "../api.ts";

/** Each is told in notices of its own, but all share the one notice an hour. */
export const REFUSAL_REASONS = ["rate_limited", "rejected", "unstored"] as const satisfies (
  | "rate_limited"
  | RejectedSort
)[];

export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** A report that a rate limit refused, as a transaction has seen it. */
export interface SeenRateLimited {
  readonly ping: Ping;
  readonly at: Instant;
  readonly setting: string;
  readonly monitorId: number | null;
  /** Whether it has the row of its minute now. */
  readonly kept: boolean;
  /** From then on a report like it would fill a slot again; null: never. */
  readonly fillsAgainFrom: Instant | null;
}

/**
 * Monitors remembered. Those beyond are forgotten, the ones refused longest ago first; that costs a job or a warning.
 */
const MONITORS_KEPT = 10_000;

export type RefusalMemory = ReturnType<typeof createRefusalMemory>;

/** An empty memory until it is started. */
export function createRefusalMemory(rows: Pick<Store, "rateLimitedReports" | "rejectedReports">) {
  const pending: Record<RefusalReason, PendingRefusals> = {
    rate_limited: NOTHING_REFUSED,
    rejected: NOTHING_REFUSED,
    unstored: NOTHING_REFUSED,
  };
  let lastNoticeAt: Instant | null = null;
  const repeats = createRepeats();
  const late = createRateLimitedOfLate();

  /** Reads what the process before this one left. Once, before the first report. */
  function start(now: Instant): void {
    lastNoticeAt = rows.rateLimitedReports.lastNoticeAt();
    const { after: notified } = rows.rateLimitedReports.pending();
    for (const { id, monitorId, at, setting, kind } of rows.rateLimitedReports.newest(MONITORS_KEPT)) {
      const isFail = kind === "fail";
      if (id > notified) addRateLimited(monitorId, at, setting, isFail);
      else if (withinHour(at, now)) {
        const refused = late.refused(monitorId, at, setting);
        if (isFail) refused.namedAt = at;
      }
    }
    for (const sort of ["rejected", "unstored"] as const)
      for (const row of rows.rejectedReports.pending(sort)) addRejected(sort, row);
  }

  function addRateLimited(monitorId: number, at: Instant, setting: string, isFail: boolean): void {
    const refused = late.refused(monitorId, at, setting);
    pending.rate_limited = withRefusal(pending.rate_limited, at, isFail, refused.namedAt);
    refused.failing ||= isFail;
  }

  function addRejected(sort: RejectedSort, { at, kind }: Pick<NewRejected, "at" | "kind">): void {
    const isFail = kind === "fail";
    // Of others that could not be stored the gap that they left tells.
    if (sort === "rejected" || isFail) pending[sort] = withRefusal(pending[sort], at, isFail, null);
  }

  /** To be called when the transaction that looked at the report has been committed. */
  function remember({ ping, at, setting, monitorId, kept, fillsAgainFrom }: SeenRateLimited): void {
    repeats.set(ping, at, fillsAgainFrom);
    if (monitorId !== null && kept) addRateLimited(monitorId, at, setting, ping.kind === "fail");
  }

  /** Does the work that tells of all until now. What comes meanwhile stays untold; an error leaves all untold. */
  function* tell(reason: RefusalReason, work: InPieces<void>, now: Instant): InPieces<void> {
    const before = pending[reason];
    const named = reason === "rate_limited" ? late.nameFailing(now) : [];
    pending[reason] = NOTHING_REFUSED;
    try {
      yield* work;
    } catch (error) {
      pending[reason] = firstOf(before, pending[reason]);
      for (const refused of named) refused.failing = true;
      throw error;
    }
    lastNoticeAt = now;
  }

  return {
    start,
    addRejected,
    remember,
    isNews: repeats.isNews,
    settingThatRefused: late.settingThatRefused,
    /** Whether a notice about what was refused for this reason should go out now. */
    isDue: (reason: RefusalReason, now: Instant) => refusalNoticeDue(pending[reason], lastNoticeAt, now),
    tell,
    /** Another notice has named the failures that could not be stored. */
    unstoredNotified: (): void => {
      pending.unstored = NOTHING_REFUSED;
    },
  };
}

interface RateLimitedOfLate {
  at: Instant;
  setting: string;
  /** A fail of it was refused that is not told yet. */
  failing: boolean;
  namedAt: Instant | null;
}

/** Monitors whose reports a rate limit refused of late. */
function createRateLimitedOfLate() {
  /** In the order of their last refusal. */
  const late = new Map<number, RateLimitedOfLate>();

  function refused(monitorId: number, at: Instant, setting: string): RateLimitedOfLate {
    const known = late.get(monitorId) ?? { at, setting, failing: false, namedAt: null };
    const isKnown = late.delete(monitorId);
    if (!isKnown && late.size >= MONITORS_KEPT) late.delete(late.keys().next().value!);
    late.set(monitorId, known);
    known.at = at;
    known.setting = setting;
    return known;
  }

  /** The setting that refused a report of this monitor within the last hour; null: none did (R14). */
  function settingThatRefused(monitorId: number, now: Instant): string | null {
    const refused = late.get(monitorId);
    return refused !== undefined && withinHour(refused.at, now) ? refused.setting : null;
  }

  /** Those with a fail that is not told yet, which a notice names now. */
  function nameFailing(now: Instant): RateLimitedOfLate[] {
    const failing = [...late.values()].filter((refused) => refused.failing);
    for (const refused of failing) {
      refused.failing = false;
      refused.namedAt = now;
    }
    return failing;
  }

  return { refused, settingThatRefused, nameFailing };
}

/** When reports of a monitor up to this rank need no job. */
interface Quiet {
  readonly from: Instant;
  readonly until: Instant;
  readonly rank: number;
}

/** Which reports repeat another one of their minute. */
function createRepeats() {
  const quiet = boundedMap<Quiet>(MONITORS_KEPT);
  return {
    set: (ping: Ping, at: Instant, fillsAgainFrom: Instant | null): void => {
      const from = Math.floor(at / MINUTE) * MINUTE;
      const until = Math.min(from + MINUTE, fillsAgainFrom ?? Number.POSITIVE_INFINITY);
      quiet.set(keyOf(ping), { from, until, rank: rankOf(ping) });
    },
    /** Whether a refused report is worth a job: one that repeats another of its minute may change nothing. */
    isNews: (ping: Ping, at: Instant): boolean => {
      const known = quiet.get(keyOf(ping));
      return known === undefined || at < known.from || at >= known.until || rankOf(ping) > known.rank;
    },
  };
}

const keyOf = ({ caller, monitorKey }: Ping): string => `${caller.applicationId}/${monitorKey}`;
