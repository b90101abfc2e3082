// R43: reports that come late, through the engine: what is stored, answered and told, and what a flush of many leaves.

import { describe, expect, test } from "bun:test";
import type { AlertMessage } from "../../src/domain/message/alert.ts";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { HOUR, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import type { Ping } from "../../src/engine/api.ts";
import { NOON, openService, type PingChanges, ping, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const HOURLY = "0 * * * *";

/** An hourly job that has reported at noon. */
async function watched(changes: PingChanges = {}): Promise<Service> {
  const service = openService();
  await service.send(ping({ schedule: HOURLY, ...changes }));
  return service;
}

const told = (service: Service) =>
  service.notified().map(({ kind, reason, at }) => `${kind} ${reason} ${at.slice(11, 19)}`);

const alertsIn = ({ store }: Service): AlertMessage[] =>
  store.database
    .query<{ at: number; data: string }, []>("select at, data from alerts order by id")
    .all()
    .map(({ at, data }) => ({ type: "monitor.initial_failure", at, data: alertDataFrom(data)! }));

describe("R43: a late report", () => {
  test("heals the slot that it fills: the miss stays told, and the recovery says when it ran", async () => {
    using service = await watched();
    service.look(NOON + HOUR + 10 * MINUTE);
    const [answer] = await service.send(ping({ ageSeconds: 600, runId: "one" }));
    expect(answer).toMatchObject({ at: NOON + HOUR + 10 * MINUTE, happenedAt: NOON + HOUR });
    expect(told(service)).toEqual(["InitialFailure opened 13:01:05", "Recovered success 13:10:00"]);
    const monitor = service.monitor();
    expect(monitor).toMatchObject({ succeededAt: NOON + HOUR, receivedAt: NOON + HOUR, expectedAt: NOON + 2 * HOUR });
    const stored = service.store.database.query("select at, happened_at as happenedAt from pings order by id").all();
    expect(stored).toEqual([
      { at: NOON, happenedAt: null },
      { at: NOON + HOUR + 10 * MINUTE, happenedAt: NOON + HOUR },
    ]);
    const incident = service.store.database.query("select missed_slots, late_slots, late_to from incidents").all();
    expect(incident).toEqual([{ missed_slots: 0, late_slots: 1, late_to: NOON + HOUR }]);
  });

  test("leaves the incident open while a later slot is unfilled, and its count is what it was", async () => {
    using service = await watched();
    service.look(NOON + 3 * HOUR + 10 * MINUTE);
    await service.send(ping({ ageSeconds: 2 * 3600 + 600 }));
    expect(told(service)).toEqual(["InitialFailure opened 13:01:05", "ContinuedFailure reminder 14:01:05"]);
    expect(service.monitor().incident).toMatchObject({ missedSlots: 2, lateSlots: 1, expectedAt: NOON + 2 * HOUR });
    await service.send(ping({ ageSeconds: 600 }));
    expect(told(service).at(-1)).toBe("Recovered success 15:10:00");
  });

  test("of a start, without an end, is told with the time at which that start was heard", async () => {
    using service = await watched({ schedule: "0 12 * * *", maxRuntimeSeconds: 600 });
    service.look(NOON + 2 * HOUR);
    await service.send(ping({ kind: "start", runId: "r3", ageSeconds: 7_200 - 60 }));
    service.look(NOON + 2 * HOUR + 6 * MINUTE);
    const [hangs] = alertsIn(service);
    expect(hangs!.data).toMatchObject({ cause: "unfinished", startHeardAt: toIso(NOON + 2 * HOUR) });
    expect(wordingOf(hangs!, hangs!.at).story).toContain(
      "Its start of 2026-03-02 12:01 UTC was heard at 14:00, and no end came within 5 minutes after that.",
    );
  });

  test("of a start that left its run all its time is told as any other", async () => {
    using service = await watched({ schedule: "0 12 * * *", maxRuntimeSeconds: 7_200 });
    service.at(NOON + HOUR);
    await service.send(ping({ kind: "start", runId: "r3", ageSeconds: 600 }));
    service.look(NOON + 3 * HOUR);
    const [hangs] = alertsIn(service);
    expect(hangs!.data).toMatchObject({ cause: "unfinished", startHeardAt: null });
    expect(wordingOf(hangs!, hangs!.at).story).toContain(
      "It started at 2026-03-02 12:50 UTC. It may run for 2 hours (max_runtime).",
    );
  });

  test("of a run that merely covered the slot does not say that it ran in time", async () => {
    using service = await watched({ maxRuntimeSeconds: 7_200 });
    service.look(NOON + HOUR + 40 * MINUTE);
    await service.send(ping({ kind: "start", runId: "r3", ageSeconds: 70 * 60 }));
    await service.send(ping({ kind: "complete", runId: "r3", ageSeconds: 20 * 60 }));
    const recovered = alertsIn(service).at(-1)!;
    expect(recovered.data).toMatchObject({ kind: "Recovered", missedSlots: 0, lateSlots: 1 });
    const { story } = wordingOf(recovered, recovered.at);
    expect(story[0]).toBe("Job ran.");
    expect(story).toContain("It ran from 12:30 to 13:20; its reports came late.");
  });

  test("that failed before a success is kept and told to nobody", async () => {
    using service = await watched();
    service.look(NOON + 30 * MINUTE);
    await service.send(ping());
    await service.send(ping({ kind: "fail", ageSeconds: 900, runId: "old", message: "disk full" }));
    expect(told(service)).toEqual([]);
    expect(service.count("pings")).toBe(3);
    expect(service.monitor()).toMatchObject({ failures: 0, incident: null });
  });

  test("that failed and is the newest fact opens an incident now", async () => {
    using service = await watched();
    service.look(NOON + 30 * MINUTE);
    await service.send(ping({ kind: "fail", ageSeconds: 900, message: "disk full" }));
    expect(told(service)).toEqual(["InitialFailure opened 12:30:00"]);
    expect(service.monitor().incident).toMatchObject({ failedAt: NOON + 15 * MINUTE, openedAt: NOON + 30 * MINUTE });
  });

  test("with a key that was answered in time gets that answer, and nothing is applied", async () => {
    const idempotency = { key: "k", textOf: JSON.stringify };
    using service = await watched({ idempotency });
    service.look(NOON + 50 * MINUTE);
    const [again] = await service.send(ping({ idempotency, ageSeconds: 3000 }));
    expect(again).toEqual({ text: expect.stringContaining(`"at":${NOON},"happenedAt":null`) });
    expect(service.count("pings")).toBe(1);
  });

  test("that the rate limit refuses is no sign of life now", async () => {
    using service = await watched();
    service.at(NOON + HOUR);
    service.engine.intake.rateLimited(ping({ ageSeconds: 60 }), "limits.v1_per_minute");
    service.endTurns();
    service.look(NOON + HOUR + 2 * MINUTE);
    expect(told(service)).toEqual(["InitialFailure opened 13:01:05"]);
    expect(service.count("refused_reports")).toBe(0);
  });

  test("does not bring back a schedule that a newer report has replaced", async () => {
    using service = await watched();
    service.at(NOON + MINUTE);
    await service.send(ping({ schedule: "30 * * * *" }));
    await service.send(ping({ schedule: HOURLY, ageSeconds: 30 }));
    expect(service.monitor().watch.schedule).toBe("30 * * * *");
  });

  test("may create its monitor, whose first slot is still to come", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY, ageSeconds: 5 * 3600 }));
    expect(service.monitor()).toMatchObject({ succeededAt: NOON - 5 * HOUR, expectedAt: NOON + HOUR });
  });
});

