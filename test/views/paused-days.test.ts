// R24: days and slots in which a monitor was paused are remembered, so that none of them is called good. The real
// engine pauses it, in each way there is.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { wholeOf } from "../../src/domain/in-pieces.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../src/domain/time.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { registryOf } from "../support/furnished.ts";
import { granted } from "../support/service.ts";

const MIDNIGHT = NOON - 12 * HOUR;
const HOURLY = "0 * * * *";
const JOB = { application: "prod", key: "job" } as const;

/** The last days of `job` as the status page shows them. */
function publicDays(service: Service, days: number) {
  const isChosen = (key: string) => key === "job";
  const { monitors } = wholeOf(service.engine.views.lookBack({ application: "prod", isChosen, days, limit: 1 }));
  return monitors[0]!.days;
}

/** The last days of `job` as its own page shows them. */
const pageDays = (service: Service, days: number) => {
  const asked = { part: "all", before: Number.MAX_SAFE_INTEGER, find: "", limit: 1 } as const;
  return granted(wholeOf(service.engine.views.job("prod", "job", asked))).days.slice(-days);
};

/** The results of the last days, of which both pages say the same. */
function resultsOf(service: Service, days: number): string[] {
  const [shown, own] = [publicDays(service, days), pageDays(service, days)];
  expect(own.map(({ result, expected }) => [result, expected])).toEqual(
    shown.map(({ result, expected }) => [result, expected]),
  );
  return shown.map(({ result }) => result);
}

/** Looks each hour until `until`, and reports then with `said`. */
async function reportHourly(service: Service, until: Instant, said: Parameters<typeof ping>[0] = { schedule: HOURLY }) {
  for (let at = (Math.floor(service.now / HOUR) + 1) * HOUR; at <= until; at += HOUR) {
    service.look(at);
    await service.send(ping(said));
  }
}

/** Looks each hour until `until`, and nothing comes. */
function passHourly(service: Service, until: Instant): void {
  for (let at = service.now + HOUR; at < until; at += HOUR) service.look(at);
  service.look(until);
}

const pause = (service: Service, durationSeconds: number | null = null) =>
  granted(service.engine.operate("monitor pause", { ...JOB, ...(durationSeconds !== null && { durationSeconds }) }));
const resume = (service: Service) => granted(service.engine.operate("monitor resume", JOB));

/** The results of the hourly slots since `from`. */
const slotsSince = (service: Service, from: Instant): string[] => {
  const id = service.engine.views.monitorId("prod", "job")!;
  const { monitors } = wholeOf(service.engine.views.timelines([id], { from, to: service.now }));
  return monitors.get(id)!.entries.flatMap(({ slot, result }) => (slot === null ? [] : [result]));
};

const rows = (service: Service) =>
  service.store.database
    .query<{ from: Instant; to: Instant | null }, []>(
      "SELECT from_at AS 'from', to_at AS 'to' FROM paused_spans ORDER BY id",
    )
    .all();

test("a pause that ends by itself ends at its own end, however late rollcall looks", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  await reportHourly(service, MIDNIGHT + 10 * HOUR);
  pause(service, 2 * 86_400);
  service.kill();
  service.at(MIDNIGHT + 3 * DAY);
  service.start();
  service.look(MIDNIGHT + 3 * DAY + 10 * MINUTE);
  expect(rows(service)).toEqual([{ from: MIDNIGHT + 10 * HOUR, to: MIDNIGHT + 2 * DAY + 10 * HOUR }]);
  for (const days of [publicDays(service, 4), pageDays(service, 4)])
    expect(days.map(({ result, expected }) => [result, expected]).slice(0, 3)).toEqual([
      ["succeeded", 10],
      ["paused", 0],
      ["missed", 13],
    ]);
});

