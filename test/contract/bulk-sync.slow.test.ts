// The contract's sections "Bulk sync" and "Sync status", with R4, R28 to R32 and R42, over the wire on both paths. What
// a reconciliation decides is tested as laws in the domain; capacity and time have tests of their own.

import { describe, expect, test } from "bun:test";
import { type Answer, ask, basic } from "../support/http-client.ts";
import { NO_LIMITS } from "../support/public-server.ts";
import { type Service, startService } from "../support/service.ts";

const DAILY = "0 4 * * *";
const PATHS = ["/api/v1/sync", "/api/sync"] as const;

type Item = Readonly<Record<string, unknown>>;

/** An answer, looked at anywhere: what is there is for the tests to say. */
// biome-ignore lint/suspicious/noExplicitAny: a type for each shape would say again what the tests do
type Json = any;

/** Sends a registry as an integration does. */
async function send(
  { origin, keys }: Service,
  body: unknown,
  path: string = PATHS[0],
  headers: Readonly<Record<string, string>> = basic(keys.sync),
): Promise<Omit<Answer, "json"> & { readonly json: Json }> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const all = { "content-type": "application/json", ...headers };
  return ask(`${origin}${path}`, { method: "POST", headers: all, body: text });
}

const declare = (service: Service, monitors: readonly unknown[], more: Item = {}, path: string = PATHS[0]) =>
  send(service, { source: "scheduler", monitors, ...more }, path);

const status = async ({ origin, keys }: Service, path = "/api/v1/sync/status"): Promise<Json> =>
  (await ask(`${origin}${path}`, { headers: basic(keys.all) })).json;

const keysOf = (list: readonly { readonly key: string }[]): string[] => list.map(({ key }) => key);

const daily = (...keys: string[]): Item[] => keys.map((key) => ({ key, schedule: DAILY }));

/** Each monitor's status by its key. */
const statuses = async (service: Service): Promise<Record<string, string>> =>
  Object.fromEntries((await status(service)).monitors.map((one: Json) => [one.monitorKey, one.status]));

test.each(PATHS)("R33: %s says when the rate limit takes fewer reports than the schedules call for", async (path) => {
  await using service = startService({ limits: { ...NO_LIMITS, v1PerHour: 100, aliasPerMinute: 3 } });
  const minutely = (key: string) => ({ key, schedule: "* * * * *" });
  expect((await declare(service, [minutely("a")], {}, path)).json.warning).toBe(
    path === "/api/sync"
      ? undefined
      : "limits.v1_per_hour: its jobs may send 120 reports in 1 hour, and a key may send 100; raise the limit, or give busy jobs an application of their own",
  );
  const { json } = await declare(service, [minutely("a"), minutely("b")], {}, path);
  expect(json.warning).toStartWith(path === "/api/sync" ? "limits.alias_per_minute: its jobs may send 4" : "limits.v1");
});

