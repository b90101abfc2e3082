// The operations on monitors and incidents over the management socket, with the real engine behind them: what they
// answer as JSON, and which field a bad request is told about.

import { beforeEach, describe, expect, test } from "bun:test";
import { toIso } from "../../src/domain/time.ts";
import type { OperationName } from "../../src/engine/operations/operations.ts";
import { NOON, ping } from "../support/engine.ts";
import { managedService } from "../support/management.ts";

type Json = Record<string, unknown>;

const managed = managedService();

const ask = (operation: OperationName, input?: unknown) => managed.ask<Json>(operation, input);

/** Every character that means something in a path, a query or JSON. */
const STRANGE = 'a/b?c=d&e#f%2F+g "h" \\ ü😀';

const LISTED = {
  application: "prod",
  key: "job",
  name: "Job",
  status: "pending",
  schedule: "0 2 * * *",
  timezone: "UTC",
  graceSeconds: 60,
  maxRuntimeSeconds: null,
  everySeconds: null,
  labels: null,
  expectedAt: "2026-03-03T02:00:00.000Z",
  lateSince: null,
  nextAt: "2026-03-03T02:00:00.000Z",
  lastPingAt: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  pauses: { manual: null, discovery: false, plan: false, suspension: false },
  incidentId: null,
  createdAt: toIso(NOON),
  updatedAt: toIso(NOON),
};

describe("monitors", () => {
  test("are created, listed, paused, resumed and deleted; every time is ISO 8601", async () => {
    const created = await ask("monitor create", { key: "job", schedule: "0 2 * * *" });
    expect(created).toEqual({ status: 200, body: LISTED });
    expect(await ask("monitor list")).toEqual({ status: 200, body: { monitors: [LISTED], unreadable: [] } });
    expect((await ask("monitor pause", { key: "job", durationSeconds: 7_200 })).body).toMatchObject({
      changed: true,
      monitor: { status: "paused", pauses: { manual: { until: "2026-03-02T14:00:00.000Z" } } },
    });
    expect((await ask("monitor pause", { key: "job" })).body).toMatchObject({
      monitor: { pauses: { manual: { until: null } } },
    });
    expect((await ask("monitor resume", { key: "job", application: "prod" })).body).toEqual({
      changed: true,
      monitor: LISTED,
    });
    expect(await ask("monitor delete", { key: "job" })).toEqual({
      status: 200,
      body: {
        application: "prod",
        key: "job",
        name: "Job",
        incidentId: null,
        recoveryTold: false,
        historyUntil: "2026-03-09T12:00:00.000Z",
        returnsAtStart: false,
      },
    });
  });

  test("are listed by application and status", async () => {
    await ask("monitor create", { key: "job", schedule: "0 2 * * *" });
    const keys = async (filter: Json) => ((await ask("monitor list", filter)).body["monitors"] as Json[]).length;
    expect(await keys({ application: "prod", status: "pending" })).toBe(1);
    expect(await keys({ status: "critical" })).toBe(0);
    expect(await ask("monitor list", { application: "nowhere" })).toMatchObject({ status: 404 });
  });

  test("a key of any characters is taken everywhere, and answered as it was sent", async () => {
    expect((await ask("monitor create", { key: STRANGE, schedule: "0 2 * * *" })).body).toMatchObject({
      key: STRANGE,
    });
    const shown = await ask("monitor show", { key: STRANGE });
    expect(shown).toMatchObject({ status: 200, body: { key: STRANGE } });
    for (const operation of ["monitor pause", "monitor resume", "monitor delete"] as const) {
      expect(await ask(operation, { key: STRANGE })).toMatchObject({ status: 200 });
    }
  });

  test("one is shown with its reports, runs and open incident", async () => {
    await managed.service.send(
      ping({ schedule: "0 2 * * *" }),
      ping({ kind: "start", runId: "a", attempt: 2 }),
      ping({ kind: "fail", runId: "a", message: "disk full" }),
    );
    const { body } = await ask("monitor show", { application: "prod", key: "job" });
    expect(body).toMatchObject({
      status: "critical",
      incidentId: 1,
      settings: { schedule: { value: "0 2 * * *", from: "declared", declared: "0 2 * * *" } },
      routing: { destinations: ["hook"], unreachable: null, severity: "error" },
      incident: { id: 1, openedAt: toIso(NOON), causes: ["failed"], message: "disk full", closedAt: null },
      pings: [{ at: toIso(NOON), kind: "fail", runId: "a" }, { kind: "start", attempt: 2 }, { kind: "heartbeat" }],
      runs: [{ number: 1, runId: "a", state: "ended", startedAt: toIso(NOON), endedAt: toIso(NOON) }],
    });
  });

  test.each<[OperationName, unknown, string]>([
    ["monitor list", { status: "ill" }, "status"],
    ["monitor list", { application: 5 }, "application"],
    ["monitor show", undefined, "key"],
    ["monitor show", { key: null }, "key"],
    ["monitor create", undefined, "key"],
    ["monitor create", { key: 5, schedule: "0 2 * * *" }, "key"],
    ["monitor create", { key: "job" }, "schedule"],
    ["monitor create", { key: "job", schedule: "0 2 * * *", application: 5 }, "application"],
    ["monitor create", { key: "job", schedule: "0 2 * * *", name: 5 }, "name"],
    ["monitor create", { key: "job", schedule: "0 2 * * *", timezone: 5 }, "timezone"],
    ["monitor create", { key: "job", schedule: "0 2 * * *", graceSeconds: "5m" }, "graceSeconds"],
    ["monitor create", { key: "job", schedule: "0 2 * * *", maxRuntimeSeconds: true }, "maxRuntimeSeconds"],
    ["monitor pause", {}, "key"],
    ["monitor pause", { key: "job", durationSeconds: "2h" }, "durationSeconds"],
    ["monitor resume", { application: "prod" }, "key"],
    ["monitor delete", { key: ["job"] }, "key"],
  ])("%s with %j is 400 and names the field", async (operation, input, field) => {
    expect(await ask(operation, input)).toEqual({
      status: 400,
      body: { error: "INVALID_REQUEST", message: expect.stringMatching(new RegExp(`^${field}: `)) },
    });
  });

  test("a schedule that is none is 400 INVALID_SCHEDULE, a monitor that is none 404 MONITOR_NOT_FOUND", async () => {
    expect(await ask("monitor create", { key: "job", schedule: "@daily" })).toMatchObject({
      status: 400,
      body: { error: "INVALID_SCHEDULE" },
    });
    expect(await ask("monitor show", { key: "job" })).toMatchObject({
      status: 404,
      body: { error: "MONITOR_NOT_FOUND" },
    });
  });
});

