// R26, R33: what a report that a rate limit refused does for its monitor, what is kept of it, and who is told. That the
// limit refuses at the right moment is the edge's business.

import { describe, expect, test } from "bun:test";
import { refuse } from "../../src/domain/errors.ts";
import type { NoticeMessage } from "../../src/domain/message/notice.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, type PingChanges, ping, policyWith, type Service, warningOf } from "../support/engine.ts";

const SETTING = "limits.v1_per_minute";
const HOURLY = "0 * * * *";
const CLOSE = MINUTE + 5 * SECOND;

/** A service with the monitor `job`, which has reported at noon. */
async function withJob(changes: PingChanges = {}): Promise<Service> {
  const service = openService();
  await service.send(ping({ schedule: HOURLY, ...changes }));
  return service;
}

/** The clock comes to `at`, and is looked at every so often on its way. */
function passTo(service: Service, at: Instant, every = 10 * MINUTE): void {
  while (service.now + every < at) service.look(service.now + every);
  service.look(at);
}

function refuseAt(service: Service, at: Instant, changes: PingChanges = {}, setting = SETTING): void {
  passTo(service, at);
  service.engine.intake.rateLimited(ping(changes), setting);
  service.endTurns();
}

const alertsOf = (service: Service) => service.notified().filter(({ kind }) => kind !== null);

const noticesOf = ({ store }: Service) =>
  store.database
    .query<{ at: Instant; data: string }, []>("select at, data from alerts where incident_id is null order by id")
    .all()
    .map(({ at, data }) => {
      const { notice }: NoticeMessage["data"] = JSON.parse(data);
      if (notice.kind !== "refused") throw new Error(`a notice of another kind: ${notice.kind}`);
      return { at, notice };
    });

const rowsOf = ({ store }: Service) =>
  store.database
    .query("select monitor_key as monitor, at, kind, message, field as setting, times from refused_reports order by id")
    .all() as Record<string, unknown>[];

const missedAt = (at: Instant) => ({
  monitor: "job",
  kind: "InitialFailure" as const,
  reason: "opened" as const,
  cause: "missed" as const,
  at: toIso(at),
});

