// R27 on the real engine: what a completion reports against what is expected of it, what opens and closes by it, what
// is told, answered and kept.

import { describe, expect, test } from "bun:test";
import type { AlertData } from "../../src/domain/message/alert.ts";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { statusOf } from "../../src/domain/monitor/monitor.ts";
import type { Expectation, OutcomeValue } from "../../src/domain/monitor/reported-outcomes.ts";
import type { MonitorRules } from "../../src/domain/settings/policy.ts";
import { HOUR, MINUTE } from "../../src/domain/time.ts";
import type { Ping } from "../../src/engine/api.ts";
import { NOON, openService, type PingChanges, ping, policyWith, type Service, warningOf } from "../support/engine.ts";

const HOURLY = "0 * * * *";
const asked = (one: Partial<Expectation>): Expectation => ({
  equals: null,
  min: null,
  max: null,
  onFailure: "fail",
  ...one,
});

const ROWS = asked({ min: 1 });
const VERIFIED = asked({ equals: true });
const ERRORS = asked({ max: 0, onFailure: "warn" });
const ASKED = { rows: ROWS, verified: VERIFIED, errors: ERRORS };
const GOOD = { rows: 12, verified: true, errors: 0 };

const expecting = (outcomes: Readonly<Record<string, Expectation>> = ASKED, rules: MonitorRules = {}) =>
  policyWith({ monitors: { job: { ...rules, outcomes: new Map(Object.entries(outcomes)) } } });

const complete = (outcomes: Readonly<Record<string, OutcomeValue>> = {}, changes: PingChanges = {}): Ping =>
  ping({ kind: "complete", outcomes: new Map(Object.entries(outcomes)), schedule: HOURLY, ...changes });

const statusIn = (service: Service): string => statusOf(service.monitor(), service.now);

const kindsNotified = (service: Service): string[] =>
  service.alarms().map(({ kind, reason, cause }) => `${kind} ${reason} ${cause}`);

const alertsIn = ({ store }: Service): AlertData[] =>
  store.database
    .query<{ data: string }, []>("SELECT data FROM alerts ORDER BY id")
    .all()
    .map(({ data }) => alertDataFrom(data)!);

const keptIn = ({ store }: Service): (string | null)[] =>
  store.database
    .query<{ outcomes: string | null }, []>("SELECT outcomes FROM pings ORDER BY id")
    .all()
    .map(({ outcomes }) => outcomes);