test("a registry that withdraws a job and names it again pauses its days", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  service.engine.intake.sync(ping().caller, registryOf("job", "other"));
  await reportHourly(service, MIDNIGHT + 5 * HOUR);
  service.engine.intake.sync(ping().caller, registryOf("other"));
  passHourly(service, MIDNIGHT + 3 * DAY);
  expect(resultsOf(service, 4)).toEqual(["succeeded", "paused", "paused", "paused"]);
  service.engine.intake.sync(ping().caller, registryOf("job", "other"));
  await reportHourly(service, MIDNIGHT + 4 * DAY);
  service.look(service.now + 10 * MINUTE);
  expect(resultsOf(service, 5)).toEqual(["succeeded", "paused", "paused", "succeeded", "succeeded"]);
});

test("R3: days of a suspended application are paused, while it is suspended and after", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  await reportHourly(service, MIDNIGHT + 5 * HOUR);
  granted(service.engine.operate("app suspend", { slug: "prod" }));
  passHourly(service, MIDNIGHT + 3 * DAY);
  expect(resultsOf(service, 4)).toEqual(["succeeded", "paused", "paused", "paused"]);
  granted(service.engine.operate("app resume", { slug: "prod" }));
  await reportHourly(service, MIDNIGHT + 4 * DAY);
  service.look(service.now + 10 * MINUTE);
  expect(resultsOf(service, 5)).toEqual(["succeeded", "paused", "paused", "succeeded", "succeeded"]);
});

test("a maintenance of two days is paused as a day, and its slots say that it was maintenance", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  await reportHourly(service, MIDNIGHT + 5 * HOUR);
  const window = { from: "2026-03-02 20:30", until: "2026-03-04 20:30", reason: "a new hall" };
  granted(service.engine.operate("maintenance plan", { monitors: ["job"], ...window }));
  await reportHourly(service, MIDNIGHT + 20 * HOUR);
  passHourly(service, MIDNIGHT + 2 * DAY + 20 * HOUR + 40 * MINUTE);
  await reportHourly(service, MIDNIGHT + 3 * DAY);
  service.look(service.now + 10 * MINUTE);
  expect(resultsOf(service, 4)).toEqual(["succeeded", "paused", "succeeded", "succeeded"]);
  expect(publicDays(service, 4).map(({ expected }) => expected)).toEqual([20, 0, 3, 1]);
  const told = slotsSince(service, MIDNIGHT + 20 * HOUR);
  expect([told[0], ...new Set(told.slice(1, -4)), ...told.slice(-4)]).toEqual([
    "succeeded",
    "maintenance",
    ...Array(4).fill("succeeded"),
  ]);
});

test("slots in a past pause are paused, so that those alone are silent whose miss was tolerated", async () => {
  using service = openService(policyWith({ monitors: { job: { alertAfterMisses: 3 } } }), MIDNIGHT);
  await reportHourly(service, MIDNIGHT + HOUR);
  passHourly(service, MIDNIGHT + 2 * HOUR + 30 * MINUTE);
  pause(service);
  passHourly(service, MIDNIGHT + 4 * HOUR + 30 * MINUTE);
  resume(service);
  service.look(MIDNIGHT + 5 * HOUR + 30 * MINUTE);
  expect(slotsSince(service, MIDNIGHT + HOUR)).toEqual(["succeeded", "missed", "paused", "paused", "missed"]);
  await reportHourly(service, MIDNIGHT + 6 * HOUR);
  const after = ["succeeded", "silent", "paused", "paused", "silent", "succeeded"];
  expect(slotsSince(service, MIDNIGHT + HOUR)).toEqual(after);
  const { entries } = granted(service.engine.operate("monitor history", { ...JOB, limit: 10 }));
  expect<(string | null)[]>(entries.toReversed().map(({ outcome }) => outcome)).toEqual(after);
});

test("a slot that was open when the pause began is paused, one that a report had filled by then is not", async () => {
  const daily = { schedule: "0 12 * * *", graceSeconds: 7_200 };
  for (const [reportsAt, result] of [
    [NOON + 10 * MINUTE, "succeeded"],
    [null, "paused"],
  ] as const) {
    using service = openService(policyWith(), NOON - DAY);
    await service.send(ping(daily));
    service.look(reportsAt ?? NOON + 10 * MINUTE);
    if (reportsAt !== null) await service.send(ping(daily));
    service.look(NOON + HOUR);
    pause(service);
    service.look(NOON + 5 * HOUR);
    resume(service);
    service.look(NOON + 6 * HOUR);
    expect(resultsOf(service, 1)).toEqual([result]);
    expect(slotsSince(service, MIDNIGHT)).toEqual([result]);
  }
});

