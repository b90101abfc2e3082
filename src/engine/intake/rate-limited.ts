// Reports that a rate limit refused (R26, R33): they show that their monitor's job is alive, and leave a row for
// people. They start, end and close nothing. Runs inside the caller's transaction; refusal-notices.ts tells people.

import { isEvidence, rankOf } from "../../domain/message/refused-report.ts";
import { fillableFrom } from "../../domain/monitor/report.ts";
import { intervalOf } from "../../domain/schedule/rhythm.ts";
import type { Instant } from "../../domain/time.ts";
import { loadNamed } from "../../views/monitor-records.ts";
import type { Ping } from "../api.ts";
import type { AfterCommit, EngineContext } from "../context.ts";
import { applySignals } from "../record.ts";
import { recallAnswer } from "./idempotency.ts";
import type { SeenRateLimited } from "./refusal-memory.ts";

/** The result of a rate-limited report: for the wheel (null: nothing), and for the memory of such reports. */
export interface RateLimited extends SeenRateLimited {
  readonly afterCommit: AfterCommit | null;
}

/**
 * Records a report that was refused at `at`; `setting` names the limit. Keeps nothing about a monitor that does not
 * exist. Reports of one minute share a row, and a repeat writes nothing unless it fills another slot or moves it.
 */
export function ingestRateLimited(context: EngineContext, ping: Ping, at: Instant, setting: string): RateLimited {
  const { store } = context;
  const before = loadNamed(context, ping.caller.applicationId, ping.monitorKey, null);
  const unseen = { ping, at, setting, monitorId: null, kept: false, fillsAgainFrom: null, afterCommit: null };
  if (before === null) return unseen;
  // It repeats a report that we heard, so it would have filled nothing (R11). The next report may be new.
  if (recallAnswer(store, ping, at) !== null) return { ...unseen, fillsAgainFrom: at };
  const { kept, further } = keep(context, before.id, ping, at, setting);
  const fillsFrom = fillableFrom(before.monitor);
  const seen = { ...unseen, monitorId: before.id, kept, fillsAgainFrom: fillsFrom };
  const isInterval = intervalOf(before.monitor.watch) !== null;
  if (!isEvidence(ping, kept || isInterval, fillsFrom, at)) return seen;
  const { monitor, afterCommit } = applySignals(context, before, [{ kind: "refused", further }], at);
  // The second one of a minute moves the slot of an interval for all that follow it there (R44).
  return { ...seen, fillsAgainFrom: isInterval && !further ? at : fillableFrom(monitor), afterCommit };
}

interface Kept {
  readonly kept: boolean;
  /** Another one of its minute was refused before it. */
  readonly further: boolean;
}

function keep({ store }: EngineContext, monitorId: number, ping: Ping, at: Instant, setting: string): Kept {
  const { kind, message } = ping;
  const report = { monitorId, at, kind, message, setting };
  const before = store.rateLimitedReports.inMinute(monitorId, at);
  if (before === null) store.rateLimitedReports.insert(report);
  else if (rankOf(ping) > rankOf(before)) store.rateLimitedReports.replace(before.id, report);
  else return { kept: false, further: true };
  return { kept: true, further: before !== null };
}
