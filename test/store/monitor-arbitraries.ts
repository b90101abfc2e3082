// Any monitor the types allow, for properties about storing one: its facts need not make sense together.

import fc from "fast-check";
import type { Cause, Incident } from "../../src/domain/monitor/incident.ts";
import type { Monitor, Watch } from "../../src/domain/monitor/monitor.ts";
import type { Run } from "../../src/domain/monitor/run.ts";
import {
  DECLARED_FIELDS,
  DECLARED_SETTINGS,
  type Declared,
  type DeclaredField,
  type ValuesInForce,
  WATCHED_FIELDS,
  type WatchedField,
} from "../../src/domain/settings/settings.ts";

const instant = fc.oneof(fc.integer({ min: 0, max: 4_102_444_800_000 }), fc.constantFrom(0, 1, 2 ** 31, 2 ** 32));
const distance = fc.integer({ min: -60_000, max: 2 ** 40 });
const count = fc.nat({ max: 2 ** 40 });
/** Whatever UTF-8 can carry: lone surrogates never get this far. */
const text = fc.string({ unit: "binary", maxLength: 40 });
const maybe = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(value, { nil: null });

const anyRun = (number: number): fc.Arbitrary<Run> =>
  fc.record<Run>({
    number: fc.constant(number),
    runId: maybe(text),
    attempt: maybe(count),
    state: fc.constantFrom("open", "ended", "unfinished", "incomplete", "unknown"),
    startedAt: maybe(instant),
    deadline: maybe(instant),
    endedAt: maybe(instant),
    endedBy: maybe(fc.constantFrom("heartbeat", "complete", "fail")),
    durationSeconds: maybe(count),
    legacy: fc.boolean(),
    usual: maybe(fc.record({ fromMs: count, toMs: count, shortestMs: count, longestMs: count, isTold: fc.boolean() })),
    verdict: maybe(fc.constantFrom("wrong", "warned", "overran")),
  });

const causes = fc
  .uniqueArray(fc.constantFrom<Cause>("missed", "failed", "unfinished", "outcome"), { minLength: 1 })
  .map((list) => list as [Cause, ...Cause[]]);

export const anyIncident: fc.Arbitrary<Incident> = fc.record<Incident>({
  number: count,
  opening: fc.constantFrom("InitialFailure", "NeverExecuted"),
  openedAt: instant,
  causes,
  troubles: count,
  message: maybe(text),
  runId: maybe(text),
  expectedAt: maybe(instant),
  failedAt: maybe(instant),
  heardAt: maybe(instant),
  failedRunBeganAt: maybe(instant),
  awaitsRun: fc.boolean(),
  missedSlots: count,
  unheardSlots: count,
  lateSlots: count,
  lateTo: maybe(instant),
  missedTo: maybe(instant),
  acknowledgedAt: maybe(instant),
  acknowledgedBy: maybe(fc.constantFrom("Ada", "Zoë")),
  remindAt: maybe(instant),
  remindersSent: count,
  closedAt: maybe(instant),
  seriesSince: maybe(instant),
  closedBy: maybe(fc.constantFrom("success", "resolved", "withdrawn", "deleted")),
});

/** By the table, so that whatever is declared and put in force is stored and loaded again. */
const recordOf = <Field extends DeclaredField>(fields: readonly Field[], of: (field: Field) => fc.Arbitrary<unknown>) =>
  Object.fromEntries(fields.map((field) => [field, of(field)]));

/** Kinds that are stored as whole numbers: there SQLite would make a number of a text such as "0". */
const NUMBERS: readonly string[] = ["seconds", "interval", "count"];

const anyValueOf = (field: DeclaredField): fc.Arbitrary<string | number> =>
  NUMBERS.includes(DECLARED_SETTINGS[field].kind) ? count : text;

function inForce(field: DeclaredField): fc.Arbitrary<unknown> {
  const { otherwise } = DECLARED_SETTINGS[field];
  return otherwise.from === "default" && otherwise.value === null ? maybe(anyValueOf(field)) : anyValueOf(field);
}

export const anyWatch = (rules: Omit<Watch, WatchedField>) =>
  fc
    .record(recordOf(WATCHED_FIELDS, inForce))
    .map((watched) => ({ ...(watched as ValuesInForce<WatchedField>), ...rules }));

export const anyDeclared = fc
  .record(recordOf(DECLARED_FIELDS, (field) => maybe(anyValueOf(field))))
  .map((declared) => declared as Declared);

/** With up to four runs, numbered from 1. */
export const anyMonitor = (watch: fc.Arbitrary<Watch>, createdAt: number): fc.Arbitrary<Monitor> =>
  fc.nat({ max: 4 }).chain((runCount) =>
    fc.record<Monitor>({
      watch,
      createdAt: fc.constant(createdAt),
      changedAt: instant,
      receivedAt: maybe(instant),
      succeededAt: maybe(instant),
      failedAt: maybe(instant),
      expectedAt: maybe(instant),
      carried: fc.array(instant, { maxLength: 3 }),
      excusedBy: maybe(instant),
      unheard: fc.boolean(),
      lastSuccess: maybe(fc.record({ afterSlotMs: distance, startAfterSlotMs: maybe(distance) })),
      misses: count,
      failures: count,
      drift: fc.oneof(
        fc.constant({ minutes: 0, reports: 0 }),
        fc.record({
          minutes: fc.integer({ min: -56, max: 56 }).map((n) => n * 15),
          reports: fc.integer({ min: 1, max: 2 ** 31 }),
        }),
      ),
      warned: fc.boolean(),
      pauses: fc.record({
        manual: maybe(fc.record({ until: maybe(instant) })),
        discovery: fc.boolean(),
        plan: fc.boolean(),
        suspension: fc.boolean(),
      }),
      pendingFail: maybe(fc.record({ message: maybe(text), runId: maybe(text), failedAt: instant, heardAt: instant })),
      runs: fc.tuple(...Array.from({ length: runCount }, (_, index) => anyRun(index + 1))),
      runCount: fc.constant(runCount),
      lastRunMs: maybe(count),
      incident: maybe(anyIncident),
      incidentCount: count,
    }),
  );

export const anyText = text;
export const anyInstant = instant;
