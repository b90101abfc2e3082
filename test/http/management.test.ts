// The management socket as the commands see it: applications and keys, what becomes of an operation that throws, whom
// the file lets in, and what becomes of a socket a crashed process has left.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogFields } from "../../src/domain/log.ts";
import { toIso } from "../../src/domain/time.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { OPERATIONS, type OperationName, type WrittenAnswer } from "../../src/engine/operations/operations.ts";
import { createManagement } from "../../src/http/management/management.ts";
import { NOON } from "../support/engine.ts";
import { createRecordingEngine } from "../support/http-engine.ts";
import { askSocket, managedService } from "../support/management.ts";

const AT = toIso(NOON);
const LISTED: WrittenAnswer<"key revoke"> = {
  id: 1,
  application: "prod",
  scope: "ping",
  label: null,
  createdAt: AT,
  lastUsedAt: null,
  lastUse: null,
  worksUntil: null,
  revokedAt: null,
};

describe("applications and keys", () => {
  const managed = managedService();
  const { ask } = managed;

  test("an application is created once", async () => {
    expect(await ask("app create", { slug: "staging" })).toEqual({
      status: 200,
      body: { slug: "staging", createdAt: AT },
    });
    expect(await ask("app create", { slug: "staging" })).toMatchObject({
      status: 400,
      body: { error: "INVALID_REQUEST" },
    });
  });

  test("R2: a key is seen whole when it is created, and never again", async () => {
    const created = await ask("key create", { application: "prod", scope: "ping" });
    expect(created).toEqual({ status: 200, body: { ...LISTED, key: `ck_app_prod_${"a".repeat(32)}` } });
    expect(await ask("key list")).toEqual({ status: 200, body: { keys: [LISTED] } });
  });

  test("R2: every key has a secret of its own", async () => {
    const keys = [];
    for (let time = 0; time < 3; time++) {
      keys.push((await ask<WrittenAnswer<"key create">>("key create", { application: "prod" })).body.key);
    }
    expect(new Set(keys).size).toBe(3);
  });

  test("keys are listed of all applications or of one", async () => {
    await ask("app create", { slug: "test" });
    for (const application of ["prod", "test"]) await ask("key create", { application });
    const slugs = async (filter?: object) =>
      (await ask<WrittenAnswer<"key list">>("key list", filter)).body.keys.map(({ application }) => application);
    expect(await slugs()).toEqual(["prod", "test"]);
    expect(await slugs({ application: "test" })).toEqual(["test"]);
    expect((await ask("key list", { application: "nobody" })).status).toBe(404);
  });

  test("a key is revoked by its number", async () => {
    await ask("key create", { application: "prod", scope: "ping" });
    expect(await ask("key revoke", { id: 1 })).toEqual({ status: 200, body: { ...LISTED, revokedAt: AT } });
    expect((await ask("key revoke", { id: 2 })).status).toBe(404);
    expect((await ask("key revoke", { id: "x" })).status).toBe(400);
  });

  test.each<[string, OperationName, unknown, string]>([
    ["no body", "app create", undefined, "slug"],
    ["no JSON", "app create", "{", "body"],
    ["no object", "app create", "[]", "body"],
    ["a number", "app create", "5", "body"],
    ["null", "app create", "null", "body"],
    ["no slug", "app create", {}, "slug"],
    ["a slug that is no text", "app create", { slug: 1 }, "slug"],
    ["a field that is none", "app create", { slug: "test", scope: "all" }, "scope"],
    ["a field that every object has", "app create", { slug: "test", constructor: 1 }, "constructor"],
    ["a field called __proto__", "app create", '{"slug":"test","__proto__":{}}', "__proto__"],
    ["an application that is no text", "key create", { application: 1, scope: "all" }, "application"],
    ["an unknown scope", "key create", { application: "prod", scope: "admin" }, "scope"],
  ])("400 with {error, message} for %s", async (_, operation, input, field) => {
    expect(await ask(operation, input)).toEqual({
      status: 400,
      body: { error: "INVALID_REQUEST", message: expect.stringMatching(new RegExp(`^${field}: `)) },
    });
    expect((await ask<WrittenAnswer<"app list">>("app list")).body.applications).toHaveLength(1);
  });
});

