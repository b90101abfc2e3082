// Makes the steps of `rollcall why`, each with its time: what was due, what came, and who was told what.

import { EARLY_MAX } from "../domain/limits.ts";
import { intervalOfRhythm } from "../domain/schedule/rhythm.ts";
import { routedAddresses } from "../domain/settings/alert-routes.ts";
import type { MemberEvent, Route } from "../domain/settings/policy.ts";
import { cleanLine } from "../domain/text.ts";
import { type Instant, SECOND } from "../domain/time.ts";
import { causesInWords } from "../domain/wording/causes.ts";
import { leftOutInWords } from "../domain/wording/hearing-words.ts";
import { addressInWords } from "../domain/wording/job-names.ts";
import { RESULTS, resultInWords } from "../domain/wording/results.ts";
import { byPerson } from "../domain/wording/since-words.ts";
import { counted, intervalInWords } from "../domain/wording/spoken-time.ts";
import type { UnwordedPart } from "../domain/wording/types.ts";
import { ownOutageInWords } from "../domain/wording/unheard.ts";
import { pastActsOf } from "./acts.ts";
import { notifiedOf } from "./notified.ts";
import { refusedOf } from "./received.ts";
import { toldParts } from "./rows/delivery-rows.ts";
import type { IncidentSummary, Notified } from "./schemas/incident-schemas.ts";
import { capitalizedPart, NOT_NOTIFIED, storyActedInWords, storyEndInWords } from "./story.ts";
import type { TimelineEntry, TimelineRun } from "./timeline.ts";
import type { ViewSource } from "./view-source.ts";
import { emptySlot, type WhyFacts } from "./why-facts.ts";

interface WhyStep {
  readonly at: Instant;
  readonly says: readonly (readonly UnwordedPart[])[];
}

const step = (at: Instant, ...says: UnwordedPart[]): WhyStep => ({ at, says: [says.map(capitalizedPart)] });

const stepIf = (at: Instant | null, words: string | undefined): WhyStep[] =>
  at === null || words === undefined ? [] : [step(at, words)];

const when = (at: Instant): UnwordedPart => ({ at, as: "when" });

/** At most this many runs, gaps and refused reports are shown, the newest of each. */
const SHOWN = 5;

export function stepsOf(context: ViewSource, facts: WhyFacts): WhyStep[] {
  const { record, entry, incident, next, at, now, unknown, runs } = facts;
  const { createdAt } = record.monitor;
  if (at < createdAt) return [step(createdAt, "made")];
  const ahead = facts.isEarlier
    ? [
        step(
          record.updatedAt,
          "its settings changed: rollcall keeps no earlier schedules, so it cannot say what was due",
        ),
      ]
    : stepIf(next, (next ?? now) > now ? "next due" : "the next was due");
  if (unknown !== null) return ahead;
  const opening = incident?.expectedAt ?? null;
  const interval = intervalOfRhythm(record.monitor.watch) ?? 0;
  const earliest = Math.min(opening ?? at, entry?.run?.from ?? at, (entry?.at ?? at) - interval) - EARLY_MAX;
  const since = Math.max(earliest, record.monitor.createdAt);
  return [
    ...(opening === null || opening === entry?.at
      ? []
      : incident!.openedAt < record.updatedAt
        ? [step(opening, "due")]
        : slotSteps(facts, emptySlot(opening, "missed"))),
    ...(entry === null ? [] : slotSteps(facts, entry)),
    ...runs
      .filter(({ from, to }) => to >= since && (from ?? to) <= at)
      .slice(-SHOWN)
      .flatMap((run) => runSteps(run, entry)),
    ...unheardSteps(context, facts, since),
    ...pauseSteps(context, facts, since),
    ...(facts.over === null ? [] : incidentSteps(context, facts, facts.over)),
    ...(incident === null ? toleratedSteps(facts) : incidentSteps(context, facts, incident)),
    ...ahead,
  ];
}

function slotSteps({ record, delay, at, now }: WhyFacts, { at: slot, result, slot: filled }: TimelineEntry): WhyStep[] {
  if (filled === null) return [];
  const { watch, misses, incident } = record.monitor;
  const { everySeconds, graceSeconds, alertAfterMisses } = watch;
  const due =
    everySeconds === null ? "due" : `due at the latest: it must report at least ${intervalInWords(everySeconds)}`;
  if (result === "paused" || result === "maintenance") return [step(slot, `${due}, but ${RESULTS[result].says}`)];
  if (filled.reportAt !== null && result !== "missed") return [step(slot, due)];
  const closes = slot + delay;
  const grace = step(slot + graceSeconds * SECOND, "its grace ends");
  if (closes <= now || filled.reportAt !== null) return [step(slot, due), grace, step(closes, RESULTS[result].says)];
  const follows =
    misses + 1 < alertAfterMisses
      ? `that is ${misses + 1} of ${alertAfterMisses} misses before it alarms`
      : "an incident opens";
  const then = incident === null ? [step(closes, `if nothing comes by then, ${follows}`)] : [];
  return [step(slot, due), grace, step(at, "nothing has come yet"), ...then];
}

function runSteps({ from, to, result }: TimelineRun, entry: TimelineEntry | null): WhyStep[] {
  const isEarly = entry !== null && entry.run?.to === to && (from ?? to) < entry.at;
  const early = isEarly ? ", early for the time that was due" : "";
  const began = step(from ?? to, `started${early}`);
  if (result === "running") return [began];
  if (from === null || from === to) return [step(to, `${resultInWords(result, null)}${early}`)];
  return [began, step(to, resultInWords(result, to - from))];
}

