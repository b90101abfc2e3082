// Reports that a rate limit refused (R26, R33): they show that their monitor's job is alive, and leave a row for
// people. They start, end and close nothing. Runs inside the caller's transaction; rate-limited-notice.ts tells people.

import { isEvidence, rankOf } from "../../domain/message/refused-report.ts";
import { fillableFrom } from "../../domain/monitor/report.ts";
import type { Instant } from "../../domain/time.ts";
import type { AfterCommit } from "../after-commit.ts";
import type { Ping } from "../api.ts";
import type { EngineContext } from "../context.ts";
import { loadNamed } from "../monitor-records.ts";
import { applySignals } from "../record.ts";
import { recallAnswer } from "./idempotency.ts";
import type { SeenRateLimited } from "./rate-limited-memory.ts";

/** The result of a rate-limited report: for the wheel (null: nothing), and for the memory of such reports. */
export interface RateLimited extends SeenRateLimited {
  readonly afterCommit: AfterCommit | null;
}

/**
 * Records a report that was refused at `at`; `setting` names the limit. Keeps nothing about a monitor that does not
 * exist. Reports of one minute share a row, and a repeat writes nothing unless it fills another slot.
 */
export function ingestRateLimited(context: EngineContext, ping: Ping, at: Instant, setting: string): RateLimited {
  const { store } = context;
  const before = loadNamed(context, ping.caller.applicationId, ping.monitorKey, null);
  const unseen = { ping, at, setting, monitorId: null, kept: false, fillsAgainFrom: null, afterCommit: null };
  if (before === null) return unseen;
  // It repeats a report that we heard, so it would have filled nothing (R11). The next report may be new.
  if (recallAnswer(store, ping, at) !== null) return { ...unseen, fillsAgainFrom: at };
  const kept = keep(context, before.id, ping, at, setting);
  const fillsFrom = fillableFrom(before.monitor);
  const seen = { ...unseen, monitorId: before.id, kept, fillsAgainFrom: fillsFrom };
  if (!isEvidence(ping, kept, fillsFrom, at)) return seen;
  const { monitor, afterCommit } = applySignals(context, before, [{ kind: "refused" }], at);
  return { ...seen, fillsAgainFrom: fillableFrom(monitor), afterCommit };
}

/** Whether the report has its minute's row now. */
function keep({ store }: EngineContext, monitorId: number, ping: Ping, at: Instant, setting: string): boolean {
  const { kind, message } = ping;
  const report = { monitorId, at, kind, message, setting };
  const kept = store.rateLimitedReports.inMinute(monitorId, at);
  if (kept === null) store.rateLimitedReports.insert(report);
  else if (rankOf(ping) > rankOf(kept)) store.rateLimitedReports.replace(kept.id, report);
  else return false;
  return true;
}
