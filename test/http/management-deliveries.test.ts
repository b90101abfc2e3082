// The management socket's paths of deliveries, with the real engine behind them: what they answer as JSON, and which field
// a bad request is told about.

import { expect, test } from "bun:test";
import { HOUR, toIso } from "../../src/domain/time.ts";
import { createOutbox } from "../../src/engine/telling/outbox.ts";
import { byHand } from "../support/alerts.ts";
import { NOON, ping } from "../support/engine.ts";
import { managedService } from "../support/management.ts";

const managed = managedService();

const ask = (method: string, path: string, body?: unknown) => managed.ask<unknown>(method, path, body);

const TEST = {
  id: 1,
  createdAt: toIso(NOON),
  destination: "hook",
  recipient: null,
  type: "destination.test",
  kind: "test",
  application: null,
  monitorKey: null,
  incidentId: null,
  state: "waiting",
  nextAttemptAt: toIso(NOON),
  finishedAt: null,
  attempts: 0,
  digestId: null,
  answer: null,
};

test("a test is written, listed, shown in every state, and sent again; every time is ISO 8601", async () => {
  expect(await ask("POST", "/deliveries/test", { destination: "hook" })).toEqual({
    status: 200,
    body: { deliveries: [TEST] },
  });
  const hand = byHand(createOutbox(managed.service.store.database, () => {}));
  hand.claim(NOON);
  const underWay = { ...TEST, state: "under_way", nextAttemptAt: null, attempts: 1 };
  expect(await ask("GET", "/deliveries/1")).toEqual({ status: 200, body: underWay });
  hand.retry(1, NOON + HOUR, "HTTP 503");
  const waiting = { ...TEST, nextAttemptAt: toIso(NOON + HOUR), attempts: 1, answer: "HTTP 503" };
  expect((await ask("GET", "/deliveries/1")).body).toEqual(waiting);
  expect((await ask("POST", "/deliveries/1/resend")).body).toEqual({
    done: "forward",
    delivery: { ...waiting, nextAttemptAt: toIso(NOON) },
  });
  hand.claim(NOON);
  hand.giveUp(1, NOON, "HTTP 404");
  const givenUp = { ...underWay, state: "given_up", attempts: 2, finishedAt: toIso(NOON), answer: "HTTP 404" };
  managed.service.failing.set("hook", "HTTP 404");
  expect((await ask("GET", "/deliveries?states=given_up")).body).toEqual({
    at: toIso(NOON),
    deliveries: [givenUp],
    more: [],
    failing: [{ destination: "hook", answer: "HTTP 404", since: toIso(NOON) }],
  });
  expect((await ask("POST", "/deliveries/1/resend")).body).toEqual({ done: "again", delivery: { ...TEST, id: 2 } });
});

test("what waits for an earlier one of its lane has no next attempt; lists are of all states and bounded", async () => {
  await managed.service.send(ping({ schedule: "0 0 29 2 *" }), ping({ kind: "fail" }), ping());
  expect((await ask("GET", "/deliveries")).body).toMatchObject({
    deliveries: [
      { id: 2, kind: "Recovered", application: "prod", monitorKey: "job", state: "waiting", nextAttemptAt: null },
      { id: 1, kind: "InitialFailure", incidentId: 1, nextAttemptAt: toIso(NOON) },
    ],
    more: [],
    failing: [],
  });
  expect((await ask("GET", "/deliveries?limit=1&states=waiting,sent")).body).toMatchObject({
    deliveries: [{ id: 2 }],
    more: ["waiting"],
  });
});

test.each([
  ["GET", "/deliveries?states=waiting,ill", undefined, "states"],
  ["GET", "/deliveries?states=", undefined, "states"],
  ["GET", "/deliveries?states=%ff", undefined, "states"],
  ["GET", "/deliveries?limit=0", undefined, "limit"],
  ["GET", "/deliveries?limit=1001", undefined, "limit"],
  ["GET", "/deliveries?limit=many", undefined, "limit"],
  ["GET", "/deliveries/x", undefined, "id"],
  ["POST", "/deliveries/x/resend", undefined, "id"],
  ["POST", "/deliveries/test", undefined, "destination"],
  ["POST", "/deliveries/test", { destination: 5 }, "destination"],
])("%s %s with %j is 400 and names the field", async (method, path, body, field) => {
  expect(await ask(method, path, body)).toEqual({
    status: 400,
    body: { error: "INVALID_REQUEST", message: expect.stringMatching(new RegExp(`^${field}: `)) },
  });
});

test("what does not exist is 404", async () => {
  expect(await ask("GET", "/deliveries/1")).toMatchObject({ status: 404, body: { error: "NOT_FOUND" } });
  expect(await ask("POST", "/deliveries/1/resend")).toMatchObject({ status: 404 });
  expect(await ask("POST", "/deliveries/test", { destination: "nowhere" })).toMatchObject({ status: 404 });
});
