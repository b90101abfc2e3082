// Maintenance that people plan, on the real engine (R24): it comes, pauses its monitors, and is over or ended.

import { describe, expect, test } from "bun:test";
import { isRefusal } from "../../src/domain/errors.ts";
import { actorOf } from "../../src/domain/people/person.ts";
import { DAY, HOUR, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import type { Input } from "../../src/engine/operations/operations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const HOURLY = "0 * * * *";
const CLOSING = MINUTE + 5 * SECOND;
const BEN = actorOf({ id: 1, name: "Ben", role: "operator", applications: ["prod"] }, "::1");

/** Half past noon, ten minutes after the last reports of `job` and `other`. */
async function atHalfPast(policy = policyWith()): Promise<Service> {
  const service = openService(policy, NOON - MINUTE);
  await service.send(ping({ schedule: HOURLY }), ping({ schedule: HOURLY, monitorKey: "other" }));
  service.look(NOON);
  service.at(NOON + 20 * MINUTE);
  await service.send(ping(), ping({ monitorKey: "other" }));
  service.look(NOON + 30 * MINUTE);
  return service;
}

const WANTED = { reason: "kernel upgrade", monitors: ["job"] };

function plan(service: Service, wanted: Partial<Input<"maintenance plan">>) {
  const answer = granted(
    service.engine.as(BEN).operate("maintenance plan", { ...WANTED, application: "prod", ...wanted }),
  );
  service.endTurns();
  return answer.maintenance;
}

function end(service: Service, id: number) {
  const answer = granted(service.engine.as(BEN).operate("maintenance end", { id }));
  service.endTurns();
  return answer;
}

const pausedUntil = (service: Service, key = "job") => service.monitor(key).pauses.manual;
const alarms = (service: Service) => service.alarms().map(({ kind, monitor, at }) => `${kind} ${monitor} ${at}`);
const listed = (service: Service) => granted(service.engine.operate("maintenance list", {})).maintenances;
const shown = (service: Service, key = "job") => granted(service.engine.operate("monitor show", { key }));

describe("R24: maintenance that is planned", () => {
  test("from now on pauses its monitors alone, hears their reports, and is over in its time", async () => {
    using service = await atHalfPast();
    expect(plan(service, { durationSeconds: 7_200 })).toMatchObject({ id: 1, state: "now", plannedBy: "Ben" });
    const until = NOON + 150 * MINUTE;
    expect([pausedUntil(service), pausedUntil(service, "other")]).toEqual([{ until }, null]);
    service.look(NOON + HOUR + CLOSING);
    expect(alarms(service)).toEqual([`InitialFailure other ${toIso(NOON + HOUR + CLOSING)}`]);
    await service.send(ping());
    expect(service.monitor().succeededAt).toBe(NOON + HOUR + CLOSING);
    service.look(until);
    expect([pausedUntil(service), service.monitor().expectedAt]).toEqual([null, NOON + 3 * HOUR]);
    expect(listed(service)).toMatchObject([{ state: "past", endedAt: until, endedBy: null }]);
  });

  test("says who planned it, and why, wherever the pause is told", async () => {
    using service = await atHalfPast();
    plan(service, { from: "2026-03-02 13:00", until: "2026-03-02 15:00" });
    expect(shown(service)).toMatchObject({ status: "healthy", maintenance: [{ id: 1, state: "ahead" }] });
    service.look(NOON + HOUR);
    const asked = { at: NOON + 30 * MINUTE, by: "Ben", reason: "kernel upgrade", planned: true };
    const { pauses, now } = shown(service);
    expect(pauses.manual).toEqual({ until: NOON + 3 * HOUR, asked });
    expect(now.map(({ text }) => text).join("")).toBe("is in maintenance until 15:00 by Ben: kernel upgrade");
  });

  test("is for monitors that come later, and for all of an application", async () => {
    using service = await atHalfPast();
    plan(service, { monitors: ["new-*"], durationSeconds: 7_200 });
    await service.send(ping({ schedule: HOURLY, monitorKey: "new-one" }));
    expect(pausedUntil(service, "new-one")).toEqual({ until: NOON + 150 * MINUTE });
    plan(service, { monitors: [], durationSeconds: 3_600 });
    await service.send(ping({ schedule: HOURLY, monitorKey: "third" }));
    expect([pausedUntil(service, "other"), pausedUntil(service, "third")]).toEqual(
      Array(2).fill({ until: NOON + 90 * MINUTE }),
    );
    expect(pausedUntil(service, "new-one")).toEqual({ until: NOON + 150 * MINUTE });
  });

  test("comes again by its schedule, in its zone", async () => {
    using service = await atHalfPast();
    plan(service, { schedule: "0 15 * * *", timezone: "europe/berlin", durationSeconds: 5_400 });
    for (const day of [0, 1, 2]) {
      service.look(NOON + day * DAY + 2 * HOUR);
      expect(pausedUntil(service)).toEqual({ until: NOON + day * DAY + 3.5 * HOUR });
      service.look(NOON + day * DAY + 3.5 * HOUR);
      expect(pausedUntil(service)).toBeNull();
    }
  });

  test("a fail in it waits until it is over, a resume in it is obeyed, also over restarts", async () => {
    using service = await atHalfPast();
    plan(service, { monitors: [], durationSeconds: 7_200 });
    await service.send(ping({ kind: "fail", monitorKey: "other" }));
    granted(service.engine.operate("monitor resume", { key: "job" }));
    for (const later of [5, 10]) {
      service.at(NOON + (30 + later) * MINUTE);
      service.restart();
      service.endTurns();
      await service.send(ping({ graceSeconds: 100 + later }));
      expect([pausedUntil(service), pausedUntil(service, "other")]).toEqual([null, { until: NOON + 150 * MINUTE }]);
    }
    expect(alarms(service)).toEqual([]);
    service.look(NOON + 150 * MINUTE);
    expect(alarms(service).filter((alarm) => alarm.startsWith("Initial"))).toEqual([
      expect.stringMatching(/^InitialFailure job /),
      `InitialFailure other ${toIso(NOON + 150 * MINUTE)}`,
    ]);
  });

  test("is in force after a crash that came before its monitors were told", async () => {
    using service = await atHalfPast();
    granted(service.engine.operate("maintenance plan", { ...WANTED, monitors: [], durationSeconds: 7_200 }));
    service.kill();
    service.at(NOON + 40 * MINUTE);
    service.start();
    service.endTurns();
    expect([pausedUntil(service), pausedUntil(service, "other")]).toEqual(
      Array(2).fill({ until: NOON + 150 * MINUTE }),
    );
  });

  test("stays beside a configuration that is read again, whose windows are listed too", async () => {
    using service = await atHalfPast();
    plan(service, { durationSeconds: 7_200 });
    const window = { schedule: "0 4 * * 0", timezone: null, durationSeconds: 3_600 };
    service.reload(policyWith({ monitors: { job: { maintenance: [window] }, other: { maintenance: [window] } } }));
    expect(pausedUntil(service)).toEqual({ until: NOON + 150 * MINUTE });
    expect(listed(service)).toMatchObject([
      { id: 1, state: "now" },
      { id: null, state: "ahead", monitors: ["job", "other"], schedule: "0 4 * * 0", plannedBy: null },
    ]);
    service.reload(policyWith());
    expect(pausedUntil(service)).toEqual({ until: NOON + 150 * MINUTE });
  });
});

describe("R24: a pause by hand and maintenance", () => {
  test("a shorter pause by hand does not end the maintenance, a longer one outlasts it", async () => {
    using service = await atHalfPast();
    plan(service, { monitors: [], durationSeconds: 7_200 });
    for (const key of ["job", "other"]) {
      const durationSeconds = key === "job" ? 60 : 10_800;
      granted(service.engine.as(BEN).operate("monitor pause", { key, durationSeconds }));
    }
    expect(shown(service).pauses.manual).toMatchObject({ asked: { by: "Ben", reason: "kernel upgrade" } });
    service.look(NOON + HOUR + CLOSING);
    expect([pausedUntil(service), alarms(service)]).toEqual([{ until: NOON + 150 * MINUTE }, []]);
    service.look(NOON + 150 * MINUTE);
    expect([pausedUntil(service), pausedUntil(service, "other")]).toEqual([null, { until: NOON + 210 * MINUTE }]);
  });

  test("what a person asked for stands again when the maintenance that outlasted it ends", async () => {
    using service = await atHalfPast();
    for (const key of ["job", "other"])
      granted(service.engine.operate("monitor pause", { key, durationSeconds: 3_600 }));
    const { id } = plan(service, { monitors: [], durationSeconds: 7_200 });
    granted(service.engine.operate("monitor resume", { key: "other" }));
    const again = plan(service, { monitors: ["other"], durationSeconds: 7_200 });
    service.at(NOON + 40 * MINUTE);
    end(service, id!);
    end(service, again.id!);
    expect([pausedUntil(service), pausedUntil(service, "other")]).toEqual([{ until: NOON + 90 * MINUTE }, null]);
  });

  test("new maintenance pauses one that was resumed in longer maintenance, and takes its pause with it", async () => {
    using service = await atHalfPast();
    plan(service, { durationSeconds: 7_200 });
    granted(service.engine.operate("monitor resume", { key: "job" }));
    service.at(NOON + 31 * MINUTE);
    const shorter = plan(service, { durationSeconds: 300 });
    expect(pausedUntil(service)).toEqual({ until: NOON + 36 * MINUTE });
    end(service, shorter.id!);
    expect(pausedUntil(service)).toBeNull();
    service.at(NOON + 32 * MINUTE);
    plan(service, { durationSeconds: 300 });
    service.look(NOON + 37 * MINUTE);
    expect(pausedUntil(service)).toBeNull();
  });

  test("after a resume in it, a pause by hand is as short as it was asked", async () => {
    using service = await atHalfPast();
    plan(service, { durationSeconds: 7_200 });
    granted(service.engine.operate("monitor resume", { key: "job" }));
    granted(service.engine.operate("monitor pause", { key: "job", durationSeconds: 60 }));
    expect(pausedUntil(service)).toEqual({ until: NOON + 31 * MINUTE });
  });
});

test("R24: a monitor that is brought back is in what was planned meanwhile, and not in what was called off", async () => {
  using service = await atHalfPast();
  const ahead = plan(service, { monitors: [], from: "2026-03-02 18:00", durationSeconds: 7_200 });
  for (const key of ["job", "other"]) granted(service.engine.operate("monitor delete", { key }));
  end(service, ahead.id!);
  plan(service, { durationSeconds: 7_200 });
  for (const key of ["job", "other"]) granted(service.engine.operate("monitor undelete", { key }));
  expect([pausedUntil(service), pausedUntil(service, "other")]).toEqual([{ until: NOON + 150 * MINUTE }, null]);
  await service.send(ping({ monitorKey: "other" }));
  service.look(NOON + 6 * HOUR);
  expect(pausedUntil(service, "other")).toBeNull();
});

test("R24: a monitor that is renamed stays in the maintenance that names it", async () => {
  using service = await atHalfPast();
  plan(service, { monitors: ["job", "other"], durationSeconds: 7_200 });
  await service.send(ping({ kind: "fail" }));
  granted(service.engine.operate("monitor rename", { key: "job", newKey: "new-job" }));
  for (const _ of ["now", "restarted"]) {
    service.endTurns();
    expect(listed(service)).toMatchObject([{ monitors: ["new-job", "other"] }]);
    expect([pausedUntil(service, "new-job"), alarms(service)]).toEqual([{ until: NOON + 150 * MINUTE }, []]);
    service.restart();
  }
});

test("R24, R26: maintenance goes on when a clock that was ahead is put right", async () => {
  using service = await atHalfPast();
  plan(service, { durationSeconds: 7_200 });
  plan(service, { monitors: ["other"], from: "2026-03-02 15:00", until: "2026-03-02 16:00" });
  service.stepClock(DAY);
  service.look(service.now + SECOND);
  expect(listed(service)).toMatchObject([{ state: "past" }, { state: "past", endedAt: NOON + 150 * MINUTE }]);
  service.stepClock(-DAY);
  for (let minute = 0; minute < 12; minute += 1) service.look(service.now + MINUTE);
  expect(listed(service)).toMatchObject([{ state: "now", endedAt: null }, { state: "ahead" }]);
  expect([pausedUntil(service), pausedUntil(service, "other")]).toEqual([{ until: NOON + 150 * MINUTE }, null]);
  service.look(NOON + 3 * HOUR);
  expect(pausedUntil(service, "other")).toEqual({ until: NOON + 4 * HOUR });
});

describe("R24: ending maintenance", () => {
  test("resumes its monitors now, tells what they held back, and is kept", async () => {
    using service = await atHalfPast();
    const { id } = plan(service, { monitors: [], durationSeconds: 7_200 });
    await service.send(ping({ kind: "fail" }));
    service.at(NOON + 45 * MINUTE);
    expect(end(service, id!)).toMatchObject({ changed: true, maintenance: { state: "past", endedBy: "Ben" } });
    expect([pausedUntil(service), pausedUntil(service, "other")]).toEqual([null, null]);
    expect(alarms(service)).toEqual([`InitialFailure job ${toIso(NOON + 45 * MINUTE)}`]);
    expect(service.monitor("other").expectedAt).toBe(NOON + HOUR);
    expect(end(service, id!)).toMatchObject({ changed: false });
    expect(listed(service)).toMatchObject([{ id, state: "past", endedAt: NOON + 45 * MINUTE }]);
  });

  test("calls off what is ahead, and leaves another window and a longer pause by hand alone", async () => {
    using service = await atHalfPast();
    const ahead = plan(service, { from: "2026-03-02T13:00Z", durationSeconds: 7_200 });
    end(service, ahead.id!);
    service.look(NOON + HOUR);
    expect(pausedUntil(service)).toBeNull();

    const longer = plan(service, { monitors: [], durationSeconds: 7_200 });
    plan(service, { durationSeconds: 3_600 });
    granted(service.engine.operate("monitor pause", { key: "other" }));
    end(service, longer.id!);
    expect([pausedUntil(service), pausedUntil(service, "other")]).toEqual([
      { until: NOON + 2 * HOUR },
      { until: null },
    ]);
  });

  test("holds after a crash that came before its monitors were told", async () => {
    using service = await atHalfPast();
    const { id } = plan(service, { monitors: [], durationSeconds: 7_200 });
    granted(service.engine.operate("maintenance end", { id: id! }));
    service.restart();
    service.endTurns();
    expect([pausedUntil(service), pausedUntil(service, "other")]).toEqual([null, null]);
  });
});

describe("what is refused, by field, and changes nothing", () => {
  const LATER = { from: "2026-03-02 13:00" };
  const refused: readonly (readonly [Partial<Input<"maintenance plan">>, string])[] = [
    [{ application: "nowhere", durationSeconds: 3_600 }, 'application: "nowhere" does not exist'],
    [{ durationSeconds: 3_600, reason: "" }, "reason: it is empty"],
    [{ durationSeconds: 3_600, monitors: [""] }, "monitors: it is empty"],
    [{ durationSeconds: 3_600, monitors: Array.from({ length: 21 }, (_, n) => `${n}*`) }, "monitors: at most 20"],
    [{}, "until: name the end"],
    [{ ...LATER, until: "2026-03-02 14:00", durationSeconds: 3_600 }, "until: name the end"],
    [{ ...LATER, until: "2026-03-02 13:00" }, "until: it would end before it has lasted a minute"],
    [{ ...LATER, until: "2026-03-02 12:59" }, "until: it would end before"],
    [{ ...LATER, until: "2026-06-30" }, 'until: "2026-06-30" is no time, write one such as'],
    [{ ...LATER, until: "2026-02-31 12:00" }, 'until: "2026-02-31 12:00" is no time'],
    [{ ...LATER, until: "2026-06-30 12:00" }, "until: it would last over 90d"],
    [{ from: "2026-03-02 10:00", until: "2026-03-02 12:30" }, "until: it would be over already"],
    [{ from: "2026-03-02 10:00", durationSeconds: 3_600 }, "from: it would be over already"],
    [{ from: "2062-03-02 10:00", durationSeconds: 3_600 }, "from: it is more than two years ahead"],
    [{ durationSeconds: 3_600, timezone: "Berlin" }, 'timezone: "Berlin" is no time zone'],
    [{ schedule: "0 2 * *", durationSeconds: 3_600 }, "schedule: "],
    [{ schedule: "0 2 30 2 *", durationSeconds: 3_600 }, "schedule: "],
    [{ schedule: "0 2 * * *" }, "durationSeconds (--for): it is missing"],
    [{ ...LATER, schedule: "0 2 * * *", durationSeconds: 3_600 }, "from: it stands beside a schedule"],
    [{ schedule: "0 * * * *", durationSeconds: 3_600 }, "durationSeconds (--for): 1h lasts until the next begins"],
  ];

  test.each(refused)("%j", async (wanted, why) => {
    using service = await atHalfPast();
    const answer = service.engine.operate("maintenance plan", { ...WANTED, ...wanted });
    expect(answer).toMatchObject({ message: expect.stringMatching(new RegExp(`^${RegExp.escape(why)}`)) });
    expect(service.count("maintenances")).toBe(0);
  });

  test("more than a hundred of an application, one of another application, and one that is not there", async () => {
    using service = await atHalfPast();
    for (let one = 0; one < 100; one++) plan(service, { ...LATER, durationSeconds: 60 + one });
    const more = service.engine.operate("maintenance plan", { ...WANTED, durationSeconds: 60 });
    expect(more).toMatchObject({ message: expect.stringContaining("100 are planned") });
    expect(service.engine.operate("maintenance end", { id: 101 })).toMatchObject({ refusal: "NOT_FOUND" });
    const other = actorOf({ id: 2, name: "Cat", role: "operator", applications: ["test"] }, "::1");
    expect(isRefusal(service.engine.as(other).operate("maintenance end", { id: 1 }))).toBe(true);
  });

  test("keys and patterns of no monitor are taken, and named", async () => {
    using service = await atHalfPast();
    const monitors = ["job", "jo*", "jo?", "later", "later-*"];
    const answer = granted(service.engine.operate("maintenance plan", { ...WANTED, monitors, durationSeconds: 60 }));
    expect(answer.unmatched).toEqual(["jo?", "later", "later-*"]);
  });
});

test("labels in capitals, and those that the configuration alone sets, mean their monitors", async () => {
  using service = openService(policyWith({ monitors: { job: { labels: "db" }, gone: { labels: "other" } } }));
  await service.send(ping({ schedule: "0 * * * *" }), ping({ monitorKey: "b", schedule: "0 * * * *", labels: "web" }));
  const monitors = ["label:DB", "label:Web", "label:other", "label:none"];
  const answer = granted(
    service.engine.operate("maintenance plan", { application: "prod", monitors, durationSeconds: 60, reason: "x" }),
  );
  expect(answer.unmatched).toEqual(["label:other", "label:none"]);
});

describe("R17: times that a clock change shows twice or skips", () => {
  const times: readonly (readonly [from: string, until: string, begins: string, ends: string])[] = [
    ["2026-03-29 02:30", "2026-03-29 04:00", "2026-03-29T01:00", "2026-03-29T02:00"],
    ["2026-03-29 01:30", "2026-03-29 02:30", "2026-03-29T00:30", "2026-03-29T01:00"],
    ["2026-10-25 02:30", "2026-10-25 03:30", "2026-10-25T00:30", "2026-10-25T02:30"],
    ["2026-10-25 01:30", "2026-10-25 02:30", "2026-10-24T23:30", "2026-10-25T01:30"],
    ["2026-10-25 02:30+01:00", "2026-10-25T02:00Z", "2026-10-25T01:30", "2026-10-25T02:00"],
  ];

  test.each(times)("from %s until %s in Berlin", async (from, until, begins, ends) => {
    using service = await atHalfPast(policyWith({ prod: { timezone: "Europe/Berlin" } }));
    const { next } = plan(service, { from, until });
    expect(next).toEqual({ from: Date.parse(`${begins}Z`), until: Date.parse(`${ends}Z`) });
  });
});
