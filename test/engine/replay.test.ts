// `rollcall replay`: a history judged again. Under the present settings it alarms as the history did, under others as
// it would have.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Refusal } from "../../src/domain/errors.ts";
import { HOUR, type Instant, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

const replayed = (service: Service, more: object = {}) => {
  return granted(service.engine.operate("replay", { key: "job", ...more }));
};

const refused = (service: Service, asked: Parameters<typeof ping>[0] & { readonly key: string }): string =>
  (service.engine.operate("replay", asked) as Refusal).message;

const incidentsOf = ({ store }: Service) =>
  store.database
    .query<{ openedAt: Instant; closedAt: Instant | null; causes: string }, []>(
      "select opened_at as openedAt, closed_at as closedAt, causes from incidents order by id",
    )
    .all()
    .map(({ causes, ...one }) => ({ ...one, causes: JSON.parse(causes) as string[] }));

async function report(service: Service, at: Instant, more: Parameters<typeof ping>[0] = {}): Promise<void> {
  service.look(at);
  await service.send(ping(more));
}

/** Every ten minutes; one report came nine minutes late, and one run took two hours. */
async function lateOnce(): Promise<Service> {
  const service = openService();
  await report(service, NOON, { schedule: "*/10 * * * *", graceSeconds: 60 });
  for (const minutes of [10, 20, 39, 40, 50]) await report(service, NOON + minutes * MINUTE);
  service.look(NOON + 55 * MINUTE);
  return service;
}

test("a longer grace spares the alarm of a late report, and no setting leaves it as it was", async () => {
  using service = await lateOnce();
  const { alarms, asItIs, listed, reports, from } = replayed(service);
  expect([alarms, asItIs, reports, toIso(from)]).toEqual([1, 1, 6, toIso(NOON)]);
  expect(listed).toMatchObject([
    { openedAt: NOON + 31 * MINUTE + 5 * SECOND, closedAt: NOON + 39 * MINUTE, causes: ["missed"] },
  ]);
  expect(replayed(service, { graceSeconds: 600 })).toMatchObject({ alarms: 0, asItIs: 1, listed: [] });
  expect(replayed(service, { schedule: "*/5 * * * *" }).alarms).toBeGreaterThan(1);
  expect(replayed(service, { everySeconds: 1_800 })).toMatchObject({ alarms: 0 });
  expect(replayed(service, { alertAfterMisses: 2 })).toMatchObject({ alarms: 0 });
});

test("what the configuration says is replaced too, and nothing is changed by a look", async () => {
  using service = await lateOnce();
  service.restart(policyWith({ monitors: { job: { graceSeconds: 60 } } }));
  service.look(NOON + 56 * MINUTE);
  const before = service.monitor();
  expect(replayed(service, { graceSeconds: 600 })).toMatchObject({ alarms: 0 });
  expect(service.monitor()).toEqual(before);
});

test("a limit on runs alarms where a run took longer, by the runs that their ids name", async () => {
  using service = openService();
  await report(service, NOON, { kind: "start", runId: "a", schedule: "0 0 29 2 *" });
  await report(service, NOON + MINUTE, { kind: "start", runId: "b" });
  await report(service, NOON + 2 * MINUTE, { kind: "complete", runId: "b" });
  await report(service, NOON + 2 * HOUR, { kind: "complete", runId: "a" });
  expect(replayed(service).alarms).toBe(0);
  const { listed } = replayed(service, { maxRuntimeSeconds: 3_600 });
  expect(listed).toMatchObject([{ openedAt: NOON + HOUR, causes: ["unfinished"] }]);
});

test("a pause by hand and an incident that a person closed count as they did", async () => {
  using service = openService();
  await report(service, NOON, { schedule: "*/10 * * * *", graceSeconds: 60 });
  granted(service.engine.operate("monitor pause", { key: "job", durationSeconds: 3_600 }));
  service.look(NOON + 90 * MINUTE);
  expect(incidentsOf(service)).toHaveLength(1);
  expect(replayed(service).listed).toMatchObject(incidentsOf(service));
  granted(service.engine.operate("incident resolve", { id: 1 }));
  service.look(NOON + 95 * MINUTE);
  expect(replayed(service).listed).toMatchObject(incidentsOf(service));
});

test("a wrong setting is refused with its name, and so is a job that is not there", async () => {
  using service = await lateOnce();
  expect(refused(service, { key: "job", schedule: "61 * * * *" })).toStartWith("schedule");
  expect(refused(service, { key: "job", schedule: "* * * * *", everySeconds: 60 })).toContain("every");
  expect(refused(service, { key: "nojob" })).toContain("nojob");
});

const REPORT = fc.record({
  after: fc.integer({ min: 1, max: 40 * 60 }),
  kind: fc.constantFrom("heartbeat", "start", "complete", "fail", "log"),
  runId: fc.constantFrom(null, "a", "b"),
  ageSeconds: fc.constantFrom(null, null, null, 90),
  isAway: fc.constantFrom(false, false, false, true),
});

test("law: under the present settings a history alarms as it did, also where rollcall was away", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(REPORT, { maxLength: 25 }), fc.constantFrom(null, 300), async (reports, limit) => {
      using service = openService();
      await report(service, NOON, { schedule: "*/15 * * * *", graceSeconds: 120, maxRuntimeSeconds: limit });
      let at = NOON;
      for (const { after, isAway, ...more } of reports) {
        if (isAway) service.kill();
        at += after * SECOND;
        service.at(at);
        if (isAway) service.start();
        await report(service, at, more);
      }
      service.look(at + HOUR);
      expect(replayed(service).listed).toEqual(incidentsOf(service));
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 30) },
  );
});