describe("incidents", () => {
  beforeEach(async () => {
    await managed.service.send(ping({ schedule: "0 2 * * *" }), ping({ kind: "fail", message: "disk full" }));
  });

  test("are listed, acknowledged and resolved", async () => {
    expect((await ask("incident ack", { id: 1 })).body).toMatchObject({
      changed: true,
      status: "critical",
      incident: { id: 1, acknowledgedAt: toIso(NOON), remindAt: null },
    });
    expect((await ask("incident list", { application: "prod", open: true })).body).toMatchObject({
      incidents: [{ id: 1, application: "prod", key: "job", name: "Job", message: "disk full", remindersSent: 0 }],
      more: false,
    });
    expect((await ask("incident resolve", { id: 1 })).body).toMatchObject({
      changed: true,
      incident: { closedAt: toIso(NOON), closedBy: "resolved" },
    });
    expect((await ask("incident list", { open: true })).body).toEqual({ incidents: [], more: false });
    expect((await ask("incident list")).body["incidents"]).toHaveLength(1);
  });

  test.each<[OperationName, unknown, string]>([
    ["incident list", { open: "yes" }, "open"],
    ["incident list", { open: 1 }, "open"],
    ["incident list", { application: true }, "application"],
    ["incident list", { limit: 0 }, "limit"],
    ["incident ack", { id: "x" }, "id"],
    ["incident ack", undefined, "id"],
    ["incident resolve", { id: -1 }, "id"],
  ])("%s with %j is 400 and names the field", async (operation, input, field) => {
    expect(await ask(operation, input)).toEqual({
      status: 400,
      body: { error: "INVALID_REQUEST", message: expect.stringMatching(new RegExp(`^${field}: `)) },
    });
  });

  test("one that does not exist is 404", async () => {
    expect(await ask("incident resolve", { id: 2 })).toMatchObject({ status: 404, body: { error: "NOT_FOUND" } });
  });
});

test("applications are listed with how many monitors each has", async () => {
  await ask("app create", { slug: "staging" });
  await ask("monitor create", { application: "prod", key: "job", schedule: "0 2 * * *" });
  expect(await ask("app list")).toEqual({
    status: 200,
    body: {
      applications: [
        { slug: "prod", name: null, monitors: 1, createdAt: toIso(NOON), suspendedAt: null },
        { slug: "staging", name: null, monitors: 0, createdAt: toIso(NOON), suspendedAt: null },
      ],
    },
  });
});