test("R44: an interval's day is paused if the pause lasts from its begin to its end", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  const every = { everySeconds: 7_200 };
  await reportHourly(service, MIDNIGHT + 5 * HOUR, every);
  pause(service);
  passHourly(service, MIDNIGHT + 2 * DAY + 5 * HOUR);
  expect(resultsOf(service, 3)).toEqual(["succeeded", "paused", "paused"]);
  resume(service);
  await reportHourly(service, MIDNIGHT + 2 * DAY + 10 * HOUR, every);
  expect(resultsOf(service, 3)).toEqual(["succeeded", "paused", "succeeded"]);
});

test("slots in a pause are not missed, although the incident of a miss stayed open", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  await reportHourly(service, MIDNIGHT + 20 * HOUR);
  passHourly(service, MIDNIGHT + 22 * HOUR + 30 * MINUTE);
  pause(service);
  passHourly(service, MIDNIGHT + 2 * DAY + 30 * MINUTE);
  const days = [
    { result: "missed", expected: 22, missed: 2 },
    { result: "paused", expected: 0, missed: 0 },
  ];
  expect(publicDays(service, 3)).toMatchObject([...days, { result: "paused" }]);
  expect(pageDays(service, 3)).toMatchObject([...days, { result: "paused" }]);
  resume(service);
  await reportHourly(service, MIDNIGHT + 2 * DAY + 3 * HOUR);
  expect(resultsOf(service, 3)).toEqual(["missed", "paused", "succeeded"]);
  expect(publicDays(service, 3)).toMatchObject(days.concat([{ result: "succeeded", expected: 2, missed: 0 }]));
});

test("a day in a pause on which the job failed says so", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  await reportHourly(service, MIDNIGHT + 2 * HOUR);
  pause(service);
  passHourly(service, MIDNIGHT + DAY + HOUR);
  await service.send(ping({ kind: "fail" }));
  passHourly(service, MIDNIGHT + 2 * DAY + HOUR);
  expect(pageDays(service, 3).map(({ result }) => result)).toEqual(["succeeded", "failed", "paused"]);
});

test("a pause that began before the oldest day shown counts on all of its days", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  await reportHourly(service, MIDNIGHT + HOUR);
  pause(service);
  passHourly(service, MIDNIGHT + 5 * DAY + HOUR);
  resume(service);
  await reportHourly(service, MIDNIGHT + 5 * DAY + 3 * HOUR);
  service.look(service.now + 10 * MINUTE);
  expect(resultsOf(service, 3)).toEqual(["paused", "paused", "succeeded"]);
});

test("a monitor that was paused before pauses were stored counts as paused since its last report", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  await reportHourly(service, MIDNIGHT + 5 * HOUR);
  service.look(MIDNIGHT + 10 * HOUR);
  pause(service);
  service.store.database.run("DELETE FROM paused_spans");
  passHourly(service, MIDNIGHT + 2 * DAY + HOUR);
  expect(resultsOf(service, 3)).toEqual(["missed", "paused", "paused"]);
  resume(service);
  await reportHourly(service, MIDNIGHT + 2 * DAY + 5 * HOUR);
  expect(resultsOf(service, 3)).toEqual(["missed", "paused", "succeeded"]);
  expect(rows(service)).toEqual([{ from: MIDNIGHT + 5 * HOUR, to: MIDNIGHT + 2 * DAY + HOUR }]);
});