/** The steps for gaps and for refused reports. */
const unheardSteps = (context: ViewSource, { record, gaps, at }: WhyFacts, since: Instant): WhyStep[] => [
  ...gaps
    .filter(({ from, to }) => to >= since && from <= at)
    .slice(-SHOWN)
    .map((gap) => step(gap.from, `${ownOutageInWords(gap)}, until `, when(gap.to))),
  ...refusedOf(context, record)
    .filter((refused) => refused.at >= since && refused.at <= at)
    .slice(0, SHOWN)
    .map((refused) => step(refused.at, `a report was refused: ${refused.reason}`)),
];

/** How many of the monitor's newest audit rows are read to find pauses and resumes. Older ones do not matter. */
const ACTIONS_READ = 50;

const PAUSING: ReadonlySet<string> = new Set(["monitor pause", "monitor resume"]);

/** The steps for pauses: what people did by hand, the maintenance, and why the job is paused now. */
function pauseSteps(context: ViewSource, facts: WhyFacts, since: Instant): WhyStep[] {
  const { record, outline, maintenance, at, now } = facts;
  const asked = { since: Math.min(since, outline.pauseAsked?.at ?? since), before: at + 1 };
  const acts = pastActsOf(context, record, asked, ACTIONS_READ)
    .filter(({ action }) => PAUSING.has(action))
    .map((act) => step(act.at, storyActedInWords(act)));
  const windows = maintenance.map(({ from, to, reason, by }) => {
    const whose = reason === null ? "set by the configuration" : `planned${byPerson(by) || " by command"}: ${reason}`;
    return step(from, "in maintenance until ", when(to), `, ${whose}`);
  });
  const { discovery, suspension } = outline.pauses;
  if (at !== now) return [...acts, ...windows];
  const { store } = context;
  const source = store.registries.declaration(record.id)?.source ?? "its source";
  const suspendedAt = store.applications.byId(record.applicationId)?.suspendedAt ?? now;
  return [
    ...acts,
    ...windows,
    ...pauseEnds(facts),
    ...(suspension ? [step(suspendedAt, `application ${record.application} was suspended`)] : []),
    ...(discovery ? [step(now, `withdrawn: ${source} no longer names it`)] : []),
  ];
}

/** The step that tells when a manual pause ends; a fail during the pause is told then (R24). */
function pauseEnds({ record: { monitor }, now }: WhyFacts): WhyStep[] {
  const { manual, suspension } = monitor.pauses;
  if (manual === null || suspension) return [];
  const [at, end] = manual.until === null ? [now, "when it is resumed"] : [manual.until, "then, when the pause ends"];
  const isAlarm = monitor.pendingFail !== null && monitor.failures >= monitor.watch.alertAfterFailures;
  return [step(at, isAlarm ? `the failure is told ${end}, unless a success comes first` : `a failure is told ${end}`)];
}

const TOLERATED = { misses: "alertAfterMisses", failures: "alertAfterFailures" } as const;

/** The steps for misses and failures that are tolerated so far, so that nothing is told yet (R41). */
const toleratedSteps = ({ record: { monitor }, at, now }: WhyFacts): WhyStep[] =>
  (["misses", "failures"] as const)
    .filter((what) => at === now && monitor[what] > 0 && monitor[what] < monitor.watch[TOLERATED[what]])
    .map((what) =>
      step(now, `${monitor[what]} of ${monitor.watch[TOLERATED[what]]} ${what} in a row before it alarms`),
    );

const MESSAGE_SHOWN = 120;

function incidentSteps(context: ViewSource, facts: WhyFacts, incident: IncidentSummary): WhyStep[] {
  const { id, openedAt, causes, message, acknowledgedAt, acknowledgedBy, remindAt, closedAt } = incident;
  const notified = (notifiedOf(context, [id]).get(id) ?? []).filter(({ kind }) => kind !== "Acknowledged");
  const quote = message === null ? "" : `: ${cleanLine(message, MESSAGE_SHOWN)}`;
  const between = Math.max(0, notified.length - 2);
  return [
    step(openedAt, `incident ${id} opened: ${causesInWords(causes)}${quote}`),
    ...stepIf(closedAt, `incident ${id} ended: ${storyEndInWords(incident)}`),
    ...notified.toSpliced(1, between).map((each, place) => toldStep(facts, each, place === 0 ? 0 : between)),
    ...stepIf(acknowledgedAt, `acknowledged${byPerson(acknowledgedBy)}: no more reminders`),
    ...stepIf(closedAt === null ? remindAt : null, "next reminder"),
  ];
}

/**
 * The step for a message: what became of it, and who was left out (R38). `skipped` is the number of earlier messages
 * that are not shown.
 */
function toldStep({ record, now }: WhyFacts, message: Notified, skipped: number): WhyStep {
  const { at, state, deliveries } = message;
  const event = message.kind as MemberEvent;
  const addresses = routedAddresses(record.policy, event, at);
  const goesTo = new Set(addresses.flatMap((one) => (one.leftOut === "elsewhere" ? [] : [one.destination])));
  const mailboxOf = ({ recipient, destination }: Route): string => recipient ?? destination;
  const reached = new Set(deliveries.map(mailboxOf));
  /** A receiver whom another destination reached is not listed as left out. */
  const leftOut = addresses.filter((one) => one.leftOut !== null && !reached.has(mailboxOf(one)));
  const byReason = Map.groupBy(leftOut, (one) => leftOutInWords(record.policy, one, event, goesTo));
  return {
    at,
    says: [
      [`Message: ${state}${skipped === 0 ? "" : `, after ${counted(skipped, "more message")}`}`],
      ...deliveries.map((delivery) => toldParts(delivery, now, "when")),
      ...(deliveries.length === 0 ? [[NOT_NOTIFIED]] : []),
      ...[...byReason].map(([why, left]) => [`not told: ${[...new Set(left.map(addressInWords))].join(", ")}${why}`]),
    ],
  };
}
