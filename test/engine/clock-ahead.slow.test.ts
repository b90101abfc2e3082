// What a person asked for, and a clock that was ahead for a while (R26): it is as long, once the clock is right, as was
// asked, and no message has a time in the future.

import { expect, test } from "bun:test";
import type { AlertData } from "../../src/domain/message/alert.ts";
import { HOUR, type Instant, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";

const EVERY_FIVE = "*/5 * * * *";

/** A job of every five minutes, paused by hand from a minute after noon for an hour. */
async function pausedForAnHour(): Promise<Service> {
  const service = openService();
  await service.send(ping({ schedule: EVERY_FIVE, graceSeconds: 60 }));
  service.look(NOON + MINUTE);
  pause(service);
  return service;
}

const ENDS = NOON + MINUTE + HOUR;

const pause = (service: Service): void =>
  void service.engine.operate("monitor pause", { application: "prod", key: "job", durationSeconds: 3_600 });

function runUntil(service: Service, until: Instant): void {
  for (let at = service.now + SECOND; at <= until; at += SECOND) service.look(at);
}

/** The clock is three hours ahead for this long. */
function liesFor(service: Service, milliseconds: number, meanwhile: () => void = () => {}): void {
  service.stepClock(3 * HOUR);
  service.look(service.now + SECOND);
  meanwhile();
  runUntil(service, service.now + milliseconds - SECOND);
  service.stepClock(-3 * HOUR);
  service.look(service.now + SECOND);
}

const told = (service: Service): string[] =>
  service.alarms().map(({ kind, cause, at }) => `${kind} ${cause} ${at.slice(11, 19)}`);

const FIRST_MISS = ["InitialFailure missed 13:06:05"];

/** Nothing is told before the end that was asked for, and then the first miss. */
function isPausedToItsEnd(service: Service): void {
  runUntil(service, ENDS - SECOND);
  expect([told(service), service.monitor().pauses.manual]).toEqual([[], { until: ENDS }]);
  runUntil(service, NOON + 70 * MINUTE);
  expect(told(service)).toEqual(FIRST_MISS);
}

test("R26: a pause that a clock three hours ahead for 20 seconds has passed over lasts as long as was asked", async () => {
  using service = await pausedForAnHour();
  runUntil(service, NOON + 2 * MINUTE);
  liesFor(service, 20 * SECOND);
  isPausedToItsEnd(service);
});

test("R26: the same for a process that starts while the clock is ahead, and is put right", async () => {
  using service = await pausedForAnHour();
  runUntil(service, NOON + 2 * MINUTE);
  service.kill();
  service.stepClock(3 * HOUR);
  service.start();
  runUntil(service, service.now + 20 * SECOND);
  service.stepClock(-3 * HOUR);
  runUntil(service, NOON + 5 * MINUTE);
  service.restart();
  isPausedToItsEnd(service);
});

test("R26: a failure heard while the clock is ahead, or just right again, is held back as long as the pause lasts", async () => {
  using service = await pausedForAnHour();
  liesFor(service, 20 * SECOND, () => void service.send(ping({ kind: "fail", message: "full" })));
  runUntil(service, NOON + 4 * MINUTE);
  await service.send(ping({ kind: "fail", message: "full" }));
  runUntil(service, ENDS - SECOND);
  expect(told(service)).toEqual([]);
  runUntil(service, ENDS + SECOND);
  expect(told(service)).toEqual(["InitialFailure failed 13:01:00"]);
});

test("R26: a pause that a clock ahead for half an hour has ended stands again once the clock is right", async () => {
  using service = await pausedForAnHour();
  liesFor(service, 30 * MINUTE);
  const before = told(service).length;
  runUntil(service, NOON + 43 * MINUTE);
  expect(service.monitor().pauses.manual).toEqual({ until: ENDS });
  runUntil(service, ENDS - SECOND);
  expect(told(service)).toHaveLength(before);
});

test("R26: under such a pause a failure of the minutes after is held back as long as it lasts", async () => {
  using service = await pausedForAnHour();
  liesFor(service, 30 * MINUTE);
  const before = told(service).length;
  runUntil(service, service.now + MINUTE);
  await service.send(ping({ kind: "fail" }));
  runUntil(service, ENDS - SECOND);
  expect(told(service)).toHaveLength(before);
  expect(service.monitor().pauses.manual).toEqual({ until: ENDS });
  runUntil(service, ENDS + 2 * MINUTE);
  expect(told(service).slice(before).join()).toContain("failed");
});

test("R26: one that a person ended while the clock was ahead stays ended", async () => {
  using service = await pausedForAnHour();
  liesFor(service, MINUTE, () => service.engine.operate("monitor resume", { application: "prod", key: "job" }));
  runUntil(service, NOON + 20 * MINUTE);
  expect(service.monitor().pauses.manual).toBeNull();
});

test("R26: one that a person ended stays ended, whatever the clock did since", async () => {
  using service = await pausedForAnHour();
  service.engine.operate("monitor resume", { application: "prod", key: "job" });
  liesFor(service, 30 * MINUTE);
  runUntil(service, NOON + 43 * MINUTE);
  expect(service.monitor().pauses.manual).toBeNull();
});

test("R26: a pause that was asked for while the clock is ahead, or just right again, is as long as was asked", async () => {
  for (const [wait, ends] of [
    [0, HOUR],
    [30 * SECOND, HOUR + 30 * SECOND],
  ] as const) {
    using service = openService();
    await service.send(ping({ schedule: EVERY_FIVE }));
    liesFor(service, 20 * SECOND, () => {
      void service.send(ping());
      if (wait === 0) pause(service);
    });
    if (wait > 0) {
      runUntil(service, service.now + wait - 21 * SECOND);
      pause(service);
    }
    runUntil(service, NOON + 12 * MINUTE);
    expect(service.monitor().pauses.manual!.until! - NOON - ends).toBeWithin(0, 3 * SECOND);
  }
});

test("R24, R26: a machine that was off when a pause ended hides no miss of the minutes after", async () => {
  using service = await pausedForAnHour();
  runUntil(service, ENDS - 3 * MINUTE);
  service.kill();
  service.at(ENDS + 3 * MINUTE);
  service.start();
  runUntil(service, ENDS + 14 * MINUTE);
  // The slot of 13:05 closed after the outage.
  expect(told(service).filter((alarm) => alarm.includes("missed"))).toEqual(FIRST_MISS);
});

const alertsIn = (service: Service) =>
  service.store.database
    .query<{ at: Instant; data: string }, []>("select at, data from alerts where type like 'monitor.%' order by id")
    .all()
    .map(({ at, data }) => ({ at, data: JSON.parse(data) as AlertData }));

const openedAt = (service: Service): string => toIso(service.store.incidents.load(1).openedAt).slice(11, 19);

test("R26: a failure heard after the clock was put right is told, and stands, with its own time", async () => {
  using service = openService();
  await service.send(ping({ schedule: EVERY_FIVE }));
  liesFor(service, 20 * SECOND, () => void service.send(ping()));
  runUntil(service, NOON + 2 * MINUTE);
  await service.send(ping({ kind: "fail", message: "full" }));
  const [{ at, data }] = alertsIn(service) as [ReturnType<typeof alertsIn>[number]];
  expect([toIso(at).slice(11, 19), data.openedAt.slice(11, 19), openedAt(service)]).toEqual(Array(3).fill("12:02:00"));
  expect(Date.parse(data.lastPingAt!)).toBeLessThanOrEqual(service.now);
  runUntil(service, NOON + 14 * MINUTE);
  expect(openedAt(service)).toBe("12:02:00");
  await service.send(ping());
  expect(alertsIn(service).at(-1)!.data).toMatchObject({ kind: "Recovered", durationSeconds: 720 });
});

test("R26: an incident that begins and ends before the times are pulled back has its own times too", async () => {
  using service = openService();
  await service.send(ping({ schedule: EVERY_FIVE }));
  liesFor(service, 20 * SECOND, () => void service.send(ping()));
  runUntil(service, NOON + 2 * MINUTE);
  await service.send(ping({ kind: "fail" }));
  runUntil(service, NOON + 3 * MINUTE);
  await service.send(ping());
  const { openedAt, closedAt } = service.store.incidents.load(1);
  expect([openedAt, closedAt]).toEqual([NOON + 2 * MINUTE, NOON + 3 * MINUTE]);
  expect(alertsIn(service).at(-1)!.data).toMatchObject({ kind: "Recovered", durationSeconds: 60 });
});

const HEARS_LATER = policyWith({
  team: { name: null, destinations: ["later"], members: [] },
  destinations: new Map([["later", { ...MESSAGES, hears: { afterSeconds: 1_200 } }]]),
});

const dueIn = ({ store, now }: Service): number =>
  store.database.query<{ due: Instant }, []>("select due_at as due from deliveries").get()!.due - now;

test("R26, R38: who hears `after` a time hears as much later, whatever the clock does meanwhile", async () => {
  using service = openService(HEARS_LATER);
  await service.send(ping({ schedule: EVERY_FIVE }), ping({ kind: "fail" }));
  runUntil(service, NOON + 2 * MINUTE);
  service.stepClock(3 * HOUR);
  service.look(service.now + SECOND);
  expect(dueIn(service)).toBe(18 * MINUTE - SECOND);
  runUntil(service, service.now + 20 * SECOND);
  service.stepClock(-3 * HOUR);
  runUntil(service, NOON + 14 * MINUTE);
  expect(dueIn(service)).toBeWithin(6 * MINUTE - SECOND, 6 * MINUTE + 2 * SECOND);
});

test("R26, R38: the same over a start at which the clock is ahead", async () => {
  using service = openService(HEARS_LATER);
  await service.send(ping({ schedule: EVERY_FIVE }), ping({ kind: "fail" }));
  runUntil(service, NOON + 2 * MINUTE);
  service.kill();
  service.stepClock(3 * HOUR);
  service.start();
  expect(dueIn(service)).toBe(18 * MINUTE);
});