test("a monitor that is made paused is paused from then on, also after it was killed", async () => {
  const maintenance = [{ from: MIDNIGHT - HOUR, until: MIDNIGHT + 2 * DAY + HOUR }];
  using service = openService(policyWith({ monitors: { job: { maintenance } } }), MIDNIGHT);
  await service.send(ping({ schedule: HOURLY }));
  service.restart();
  passHourly(service, MIDNIGHT + 2 * DAY + 30 * MINUTE);
  expect(rows(service)).toEqual([{ from: MIDNIGHT, to: null }]);
  service.look(MIDNIGHT + 2 * DAY + HOUR);
  await reportHourly(service, MIDNIGHT + 2 * DAY + 4 * HOUR);
  expect(resultsOf(service, 3)).toEqual(["paused", "paused", "succeeded"]);
});

test("R25: a deletion that is taken back is a pause, and a monitor that is gone leaves none", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  await reportHourly(service, MIDNIGHT + 5 * HOUR);
  granted(service.engine.operate("monitor delete", JOB));
  passHourly(service, MIDNIGHT + 2 * DAY + HOUR);
  granted(service.engine.operate("monitor undelete", JOB));
  await reportHourly(service, MIDNIGHT + 2 * DAY + 5 * HOUR);
  expect(resultsOf(service, 3)).toEqual(["succeeded", "paused", "succeeded"]);
  expect(rows(service)).toEqual([{ from: MIDNIGHT + 5 * HOUR, to: MIDNIGHT + 2 * DAY + HOUR }]);
  granted(service.engine.operate("monitor delete", JOB));
  passHourly(service, MIDNIGHT + 11 * DAY);
  service.endTurns();
  expect(service.count("monitors")).toBe(0);
  expect(rows(service)).toEqual([]);
});

test("pauses are kept for longer than pages look back, and one that lasts is kept always", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  await service.send(ping({ schedule: "@daily" }), ping({ monitorKey: "long", schedule: "@daily" }));
  granted(service.engine.operate("monitor pause", { application: "prod", key: "long" }));
  pause(service, 3_600);
  for (let day = 1; day <= 99; day++) service.look(MIDNIGHT + day * DAY);
  expect(rows(service)).toHaveLength(2);
  for (let day = 100; day <= 103; day++) service.look(MIDNIGHT + day * DAY);
  expect(rows(service)).toEqual([{ from: MIDNIGHT, to: null }]);
});

/** Ticks each second for so long. */
function runFor(service: Service, milliseconds: number): void {
  for (const until = service.now + milliseconds; service.now < until; ) service.look(service.now + SECOND);
}

test("R26: a pause goes on that a clock ahead has ended, and one that it began moves back", async () => {
  using service = openService(policyWith(), NOON);
  await service.send(ping({ schedule: HOURLY }));
  pause(service, 86_400);
  runFor(service, MINUTE);
  service.stepClock(3 * DAY);
  runFor(service, 11 * MINUTE);
  expect(rows(service)).toEqual([{ from: NOON, to: NOON + DAY }]);
  await service.send(ping());
  pause(service);
  expect(rows(service)).toHaveLength(2);
  service.stepClock(-3 * DAY);
  runFor(service, 12 * MINUTE);
  for (const { from, to } of rows(service)) {
    expect(from).toBeLessThanOrEqual(service.now);
    expect(to ?? service.now).toBeLessThanOrEqual(service.now);
  }
  expect(rows(service).filter(({ to }) => to === null)).toHaveLength(1);
  expect(slotsSince(service, NOON)).toEqual(["succeeded"]);
});

test("R26: a job that a wrong clock paused is paused since its pause was moved back, and so is a deleted one", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  const daily = { schedule: "0 9 * * *" };
  await service.send(ping(daily), ping({ ...daily, monitorKey: "gone" }));
  runFor(service, MINUTE);
  service.stepClock(2 * HOUR);
  runFor(service, 11 * MINUTE);
  await service.send(ping(), ping({ monitorKey: "gone" }));
  pause(service);
  granted(service.engine.operate("monitor delete", { application: "prod", key: "gone" }));
  service.stepClock(-2 * HOUR);
  runFor(service, 12 * MINUTE);
  const paused = service.now;
  passHourly(service, MIDNIGHT + 2 * DAY + HOUR);
  resume(service);
  granted(service.engine.operate("monitor undelete", { application: "prod", key: "gone" }));
  expect(resultsOf(service, 2)).toEqual(["paused", "paused"]);
  const kept = service.store.database.query<{ from_at: Instant; first_slot: Instant }, []>(
    "SELECT from_at, first_slot FROM paused_spans",
  );
  for (const { from_at, first_slot } of kept.all()) {
    expect(from_at).toBeLessThanOrEqual(paused);
    expect(first_slot).toBeLessThanOrEqual(from_at);
  }
  expect(kept.all()).toHaveLength(2);
});

