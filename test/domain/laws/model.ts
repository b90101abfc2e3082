// The core against the naive model: random whole seconds of heartbeats, fails, runs, pauses and maintenance, and
// everything that both tell of it but reminders. No other law knows how many slots were missed: without it the mutants
// missed-so-far-as-of-the-opening, maintenance-forgets-missed-slots and maintenance-counts-its-first-slot survive.

import { expect } from "bun:test";
import fc from "fast-check";
import { newMonitor, type Watch } from "../../../src/domain/monitor/monitor.ts";
import { type Signal, transitions } from "../../../src/domain/monitor/transition.ts";
import { type NaiveAlert, type NaiveEvent, type NaiveWatch, naiveAlerts } from "./naive-model.ts";

const BEGINNING = Date.parse("2026-03-02T10:00:00Z");
const END = 4 * 3600;

const MINUTES = [
  Array.from({ length: 60 }, (_, minute) => minute),
  [0, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55],
  [0, 15, 30, 45],
  [7, 22, 52],
  [0],
];

/** Some begin as a slot closes or at a deadline. */
const WINDOWS = [
  { minutes: [1, 16, 46], second: 5, lasts: 300 },
  { minutes: [6, 31], second: 5, lasts: 60 },
  { minutes: [5, 50], second: 0, lasts: 2400 },
  { minutes: [0], second: 0, lasts: 1200 },
];

/** In seconds: shorter than a grace, as long as one, and longer than windows. */
const INTERVALS = [10, 30, 60, 90, 300, 600, 900, 3_600, 5_400];

const anyWatchOf = (everySeconds: fc.Arbitrary<number | null>): fc.Arbitrary<NaiveWatch> =>
  fc.record({
    minutes: fc.constantFrom(...MINUTES),
    everySeconds,
    graceSeconds: fc.constantFrom(60, 60, 90, 300, 900, 3600),
    maxRuntimeSeconds: fc.constantFrom(null, null, null, 60, 65, 300, 3600, 5400),
    alertAfterMisses: fc.constantFrom(1, 1, 2, 3),
    alertAfterFailures: fc.constantFrom(1, 1, 2),
    maintenance: fc.constantFrom(null, null, null, ...WINDOWS),
  });

/** Half of the seconds lie beside a slot, a close or a deadline after a round minute. */
const anySecond = fc.oneof(
  fc.integer({ min: 0, max: END }),
  fc
    .tuple(fc.integer({ min: 0, max: END / 300 }), fc.constantFrom(-61, -60, -7, -6, -1, 0, 1, 64, 65, 95, 305, 905))
    .map(([five, beside]) => Math.min(END, Math.max(0, five * 300 + beside))),
);

const anyEvents: fc.Arbitrary<NaiveEvent[]> = fc
  .array(
    fc.record({
      at: anySecond,
      does: fc.constantFrom("heartbeat", "heartbeat", "start", "start", "complete", "fail", "pause", "resume"),
      runId: fc.constantFrom("a", "b"),
      attempt: fc.constantFrom(null, null, 0, 1),
      until: fc.option(anySecond),
      graceSeconds: fc.constantFrom(null, null, null, 60, 300, 3600),
    }),
    { maxLength: 30, size: "max" },
  )
  .map((events) => events.toSorted((a, b) => a.at - b.at));

/** Both tell the same, at the same seconds, with the same number of missed slots. */
const agreesOn = (everySeconds: fc.Arbitrary<number | null>) =>
  fc.property(anyWatchOf(everySeconds), anyEvents, (watch, given) => {
    // A start fills no slot of an interval, so slots that its shorter grace has closed are counted all at once.
    const events = given.map((event) =>
      watch.everySeconds !== null && event.does === "start" ? { ...event, graceSeconds: null } : event,
    );
    expect(alertsByCore(watch, events)).toEqual(naiveAlerts(watch, events, END));
  });

export const agreesWithNaiveModel = agreesOn(fc.constant(null));

/** The same where the job must report at least every so often (R44). */
export const agreesAtIntervals = agreesOn(fc.constantFrom(...INTERVALS));

function alertsByCore(naive: NaiveWatch, events: readonly NaiveEvent[]): NaiveAlert[] {
  const watch: Watch = {
    ...naive,
    schedule: naive.everySeconds === null ? `${naive.minutes.join(",")} * * * *` : null,
    timezone: "UTC",
    reminders: { after: [], every: 3_600_000, max: 0 },
    maintenance: windowsOf(naive),
  };
  let monitor = newMonitor(watch, BEGINNING);
  const told: NaiveAlert[] = [];
  const look = (second: number, ...signals: [Signal, ...Signal[]]): void => {
    const decision = transitions(monitor, signals, BEGINNING + second * 1000, []);
    monitor = decision.monitor;
    for (const { kind, reason, at, cause, missedSlots: soFar } of decision.alerts) {
      const missedSlots = reason === "opened" ? 0 : soFar;
      const name = kind === "Recovered" ? "recovered" : (reason as NaiveAlert["told"]);
      told.push({ told: name, at: (at - BEGINNING) / 1000, cause, missedSlots });
    }
  };
  for (const event of events) {
    const { at, does, graceSeconds } = event;
    if (graceSeconds === null || does === "pause" || does === "resume") look(at, signalOf(event));
    else look(at, { kind: "declare", watch: { ...monitor.watch, graceSeconds } }, signalOf(event));
  }
  look(END, { kind: "wake" });
  return told;
}

function windowsOf({ maintenance }: NaiveWatch): Watch["maintenance"] {
  if (maintenance === null) return [];
  const { minutes, second, lasts } = maintenance;
  return [{ schedule: `${second} ${minutes.join(",")} * * * *`, timezone: null, durationSeconds: lasts }];
}

function signalOf({ does, runId, attempt, until }: NaiveEvent): Signal {
  const checks = { verdict: "passed" } as const;
  switch (does) {
    case "heartbeat":
      return { kind: "heartbeat", runId: null, attempt: null, checks };
    case "complete":
      return { kind: "complete", runId, attempt: null, checks };
    case "start":
      return { kind: "start", runId, attempt };
    case "fail":
      return { kind: "fail", runId, attempt: null, message: null };
    case "pause":
      return { kind: "pause", pause: "manual", until: until === null ? null : BEGINNING + until * 1000 };
    case "resume":
      return { kind: "resume", pause: "manual" };
    default:
      return does satisfies never;
  }
}
