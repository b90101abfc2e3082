// The engine against the domain alone: whatever reports, looks, kills and words of an operator come, in whatever turns,
// the engine tells and knows what `transition` says of the same signals in memory, where no run is ever left unloaded.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Incident } from "../../src/domain/monitor/incident.ts";
import { type Monitor, newMonitor } from "../../src/domain/monitor/monitor.ts";
import { CHECKS_PASSED } from "../../src/domain/monitor/reported-outcomes.ts";
import type { Run } from "../../src/domain/monitor/run.ts";
import { type Signal, transitions } from "../../src/domain/monitor/transition.ts";
import { byTheClock } from "../../src/domain/monitor/wrong-clock.ts";
import { monitorPolicy, type Policy, watchOf } from "../../src/domain/settings/policy.ts";
import { HOUR, type Instant, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import type { Ping } from "../../src/engine/api.ts";
import { INCIDENTS } from "../support/destinations.ts";
import {
  NOON,
  type NotifiedAlert,
  openService,
  type PingChanges,
  ping,
  policyWith,
  type Service,
} from "../support/engine.ts";
import { propertyRuns } from "../support/property-runs.ts";

const RUNS = propertyRuns(40);
const KEYS = ["strict", "tolerant", "configured"] as const;
/** To a webhook, which hears each edge, and to a pager, which hears of acknowledgements too. */
const POLICY = policyWith({
  team: { name: null, destinations: ["hook", "pager"], members: [] },
  destinations: new Map([
    ["hook", { takes: "events" }],
    ["pager", INCIDENTS],
  ]),
  monitors: { tolerant: { alertAfterMisses: 2, alertAfterFailures: 2 }, configured: { schedule: "*/10 * * * *" } },
});

type Step =
  | { readonly do: "report"; readonly pings: readonly Ping[]; readonly after: "turn" | "nothing" | "kill" }
  | { readonly do: "tick" | "turn" | "restart" }
  | { readonly do: "look" | "wait"; readonly in: number }
  | { readonly do: "operate"; readonly key: string; readonly signal: (now: Instant) => Signal };

/** What the domain alone makes of the same signals, all monitors in memory with every run they ever had. */
function model(policy: Policy) {
  const monitors = new Map<string, Monitor>();
  /** The closed incidents of each, newest first. */
  const closed = new Map<string, readonly Incident[]>();
  const told: NotifiedAlert[] = [];

  function apply(key: string, signals: readonly [Signal, ...Signal[]], now: Instant): void {
    const before = monitors.get(key);
    if (before === undefined) return;
    const former = closed.get(key) ?? [];
    const decided = transitions(before, signals, now, [], { former, askedForQuietAt: null });
    const { monitor, alerts } = now < before.changedAt ? byTheClock(decided, before, now) : decided;
    monitors.set(key, monitor);
    const ended = alerts.flatMap(({ kind, incident }) => (kind === "Recovered" ? incident : []));
    closed.set(key, [...ended.toReversed(), ...former]);
    for (const { kind, reason, cause, at, incident } of alerts) {
      const isReminder = reason === "reminder" || reason === "last_reminder";
      const opening = alerts.find((one) => one.reason === "opened" && one.at === at);
      // Who is told that the job failed again is not reminded in the same moment.
      if (isReminder && incident.seriesSince !== null && opening !== undefined) continue;
      told.push({ monitor: key, kind, reason, cause, at: toIso(Math.min(at, now)) });
    }
  }

  function report({ monitorKey, kind, said, ...mark }: Ping, now: Instant): void {
    const { schedule } = said;
    const watch = watchOf(monitorPolicy(policy, "prod", monitorKey, said));
    const known = monitors.get(monitorKey);
    if (known === undefined && kind !== "log" && schedule !== null) monitors.set(monitorKey, newMonitor(watch, now));
    if (kind === "log") return apply(monitorKey, [{ kind: "wake" }], now);
    const checks = CHECKS_PASSED;
    const heard: Signal = kind === "heartbeat" || kind === "complete" ? { kind, checks, ...mark } : { kind, ...mark };
    const isDeclared = known !== undefined && schedule !== null;
    apply(monitorKey, isDeclared ? [{ kind: "declare", watch }, heard] : [heard], now);
  }

  return {
    monitors,
    told,
    apply,
    report,
    look: (now: Instant) => {
      for (const key of monitors.keys()) apply(key, [{ kind: "wake" }], now);
    },
    start: (now: Instant) => {
      for (const key of policy.applications.get("prod")!.monitors.keys()) {
        const watch = watchOf(monitorPolicy(policy, "prod", key));
        if (watch.schedule !== null) monitors.set(key, newMonitor(watch, now));
      }
    },
  };
}

/** A schedule comes with all that may be declared beside it, so that what is in force follows from the last of them. */
const anyDeclaration = fc
  .record({
    schedule: fc.constantFrom("* * * * *", "*/5 * * * *", "0 * * * *", "30 12,14 * * *"),
    graceSeconds: fc.constantFrom(60, 90, 600),
    maxRuntimeSeconds: fc.constantFrom(60, 300, 7_200),
  })
  .map((declared): PingChanges => declared);

const anyPing: fc.Arbitrary<Ping> = fc
  .record({
    monitorKey: fc.constantFrom(...KEYS),
    kind: fc.constantFrom("heartbeat", "start", "complete", "fail", "start", "complete", "log"),
    runId: fc.constantFrom(null, null, "a", "b", "c"),
    attempt: fc.constantFrom(null, 0, 1),
    message: fc.constantFrom(null, "disk full"),
    declaration: fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: anyDeclaration }),
  })
  .map(({ declaration, ...facts }) => ping({ ...facts, ...declaration }));

