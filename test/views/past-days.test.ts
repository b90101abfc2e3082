// What became of a monitor's slots on each of the last days, as the real engine leaves it behind.

import { describe, expect, test } from "bun:test";
import { wholeOf } from "../../src/domain/in-pieces.ts";
import { lastMidnights } from "../../src/domain/schedule/midnights.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { recentRuns } from "../../src/views/recent-runs.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const MIDNIGHT = NOON - 12 * HOUR;

/** The results of the last days of `job`, oldest first. */
function daysOf(service: Service, days = 7) {
  const { monitors } = wholeOf(
    service.engine.views.lookBack({ application: "prod", isChosen: (key) => key === "job", days, limit: 10 }),
  );
  return monitors[0]!.days;
}

/** Looks every hour until `until`, and reports at each hour that `reports` names. */
async function play(service: Service, until: number, reports: (at: number) => "heartbeat" | "fail" | null) {
  for (let at = (Math.floor(service.now / HOUR) + 1) * HOUR; at <= until; at += HOUR) {
    service.look(at);
    const kind = reports(at);
    if (kind !== null) await service.send(ping({ kind, schedule: "0 * * * *" }));
  }
  service.look(until + 10 * MINUTE);
}

describe("the last days of a monitor", () => {
  test("are well while every slot is answered, and before it existed say so", async () => {
    using service = openService(policyWith(), MIDNIGHT);
    await play(service, MIDNIGHT + 2 * DAY, () => "heartbeat");
    const days = daysOf(service, 4);
    expect(days.map(({ result }) => result)).toEqual(["unwatched", "succeeded", "succeeded", "succeeded"]);
    expect(days.map(({ expected }) => expected)).toEqual([0, 23, 24, 1]);
    expect(days.every(({ missed, failed, unknown }) => missed + failed + unknown === 0)).toBe(true);
  });

  test("count each missed slot on its own day, also across midnight and while the incident is open", async () => {
    using service = openService(policyWith(), MIDNIGHT);
    const from = MIDNIGHT + 22 * HOUR;
    await play(service, MIDNIGHT + 26 * HOUR, (at) => (at >= from ? null : "heartbeat"));
    expect(daysOf(service, 2)).toMatchObject([
      { result: "missed", expected: 23, missed: 2 },
      { result: "missed", expected: 3, missed: 3 },
    ]);
    await play(service, MIDNIGHT + 60 * HOUR, () => "heartbeat");
    expect(daysOf(service, 3)).toMatchObject([
      { result: "missed", missed: 2 },
      { result: "missed", expected: 24, missed: 3 },
      { result: "succeeded", missed: 0 },
    ]);
  });

  test("paint one day for one missed run: an incident that stays open paints no day without slots", async () => {
    using service = openService(policyWith(), MIDNIGHT);
    await service.send(ping({ schedule: "0 6 * * 2" }));
    service.look(MIDNIGHT + 6 * DAY);
    const days = daysOf(service, 7);
    expect(days.map(({ result }) => result)).toEqual(["quiet", "missed", "quiet", "quiet", "quiet", "quiet", "quiet"]);
  });

  test("are well where all came in time, although the miss of the night before was open until then", async () => {
    using service = openService(policyWith(), MIDNIGHT);
    const send = () => service.send(ping({ schedule: "0 2 * * *" }));
    await send();
    service.look(MIDNIGHT + DAY + 2 * HOUR);
    await send();
    service.look(MIDNIGHT + 3 * DAY + 2 * HOUR);
    await send();
    service.look(MIDNIGHT + 3 * DAY + 6 * HOUR);
    expect(daysOf(service, 3).map(({ result }) => result)).toEqual(["succeeded", "missed", "succeeded"]);
  });

  test("count runs that failed, and the worst of a day is what it is shown as", async () => {
    using service = openService(policyWith(), MIDNIGHT);
    await play(service, MIDNIGHT + 40 * HOUR, (at) =>
      at <= MIDNIGHT + 4 * HOUR && at > MIDNIGHT + HOUR ? "fail" : "heartbeat",
    );
    expect(daysOf(service, 2)).toMatchObject([
      { result: "failed", failed: 3, missed: 0 },
      { result: "succeeded", failed: 0 },
    ]);
  });

  test("R26: are unknown where we could not hear, and never missed", async () => {
    using service = openService(policyWith(), MIDNIGHT);
    await play(service, MIDNIGHT + 3 * HOUR, () => "heartbeat");
    service.standStill(5 * HOUR);
    service.look(service.now + 10 * MINUTE);
    const [day] = daysOf(service, 1);
    expect(day).toMatchObject({ missed: 0 });
    expect(day!.unknown).toBeGreaterThan(0);
    expect(day!.result).toBe("unknown");
  });

  test("R43: are well where each missed run was heard late, and missed where one was not", async () => {
    using service = openService(policyWith(), MIDNIGHT);
    await play(service, MIDNIGHT + 20 * HOUR, () => "heartbeat");
    service.look(MIDNIGHT + DAY + 3 * HOUR + 10 * MINUTE);
    expect(daysOf(service, 2).map(({ result }) => result)).toEqual(["missed", "missed"]);
    for (let slot = MIDNIGHT + 21 * HOUR; slot < MIDNIGHT + DAY + 3 * HOUR; slot += HOUR)
      await service.send(ping({ runId: `${slot}`, ageSeconds: (service.now - slot) / 1_000 }));
    expect(daysOf(service, 2)).toMatchObject([{ result: "succeeded" }, { result: "missed", missed: 1 }]);
    const slot = MIDNIGHT + DAY + 3 * HOUR;
    await service.send(ping({ runId: `${slot}`, ageSeconds: (service.now - slot) / 1_000 }));
    expect(daysOf(service, 2)).toMatchObject([
      { result: "succeeded", missed: 0 },
      { result: "succeeded", missed: 0 },
    ]);
  });

  test("are paused from the day after the last report on, while it is paused", async () => {
    using service = openService(policyWith(), MIDNIGHT);
    await play(service, MIDNIGHT + 30 * HOUR, () => "heartbeat");
    granted(service.engine.operate("monitor pause", { application: "prod", key: "job" }));
    service.look(MIDNIGHT + 3 * DAY + HOUR);
    expect(daysOf(service, 4).map(({ result }) => result)).toEqual(["succeeded", "succeeded", "paused", "paused"]);
  });

  test("stay paused after it was resumed, and what the pause passed over was not expected", async () => {
    using service = openService(policyWith(), MIDNIGHT);
    await play(service, MIDNIGHT + 30 * HOUR, () => "heartbeat");
    granted(service.engine.operate("monitor pause", { application: "prod", key: "job" }));
    service.look(MIDNIGHT + 4 * DAY + 6 * HOUR + 20 * MINUTE);
    granted(service.engine.operate("monitor resume", { application: "prod", key: "job" }));
    await play(service, MIDNIGHT + 5 * DAY + HOUR, () => "heartbeat");
    const days = [
      { result: "succeeded", expected: 23 },
      { result: "succeeded", expected: 7 },
      { result: "paused", expected: 0 },
      { result: "paused", expected: 0 },
      { result: "succeeded", expected: 17 },
      { result: "succeeded", expected: 2 },
    ];
    expect(daysOf(service, 6)).toMatchObject(days);
    expect(pageDays(service, 6)).toMatchObject(days);
  });

  test("are quiet on days for which its schedule expects nothing", async () => {
    using service = openService(policyWith(), MIDNIGHT);
    await service.send(ping({ schedule: "0 12 * * 1" }));
    service.look(MIDNIGHT + 12 * HOUR);
    await service.send(ping({ schedule: "0 12 * * 1" }));
    service.look(MIDNIGHT + 2 * DAY);
    expect(daysOf(service, 3).map(({ result }) => result)).toEqual(["succeeded", "quiet", "quiet"]);
  });

  test("of a job that fails below alert_after_misses count what did not come", async () => {
    using service = openService(policyWith({ monitors: { job: { alertAfterMisses: 5 } } }), MIDNIGHT);
    await play(service, MIDNIGHT + 5 * HOUR, (at) => (at > MIDNIGHT + 3 * HOUR ? null : "heartbeat"));
    expect(daysOf(service, 1)).toMatchObject([{ result: "missed", missed: 2 }]);
  });

  test("begin at midnight of the zone, also around a change of its clocks", () => {
    const now = Date.parse("2026-03-30T12:00:00Z");
    expect(lastMidnights("Europe/Berlin", now, 3).map((at) => new Date(at).toISOString().slice(5, 16))).toEqual([
      "03-27T23:00",
      "03-28T23:00",
      "03-29T22:00",
      "03-30T22:00",
    ]);
    expect(lastMidnights("UTC", NOON, 1)).toEqual([MIDNIGHT, MIDNIGHT + 24 * 3_600 * SECOND]);
  });
});

