// Many monitors due at once are settled in pieces, one a turn of the event loop: reports are let in between, and what
// they change is settled once. The clock and the turns are the test's.

import { expect, test } from "bun:test";
import { MINUTE, SECOND } from "../../src/domain/time.ts";
import { NOON, openService, ping, type Service } from "../support/engine.ts";

const MONITORS = 1_000;
const CLOSE = NOON + 2 * MINUTE + 5 * SECOND;

/** This many monitors, which all close at the same instant, and the ticks that come then. */
async function dueTogether(): Promise<Service> {
  const service = openService();
  const registering = Array.from({ length: MONITORS }, (_, index) =>
    ping({ monitorKey: `job-${index}`, schedule: "* * * * *", graceSeconds: 60 }),
  );
  await service.send(...registering);
  service.endTurns();
  service.at(CLOSE);
  service.engine.tick();
  return service;
}

/** Ends turns until the next monitors are settled, and answers how many those were. */
function settleNext(service: Service): number {
  const before = service.alarms().length;
  for (let turns = 0; turns < 10 && service.alarms().length === before; turns++) service.endTurn();
  return service.alarms().length - before;
}

test("R19: monitors due at once are settled in pieces, and a report between two of them is answered in its turn", async () => {
  using service = await dueTogether();
  const first = settleNext(service);
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(MONITORS / 2);

  const [answer] = await service.send(ping({ monitorKey: "beside", schedule: "0 0 * * *" }));
  expect(answer).toMatchObject({ kind: "heartbeat", monitorKey: "beside" });
  expect(service.alarms().length).toBeLessThan(MONITORS);
  expect(service.engine.isSettling()).toBe(true);

  service.endTurns();
  expect(service.engine.isSettling()).toBe(false);
  expect(new Set(service.alarms().map(({ monitor }) => monitor)).size).toBe(MONITORS);
  expect(service.alarms()).toHaveLength(MONITORS);
});

test("R19: a report that comes while others are settled finds its own miss told first, and told once", async () => {
  using service = await dueTogether();
  settleNext(service);
  const settled = new Set(service.alarms().map(({ monitor }) => monitor));
  const waiting = Array.from({ length: MONITORS }, (_, index) => `job-${index}`).find((key) => !settled.has(key))!;
  await service.send(ping({ monitorKey: waiting }));
  service.endTurns();
  expect(service.notified().filter(({ monitor }) => monitor === waiting)).toMatchObject([
    { kind: "InitialFailure", at: new Date(CLOSE).toISOString() },
    { kind: "Recovered", at: new Date(CLOSE).toISOString() },
  ]);
  expect(service.alarms().filter(({ kind }) => kind === "InitialFailure")).toHaveLength(MONITORS);
});
