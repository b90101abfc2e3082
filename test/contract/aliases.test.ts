// The contract's unversioned aliases of telemetry: each rule in which they differ from version 1, both sides of it, and
// that nothing else differs. The other files here ask what is the same of both. Over the wire alone.

import { afterAll, describe, expect, test } from "bun:test";
import { type Answer, ask, askRaw, basic } from "../support/http-client.ts";
import { startService } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";

const service = startService();
afterAll(() => service[Symbol.asyncDispose]());
const { origin, port, keys } = service;

const V1 = "/api/v1";
const ALIAS = "";
const SCHEDULE = "schedule=0+3+*+*+*";
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;
const TIMESTAMP = expect.stringMatching(new RegExp(`^${INSTANT.source}$`));

let count = 0;
const newKey = (): string => `aliases-${++count}`;

describe("Reports: 16 operations in each version, each with its exact answer", () => {
  type Facts = Readonly<Record<string, unknown>>;
  const METHODS = ["get", "post"] as const;
  const WAYS = ["WithPathKey", "WithBasicAuth"] as const;
  const EVENTS: readonly (readonly [event: string, suffix: string, v1: Facts, alias?: Facts])[] = [
    ["Heartbeat", "", { status: "ok", pingedAt: TIMESTAMP, warning: null }],
    ["Start", "/start", { status: "started", startedAt: TIMESTAMP }],
    ["Complete", "/complete", { status: "completed", completedAt: TIMESTAMP, duration: null }],
    [
      "Fail",
      "/fail",
      {
        status: "failure_recorded",
        recordedAt: TIMESTAMP,
        message: "The failure was recorded.",
        failureMessage: "disk full",
      },
      { status: "failed", failedAt: TIMESTAMP, message: "disk full" },
    ],
  ];
  const operations = METHODS.flatMap((method) =>
    EVENTS.flatMap(([event, suffix, v1, alias = v1]) =>
      WAYS.flatMap((way) => [
        { id: `${method}${event}${way}`, root: V1, method, way, suffix, facts: v1 },
        { id: `${method}${event}${way}`, root: ALIAS, method, way, suffix, facts: alias },
      ]),
    ),
  );

  test("are 32, all different", () => {
    expect(new Set(operations.map(({ id, root }) => root + id)).size).toBe(32);
  });

  test.each(operations)("$id at $root/ping", async ({ root, method, way, suffix, facts }) => {
    const monitor = newKey();
    const path = way === "WithPathKey" ? `${monitor}/${keys.all}` : monitor;
    const headers = way === "WithPathKey" ? {} : basic(keys.all);
    const url = `${origin}${root}/ping/${path}${suffix}?${SCHEDULE}&message=disk+full`;
    const answer = await ask(url, { method: method.toUpperCase(), headers });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ monitor, ...facts });
  });
});

describe("a failure's answer", () => {
  const fail = (root: string, suffix: string, query: string): Promise<Answer> =>
    ask(`${origin}${root}/ping/failing/${keys.all}${suffix}?${SCHEDULE}&${query}`, { method: "POST" });

  test("in version 1 has the caller's message beside a text that is always the same", async () => {
    const one = (await fail(V1, "/fail", "message=one")).json;
    const other = (await fail(V1, "/fail", "message=other")).json;
    expect(one?.["message"]).toBeString();
    expect(other?.["message"]).toBe(one?.["message"]);
    expect([one?.["failureMessage"], other?.["failureMessage"]]).toEqual(["one", "other"]);
  });

  test.each(["", "message="])("has null where no message was supplied: %p", async (query) => {
    expect((await fail(V1, "/fail", query)).json).toMatchObject({ message: expect.any(String), failureMessage: null });
    expect((await fail(ALIAS, "/fail", query)).json).toEqual({
      status: "failed",
      monitor: "failing",
      failedAt: TIMESTAMP,
      message: null,
    });
  });

  test("R5: has the message of every exit status, on the aliases as well", async () => {
    for (let status = 1; status <= 255; status++) {
      const { json } = await fail(ALIAS, `/${status}`, "message=other");
      expect(json).toMatchObject({ status: "failed", message: `exit status ${status}` });
    }
    expect((await fail(ALIAS, "/0", "")).json).toMatchObject({ status: "ok", pingedAt: TIMESTAMP });
    expect((await fail(ALIAS, "/log", "")).json).toMatchObject({ status: "ok", pingedAt: TIMESTAMP });
    expect((await fail(ALIAS, "/256", "")).status).toBe(404);
  });
});

