// A destination that fails is told of another way (R36): after an hour, once for each outage, with what waits, and once
// more when it takes messages again. The engine and the outbox are real; nothing is sent.

import { expect, test } from "bun:test";
import { HOUR, type Instant, MINUTE } from "../../src/domain/time.ts";
import type { Outbox } from "../../src/engine/api.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { NO_DIGESTS, NOTHING_NEW } from "../support/alerts.ts";
import { MESSAGES } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";

const TWO = policyWith({
  destinations: new Map([
    ["chat", MESSAGES],
    ["hook", MESSAGES],
  ]),
  prod: { destinations: ["chat", "hook"] },
});

const hourly = { schedule: "0 * * * *", kind: "fail", message: "disk full" } as const;

const failureOf = ([name, since]: [destination: string, failingSince: Instant | null]) =>
  [name, since === null ? null : { since, answer: "connection refused", blocked: false }] as const;

/** What the notifier would hand in: since when these fail; null: it takes messages. */
function news(service: Service, ...conditions: [destination: string, failingSince: Instant | null][]): void {
  const outbox: Outbox = createOutbox(service.store.database, () => {});
  const wanted = { now: service.now, busy: new Set<string>(), limit: 0, each: 1, digests: NO_DIGESTS };
  outbox.exchange([], { ...wanted, ...NOTHING_NEW, news: new Map(conditions.map(failureOf)) });
  for (const [destination, since] of conditions) {
    if (since === null) service.failing.delete(destination);
    else service.failing.set(destination, "connection refused");
  }
}

/** Looks once a minute, for this long. */
function watch(service: Service, milliseconds: number): void {
  for (const end = service.now + milliseconds; service.now < end; ) service.look(service.now + MINUTE);
}

const told = (service: Service) =>
  service
    .notices()
    .flatMap(({ data: { notice }, destinations }) => (notice.kind === "failing" ? [{ notice, destinations }] : []));

test("R36: a destination that has failed for an hour is told of through another one, once, with what waits", async () => {
  using service = openService(TWO);
  await service.send(ping(hourly), ping({ ...hourly, monitorKey: "other" }));
  news(service, ["chat", NOON]);
  watch(service, 59 * MINUTE);
  expect(told(service)).toEqual([]);
  watch(service, 2 * MINUTE);
  expect(told(service)).toMatchObject([
    {
      destinations: ["hook"],
      notice: {
        destination: "chat",
        since: "2026-03-02T12:00:00.000Z",
        until: null,
        answer: "connection refused",
        messagesTotal: 2,
        monitorsTotal: 2,
        monitors: [{ monitorKey: "job" }, { monitorKey: "other" }],
      },
    },
  ]);
  watch(service, 3 * HOUR);
  service.restart();
  watch(service, HOUR);
  expect(told(service)).toHaveLength(1);
});

test("R26, R36: the notice counts the jobs of incidents that a restore has ended", async () => {
  using service = openService(TWO);
  const backup = service.backUp();
  await service.send(ping(hourly), ping({ ...hourly, monitorKey: "other" }));
  service.restore(backup);
  news(service, ["chat", NOON]);
  watch(service, 61 * MINUTE);
  expect(told(service)[0]?.notice).toMatchObject({ messagesTotal: 4, monitorsTotal: 2 });
});

test("R36: those who were told hear when it takes messages again, once", async () => {
  using service = openService(TWO);
  await service.send(ping(hourly));
  news(service, ["chat", NOON]);
  watch(service, 62 * MINUTE);
  news(service, ["chat", null]);
  watch(service, 10 * MINUTE);
  expect(told(service).slice(1)).toMatchObject([
    {
      destinations: ["hook"],
      notice: { destination: "chat", since: "2026-03-02T12:00:00.000Z", until: "2026-03-02T13:03:00.000Z" },
    },
  ]);
  // The next outage is told again, after an hour of its own.
  news(service, ["chat", service.now]);
  watch(service, 59 * MINUTE);
  expect(told(service)).toHaveLength(2);
  watch(service, 2 * MINUTE);
  expect(told(service)).toHaveLength(3);
});

test("R36: one that works for a moment and fails again is the same outage", async () => {
  using service = openService(TWO);
  await service.send(ping(hourly));
  news(service, ["chat", NOON]);
  watch(service, 62 * MINUTE);
  news(service, ["chat", null]);
  news(service, ["chat", service.now]);
  watch(service, 3 * HOUR);
  expect(told(service)).toHaveLength(1);
});

test("R36: an outage of less than an hour, or at which nothing waits, is told nobody", async () => {
  using service = openService(TWO);
  news(service, ["chat", NOON]);
  watch(service, 2 * HOUR);
  await service.send(ping(hourly));
  news(service, ["chat", null], ["hook", service.now]);
  watch(service, 50 * MINUTE);
  news(service, ["hook", null]);
  watch(service, 2 * HOUR);
  expect(told(service)).toEqual([]);
});

test("R36: while every destination fails nobody is told; the first that works again hears of the others", async () => {
  using service = openService(TWO);
  await service.send(ping(hourly));
  news(service, ["chat", NOON], ["hook", NOON]);
  watch(service, 2 * HOUR);
  expect(told(service)).toEqual([]);
  news(service, ["hook", null]);
  watch(service, 2 * MINUTE);
  expect(told(service)).toMatchObject([{ destinations: ["hook"], notice: { destination: "chat" } }]);
});

test("R36: where there is no other destination, the log alone hears of it, at error and once", async () => {
  using service = openService();
  await service.send(ping(hourly));
  news(service, ["hook", NOON]);
  watch(service, 3 * HOUR);
  const lines = service.logged.filter(({ event }) => event === "notice");
  expect(lines).toMatchObject([{ level: "error", fields: { notice: "failing", deliveries: 0 } }]);
});