/** The last days of `job` as its own page counts them. */
const pageDays = (service: Service, days: number) =>
  granted(
    wholeOf(
      service.engine.views.job("prod", "job", { part: "all", before: Number.MAX_SAFE_INTEGER, find: "", limit: 1 }),
    ),
  ).days.slice(-days);

describe("R44: the last days of a monitor that must report every hour", () => {
  const EVERY = { everySeconds: 3_600 } as const;

  test("say what came and what failed, and never how much was expected", async () => {
    using service = openService(policyWith(), NOON);
    for (let place = 0; place < 3; place++) await service.send(ping({ ...EVERY }));
    expect(pageDays(service, 1)).toMatchObject([{ result: "succeeded", expected: null, reports: 3, failed: 0 }]);
    await service.send(ping({ ...EVERY, kind: "fail" }), ping({ ...EVERY }));
    expect(pageDays(service, 1)).toMatchObject([{ result: "failed", expected: null, reports: 5, failed: 1 }]);
    for (let place = 0; place < 16; place++) await service.send(ping({ ...EVERY, kind: "fail" }));
    expect(pageDays(service, 1)).toMatchObject([{ expected: null, reports: 21, failed: 17, missed: 0 }]);
    expect(daysOf(service, 1)).toMatchObject([{ result: "failed", expected: null, reports: null }]);
  });

  test("count each failure on the day on which it came", async () => {
    using service = openService(policyWith(), MIDNIGHT + 22 * HOUR);
    for (let place = 0; place < 4; place++) {
      await service.send(ping({ ...EVERY, kind: "fail" }));
      service.look(service.now + 50 * MINUTE);
    }
    expect(pageDays(service, 2).map(({ failed }) => failed)).toEqual([3, 1]);
  });

  test("count each miss that an incident tells on its own day, while it is open and after", async () => {
    using service = openService(policyWith(), MIDNIGHT + 20 * HOUR + 30 * MINUTE);
    await service.send(ping({ ...EVERY }));
    for (let hour = 1; hour <= 5; hour++) service.look(MIDNIGHT + (20 + hour) * HOUR + 40 * MINUTE);
    const days = [
      { result: "missed", expected: null, missed: 3 },
      { result: "missed", expected: null, missed: 2 },
    ];
    expect(daysOf(service, 2)).toMatchObject(days);
    await service.send(ping({ ...EVERY }));
    expect(daysOf(service, 2)).toMatchObject(days);
    expect(pageDays(service, 2)).toMatchObject([{ reports: 1 }, { reports: 1 }]);
  });
});