describe("R15: schedules", () => {
  const register = (root: string, schedule: string): Promise<Answer> =>
    ask(`${origin}${root}/ping/${newKey()}/${keys.all}?schedule=${encodeURIComponent(schedule)}`);
  const MALFORMED = { status: 400, json: { error: "INVALID_SCHEDULE" } };

  test.each([
    "30 0 3 * * *",
    "0 */5 * * * MON-FRI",
    "*/10 * * * * *",
    "@hourly",
    "@daily",
    "@weekly",
    "@monthly",
    "@yearly",
  ])("%s is taken by the aliases and refused by version 1", async (schedule) => {
    expect(await register(ALIAS, schedule)).toMatchObject({ status: 200, json: { status: "ok", warning: null } });
    expect(await register(V1, schedule)).toMatchObject(MALFORMED);
    // What one version has taken must not be known to the other.
    expect(await register(V1, schedule)).toMatchObject(MALFORMED);
  });

  test.each([
    "0 0 3 * * * 2030",
    "0 0 3 ? * MON",
    "0 0 3 * * 7",
    "60 0 3 * * *",
    "0 0 0 31 2 *",
    "0 0 3 L * *",
    "@annually",
    "@midnight",
    "@reboot",
    "@every 5m",
    "@",
  ])("%s is refused by both", async (schedule) => {
    expect(await register(ALIAS, schedule)).toMatchObject(MALFORMED);
    expect(await register(V1, schedule)).toMatchObject(MALFORMED);
  });

  test("R12: a monitor keeps the schedule it got by the other version, and is told of a change", async () => {
    const path = `${newKey()}/${keys.all}`;
    expect((await ask(`${origin}/ping/${path}?schedule=@daily`)).json).toMatchObject({ warning: null });
    expect((await ask(`${origin}/api/v1/ping/${path}`)).json).toMatchObject({ status: "ok", warning: null });
    expect((await ask(`${origin}/ping/${path}?schedule=@daily`)).json).toMatchObject({ warning: null });
    expect((await ask(`${origin}/api/v1/ping/${path}?schedule=@daily`)).status).toBe(400);
    expect((await ask(`${origin}/ping/${path}?schedule=30+0+3+*+*+*`)).json).toMatchObject({
      warning: 'The schedule changed from "@daily" to "30 0 3 * * *".',
    });
  });
});

describe("R10: a message of more than 1,000 characters", () => {
  const fail = (root: string, message: string): Promise<Answer> =>
    ask(`${origin}${root}/ping/${newKey()}/${keys.all}/fail?${SCHEDULE}&message=${encodeURIComponent(message)}`);

  test.each(["x", "ü", "😀"])("of %s is refused by version 1 and cut by the aliases", async (letter) => {
    const whole = letter.repeat(1_000);
    expect(await fail(V1, whole)).toMatchObject({ status: 200, json: { failureMessage: whole } });
    expect(await fail(ALIAS, whole)).toMatchObject({ status: 200, json: { message: whole } });
    const refused = await fail(V1, `${whole}${letter}`);
    expect(refused).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
    expect(refused.json?.["message"]).toStartWith("message: ");
    expect(await fail(ALIAS, `${whole}${letter}`)).toMatchObject({ status: 200, json: { message: whole } });
  });

  test("is cut by the aliases however long it is, and at no half of a character", async () => {
    const text = `${"x".repeat(999)}😀 and so on`;
    expect((await fail(ALIAS, text)).json).toMatchObject({ message: `${"x".repeat(999)}😀` });
    const line = `GET /ping/${newKey()}/${keys.all}/fail?${SCHEDULE}&message=`;
    const longest = await askRaw(port, line + "x".repeat(16 * 1024 - line.length - " HTTP/1.1".length));
    expect(longest).toMatchObject({ status: 200, json: { message: "x".repeat(1_000) } });
  });

  test.each([
    ["run_id", 128],
    ["name", 200],
    ["schedule", 400],
  ])("is the only one that is cut: a longer %s is refused by both", async (name, length) => {
    for (const { root } of VERSIONS) {
      const url = `${origin}${root}/ping/${newKey()}/${keys.all}/fail?${SCHEDULE}&${name}=${"x".repeat(length + 1)}`;
      expect(await ask(url)).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
    }
  });
});