describe("R27: a complete", () => {
  test("with all as expected is a success", async () => {
    using service = openService(expecting());
    await service.send(complete(GOOD));
    expect([statusIn(service), service.notified()]).toEqual(["healthy", []]);
    expect(service.monitor().succeededAt).toBe(NOON);
  });

  test("with a wrong value is answered, and opens an incident that names observed and expected", async () => {
    using service = openService(expecting());
    const [answer] = await service.send(complete({ ...GOOD, rows: 0, errors: 2 }));
    expect(answer).toMatchObject({ kind: "complete", at: NOON });
    expect(statusIn(service)).toBe("critical");
    expect(service.monitor()).toMatchObject({ succeededAt: null, incident: { causes: ["outcome"] } });
    expect(kindsNotified(service)).toEqual(["InitialFailure opened outcome"]);
    expect(alertsIn(service)).toMatchObject([
      {
        failureMessage: "rows was 0, expected at least 1; errors was 2, expected at most 0",
        outcomes: [
          { key: "rows", observed: 0, expected: { equals: null, min: 1, max: null }, verdict: "failed" },
          { key: "verified", observed: true, expected: { equals: true, min: null, max: null }, verdict: "passed" },
          { key: "errors", observed: 2, expected: { equals: null, min: null, max: 0 }, verdict: "warned" },
        ],
      },
    ]);
  });

  test.each<[string, PingChanges]>([
    ["without any outcomes", complete()],
    ["with others than are expected", complete({ lines: 12, clean: true })],
  ])("%s fails the checks as missing", async (_, changes) => {
    using service = openService(expecting());
    await service.send(ping(changes));
    expect(statusIn(service)).toBe("critical");
    const [alert] = alertsIn(service);
    expect(alert!.failureMessage).toBe(
      "rows is missing, expected at least 1; verified is missing, expected true; errors is missing, expected at most 0",
    );
    expect(alert!.outcomes!.map(({ observed }) => observed)).toEqual([null, null, null]);
  });

  test("that fails only a check that warns is a success with a warning, until the next end", async () => {
    using service = openService(expecting());
    await service.send(complete({ ...GOOD, errors: 3 }));
    expect([statusIn(service), service.notified()]).toEqual(["warning", []]);
    expect(service.monitor().succeededAt).toBe(NOON);
    await service.send(complete({ rows: 1, verified: true }));
    expect(statusIn(service)).toBe("warning");
    await service.send(complete(GOOD));
    expect(statusIn(service)).toBe("healthy");
  });

  test("that is good again, or only warned of, recovers", async () => {
    using service = openService(expecting());
    await service.send(complete({ ...GOOD, rows: 0 }));
    service.at(NOON + 10 * MINUTE);
    await service.send(complete({ ...GOOD, errors: 1 }));
    expect(kindsNotified(service)).toEqual(["InitialFailure opened outcome", "Recovered success outcome"]);
    expect(statusIn(service)).toBe("warning");
    expect(alertsIn(service)[1]).toMatchObject({
      durationSeconds: 600,
      failureMessage: "rows was 0, expected at least 1",
      outcomes: null,
    });
  });

  test("where nothing is expected keeps nothing and fails nothing", async () => {
    using service = openService();
    await service.send(complete({ rows: 0, verified: false }));
    expect([statusIn(service), keptIn(service)]).toEqual(["healthy", [null]]);
  });

  test("keeps of what it reports only what is expected, whether that is good or not", async () => {
    using service = openService(expecting({ rows: ROWS, ["__proto__"]: VERIFIED }));
    const odd = new Map<string, OutcomeValue>([
      ["__proto__", true],
      ["note", 7],
      ["rows", 0],
    ]);
    await service.send(complete({}, { outcomes: odd }), complete({ note: 1 }), complete({ rows: 4 }));
    expect(keptIn(service)).toEqual(['{"__proto__":true,"rows":0}', null, '{"rows":4}']);
    expect(alertsIn(service)[0]!.failureMessage).toBe("rows was 0, expected at least 1");
  });
});

test("R27: what a configuration did not expect before a restart it expects after it", async () => {
  using service = openService();
  await service.send(complete());
  service.restart(expecting());
  await service.send(complete());
  expect(kindsNotified(service)).toEqual(["InitialFailure opened outcome"]);
});