describe("R43: what people see of a late report", () => {
  test("stands where it happened, with when it was heard, and its slot is filled", async () => {
    using service = await watched();
    service.look(NOON + 3 * HOUR + 10 * MINUTE);
    await service.send(ping({ kind: "complete", runId: "one", ageSeconds: 2 * 3600 + 600, durationSeconds: 40 }));
    const seen = { at: NOON + HOUR, heardAt: NOON + 3 * HOUR + 10 * MINUTE, durationSeconds: 40 };
    expect(service.engine.operate("monitor show", { key: "job" })).toMatchObject({ pings: [seen, { heardAt: null }] });
    const history = granted(service.engine.operate("monitor history", { key: "job" }));
    expect(history.entries).toMatchObject([
      { at: NOON + 3 * HOUR, outcome: "missed" },
      { at: NOON + 2 * HOUR, outcome: "missed" },
      { ...seen, kind: "complete" },
      { at: NOON, kind: "heartbeat", heardAt: null },
    ]);
  });

  test("its recovery says when it ran and when that was heard", async () => {
    using service = await watched();
    service.look(NOON + HOUR + 10 * MINUTE);
    await service.send(ping({ ageSeconds: 600 }));
    const data = service.store.database.query<{ data: string }, []>("select data from alerts order by id desc").get()!;
    expect(alertDataFrom(data.data)!).toMatchObject({
      kind: "Recovered",
      happenedAt: toIso(NOON + HOUR),
      recoveredAt: toIso(NOON + HOUR + 10 * MINUTE),
      missedSlots: 0,
      lateSlots: 1,
    });
  });
});