describe("Bulk sync, version 1", () => {
  test("answers source, timestamp, what became of each, and a summary of the arrays' lengths", async () => {
    await using service = startService();
    await declare(service, daily("a", "b", "c"));
    const monitors = [...daily("a", "d"), { key: "b", schedule: DAILY, name: "Backup" }];
    const { status: code, json } = await declare(service, monitors, { mode: "reconcile", version: "2.1.0" });
    expect(code).toBe(200);
    expect(json).toEqual({
      source: "scheduler",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      created: [{ key: "d", name: "D", action: "created" }],
      updated: [{ key: "b", name: "Backup", action: "updated" }],
      unchanged: [{ key: "a", name: "A", action: "unchanged" }],
      removed: [{ key: "c", name: "C", action: "paused_removed" }],
      errors: [],
      summary: { total: 3, created: 1, updated: 1, unchanged: 1, removed: 1, errors: 0 },
    });
  });

  test("rule 1: the same registry sent again gives the same result", async () => {
    await using service = startService();
    const monitors = [...daily("a", "b"), { key: "c", schedule: "nonsense" }];
    await declare(service, monitors);
    const second = (await declare(service, monitors)).json;
    const third = (await declare(service, monitors)).json;
    expect({ ...third, timestamp: "" }).toEqual({ ...second, timestamp: "" });
    expect(keysOf(second.unchanged)).toEqual(["a", "b"]);
  });

  test("rule 2: a key repeated within one registry is an upsert, and the last declaration wins", async () => {
    await using service = startService();
    const { json } = await declare(service, [...daily("a"), { key: "a", schedule: "5 5 * * *", name: "Last" }]);
    expect(json.created).toEqual([{ key: "a", name: "Last", action: "created" }]);
    expect(json.summary.total).toBe(1);
    expect((await status(service)).monitors).toMatchObject([{ schedule: "5 5 * * *" }]);
  });

  test("rule 3: name, schedule and grace of an existing key are updated at once", async () => {
    await using service = startService();
    await declare(service, daily("a"));
    await declare(service, [{ key: "a", schedule: "5 5 * * *", name: "New", gracePeriod: 900 }]);
    expect((await status(service)).monitors).toMatchObject([
      { monitorKey: "a", name: "New", schedule: "5 5 * * *", gracePeriod: 900 },
    ]);
  });

  test("rule 4: keys of the same source that disappeared are paused, nothing is deleted, and an empty list pauses all", async () => {
    await using service = startService();
    await declare(service, daily("a", "b"));
    await send(service, { source: "another", monitors: daily("x") });
    await ask(`${service.origin}/ping/self/${service.keys.all}?schedule=0+4+*+*+*`);
    expect(keysOf((await declare(service, daily("a"))).json.removed)).toEqual(["b"]);
    expect(keysOf((await declare(service, [])).json.removed)).toEqual(["a"]);
    expect((await declare(service, [])).json.removed).toEqual([]);
    expect(await statuses(service)).toEqual({ a: "paused", b: "paused", x: "pending", self: "healthy" });
  });

  test("rule 5: any invalid schedule prevents removal, the rest is processed", async () => {
    await using service = startService();
    await declare(service, daily("a", "b"));
    for (const schedule of ["nonsense", "", 7, "0 0 31 2 *", "x".repeat(401)]) {
      const { json } = await declare(service, [...daily("c"), { key: "d", schedule }]);
      expect(json.removed).toEqual([]);
      expect(json.errors).toMatchObject([{ key: "d", error: expect.stringMatching(/^schedule: /) }]);
    }
    expect(await statuses(service)).toEqual({ a: "pending", b: "pending", c: "pending" });
  });

  test("R29: an earlier duplicate with an invalid schedule still blocks removal, and so does one whose key is bad too", async () => {
    await using service = startService();
    await declare(service, daily("a", "b"));
    const first = await declare(service, [{ key: "a", schedule: "nonsense" }, ...daily("a")]);
    expect(first.json).toMatchObject({ removed: [], summary: { total: 1, unchanged: 1, errors: 1 } });
    const second = await declare(service, [...daily("a"), { key: "..", schedule: "nonsense" }]);
    expect(second.json.removed).toEqual([]);
    const third = await declare(service, [...daily("a"), { key: "a", gracePeriod: 1 }]);
    expect(keysOf(third.json.removed)).toEqual(["b"]);
  });

  test("R29: an invalid schedule in a superseded duplicate stands in errors, with what it kept from being withdrawn", async () => {
    await using service = startService();
    await declare(service, daily("a", "b", "c"));
    const { json } = await declare(service, [{ key: "a", schedule: "nonsense" }, ...daily("a")]);
    expect(json.errors).toEqual([{ key: "a", error: expect.stringMatching(/^schedule: "nonsense" has 1 field/) }]);
    expect(json.errors[0]?.error).toContain("(an earlier entry; the last one counts)");
    expect(json.errors[0]?.error).toEndWith('; because of this nothing was withdrawn, still watched: "b", "c"');
    expect(keysOf(json.unchanged)).toEqual(["a"]);
  });

  test("R29: the answer says what was withheld only where something was, and no more than five by name", async () => {
    await using service = startService();
    await declare(service, daily("a", "b", "c", "d", "e", "f", "g"));
    const all = await declare(service, [...daily("a", "b", "c", "d", "e", "f", "g"), {}]);
    expect(all.json.errors).toEqual([{ key: "", error: "monitors[7].key: it is missing, a text is needed" }]);
    const some = await declare(service, [{}]);
    expect(some.json.errors[0]?.error).toEndWith('still watched: "a", "b", "c", "d", "e" and 2 more');
  });

  test("R29: where no key can be read nothing is removed, for what seems to be gone may be meant", async () => {
    await using service = startService();
    await declare(service, daily("a", "b"));
    for (const unread of [7, { schedule: DAILY }, { key: 5 }, { key: "" }, { key: "k".repeat(201) }]) {
      expect((await declare(service, [...daily("a"), unread])).json.removed).toEqual([]);
    }
    expect(await statuses(service)).toEqual({ a: "pending", b: "pending" });
  });

  test("rule 6: a key that reappears resumes; who was paused by hand stays paused", async () => {
    await using service = startService();
    await declare(service, daily("a", "b"));
    await declare(service, []);
    const { json } = await declare(service, daily("a", "b"));
    expect(keysOf(json.updated)).toEqual(["a", "b"]);
    expect(await statuses(service)).toEqual({ a: "pending", b: "pending" });
  });

  test("rule 8: 200 means the registry was processed, and faults are in errors, each with its key and a sentence", async () => {
    await using service = startService();
    const faulty = [
      7,
      { schedule: DAILY },
      { key: 5, schedule: DAILY },
      { key: "", schedule: DAILY },
      { key: "..", schedule: DAILY },
      { key: "k".repeat(201), schedule: DAILY },
      { key: "a\u0000b", schedule: DAILY },
      { key: "grace", schedule: DAILY, gracePeriod: 59 },
      { key: "grace-text", schedule: DAILY, gracePeriod: "60" },
      { key: "grace-part", schedule: DAILY, gracePeriod: 60.5 },
      { key: "name", schedule: DAILY, name: "n".repeat(201) },
      { key: "zone", schedule: DAILY, timezone: "Mars/Base" },
      { key: "runtime", schedule: DAILY, maxRuntime: 1 },
      { key: "metadata", schedule: DAILY, metadata: [] },
      { key: "deep", schedule: DAILY, metadata: { a: { b: { c: {} } } } },
      { key: "large", schedule: DAILY, metadata: { a: "x".repeat(4_100) } },
    ];
    const { json } = await declare(service, [...faulty, ...daily("good")]);
    expect(json.created).toEqual([{ key: "good", name: "Good", action: "created" }]);
    expect(json.summary).toMatchObject({ total: faulty.length + 1, created: 1, errors: faulty.length });
    const said = new Map(json.errors.map(({ key, error }: Json) => [key === "" ? error.split(":")[0] : key, error]));
    expect([...said.keys()].sort()).toEqual(
      ["monitors[0]", "monitors[1].key", "monitors[2].key", "monitors[3].key", "monitors[5].key", "..", "a\u0000b"]
        .concat("grace", "grace-text", "grace-part", "name", "zone", "runtime", "metadata", "deep", "large")
        .sort(),
    );
    expect(said.get("grace")).toBe("gracePeriod: it must be a whole number of seconds, 60 to 999999999");
    expect(said.get("grace-text")).toBe("gracePeriod: it is a text, a number is needed");
  });

  test("R42: a schedule may be left out; what is left out leaves an existing monitor's value alone", async () => {
    await using service = startService();
    await declare(service, [{ key: "a" }, { key: "b", schedule: DAILY, gracePeriod: 600, name: "Before" }]);
    const { json } = await declare(service, [{ key: "a" }, { key: "b", name: null, schedule: null }]);
    expect(keysOf(json.unchanged)).toEqual(["a", "b"]);
    expect((await status(service)).monitors).toMatchObject([
      { monitorKey: "a", name: "A", schedule: null, gracePeriod: 60 },
      { monitorKey: "b", name: "Before", schedule: DAILY, gracePeriod: 600 },
    ]);
  });

  test("R30: a monitor belongs to the source that declared it last", async () => {
    await using service = startService();
    await declare(service, daily("a"));
    const taken = await send(service, { source: "another", monitors: daily("a") });
    expect(keysOf(taken.json.unchanged)).toEqual(["a"]);
    expect((await declare(service, [])).json.removed).toEqual([]);
    expect(keysOf((await send(service, { source: "another", monitors: [] })).json.removed)).toEqual(["a"]);
  });

  test("metadata is taken within its bounds, and a change of it is an update", async () => {
    await using service = startService();
    const withMetadata = (metadata: unknown) => [{ key: "a", schedule: DAILY, metadata }];
    await declare(service, withMetadata({ queue: { name: { first: "mail" } }, list: [1] }));
    expect(keysOf((await declare(service, withMetadata({ queue: "mail" }))).json.updated)).toEqual(["a"]);
    expect(keysOf((await declare(service, withMetadata({ queue: "mail" }))).json.unchanged)).toEqual(["a"]);
    expect(keysOf((await declare(service, daily("a"))).json.unchanged)).toEqual(["a"]);
  });

  test("rule 1: metadata is the same whatever the order of its names", async () => {
    await using service = startService();
    const registry = (metadata: string) => `{"source":"s","monitors":[{"key":"a","metadata":${metadata}}]}`;
    await send(service, registry('{"one":{"c":1,"__proto__":2},"two":[1,2]}'));
    const again = await send(service, registry('{"two":[1,2],"one":{"__proto__":2,"c":1}}'));
    expect(keysOf(again.json.unchanged)).toEqual(["a"]);
    for (const other of ['{"two":[2,1],"one":{"c":1,"__proto__":2}}', '{"two":[2,1],"one":{"c":1,"__proto__":3}}']) {
      expect(keysOf((await send(service, registry(other))).json.updated)).toEqual(["a"]);
    }
  });

  test("R29: an empty version or name is as if it were left out", async () => {
    await using service = startService();
    await declare(service, [{ key: "a", name: "Before" }]);
    const { status: code, json } = await declare(
      service,
      [
        { key: "a", name: "" },
        { key: "b", name: "" },
      ],
      { version: "" },
    );
    expect(code).toBe(200);
    expect(json).toMatchObject({ created: [{ key: "b", name: "B" }], unchanged: [{ name: "Before" }], errors: [] });
  });

  test.each([
    ["nonsense", "body"],
    ["[]", "body"],
    [{ monitors: [] }, "source"],
    [{ source: "", monitors: [] }, "source"],
    [{ source: 7, monitors: [] }, "source"],
    [{ source: "s".repeat(101), monitors: [] }, "source"],
    [{ source: "s", version: "v".repeat(101), monitors: [] }, "version"],
    [{ source: "s", mode: "add", monitors: [] }, "mode"],
    [{ source: "s" }, "monitors"],
    [{ source: "s", monitors: {} }, "monitors"],
    [{ source: "s", monitors: daily(...Array.from({ length: 101 }, (_, index) => `k${index}`)) }, "monitors"],
  ])("R29: a request that is malformed as a whole is 400 and changes nothing: %j", async (body, field) => {
    await using service = startService();
    for (const path of PATHS) {
      const { status: code, json } = await send(service, body, path);
      expect(code).toBe(400);
      expect(json).toEqual({ error: "INVALID_REQUEST", message: expect.stringMatching(new RegExp(`^${field}: `)) });
    }
    expect((await status(service)).totalMonitors).toBe(0);
  });

  test("R1, R9: limits: 100 monitors are taken, a body of more than 256 KiB is 413, another media type 415", async () => {
    await using service = startService();
    const hundred = daily(...Array.from({ length: 100 }, (_, index) => `k${index}`));
    expect((await declare(service, hundred)).json.summary.created).toBe(100);
    expect((await send(service, " ".repeat(256 * 1024 + 1))).status).toBe(413);
    const text = { ...basic(service.keys.sync), "content-type": "text/plain" };
    expect((await send(service, { source: "s", monitors: [] }, PATHS[0], text)).status).toBe(415);
  });
});

