// What a request becomes on its way to the engine: the Ping, field by field, and that refused requests never get there.

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import type { Ping } from "../../src/engine/api.ts";
import { ping } from "../support/engine.ts";
import { ask, askRaw, basic } from "../support/http-client.ts";
import { createRecordingEngine, type RecordingEngine } from "../support/http-engine.ts";
import { startPublicServer } from "../support/public-server.ts";
import { granted } from "../support/service.ts";

const { engine, key, base, port, stop } = start();
afterAll(stop);

let seen = 0;
beforeEach(() => {
  seen = engine.pings.length;
});

/** Pings the engine got since the test began. */
const newPings = (): readonly Ping[] => engine.pings.slice(seen);

function start() {
  const engine: RecordingEngine = createRecordingEngine();
  granted(engine.createApplication("prod"));
  const { key } = granted(engine.createKey("prod", "all", "k".repeat(32)));
  const trust = { plainHttp: "loopback", trustedProxies: [] } as const;
  const server = startPublicServer(engine, { trust });
  return { engine, key, base: `${server.url}/api/v1/ping`, port: server.port, stop: () => server.stop(0) };
}

const BARE = ping();

describe("a Ping", () => {
  test("without parameters has none", async () => {
    await ask(`${base}/job/${key}`);
    await ask(`${base}/job/${key}?`);
    await ask(`${base}/job`, { headers: basic(key) });
    expect(newPings()).toEqual([BARE, BARE, BARE]);
  });

  test("carries every parameter", async () => {
    const query = [
      "schedule=*/5+*+*+*+*",
      "gracePeriod=120",
      "name=Nightly+backup",
      "run_id=r%2F1",
      "attempt=2",
      "age=18000",
      "duration=61.25",
      "message=disk+full",
      "timezone=Europe/Berlin",
      "maxRuntime=7200",
      "label=Nightly,db",
    ].join("&");
    await ask(`${base}/job/fail?${query}`, { method: "POST", headers: basic(key) });
    expect(newPings()).toEqual([
      {
        caller: BARE.caller,
        monitorKey: "job",
        kind: "fail",
        runId: "r/1",
        attempt: 2,
        ageSeconds: 18_000,
        durationSeconds: 61,
        message: "disk full",
        output: null,
        outcomes: new Map(),
        said: {
          schedule: "*/5 * * * *",
          everySeconds: null,
          graceSeconds: 120,
          name: "Nightly backup",
          timezone: "Europe/Berlin",
          maxRuntimeSeconds: 7200,
          alertAfterMisses: null,
          alertAfterFailures: null,
          severity: null,
          labels: "db nightly",
          note: null,
          mailRule: null,
        },
        host: null,
        user: null,
        lookalikes: [],
        idempotency: null,
      },
    ]);
  });

  test.each([
    ["", "heartbeat", null],
    ["/start", "start", null],
    ["/complete", "complete", null],
    ["/fail", "fail", "text"],
    ["/log", "log", null],
    ["/0", "heartbeat", null],
    ["/1", "fail", "exit status 1"],
    ["/255", "fail", "exit status 255"],
  ] as const)("R5: behind the key, %s is the kind %s with the message %p", async (suffix, kind, message) => {
    await ask(`${base}/job/${key}${suffix}?message=text`);
    expect(newPings()).toEqual([{ ...BARE, kind, message }]);
  });

  test("of an exit status has its message without any query", async () => {
    await ask(`${base}/job/${key}/9`);
    expect(newPings()).toEqual([{ ...BARE, kind: "fail", message: "exit status 9" }]);
  });

  test("takes an empty text for none: scripts send unset variables", async () => {
    await ask(`${base}/job/${key}/fail?message=&name=&run_id=`);
    expect(newPings()).toEqual([{ ...BARE, kind: "fail" }]);
  });

  test("R12: has the schedule with single spaces, and the zone in its one spelling", async () => {
    await ask(`${base}/job/${key}?schedule=%200++3+*+*+Mon%20`);
    await ask(`${base}/job/${key}?schedule=%200++3+*+*+Mon%20`);
    expect(newPings().map(({ said }) => said.schedule)).toEqual(["0 3 * * Mon", "0 3 * * Mon"]);
    await ask(`${base}/job/${key}?timezone=us/EASTERN`);
    expect(newPings().at(-1)?.said.timezone).toBe("US/Eastern");
  });
});

describe("what is refused never reaches the engine", () => {
  test.each([
    ["HEAD", `/job/KEY`, "X: y"],
    ["OPTIONS", `/job/KEY`, "X: y"],
    ["GET", `/job/KEY`, "Sec-Purpose: prefetch"],
    ["GET", `/job/KEY`, "X-Forwarded-Proto: https"],
    ["GET", `/../KEY`, "X: y"],
    ["GET", `/job/KEY/nonsense`, "X: y"],
    ["GET", `/job/KEY?attempt=x`, "X: y"],
    ["POST", `/job/KEY`, "Content-Length: 1048577"],
  ])("%s %s %s", async (method, path, header) => {
    const answer = await askRaw(port, `${method} /api/v1/ping${path.replace("KEY", key)}`, [header]);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(newPings()).toEqual([]);
  });

  test("a key is asked about whole, as it stands in path or header", async () => {
    const before = engine.askedKeys.length;
    await ask(`${base}/job/ck_app_%C3%BC%2F1`);
    await ask(`${base}/job`, { headers: basic("ck_app_x_y") });
    expect(engine.askedKeys.slice(before)).toEqual(["ck_app_ü/1", "ck_app_x_y"]);
  });
});
