// The OpenAPI document: that it is one, that it describes what is served, and that its rules are the server's. That
// every other test's answer is as it says is held by the clients of `support/http-client.ts`.

import { afterAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020";
import { DOCUMENT_PATH } from "../../src/http/openapi/openapi.ts";
import { assertDescribed } from "../support/described.ts";
import { type Answer, ask, basic } from "../support/http-client.ts";
import { type DescribedOperation, type DescribedParameter, operationsOf } from "../support/openapi-document.ts";
import { startService } from "../support/service.ts";

const service = startService();
afterAll(() => service[Symbol.asyncDispose]());
const { origin, keys } = service;

const DOCUMENT_URL = origin + DOCUMENT_PATH;
const { text } = await ask(DOCUMENT_URL);
const operations = operationsOf(text);
const telemetry = operations.filter(({ path }) => path.includes("{monitor_key}"));

describe("the document", () => {
  test("is served to everybody, as JSON, and is always the same text", async () => {
    const answer = await ask(DOCUMENT_URL);
    expect(answer).toMatchObject({ status: 200, text });
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("content-type")).toStartWith("application/json");
    expect(await ask(DOCUMENT_URL, { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
  });

  test("takes no other method, and no plain HTTP from elsewhere (R35)", async () => {
    const refused = await ask(DOCUMENT_URL, { method: "POST" });
    expect(refused).toMatchObject({ status: 405, json: { error: "METHOD_NOT_ALLOWED" } });
    expect(refused.headers.get("allow")).toBe("GET, HEAD");
    const plain = await ask(DOCUMENT_URL, { headers: { "x-forwarded-proto": "http" } });
    expect(plain).toMatchObject({ status: 403, json: { error: "HTTPS_REQUIRED" } });
  });

  test("is OpenAPI 3.1, as an independent validator sees it", async () => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
    const { valid } = await new Validator().validate(JSON.parse(text.replaceAll('"in":"path"', '"in":"body"')));
    expect(valid).toBe(false);
  });

  test("has the path of each operation once, and no id twice", () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("has schemas that are JSON Schema, and examples that are as they say", () => {
    const ajv = new Ajv2020({ allowUnionTypes: true, formats: { "date-time": true } });
    const shown: { readonly place: string; readonly schema: object; readonly value: unknown }[] = [];
    for (const { operationId, parameters, responses, requestBody } of operations) {
      for (const { name, schema, example } of parameters)
        shown.push({ place: `${operationId} ${name}`, schema, value: example });
      const bodies = [requestBody, ...Object.values(responses)].flatMap((part) => Object.values(part?.content ?? {}));
      for (const { schema, examples = {} } of bodies) {
        ajv.compile(schema);
        for (const [name, { value }] of Object.entries(examples))
          shown.push({ place: `${operationId} ${name}`, schema, value });
      }
    }
    expect(shown.length).toBeGreaterThan(500);
    expect(shown.filter(({ schema, value }) => !ajv.validate(schema, value)).map(({ place }) => place)).toEqual([]);
  });
});

describe("Reports: the operations", () => {
  const METHODS = ["get", "post"];
  const EVENTS = [
    ["Heartbeat", ""],
    ["Start", "/start"],
    ["Complete", "/complete"],
    ["Fail", "/fail"],
  ] as const;
  const places = new Map(operations.map(({ operationId, method, path }) => [operationId, `${method} ${path}`]));

  /** The contract's 16 operations, by their ids. */
  const contract = METHODS.flatMap((method) =>
    EVENTS.flatMap(([event, tail]): [string, string][] => [
      [`${method}${event}WithPathKey`, `${method.toUpperCase()} /api/v1/ping/{monitor_key}/{api_key}${tail}`],
      [`${method}${event}WithBasicAuth`, `${method.toUpperCase()} /api/v1/ping/{monitor_key}${tail}`],
    ]),
  );

  test.each(contract)("%s is %s, and has its alias", (id, place) => {
    expect(places.get(id)).toBe(place);
    expect(places.get(`alias${id.charAt(0).toUpperCase()}${id.slice(1)}`)).toBe(place.replace("/api/v1", ""));
  });

  test("R5: beside them stand log and exit status, with the key in the path alone", () => {
    const known = contract.flatMap(([id]) => [id, `alias${id.charAt(0).toUpperCase()}${id.slice(1)}`]);
    const added = telemetry.filter(({ operationId }) => !known.includes(operationId));
    expect([...new Set(added.map(({ path }) => path))].sort()).toEqual([
      "/api/v1/ping/{monitor_key}/{api_key}/log",
      "/api/v1/ping/{monitor_key}/{api_key}/{exit_status}",
      "/ping/{monitor_key}/{api_key}/log",
      "/ping/{monitor_key}/{api_key}/{exit_status}",
    ]);
  });

  test("bulk sync and sync status are there, and their aliases", () => {
    expect(
      operations.filter(({ path }) => path.includes("/sync")).map(({ operationId: id }) => places.get(id)),
    ).toEqual(["POST /api/v1/sync", "GET /api/v1/sync/status", "POST /api/sync", "GET /api/sync/status"]);
  });

  test("health is there, for GET and HEAD", () => {
    for (const path of ["/healthz", "/readyz"]) {
      expect(operations.filter((operation) => operation.path === path).map(({ method }) => method)).toEqual([
        "GET",
        "HEAD",
      ]);
    }
  });
});

/** Values of a request by the names of its parameters; what is not named is taken from the document's examples. */
type Values = Readonly<Record<string, string | number>>;

const HEADERS: Readonly<Record<string, (key: string) => { authorization: string }>> = {
  basic,
  bearer: (key) => ({ authorization: `Bearer ${key}` }),
  apiKey: (key) => ({ authorization: `ApiKey ${key}` }),
};

let count = 0;

/** Sends an operation as the document describes it, with all its parameters, to a monitor of its own. */
async function send(operation: DescribedOperation, scheme: string | null, values: Values = {}): Promise<Answer> {
  const own: Values = { monitor_key: `openapi-${++count}`, api_key: keys.all, ...values };
  const valueFor = ({ name, example }: DescribedParameter): string => String(own[name] ?? example);
  const sent = (place: DescribedParameter["in"]) => operation.parameters.filter((parameter) => parameter.in === place);

  let { path } = operation;
  for (const parameter of sent("path"))
    path = path.replace(`{${parameter.name}}`, encodeURIComponent(valueFor(parameter)));
  const query = new URLSearchParams(
    // Of a schedule and an interval a report has one (R44).
    sent("query")
      .filter(({ name }) => name !== "every" || own["every"] !== undefined)
      .map((parameter) => [parameter.name, valueFor(parameter)] as [string, string]),
  );
  const headers = new Headers(scheme === null ? {} : HEADERS[scheme]!(keys.all));
  for (const parameter of sent("header")) headers.set(parameter.name, valueFor(parameter));
  const [[mediaType, content] = [null, null]] = Object.entries(operation.requestBody?.content ?? {});
  if (mediaType !== null) headers.set("content-type", mediaType);
  const [example] = Object.values(content?.examples ?? {});
  const body = example === undefined ? {} : { body: JSON.stringify(example.value) };
  return ask(`${origin}${path}?${query}`, { method: operation.method, headers, ...body });
}

const byId = (id: string): DescribedOperation => operations.find(({ operationId }) => operationId === id)!;
const titled = (some: readonly DescribedOperation[]) =>
  some.map((operation): [string, DescribedOperation] => [operation.operationId, operation]);

describe("Reports: sent as the document says, with its examples", () => {
  test.each(titled(telemetry.filter(({ operationId }) => !operationId.includes("Log"))))(
    "%s is accepted",
    async (_, operation) => {
      const schemes = operation.security.flatMap((alternative) => Object.keys(alternative));
      for (const scheme of schemes.length === 0 ? [null] : schemes) {
        expect(await send(operation, scheme)).toMatchObject({ status: 200, json: { monitor: `openapi-${count}` } });
      }
      for (const scheme of Object.keys(HEADERS).filter((name) => schemes.length > 0 && !schemes.includes(name))) {
        expect((await send(operation, scheme)).status).toBe(401);
      }
    },
  );

  test.each(titled(telemetry.filter(({ operationId }) => operationId.includes("Log"))))(
    "%s is accepted by a monitor that exists",
    async (_, operation) => {
      await send(byId("postHeartbeatWithPathKey"), null);
      const answer = await send(operation, null, { monitor_key: `openapi-${count}`, "Idempotency-Key": "a log" });
      expect(answer).toMatchObject({ status: 200, json: { status: "ok" } });
    },
  );
});

describe.each(titled(operations.filter(({ path }) => path.includes("/sync"))))("sync: %s", (_, operation) => {
  test("sent as the document says, with its examples, is accepted", async () => {
    const schemes = operation.security.flatMap((alternative) => Object.keys(alternative));
    for (const scheme of Object.keys(HEADERS)) {
      const answer = await send(operation, scheme);
      expect(answer.status).toBe(schemes.includes(scheme) ? 200 : 401);
      if (operation.method === "POST" && answer.status === 200) expect(answer.json?.["errors"]).toEqual([]);
    }
  });
});

describe.each(titled([byId("postFailWithPathKey"), byId("aliasPostFailWithPathKey")]))(
  "the rules of %s are the server's",
  (_, operation) => {
    const { parameters } = operation;
    const named = (rule: string) => parameters.filter(({ schema }) => schema[rule] !== undefined);
    const statusOf = async (name: string, value: string | number): Promise<number> =>
      // An empty run_id counts as none: then rid is read (R45).
      (await send(operation, null, { ...(name === "rid" ? { run_id: "" } : {}), [name]: value })).status;

    test("the greatest lengths", async () => {
      for (const { name, schema } of named("maxLength").filter(({ name }) => !["schedule", "label"].includes(name))) {
        const longest = Number(schema["maxLength"]);
        // An idempotency key that is too long is ignored (R11).
        const beyond = /^idempotency/i.test(name) ? 200 : 400;
        expect([name, await statusOf(name, "x".repeat(longest))]).toEqual([name, 200]);
        expect([name, await statusOf(name, "x".repeat(longest + 1))]).toEqual([name, beyond]);
      }
      expect(await statusOf("schedule", `0 3 * * ${"1,".repeat(195)}1`)).toBe(200);
      expect(await statusOf("schedule", `0 3 * * ${"1,".repeat(197)}1`)).toBe(400);
      const labels = [..."abcde"].map((first) => first + "x".repeat(39));
      expect(await statusOf("label", labels.slice(0, 4).join())).toBe(200);
      expect(await statusOf("label", labels.join())).toBe(400);
      expect(await statusOf("label", "x".repeat(41))).toBe(400);
    });

    test("the least and greatest numbers", async () => {
      const numbers = named("minimum");
      expect(numbers.map(({ name }) => name).sort()).toEqual([
        "age",
        "attempt",
        "duration",
        "gracePeriod",
        "maxRuntime",
      ]);
      for (const { name, schema } of numbers) {
        const [least, greatest] = [Number(schema["minimum"]), Number(schema["maximum"])];
        const found = [];
        for (const value of [least - 1, least, greatest, greatest + 1]) found.push(await statusOf(name, value));
        expect([name, ...found]).toEqual([name, 400, 200, 200, 400]);
      }
    });

    test.each(["0 3 * * *", " 0 3  * * *", "30 0 3 * * *", "@daily", "@daily @daily", "0 3 * *", "0 0 0 3 * * *", " "])(
      "which forms of schedule are taken: %p",
      async (schedule) => {
        const { schema } = parameters.find(({ name }) => name === "schedule")!;
        const isTaken = new RegExp(String(schema["pattern"])).test(schedule);
        expect(await statusOf("schedule", schedule)).toBe(isTaken ? 200 : 400);
      },
    );

    test("which characters are taken", async () => {
      for (const { name, schema } of named("pattern").filter(({ name }) => !["api_key", "schedule"].includes(name))) {
        for (const value of ["a\u0007b", "a\u0085b", "a\u007fb", "a b", "ä/😀", "a\u00a0b"]) {
          const isTaken = new RegExp(String(schema["pattern"]), "u").test(value);
          expect([name, value, await statusOf(name, value)]).toEqual([name, value, isTaken ? 200 : 400]);
        }
      }
    });

    test("the exit statuses", async () => {
      const exit = byId(operation.operationId.replace("Fail", "ExitStatus"));
      const { schema } = exit.parameters.find(({ name }) => name === "exit_status")!;
      const [least, greatest] = [Number(schema["minimum"]), Number(schema["maximum"])];
      const found = [];
      for (const value of [least - 1, least, greatest, greatest + 1]) {
        found.push((await send(exit, null, { exit_status: value })).status);
      }
      expect(found).toEqual([404, 200, 200, 404]);
    });
  },
);

describe.each(titled([byId("postSync"), byId("aliasPostSync")]))("the rules of %s are the server's", (_, operation) => {
  const { content = {} } = operation.requestBody ?? {};
  const [{ schema }] = Object.values(content) as [{ readonly schema: object }];
  const matches = new Ajv2020({ allowUnionTypes: true, formats: { "date-time": true } }).compile(schema);
  const entry = (key: string) => ({ key, schedule: "0 3 * * *" });
  const registry = (changes: object) => ({ source: "rules", monitors: [], ...changes });

  /** Whether nothing was wrong with a body; a fault of one monitor stands in a 200 (R29). */
  async function takes(body: object): Promise<boolean> {
    const headers = { ...basic(keys.all), "content-type": "application/json" };
    const { json } = await ask(origin + operation.path, { method: "POST", headers, body: JSON.stringify(body) });
    return Bun.deepEquals(json?.["errors"], []);
  }

  test.each([
    [registry({}), true],
    [registry({ source: "s".repeat(100), version: "v".repeat(100), mode: "reconcile" }), true],
    [registry({ version: "", monitors: [{ ...entry("rules"), name: "" }] }), true],
    [registry({ source: "s".repeat(101) }), false],
    [registry({ source: "" }), false],
    [registry({ source: "a\u0007b" }), false],
    [registry({ source: 1 }), false],
    [{ monitors: [] }, false],
    [{ source: "rules" }, false],
    [registry({ version: "v".repeat(101) }), false],
    [registry({ mode: "merge" }), false],
    [registry({ monitors: {} }), false],
    [registry({ monitors: Array.from({ length: 100 }, (_, place) => entry(`rules-${place}`)) }), true],
    [registry({ monitors: Array.from({ length: 101 }, (_, place) => entry(`rules-${place}`)) }), false],
    [registry({ monitors: [{ ...entry("rules"), gracePeriod: 60, maxRuntime: 60, metadata: { a: 1 } }] }), true],
    [registry({ monitors: [{ ...entry("rules"), gracePeriod: 59 }] }), false],
    [registry({ monitors: [{ ...entry("rules"), maxRuntime: 59 }] }), false],
    [registry({ monitors: [{ ...entry("rules"), name: "n".repeat(201) }] }), false],
    [registry({ monitors: [{ ...entry("rules"), schedule: "0 3 * *" }] }), false],
    [registry({ monitors: [{ ...entry("rules"), metadata: [] }] }), false],
    [registry({ monitors: [{ ...entry("k".repeat(201)) }] }), false],
    [registry({ monitors: [{ schedule: "0 3 * * *" }] }), false],
  ])("%#", async (body, isTaken) => {
    expect([matches(body), await takes(body)]).toEqual([isTaken, isTaken]);
  });

  test("R42: an entry without a schedule is a fault on the alias alone", async () => {
    const body = registry({ monitors: [{ key: "rules-no-schedule" }] });
    const isTaken = operation.path.startsWith("/api/v1/");
    expect([matches(body), await takes(body)]).toEqual([isTaken, isTaken]);
  });
});

describe("an answer that is not as described is noticed", () => {
  const SENT = { "content-type": "application/json", "cache-control": "no-store", "referrer-policy": "no-referrer" };
  const HEARTBEAT = { status: "ok", monitor: "a", pingedAt: "2026-03-01T02:00:00.000Z", warning: null };
  const START = { status: "started", monitor: "a", startedAt: "2026-03-01T02:00:00.000Z" };
  const REFUSED = { error: "RATE_LIMIT_EXCEEDED", message: "wait", retry_after: 5 };

  const check =
    (
      target: string,
      status: number,
      body: object,
      headers: Readonly<Record<string, string>> = SENT,
      method = "GET",
      mayRepeat = false,
    ) =>
    () =>
      assertDescribed(
        { method, target, mayRepeat },
        { status, headers: new Headers(headers), text: JSON.stringify(body) },
      );

  test("and one that is described is not", () => {
    check("/ping/a/ck_app_a", 200, HEARTBEAT)();
    check("/ping/a/", 200, HEARTBEAT)();
    check("/ping/a/start", 200, START)();
    check("/ping/a", 429, REFUSED, { ...SENT, "retry-after": "5" })();
    check("/ping/a/b/c/d", 404, { error: "NOT_FOUND", message: "there is no such path" })();
    check("/elsewhere", 200, {})();
  });

  test("R11: a repeat under an idempotency key may be answered what another operation was", () => {
    check("/ping/a?idempotency_key=1", 200, START)();
    check("/ping/a", 200, START, SENT, "POST", true)();
    expect(check("/ping/a", 200, START, SENT, "POST")).toThrow("POST /ping/a was answered 200");
  });

  test.each([
    ["a field too many", check("/ping/a", 200, { ...HEARTBEAT, extra: 1 }), '"additionalProperty":"extra"'],
    ["a field too few", check("/ping/a", 200, { ...HEARTBEAT, warning: undefined }), "'warning'"],
    ["another type", check("/ping/a", 200, { ...HEARTBEAT, warning: 1 }), "/warning"],
    ["another form of time", check("/ping/a", 200, { ...HEARTBEAT, pingedAt: "2026-03-01" }), "/pingedAt"],
    ["another status word", check("/ping/a", 200, { ...HEARTBEAT, status: "OK" }), "/status"],
    ["another operation's answer", check("/ping/a", 200, START), "/status"],
    [
      "another version's answer",
      check("/api/v1/ping/a/fail", 200, {
        status: "failed",
        monitor: "a",
        failedAt: HEARTBEAT.pingedAt,
        message: null,
      }),
      "/status",
    ],
    ["a code of another status", check("/ping/a", 400, { error: "NOT_FOUND", message: "no" }), "/error"],
    ["a status nobody described", check("/ping/a", 201, HEARTBEAT), "does not describe"],
    ["a method nobody described", check("/ping/a", 200, HEARTBEAT, SENT, "PUT"), "does not describe"],
    ["a path nobody described", check("/ping/a/b/c/d", 200, HEARTBEAT), "does not describe"],
    ["a missing header", check("/ping/a", 429, REFUSED), "the header Retry-After is missing"],
    [
      "a header that says something else",
      check("/ping/a", 200, HEARTBEAT, { ...SENT, "cache-control": "public" }),
      "Cache-Control",
    ],
    ["another media type", check("/ping/a", 200, HEARTBEAT, { ...SENT, "content-type": "text/plain" }), "media type"],
    ["a body with a HEAD", check("/healthz", 200, { status: "ok" }, SENT, "HEAD"), "a HEAD has a body"],
  ])("%s", (_, checking, words) => {
    expect(checking).toThrow(words);
  });
});
