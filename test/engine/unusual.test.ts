// `unusual = "tell"`: a run of unusual length is told once, in the transaction of its report, where alerts go.

import { expect, test } from "bun:test";
import { parseQuiet } from "../../src/domain/telling/hearing.ts";
import { DAY, HOUR, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";

const policyOf = (unusual?: "tell" | "leave", more: Parameters<typeof policyWith>[0] = {}) =>
  policyWith({
    team: { name: null, destinations: ["chat"], members: [], ...(unusual && { unusual }) },
    destinations: new Map([["chat", { ...MESSAGES, hears: { quiet: [parseQuiet("13:00-20:00")!] } }]]),
    ...more,
  });

/** Each day a run of twenty minutes; then one of this length. */
async function ran(service: Service, seconds: number, days = 25): Promise<void> {
  await service.send(ping({ schedule: "0 0 29 2 *" }));
  for (let day = 1; day <= days; day++) {
    service.look(NOON + day * DAY);
    await service.send(ping({ kind: "complete", durationSeconds: 1_200, runId: `run-${day}` }));
  }
  service.look(NOON + (days + 1) * DAY);
  await service.send(ping({ kind: "complete", durationSeconds: seconds, runId: "last" }));
}

const noticesOf = (service: Service) =>
  service
    .notices()
    .map(({ data: { notice }, destinations }) => ({ notice, destinations }))
    .filter(({ notice }) => notice.kind === "unusual");

test("a run that took much longer is told once, with what is usual, and so is one that ended at once", async () => {
  using service = openService(policyOf("tell"));
  await ran(service, 14_400);
  expect(noticesOf(service)).toMatchObject([
    {
      destinations: ["chat"],
      notice: {
        ...{ tookSeconds: 14_400, usualFromSeconds: 1_200, usualToSeconds: 1_200 },
        ...{ monitor: { monitorKey: "job" }, endedAt: toIso(NOON + 26 * DAY) },
      },
    },
  ]);
  expect(service.logged.at(-1)).toMatchObject({ event: "notice", fields: { notice: "unusual" } });
  service.look(NOON + 27 * DAY);
  await service.send(ping({ kind: "complete", durationSeconds: 2 }));
  expect(noticesOf(service).map(({ notice }) => (notice.kind === "unusual" ? notice.tookSeconds : 0))).toEqual([
    14_400, 2,
  ]);
});

test("an end that is sent again, because its answer was lost, is told once", async () => {
  for (const hasStart of [true, false]) {
    using service = openService(policyOf("tell"));
    await service.send(ping({ schedule: "0 0 29 2 *" }));
    // Many on one weekday: a long one among them changes nothing of what is usual.
    for (let hour = 0; hour < 40; hour++)
      await service.send(ping({ kind: "complete", durationSeconds: 1_200, runId: `run-${hour}` }));
    if (hasStart) await service.send(ping({ kind: "start", runId: "again" }));
    for (const durationSeconds of [7_200, 7_200, 7_201])
      await service.send(ping({ kind: "complete", durationSeconds, runId: "again" }));
    expect([hasStart, noticesOf(service).length]).toEqual([hasStart, 1]);
  }
});

test("nothing is told unless it is asked for, of usual runs, or of few", async () => {
  for (const [policy, seconds, days] of [
    [policyOf(), 14_400, 25],
    [policyOf("leave"), 14_400, 25],
    [policyOf("tell", { monitors: { job: { unusual: "leave" } } }), 14_400, 25],
    [policyOf("tell"), 1_300, 25],
    [policyOf("tell"), 14_400, 10],
  ] as const) {
    using service = openService(policy);
    await ran(service, seconds, days);
    expect(noticesOf(service)).toEqual([]);
  }
});

test("it waits for the end of quiet hours, as alerts do", async () => {
  using service = openService(policyOf("tell"));
  await ran(service, 1_200);
  service.look(NOON + 27 * DAY + 2 * HOUR);
  await service.send(ping({ kind: "complete", durationSeconds: 14_400 }));
  const [held] = service.store.database
    .query<{ dueAt: number }, []>("select due_at as dueAt from deliveries where why = 'quiet'")
    .all();
  expect(held?.dueAt).toBe(NOON + 27 * DAY + 8 * HOUR);
});

const LONG = NOON + 28 * DAY;
/** When a run that started at `LONG` has taken longer than is usual. */
const SLOW = LONG + 50 * MINUTE + SECOND;

/** A run that goes on, told or not. */
async function began(policy = policyOf("tell")): Promise<Service> {
  const service = openService(policy);
  await ran(service, 1_200);
  for (const [at, kind, runId] of [
    [LONG - DAY, "start", "before"],
    [LONG - DAY + 20 * MINUTE, "complete", "before"],
    [LONG, "start", "long"],
  ] as const) {
    service.look(at);
    await service.send(ping({ kind, runId }));
  }
  return service;
}

const ends = (service: Service, kind: "complete" | "fail" = "complete") => service.send(ping({ kind, runId: "long" }));

const toldOf = (service: Service) =>
  noticesOf(service).map(({ notice }) =>
    notice.kind === "unusual" ? [notice.startedAt, notice.endedAt, notice.tookSeconds] : null,
  );

test("a run that goes on for longer is told while it runs, once, and then that it ended", async () => {
  using service = await began();
  service.look(SLOW - 1);
  expect(toldOf(service)).toEqual([]);
  service.look(SLOW);
  expect(noticesOf(service)).toMatchObject([
    { destinations: ["chat"], notice: { usualFromSeconds: 1_200, usualToSeconds: 1_200 } },
  ]);
  const running = [toIso(LONG), null, 3_001];
  expect(toldOf(service)).toEqual([running]);
  for (const at of [SLOW + SECOND, SLOW + HOUR]) service.look(at);
  await ends(service);
  // Its end, sent twice, is told once.
  await ends(service);
  expect(toldOf(service)).toEqual([running, [toIso(LONG), toIso(SLOW + HOUR), 6_601]]);
});

test("a kill and a start over that instant lose nothing and tell nothing twice", async () => {
  using service = await began();
  service.look(SLOW - 2 * SECOND);
  service.kill();
  service.at(SLOW + SECOND);
  service.start();
  service.look(SLOW + 2 * SECOND);
  service.restart();
  service.look(SLOW + 2 * MINUTE);
  expect(toldOf(service)).toEqual([[toIso(LONG), null, 3_001]]);
  await ends(service);
  expect(toldOf(service)).toHaveLength(2);
});

test("what is usual for a run is fixed at its start, whatever other runs end before it does", async () => {
  using service = await began();
  for (let run = 0; run < 70; run++)
    await service.send(ping({ kind: "complete", durationSeconds: 60, runId: `beside ${run}` }));
  const before = toldOf(service).length;
  service.look(LONG + 100 * SECOND);
  await ends(service);
  expect(noticesOf(service).slice(before)).toMatchObject([
    { notice: { tookSeconds: 100, usualFromSeconds: 1_200, usualToSeconds: 1_200 } },
  ]);
});

test("where its end may have come unheard, only an end tells how long it took", async () => {
  for (const [from, to] of [
    [10 * MINUTE, 15 * MINUTE],
    [19 * MINUTE + 55 * SECOND, 20 * MINUTE + 5 * SECOND],
    [49 * MINUTE, 52 * MINUTE],
  ] as const) {
    using service = await began();
    service.look(LONG + from);
    service.kill();
    service.at(LONG + to);
    service.start();
    for (const at of [SLOW, SLOW + 2 * HOUR]) service.look(Math.max(at, service.now));
    expect(toldOf(service)).toEqual([]);
    await ends(service);
    expect(toldOf(service)).toEqual([[null, toIso(SLOW + 2 * HOUR), 10_201]]);
  }
});

test("what an alert tells is not told again, and what nobody asked for is not told", async () => {
  using failed = await began();
  failed.look(SLOW);
  await ends(failed, "fail");
  expect(failed.alarms()).toHaveLength(1);
  expect(toldOf(failed)).toHaveLength(1);
  using reset = await began();
  reset.reload(policyOf("leave"));
  reset.look(SLOW);
  await ends(reset);
  expect(toldOf(reset)).toEqual([]);
  using quiet = await began(policyOf());
  expect(quiet.monitor().runs).toMatchObject([{ usual: null }]);
});

test("a tolerated failure of it is told as its end, and a start that came late tells nothing before", async () => {
  using tolerant = await began(policyOf("tell", { monitors: { job: { alertAfterFailures: 2 } } }));
  tolerant.look(SLOW);
  await ends(tolerant, "fail");
  expect([tolerant.alarms(), toldOf(tolerant).length]).toEqual([[], 2]);
  using late = openService(policyOf("tell"));
  await ran(late, 1_200);
  late.look(LONG);
  await late.send(ping({ kind: "start", runId: "long", ageSeconds: 600 }));
  late.look(SLOW);
  expect(toldOf(late)).toEqual([]);
});

test("a limit that people set comes first", async () => {
  using service = await began(policyOf("tell", { monitors: { job: { maxRuntimeSeconds: 3_000 } } }));
  service.look(SLOW);
  expect(service.alarms()).toMatchObject([{ cause: "unfinished" }]);
  expect(toldOf(service)).toEqual([]);
});