describe("R26: a slot that waits for its judgement, because rollcall was down, is unknown when a pause begins", () => {
  for (const by of ["a person", "a maintenance", "a registry"] as const)
    test(`by ${by}`, async () => {
      const maintenance = [{ from: MIDNIGHT + 2 * HOUR + 11 * MINUTE, until: MIDNIGHT + 10 * HOUR }];
      const policy = by === "a maintenance" ? policyWith({ monitors: { job: { maintenance } } }) : policyWith();
      using service = openService(policy, MIDNIGHT);
      service.engine.intake.sync(ping().caller, registryOf("job", "other"));
      await reportHourly(service, MIDNIGHT + HOUR);
      service.look(MIDNIGHT + HOUR + 50 * MINUTE);
      service.kill();
      service.at(MIDNIGHT + 2 * HOUR + 10 * MINUTE + 20 * SECOND);
      service.start();
      service.look(service.now + 20 * SECOND);
      if (by === "a person") pause(service);
      else if (by === "a registry") service.engine.intake.sync(ping().caller, registryOf("other"));
      passHourly(service, MIDNIGHT + 4 * HOUR + 30 * MINUTE);
      const then = by === "a maintenance" ? "maintenance" : "paused";
      expect(slotsSince(service, MIDNIGHT + HOUR)).toEqual(["succeeded", "unknown", then, then]);
      expect(resultsOf(service, 1)).toEqual(["unknown"]);
      expect(service.alarms()).toEqual([]);
      const [notice] = service.notices();
      const expectedAt = by === "a maintenance" ? "2026-03-02T11:00:00.000Z" : null;
      const listed = expect.objectContaining({ monitorKey: "job", slotsTotal: 1, expectedAt });
      expect(notice?.data.notice).toMatchObject({ kind: "unheard", monitors: expect.arrayContaining([listed]) });
    });
});

describe("slots that only a run covers that was open when the pause began", () => {
  const hourly = { schedule: HOURLY, maxRuntimeSeconds: 86_400 };
  for (const [ends, during, after] of [
    ["never", "paused", "paused"],
    ["under the pause", "succeeded", "succeeded"],
    ["after a short pause", "paused", "succeeded"],
  ] as const)
    test(`are ${after} when the run ends ${ends}`, async () => {
      using service = openService(policyWith(), MIDNIGHT - 2 * HOUR);
      await reportHourly(service, MIDNIGHT - 2 * HOUR, hourly);
      await service.send(ping({ ...hourly, kind: "start" }));
      passHourly(service, MIDNIGHT + HOUR + 10 * MINUTE);
      pause(service);
      service.look(MIDNIGHT + HOUR + 20 * MINUTE);
      if (ends === "under the pause") await service.send(ping({ kind: "complete" }));
      passHourly(service, MIDNIGHT + 12 * HOUR);
      expect(resultsOf(service, 1)).toEqual([during]);
      if (ends === "never") passHourly(service, MIDNIGHT + DAY + 6 * HOUR);
      resume(service);
      if (ends === "after a short pause") await service.send(ping({ kind: "complete" }));
      service.look(service.now + 10 * MINUTE);
      expect(resultsOf(service, 2).at(ends === "never" ? 0 : 1)).toBe(after);
    });
});