describe("R43: a client that comes back after an outage", () => {
  /** Two hours of an hourly job with starts, sent again in order, a second apart. */
  async function flush(service: Service, hours: readonly number[]): Promise<void> {
    for (const hour of hours) {
      for (const kind of ["start", "complete"] as const) {
        const happenedAt = NOON + hour * HOUR + (kind === "start" ? 0 : 90 * SECOND);
        const ageSeconds = Math.floor((service.now - happenedAt) / SECOND);
        const durationSeconds = kind === "start" ? null : 89;
        await service.send(ping({ kind, runId: `run ${hour}`, ageSeconds, durationSeconds }));
        service.at(service.now + SECOND);
      }
    }
  }

  test("tells all its runs with one recovery and their lengths", async () => {
    using service = await watched();
    service.look(NOON + 3 * HOUR + 10 * MINUTE);
    await flush(service, [1, 2, 3]);
    expect(told(service).slice(2)).toEqual(["Recovered success 15:10:05"]);
    const runs = service.store.database.query("select state, started_at, duration_seconds as took from runs").all();
    expect(runs).toEqual(
      [1, 2, 3]
        .map((hour) => ({ state: "ended", started_at: expect.any(Number), took: 89, hour }))
        .map(({ hour: _, ...run }) => run),
    );
    service.look(NOON + 3 * HOUR + 59 * MINUTE);
    expect(service.notified()).toHaveLength(3);
  });

  test("brings a start whose end never came: it is told five minutes later", async () => {
    using service = await watched({ maxRuntimeSeconds: 600 });
    service.look(NOON + 30 * MINUTE);
    await service.send(ping({ kind: "start", runId: "killed", ageSeconds: 1500 }));
    service.look(NOON + 34 * MINUTE);
    expect(told(service)).toEqual([]);
    service.look(NOON + 36 * MINUTE);
    expect(told(service)).toEqual([`InitialFailure opened ${toIso(NOON + 35 * MINUTE).slice(11, 19)}`]);
  });
});

describe("R23, R43: a late end of a run that was told not to have ended", () => {
  /** The run of 13:00 is overdue at 13:10, and nothing comes at 14:00 and 15:00. */
  async function overdue(): Promise<Service> {
    const service = await watched({ maxRuntimeSeconds: 600 });
    service.look(NOON + HOUR);
    await service.send(ping({ kind: "start", runId: "one" }));
    service.look(NOON + 3 * HOUR + 30 * MINUTE);
    expect(told(service)).toEqual(["InitialFailure opened 13:10:00", "ContinuedFailure reminder 14:10:00"]);
    return service;
  }

  test("tells at once what was counted as missed meanwhile, and it is no longer said not to have ended", async () => {
    using service = await overdue();
    await service.send(ping({ kind: "complete", runId: "one", ageSeconds: 145 * 60 }));
    expect(told(service).slice(2)).toEqual(["ContinuedFailure new_cause 15:30:00"]);
    expect(service.monitor().incident).toMatchObject({
      causes: ["missed"],
      missedSlots: 2,
      expectedAt: NOON + 2 * HOUR,
    });
    // The slot of 16:00 is one more, and not told by itself.
    service.look(NOON + 4 * HOUR + 5 * MINUTE);
    expect(told(service).slice(3)).toEqual([]);
    await service.send(ping());
    expect(told(service).slice(3)).toEqual(["Recovered success 16:05:00"]);
    const incident = service.store.database.query("select missed_slots, late_slots from incidents").all();
    expect(incident).toEqual([{ missed_slots: 3, late_slots: 0 }]);
  });

  test("that failed is told as that, and the miss beside it", async () => {
    using service = await overdue();
    await service.send(ping({ kind: "fail", runId: "one", ageSeconds: 145 * 60 }));
    const causes = service.notified().map(({ reason, cause }) => `${reason} ${cause}`);
    expect(causes.slice(2)).toEqual(["new_cause failed", "new_cause missed"]);
    expect(service.monitor().incident).toMatchObject({ causes: ["failed", "missed"], missedSlots: 2 });
  });

  test("heals all when no slot has closed since", async () => {
    using service = await watched({ maxRuntimeSeconds: 600 });
    service.look(NOON + HOUR);
    await service.send(ping({ kind: "start", runId: "one" }));
    service.look(NOON + HOUR + 30 * MINUTE);
    await service.send(ping({ kind: "complete", runId: "one", ageSeconds: 25 * 60 }));
    expect(told(service)).toEqual(["InitialFailure opened 13:10:00", "Recovered success 13:30:00"]);
  });
});