let directory: string;
let socketPath: string;
let management: ReturnType<typeof createManagement> | null = null;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "management-"));
  socketPath = join(directory, "rollcall.sock");
});

afterEach(async () => {
  await management?.stop();
  management = null;
  rmSync(directory, { recursive: true });
});

let logged: (LogFields | undefined)[] = [];

function start(engine: Engine = createRecordingEngine()): void {
  logged = [];
  management = createManagement(engine, socketPath, (_, __, fields) => logged.push(fields));
}

test.each([
  ["GET", "/nowhere"],
  ["POST", "/operations"],
  ["POST", "/operations/key"],
  ["POST", "/operations/key.lost"],
  ["POST", "/operations/constructor"],
  ["GET", "/operations/key.list"],
  ["DELETE", "/operations/key.list"],
  ["GET", "/api/v1/ping/job"],
])("404 with {error, message} for %s %s", async (method, path) => {
  start();
  const response = await fetch(`http://localhost${path}`, { unix: socketPath, method, keepalive: false });
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 404,
    body: { error: "NOT_FOUND", message: expect.any(String) },
  });
});

describe("an operation that throws", () => {
  /** An engine whose every operation throws this. */
  function failing(error: Error): Engine {
    const fail = () => {
      throw error;
    };
    return { ...createRecordingEngine(), as: () => ({ ask: fail, operate: fail }) };
  }

  const fault = (code: string) => Object.assign(new Error("secret detail"), { code });

  describe.each(Object.keys(OPERATIONS) as OperationName[])("%s", (operation) => {
    test.each([
      ["SQLITE_FULL", 503, "STORAGE_UNAVAILABLE", "disk full, nothing can be stored: .*"],
      ["SQLITE_IOERR_WRITE", 503, "STORAGE_UNAVAILABLE", "the database cannot be written: .*"],
      ["SQLITE_READONLY", 503, "STORAGE_UNAVAILABLE", "the database cannot be written: .*"],
      ["SQLITE_BUSY", 503, "STORAGE_UNAVAILABLE", "the database cannot be written: .*"],
      ["SQLITE_CORRUPT", 503, "STORAGE_UNAVAILABLE", "a part of the database cannot be read"],
      ["NOT_FOUND", 500, "INTERNAL_ERROR", "an unexpected error"],
    ])("with the code %s is %d %s, and the details are in the log alone", async (code, status, error, message) => {
      const thrown = fault(code);
      start(failing(thrown));
      expect(await askSocket(socketPath, operation, {})).toEqual({
        status,
        body: { error, message: expect.stringMatching(new RegExp(`^${message}; the log has .*number 1$`)) },
      });
      expect(logged).toEqual([{ number: 1, method: "POST", client: "socket", error: thrown }]);
    });
  });
});

describe("the socket", () => {
  test("What the service does: its owner alone reaches it, and the process's file mask is as it was", () => {
    const before = process.umask(0o022);
    start();
    expect(process.umask(before)).toBe(0o022);
    expect(statSync(socketPath).isSocket()).toBe(true);
    expect(statSync(socketPath).mode & 0o777).toBe(0o600);
  });

  test("is gone after a stop", async () => {
    start();
    await management?.stop();
    expect(existsSync(socketPath)).toBe(false);
  });

  test("of a process that was killed is replaced", async () => {
    const script = `Bun.serve({ unix: ${JSON.stringify(socketPath)}, fetch: () => new Response("") }); console.log("up");`;
    const killed = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
    await killed.stdout.getReader().read();
    killed.kill(9);
    await killed.exited;
    expect(statSync(socketPath).isSocket()).toBe(true);
    start();
    expect((await askSocket(socketPath, "key list")).status).toBe(404);
  });

  test("does not take the place of a file somebody keeps there", () => {
    writeFileSync(socketPath, "precious");
    expect(() => start()).toThrow();
    expect(statSync(socketPath).isFile()).toBe(true);
  });
});
