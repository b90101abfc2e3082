// R11 as a property: however duplicates come, in one batch or many, around kills, failed commits, throws, deletions and
// the passing of days, a ping is applied once for its monitor and key, and all who are answered get the same bytes.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { isRefusal } from "../../src/domain/errors.ts";
import { DAY, HOUR, type Instant, SECOND } from "../../src/domain/time.ts";
import type { Ping, PingAnswer } from "../../src/engine/api.ts";
import { openService, ping, type Service } from "../support/engine.ts";
import { propertyRuns } from "../support/property-runs.ts";

const RUNS = propertyRuns(60);
const MONITORS = ["one", "two"] as const;
const KINDS = ["heartbeat", "start", "complete", "fail", "log"] as const;
const SPAN = 7 * DAY;

interface Sent {
  readonly monitorKey: (typeof MONITORS)[number];
  readonly kind: (typeof KINDS)[number];
  readonly schedule: string | null;
  readonly key: string | null;
  /** Its answer cannot be made: a defect, by which nothing of it may be kept. */
  readonly throws: boolean;
}

type Step =
  | {
      readonly do: "send";
      readonly pings: readonly Sent[];
      readonly ending: "turn" | "nothing" | "kill" | "failed commit";
    }
  | { readonly do: "pass"; readonly span: number; readonly looking: boolean }
  | { readonly do: "delete"; readonly monitorKey: (typeof MONITORS)[number] }
  | { readonly do: "restart" };

/**
 * What came of the pings so far: by the number of each, what it was answered, and how often each monitor was applied
 * to.
 */
interface Outcome {
  readonly answers: (string | undefined)[];
  readonly applied: Readonly<Record<string, number | undefined>>;
}

/** Everything that happened in some case, so that a generator which reaches too little is found out. */
const seen = new Set<string>();

/** R11 in a few lines, in memory. */
function createModel() {
  const answers: (string | undefined)[] = [];
  const monitors = new Map<string, { applied: number; readonly kept: Map<string, { text: string; at: Instant }> }>();

  function answer({ monitorKey, kind, schedule, key, throws }: Sent, number: number, at: Instant): string {
    const known = monitors.get(monitorKey);
    const kept = key === null ? undefined : known?.kept.get(key);
    if (kept !== undefined && at - kept.at <= SPAN) return seenAs("a repeat", kept.text);
    if (known === undefined && (schedule === null || kind === "log")) return seenAs("a refusal", "MONITOR_NOT_FOUND");
    if (key !== null && throws) return seenAs("a throw", "INTERNAL_ERROR");
    const monitor = known ?? { applied: 0, kept: new Map() };
    monitors.set(monitorKey, monitor);
    monitor.applied += 1;
    if (key === null) return "a receipt";
    if (kept !== undefined) seen.add("an answer forgotten");
    const text = `answer ${number}`;
    monitor.kept.set(key, { text, at });
    return text;
  }

  return {
    answers,
    take: (sent: Sent, number: number, at: Instant) => {
      answers[number] = answer(sent, number, at);
    },
    remove: (monitorKey: string) => {
      if ((monitors.get(monitorKey)?.kept.size ?? 0) > 0) seen.add("a deletion of answers");
      monitors.delete(monitorKey);
    },
    applied: () => Object.fromEntries(MONITORS.map((key) => [key, monitors.get(key)?.applied])),
  };
}

function seenAs(what: string, answer: string): string {
  seen.add(what);
  return answer;
}

function toPing({ monitorKey, kind, schedule, key, throws }: Sent, number: number): Ping {
  const textOf = () => {
    if (throws) throw new Error("a defect");
    return `answer ${number}`;
  };
  return ping({ monitorKey, kind, schedule, idempotency: key === null ? null : { key, textOf } });
}

function toText(answer: PingAnswer): string {
  if (isRefusal(answer)) return answer.refusal;
  return "text" in answer ? answer.text : "a receipt";
}

