// The answer of `rollcall why`: how a job stood at an instant, the steps that led there, and who was told. It repeats
// what the timeline, the incidents and the routes of alerts say.

import { isRefusal, type Refusal } from "../domain/errors.ts";
import type { InPieces } from "../domain/in-pieces.ts";
import { statusOf } from "../domain/monitor/monitor.ts";
import { readPlannedTime } from "../domain/schedule/planned.ts";
import type { Instant } from "../domain/time.ts";
import { causesInWords } from "../domain/wording/causes.ts";
import { wordedAt } from "../domain/wording/now.ts";
import { wasInWords } from "../domain/wording/results.ts";
import type { MonitorRecord } from "./completed-monitors.ts";
import { findMonitor, type MonitorName } from "./find-named.ts";
import { sentencesNow } from "./jobs-now.ts";
import { monitorSummary } from "./monitor-summaries.ts";
import type { Why } from "./schemas/why-schemas.ts";
import { factsAt, type WhyContext, type WhyFacts } from "./why-facts.ts";
import { stepsOf } from "./why-steps.ts";

export function whyOf(
  context: WhyContext,
  { at: given, ...name }: MonitorName & { readonly at: string | null },
  now: Instant,
): InPieces<Why> | Refusal {
  const record = findMonitor(context, name);
  if (isRefusal(record)) return record;
  const at = given === null ? now : readPlannedTime("at", given, record.monitor.watch.timezone);
  if (isRefusal(at)) return at;
  return readWhy(context, record, typeof at === "number" ? at : at.first, now);
}

function* readWhy(context: WhyContext, record: MonitorRecord, at: Instant, now: Instant): InPieces<Why> {
  const facts = yield* factsAt(context, record, at, now);
  yield;
  const { outline, incident, result, unknown } = facts;
  const { application, key, name, timezone } = monitorSummary(context.policy, outline, now);
  const says = at === now ? sentencesNow(context, [outline.id], now).get(outline.id) : null;
  return {
    application,
    key,
    name,
    timezone,
    at,
    status: at === now ? statusOf(outline, now) : null,
    outcome: unknown === null ? result : null,
    incidentId: incident?.id ?? null,
    now: [...(says ?? wordedAt(unknown ?? stoodAs(facts), now, timezone))],
    steps: stepsOf(context, facts)
      .toSorted((one, other) => one.at - other.at)
      .map((step) => ({ at: step.at, says: step.says.map((line) => wordedAt(line, now, timezone)) })),
  };
}

function stoodAs({ incident, maintenance, isPaused, result, at }: WhyFacts): string[] {
  if (incident !== null && incident.openedAt <= at) return [`was in trouble: ${causesInWords(incident.causes)}`];
  if (maintenance.some(({ to }) => to > at)) return [wasInWords("maintenance")];
  if (isPaused) return [wasInWords("paused")];
  // `paused` means here that the last slot lay in a pause; that pause was over at `at`.
  return [wasInWords(result === "paused" ? "quiet" : result)];
}
