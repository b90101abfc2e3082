// The administrator's API as a program elsewhere meets it: over the public server, with keys that the host made. What
// each operation answers is held by the tests of the socket, which answers from the same code.

import { describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020";
import type { LogFields } from "../../src/domain/log.ts";
import { maskKeys } from "../../src/domain/output/secrets.ts";
import { toIso } from "../../src/domain/time.ts";
import type { Operation } from "../../src/engine/operations/operation.ts";
import { OPERATIONS, type OperationName } from "../../src/engine/operations/operations.ts";
import { ADMIN_DOCUMENT_PATH, ADMIN_PATH, operationNameIn, pathNameOf } from "../../src/http/management/wire.ts";
import { adminDocumentText } from "../../src/http/openapi/admin-document.ts";
import { openService } from "../support/engine.ts";
import { ASKED } from "../support/furnished.ts";
import { type Answer, ask, basic } from "../support/http-client.ts";
import { operationsOf } from "../support/openapi-document.ts";
import { NO_LIMITS, type PublicServerChanges, startPublicServer } from "../support/public-server.ts";
import { granted, startService } from "../support/service.ts";

const ALL = Object.entries(OPERATIONS) as [OperationName, Operation][];

function start(changes: PublicServerChanges = {}) {
  const logged: { readonly event: string; readonly fields: LogFields | undefined }[] = [];
  const service = startService({ ...changes, log: (_, event, fields) => void logged.push({ event, fields }) });
  const make = (scope: "read" | "admin", label: string | null = null) =>
    granted(service.engine.operate("admin-key create", { scope, label }));
  const post = (path: string, key: string | null, body?: unknown, more: Record<string, string> = {}): Promise<Answer> =>
    ask(service.origin + ADMIN_PATH + path, {
      method: "POST",
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...more },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const auditOf = () => granted(service.engine.operate("audit", {})).entries;
  return { ...service, logged, make, post, auditOf, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

const NO_PATH = { status: 404, json: { error: "NOT_FOUND", message: "there is no such path" } };

describe("while no administrator's key works", () => {
  test.each(["GET", "POST", "DELETE", "OPTIONS"])("%s finds nothing, as on any unknown path", async (method) => {
    await using service = start();
    for (const path of ["monitor.list", "monitor.list/", "nothing", "openapi.json"]) {
      const answer = await ask(service.origin + ADMIN_PATH + path, { method });
      const unknown = await ask(`${service.origin}/api/unknown`, { method });
      expect(answer).toMatchObject(NO_PATH);
      expect([...answer.headers.keys()]).toEqual([...unknown.headers.keys()]);
    }
  });

  test("a key that is revoked opens nothing: neither for itself nor for others", async () => {
    await using service = start();
    const { key, id } = service.make("admin");
    expect((await service.post("monitor.list", key)).status).toBe(200);
    granted(service.engine.operate("admin-key revoke", { id }));
    expect(await service.post("monitor.list", key)).toMatchObject(NO_PATH);
  });
});

describe("a key", () => {
  test("is 32 random characters behind ck_adm_, of which the database has a hash alone", async () => {
    await using service = start();
    const made = service.make("admin", "laptop");
    expect(made).toMatchObject({ id: 1, scope: "admin", label: "laptop", lastUsedAt: null, revokedAt: null });
    expect(made.key).toMatch(/^ck_adm_[0-9A-Za-z]{32}$/);
    const { key: _, ...listed } = made;
    expect(granted(service.engine.operate("admin-key list", {})).keys).toEqual([listed]);
    expect(service.make("read").key).not.toBe(made.key);
    for (const label of ["", "a\nb", "x".repeat(101)])
      expect(service.engine.operate("admin-key create", { label })).toMatchObject({
        message: expect.stringMatching(/^label: /),
      });
  });

  test("that is missing, malformed, unknown or revoked is one and the same 401, and is logged without the key", async () => {
    await using service = start();
    const revoked = service.make("admin");
    granted(service.engine.operate("admin-key revoke", { id: revoked.id }));
    const { key } = service.make("admin");
    const wrong = [null, "", "x", key.slice(0, -1), `${key}a`, key.toLowerCase(), revoked.key, service.keys.all];
    for (const sent of wrong) {
      const answer = await service.post("monitor.list", sent);
      expect({ sent, status: answer.status, json: answer.json }).toEqual({
        sent,
        status: 401,
        json: {
          error: "AUTHENTICATION_REQUIRED",
          message: expect.stringContaining("an administrator's key is required"),
        },
      });
      expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="rollcall"');
    }
    for (const headers of [
      basic(key),
      { authorization: `ApiKey ${key}` },
      { cookie: `key=${key}` },
      { "x-api-key": key },
    ])
      expect((await service.post("monitor.list", null, {}, headers as Record<string, string>)).status).toBeOneOf([
        401, 429,
      ]);
    expect((await service.post(`monitor.list?key=${key}`, null)).status).toBeOneOf([401, 429]);
    expect(service.logged.map(({ event }) => event)).toEqual(["admin_authentication_failed", "revoked_admin_key_used"]);
    expect(service.logged[1]!.fields).toEqual({ key: revoked.id, client: "127.0.0.1" });
    expect(JSON.stringify(service.logged)).not.toContain("ck_adm_");
  });

  test("of the scope read looks at everything but secrets, and is refused whatever acts", async () => {
    await using service = start();
    const { key } = service.make("read");
    for (const [name, { effect, hostOnly, tellsSecret }] of ALL) {
      const { status, json } = await service.post(pathNameOf(name), key, ASKED[name]);
      const isDenied = json?.["error"] === "ACCESS_DENIED";
      expect({ name, isDenied, isForbidden: status === 403 }).toEqual({
        name,
        isDenied: effect === "acts" || hostOnly === true || tellsSecret === true,
        isForbidden: isDenied,
      });
    }
    expect(service.auditOf().filter(({ by }) => by === "key")).toEqual([]);
  });

  test("of the scope admin acts, and the audit and those who are told know it by label and number", async () => {
    await using service = start();
    const { key, id } = service.make("admin", "ci");
    expect((await service.post("monitor.create", key, { key: "job", schedule: "0 2 * * *" })).status).toBe(200);
    expect(await service.post("monitor.pause", key, { key: "job" })).toMatchObject({
      status: 200,
      json: { changed: true },
    });
    const [paused] = service.auditOf();
    expect(paused).toMatchObject({
      by: "key",
      name: `ci (admin key ${id})`,
      address: "127.0.0.1",
      action: "monitor pause",
      application: "prod",
      monitorKey: "job",
    });
    const narrowed = await service.post("audit", key, { name: `CI (admin key ${id})`, kind: "monitor" });
    expect(narrowed.json?.["entries"]).toHaveLength(2);
    const { lastUsedAt, lastAddress } = granted(service.engine.operate("admin-key list", {})).keys[0]!;
    expect({ lastUsedAt, lastAddress }).toEqual({ lastUsedAt: expect.any(Number), lastAddress: "127.0.0.1" });
  });

  test("of the scope admin does nothing with such keys, nor a file of the host: the host alone does", async () => {
    await using service = start();
    const { key } = service.make("admin");
    for (const name of ["admin-key create", "admin-key list", "admin-key revoke"] as const) {
      const answer = await service.post(pathNameOf(name), key, ASKED[name]);
      expect(answer).toMatchObject({
        status: 403,
        json: { error: "ACCESS_DENIED", message: "only the command on rollcall's own host may do this" },
      });
    }
    const copied = await service.post("backup", key, { file: "/tmp/stolen.db" });
    expect(copied).toMatchObject({ status: 403, json: { message: expect.stringContaining("rollcall's own host") } });
    expect(granted(service.engine.operate("admin-key list", {})).keys).toHaveLength(1);
  });

  test("goes on when an application is suspended, and says what the commands say", async () => {
    await using service = start();
    const { key } = service.make("admin");
    granted(service.engine.operate("app suspend", { slug: "prod" }));
    const listed = await service.post("app.list", key);
    expect(listed.json).toMatchObject({ applications: [{ slug: "prod", suspendedAt: expect.any(String) }] });
    expect(listed.headers.get("rollcall-timezone")).toBe("UTC");
    expect(listed.headers.get("rollcall-now")).toBe(toIso(Date.parse(listed.headers.get("rollcall-now")!)));
  });
});

describe("a request", () => {
  test.each([
    ["no JSON", "{", "body"],
    ["a list", "[]", "body"],
    ["a wrong type", { key: 5 }, "key"],
    ["a field that is none", { key: "job", color: "red" }, "color"],
    ["a field called __proto__", '{"key":"job","__proto__":{"scope":"admin"}}', "__proto__"],
    ["a field that every object has", '{"key":"job","constructor":{"prototype":{}}}', "constructor"],
  ])("with %s is refused, and says what is wrong", async (_, body, field) => {
    await using service = start();
    const { key } = service.make("admin");
    expect(await service.post("monitor.show", key, body)).toMatchObject({
      status: 400,
      json: { error: "INVALID_REQUEST", message: expect.stringMatching(new RegExp(`^${field}: `)) },
    });
    expect(({} as { scope?: string }).scope).toBeUndefined();
  });

  test("tells a key that may only look no address of a status page, which is a secret", async () => {
    await using service = start();
    expect(await service.post("status-page.list", service.make("read").key)).toMatchObject({ status: 403 });
    expect(await service.post("status-page.list", service.make("admin").key)).toMatchObject({ status: 200 });
  });

  test("needs no body where all fields have defaults, and no media type", async () => {
    await using service = start();
    const { key } = service.make("read");
    expect(await service.post("monitor.list", key)).toMatchObject({ status: 200, json: { monitors: [] } });
    expect((await service.post("monitor.list/", key, "{}", { "content-type": "text/plain" })).status).toBe(200);
  });

  test("has at most 64 KiB, whether it says so or not", async () => {
    await using service = start();
    const { key } = service.make("admin");
    const large = JSON.stringify({ slug: "x".repeat(70_000) });
    expect(await service.post("app.create", key, large)).toMatchObject({
      status: 413,
      json: { error: "PAYLOAD_TOO_LARGE" },
    });
    const stream = new Blob([large]).stream();
    const chunked = { method: "POST", headers: { authorization: `Bearer ${key}` }, body: stream };
    expect((await ask(`${service.origin}${ADMIN_PATH}app.create`, chunked)).status).toBe(413);
    expect((await service.post("app.create", null, large)).status).toBe(401);
  });

  test.each(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])("with %s is refused", async (method) => {
    await using service = start();
    const { key } = service.make("admin");
    const headers = { authorization: `Bearer ${key}` };
    const answer = await ask(`${service.origin}${ADMIN_PATH}monitor.list`, { method, headers });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test.each([
    "nothing",
    "monitor",
    "monitor list",
    "constructor",
    "__proto__",
    "monitor.list/more",
    "toString",
    "%2e%2e",
  ])("for %s finds nothing", async (path) => {
    await using service = start();
    const { key } = service.make("admin");
    expect(await service.post(path, key)).toMatchObject(NO_PATH);
  });

  test("R35: over plain HTTP from elsewhere is refused before its key is read", async () => {
    await using service = start();
    const { key, id } = service.make("admin");
    const plain = await service.post(
      "monitor.list",
      key,
      {},
      { "x-forwarded-proto": "http", "x-forwarded-for": "192.0.2.7" },
    );
    expect(plain).toMatchObject({ status: 403, json: { error: "HTTPS_REQUIRED" } });
    expect(granted(service.engine.operate("admin-key list", {})).keys[0]).toMatchObject({ id, lastUsedAt: null });
    const secure = await service.post(
      "monitor.list",
      key,
      {},
      { "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.7" },
    );
    expect(secure.status).toBe(200);
    expect(granted(service.engine.operate("admin-key list", {})).keys[0]).toMatchObject({ lastAddress: "192.0.2.7" });
  });
});

describe("too many requests", () => {
  test("of a key are refused for a while, of that key alone", async () => {
    await using service = start({ limits: { ...NO_LIMITS, adminPerMinute: 2 } });
    const [one, other] = [service.make("read"), service.make("read")];
    const sent = async (key: string) => (await service.post("app.list", key)).status;
    expect([await sent(one.key), await sent(one.key), await sent(one.key), await sent(other.key)]).toEqual([
      200, 200, 429, 200,
    ]);
    const refused = await service.post("app.list", one.key);
    expect(refused.json).toMatchObject({ message: expect.stringContaining("(limits.admin_per_minute)") });
    expect(refused.headers.get("retry-after")).toBe(String(refused.json?.["retry_after"]));
    expect(service.logged).toEqual([
      { event: "rate_limit_exceeded", fields: { keyId: one.id, setting: "limits.admin_per_minute", refusedBefore: 0 } },
    ]);
  });

  test("with wrong keys from an address are refused; a right key of a neighbour is not", async () => {
    await using service = start();
    const { key } = service.make("read");
    const statuses = [];
    for (let time = 0; time < 12; time++)
      statuses.push((await service.post("app.list", `${key.slice(0, -1)}-`)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
    const refused = await service.post("app.list", "wrong");
    expect(refused.json).toMatchObject({
      error: "RATE_LIMIT_EXCEEDED",
      message: expect.stringContaining("this address may send 10 requests in 1 minute (with a wrong key)"),
    });
    expect((await service.post("app.list", key)).status).toBe(200);
  });
});

test("a text that quotes a key is shown without it, in every coding that travels", () => {
  const key = `ck_adm_${"a1B2".repeat(8)}`;
  const encoded = basic(key).authorization.slice("Basic ".length);
  for (const text of [key, key.toUpperCase(), encodeURIComponent(key).replace("_", "%5F"), encoded])
    expect(maskKeys(`sent ${text}, refused`)).toBe("sent ck_adm_***, refused");
});

describe("its OpenAPI document", () => {
  test("is served while a key works, to whoever asks, and is OpenAPI 3.1 as an independent validator sees it", async () => {
    await using service = start();
    service.make("read");
    const answer = await ask(service.origin + ADMIN_DOCUMENT_PATH);
    expect(answer).toMatchObject({ status: 200, text: adminDocumentText() });
    expect((await ask(service.origin + ADMIN_DOCUMENT_PATH, { method: "HEAD" })).status).toBe(200);
    expect((await ask(service.origin + ADMIN_DOCUMENT_PATH, { method: "POST" })).headers.get("allow")).toBe(
      "GET, HEAD",
    );
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(answer.text))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  test("has every operation that may be asked from elsewhere once, with schemas that are JSON Schema", () => {
    const described = operationsOf(adminDocumentText()).filter(({ path }) => path !== ADMIN_DOCUMENT_PATH);
    const offered = ALL.filter(([, { hostOnly }]) => hostOnly !== true);
    expect(described.map(({ path }) => path).toSorted()).toEqual(
      offered.map(([name]) => ADMIN_PATH + pathNameOf(name)).toSorted(),
    );
    expect(new Set(described.map(({ operationId }) => operationId)).size).toBe(described.length);
    const ajv = new Ajv2020({ allowUnionTypes: true, formats: { "date-time": true } });
    for (const { path, requestBody, responses } of described) {
      const name = operationNameIn(path.slice(ADMIN_PATH.length)) as OperationName;
      for (const { schema } of Object.values(responses[200]?.content ?? {})) ajv.compile(schema);
      const [input] = Object.values(requestBody!.content);
      const validate = ajv.compile(input!.schema);
      expect({ name, isTaken: validate(ASKED[name]) }).toEqual({ name, isTaken: true });
      expect(validate({ ...ASKED[name], color: "red" })).toBe(false);
    }
  });

  test("describes what the operations answer of a service that has a bit of everything", async () => {
    await using service = start();
    const { key } = service.make("admin");
    const kept = ["notify test", "notify show", "notify resend"];
    const statuses: Record<string, number> = {};
    await service.post("user.create", key, { name: "Ben" });
    await service.post("app.create", key, { slug: "spare" });
    for (const monitor of ["job", "failing", "paused", "declared", "gone"])
      await service.post("monitor.create", key, { application: "prod", key: monitor, schedule: "0 2 * * *" });
    await service.post("monitor.delete", key, { key: "gone" });
    const { id } = granted(service.engine.operate("address add", { address: "/api/push/Wd4Kq8Zt1x", key: "job" }));
    const all = { ...ASKED, "address revoke": { id } };
    await ask(`${service.origin}/api/v1/ping/job/${service.keys.all}/fail?message=disk+full`);
    for (const [name, asked] of Object.entries(all) as [OperationName, object][])
      if (!name.startsWith("admin-key")) statuses[name] = (await service.post(pathNameOf(name), key, asked)).status;
    const failed = Object.entries(statuses).filter(([name, status]) => status !== 200 && !kept.includes(name));
    expect(failed.map(([name, status]) => `${name} ${status}`)).toEqual([]);
  });
});

test("R36: /readyz tells names and answers to administrators elsewhere too, over HTTPS, and to nobody with another key", async () => {
  using service = openService();
  const server = startPublicServer(service.engine);
  service.failing.set("hook", "HTTP 500 of a secret host");
  const { key, id } = granted(service.engine.operate("admin-key create", { scope: "read" }));
  const namesAll = async (authorization: string, protocol = "https"): Promise<boolean> => {
    const headers = { "x-forwarded-proto": protocol, "x-forwarded-for": "203.0.113.7", authorization };
    const { status, text } = await ask(`${server.url}/readyz`, { headers });
    expect(status).toBe(503);
    return /hook|secret host|"prod/.test(text);
  };
  try {
    expect(await namesAll(`Bearer ${key}`)).toBe(true);
    for (const other of ["", "Bearer ", `Bearer ${key.slice(0, -1)}`, basic(key).authorization, key])
      expect(await namesAll(other)).toBe(false);
    expect(await namesAll(`Bearer ${key}`, "http")).toBe(false);
    granted(service.engine.operate("admin-key revoke", { id }));
    expect(await namesAll(`Bearer ${key}`)).toBe(false);
  } finally {
    await server.stop(0);
  }
});