test("a failure at no slot is counted beside what the schedule expected, and is no part of it", async () => {
  using service = openService(policyWith(), MIDNIGHT + HOUR);
  await service.send(ping({ schedule: "0 2 * * *" }));
  service.look(MIDNIGHT + 2 * HOUR);
  await service.send(ping({}));
  service.look(MIDNIGHT + 10 * HOUR);
  for (let place = 0; place < 3; place++) await service.send(ping({ kind: "fail" }));
  expect(pageDays(service, 1)).toMatchObject([{ result: "failed", expected: 1, reports: 5, failed: 3, missed: 0 }]);
  expect(daysOf(service, 1)).toMatchObject([{ expected: 1, failed: 3 }]);
});

test("a look back has the chosen monitors alone, up to its limit, and of no application none", async () => {
  using service = openService(policyWith());
  for (const monitorKey of ["a", "b", "c", "d"]) await service.send(ping({ monitorKey, schedule: "@daily" }));
  const asked = { isChosen: (key: string) => key !== "b", days: 1, limit: 2 };
  const found = wholeOf(service.engine.views.lookBack({ ...asked, application: "prod" }));
  expect([found.monitors.map(({ monitor }) => monitor.key), found.more]).toEqual([["a", "c"], 1]);
  expect(wholeOf(service.engine.views.lookBack({ ...asked, application: "none" })).monitors).toEqual([]);
  expect(found.name).toBe("prod");
  granted(service.engine.operate("app rename", { slug: "prod", name: "Production" }));
  expect(wholeOf(service.engine.views.lookBack({ ...asked, application: "prod" })).name).toBe("Production");
});