describe("R26: evidence of life", () => {
  test("a flood of refused reports raises no miss, however many slots it lasts", async () => {
    using service = await withJob();
    for (let minute = 5; minute <= 4 * 60; minute += 5) {
      for (let sent = 0; sent < 20; sent++) service.engine.intake.rateLimited(ping(), SETTING);
      refuseAt(service, NOON + minute * MINUTE);
    }
    expect(alertsOf(service)).toEqual([]);
    expect(service.monitor()).toMatchObject({ receivedAt: NOON, succeededAt: NOON, expectedAt: NOON + 5 * HOUR });
  });

  test("a job that dies during the flood is found at the next due slot", async () => {
    using service = await withJob();
    for (let minute = 5; minute <= 150; minute += 5) refuseAt(service, NOON + minute * MINUTE);
    passTo(service, NOON + 3 * HOUR + CLOSE - SECOND);
    expect(alertsOf(service)).toEqual([]);
    passTo(service, NOON + 5 * HOUR);
    expect(alertsOf(service)).toContainEqual(missedAt(NOON + 3 * HOUR + CLOSE));
  });

  test("another monitor that is silent meanwhile is missed: one speaks for itself alone", async () => {
    using service = await withJob();
    await service.send(ping({ monitorKey: "other", schedule: HOURLY }));
    for (let minute = 10; minute <= 90; minute += 10) refuseAt(service, NOON + minute * MINUTE);
    expect(alertsOf(service)).toEqual([{ ...missedAt(NOON + HOUR + CLOSE), monitor: "other" }]);
  });

  test("deadlines that had passed are settled first, and what opened then stays open", async () => {
    using service = await withJob();
    service.at(NOON + HOUR + 30 * MINUTE);
    service.engine.intake.rateLimited(ping(), SETTING);
    service.endTurns();
    expect(alertsOf(service)).toEqual([missedAt(NOON + HOUR + CLOSE)]);
    expect(service.monitor().incident).toMatchObject({ causes: ["missed"] });
  });

  test("the second report of a minute fills the slot it is early for", async () => {
    using service = await withJob({ schedule: "*/2 * * * *" });
    refuseAt(service, NOON + MINUTE + 5 * SECOND);
    expect(service.monitor().expectedAt).toBe(NOON + 2 * MINUTE);
    refuseAt(service, NOON + MINUTE + 47 * SECOND);
    expect(service.monitor().expectedAt).toBe(NOON + 2 * MINUTE);
    refuseAt(service, NOON + MINUTE + 48 * SECOND);
    expect(service.monitor().expectedAt).toBe(NOON + 4 * MINUTE);
    expect(service.count("refused_reports")).toBe(1);
  });

  test("starts, ends and closes nothing", async () => {
    using service = await withJob();
    await service.send(ping({ kind: "fail" }), ping({ kind: "start", runId: "open", maxRuntimeSeconds: 600 }));
    refuseAt(service, NOON + MINUTE, { kind: "complete", runId: "open" });
    refuseAt(service, NOON + 2 * MINUTE, { kind: "start", runId: "refused" });
    refuseAt(service, NOON + 3 * MINUTE);
    expect(service.monitor()).toMatchObject({
      runs: [{ runId: "open", state: "open" }],
      incident: { causes: ["failed"], closedAt: null },
    });
    expect(service.count("pings")).toBe(3);
  });

  test("changes no setting and makes no monitor", async () => {
    using service = await withJob();
    refuseAt(service, NOON + MINUTE, { schedule: "5 * * * *", graceSeconds: 999 });
    refuseAt(service, NOON + MINUTE, { monitorKey: "unknown", schedule: HOURLY });
    expect(service.monitor().watch).toMatchObject({ schedule: HOURLY, graceSeconds: 60 });
    expect([service.count("monitors"), service.count("refused_reports")]).toEqual([1, 1]);
    passTo(service, NOON + 10 * MINUTE);
    expect(noticesOf(service)[0]?.notice.monitorsTotal).toBe(1);
  });

  test("R5: a refused log is kept and fills nothing", async () => {
    using service = await withJob();
    refuseAt(service, NOON + HOUR + SECOND, { kind: "log" });
    expect(rowsOf(service)).toMatchObject([{ kind: "log" }]);
    passTo(service, NOON + HOUR + CLOSE);
    expect(alertsOf(service)).toEqual([missedAt(NOON + HOUR + CLOSE)]);
  });
});