const SIGNALS: readonly ((now: Instant) => Signal)[] = [
  (now) => ({ kind: "pause", pause: "manual", until: now + 20 * MINUTE }),
  () => ({ kind: "pause", pause: "manual", until: null }),
  () => ({ kind: "resume", pause: "manual" }),
  () => ({ kind: "acknowledge", by: "Ada" }),
  () => ({ kind: "unacknowledge" }),
  () => ({ kind: "resolve" }),
  () => ({ kind: "withdraw" }),
  () => ({ kind: "resume", pause: "discovery" }),
];

const anyReport = (after: fc.Arbitrary<"turn" | "nothing" | "kill">): fc.Arbitrary<Step> =>
  fc.record({ do: fc.constant("report"), pings: fc.array(anyPing, { minLength: 1, maxLength: 4 }), after });

const anyOperation: fc.Arbitrary<Step> = fc.record({
  do: fc.constant("operate"),
  key: fc.constantFrom(...KEYS),
  signal: fc.constantFrom(...SIGNALS),
});

/** Time passes, and nobody looks at the clock in half of the cases: then the next report is late. */
const passing = (span: fc.Arbitrary<number>): fc.Arbitrary<Step> =>
  fc.record({ do: fc.constantFrom("look", "wait"), in: span });

const FIRST: Step = {
  do: "report",
  pings: ["strict", "tolerant"].map((monitorKey) =>
    ping({ monitorKey, schedule: "*/5 * * * *", graceSeconds: 60, maxRuntimeSeconds: 300 }),
  ),
  after: "turn",
};

/** Every kind, cause and reason that was told, so that a generator which reaches too little is found out. */
const seen = new Set<string>();

/** Plays the steps on both and compares all that was told, and all that is known at the end. */
function compare(steps: readonly Step[], monotonic?: () => number): void {
  using service = openService(POLICY, NOON, monotonic);
  const expected = model(POLICY);
  expected.start(service.now);
  for (const step of [FIRST, ...steps]) play(step, service, expected);
  play({ do: "look", in: 90 * MINUTE - (service.now % SECOND) }, service, expected);

  const told = service.notified();
  for (const { kind, cause, reason } of told) for (const word of [kind, cause, reason]) seen.add(word);
  for (const key of KEYS) {
    const about = ({ monitor }: NotifiedAlert): boolean => monitor === key;
    expect(told.filter(about)).toEqual(expected.told.filter(about));
    const { runs, ...monitor } = expected.monitors.get(key)!;
    const { runs: _, ...stored } = service.monitor(key);
    expect(stored).toEqual(monitor);
    expect(storedRuns(service, key)).toEqual(runs.toSorted((a, b) => a.number - b.number));
  }
}

