// R43, R44: late ends of a job that must end at least every so often, where a run of it was told to be overdue
// meanwhile.

import { describe, expect, test } from "bun:test";
import { MINUTE } from "../../src/domain/time.ts";
import type { Ping } from "../../src/engine/api.ts";
import { NOON, openService, type PingChanges, ping, type Service } from "../support/engine.ts";

const told = (service: Service) =>
  service.notified().map(({ kind, cause, at }) => `${kind} ${cause} ${at.slice(11, 19)}`);

/** Every 40 minutes at least, with 5 of grace. It ended at noon and began at 12:30; what it did until `until` waits. */
async function awayAfterAStart(until: number): Promise<Service> {
  const service = openService();
  await service.send(ping({ everySeconds: 2_400, graceSeconds: 300 }));
  service.look(NOON + 30 * MINUTE);
  await service.send(ping({ kind: "start", runId: "one" }));
  service.look(NOON + until * MINUTE);
  return service;
}

const late = (service: Service, minute: number, changes: PingChanges): Ping =>
  ping({ ageSeconds: (service.now - NOON - minute * MINUTE) / 1_000, ...changes });

describe("R44: an interval counts from a late end", () => {
  test("that happened before the deadline of a run that was told not to have ended: no false alarm follows", async () => {
    using service = await awayAfterAStart(80);
    await service.send(late(service, 40, { kind: "complete", runId: "one" }));
    await service.send(late(service, 70, { kind: "complete", runId: "two" }));
    service.look(NOON + 105 * MINUTE);
    expect(told(service)).toEqual(["InitialFailure unfinished 13:15:00", "Recovered unfinished 13:20:00"]);
    expect(service.monitor().expectedAt).toBe(NOON + 110 * MINUTE);
  });

  test("though a run was told not to have ended before it: the next miss is told in time", async () => {
    using service = await awayAfterAStart(190);
    await service.send(late(service, 150, { kind: "complete", runId: "two" }));
    expect(service.monitor()).toMatchObject({ incident: null, expectedAt: NOON + 190 * MINUTE });
    service.look(NOON + 200 * MINUTE);
    expect(told(service).at(-1)).toBe("InitialFailure missed 15:15:05");
  });
});
