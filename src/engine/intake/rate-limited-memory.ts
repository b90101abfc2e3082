// Remembers reports that a rate limit refused: which of them need no job, whose reports were refused of
// late, and whether a notice is due. The rows are the truth, this makes a flood cheap. Bounded; told of commits only.

import { boundedMap } from "../../domain/bounded-map.ts";
import {
  type LastRefusalNotice,
  laterOf,
  NOTHING_REFUSED,
  refusalNoticeDue,
  withinHour,
  withRefusal,
} from "../../domain/message/refusal-notice.ts";
import { rankOf } from "../../domain/message/refused-report.ts";
import { type Instant, MINUTE } from "../../domain/time.ts";
import type { RateLimitedReportRows } from "../../store/refused-reports.ts";
import type { Ping } from "../api.ts";

/** A refused report that was looked at in a transaction. */
export interface SeenRateLimited {
  readonly ping: Ping;
  readonly at: Instant;
  readonly setting: string;
  /** Null: there is no such monitor. */
  readonly monitorId: number | null;
  /** Whether it has the row of its minute now. */
  readonly kept: boolean;
  /** From then on a report like it would fill a slot again; null: never. */
  readonly fillsAgainFrom: Instant | null;
}

export interface RateLimitedMemory {
  /** Reads what the process before this one left. Once, before the first report. */
  start(now: Instant): void;
  /**
   * Whether a refused report is worth a job: false when it repeats another one of its minute and could change nothing.
   */
  isNews(ping: Ping, at: Instant): boolean;
  /** To be called when the transaction that looked at the report has been committed. */
  remember(seen: SeenRateLimited): void;
  /** The setting that refused a report of this monitor within the last hour; null: none did (R14). */
  settingThatRefused(monitorId: number, now: Instant): string | null;
  /** Whether a notice should go out now. */
  noticeDue(now: Instant): boolean;
  /** A notice is made of everything until now. */
  beginTelling(): void;
  /** To be called when the transaction that told what came until then has been committed. */
  told(now: Instant): void;
}

/**
 * Monitors remembered. Those beyond are forgotten, the ones refused longest ago first; that costs a job or a warning.
 */
const MONITORS_KEPT = 10_000;

/** When reports of a monitor up to this rank need no job. */
interface Quiet {
  readonly from: Instant;
  readonly until: Instant;
  readonly rank: number;
}

interface RateLimitedOfLate {
  readonly at: Instant;
  readonly setting: string;
  /** A fail of it was refused that is not told yet. */
  readonly failing: boolean;
  /** When a notice last named it as failing. */
  readonly namedAt: Instant | null;
}

/** An empty memory until it is started. */
export function createRateLimitedMemory(rows: RateLimitedReportRows, last: LastRefusalNotice): RateLimitedMemory {
  const quiet = boundedMap<Quiet>(MONITORS_KEPT);
  /** By monitor, in the order of their last refusal. */
  const late = new Map<number, RateLimitedOfLate>();
  let untold = NOTHING_REFUSED;
  /** What came since a notice was begun, and the monitors that it names as failing. */
  let after = NOTHING_REFUSED;
  const naming = new Set<number>();

  function start(now: Instant): void {
    last.at = laterOf(last.at, rows.lastNoticeAt());
    const { after: told } = rows.untold();
    for (const { id, monitorId, at, setting, kind } of rows.newest(MONITORS_KEPT)) {
      const isFail = kind === "fail";
      if (id > told) keep(monitorId, at, setting, isFail);
      else if (withinHour(at, now))
        put(monitorId, { at, setting, failing: false, namedAt: isFail ? at : namedAt(monitorId) });
    }
  }

  function namedAt(monitorId: number): Instant | null {
    return late.get(monitorId)?.namedAt ?? null;
  }

  function put(monitorId: number, refused: RateLimitedOfLate): void {
    const isKnown = late.delete(monitorId);
    if (!isKnown && late.size >= MONITORS_KEPT) late.delete(late.keys().next().value!);
    late.set(monitorId, refused);
  }

  function keep(monitorId: number, at: Instant, setting: string, isFail: boolean): void {
    const lastNamedAt = naming.has(monitorId) ? at : namedAt(monitorId);
    untold = withRefusal(untold, at, isFail, lastNamedAt);
    after = withRefusal(after, at, isFail, lastNamedAt);
    const failing = isFail || late.get(monitorId)?.failing === true;
    put(monitorId, { at, setting, failing, namedAt: namedAt(monitorId) });
  }

  function isNews(ping: Ping, at: Instant): boolean {
    const known = quiet.get(keyOf(ping));
    return known === undefined || at < known.from || at >= known.until || rankOf(ping) > known.rank;
  }

  function remember({ ping, at, setting, monitorId, kept, fillsAgainFrom }: SeenRateLimited): void {
    const from = Math.floor(at / MINUTE) * MINUTE;
    const until = Math.min(from + MINUTE, fillsAgainFrom ?? Number.POSITIVE_INFINITY);
    quiet.set(keyOf(ping), { from, until, rank: rankOf(ping) });
    if (monitorId !== null && kept) keep(monitorId, at, setting, ping.kind === "fail");
  }

  function settingThatRefused(monitorId: number, now: Instant): string | null {
    const refused = late.get(monitorId);
    return refused !== undefined && withinHour(refused.at, now) ? refused.setting : null;
  }

  function beginTelling(): void {
    after = NOTHING_REFUSED;
    for (const [monitorId, refused] of late) {
      if (!refused.failing) continue;
      naming.add(monitorId);
      late.set(monitorId, { ...refused, failing: false });
    }
  }

  function told(now: Instant): void {
    untold = after;
    last.at = now;
    for (const monitorId of naming) {
      const refused = late.get(monitorId);
      if (refused !== undefined) late.set(monitorId, { ...refused, namedAt: now });
    }
    naming.clear();
  }

  return {
    start,
    isNews,
    remember,
    settingThatRefused,
    noticeDue: (now) => refusalNoticeDue(untold, last.at, now),
    beginTelling,
    told,
  };
}

const keyOf = ({ caller, monitorKey }: Ping): string => `${caller.applicationId}/${monitorKey}`;
