// `rollcall replay`: the alarms that a monitor's stored history would have raised under other settings.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import type { InPieces } from "../domain/in-pieces.ts";
import { type PastSignal, replay } from "../domain/monitor/replay.ts";
import { NO_OUTCOMES } from "../domain/monitor/reported-outcomes.ts";
import { type Signal, signalOf } from "../domain/monitor/transition.ts";
import { checkDeclared, operatorName } from "../domain/settings/declaration.ts";
import { expectationsOf, type MonitorPolicy, watchOf } from "../domain/settings/policy.ts";
import { DECLARED_FIELDS, type Declared } from "../domain/settings/settings.ts";
import { DAY, type Instant, SECOND } from "../domain/time.ts";
import { orElse } from "../domain/unless-missing.ts";
import type { StoredPing } from "../store/pings.ts";
import type { MonitorRecord } from "./completed-monitors.ts";
import { findMonitor, type MonitorName } from "./find-named.ts";
import type { Replayed } from "./schemas/why-schemas.ts";
import type { ViewSource } from "./view-source.ts";
import type { WhyContext } from "./why-facts.ts";

/**
 * What a replay is asked for. `sinceSeconds` is how far back the history is judged; `null` means 30 days. Once `most`
 * reports are read (`REPORTS_MAX` when absent), older ones are not judged.
 */
export type ReplayAsked = MonitorName & Readonly<{ sinceSeconds: number | null; settings: Declared; most?: number }>;

const SINCE = 30 * DAY;
/** How many reports are read in one piece, which takes some milliseconds. */
const READ_AT_ONCE = 200;
/** At most this many reports are judged: two a minute, for a month. */
const REPORTS_MAX = 90_000;
const ACTS_MAX = 1_000;
/** How many of the alarms are listed, the newest; the number of all is given too. */
const LISTED = 100;

/**
 * Judges a monitor's stored history again and returns the alarms that `settings` would have raised. A setting that is
 * not `null` replaces the present one, even if the configuration sets that (R31).
 */
export function replayOf(
  context: WhyContext,
  { sinceSeconds, settings, most = REPORTS_MAX, ...name }: ReplayAsked,
  now: Instant,
): InPieces<Replayed> | Refusal {
  const record = findMonitor(context, name);
  if (isRefusal(record)) return record;
  const said = checkDeclared(settings, "five", operatorName);
  if (isRefusal(said)) return said;
  const since = now - (sinceSeconds === null ? SINCE : sinceSeconds * SECOND);
  return replayed(context, record, said, { since: Math.max(since, record.monitor.createdAt), most }, now);
}

function* replayed(
  context: WhyContext,
  record: MonitorRecord,
  said: Declared,
  { since, most }: ReplaySpan,
  now: Instant,
): InPieces<Replayed> {
  const { reports, readSince } = yield* reportsSince(context, record, { since, most });
  const from = Math.max(since, readSince, now - context.keepPings);
  const past = [...reports, ...actsSince(context, record, from)].filter(({ at }) => at >= from);
  past.sort((one, other) => one.at - other.at);
  const gaps = context.gaps.since(from);
  const changed = watchOf(withSaid(record.policy, said));
  yield;
  const asItIs = yield* replay(record.monitor.watch, past, gaps, { from, to: now });
  yield;
  const alarms = yield* replay(changed, past, gaps, { from, to: now });
  return {
    application: record.application,
    key: record.key,
    timezone: changed.timezone,
    from,
    to: now,
    reports: reports.length,
    asItIs: asItIs.length,
    alarms: alarms.length,
    listed: alarms.slice(-LISTED).map(({ causes, ...alarm }) => ({ ...alarm, causes: [...causes] })),
  };
}

function withSaid({ own: configured, ...policy }: MonitorPolicy, said: Declared): MonitorPolicy {
  const { schedule, everySeconds, ...others } = configured;
  const isMoved = said.schedule !== null || said.everySeconds !== null;
  const rhythm = {
    ...(schedule === undefined ? {} : { schedule }),
    ...(everySeconds === undefined ? {} : { everySeconds }),
  };
  const given = DECLARED_FIELDS.filter((field) => said[field] !== null).map((field) => [field, said[field]]);
  return { ...policy, own: { ...others, ...(isMoved ? {} : rhythm), ...Object.fromEntries(given) } };
}

type ReplaySpan = Readonly<{ since: Instant; most: number }>;

function* reportsSince({ store }: ViewSource, record: MonitorRecord, { since, most }: ReplaySpan) {
  const reports: PastSignal[] = [];
  let last = record.heads.lastPingId;
  let readSince = Number.NEGATIVE_INFINITY;
  while (last !== null) {
    const found: readonly StoredPing[] = store.pings.last(record.id, last, READ_AT_ONCE);
    const runs = store.runs.some(
      record.id,
      found.flatMap(({ runRow }) => runRow ?? []),
    );
    for (const ping of found) {
      const runId = runs.get(ping.runRow ?? 0)?.run.runId ?? null;
      if (ping.at >= since) reports.push({ at: ping.at, signal: signalOfStored(record, ping, runId) });
    }
    const oldest = found.at(-1);
    last = oldest === undefined || oldest.at < since ? null : oldest.previousId;
    if (last !== null && reports.length >= most) {
      readSince = oldest!.at;
      last = null;
    }
    yield;
  }
  return { reports, readSince };
}

function signalOfStored({ policy }: MonitorRecord, ping: StoredPing, runId: string | null): Signal {
  const { kind, at, happenedAt, attempt, durationSeconds, message } = ping;
  const reported = orElse(null, () => JSON.parse(ping.outcomes ?? "null") as Record<string, number | boolean> | null);
  return signalOf(
    {
      kind,
      runId,
      attempt,
      durationSeconds,
      message,
      ageSeconds: happenedAt === null ? null : Math.round((at - happenedAt) / SECOND),
      outcomes: reported === null ? NO_OUTCOMES : new Map(Object.entries(reported)),
    },
    expectationsOf(policy),
  );
}

/** The actions of people that affect alarms: pauses, and the closing of incidents. */
function actsSince({ store }: ViewSource, record: MonitorRecord, since: Instant): PastSignal[] {
  const rows = store.audit.ofMonitor(record, { since, before: Number.MAX_SAFE_INTEGER }, ACTS_MAX);
  return rows.flatMap(({ at, action, details }): PastSignal[] => {
    const { durationSeconds } = JSON.parse(details) as { durationSeconds?: number };
    const until = durationSeconds === undefined ? null : at + durationSeconds * SECOND;
    if (action === "monitor pause") return [{ at, signal: { kind: "pause", pause: "manual", until } }];
    if (action === "monitor resume") return [{ at, signal: { kind: "resume", pause: "manual" } }];
    return action === "incident resolve" ? [{ at, signal: { kind: "resolve" } }] : [];
  });
}