describe("R26: what is kept", () => {
  test("is one row per monitor and setting, and a repetition in its minute does not even wait for a turn", async () => {
    using service = await withJob();
    await service.send(ping({ monitorKey: "other", schedule: HOURLY }));
    for (const second of [0, 1, 59]) refuseAt(service, NOON + MINUTE + second * SECOND);
    refuseAt(service, NOON + MINUTE + 59 * SECOND, { monitorKey: "other" });
    service.engine.intake.rateLimited(ping(), SETTING);
    service.engine.intake.rateLimited(ping({ monitorKey: "other" }), SETTING);
    expect(service.endTurn()).toBe(false);
    refuseAt(service, NOON + 3 * MINUTE, {}, "limits.v1_per_hour");
    const row = { kind: "heartbeat", message: null, setting: SETTING, at: NOON + MINUTE + 59 * SECOND };
    expect(rowsOf(service)).toEqual([
      { ...row, monitor: "job", times: 4 },
      { ...row, monitor: "other", times: 2 },
      { ...row, monitor: "job", times: 1, setting: "limits.v1_per_hour", at: NOON + 3 * MINUTE },
    ]);
  });

  test("is a failure apart from other reports, with what it said last and how often it came", async () => {
    using service = await withJob();
    const at = NOON + MINUTE;
    const kept = () => rowsOf(service).map(({ kind, message, times }) => [kind, message, times]);
    refuseAt(service, at, { kind: "log" });
    refuseAt(service, at + SECOND, { kind: "start" });
    expect(kept()).toEqual([["start", null, 2]]);
    refuseAt(service, at + 2 * SECOND, { kind: "fail", message: "disk full" });
    expect(kept()).toEqual([
      ["start", null, 2],
      ["fail", "disk full", 1],
    ]);
    refuseAt(service, at + 3 * SECOND, { kind: "fail" });
    service.look(at + 2 * MINUTE);
    expect(kept()[1]).toEqual(["fail", "disk full", 2]);
    expect(rowsOf(service)[1]).toMatchObject({ at: at + 3 * SECOND, setting: SETTING });
  });

  test("shows life once a minute also when many come in one turn, or a restart forgot the first", async () => {
    using service = openService();
    await service.send(ping({ everySeconds: 600 }));
    service.at(NOON + MINUTE);
    for (let sent = 0; sent < 3; sent++) service.engine.intake.rateLimited(ping(), SETTING);
    service.endTurns();
    expect(service.monitor().expectedAt).toBe(NOON + 2 * MINUTE + 600 * SECOND);
    service.restart();
    refuseAt(service, NOON + 2 * MINUTE);
    service.restart();
    refuseAt(service, NOON + 2 * MINUTE + SECOND);
    expect(service.monitor().expectedAt).toBe(NOON + 3 * MINUTE + 600 * SECOND);
    expect(rowsOf(service)).toMatchObject([{ times: 5 }]);
  });

  test("is kept again when its transaction was not: only what is on disk counts as known", async () => {
    using service = await withJob();
    const other = service.connect();
    other.run("BEGIN EXCLUSIVE");
    refuseAt(service, NOON + 10 * SECOND);
    other.run("ROLLBACK");
    expect(service.count("refused_reports")).toBe(0);
    refuseAt(service, NOON + 20 * SECOND);
    expect(service.count("refused_reports")).toBe(1);
  });

  test("goes 90 days after it was told", async () => {
    using service = await withJob();
    refuseAt(service, NOON + MINUTE);
    passTo(service, NOON + 10 * MINUTE);
    service.look(NOON + 90 * DAY);
    expect(service.count("refused_reports")).toBe(1);
    service.look(NOON + 90 * DAY + HOUR);
    expect(service.count("refused_reports")).toBe(0);
  });

  test("stays until it was told, however old it is", async () => {
    using service = await withJob();
    const { refusedReports } = service.store;
    refuseAt(service, NOON, { kind: "fail" });
    expect(refusedReports.prune(NOON + DAY, 0, 10).deleted).toBe(0);
    refusedReports.markNotified(refusedReports.pendingSpan().upTo);
    expect(refusedReports.prune(NOON + DAY, 0, 10).deleted).toBe(1);
  });
});