describe("a heartbeat of a monitor of which outcomes are expected", () => {
  const WARNING = "The outcome checks of this monitor cannot be met by a heartbeat: use complete, with a JSON body.";

  test("fails them all as missing, and its answer says that it cannot meet them", async () => {
    using service = openService(expecting());
    const [answer] = await service.send(ping({ schedule: HOURLY }));
    expect(warningOf(answer)).toBe(WARNING);
    expect(kindsNotified(service)).toEqual(["InitialFailure opened outcome"]);
    expect(service.monitor().succeededAt).toBeNull();
  });

  test("is a success with a warning where they only warn", async () => {
    using service = openService(expecting({ errors: ERRORS }));
    expect(warningOf((await service.send(ping({ schedule: HOURLY })))[0])).toBe(WARNING);
    expect([statusIn(service), service.notified()]).toEqual(["warning", []]);
  });

  test("R14: is told so after what matters more, and before the guideline for keys", async () => {
    const key = "Not a Guideline";
    const outcomes = new Map([["rows", ROWS]]);
    using service = openService(policyWith({ monitors: { [key]: { outcomes } } }));
    const beat = (changes: PingChanges = {}) => service.send(ping({ monitorKey: key, ...changes }));
    expect(warningOf((await beat({ schedule: HOURLY }))[0])).toBe(WARNING);
    expect(warningOf((await beat({ schedule: "5 * * * *" }))[0])).toStartWith("The schedule changed");
    service.failing.set("hook", "it is down");
    expect(warningOf((await beat())[0])).toStartWith("Alerts of this monitor cannot be delivered");
    service.apply(key, { kind: "pause", pause: "manual", until: null });
    expect(warningOf((await beat())[0])).toStartWith("This monitor is paused");
  });

  test("reports of other kinds are not warned of: they are not meant to meet them", async () => {
    using service = openService(expecting());
    await service.send(complete(GOOD));
    const answers = await service.send(
      ping({ kind: "start" }),
      ping({ kind: "log" }),
      ping({ kind: "fail" }),
      complete(),
    );
    expect(answers.map(warningOf)).toEqual([null, null, null, null]);
  });
});

describe("R23: one incident", () => {
  test("is told of a wrong result once, and the last message is the newest", async () => {
    using service = openService(expecting());
    await service.send(complete({ ...GOOD, rows: 0 }), complete({ ...GOOD, rows: -1 }));
    expect(kindsNotified(service)).toEqual(["InitialFailure opened outcome"]);
    expect(service.monitor().incident).toMatchObject({ troubles: 2, message: "rows was -1, expected at least 1" });
    service.look(NOON + 30 * MINUTE);
    await service.send(complete({ ...GOOD, rows: -2 }));
    service.look(NOON + HOUR);
    expect(kindsNotified(service)).toEqual(["InitialFailure opened outcome", "ContinuedFailure reminder outcome"]);
    expect(alertsIn(service)[1]).toMatchObject({ failureMessage: "rows was -2, expected at least 1", outcomes: null });
  });

  test("is told of it as a new cause, with what was observed then", async () => {
    using service = openService(expecting());
    await service.send(complete(GOOD), ping({ kind: "fail", message: "boom" }), complete({ ...GOOD, rows: 0 }));
    expect(kindsNotified(service)).toEqual(["InitialFailure opened failed", "ContinuedFailure new_cause outcome"]);
    expect(alertsIn(service).map(({ outcomes }) => outcomes?.[0]?.observed ?? null)).toEqual([null, 0]);
  });
});

test("R41: wrong results count as failures in a row, and a good one starts over", async () => {
  using service = openService(expecting(ASKED, { alertAfterFailures: 2 }));
  const wrong = complete({ ...GOOD, rows: 0 });
  await service.send(complete(GOOD), wrong, complete(GOOD), wrong);
  expect([statusIn(service), service.notified()]).toEqual(["warning", []]);
  await service.send(ping({ kind: "fail" }));
  expect(kindsNotified(service)).toEqual(["InitialFailure opened failed"]);
  await service.send(complete(GOOD), wrong, wrong);
  expect(kindsNotified(service).slice(1)).toEqual(["Recovered success failed", "InitialFailure opened outcome"]);
});

test("R24: under a pause a wrong result is kept and not told, then or later, and a good one closes what was open", async () => {
  using service = openService(expecting());
  await service.send(complete({ ...GOOD, rows: 0 }));
  service.apply("job", { kind: "pause", pause: "manual", until: NOON + HOUR });
  await service.send(complete(GOOD));
  expect(kindsNotified(service)).toEqual(["InitialFailure opened outcome", "Recovered success outcome"]);
  await service.send(complete({ ...GOOD, rows: -5 }));
  service.restart(expecting());
  service.look(NOON + HOUR + MINUTE);
  expect(kindsNotified(service)).toHaveLength(2);
  expect(statusIn(service)).toBe("warning");
  expect(keptIn(service).at(-1)).toContain('"rows":-5');
});