describe("R43, R21: a run whose start was heard late", () => {
  const late = (service: Service, minute: number, changes: PingChanges): Ping =>
    ping({ runId: "long", ageSeconds: (service.now - NOON - minute * MINUTE) / SECOND, ...changes });
  const counted = (service: Service) =>
    service.store.database.query("select missed_slots as missed, late_slots as late from incidents").all();
  const rhythms = { "a schedule": { schedule: HOURLY }, "an interval": { schedule: null, everySeconds: 3_600 } };

  test.each(Object.entries(rhythms))(
    "covers slots as one heard in time does, and none is missed: %s",
    async (_, rhythm) => {
      using service = await watched({ ...rhythm, maxRuntimeSeconds: 8 * 3_600 });
      service.look(NOON + 5 * HOUR + 30 * MINUTE);
      await service.send(late(service, 60, { kind: "start" }));
      await service.send(late(service, 5 * 60, { kind: "complete" }));
      expect(told(service).at(-1)).toBe("Recovered success 17:30:00");
      expect(counted(service)).toMatchObject([{ missed: 0 }]);
    },
  );

  test.each(Object.entries(rhythms))(
    "covers nothing beyond its end: what was missed after that stays missed: %s",
    async (_, rhythm) => {
      using service = await watched({ ...rhythm, maxRuntimeSeconds: 8 * 3_600 });
      service.look(NOON + 5 * HOUR + 30 * MINUTE);
      await service.send(late(service, 60, { kind: "start" }));
      await service.send(late(service, 120, { kind: "complete" }));
      expect(service.monitor().incident).toMatchObject({ missedSlots: 3, causes: ["missed"] });
      expect(told(service).some((each) => each.startsWith("Recovered"))).toBe(false);
    },
  );

  test("covers nothing beyond its deadline", async () => {
    using service = await watched({ maxRuntimeSeconds: 2.5 * 3_600 });
    service.look(NOON + 5 * HOUR + 30 * MINUTE);
    await service.send(late(service, 60, { kind: "start" }));
    await service.send(late(service, 245, { kind: "complete" }));
    // 13:00 was its own slot; 14:00 and 15:00 closed under it; 16:00 closed after its deadline, 17:00 after its end.
    expect(service.monitor().incident).toMatchObject({ missedSlots: 2, lateSlots: 3 });
  });

  test("and that ends in time: the recovery counts no slot as missed", async () => {
    using service = await watched({ maxRuntimeSeconds: 8 * 3_600 });
    service.look(NOON + 3 * HOUR + 30 * MINUTE);
    await service.send(late(service, 60, { kind: "start" }));
    service.look(NOON + 5 * HOUR);
    await service.send(ping({ kind: "complete", runId: "long" }));
    expect(told(service).at(-1)).toBe("Recovered success 17:00:00");
    expect(counted(service)).toEqual([{ missed: 0, late: 3 }]);
  });

  test("fills at its end what had not closed then, though its deadline had passed", async () => {
    using service = await watched({ maxRuntimeSeconds: 3_600 });
    service.look(NOON + HOUR);
    await service.send(ping({ kind: "start", runId: "long" }));
    service.look(NOON + 2 * HOUR + 30 * MINUTE);
    await service.send(late(service, 2 * 60 + 0.5, { kind: "complete" }));
    expect(counted(service)).toEqual([{ missed: 0, late: 1 }]);
    expect(told(service).at(-1)).toBe("Recovered success 14:30:00");
  });
});

