// What monitors did in a span of time, as pages draw it: each slot becomes what the engine decided then, and reading it
// costs a number of queries that does not grow with the monitors.

import { describe, expect, test } from "bun:test";
import { wholeOf } from "../../src/domain/in-pieces.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../src/domain/time.ts";
import { openStore } from "../../src/store/store.ts";
import { timelinesOf } from "../../src/views/timelines.ts";
import { countingRuns } from "../support/counting-database.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const HOURLY = "0 * * * *";

const idOf = (service: Service, key = "job"): number =>
  service.store.database.query<{ id: number }, [string]>("select id from monitors where key = ?").get(key)!.id;

const day = (service: Service, from: Instant, to: Instant, key = "job") => {
  const id = idOf(service, key);
  const timeline = wholeOf(service.engine.views.timelines([id], { from, to })).monitors.get(id)!;
  return {
    ...timeline,
    slots: timeline.entries.flatMap(({ at, result, slot }) => (slot === null ? [] : [{ slot: at, result, ...slot }])),
  };
};

/** `+1h filled`: each slot by its distance from noon. */
const told = ({ slots }: ReturnType<typeof day>): string[] =>
  slots.map(({ slot, result }) => `${(slot - NOON) / HOUR} ${result}`);

async function at(service: Service, instant: Instant, changes: Parameters<typeof ping>[0] = {}): Promise<void> {
  service.look(instant);
  await service.send(ping(changes));
}