test("R44: a slot of an interval that was missed before the pause stays missed when the grace grows", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  await service.send(ping({ everySeconds: 3_600, graceSeconds: 60 }));
  passHourly(service, MIDNIGHT + HOUR + 10 * MINUTE);
  pause(service);
  passHourly(service, MIDNIGHT + 3 * HOUR);
  resume(service);
  await service.send(ping({ everySeconds: 3_600, graceSeconds: 7_200 }));
  expect(resultsOf(service, 1)).toEqual(["missed"]);
});

test("R44: an interval's day is paused that was watched for two minutes, and not one that was paused for two", async () => {
  using service = openService(policyWith(), MIDNIGHT);
  const every = { everySeconds: 7_200 };
  await reportHourly(service, MIDNIGHT + 23 * HOUR, every);
  service.look(MIDNIGHT + DAY + MINUTE);
  await service.send(ping(every));
  service.look(MIDNIGHT + DAY + 2 * MINUTE);
  pause(service);
  passHourly(service, MIDNIGHT + 2 * DAY + 2 * MINUTE);
  resume(service);
  await reportHourly(service, MIDNIGHT + 3 * DAY, every);
  expect(resultsOf(service, 4).slice(0, 3)).toEqual(["succeeded", "paused", "succeeded"]);
});

const STEPS = ["pause", "pause for hours", "resume", "report", "fail", "nothing"] as const;
const RUNS = Math.min(Number(process.env.PROPERTY_RUNS ?? 20), 200);
const SEED = Number(process.env.PROPERTY_SEED ?? 1);

test(
  "whatever comes, no day that lies in a pause as a whole is good, and both pages say the same of it",
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ does: fc.constantFrom(...STEPS), hours: fc.integer({ min: 1, max: 60 }) }), {
          minLength: 2,
          maxLength: 8,
        }),
        fc.constantFrom({ schedule: HOURLY }, { schedule: "30 6 * * *" }, { everySeconds: 7_200 }),
        async (steps, rhythm) => {
          using service = openService(policyWith(), MIDNIGHT + MINUTE);
          await service.send(ping(rhythm));
          const paused: { from: Instant; to: Instant | null }[] = [];
          const isPaused = () => service.monitor().pauses.manual !== null;
          for (const { does, hours } of steps) {
            const was = isPaused();
            if (does === "pause") pause(service);
            else if (does === "pause for hours") pause(service, hours * 1_800);
            else if (does === "resume") service.engine.operate("monitor resume", JOB);
            if (!was && isPaused()) paused.push({ from: service.now, to: null });
            else if (was && !isPaused()) paused.at(-1)!.to = service.now;
            for (let left = hours; left > 0; left--) {
              const until = service.monitor().pauses.manual?.until ?? null;
              service.look(service.now + HOUR);
              if (until !== null && until <= service.now) paused.at(-1)!.to = until;
              if (does === "report") await service.send(ping(rhythm));
              else if (does === "fail") await service.send(ping({ ...rhythm, kind: "fail" }));
            }
          }
          const count = Math.ceil((service.now - MIDNIGHT) / DAY) + 1;
          const [shown, own] = [publicDays(service, count), pageDays(service, count)];
          for (const [place, { at, result }] of shown.entries()) {
            const [begin, end] = [Math.max(at, MIDNIGHT + MINUTE), Math.min(at + DAY, service.now)];
            const isWhole = paused.some(({ from, to }) => from <= begin && (to ?? service.now) >= end);
            if (isWhole && begin < end)
              for (const one of [shown[place]!, own[place]!]) expect(one.result).not.toBe("succeeded");
            if (!isWhole && result === "paused") expect(shown[place]!.expected ?? 0).toBe(0);
          }
          expect(rows(service)).toEqual(paused);
          // Days before the first pause are as they would be if none was stored.
          const free = shown.filter(({ at }) => paused.every(({ from }) => from >= at + DAY));
          service.store.database.run("DELETE FROM paused_spans");
          if (!isPaused()) {
            const without = publicDays(service, count);
            for (const day of free) expect(without.find(({ at }) => at === day.at)).toEqual(day);
          }
        },
      ),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    ),
  300_000,
);
