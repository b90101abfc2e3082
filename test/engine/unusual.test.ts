// `unusual = "tell"`: a run of unusual length is told once, in the transaction of its report, where alerts go.

import { expect, test } from "bun:test";
import { parseQuiet } from "../../src/domain/settings/hearing.ts";
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
    .query<{ notBefore: number }, []>("select not_before as notBefore from deliveries where held")
    .all();
  expect(held?.notBefore).toBe(NOON + 27 * DAY + 8 * HOUR);
});

test("a run that a start began is judged by its measured length", async () => {
  using service = openService(policyOf("tell"));
  await ran(service, 1_200);
  service.look(NOON + 28 * DAY);
  await service.send(ping({ kind: "start", runId: "long" }));
  service.look(NOON + 28 * DAY + 50 * MINUTE + SECOND);
  await service.send(ping({ kind: "complete", runId: "long" }));
  expect(noticesOf(service)).toMatchObject([{ notice: { tookSeconds: 3_001 } }]);
});