describe("R43: `duration`", () => {
  const warningOf = async (service: Service, changes: PingChanges): Promise<string | null> => {
    const [answer] = await service.send(ping({ kind: "complete", ...changes }));
    return (answer as { warning: string | null }).warning;
  };

  test("counts only up to what has passed since the start that we heard, and a larger one hides no hang", async () => {
    using service = await watched();
    service.look(NOON + HOUR);
    await service.send(ping({ kind: "start", runId: "one" }));
    service.look(NOON + HOUR + 40 * SECOND);
    expect(await warningOf(service, { runId: "one", durationSeconds: 600_000 })).toBe(
      "The duration of 600000 seconds was ignored: the run started at 2026-03-02T13:00:00.000Z, which is not as long ago.",
    );
    expect(service.store.database.query("select duration_seconds as took from runs").all()).toEqual([{ took: 40 }]);
    expect(service.monitor().lastRunMs).toBe(40 * SECOND);
    // The next run hangs: it is told after the hour and the grace, not after 24 hours.
    service.look(NOON + 2 * HOUR);
    await service.send(ping({ kind: "start", runId: "two" }));
    service.look(NOON + 3 * HOUR + 2 * MINUTE);
    expect(told(service)).toEqual(["InitialFailure opened 15:01:00"]);
  });

  test("may be 5 seconds more than that, for a start that was on its way, but lengthens no guess", async () => {
    using service = await watched();
    await service.send(ping({ kind: "start", runId: "one" }));
    service.look(NOON + 40 * SECOND);
    expect(await warningOf(service, { runId: "one", durationSeconds: 45 })).toBeNull();
    expect(service.store.database.query("select duration_seconds as took from runs").all()).toEqual([{ took: 45 }]);
    expect(service.monitor().lastRunMs).toBe(40 * SECOND);
  });

  test("without the start counts up to 7 days, and tells no guess how long a run may take", async () => {
    using service = await watched();
    expect(await warningOf(service, { runId: "one", durationSeconds: 604_800 })).toBeNull();
    expect(await warningOf(service, { runId: "two", durationSeconds: 604_801 })).toBe(
      "The duration of 604801 seconds was ignored: it is longer than 7 days.",
    );
    expect(service.monitor().lastRunMs).toBeNull();
  });
});

describe("R43: a late report and what an incident has counted", () => {
  test("a slot that a run covered was never missed: its late report changes no count", async () => {
    using service = await watched({ maxRuntimeSeconds: 8 * 3_600 });
    // Missed at 13:00; a run from 13:30 goes on over 14:00 and 15:00.
    service.look(NOON + HOUR + 30 * MINUTE);
    await service.send(ping({ kind: "start", runId: "long" }));
    service.look(NOON + 3 * HOUR + 30 * MINUTE);
    await service.send(ping({ kind: "fail", runId: "other", ageSeconds: 90 * 60 }));
    expect(service.monitor().incident).toMatchObject({
      missedSlots: 1,
      lateSlots: 0,
      missedTo: NOON + 90 * MINUTE - 65_000,
    });
    // 13:00 itself was counted: it ran, and was heard late.
    await service.send(ping({ runId: "first", ageSeconds: 150 * 60 }));
    expect(service.monitor().incident).toMatchObject({ missedSlots: 0, lateSlots: 1, lateTo: NOON + HOUR });
  });

  test("a slot in a gap of ours was counted as unheard, and is heard late", async () => {
    using service = await watched();
    service.look(NOON + 2 * HOUR - MINUTE);
    service.kill();
    service.at(NOON + 3 * HOUR + 30 * MINUTE);
    service.start();
    service.look(NOON + 5 * HOUR + 30 * MINUTE);
    await service.send(ping({ kind: "fail", message: "still down" }));
    const counted = service.monitor().incident!;
    expect([counted.missedSlots, counted.unheardSlots, counted.lateSlots]).toEqual([3, 2, 0]);
    for (const [hour, expected] of [
      [1, [2, 2, 1]],
      [2, [2, 1, 2]],
      [3, [2, 0, 3]],
      [4, [1, 0, 4]],
    ] as const) {
      await service.send(ping({ kind: "complete", runId: `run ${hour}`, ageSeconds: (5.5 - hour) * 3600 }));
      const { missedSlots, unheardSlots, lateSlots } = service.monitor().incident!;
      expect([missedSlots, unheardSlots, lateSlots]).toEqual([...expected]);
    }
  });
});