describe("Bulk sync, alias", () => {
  test("answers status, counts and errors; `partial` when some failed, and the valid ones are processed", async () => {
    await using service = startService();
    const first = await declare(service, daily("a", "b"), {}, "/api/sync");
    expect(first.json).toEqual({ status: "success", synced: 2, created: 2, updated: 0, errors: [] });
    const monitors = [...daily("a"), { key: "b", schedule: "5 5 * * *" }, { key: "c", schedule: "nonsense" }];
    const second = await declare(service, monitors, {}, "/api/sync");
    expect(second.json).toMatchObject({ status: "partial", synced: 2, created: 0, updated: 1, errors: [{ key: "c" }] });
  });

  test("R28: without a mode it only adds and updates, and an empty list changes nothing; `reconcile` removes", async () => {
    await using service = startService();
    await declare(service, daily("a"), {}, "/api/sync");
    await declare(service, daily("b"), {}, "/api/sync");
    await declare(service, [], {}, "/api/sync");
    expect(await statuses(service)).toEqual({ a: "pending", b: "pending" });
    await declare(service, daily("b"), { mode: "reconcile" }, "/api/sync");
    expect(await statuses(service)).toEqual({ a: "paused", b: "pending" });
  });

  test("R29: a superseded invalid schedule stands in errors here too, and counts as no fault", async () => {
    await using service = startService();
    await declare(service, daily("a", "b"), {}, "/api/sync");
    const monitors = [{ key: "a", schedule: "nonsense" }, ...daily("a")];
    const { json } = await declare(service, monitors, { mode: "reconcile" }, "/api/sync");
    const error = expect.stringMatching(/^schedule: .* \(an earlier entry; the last one counts\)$/);
    expect(json).toEqual({ status: "partial", synced: 1, created: 0, updated: 0, errors: [{ key: "a", error }] });
    expect(await statuses(service)).toEqual({ a: "pending", b: "pending" });
  });

  test("R42: a missing schedule is an error of its monitor, and no reason to keep what disappeared", async () => {
    await using service = startService();
    await declare(service, daily("a"), {}, "/api/sync");
    const { json } = await declare(service, [{ key: "b" }], { mode: "reconcile" }, "/api/sync");
    expect(json).toMatchObject({
      status: "partial",
      synced: 0,
      errors: [{ key: "b", error: expect.stringMatching(/^schedule: /) }],
    });
    expect(await statuses(service)).toEqual({ a: "paused" });
  });

  test("R15: takes six fields and special strings, which version 1 does not", async () => {
    await using service = startService();
    const monitors = [
      { key: "a", schedule: "0 0 4 * * *" },
      { key: "b", schedule: "@daily" },
    ];
    expect((await declare(service, monitors, {}, "/api/sync")).json).toMatchObject({ status: "success", created: 2 });
    expect((await declare(service, monitors)).json.errors).toHaveLength(2);
  });
});

