// The operations on deliveries over the management socket, with the real engine behind them: what they answer as JSON,
// and which field a bad request is told about.

import { expect, test } from "bun:test";
import { HOUR, toIso } from "../../src/domain/time.ts";
import type { OperationName } from "../../src/engine/operations/operations.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { byHand } from "../support/alerts.ts";
import { NOON, ping } from "../support/engine.ts";
import { managedService } from "../support/management.ts";

const managed = managedService();

const ask = (operation: OperationName, input?: unknown) => managed.ask<unknown>(operation, input);

const TEST = {
  id: 1,
  createdAt: toIso(NOON),
  destination: "hook",
  recipient: null,
  type: "destination.test",
  kind: "test",
  application: null,
  monitorKey: null,
  monitorName: null,
  incidentId: null,
  state: "waiting",
  nextAttemptAt: toIso(NOON),
  finishedAt: null,
  attempts: 0,
  digestId: null,
  perhapsTaken: false,
  why: null,
  acknowledgedAt: null,
  answer: null,
};

test("a test is written, listed, shown in every state, and sent again; every time is ISO 8601", async () => {
  expect(await ask("notify test", { destination: "hook" })).toEqual({
    status: 200,
    body: { deliveries: [TEST] },
  });
  const hand = byHand(createOutbox(managed.service.store.database, () => {}));
  hand.claim(NOON);
  const underWay = { ...TEST, state: "under_way", nextAttemptAt: null, attempts: 1 };
  expect(await ask("notify show", { id: 1 })).toEqual({ status: 200, body: underWay });
  hand.retry(1, NOON + HOUR, "HTTP 503");
  const waiting = { ...TEST, nextAttemptAt: toIso(NOON + HOUR), attempts: 1, answer: "HTTP 503" };
  expect((await ask("notify show", { id: 1 })).body).toEqual(waiting);
  expect((await ask("notify resend", { id: 1 })).body).toEqual({
    done: "forward",
    delivery: { ...waiting, nextAttemptAt: toIso(NOON) },
  });
  hand.claim(NOON);
  hand.giveUp(1, NOON, "HTTP 404");
  const givenUp = { ...underWay, state: "given_up", attempts: 2, finishedAt: toIso(NOON), answer: "HTTP 404" };
  managed.service.failing.set("hook", "HTTP 404");
  expect((await ask("notify list", { states: ["given_up"] })).body).toEqual({
    at: toIso(NOON),
    deliveries: [givenUp],
    more: [],
    failing: [{ destination: "hook", answer: "HTTP 404", since: toIso(NOON) }],
  });
  expect((await ask("notify resend", { id: 1 })).body).toEqual({ done: "again", delivery: { ...TEST, id: 2 } });
});

test("what waits for an earlier one of its lane has no next attempt; lists are of all states and bounded", async () => {
  await managed.service.send(ping({ schedule: "0 0 29 2 *" }), ping({ kind: "fail" }), ping());
  expect((await ask("notify list")).body).toMatchObject({
    deliveries: [
      { id: 2, kind: "Recovered", application: "prod", monitorKey: "job", state: "waiting", nextAttemptAt: null },
      { id: 1, kind: "InitialFailure", incidentId: 1, nextAttemptAt: toIso(NOON) },
    ],
    more: [],
    failing: [],
  });
  expect((await ask("notify list", { limit: 1, states: ["waiting", "sent"] })).body).toMatchObject({
    deliveries: [{ id: 2 }],
    more: ["waiting"],
  });
});

test.each<[OperationName, unknown, string]>([
  ["notify list", { states: ["waiting", "ill"] }, "states"],
  ["notify list", { states: [] }, "states"],
  ["notify list", { states: ["sent", "sent"] }, "states"],
  ["notify list", { states: "waiting" }, "states"],
  ["notify list", { limit: 0 }, "limit"],
  ["notify list", { limit: 1_001 }, "limit"],
  ["notify list", { limit: 1.5 }, "limit"],
  ["notify list", { limit: "many" }, "limit"],
  ["notify show", { id: "x" }, "id"],
  ["notify resend", { id: "x" }, "id"],
  ["notify test", undefined, "destination"],
  ["notify test", { destination: 5 }, "destination"],
])("%s with %j is 400 and names the field", async (operation, input, field) => {
  expect(await ask(operation, input)).toEqual({
    status: 400,
    body: { error: "INVALID_REQUEST", message: expect.stringMatching(new RegExp(`^${field}: `)) },
  });
});

test("what does not exist is 404", async () => {
  expect(await ask("notify show", { id: 1 })).toMatchObject({ status: 404, body: { error: "NOT_FOUND" } });
  expect(await ask("notify resend", { id: 1 })).toMatchObject({ status: 404 });
  expect(await ask("notify test", { destination: "nowhere" })).toMatchObject({ status: 404 });
});