function play(step: Step, service: Service, expected: ReturnType<typeof model>): void {
  switch (step.do) {
    case "report":
      // What waits together is lost together.
      if (step.after === "kill") service.endTurns();
      for (const each of step.pings) void service.engine.intake.ingest(each);
      if (step.after === "kill") return service.restart();
      for (const each of step.pings) expected.report(each, service.now);
      if (step.after === "turn") service.endTurn();
      return;
    case "look":
      // A look that is under way is brought to its end first: the next one would wait for the next tick.
      service.endTurns();
      service.look(service.now + step.in);
      return expected.look(service.now);
    case "wait":
      return service.at(service.now + step.in);
    case "tick":
      return service.engine.tick();
    case "turn":
      return void service.endTurn();
    case "restart":
      service.endTurns();
      return service.restart();
    case "operate":
      service.endTurns();
      service.apply(step.key, step.signal(service.now));
      expected.apply(step.key, [step.signal(service.now)], service.now);
      return service.restart();
    default:
      step satisfies never;
  }
}

function storedRuns({ store }: Service, key: string): Run[] {
  const rows = store.database
    .query<Omit<Run, "legacy"> & { legacy: 0 | 1 }, [string]>(
      `select number, run_id as runId, attempt, state, started_at as startedAt, deadline, ended_at as endedAt,
         ended_by as endedBy, duration_seconds as durationSeconds, legacy, usual, verdict
       from runs where monitor_id = (select id from monitors where key = ?) order by number`,
    )
    .all(key);
  return rows.map((row) => ({ ...row, legacy: row.legacy === 1 }));
}

test(
  "kills, turns and looks in any order change neither what is told nor what is known",
  () => {
    const span = fc.oneof(fc.integer({ min: 0, max: 2 * MINUTE }), fc.integer({ min: 0, max: 3 * HOUR }));
    const anyStep = fc.oneof(
      { weight: 6, arbitrary: anyReport(fc.constantFrom("turn", "turn", "turn", "nothing", "kill")) },
      { weight: 5, arbitrary: passing(span) },
      { weight: 2, arbitrary: fc.constantFrom<Step>({ do: "tick" }, { do: "turn" }) },
      { weight: 1, arbitrary: fc.constant<Step>({ do: "restart" }) },
      { weight: 1, arbitrary: anyOperation },
    );
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40, size: "max" }), (steps) => compare(steps)),
      RUNS,
    );
  },
  RUNS.numRuns * 3_000,
);

test("and everything that can be told was told meanwhile", () => {
  const kinds = ["NeverExecuted", "InitialFailure", "ContinuedFailure", "Recovered"];
  const reasons = ["opened", "new_cause", "reminder", "success"];
  expect([...seen]).toEqual(expect.arrayContaining([...kinds, "missed", "failed", "unfinished", ...reasons]));
});

test(
  "a clock that jumps back and forth is followed alike",
  () => {
    const span = fc.integer({ min: -3_600, max: 3_600 }).map((seconds) => seconds * SECOND);
    const anyStep = fc.oneof(
      { weight: 3, arbitrary: anyReport(fc.constant("turn")) },
      { weight: 3, arbitrary: passing(span) },
      { weight: 1, arbitrary: fc.constant<Step>({ do: "restart" }) },
    );
    // No time passes by the other clock, so that nothing is ever pulled back for having lain in the future too long
    // (R26).
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40, size: "max" }), (steps) => compare(steps, () => 0)),
      RUNS,
    );
  },
  RUNS.numRuns * 3_000,
);