describe("Sync status", () => {
  test("R4: names the application by its slug and every monitor with the contract's fields, on both paths", async () => {
    await using service = startService();
    await declare(service, [{ key: "b", schedule: DAILY, gracePeriod: 120 }, { key: "a" }]);
    await ask(`${service.origin}/ping/b/${service.keys.all}`);
    for (const path of ["/api/v1/sync/status", "/api/sync/status"]) {
      const answer = await status(service, path);
      expect(Object.keys(answer)).toEqual(["applicationId", "totalMonitors", "monitors", "timestamp"]);
      expect(answer).toMatchObject({ applicationId: "prod", totalMonitors: 2 });
      const [a, b] = answer.monitors;
      expect(a).toMatchObject({ monitorKey: "a", schedule: null, lastPingAt: null, status: "pending" });
      expect(b).toMatchObject({ monitorKey: "b", name: "B", schedule: DAILY, gracePeriod: 120, status: "healthy" });
      expect(b.lastPingAt >= b.updatedAt).toBe(true);
    }
  });

  test("is empty without monitors", async () => {
    await using service = startService();
    expect(await status(service)).toMatchObject({ applicationId: "prod", totalMonitors: 0, monitors: [] });
  });

  test("of more monitors than are made at once is the same JSON, which then comes in chunks", async () => {
    await using service = startService();
    const headers = basic(service.keys.all);
    const read = () => ask(`${service.origin}/api/v1/sync/status`, { headers });
    await declare(service, daily("a", 'b "quoted"'));
    const short = await read();
    expect(short.headers.get("content-length")).toBe(String(Buffer.byteLength(short.text)));
    const keys = Array.from({ length: 300 }, (_, index) => `job ü-${1_000 + index}`);
    for (const source of ["x", "y", "z"]) {
      await declare(service, daily(...keys.filter((_, index) => "xyz"[index % 3] === source)), { source });
    }
    const long = await read();
    expect(long.headers.get("transfer-encoding")).toBe("chunked");
    const answer: Json = long.json;
    expect(answer.totalMonitors).toBe(302);
    expect(answer.monitors.map((one: Json) => one.monitorKey)).toEqual(["a", 'b "quoted"', ...keys]);
    expect(answer.monitors.slice(0, 2)).toEqual((short.json as Json).monitors);
    // Not a space more: byte for byte as it would be written at once.
    for (const { text, json } of [short, long]) expect(text).toBe(JSON.stringify(json));
  });
});