async function play(steps: readonly Step[]): Promise<readonly [Outcome, Outcome]> {
  using service = openService();
  const model = createModel();
  const answers: (string | undefined)[] = [];
  let waiting: (() => void)[] = [];
  let count = 0;

  function commit(): void {
    for (const take of waiting.splice(0)) take();
  }

  function send(sent: Sent): void {
    const number = count++;
    const at = service.now;
    answers[number] = undefined;
    model.answers[number] = undefined;
    waiting.push(() => model.take(sent, number, at));
    void service.engine.intake.ingest(toPing(sent, number)).then((answer) => {
      answers[number] = toText(answer);
    });
  }

  function end(ending: Extract<Step, { do: "send" }>["ending"]): void {
    switch (ending) {
      case "turn":
        service.endTurn();
        return commit();
      case "nothing":
        return;
      case "kill":
        waiting = [];
        return service.restart();
      case "failed commit": {
        for (let number = count - waiting.length; number < count; number++)
          model.answers[number] = "STORAGE_UNAVAILABLE";
        waiting = [];
        const other = service.connect();
        other.run("BEGIN IMMEDIATE");
        service.endTurn();
        other.run("ROLLBACK");
        return;
      }
      default:
        ending satisfies never;
    }
  }

  function take(step: Step): void {
    switch (step.do) {
      case "send":
        for (const sent of step.pings) send(sent);
        return end(step.ending);
      case "pass":
        commit();
        service.endTurns();
        if (step.looking) return service.look(service.now + step.span);
        return service.at(service.now + step.span);
      case "delete":
        commit();
        service.engine.operate("monitor delete", { application: "prod", key: step.monitorKey });
        return model.remove(step.monitorKey);
      case "restart":
        commit();
        service.endTurns();
        return service.restart();
      default:
        step satisfies never;
    }
  }

  for (const step of steps) {
    seen.add(step.do === "send" ? step.ending : step.do);
    take(step);
    // Who is answered is told in a microtask, before the process could be gone.
    await Promise.resolve();
  }
  take({ do: "restart" });
  await Promise.resolve();
  return [
    { answers, applied: appliedIn(service) },
    { answers: model.answers, applied: model.applied() },
  ];
}

/** How many reports each monitor has taken. */
function appliedIn({ store }: Service): Record<string, number | undefined> {
  store.states.writeBehindAll();
  const rows = store.database
    .query<{ key: string; applied: number }, []>(
      `select key, ping_count as applied from monitors join monitor_states on monitor_id = monitors.id
       where deleted_at is null`,
    )
    .all();
  return Object.fromEntries(MONITORS.map((name) => [name, rows.find(({ key }) => key === name)?.applied]));
}

const anySent: fc.Arbitrary<Sent> = fc.record({
  monitorKey: fc.constantFrom(...MONITORS),
  kind: fc.constantFrom(...KINDS),
  // Later than any slot of a case.
  schedule: fc.constantFrom(null, "0 0 29 2 *"),
  key: fc.constantFrom("a", "b", "c", null),
  throws: fc.oneof({ weight: 12, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("send"),
      pings: fc.array(anySent, { minLength: 1, maxLength: 5 }),
      ending: fc.constantFrom("turn", "turn", "turn", "nothing", "kill", "failed commit"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("pass"),
      span: fc.constantFrom(SECOND, HOUR, 3 * DAY, SPAN - 1, SPAN, SPAN + 1),
      looking: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete"), monitorKey: fc.constantFrom(...MONITORS) }) },
  { weight: 1, arbitrary: fc.constant({ do: "restart" }) },
);

test(
  "R11: duplicates in any interleaving are applied once and answered alike",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 30, size: "max" }), async (steps) => {
        const [found, expected] = await play(steps);
        expect(found).toEqual(expected);
      }),
      RUNS,
    );
  },
  RUNS.numRuns * 3_000,
);

test("and everything that can befall a duplicate befell some meanwhile", () => {
  const ends = ["turn", "nothing", "kill", "failed commit", "pass", "delete", "restart"];
  const answers = ["a repeat", "a refusal", "a throw", "an answer forgotten", "a deletion of answers"];
  expect([...seen]).toEqual(expect.arrayContaining([...ends, ...answers]));
});