describe("the slots of a span", () => {
  test("say which report filled each, which was missed, and which still waits", async () => {
    using service = openService(policyWith(), NOON - MINUTE);
    await at(service, NOON - SECOND, { schedule: HOURLY });
    // A tenth of a minute early, in time, by its run's start, late, and not at all.
    await at(service, NOON + 1 * HOUR - 6 * SECOND);
    await at(service, NOON + 2 * HOUR + 40 * SECOND);
    await at(service, NOON + 3 * HOUR + SECOND, { kind: "start", runId: "a" });
    await at(service, NOON + 3 * HOUR + 20 * MINUTE, { kind: "complete", runId: "a" });
    await at(service, NOON + 4 * HOUR + 10 * MINUTE);
    service.look(NOON + 6 * HOUR + 30 * SECOND);
    const seen = day(service, NOON - 59 * MINUTE, NOON + 8 * HOUR);
    expect(told(seen)).toEqual([
      "0 succeeded",
      "1 succeeded",
      "2 succeeded",
      "3 succeeded",
      "4 missed",
      "5 missed",
      "6 late",
      "7 expected",
      "8 expected",
    ]);
    expect(seen.slots[4]!.reportAt).toBe(NOON + 4 * HOUR + 10 * MINUTE);
    expect(seen.runs).toEqual([
      { from: null, to: NOON - SECOND, result: "succeeded" },
      { from: null, to: NOON + HOUR - 6 * SECOND, result: "succeeded" },
      { from: null, to: NOON + 2 * HOUR + 40 * SECOND, result: "succeeded" },
      { from: NOON + 3 * HOUR + SECOND, to: NOON + 3 * HOUR + 20 * MINUTE, result: "succeeded" },
      { from: null, to: NOON + 4 * HOUR + 10 * MINUTE, result: "succeeded" },
    ]);
  });

  test("R21: one that closes under a run was not missed", async () => {
    using service = openService(policyWith(), NOON - MINUTE);
    await at(service, NOON, { schedule: HOURLY, maxRuntimeSeconds: 3 * 3_600, kind: "start" });
    service.look(NOON + 2 * HOUR + 30 * MINUTE);
    expect(told(day(service, NOON, NOON + 3 * HOUR))).toEqual(["0 running", "1 covered", "2 covered", "3 expected"]);
    expect(day(service, NOON, NOON + 3 * HOUR).runs).toEqual([{ from: NOON, to: service.now, result: "running" }]);
  });

  test("R21: one that closes under a run from before the span was not missed, also where the run has only logged since", async () => {
    using service = openService(policyWith(), NOON - MINUTE);
    await at(service, NOON, { schedule: HOURLY, maxRuntimeSeconds: 2 * 3_600, kind: "start" });
    for (const minutes of [10, 20]) await at(service, NOON + minutes * MINUTE, { kind: "log" });
    service.look(NOON + 3 * HOUR);
    const { slots, runs } = day(service, NOON + 30 * MINUTE, NOON + 2 * HOUR - MINUTE);
    expect(slots.map(({ result }) => result)).toEqual(["covered"]);
    expect(runs.map(({ result }) => result)).toEqual(["unfinished"]);
  });

  test("R21: one that closes under a run from before the span was not missed, whatever else was reported since, and whether or not the run ended", async () => {
    using service = openService(policyWith(), NOON - MINUTE);
    await at(service, NOON, { schedule: HOURLY, maxRuntimeSeconds: 5 * 3_600, kind: "start", runId: "hangs" });
    await at(service, NOON + 5 * MINUTE, { kind: "start", runId: "ends" });
    await at(service, NOON + 10 * MINUTE, { kind: "start", runId: "fails" });
    await at(service, NOON + 15 * MINUTE, { kind: "fail", runId: "fails" });
    await at(service, NOON + 4 * HOUR + 30 * MINUTE, { kind: "fail", runId: "ends" });
    service.look(NOON + 7 * HOUR);
    const results = (from: Instant, to: Instant) => day(service, from, to).slots.map(({ result }) => result);
    expect(results(NOON + 30 * MINUTE, NOON + 150 * MINUTE)).toEqual(["covered", "covered"]);
    expect(results(NOON + 150 * MINUTE, NOON + 270 * MINUTE)).toEqual(["covered", "covered"]);
    expect(day(service, NOON + 150 * MINUTE, service.now).runs).toContainEqual({
      from: NOON,
      to: NOON + 5 * HOUR,
      result: "unfinished",
    });
  });

  test("R21: one is not covered by a run that a success had outlived, though the run ended later", async () => {
    using service = openService(policyWith(), NOON - MINUTE);
    await at(service, NOON, { schedule: HOURLY, kind: "start", runId: "a" });
    await at(service, NOON + 30 * MINUTE);
    await at(service, NOON + 61 * MINUTE + 30 * SECOND, { kind: "complete", runId: "a" });
    expect(told(day(service, NOON, service.now))).toEqual(["0 succeeded", "1 missed"]);
  });

  test("R20: the last of a span is filled by the report that comes after the span", async () => {
    using service = openService(policyWith(), NOON - MINUTE);
    await at(service, NOON, { schedule: HOURLY });
    await at(service, NOON + HOUR + 30 * SECOND, { kind: "fail" });
    service.look(NOON + 90 * MINUTE);
    const { slots, runs } = day(service, NOON, NOON + HOUR);
    expect(slots.map(({ result }) => result)).toEqual(["succeeded", "failed"]);
    expect(runs.map(({ to }) => to)).toEqual([NOON]);
  });

  test("R20: one that closes as its report comes was missed, as was told", async () => {
    using service = openService(policyWith(), NOON - MINUTE);
    await at(service, NOON, { schedule: HOURLY });
    await at(service, NOON + HOUR + 65 * SECOND);
    expect(service.store.database.query("select expected_at from incidents").all()).toHaveLength(1);
    expect(told(day(service, NOON, service.now))).toEqual(["0 succeeded", "1 missed"]);
  });

  test("R43: one is not covered by a run that a success has outlived, heard in the span and from before it", async () => {
    using service = openService(policyWith(), NOON - MINUTE);
    await at(service, NOON, { schedule: HOURLY, maxRuntimeSeconds: 6_000, kind: "start", runId: "a" });
    await at(service, NOON + 30 * MINUTE, { runId: "b", ageSeconds: 900 });
    for (const operation of ["monitor pause", "monitor resume"] as const) {
      granted(service.engine.operate(operation, { application: "prod", key: "job" }));
      service.look(NOON + 2 * HOUR - MINUTE);
    }
    const resultIn = (from: Instant) => day(service, from, service.now).slots.at(-1)!.result;
    expect([resultIn(NOON), resultIn(NOON + 20 * MINUTE)]).toEqual(["paused", "paused"]);
  });

  test("R26: one that fell into a gap is unknown, and the gap is told", async () => {
    using service = openService(policyWith(), NOON - MINUTE);
    await at(service, NOON, { schedule: HOURLY });
    service.look(NOON + HOUR - 5 * MINUTE);
    service.standStill(20 * MINUTE);
    service.look(NOON + HOUR + 30 * MINUTE);
    expect(told(day(service, NOON, NOON + 2 * HOUR))).toEqual(["0 succeeded", "1 unknown", "2 expected"]);
    const { gaps } = wholeOf(service.engine.views.timelines([], { from: NOON, to: NOON + DAY }));
    expect(gaps).toMatchObject([{ from: NOON + HOUR - 5 * MINUTE + 1, reason: "stalled" }]);
  });

  test("R24: none is missed under a pause, by hand or by maintenance", async () => {
    const maintenance = [{ schedule: "50 13 * * *", timezone: null, durationSeconds: 3_600 }];
    using service = openService(policyWith({ monitors: { job: { maintenance } } }), NOON - MINUTE);
    await at(service, NOON, { schedule: HOURLY });
    service.engine.operate("monitor pause", { key: "job", durationSeconds: 90 * 60 });
    service.look(NOON + 100 * MINUTE);
    service.look(NOON + 2 * HOUR + 30 * MINUTE);
    expect(told(day(service, NOON, NOON + 27 * HOUR)).filter((one) => !one.endsWith("expected"))).toEqual([
      "0 succeeded",
      "1 paused",
      "2 maintenance",
      "26 maintenance",
    ]);
  });

  test("R24: maintenance that people planned is known before it, in it and for long after it", async () => {
    using service = openService(policyWith(), NOON - MINUTE);
    await at(service, NOON, { schedule: HOURLY });
    const plan = (from: string, until: string, reason: string) =>
      granted(service.engine.operate("maintenance plan", { monitors: ["j*"], from, until, reason }));
    plan("2026-03-02 12:30", "2026-03-02 13:30", "a new disk");
    plan("2026-03-02 14:30", "2026-03-02 16:30", "a long one");
    plan("2026-03-02 18:30", "2026-03-02 19:30", "called off");
    plan("2026-03-02 20:30", "2026-03-02 21:30", "later");
    service.endTurns();
    await at(service, NOON + 2 * HOUR);
    service.look(NOON + 3.25 * HOUR);
    for (const id of [2, 3]) granted(service.engine.operate("maintenance end", { id }));
    service.endTurns();
    await at(service, NOON + 4 * HOUR);
    const seen = day(service, NOON, NOON + 10 * HOUR);
    expect(told(seen).slice(0, 5)).toEqual([
      "0 succeeded",
      "1 maintenance",
      "2 succeeded",
      "3 maintenance",
      "4 succeeded",
    ]);
    expect(
      told(seen)
        .filter((one) => !one.endsWith("expected"))
        .slice(5),
    ).toEqual(["9 maintenance"]);
    expect(seen.maintenance.map(({ from, to, reason }) => [(from - NOON) / HOUR, (to - NOON) / HOUR, reason])).toEqual([
      [0.5, 1.5, "a new disk"],
      [2.5, 3.25, "a long one"],
      [8.5, 9.5, "later"],
    ]);
    service.look(NOON + 3 * DAY);
    expect(day(service, NOON, NOON + 2 * HOUR).maintenance).toMatchObject([{ reason: "a new disk" }]);
  });

  test("R41: a miss that is tolerated is told while it counts, and afterwards as none", async () => {
    using service = openService(policyWith({ monitors: { job: { alertAfterMisses: 2 } } }), NOON - MINUTE);
    await at(service, NOON, { schedule: HOURLY });
    service.look(NOON + 90 * MINUTE);
    expect(told(day(service, NOON, NOON + HOUR))).toEqual(["0 succeeded", "1 missed"]);
    service.look(NOON + 150 * MINUTE);
    expect(told(day(service, NOON, NOON + 2 * HOUR))).toEqual(["0 succeeded", "1 silent", "2 missed"]);
  });

  test("begin where its settings were changed last, because no older ones are kept", async () => {
    using service = openService(policyWith(), NOON - MINUTE);
    await at(service, NOON, { schedule: HOURLY });
    await at(service, NOON + HOUR + MINUTE, { schedule: "30 * * * *" });
    const seen = day(service, NOON, NOON + 2 * HOUR);
    expect([told(seen), seen.scheduledSince, seen.slotCount]).toEqual([["1.5 expected"], NOON + HOUR + MINUTE, 1]);
    expect(seen.runs).toHaveLength(2);
  });

  test("of a week are all judged where they come every minute, and some of them where they come every second", async () => {
    using service = openService(policyWith(), NOON);
    await service.send(ping({ schedule: "* * * * *" }), ping({ monitorKey: "quick", schedule: "* * * * * *" }));
    const until = NOON + 193 * HOUR;
    expect(day(service, NOON, until)).toMatchObject({ slotCount: 193 * 60 + 1, slots: { length: 193 * 60 + 1 } });
    const quick = day(service, NOON, until, "quick");
    expect([quick.slotCount, quick.slots.length < 12_000, quick.slots.length > 11_000]).toEqual([694_801, true, true]);
  });

  test("are as many missed as the incidents counted, and as many unknown as were judged so", async () => {
    const counts = { missed: 0, unknown: 0, covered: 0 };
    for (let seed = 1; seed <= 12; seed++) {
      using service = openService(policyWith(), NOON);
      const chance = chances(seed);
      await at(service, NOON, { schedule: "*/10 * * * *", maxRuntimeSeconds: 1_500 });
      for (let slot = NOON + 10 * MINUTE; slot < NOON + 12 * HOUR; slot += 10 * MINUTE) {
        const what = chance(10);
        if (what === 0) service.standStill(Math.max(0, slot - service.now) + 70 * SECOND + chance(3) * MINUTE);
        else if (what === 1) await at(service, slot + (2 + chance(6)) * MINUTE);
        else if (what < 4) service.look(slot + 70 * SECOND);
        else if (what === 4) await at(service, slot + SECOND, { kind: "start", runId: `${slot}` });
        else await at(service, slot + chance(60) * SECOND);
      }
      // Closes the last incident, so that all its slots are counted.
      await at(service, NOON + 13 * HOUR);
      const seen = day(service, NOON, service.now);
      // How the run of a slot ended may be unknown too.
      const unfilled = seen.slots.filter(({ result, reportAt }) => reportAt === null || result === "missed");
      const count = (...kinds: string[]) => unfilled.filter(({ result }) => kinds.includes(result)).length;
      const sum = (sql: string) => service.store.database.query<{ sum: number | null }, []>(sql).get()!.sum ?? 0;
      expect([seed, count("missed")]).toEqual([seed, sum("select sum(missed_slots) as sum from incidents")]);
      expect([seed, count("unknown")]).toEqual([
        seed,
        sum("select sum(slots) as sum from unknowns") + sum("select sum(unheard_slots) as sum from incidents"),
      ]);
      expect([seed, count("silent", "unread")]).toEqual([seed, 0]);
      for (const kind of Object.keys(counts) as (keyof typeof counts)[]) counts[kind] += count(kind);
    }
    expect(Object.entries(counts).filter(([, count]) => count < 10)).toEqual([]);
  });
});