test("R26: a day says unknown, not missed, of slots that we could not hear while an incident is open", async () => {
  using service = openService(policyWith(), MIDNIGHT + 21 * HOUR);
  await service.send(ping({ schedule: "0 * * * *" }));
  service.look(MIDNIGHT + 23 * HOUR + 40 * MINUTE);
  service.standStill(2 * HOUR);
  service.look(service.now + 2 * MINUTE);
  expect(pageDays(service, 2)).toMatchObject([
    { result: "missed", missed: 2, unknown: 0 },
    { result: "unknown", missed: 0, unknown: 2 },
  ]);
});

test("R23: a day on which each slot went well says so, although an incident of the day before was still open", async () => {
  using service = openService(policyWith(), MIDNIGHT + 22 * HOUR + 59 * MINUTE + 30 * SECOND);
  await service.send(ping({ schedule: "0 * * * *" }));
  service.look(MIDNIGHT + 23 * HOUR + 30 * MINUTE);
  await service.send(ping({ kind: "fail" }));
  service.look(MIDNIGHT + DAY + 30 * SECOND);
  await service.send(ping({}));
  service.look(MIDNIGHT + DAY + 30 * MINUTE);
  expect(pageDays(service, 2).map(({ result }) => result)).toEqual(["failed", "succeeded"]);
});

test("R43: the slot whose miss was told and that a late report has filled is no miss of the strip, nor of the day", async () => {
  using service = openService(policyWith({ monitors: { job: { alertAfterMisses: 3 } } }), MIDNIGHT + HOUR);
  await service.send(ping({ schedule: "0 * * * *" }));
  service.look(MIDNIGHT + 4 * HOUR + 10 * MINUTE);
  await service.send(ping({ runId: "1", ageSeconds: 600 }));
  const id = service.engine.views.monitorId("prod", "job")!;
  const strip = recentRuns(service.store, service.store.monitorPages.outlines([id])).get(id)!;
  expect(strip.map(({ result }) => result)).toEqual(["succeeded", "succeeded"]);
});

test("R41: misses in a row are missed although slots between them stayed unknown", async () => {
  using service = openService(policyWith({ monitors: { job: { alertAfterMisses: 5 } } }), MIDNIGHT + HOUR);
  await service.send(ping({ schedule: "0 * * * *" }));
  service.look(MIDNIGHT + HOUR + 30 * MINUTE);
  service.standStill(2 * HOUR);
  service.look(MIDNIGHT + 5 * HOUR + 30 * MINUTE);
  const { entries } = granted(
    service.engine.operate("monitor history", { application: "prod", key: "job", sinceSeconds: null, limit: 10 }),
  );
  expect(entries.map(({ outcome }) => outcome)).toEqual(["missed", "missed", "unknown", "unknown", "succeeded"]);
});

test("days before the oldest incident that is read are not called good where their reports were not read either", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  await play(service, MIDNIGHT + 2 * DAY + 2 * HOUR, () => "heartbeat");
  await service.send(ping({ kind: "fail" }), ping({}));
  // The incident is copied, because thousands of real ones take long.
  const { database } = service.store;
  const columns = database
    .query<{ name: string }, []>("SELECT name FROM pragma_table_info('incidents') WHERE name NOT IN ('id', 'number')")
    .all()
    .map(({ name }) => name)
    .join(", ");
  const copy = database.query(
    `INSERT INTO incidents (number, ${columns}) SELECT ?, ${columns} FROM incidents WHERE id = 1`,
  );
  database.transaction(() => {
    for (let number = 2; number < 2_000; number++) copy.run(number);
  })();
  expect(daysOf(service, 3).map(({ result }) => result)).toEqual(["succeeded", "succeeded", "failed"]);
  copy.run(2_000);
  expect(daysOf(service, 3).map(({ result }) => result)).toEqual(["unread", "unread", "failed"]);
  expect(pageDays(service, 3).map(({ result }) => result)).toEqual(["succeeded", "succeeded", "failed"]);
});
