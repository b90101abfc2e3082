// Handles one report inside its batch's transaction. It finds or creates the monitor, lets the domain decide what the
// report means, and writes the decision. A refused report changes nothing here, with one exception: a report that a
// rate limit refused is written down and shows that its job is alive.

import { isRefusal, type Refusal, refuse } from "../../domain/errors.ts";
import { IDEMPOTENCY_SPAN } from "../../domain/limits.ts";
import { rankOfRefusedReport, refusalShowsLife } from "../../domain/message/refused-report.ts";
import { fillableFrom } from "../../domain/monitor/report.ts";
import { type Expectations, outcomesToKeep } from "../../domain/monitor/reported-outcomes.ts";
import { signalOf, type Transition } from "../../domain/monitor/transition.ts";
import { hasSlots, intervalOfRhythm } from "../../domain/schedule/rhythm.ts";
import { declaredAfter, NOTHING_DECLARED } from "../../domain/settings/declared.ts";
import { expectationsOf, monitorPolicy, watchOf, zonesNear } from "../../domain/settings/policy.ts";
import { whyUnreachable } from "../../domain/telling/reach.ts";
import { type Instant, MINUTE, SECOND } from "../../domain/time.ts";
import { warningOf } from "../../domain/wording/warning.ts";
import { type MonitorRecord, namedMonitorWithPolicy } from "../../views/completed-monitors.ts";
import type { KeptAnswer, Ping, PingAnswer, Receipt, RefusedPing } from "../api.ts";
import { refuseOneMore } from "../capacity.ts";
import { decide } from "../decide.ts";
import type { AfterCommit, EngineContext } from "../engine-context.ts";
import { makeMonitor } from "../new-monitors.ts";
import type { NoticeTools } from "../outbox/review.ts";
import { withOwed } from "../pay-owed.ts";
import { applySignals, declareSignal, record, saveDeclared } from "../record.ts";
import { usualRunFor } from "../unusual-notice.ts";
import type { createPlainHttpRefusals } from "./plain-refusals.ts";
import { type Refusals, refusedRow } from "./refusals.ts";

export interface Ingested {
  readonly answer: PingAnswer;
  /** The work for after the commit; `null` when no fact of a monitor was written. */
  readonly afterCommit: AfterCommit | null;
  /** Updates the memory of refused reports. The caller must call this after the commit. */
  readonly remember?: () => void;
}

export type IntakeContext = EngineContext &
  Readonly<{ refusals: Refusals; plainRefusals: ReturnType<typeof createPlainHttpRefusals> }>;

export type IntakeTools = NoticeTools & Readonly<{ context: IntakeContext }>;

/**
 * Applies one report that arrived at `at`, and returns its receipt or a refusal as `answer`. If the report has an
 * idempotency key, the receipt is the finished text of the response. A later report with the same key changes nothing
 * and gets that same text (R11). Must run inside a transaction; `answer` may be sent only after the commit.
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
  // The first sender gets the stored text, so that a repetition gets exactly the same text.
  return { answer: { text }, afterCommit };
}

type Decided =
  | { readonly answer: Receipt; readonly afterCommit: AfterCommit }
  | { readonly answer: Refusal; readonly afterCommit: null };

function applyReport(context: IntakeContext, ping: Ping, at: Instant): Decided {
  const known = namedMonitorWithPolicy(context, ping.caller.applicationId, ping.monitorKey, ping.runId);
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

/** Creates the monitor. Refused when the application has as many active monitors as its paid plan allows (R34). */
function register(context: IntakeContext, ping: Ping, at: Instant): MonitorRecord | Refusal {
  const { application, applicationId } = ping.caller;
  const owner = { id: applicationId, slug: application };
  const refused = refuseOneMore(context, owner, ping.monitorKey);
  if (refused !== null) return refused;
  return makeMonitor(context, owner, ping.monitorKey, declaredAfter(NOTHING_DECLARED, ping.said), at);
}

/** When the reported event happened; `null` when that was the moment at which the report arrived. */
const happenedAtOf = ({ ageSeconds }: Ping, at: Instant): Instant | null =>
  ageSeconds === null || ageSeconds === 0 ? null : at - ageSeconds * SECOND;

/**
 * Decides what the report means for the monitor. Settings that the report declares are applied first, so the report
 * itself is already judged under them (R12).
 */
