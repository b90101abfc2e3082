// Handles one ping inside its batch's transaction: it finds or registers the monitor, asks the domain and writes what
// it decided. A refusal leaves the database as it was. A report that a rate limit refused still shows that its job is
// alive, and leaves a row.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { IDEMPOTENCY_SPAN } from "../../domain/limits.ts";
import { isEvidence, rankOf } from "../../domain/message/refused-report.ts";
import { fillableFrom } from "../../domain/monitor/report.ts";
import { type Expectations, outcomesToKeep } from "../../domain/monitor/reported-outcomes.ts";
import { signalOf, type Transition } from "../../domain/monitor/transition.ts";
import { hasSlots, intervalOf } from "../../domain/schedule/rhythm.ts";
import { declaredAfter, NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { expectationsOf, monitorPolicy, watchOf, zonesNear } from "../../domain/settings/policy.ts";
import { unreachable } from "../../domain/settings/reach.ts";
import { type Instant, MINUTE, SECOND } from "../../domain/time.ts";
import { warningOf } from "../../domain/wording/warning.ts";
import { loadNamed, type MonitorRecord } from "../../views/completed-monitors.ts";
import type { KeptAnswer, Ping, PingAnswer, Receipt, RefusedPing } from "../api.ts";
import { refuseOneMore } from "../capacity.ts";
import { decide } from "../decide.ts";
import type { AfterCommit, EngineContext } from "../engine-context.ts";
import { makeMonitor } from "../new-monitors.ts";
import type { NoticeTools } from "../outbox/review.ts";
import { withOwed } from "../pay-owed.ts";
import { applySignals, declaring, record, saveDeclared } from "../record.ts";
import { usualFor } from "../unusual-notice.ts";
import type { createPlainRefusals } from "./plain-refusals.ts";
import { type Refusals, refusedRow } from "./refusals.ts";

export interface Ingested {
  readonly answer: PingAnswer;
  /** What is left to do after the commit; `null` when nothing was written. */
  readonly afterCommit: AfterCommit | null;
  /** Remembers in memory what was committed. Must be called after the commit. */
  readonly remember?: () => void;
}

/** The context of the intake, which also has the memory of refused reports. */
export type IntakeContext = EngineContext &
  Readonly<{ refusals: Refusals; plainRefusals: ReturnType<typeof createPlainRefusals> }>;

export type IntakeTools = NoticeTools & Readonly<{ context: IntakeContext }>;

/**
 * Applies one ping that arrived at `at` and stores its answer; for a repetition it only returns the first answer (R11).
 * The edge makes the text of the answer; nothing here reads it. Must run inside a transaction; the answer is valid
 * after the commit.
 */
export function ingestPing(context: IntakeContext, ping: Ping, at: Instant): Ingested {
  const { idempotency } = ping;
  if (idempotency === null) return applyReport(context, ping, at);
  const repeated = recallAnswer(context, ping, at);
  if (repeated !== null) return { answer: repeated, afterCommit: null };
  const applied = applyReport(context, ping, at);
  if (applied.afterCommit === null) return applied;
  const { answer: receipt, afterCommit } = applied;
  const text = idempotency.textOf(receipt);
  const { key } = idempotency;
  context.store.idempotency.keep({ monitorId: afterCommit.monitorId, key, at: receipt.at, answer: text });
  // The first sender gets the very text that is stored.
  return { answer: { text }, afterCommit };
}

type Decided =
  | { readonly answer: Receipt; readonly afterCommit: AfterCommit }
  | { readonly answer: Refusal; readonly afterCommit: null };

function applyReport(context: IntakeContext, ping: Ping, at: Instant): Decided {
  const known = loadNamed(context, ping.caller.applicationId, ping.monitorKey, ping.runId);
  if (known === null && (!hasSlots(ping.said) || ping.kind === "log"))
    return { answer: notFound(ping), afterCommit: null };
  const before = known ?? register(context, ping, at);
  if (isRefusal(before)) return { answer: before, afterCommit: null };
  const expectations = expectationsOf(before.policy);
  const { after, decision } = judge(context, before, ping, expectations, at);
  const kept = outcomesToKeep(expectations, ping.outcomes);
  const outcomes = kept === null ? null : JSON.stringify(kept);
  const { kind, attempt, message, output, host, user } = ping;
  const facts = { kind, at, happenedAt: happenedAtOf(ping, at), attempt, message, output, outcomes, host, user };
  const afterCommit = record(context, after, decision, at, facts);
  if (after !== before)
    saveDeclared(
      { store: context.store, id: before.id, now: at },
      before.declared,
      after.declared,
      decision.monitor.watch,
      { by: "job", source: null },
    );
  const heard = { ping, at, before, decision, created: known === null, expectations };
  const answer = receiptOf(context, heard);
  return { answer, afterCommit: after === before ? afterCommit : withOwed(context, before.id, afterCommit, at) };
}

const notFound = (ping: Ping): Refusal =>
  refuse(
    "MONITOR_NOT_FOUND",
    `monitor ${JSON.stringify(ping.monitorKey)} does not exist in application "${ping.caller.application}"; ` +
      "a report that carries a schedule, or every, creates it",
  );

/** Refuses new monitors when the application is full; existing ones keep recording (R34). */
function register(context: IntakeContext, ping: Ping, at: Instant): MonitorRecord | Refusal {
  const { application, applicationId } = ping.caller;
  const owner = { id: applicationId, slug: application };
  const refused = refuseOneMore(context, owner, ping.monitorKey);
  if (refused !== null) return refused;
  return makeMonitor(context, owner, ping.monitorKey, declaredAfter(NOTHING_DECLARED, ping.said), at);
}

/** When the event happened; `null` when it happened as the report arrived. */
const happenedAtOf = ({ ageSeconds }: Ping, at: Instant): Instant | null =>
  ageSeconds === null || ageSeconds === 0 ? null : at - ageSeconds * SECOND;

/**
 * Decides what the report means. Newly declared values come first, so that the report is judged and told under them
 * (R12).
 */
function judge(context: IntakeContext, before: MonitorRecord, ping: Ping, expectations: Expectations, at: Instant) {
  const declares = ping.kind !== "log" && !isOlder(before, happenedAtOf(ping, at));
  const declared = declares ? declaredAfter(before.declared, ping.said) : before.declared;
  // The end of a run whose start comes late may be on its way, so nothing is told about the run's length.
  const isStart = ping.kind === "start" && happenedAtOf(ping, at) === null;
  const signal = signalOf(ping, expectations, isStart ? usualFor(context, before, at) : null);
  if (declared === before.declared) return { after: before, decision: decide(context, before, [signal], at) };
  const policy = monitorPolicy(context.policy, before.application, before.key, declared);
  const watch = watchOf(policy);
  const signals = [declaring(context, before, watch), signal] as const;
  const after = { ...before, declared, policy };
  return { after, decision: decide(context, before, signals, at) };
}

/** Whether the report is older than the newest one. What a job declared before that is no longer valid (R12). */
const isOlder = ({ monitor: { receivedAt } }: MonitorRecord, happenedAt: Instant | null): boolean =>
  happenedAt !== null && receivedAt !== null && happenedAt < receivedAt;

interface HeardPing {
  readonly ping: Ping;
  readonly at: Instant;
  readonly before: MonitorRecord;
  readonly decision: Transition;
  readonly created: boolean;
  readonly expectations: Expectations;
}

function receiptOf({ failing, refusals }: IntakeContext, heard: HeardPing): Receipt {
  const { ping, at, before, decision, created, expectations } = heard;
  const { kind, monitorKey, message, lookalikes } = ping;
  const length = decision.measuredSeconds ?? decision.run?.durationSeconds ?? null;
  const warning = warningOf({
    kind,
    lookalikes,
    key: before.key,
    created,
    expectsOutcomes: expectations.size > 0,
    watchBefore: before.monitor.watch,
    monitor: decision.monitor,
    outlived: decision.outlived,
    disbelieved: decision.measuredSeconds === null ? ping.durationSeconds : null,
    startedAt: decision.run?.startedAt ?? null,
    unreachable: () => unreachable(before.policy, failing(), "anyone", at),
    refusedBy: () => refusals.settingThatRefused(before.applicationId, before.key, at),
    zones: () => zonesNear(before.policy),
  });
  const durationSeconds = kind === "complete" ? length : null;
  return { kind, monitorKey, at, happenedAt: happenedAtOf(ping, at), durationSeconds, message, warning };
}

/** Returns the answer to the earlier ping that this one, arrived at `at`, repeats; `null` when it repeats none. */
function recallAnswer({ store, certain }: EngineContext, ping: Ping, at: Instant): KeptAnswer | null {
  if (ping.idempotency === null) return null;
  const { monitorKey, caller } = ping;
  const id = store.monitors.find(caller.applicationId, monitorKey);
  if (id === null) return null;
  const text = store.idempotency.recall(id, ping.idempotency.key, Math.min(at, certain()) - IDEMPOTENCY_SPAN);
  return text === null ? null : { text };
}

// Reports that a rate limit refused (R26, R33) start, end and close nothing. People are told of them as of any refused
// report.

/** The report as it is recorded. Its sender has already got the rate limit's answer. */
export const limitedBy = (ping: Ping, setting: string): RefusedPing => ({
  ...ping,
  refusal: refuse("RATE_LIMIT_EXCEEDED", `${setting}: more came than it allows`),
});

/**
 * Records a report that was refused at `at` by the limit `setting`. For a monitor that does not exist nothing is
 * recorded.
 */
export function ingestRateLimited(context: IntakeContext, ping: Ping, at: Instant, setting: string): Ingested {
  const { store, refusals } = context;
  const { applicationId } = ping.caller;
  const refused = limitedBy(ping, setting);
  const before = loadNamed(context, applicationId, ping.monitorKey, null);
  const minuteEnd = (Math.floor(at / MINUTE) + 1) * MINUTE;
  const rank = rankOf(ping.kind);
  const answer = refused.refusal;
  if (before === null) {
    const remember = () =>
      refusals.remember(applicationId, ping.monitorKey, { at, setting: null, until: minuteEnd, rank });
    return { answer, afterCommit: null, remember };
  }
  // If the report repeats one that was heard, it would not have filled anything (R11). The next report may be a new
  // one.
  if (recallAnswer(context, ping, at) !== null) return { answer, afterCommit: null };
  const further = store.refusedReports.isLimitedInMinute(before.applicationId, before.key, at);
  const row = refusedRow(refused, at);
  const news = store.refusedReports.save(row);
  const isInterval = intervalOf(before.monitor.watch) !== null;
  const isEvident = isEvidence(ping.kind, !further || isInterval, fillableFrom(before.monitor), at);
  const applied = isEvident ? applySignals(context, before, [{ kind: "refused", further }], at) : null;
  // For an interval, the second report of a minute counts for all that follow in that minute: each would have moved the
  // slot (R44).
  const fillsAgainFrom = isEvident && isInterval && !further ? at : fillableFrom((applied ?? before).monitor);
  const until = Math.min(minuteEnd, fillsAgainFrom ?? minuteEnd);
  const remember = (): void => {
    refusals.remember(applicationId, before.key, { at, setting, until, rank });
    refusals.countsFrom(row);
    refusals.add(news);
  };
  return { answer, afterCommit: applied?.afterCommit ?? null, remember };
}