describe("R33: the notice", () => {
  test("names no failure that its client has sent again, which an incident tells", async () => {
    using service = await withJob();
    refuseAt(service, NOON + MINUTE);
    passTo(service, NOON + MINUTE + 30 * SECOND);
    // Both wait for the notice's minute: the failure is refused, sent again and taken.
    service.engine.intake.rateLimited(ping({ kind: "fail", message: "disk full" }), SETTING);
    await service.send(ping({ kind: "fail", message: "disk full" }));
    service.endTurns();
    passTo(service, NOON + 10 * MINUTE, SECOND);
    expect(alertsOf(service)).toMatchObject([{ cause: "failed" }]);
    expect(noticesOf(service)).toMatchObject([{ notice: { failingTotal: 0, monitors: [{ refused: { length: 1 } }] } }]);
  });

  test("is told at once of the first failure", async () => {
    using service = await withJob();
    refuseAt(service, NOON + MINUTE, { kind: "fail", message: "disk full" });
    passTo(service, NOON + MINUTE + SECOND, SECOND);
    expect(noticesOf(service)).toMatchObject([{ notice: { failingTotal: 1 } }]);
  });

  test("shares its hour with the notice of reports that were wrong", async () => {
    using service = await withJob();
    refuseAt(service, NOON + MINUTE);
    passTo(service, NOON + 3 * MINUTE, SECOND);
    expect(noticesOf(service)).toHaveLength(1);
    const refusal = refuse("MONITOR_NOT_FOUND", "monitor does not exist");
    service.engine.intake.refused({ caller: ping().caller, monitorKey: "jbo", kind: "heartbeat", refusal });
    service.endTurns();
    const kinds = () =>
      service.store.database
        .query<{ data: string }, []>("select data from alerts where incident_id is null order by id")
        .all()
        .map(({ data }) => JSON.parse(data).notice.kind);
    passTo(service, NOON + HOUR + MINUTE, 10 * SECOND);
    expect(kinds()).toEqual(["refused"]);
    passTo(service, NOON + HOUR + 3 * MINUTE, SECOND);
    expect(kinds()).toEqual(["refused", "refused"]);
  });

  test("goes out a minute after the first refusal, once for a flood, and names the setting", async () => {
    using service = await withJob();
    for (let minute = 1; minute <= 30; minute++) refuseAt(service, NOON + minute * MINUTE);
    expect(noticesOf(service)).toMatchObject([
      {
        at: NOON + 2 * MINUTE,
        notice: {
          monitorsTotal: 1,
          failingTotal: 0,
          monitors: [
            {
              applicationId: "prod",
              monitorKey: "job",
              refused: [
                {
                  firstAt: toIso(NOON + MINUTE),
                  error: "RATE_LIMIT_EXCEEDED",
                  field: SETTING,
                  message: null,
                  times: 1,
                },
              ],
            },
          ],
        },
      },
    ]);
    expect(service.count("deliveries")).toBe(1);
    expect(service.nudges).toBeGreaterThan(0);
  });

  test("goes out once an hour while the flood lasts, each time about what was not told before", async () => {
    using service = await withJob();
    for (let minute = 1; minute <= 150; minute++) refuseAt(service, NOON + minute * MINUTE);
    passTo(service, NOON + 3 * HOUR + 10 * MINUTE, 2 * MINUTE);
    expect(noticesOf(service).map(({ at, notice }) => [at - NOON, notice.monitors[0]!.refused[0]!.times])).toEqual([
      [2 * MINUTE, 1],
      [62 * MINUTE, 61],
      [122 * MINUTE, 121],
      [182 * MINUTE, 150],
    ]);
  });

  test("R26: names refused fails with what they said", async () => {
    using service = await withJob();
    refuseAt(service, NOON + MINUTE);
    refuseAt(service, NOON + MINUTE + 10 * SECOND, { kind: "fail", message: "disk full" });
    passTo(service, NOON + 5 * MINUTE);
    expect(noticesOf(service).map(({ notice }) => notice)).toMatchObject([
      {
        failingTotal: 1,
        monitors: [
          {
            monitorKey: "job",
            refused: [
              { at: toIso(NOON + MINUTE + 10 * SECOND), report: "fail", message: "disk full" },
              { at: toIso(NOON + MINUTE), report: "heartbeat" },
            ],
          },
        ],
      },
    ]);
    expect(alertsOf(service)).toEqual([]);
  });

  test("R26: within the hour, a fail of a monitor it did not name is told a minute later; of one it named, with the next", async () => {
    using service = await withJob();
    await service.send(ping({ monitorKey: "other", schedule: HOURLY }));
    const fail = { kind: "fail", message: "boom" } as const;
    refuseAt(service, NOON + MINUTE, fail);
    passTo(service, NOON + 5 * MINUTE);
    refuseAt(service, NOON + 10 * MINUTE, fail);
    passTo(service, NOON + 19 * MINUTE);
    expect(noticesOf(service)).toHaveLength(1);
    refuseAt(service, NOON + 20 * MINUTE, { ...fail, monitorKey: "other" });
    passTo(service, NOON + 21 * MINUTE - SECOND);
    expect(noticesOf(service)).toHaveLength(1);
    passTo(service, NOON + 21 * MINUTE);
    expect(noticesOf(service)[1]).toMatchObject({
      at: NOON + 21 * MINUTE,
      notice: { monitors: [{ monitorKey: "job" }, { monitorKey: "other" }] },
    });
    refuseAt(service, NOON + 30 * MINUTE, { ...fail, monitorKey: "other" });
    passTo(service, NOON + 80 * MINUTE);
    expect(noticesOf(service)).toHaveLength(2);
    passTo(service, NOON + 81 * MINUTE);
    expect(noticesOf(service)).toHaveLength(3);
  });

  test("is not due for a report that only repeats what was told", async () => {
    using service = await withJob({ schedule: "*/2 * * * *" });
    refuseAt(service, NOON + 40 * SECOND);
    refuseAt(service, NOON + MINUTE + 5 * SECOND);
    passTo(service, NOON + MINUTE + 40 * SECOND);
    refuseAt(service, NOON + MINUTE + 50 * SECOND);
    expect([rowsOf(service)[0]!["times"], noticesOf(service).length]).toEqual([3, 1]);
    passTo(service, NOON + 2 * HOUR);
    refuseAt(service, NOON + 2 * HOUR + SECOND);
    passTo(service, NOON + 2 * HOUR + MINUTE + SECOND);
    expect(noticesOf(service)).toHaveLength(2);
  });

  test("survives a restart: what was untold is told, and the hour goes on", async () => {
    using service = await withJob();
    refuseAt(service, NOON + MINUTE, { kind: "fail", message: "boom" });
    service.restart();
    passTo(service, NOON + 2 * MINUTE);
    expect(noticesOf(service)).toMatchObject([{ notice: { failingTotal: 1 } }]);
    refuseAt(service, NOON + 10 * MINUTE, { kind: "fail", message: "boom" });
    service.restart();
    passTo(service, NOON + 2 * MINUTE + HOUR - SECOND);
    expect(noticesOf(service)).toHaveLength(1);
    passTo(service, NOON + 2 * MINUTE + HOUR);
    expect(noticesOf(service)).toHaveLength(2);
  });

  test("goes to the destinations of the monitors it names, each told of its own", async () => {
    const destinations = new Map(["hook", "pager"].map((name) => [name, MESSAGES]));
    using service = openService(policyWith({ destinations, monitors: { other: { destinations: ["pager"] } } }));
    await service.send(ping({ schedule: HOURLY }), ping({ monitorKey: "other", schedule: HOURLY }));
    refuseAt(service, NOON + MINUTE);
    refuseAt(service, NOON + MINUTE + SECOND, { monitorKey: "other" }, "limits.v1_per_hour");
    passTo(service, NOON + 3 * MINUTE);
    const sent = service.store.database
      .query("select destination, incident_id as incident from deliveries order by id")
      .all();
    expect(sent).toEqual([
      { destination: "hook", incident: null },
      { destination: "pager", incident: null },
    ]);
    expect(
      noticesOf(service).map(({ notice }) => notice.monitors.map((it) => [it.monitorKey, it.refused[0]!.field])),
    ).toEqual([[["job", SETTING]], [["other", "limits.v1_per_hour"]]]);
  });
});

