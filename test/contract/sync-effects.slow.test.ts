// What a bulk sync does to monitors that are watched, paused, failing, configured or too many (R12, R24, R28 to R31,
// R34), by registries over HTTP at times of the test's own. Its requests and answers are tested in "Bulk sync".

import { describe, expect, test } from "bun:test";
import { policyWith } from "../support/engine.ts";
import { type Answer, basic } from "../support/http-client.ts";
import { type WatchedService, watchService } from "../support/watched-service.ts";

const HOURLY = "0 * * * *";
const JOB = { application: "prod", key: "job" };

type Item = Readonly<Record<string, unknown>>;

/** Declares these monitors as the whole registry of one source. */
function declare(service: WatchedService, time: string, ...monitors: Item[]): Promise<Answer> {
  service.at(time);
  return service.ask("/api/v1/sync", {
    method: "POST",
    headers: { ...basic(service.key), "content-type": "application/json" },
    body: JSON.stringify({ source: "scheduler", monitors }),
  });
}

async function statusOf(service: WatchedService, key = "job"): Promise<Item | undefined> {
  const { json } = await service.ask("/api/v1/sync/status", { headers: basic(service.key) });
  return (json!["monitors"] as Item[]).find(({ monitorKey }) => monitorKey === key);
}

describe("R28: a monitor that is declared", () => {
  test("is expected from then on: without a report it is NeverExecuted", async () => {
    await using service = watchService();
    await declare(service, "10:00:00", { key: "job", schedule: HOURLY });
    service.at("11:01:05");
    expect(service.news()).toEqual(["11:01:05 NeverExecuted missed"]);
  });

  test("R42: without a schedule is never missed, and its fails and unfinished runs still alarm", async () => {
    await using service = watchService();
    await declare(service, "10:00:00", { key: "job" });
    service.at("03-09 10:00:00");
    expect([service.status(), ...service.news()]).toEqual(["pending"]);
    await service.report("03-09 10:00:00", "/start?maxRuntime=60");
    await service.report("03-09 10:05:00");
    await service.report("03-09 10:06:00", "/fail");
    expect(service.news()).toEqual([
      "03-09 10:01:00 InitialFailure unfinished",
      "03-09 10:05:00 Recovered unfinished",
      "03-09 10:06:00 InitialFailure failed",
    ]);
  });

  test("R12: with another schedule is settled under the old one first; an open incident stays", async () => {
    await using service = watchService();
    await declare(service, "10:00:00", { key: "job", schedule: HOURLY });
    await declare(service, "11:30:30", { key: "job", schedule: "30 * * * *" });
    expect(service.news()).toEqual(["11:01:05 NeverExecuted missed"]);
    expect([service.status(), service.expects()]).toEqual(["critical", "12:30:00"]);
  });

  test("R13: takes a timezone and a maxRuntime too", async () => {
    await using service = watchService();
    await declare(service, "10:00:00", { key: "job", schedule: "0 3 * * *", timezone: "Asia/Kolkata", maxRuntime: 90 });
    expect(service.expects()).toBe("21:30:00");
    expect(service.instance.monitor().watch.maxRuntimeSeconds).toBe(90);
  });
});

describe("a monitor that is withdrawn", () => {
  test("R24: is paused, and its open incident closes with Recovered", async () => {
    await using service = watchService();
    await declare(service, "10:00:00", { key: "job", schedule: HOURLY });
    await service.report("10:01:00", "/fail");
    await declare(service, "10:02:00");
    expect(service.news()).toEqual(["10:01:00 InitialFailure failed", "10:02:00 Recovered failed (withdrawn)"]);
    expect(service.status()).toBe("paused");
    expect(service.engine.operate("monitor show", JOB)).toMatchObject({ pings: [{ kind: "fail" }] });
  });

  test("R24, R28: rule 6: resumes when it reappears; a pause by hand is preserved, with its end", async () => {
    await using service = watchService();
    await declare(service, "10:00:00", { key: "job", schedule: HOURLY });
    service.engine.operate("monitor pause", { ...JOB, durationSeconds: 3_600 });
    await declare(service, "10:01:00");
    await declare(service, "10:02:00", { key: "job", schedule: HOURLY });
    expect(service.status()).toBe("paused");
    service.at("11:00:00");
    expect(service.status()).toBe("pending");
  });

  test("R24: does not resume by time, nor by a report", async () => {
    await using service = watchService();
    await declare(service, "10:00:00", { key: "job", schedule: HOURLY });
    await declare(service, "10:01:00");
    await service.report("04-01 10:00:00", "?schedule=0+*+*+*+*");
    expect(service.status()).toBe("paused");
  });

  test("R30: one that registered itself has no source, and no sync pauses it", async () => {
    await using service = watchService();
    await service.report("10:00:00", "?schedule=0+*+*+*+*");
    expect((await declare(service, "10:01:00")).json).toMatchObject({ removed: [] });
    expect(service.status()).toBe("healthy");
  });
});

test("R30: a key that a person deleted is made again by the next sync, without the old history", async () => {
  await using service = watchService();
  await declare(service, "10:00:00", { key: "job", schedule: HOURLY });
  await service.report("10:01:00");
  service.engine.operate("monitor delete", JOB);
  const { json } = await declare(service, "10:02:00", { key: "job", schedule: HOURLY });
  expect(json).toMatchObject({ created: [{ key: "job" }] });
  expect(service.engine.operate("monitor show", JOB)).toMatchObject({ status: "pending", pings: [], lastPingAt: null });
});