describe("R5: the Authorization header", () => {
  const withHeader = (root: string, authorization: string): Promise<Answer> =>
    ask(`${origin}${root}/ping/authorized?${SCHEDULE}`, { headers: { authorization } });
  /** What tells one 401 from another: all of it but the date. */
  const shapeOf = ({ status, headers, text }: Answer): string => {
    headers.delete("date");
    return JSON.stringify([status, text, ...headers]);
  };

  test.each(["Bearer", "ApiKey", "bearer", "APIKEY", "BeArEr", "apikey", "Bearer  "])(
    "%s is taken by the aliases, in any case, and is 401 in version 1",
    async (scheme) => {
      expect(await withHeader(ALIAS, `${scheme} ${keys.all}`)).toMatchObject({ status: 200, json: { status: "ok" } });
      const refused = await withHeader(V1, `${scheme} ${keys.all}`);
      expect(shapeOf(refused)).toBe(shapeOf(await withHeader(V1, "")));
      expect(refused.status).toBe(401);
    },
  );

  test("may end with blanks", async () => {
    for (const blanks of [" ", "  \t"]) {
      const head = [`Authorization: Bearer ${keys.all}${blanks}`];
      expect((await askRaw(port, `GET /ping/authorized?${SCHEDULE}`, head)).status).toBe(200);
    }
  });

  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  test.each([
    "Bearer",
    "Bearer ",
    "ApiKey",
    `Bearer${keys.all}`,
    `Bearer: ${keys.all}`,
    `Bearer ${keys.all} ${keys.all}`,
    `Bearer ${keys.all}, Bearer ${keys.all}`,
    `Bearer ${keys.all},`,
    `Bearer "${keys.all}"`,
    `Bearer ${keys.all}:`,
    `Bearer ${base64(`${keys.all}:`)}`,
    `Bearer ${keys.revoked}`,
    `Bearer ${keys.all.toUpperCase()}`,
    "Bearer ck_app_prod_unknown",
    `ApiKey ${keys.revoked}`,
    `ApiKey token=${keys.all}`,
    `Api-Key ${keys.all}`,
    `Token ${keys.all}`,
    `Digest ${keys.all}`,
    `Basic ${keys.all}`,
    `Basic ${base64(keys.all)}`,
    `toString ${keys.all}`,
    keys.all,
  ])("malformed or unknown, it is the same 401 in both: %s", async (authorization) => {
    const expected = shapeOf(await ask(`${origin}/api/v1/ping/authorized`));
    expect(expected).toStartWith('[401,"{\\"error\\":\\"AUTHENTICATION_REQUIRED\\"');
    expect(shapeOf(await withHeader(ALIAS, authorization))).toBe(expected);
    expect(shapeOf(await withHeader(V1, authorization))).toBe(expected);
  });

  test.each(["Bearer", "ApiKey"])(
    "R3: %s with a key of scope sync is 403, of scope ping it reports",
    async (scheme) => {
      const denied = { status: 403, json: { error: "ACCESS_DENIED" } };
      expect(await withHeader(ALIAS, `${scheme} ${keys.sync}`)).toMatchObject(denied);
      expect((await withHeader(ALIAS, `${scheme} ${keys.ping}`)).status).toBe(200);
    },
  );

  test("R5: a key in the path wins over it", async () => {
    const bearer = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });
    const path = `${origin}/ping/authorized`;
    expect((await ask(`${path}/${keys.all}`, bearer("ck_app_unknown"))).status).toBe(200);
    expect((await ask(`${path}/ck_app_unknown`, bearer(keys.all))).status).toBe(401);
    expect((await ask(`${path}/nonsense`, bearer(keys.all))).status).toBe(404);
  });
});

