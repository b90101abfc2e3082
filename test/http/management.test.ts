// The management socket as the commands see it: what each path answers, whom the file lets in, and what becomes of a
// socket a crashed process has left.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogFields } from "../../src/domain/log.ts";
import type { Engine } from "../../src/engine/api.ts";
import type { CreatedApplication, CreatedKey, ListedKey } from "../../src/http/management/contract.ts";
import { createManagement, type Management } from "../../src/http/management/management.ts";
import { createRecordingEngine } from "../support/http-engine.ts";

let directory: string;
let socketPath: string;
let management: Management | null = null;

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
  let secrets = 0;
  const randomSecret = () => String(++secrets).repeat(32);
  logged = [];
  management = createManagement({ engine, socketPath, randomSecret, log: (_, __, fields) => logged.push(fields) });
}

async function ask<Body>(method: string, path: string, body?: unknown): Promise<{ status: number; body: Body }> {
  const init = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
  const response = await fetch(`http://localhost${path}`, { unix: socketPath, method, keepalive: false, ...init });
  return { status: response.status, body: (await response.json()) as Body };
}

const AT = "2026-03-01T02:00:00.000Z";
const LISTED: ListedKey = {
  id: 1,
  application: "prod",
  scope: "ping",
  createdAt: AT,
  lastUsedAt: null,
  revokedAt: null,
};

describe("applications and keys", () => {
  beforeEach(() => start());

  test("an application is created once", async () => {
    const created = await ask<CreatedApplication>("POST", "/applications", { slug: "prod" });
    expect(created).toEqual({ status: 200, body: { slug: "prod", createdAt: AT } });
    expect(await ask("POST", "/applications", { slug: "prod" })).toMatchObject({
      status: 400,
      body: { error: "INVALID_REQUEST" },
    });
  });

  test("R2: a key is seen whole when it is created, and never again", async () => {
    await ask("POST", "/applications", { slug: "prod" });
    const created = await ask<CreatedKey>("POST", "/keys", { application: "prod", scope: "ping" });
    expect(created).toEqual({ status: 200, body: { ...LISTED, key: `ck_app_prod_${"1".repeat(32)}` } });
    expect(await ask("GET", "/keys")).toEqual({ status: 200, body: { keys: [LISTED] } });
  });

  test("R2: every key has a secret of its own", async () => {
    await ask("POST", "/applications", { slug: "prod" });
    const keys = [];
    for (let time = 0; time < 3; time++) {
      keys.push((await ask<CreatedKey>("POST", "/keys", { application: "prod", scope: "all" })).body.key);
    }
    expect(new Set(keys).size).toBe(3);
  });

  test("keys are listed of all applications or of one", async () => {
    for (const slug of ["prod", "test"]) {
      await ask("POST", "/applications", { slug });
      await ask("POST", "/keys", { application: slug, scope: "ping" });
    }
    const slugs = async (path: string) =>
      (await ask<{ keys: ListedKey[] }>("GET", path)).body.keys.map(({ application }) => application);
    expect(await slugs("/keys")).toEqual(["prod", "test"]);
    expect(await slugs("/keys?application=test")).toEqual(["test"]);
    expect((await ask("GET", "/keys?application=nobody")).status).toBe(404);
  });

  test("a key is revoked by its number", async () => {
    await ask("POST", "/applications", { slug: "prod" });
    await ask("POST", "/keys", { application: "prod", scope: "ping" });
    expect(await ask("POST", "/keys/1/revoke")).toEqual({ status: 200, body: { ...LISTED, revokedAt: AT } });
    expect((await ask("POST", "/keys/2/revoke")).status).toBe(404);
    expect((await ask("POST", "/keys/x/revoke")).status).toBe(400);
  });

  test.each([
    ["no body", "/applications", undefined],
    ["no JSON", "/applications", "{"],
    ["no object", "/applications", "[]"],
    ["no slug", "/applications", {}],
    ["a slug that is no text", "/applications", { slug: 1 }],
    ["an application that is no text", "/keys", { application: 1, scope: "all" }],
    ["no scope", "/keys", { application: "prod" }],
    ["an unknown scope", "/keys", { application: "prod", scope: "admin" }],
  ])("400 with {error, message} for %s", async (_, path, body) => {
    expect(await ask("POST", path, body)).toEqual({
      status: 400,
      body: { error: "INVALID_REQUEST", message: expect.any(String) },
    });
  });

  test.each([
    ["GET", "/nowhere"],
    ["DELETE", "/keys"],
    ["GET", "/api/v1/ping/job"],
  ])("404 with {error, message} for %s %s", async (method, path) => {
    expect(await ask(method, path)).toEqual({
      status: 404,
      body: { error: "NOT_FOUND", message: expect.any(String) },
    });
  });
});

describe("an operation that throws", () => {
  /** An engine whose every operation throws this. */
  function failing(error: Error): Engine {
    const fail = () => {
      throw error;
    };
    const operations = Object.keys(createRecordingEngine()).map((name) => [name, fail]);
    return Object.fromEntries(operations) as unknown as Engine;
  }

  const fault = (code: string) => Object.assign(new Error("secret detail"), { code });
  const OPERATIONS = [
    ["POST", "/applications", { slug: "prod" }],
    ["POST", "/keys", { application: "prod", scope: "all" }],
    ["GET", "/keys", undefined],
    ["POST", "/keys/1/revoke", undefined],
    ["GET", "/applications", undefined],
    ["GET", "/monitors", undefined],
    ["GET", "/monitors/show?key=job", undefined],
    ["POST", "/monitors", { key: "job", schedule: "0 2 * * *" }],
    ["POST", "/monitors/pause", { key: "job" }],
    ["POST", "/monitors/resume", { key: "job" }],
    ["POST", "/monitors/delete", { key: "job" }],
    ["GET", "/incidents", undefined],
    ["GET", "/refused", undefined],
    ["GET", "/syncs", undefined],
    ["POST", "/incidents/1/acknowledge", undefined],
    ["POST", "/incidents/1/resolve", undefined],
  ] as const;

  describe.each(OPERATIONS)("%s %s", (method, path, body) => {
    test.each([
      ["SQLITE_FULL", 503, "STORAGE_UNAVAILABLE", "disk full, nothing can be stored: .*"],
      ["SQLITE_IOERR_WRITE", 503, "STORAGE_UNAVAILABLE", "the database cannot be written"],
      ["SQLITE_READONLY", 503, "STORAGE_UNAVAILABLE", "the database cannot be written"],
      ["SQLITE_BUSY", 503, "STORAGE_UNAVAILABLE", "the database cannot be written"],
      ["SQLITE_CORRUPT", 500, "INTERNAL_ERROR", "an unexpected error"],
      ["NOT_FOUND", 500, "INTERNAL_ERROR", "an unexpected error"],
    ])("with the code %s is %d %s, and the details are in the log alone", async (code, status, error, message) => {
      const thrown = fault(code);
      start(failing(thrown));
      expect(await ask(method, path, body)).toEqual({
        status,
        body: { error, message: expect.stringMatching(new RegExp(`^${message}; the log has .*number 1$`)) },
      });
      expect(logged).toEqual([{ number: 1, method, client: "socket", error: thrown }]);
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
    expect((await ask("GET", "/keys")).status).toBe(200);
  });

  test("does not take the place of a file somebody keeps there", () => {
    writeFileSync(socketPath, "precious");
    expect(() => start()).toThrow();
    expect(statSync(socketPath).isFile()).toBe(true);
  });
});