function judge(context: IntakeContext, before: MonitorRecord, ping: Ping, expectations: Expectations, at: Instant) {
  const declares = ping.kind !== "log" && !isOlder(before, happenedAtOf(ping, at));
  const declared = declares ? declaredAfter(before.declared, ping.said) : before.declared;
  // Only a start that arrives on time gets the usual length of a run. A late start gets none: the run may be over and
  // its end on the way, so no notice may say that the run takes long.
  const isStart = ping.kind === "start" && happenedAtOf(ping, at) === null;
  const signal = signalOf(ping, expectations, isStart ? usualRunFor(context, before, at) : null);
  if (declared === before.declared) return { after: before, decision: decide(context, before, [signal], at) };
  const policy = monitorPolicy(context.policy, before.application, before.key, declared);
  const watch = watchOf(policy);
  const signals = [declareSignal(context, before, watch), signal] as const;
  const after = { ...before, declared, policy };
  return { after, decision: decide(context, before, signals, at) };
}

/**
 * Whether the event happened before the newest report of the monitor. Settings in such an old report are ignored,
 * because a newer report may have declared others (R12).
 */
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
    unreachable: () => whyUnreachable(before.policy, failing(), "anyone", at),
    refusedBy: () => refusals.settingThatRefused(before.applicationId, before.key, at),
    zones: () => zonesNear(before.policy),
  });
  const durationSeconds = kind === "complete" ? length : null;
  return { kind, monitorKey, at, happenedAt: happenedAtOf(ping, at), durationSeconds, message, warning };
}

/**
 * Returns the stored text of the response to an earlier report with this idempotency key; `null` when none is stored,
 * or it is too old.
 */
function recallAnswer({ store, certain }: EngineContext, ping: Ping, at: Instant): KeptAnswer | null {
  if (ping.idempotency === null) return null;
  const { monitorKey, caller } = ping;
  const id = store.monitors.find(caller.applicationId, monitorKey);
  if (id === null) return null;
  const text = store.idempotency.recall(id, ping.idempotency.key, Math.min(at, certain()) - IDEMPOTENCY_SPAN);
  return text === null ? null : { text };
}

// Below: reports that a rate limit refused (R26, R33). They begin and end no run and close no incident, but people are
// told of them as of every refused report.

/** The form in which a report that a rate limit refused is stored. Its sender has already got 429. */
export const refusedByLimit = (ping: Ping, setting: string): RefusedPing => ({
  ...ping,
  refusal: refuse("RATE_LIMIT_EXCEEDED", `${setting}: more came than it allows`),
});

/**
 * Stores a report that was refused at `at` by the limit `setting`, and notes that its job is alive. For a monitor that
 * does not exist nothing is stored.
 */
export function ingestRateLimited(context: IntakeContext, ping: Ping, at: Instant, setting: string): Ingested {
  const { store, refusals } = context;
  const { applicationId } = ping.caller;
  const refused = refusedByLimit(ping, setting);
  const before = namedMonitorWithPolicy(context, applicationId, ping.monitorKey, null);
  const minuteEnd = (Math.floor(at / MINUTE) + 1) * MINUTE;
  const rank = rankOfRefusedReport(ping.kind);
  const answer = refused.refusal;
  if (before === null) {
    const remember = () =>
      refusals.remember(applicationId, ping.monitorKey, { at, setting: null, until: minuteEnd, rank });
    return { answer, afterCommit: null, remember };
  }
  // A report that repeats an accepted one changes nothing, so it is not stored as refused (R11). The next report of the
  // minute may be a new one and is examined again.
  if (recallAnswer(context, ping, at) !== null) return { answer, afterCommit: null };
  const further = store.refusedReports.isLimitedInMinute(before.applicationId, before.key, at);
  const row = refusedRow(refused, at);
  const news = store.refusedReports.save(row);
  const isInterval = intervalOfRhythm(before.monitor.watch) !== null;
  const isEvident = refusalShowsLife(ping.kind, !further || isInterval, fillableFrom(before.monitor), at);
  const applied = isEvident ? applySignals(context, before, [{ kind: "refused", further }], at) : null;
  // The interval of a monitor (`every`) begins again with each report. So after the first refused report of a minute
  // `until` is `at`, and the second one is examined too. The second one counts as if it came at the end of the minute.
  // So further refused reports of that minute change nothing (R44).
  const fillsAgainFrom = isEvident && isInterval && !further ? at : fillableFrom((applied ?? before).monitor);
  const until = Math.min(minuteEnd, fillsAgainFrom ?? minuteEnd);
  const remember = (): void => {
    refusals.remember(applicationId, before.key, { at, setting, until, rank });
    refusals.noteWritten(row);
    refusals.add(news);
  };
  return { answer, afterCommit: applied?.afterCommit ?? null, remember };
}