describe("both versions", () => {
  test("speak of the same monitors", async () => {
    const path = `${newKey()}/${keys.all}`;
    expect((await ask(`${origin}/ping/${path}`)).status).toBe(404);
    await ask(`${origin}/api/v1/ping/${path}/start?${SCHEDULE}&run_id=1`);
    const { json } = await ask(`${origin}/ping/${path}/complete?run_id=1`);
    expect(json?.["duration"]).toBeNumber();
  });

  test("R11: answer a repeat as the version did that was asked first, byte for byte", async () => {
    for (const [first, second] of [
      [V1, ALIAS],
      [ALIAS, V1],
    ]) {
      const path = `/ping/${newKey()}/${keys.all}/fail?${SCHEDULE}&message=disk+full&idempotency_key=once`;
      const answer = await ask(`${origin}${first}${path}`);
      expect(answer.status).toBe(200);
      expect((await ask(`${origin}${second}${path}`)).text).toBe(answer.text);
    }
  });

  test.each([
    "/ping/x/../../api/v1/ping/MONITOR/KEY",
    "/ping/../api/v1/ping/MONITOR/KEY",
    "/api/v1/ping/../../../ping/MONITOR/KEY",
    "/api/v1/ping/x/../../../../ping/MONITOR/KEY",
    "/ping/../ping/MONITOR/KEY",
    "/ping/./MONITOR/KEY",
  ])("R5: no dots lead from one into the other: %s", async (path) => {
    const key = newKey();
    const sent = path.replace("MONITOR", key).replace("KEY", keys.all);
    const answer = await askRaw(port, `GET ${sent}?${SCHEDULE}`);
    expect(answer).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
    expect((await ask(`${origin}/ping/${key}/${keys.all}`)).status).toBe(404);
  });

  test.each([
    "/ping",
    "/ping/",
    "/Ping/job",
    "/pings/job",
    "//ping/job",
    "/%70ing/job",
    "/api/ping/job",
    "/v1/ping/job",
  ])("%s is no path of either", async (path) => {
    const head = [`Authorization: ${basic(keys.all).authorization}`];
    expect(await askRaw(port, `GET ${path}`, head)).toMatchObject({ status: 404, json: { error: "NOT_FOUND" } });
  });
});

describe("Versions: all else is the same, to the byte and the header: the same requests to two services", () => {
  const REQUESTS: readonly (readonly [method: string, path: string, head?: string])[] = [
    ["GET", `job/KEY?${SCHEDULE}&gracePeriod=120&name=Job&timezone=Europe/Berlin&maxRuntime=600`],
    ["POST", "job/KEY/start?run_id=1&attempt=0"],
    ["POST", "job/KEY/complete?run_id=1"],
    ["GET", "job/KEY/log"],
    ["GET", "job/KEY/0/"],
    ["GET", "job/KEY?schedule=0+4+*+*+*"],
    ["GET", `Odd%20Key/KEY?${SCHEDULE}`],
    ["GET", "a%2Fb/KEY"],
    ["GET", "%zz/KEY"],
    ["GET", "job/KEY/256"],
    ["GET", "job/KEY?gracePeriod=59"],
    ["GET", "job/KEY?attempt=x"],
    ["GET", "job/KEY?timezone=Mars"],
    ["GET", "job/KEY?schedule=61+*+*+*+*"],
    ["GET", "job/KEY?schedule=0+0+31+2+*"],
    ["GET", "never/KEY"],
    ["GET", "job"],
    ["GET", "job/nonsense"],
    ["GET", "job/nonsense", "Authorization: Basic x"],
    ["GET", "job/SYNC"],
    ["PUT", "job/KEY"],
    ["HEAD", "job/KEY"],
    ["OPTIONS", "job/KEY"],
    ["GET", "job/KEY", "Purpose: prefetch"],
    ["GET", "job/KEY", "X-Forwarded-For: 192.0.2.1"],
    ["POST", "job/KEY", "Content-Length: 1048577"],
  ];

  test("whatever they ask", async () => {
    await using one = startService();
    await using other = startService();
    const send = async (service: typeof one, root: string, [method, path, head]: (typeof REQUESTS)[number]) => {
      const target = path.replace("KEY", service.keys.all).replace("SYNC", service.keys.sync);
      const answer = await askRaw(service.port, `${method} ${root}/ping/${target}`, head === undefined ? [] : [head]);
      answer.headers.delete("date");
      return [answer.status, answer.text.replace(INSTANT, "INSTANT"), ...answer.headers];
    };
    const statuses = new Set<unknown>();
    for (const request of REQUESTS) {
      const expected = await send(one, V1, request);
      expect(await send(other, ALIAS, request)).toEqual(expected);
      statuses.add(expected[0]);
    }
    expect([...statuses].sort()).toEqual([200, 400, 401, 403, 404, 405, 413]);
  });
});