test("R11: a repeat of a wrong result changes nothing, whatever it carries", async () => {
  using service = openService(expecting());
  const idempotency = { key: "k", textOf: () => "the answer" };
  const first = await service.send(complete({ ...GOOD, rows: 0 }, { idempotency }));
  const repeats = await service.send(complete(GOOD, { idempotency }), complete({}, { idempotency }));
  expect([...first, ...repeats]).toEqual([{ text: "the answer" }, { text: "the answer" }, { text: "the answer" }]);
  expect([kindsNotified(service).length, keptIn(service).length, statusIn(service)]).toEqual([1, 1, "critical"]);
});

test("R22: a wrong result ends its run and has its duration", async () => {
  using service = openService(expecting());
  await service.send(ping({ kind: "start", runId: "r", schedule: HOURLY }));
  service.at(NOON + MINUTE);
  const [answer] = await service.send(complete({ ...GOOD, rows: 0 }, { runId: "r" }));
  expect(answer).toMatchObject({ durationSeconds: 60 });
  expect(alertsIn(service)).toMatchObject([{ runId: "r", runStartedAt: new Date(NOON).toISOString() }]);
});

test("R20: a wrong result fills its slot: the job came", async () => {
  using service = openService(expecting());
  await service.send(complete(GOOD));
  service.at(NOON + HOUR);
  await service.send(complete());
  expect(service.monitor().expectedAt).toBe(NOON + 2 * HOUR);
});

describe("what was decided of an end", () => {
  const keptOf = ({ store }: Service) => ({
    pings: store.database.query("SELECT kind, verdict FROM pings WHERE kind <> 'start' ORDER BY id").values(),
    runs: store.database.query("SELECT state, verdict FROM runs ORDER BY number").values(),
  });

  test("R27: is kept with the report and its run: wrong, warned, or nothing to say", async () => {
    using service = openService(expecting());
    await service.send(complete(GOOD));
    await service.send(ping({ kind: "start", runId: "a" }), complete({ ...GOOD, rows: 0 }, { runId: "a" }));
    await service.send(complete({ ...GOOD, errors: 3 }), ping(), ping({ kind: "fail" }), ping({ kind: "log" }));
    expect(keptOf(service)).toEqual({
      pings: [
        ["complete", null],
        ["complete", "wrong"],
        ["complete", "warned"],
        ["heartbeat", "wrong"],
        ["fail", null],
        ["log", null],
      ],
      runs: [["ended", "wrong"]],
    });
  });

  test("R21: an end whose run was counted as unfinished has overrun, and the complete that follows it as well", async () => {
    using service = openService();
    await service.send(ping({ schedule: "0 12 * * *", maxRuntimeSeconds: 600 }), ping({ kind: "start" }));
    service.look(NOON + HOUR);
    await service.send(ping());
    await service.send(ping({ kind: "complete" }));
    await service.send(ping({ kind: "start" }), ping({ kind: "complete" }));
    expect(keptOf(service)).toEqual({
      pings: [
        ["heartbeat", null],
        ["heartbeat", "overran"],
        ["complete", "overran"],
        ["complete", null],
      ],
      runs: [
        ["ended", "overran"],
        ["ended", null],
      ],
    });
  });

  test("R43: an end that is heard late and came in time has not overrun", async () => {
    using service = openService();
    await service.send(ping({ schedule: "0 12 * * *", maxRuntimeSeconds: 600 }), ping({ kind: "start", runId: "a" }));
    service.look(NOON + HOUR);
    expect(keptOf(service).runs).toEqual([["unfinished", null]]);
    await service.send(ping({ kind: "complete", runId: "a", ageSeconds: 55 * 60 }));
    expect(keptOf(service)).toEqual({
      pings: [
        ["heartbeat", null],
        ["complete", null],
      ],
      runs: [["ended", null]],
    });
  });
});