describe("who may sync, and how often", () => {
  test("R32: version 1 takes Basic alone, the aliases Bearer and ApiKey too", async () => {
    await using service = startService();
    const { origin, keys } = service;
    for (const [scheme, code] of [
      ["Bearer", 401],
      ["ApiKey", 401],
    ] as const) {
      const headers = { authorization: `${scheme} ${keys.sync}` };
      const registry = { source: "s", monitors: [] };
      expect((await send(service, registry, "/api/v1/sync", headers)).status).toBe(code);
      expect((await send(service, registry, "/api/sync", headers)).status).toBe(200);
      expect((await ask(`${origin}/api/v1/sync/status`, { headers })).status).toBe(code);
      expect((await ask(`${origin}/api/sync/status`, { headers })).status).toBe(200);
    }
  });

  test("R3: a key of the scope ping is 403, a revoked or unknown one 401", async () => {
    await using service = startService();
    const { keys } = service;
    const codeWith = async (key: string) => {
      const { status: code, json } = await send(service, { source: "s", monitors: [] }, PATHS[0], basic(key));
      return [code, json.error];
    };
    expect(await codeWith(keys.ping)).toEqual([403, "ACCESS_DENIED"]);
    expect(await codeWith(keys.revoked)).toEqual([401, "AUTHENTICATION_REQUIRED"]);
    expect(await codeWith("ck_app_prod_x")).toEqual([401, "AUTHENTICATION_REQUIRED"]);
    expect(await codeWith(keys.all)).toEqual([200, undefined]);
  });

  test("other methods are 405 and say which are taken", async () => {
    await using service = startService();
    const { origin, keys } = service;
    for (const root of PATHS) {
      const sync = await ask(`${origin}${root}`, { headers: basic(keys.sync) });
      expect([sync.status, sync.headers.get("allow")]).toEqual([405, "POST"]);
      const posted = await ask(`${origin}${root}/status`, { method: "POST", headers: basic(keys.sync) });
      expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET"]);
    }
  });

  test("R33: 10 syncs a minute and key; sync status and telemetry count by themselves", async () => {
    const limits = { ...NO_LIMITS, syncPerMinute: 10 };
    await using service = startService({ limits });
    for (let sent = 0; sent < 10; sent++) expect((await declare(service, [])).status).toBe(200);
    const refused = await declare(service, daily("a"));
    expect(refused.status).toBe(429);
    expect(refused.json).toMatchObject({ error: "RATE_LIMIT_EXCEEDED" });
    expect(refused.headers.get("retry-after")).toBe(String(refused.json.retry_after));
    expect((await status(service)).totalMonitors).toBe(0);
  });

  test("R33: both paths of a sync, and both of sync status, share one number", async () => {
    const limits = { ...NO_LIMITS, syncPerMinute: 2 };
    await using service = startService({ limits });
    const { origin, keys } = service;
    for (const path of PATHS) expect((await declare(service, [], {}, path)).status).toBe(200);
    for (const path of PATHS) expect((await declare(service, [], {}, path)).status).toBe(429);
    const codeOf = async (path: string) => (await ask(`${origin}${path}/status`, { headers: basic(keys.sync) })).status;
    for (const path of PATHS) expect(await codeOf(path)).toBe(200);
    for (const path of PATHS) expect(await codeOf(path)).toBe(429);
  });
});