describe("R14: the warning", () => {
  const text = `Reports of this monitor were refused by the rate limit in the last hour (${SETTING}).`;
  const warned = async (service: Service, changes: PingChanges = {}) =>
    warningOf((await service.send(ping(changes)))[0]);

  test("says so for an hour, to that monitor alone, also after a restart", async () => {
    using service = await withJob();
    await service.send(ping({ monitorKey: "other", schedule: HOURLY }));
    refuseAt(service, NOON + MINUTE);
    expect(await warned(service)).toBe(text);
    expect(await warned(service, { monitorKey: "other" })).toBeNull();
    service.restart();
    expect(await warned(service)).toBe(text);
    passTo(service, NOON + MINUTE + HOUR - SECOND);
    service.restart();
    expect(await warned(service)).toBe(text);
    service.at(NOON + MINUTE + HOUR);
    expect(await warned(service)).toBeNull();
  });

  test("comes after the one about a changed schedule", async () => {
    using service = await withJob();
    refuseAt(service, NOON + MINUTE);
    expect(await warned(service, { schedule: "5 * * * *" })).toStartWith("The schedule changed");
    expect(await warned(service, { schedule: "5 * * * *" })).toBe(text);
  });
});

describe("R33: a notice about very many monitors", () => {
  const MANY = 1_100;

  /** When the notice is due. */
  const DUE = NOON + 150 * SECOND;

  /** A report of each was refused at one moment, and another of one in the minute in which the notice is due. */
  async function withMany(): Promise<Service> {
    const service = openService();
    const keys = Array.from({ length: MANY }, (_, index) => `job-${index}`);
    await service.send(...keys.map((monitorKey) => ping({ monitorKey, schedule: HOURLY })));
    service.at(DUE - MINUTE);
    for (const monitorKey of keys) service.engine.intake.rateLimited(ping({ monitorKey }), SETTING);
    service.endTurns();
    service.at(DUE - 20 * SECOND);
    service.engine.intake.rateLimited(ping({ monitorKey: "job-1" }), SETTING);
    service.endTurns();
    return service;
  }

  /** A failure takes the place of the report of its minute. */
  function refuseOneMore(service: Service): void {
    service.engine.intake.rateLimited(ping({ monitorKey: "job-1", kind: "fail", message: "boom" }), SETTING);
    service.endTurns();
  }

  test("counts all, lists a thousand, the failed one first, and takes a turn for some of them", async () => {
    using service = await withMany();
    refuseOneMore(service);
    service.at(DUE);
    service.engine.tick();
    let turns = 0;
    while (service.endTurn()) turns += 1;
    expect(turns).toBeGreaterThan(5);
    const [{ notice }, ...others] = noticesOf(service) as [ReturnType<typeof noticesOf>[number]];
    expect(others).toEqual([]);
    expect(notice).toMatchObject({ monitorsTotal: MANY, failingTotal: 1, monitors: { length: 1_000 } });
    expect(notice.monitors[0]).toMatchObject({ monitorKey: "job-1", refused: [{ message: "boom" }, { times: 2 }] });
    expect(notice.monitors[1]).toMatchObject({ monitorKey: "job-0", refused: [{ times: 1, report: "heartbeat" }] });
  });

  test.each([
    ["whatever is refused meanwhile", false],
    ["wherever the process dies meanwhile", true],
  ])("names each report, and no failure is lost, %s", async (_title, dies) => {
    let seen = 0;
    for (let turns = 1, isOver = false; !isOver; turns += 3) {
      using service = await withMany();
      service.at(DUE);
      service.engine.tick();
      for (let turn = 0; turn < turns; turn += 1) isOver = !service.endTurn();
      refuseOneMore(service);
      if (dies) service.restart();
      passTo(service, NOON + 70 * MINUTE, MINUTE);
      const told = noticesOf(service).map(({ notice }) => notice);
      expect(told.reduce((sum, { failingTotal }) => sum + failingTotal, 0)).toBe(1);
      const named = told.reduce((sum, { monitorsTotal }) => sum + monitorsTotal, 0);
      expect(named).toBeGreaterThanOrEqual(MANY);
      expect(named).toBeLessThanOrEqual(MANY + 1);
      seen = Math.max(seen, told.length);
    }
    expect(seen).toBe(2);
  });
});
