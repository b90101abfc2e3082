// The contract's section "Limits", as far as it is about rates, and its 429 (R33). Over the wire alone; only the clock
// that windows are measured with is the test's.

import { describe, expect, test } from "bun:test";
import type { LogFields } from "../../src/domain/log.ts";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Limits } from "../../src/http/api/versions.ts";
import { type Answer, ask, askRaw, basic } from "../support/http-client.ts";
import { NO_LIMITS } from "../support/public-server.ts";
import { startService } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";

const DEFAULTS = { v1PerMinute: 60, v1PerHour: 1_000, aliasPerMinute: 1_000, syncPerMinute: 10, adminPerMinute: 600 };
const REGISTER = "?schedule=0+3+*+*+*";

const eachPerMinute = (most: number): Limits => ({ ...NO_LIMITS, v1PerMinute: most, aliasPerMinute: most });

function start(limits: Limits = DEFAULTS, root = "/api/v1") {
  const time = { monotonic: 1_000 };
  const logged: { readonly event: string; readonly fields: LogFields }[] = [];
  const service = startService({
    limits,
    clock: { now: () => 0, monotonic: () => time.monotonic },
    log: (_level, event, fields = {}) => logged.push({ event, fields }),
  });
  const { origin, keys } = service;
  const base = `${origin}${root}`;
  const send = (query = REGISTER, key = keys.all): Promise<Answer> => ask(`${base}/ping/rates/${key}${query}`);
  return { ...service, base, time, logged, send, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** This many heartbeats one after the other; how many answers of each status came. */
async function sendMany(count: number, send: () => Promise<Answer>): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  for (let sent = 0; sent < count; sent++) {
    const { status } = await send();
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
}

describe("R33: version 1: 60 requests per minute and key", () => {
  test("the first 60 are 200, the next are 429 until the minute since the first is over", async () => {
    await using service = start();
    expect(await sendMany(65, service.send)).toEqual({ 200: 60, 429: 5 });
    service.time.monotonic += MINUTE - 1;
    expect((await service.send()).status).toBe(429);
    service.time.monotonic += 1;
    expect(await sendMany(65, service.send)).toEqual({ 200: 60, 429: 5 });
  });

  test("nine jobs of each minute may report the start and the end of each run, and as much again", async () => {
    await using service = start();
    const { base, keys, time } = service;
    const report = async (job: number, kind = "") =>
      (await ask(`${base}/ping/job-${job}/${keys.all}${kind}?schedule=*+*+*+*+*`)).status;
    const statuses = new Set<number>();
    for (let minute = 0; minute < 60; minute++) {
      for (let job = 0; job < 9; job++)
        for (const kind of ["/start", "/complete"]) statuses.add(await report(job, kind));
      time.monotonic += MINUTE;
    }
    expect([...statuses]).toEqual([200]);
  });

  test("R43: reports that come late have a budget of their own", async () => {
    await using service = start();
    expect(await sendMany(60, service.send)).toEqual({ 200: 60 });
    const late = () => service.send(`${REGISTER}&age=3600`);
    expect(await sendMany(100, late)).toEqual({ 200: 100 });
    expect((await service.send()).status).toBe(429);
    expect(await sendMany(901, late)).toEqual({ 200: 900, 429: 1 });
    service.time.monotonic += MINUTE;
    expect((await late()).status).toBe(200);
  });

  test("a 429 has the contract's body, and the same seconds in Retry-After", async () => {
    await using service = start();
    await sendMany(60, service.send);
    service.time.monotonic += 18_500;
    const answer = await service.send();
    expect(answer.status).toBe(429);
    expect(answer.json).toEqual({
      error: "RATE_LIMIT_EXCEEDED",
      message: "this key may send 60 requests in 1 minute (limits.v1_per_minute); the next one is taken in 42 seconds",
      retry_after: 42,
    });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "retry-after": "42",
      "content-type": expect.stringMatching(/^application\/json/),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    });
  });

  test("R33: who waits as long as Retry-After says succeeds; a second less is too short, and asking prolongs nothing", async () => {
    await using service = start();
    await sendMany(60, service.send);
    service.time.monotonic += 12_345;
    const seconds = Number((await service.send()).headers.get("retry-after"));
    for (let waited = 1; waited < seconds; waited++) {
      service.time.monotonic += SECOND;
      expect((await service.send()).json).toMatchObject({ retry_after: seconds - waited });
    }
    service.time.monotonic += SECOND;
    expect((await service.send()).status).toBe(200);
  });

  test("are counted for each key by itself, over all monitors, operations, methods and ways to authenticate", async () => {
    await using service = start(eachPerMinute(5));
    const { base, keys } = service;
    const path = `${base}/ping/job-a/${keys.all}`;
    await ask(path + REGISTER);
    await ask(`${base}/ping/job-b/${keys.all}${REGISTER}`);
    await ask(`${path}/start`, { method: "POST" });
    await ask(`${path}/complete`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
    expect((await ask(`${base}/ping/job-a`, { headers: basic(keys.all) })).status).toBe(200);
    for (const refused of [path, `${path}/fail`, `${path}/log`, `${path}/0`, `${base}/ping/job-b/${keys.all}`]) {
      expect((await ask(refused, { method: "POST" })).status).toBe(429);
    }
    expect((await ask(`${base}/ping/job-a`, { headers: basic(keys.all) })).status).toBe(429);
    expect((await service.send(REGISTER, keys.ping)).status).toBe(200);
  });
});

describe("R33: version 1: 1,000 requests per hour and key", () => {
  test("hold beside those per minute, and the message names the setting", async () => {
    await using service = start();
    for (let minute = 0; minute < 16; minute++) {
      expect(await sendMany(60, service.send)).toEqual({ 200: 60 });
      service.time.monotonic += MINUTE;
    }
    expect(await sendMany(45, service.send)).toEqual({ 200: 40, 429: 5 });
    const answer = await service.send();
    expect(answer.json).toMatchObject({ retry_after: 44 * 60, message: expect.stringContaining("limits.v1_per_hour") });
    service.time.monotonic += 44 * MINUTE - 1;
    expect((await service.send()).status).toBe(429);
    service.time.monotonic += 1;
    expect((await service.send()).status).toBe(200);
  }, 120_000);

  test("R33: both limits are settings, and 0 is none", async () => {
    await using unlimited = start(NO_LIMITS);
    expect(await sendMany(200, unlimited.send)).toEqual({ 200: 200 });
    await using hourly = start({ ...NO_LIMITS, v1PerHour: 70 });
    expect(await sendMany(75, hourly.send)).toEqual({ 200: 70, 429: 5 });
    hourly.time.monotonic += HOUR;
    expect((await hourly.send()).status).toBe(200);
  });
});

describe("R33: the aliases: 1,000 requests per minute and key", () => {
  test("the first 1,000 are 200, the next are 429 until the minute since the first is over", async () => {
    await using service = start(DEFAULTS, "");
    expect(await sendMany(1_005, service.send)).toEqual({ 200: 1_000, 429: 5 });
    service.time.monotonic += MINUTE - 1;
    const answer = await service.send();
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("1");
    expect(answer.json).toEqual({
      error: "RATE_LIMIT_EXCEEDED",
      message:
        "this key may send 1,000 requests in 1 minute (limits.alias_per_minute); the next one is taken in 1 second",
      retry_after: 1,
    });
    service.time.monotonic += 1;
    expect((await service.send()).status).toBe(200);
  });

  test("R33: none per hour, and 0 is none", async () => {
    await using busy = start({ ...DEFAULTS, v1PerHour: 1, aliasPerMinute: 3 }, "");
    for (let minute = 0; minute < 3; minute++) {
      expect(await sendMany(5, busy.send)).toEqual({ 200: 3, 429: 2 });
      busy.time.monotonic += MINUTE;
    }
    await using unlimited = start({ ...NO_LIMITS, v1PerMinute: 1, v1PerHour: 1 }, "");
    expect(await sendMany(200, unlimited.send)).toEqual({ 200: 200 });
  });

  test("R33: the versions count by themselves: who has used one up may use the other", async () => {
    await using service = start({ ...NO_LIMITS, v1PerMinute: 2, aliasPerMinute: 3 }, "");
    const { origin, keys } = service;
    const sendVersion1 = () => ask(`${origin}/api/v1/ping/rates/${keys.all}`);
    expect(await sendMany(5, service.send)).toEqual({ 200: 3, 429: 2 });
    expect(await sendMany(5, sendVersion1)).toEqual({ 200: 2, 429: 3 });
  });
});

describe.each(VERSIONS)("$title", ({ root, perMinute }) => {
  describe("R33: what counts", () => {
    test("is every request of a key, whatever else is wrong with it; then 429 comes first", async () => {
      await using service = start(eachPerMinute(4), root);
      const { base, keys } = service;
      const wrong: readonly (readonly [number, () => Promise<Answer>])[] = [
        [400, () => service.send("?attempt=x")],
        [400, () => service.send("?schedule=nonsense")],
        [404, () => service.send("")],
        [413, () => ask(`${base}/ping/rates/${keys.all}`, { method: "POST", body: "x".repeat(1024 * 1024 + 1) })],
      ];
      for (const [status, send] of wrong) expect((await send()).status).toBe(status);
      for (const [, send] of wrong) expect((await send()).status).toBe(429);
    });

    test("is not what was refused before the key was known, nor a key that may not report", async () => {
      await using service = start(eachPerMinute(1), root);
      const { base, keys, port } = service;
      const path = `${root}/ping/rates/${keys.all}`;
      for (let sent = 0; sent < 3; sent++) {
        expect((await service.send(REGISTER, keys.revoked)).status).toBe(401);
        expect((await service.send(REGISTER, keys.sync)).status).toBe(403);
        expect((await ask(`${base}/ping/rates/${keys.all}`, { method: "PUT" })).status).toBe(405);
        expect((await askRaw(port, `GET ${path}`, ["Purpose: prefetch"])).status).toBe(403);
        expect((await askRaw(port, `GET ${path}`, ["X-Forwarded-Proto: http"])).status).toBe(403);
        expect((await ask(`${base}/ping/rates/${keys.all}/nonsense`)).status).toBe(404);
      }
      expect((await service.send()).status).toBe(200);
      expect((await service.send()).status).toBe(429);
    });
  });

  describe("R26: a refused report", () => {
    test("records nothing: no monitor is made, no run begins", async () => {
      await using service = start(eachPerMinute(1), root);
      const { base, keys, time } = service;
      const pass = () => {
        time.monotonic += MINUTE;
      };
      await service.send();
      expect((await ask(`${base}/ping/unknown/${keys.all}${REGISTER}`)).status).toBe(429);
      expect((await ask(`${base}/ping/rates/${keys.all}/start`)).status).toBe(429);
      pass();
      expect((await ask(`${base}/ping/unknown/${keys.all}`)).status).toBe(404);
      pass();
      expect((await ask(`${base}/ping/rates/${keys.all}/complete`)).json).toMatchObject({ duration: null });
    });

    test("R14, R33: is named in the next answer and, once a minute, in the log, which never holds a key", async () => {
      await using service = start(eachPerMinute(1), root);
      expect((await service.send()).json).toMatchObject({ warning: null });
      expect(await sendMany(20, service.send)).toEqual({ 429: 20 });
      service.time.monotonic += MINUTE;
      expect((await service.send()).json).toMatchObject({
        warning: `Reports of this monitor were refused by the rate limit in the last hour (${perMinute}).`,
      });
      const lines = service.logged.filter(({ event }) => event === "rate_limit_exceeded");
      const fields = { application: "prod", keyId: 1, setting: perMinute, refusedBefore: 0 };
      expect(lines.map((line) => line.fields)).toEqual([fields]);
      expect(JSON.stringify(service.logged)).not.toContain(service.keys.all);
    });
  });
});