describe("R34: capacity", () => {
  const one = policyWith({ prod: { maxActiveMonitors: 1 } });
  const FIRST = { key: "a", schedule: HOURLY };
  const SECOND = { key: "b", schedule: HOURLY };

  test("rule 7: a new key beyond it is created_plan_limited, paused, and an error of that monitor; the answer is 200", async () => {
    await using service = watchService("09:59:00", one);
    const { status, json } = await declare(service, "10:00:00", FIRST, SECOND);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      created: [
        { key: "a", action: "created" },
        { key: "b", action: "created_plan_limited" },
      ],
      errors: [{ key: "b", error: expect.any(String) }],
      summary: { total: 2, created: 2, errors: 1 },
    });
    expect(await statusOf(service, "b")).toMatchObject({ status: "paused" });
  });

  test("R24: what the plan paused does not resume by time, but by the first sync that finds room", async () => {
    await using service = watchService("09:59:00", one);
    await declare(service, "10:00:00", FIRST, SECOND);
    service.at("04-01 10:00:00");
    expect(await statusOf(service, "b")).toMatchObject({ status: "paused" });
    service.engine.operate("monitor delete", { application: "prod", key: "a" });
    await declare(service, "04-01 10:01:00", SECOND);
    expect(await statusOf(service, "b")).toMatchObject({ status: "pending" });
  });

  test("rule 6: who reappears where there is no room stays paused", async () => {
    await using service = watchService("09:59:00", one);
    await declare(service, "10:00:00", FIRST);
    await declare(service, "10:01:00");
    await service.report("10:02:00", "?schedule=0+*+*+*+*");
    expect((await declare(service, "10:03:00", FIRST)).json).toMatchObject({ errors: [{ key: "a" }] });
    expect(await statusOf(service, "a")).toMatchObject({ status: "paused" });
  });
});

describe("R31: the configuration", () => {
  const configured = policyWith({
    monitors: { job: { graceSeconds: 1_800, name: "Mine", timezone: "Europe/Berlin" } },
  });

  test("wins over what is declared, which is kept beside it", async () => {
    await using service = watchService("09:59:00", configured);
    const declared = { key: "job", schedule: HOURLY, gracePeriod: 60, name: "Theirs", timezone: "UTC" };
    await declare(service, "10:00:00", declared);
    expect(await statusOf(service)).toMatchObject({ name: "Mine", gracePeriod: 1_800 });
    expect(service.engine.operate("monitor show", JOB)).toMatchObject({
      settings: {
        graceSeconds: { value: 1_800, declared: 60 },
        name: { value: "Mine", declared: "Theirs" },
        timezone: { value: "Europe/Berlin", declared: "UTC" },
      },
    });
  });

  test("R29: does not count where declarations are compared", async () => {
    await using service = watchService("09:59:00", configured);
    const declared = { key: "job", schedule: HOURLY, gracePeriod: 60 };
    await declare(service, "10:00:00", declared);
    expect((await declare(service, "10:01:00", declared)).json).toMatchObject({ unchanged: [{ key: "job" }] });
    const changed = await declare(service, "10:02:00", { ...declared, gracePeriod: 90 });
    expect(changed.json).toMatchObject({ updated: [{ key: "job" }] });
  });
});

test("R29: updatedAt moves with declared values and not with reports; lastPingAt with a report of any kind", async () => {
  await using service = watchService();
  const declared = { key: "job", schedule: HOURLY };
  const at = (time: string) => `2026-03-02T${time}.000Z`;
  await declare(service, "10:00:00", declared);
  for (const [time, rest] of [
    ["10:01:00", "/start"],
    ["10:02:00", "/fail"],
    ["10:03:00", ""],
  ] as const) {
    await service.report(time, rest);
    expect(await statusOf(service)).toMatchObject({
      createdAt: at("10:00:00"),
      updatedAt: at("10:00:00"),
      lastPingAt: at(time),
    });
  }
  await declare(service, "10:04:00", declared);
  expect(await statusOf(service)).toMatchObject({ updatedAt: at("10:00:00") });
  await declare(service, "10:05:00", { ...declared, name: "New" });
  expect(await statusOf(service)).toMatchObject({ updatedAt: at("10:05:00"), lastPingAt: at("10:03:00") });
});

test("R18: sync status shows each status by its name", async () => {
  await using service = watchService();
  const keys = ["pending", "healthy", "warning", "critical", "paused"];
  await declare(
    service,
    "10:00:00",
    ...keys.map((key) => ({ key, schedule: key === "warning" ? "1 10 * * *" : HOURLY })),
  );
  for (const path of ["healthy", "critical/fail", "paused"]) {
    const [key = "", operation] = path.split("/");
    await service.ask(`/ping/${key}/${service.key}${operation === undefined ? "" : `/${operation}`}`);
  }
  service.engine.operate("monitor pause", { application: "prod", key: "paused" });
  service.at("10:01:30");
  for (const key of keys) expect(await statusOf(service, key)).toMatchObject({ status: key });
});

test("R32: a key in the path is for telemetry alone", async () => {
  await using service = watchService();
  for (const path of [`/api/v1/sync/${service.key}`, `/api/sync/${service.key}`, `/api/v1/sync/status/${service.key}`])
    expect(await service.ask(path, { method: "POST" })).toMatchObject({ status: 404, json: { error: "NOT_FOUND" } });
});