describe("R43: a late report and what a gap left unknown", () => {
  test("one of two unknown slots that it fills leaves the job unsure, for the other is unknown still", async () => {
    using service = await watched();
    service.look(NOON + HOUR - MINUTE);
    service.kill();
    service.at(NOON + 2 * HOUR + 30 * MINUTE);
    service.start();
    service.look(NOON + 2 * HOUR + 50 * MINUTE);
    expect(service.monitor().unheard).toBe(true);
    await service.send(ping({ ageSeconds: 110 * 60 }));
    expect(service.monitor().unheard).toBe(true);
    await service.send(ping({ ageSeconds: 50 * 60 }));
    expect(service.monitor().unheard).toBe(false);
  });

  /** Of all but the patient one. */
  const ofThree = (service: Service) =>
    service.store.database
      .query(
        `select slot, slots from unknowns join monitors on monitors.id = monitor_id
         where key <> 'patient' order by slot, slots`,
      )
      .values();

  /** Deaf over 13:00, 14:00 and 15:00. The gap is decided at 15:30, when the patient job's slot closes. */
  async function deaf(keys: readonly string[]): Promise<Service> {
    const service = openService();
    await service.send(ping({ monitorKey: "patient", schedule: HOURLY, graceSeconds: 1_800 }));
    for (const monitorKey of keys) await service.send(ping({ monitorKey, schedule: HOURLY }));
    service.look(NOON + HOUR - MINUTE);
    service.kill();
    service.at(NOON + 3 * HOUR + 5 * MINUTE);
    service.start();
    service.look(NOON + 3 * HOUR + 7 * MINUTE);
    return service;
  }

  const lateFor = (service: Service, monitorKey: string, hour: number) =>
    service.send(
      ping({ monitorKey, runId: `run ${hour}`, ageSeconds: Math.floor((service.now - NOON - hour * HOUR) / SECOND) }),
    );

  test("the notice names no slot that has been filled since, and no monitor whose slots all have", async () => {
    using service = await deaf(["healed", "half", "silent"]);
    expect(ofThree(service)).toEqual(Array(3).fill([NOON + HOUR, 3]));
    for (const hour of [1, 2, 3]) await lateFor(service, "healed", hour);
    await lateFor(service, "half", 2);
    expect(ofThree(service)).toEqual([
      [NOON + HOUR, 1],
      [NOON + HOUR, 3],
      [NOON + 3 * HOUR, 1],
    ]);
    await lateFor(service, "patient", 1);
    await lateFor(service, "patient", 2);
    await lateFor(service, "patient", 3);
    for (let at = service.now; at < NOON + 3 * HOUR + 32 * MINUTE; at += SECOND) service.look(at);
    const [notice] = service.notices();
    expect(notice?.data.notice).toMatchObject({
      kind: "unheard",
      monitorsTotal: 2,
      monitors: [
        { monitorKey: "half", firstSlot: toIso(NOON + HOUR), slotsTotal: 2 },
        { monitorKey: "silent", firstSlot: toIso(NOON + HOUR), slotsTotal: 3 },
      ],
    });
    expect(service.alarms()).toEqual([]);
  });

  test("one that ran too late for its slot leaves it unknown", async () => {
    using service = await deaf(["job"]);
    await service.send(ping({ runId: "x", ageSeconds: 30 * 60 }));
    expect(ofThree(service)).toEqual([[NOON + HOUR, 3]]);
  });

  test("the end of a run that a gap had left unknown ends it", async () => {
    using service = openService();
    await service.send(ping({ schedule: HOURLY, maxRuntimeSeconds: 1_800 }));
    service.look(NOON + HOUR);
    await service.send(ping({ kind: "start", runId: "lost" }));
    service.look(NOON + HOUR + 10 * MINUTE);
    service.kill();
    service.at(NOON + HOUR + 40 * MINUTE);
    service.start();
    service.look(NOON + HOUR + 42 * MINUTE);
    const runs = () => service.store.database.query("select run_id from unknowns").values();
    expect(runs()).toEqual([["lost"]]);
    await service.send(ping({ kind: "complete", runId: "lost", ageSeconds: 20 * 60 }));
    expect(runs()).toEqual([]);
  });
});