/** Whole numbers below the one that is asked for, the same for each seed. */
function chances(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe("the reports of a span", () => {
  test("are read in pieces, as many as there are reports, whatever the number of monitors", async () => {
    using service = openService(policyWith(), NOON);
    const keys = Array.from({ length: 40 }, (_, place) => `job-${place}`);
    for (let minute = 0; minute < 120; minute++) {
      service.at(NOON + minute * MINUTE);
      await service.send(...keys.map((monitorKey) => ping({ monitorKey, schedule: "* * * * *" })));
    }
    const ids = keys.map((key) => idOf(service, key));
    const { pieces, day: read, queries } = counted(service, ids, { from: NOON, to: service.now });
    expect([...read.monitors.values()].map(({ runs }) => runs.length)).toEqual(keys.map(() => 120));
    // 4,800 reports, 800 at once, then a piece for each monitor.
    expect(pieces).toBe(5 + 40);
    const few = counted(service, ids.slice(0, 4), { from: NOON, to: service.now });
    expect([queries, few.queries]).toEqual([13, 8]);
  });

  test("of a span in the past are found without a walk through all that came since", async () => {
    using service = openService(policyWith(), NOON);
    await service.send(ping({ monitorKey: "rare", schedule: "0 0 * * *" }));
    for (let minute = 0; minute < 4_000; minute++) {
      service.at(NOON + minute * MINUTE);
      await service.send(ping({ schedule: "* * * * *" }));
    }
    const span = { from: NOON + 10 * MINUTE, to: NOON + 20 * MINUTE };
    expect(day(service, span.from, span.to).runs.map(({ to }) => to)).toEqual(
      Array.from({ length: 11 }, (_, minute) => span.from + minute * MINUTE),
    );
    expect(day(service, NOON, span.to, "rare").runs).toHaveLength(1);
  });

  test("R43: of a span in the past are those that came after it, too, among thousands of other late ones", async () => {
    using service = openService(policyWith(), NOON);
    await at(service, NOON, { schedule: HOURLY });
    await at(service, NOON, { monitorKey: "other", schedule: HOURLY });
    // Nothing is heard for a day. Then 1,700 late reports come, of the other job first.
    service.look(NOON + 25 * HOUR);
    const ageOf = (happenedAt: Instant) => ({ ageSeconds: (service.now - happenedAt) / SECOND });
    for (let minute = 0; minute < 850; minute++)
      await service.send(
        ping({ monitorKey: "other", runId: `${minute}`, ...ageOf(NOON + HOUR + minute * MINUTE) }),
        ping({ monitorKey: "other", runId: `${minute}`, ...ageOf(NOON + HOUR + minute * MINUTE) }),
      );
    await service.send(ping({ kind: "start", runId: "a", ...ageOf(NOON + HOUR) }));
    await service.send(ping({ kind: "complete", runId: "a", ...ageOf(NOON + HOUR + 20 * MINUTE) }));
    await service.send(ping({ runId: "b", ...ageOf(NOON + 3 * HOUR) }));
    const heardAt = service.now;
    for (const [from, to] of [
      [NOON, NOON + 4 * HOUR],
      [NOON, service.now],
    ] as const) {
      const seen = day(service, from, to);
      expect(told(seen).slice(0, 5)).toEqual(["0 succeeded", "1 succeeded", "2 missed", "3 succeeded", "4 missed"]);
      expect(seen.slots[1]).toMatchObject({ reportAt: NOON + HOUR, heardAt });
      expect(seen.slots[0]).toMatchObject({ reportAt: NOON, heardAt: null });
      expect(seen.runs.slice(0, 3)).toMatchObject([
        { to: NOON },
        { from: NOON + HOUR, to: NOON + HOUR + 20 * MINUTE, result: "succeeded" },
        { to: NOON + 3 * HOUR },
      ]);
    }
    expect(day(service, NOON + 4 * HOUR + SECOND, NOON + 10 * HOUR).runs).toEqual([]);
    const pictured = wholeOf(service.engine.views.timelines([idOf(service)], { from: NOON, to: NOON + 4 * HOUR }));
    expect(pictured.monitors.get(idOf(service))!.runs).toHaveLength(3);
  });

  test("are no more than somebody waits for: the rest is said to be unread", async () => {
    using service = openService(policyWith(), NOON);
    for (let minute = 0; minute < 3_400; minute++) {
      service.at(NOON + minute * MINUTE);
      await service.send(ping({ schedule: "* * * * *" }));
    }
    const seen = day(service, NOON, service.now);
    expect(seen.runs.length).toBe(3_200);
    expect(seen.readSince).toBe(seen.runs[0]!.to);
    expect(seen.slots[0]).toMatchObject({ result: "unread" });
    expect(seen.slots.at(-1)).toMatchObject({ result: "succeeded" });
  });

  test("of a deleted monitor are none, and hide no other's", async () => {
    using service = openService(policyWith(), NOON);
    await service.send(ping({ schedule: HOURLY }), ping({ monitorKey: "other", schedule: HOURLY }));
    const [gone, other] = [idOf(service), idOf(service, "other")];
    service.store.database.run("delete from monitor_states where monitor_id = ?", [gone]);
    const { monitors } = wholeOf(service.engine.views.timelines([gone, other], { from: NOON, to: NOON }));
    expect([...monitors.keys()]).toEqual([other]);
  });
});

/** The same read over a store that counts its queries. */
function counted(service: Service, ids: readonly number[], span: { from: Instant; to: Instant }) {
  service.store.states.writeBehindAll();
  const { database, count } = countingRuns(service.connect());
  const store = openStore(database);
  const context = { store, policy: policyWith(), gaps: store.gaps } as unknown as Parameters<typeof timelinesOf>[0];
  count();
  const work = timelinesOf(context, ids, span, service.now);
  for (let pieces = 0; ; pieces++) {
    const step = work.next();
    if (step.done) return { pieces, day: step.value, queries: count() };
  }
}

test("R44: of an interval the slots that were missed are known, and none that reports put off", async () => {
  using service = openService(policyWith(), NOON - MINUTE);
  const every = { everySeconds: 3_600 };
  await at(service, NOON, every);
  await at(service, NOON + 30 * MINUTE, every);
  await at(service, NOON + 80 * MINUTE, { ...every, kind: "fail" });
  for (let hour = 2; hour <= 5; hour++) service.look(NOON + hour * HOUR + 30 * MINUTE);
  const seen = () =>
    day(service, NOON - HOUR, NOON + 12 * HOUR).slots.map(({ slot, result }) => `${(slot - NOON) / MINUTE} ${result}`);
  const missed = ["140 missed", "200 missed", "260 missed", "320 missed"];
  expect(seen()).toEqual(missed);
  await at(service, NOON + 335 * MINUTE, every);
  service.look(NOON + 360 * MINUTE);
  expect(seen()).toEqual(missed);
  expect(day(service, NOON + 210 * MINUTE, NOON + 300 * MINUTE).slots).toHaveLength(1);
  expect(day(service, NOON - HOUR, NOON + 12 * HOUR).runs.map(({ result }) => result)).toEqual([
    "succeeded",
    "succeeded",
    "failed",
    "succeeded",
  ]);
});
