// The commands that speak to the running service, over its real socket with the real engine behind it: what they do, what
// they print, and how they end when there is no service or it refuses.

import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomSecret } from "../../src/cli/clock.ts";
import { createManagement } from "../../src/http/management.ts";
import { rollcall } from "../support/command-line.ts";
import { openService, type Service } from "../support/engine.ts";

const KEY = /^ck_app_prod_[0-9A-Za-z]{32}$/;

interface Place extends Disposable {
  readonly socket: string;
  run(...args: string[]): ReturnType<typeof rollcall>;
}

/** A configuration whose data directory is its own. */
function place(): Place {
  const root = mkdtempSync(join(tmpdir(), "rollcall-commands-"));
  const data = join(root, "data");
  mkdirSync(data);
  const config = join(root, "rollcall.toml");
  writeFileSync(config, `[storage]\ndirectory = "${data}"\n`);
  return {
    socket: join(data, "rollcall.sock"),
    run: (...args) => rollcall(args, { ROLLCALL_CONFIG: config }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

interface Running extends AsyncDisposable {
  readonly engine: Service["engine"];
  run: Place["run"];
}

/** The same with a service that listens there. */
function running(): Running {
  const { socket, run, [Symbol.dispose]: remove } = place();
  const service = openService();
  const management = createManagement({ engine: service.engine, socketPath: socket, randomSecret, log: () => {} });
  return {
    engine: service.engine,
    run,
    [Symbol.asyncDispose]: async () => {
      await management.stop();
      service[Symbol.dispose]();
      remove();
    },
  };
}

describe("app create", () => {
  test("creates the application and says what comes next", async () => {
    await using service = running();
    expect(await service.run("app", "create", "staging")).toEqual({
      exitCode: 0,
      out: "created application staging",
      err: "next: rollcall key create staging",
    });
    expect((await service.run("key", "create", "staging")).exitCode).toBe(0);
  });

  test("R2: a slug with an underscore, and one that exists, are refused with exit code 1 and a sentence", async () => {
    await using service = running();
    const bad = await service.run("app", "create", "my_app");
    expect({ ...bad, err: "" }).toEqual({ exitCode: 1, out: "", err: "" });
    expect(bad.err).toContain("my_app");
    await service.run("app", "create", "twice");
    const again = await service.run("app", "create", "twice");
    expect({ ...again, err: "" }).toEqual({ exitCode: 1, out: "", err: "" });
    expect(again.err).toContain("twice");
  });
});

describe("key create", () => {
  test("prints the key alone on stdout, so that a script can take it; it works at once", async () => {
    await using service = running();
    const { exitCode, out, err } = await service.run("key", "create", "prod");
    expect(exitCode).toBe(0);
    expect(out).toMatch(KEY);
    expect(err).toMatch(/^key [0-9]+ of application prod, scope all; it is shown this once, only its hash is kept$/);
    expect(service.engine.authenticate(out)).toMatchObject({ application: "prod", scope: "all" });
  });

  test("R3: --scope limits what the key may do", async () => {
    await using service = running();
    const { out } = await service.run("key", "create", "prod", "--scope", "ping");
    expect(service.engine.authenticate(out)).toMatchObject({ scope: "ping" });
  });

  test("an application that does not exist is exit code 1, and nothing stands on stdout", async () => {
    await using service = running();
    const { exitCode, out, err } = await service.run("key", "create", "nowhere");
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toContain("nowhere");
  });
});

describe("key list", () => {
  test("R2: shows number, scope, creation and last use, and never a key", async () => {
    await using service = running();
    const { out: key } = await service.run("key", "create", "prod", "--scope", "sync");
    const { exitCode, out, err } = await service.run("key", "list");
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    const [head, ...rows] = out.split("\n").map((line) => line.split(/ {2,}/));
    expect(head).toEqual(["ID", "APPLICATION", "SCOPE", "CREATED", "LAST USED", "REVOKED"]);
    expect(rows.at(-1)).toEqual([
      expect.stringMatching(/^[0-9]+$/),
      "prod",
      "sync",
      "2026-03-02T12:00:00.000Z",
      "never",
      "-",
    ]);
    expect(out).not.toContain(key.slice(-32));
  });

  test("--json prints the same as JSON, of one application when it is named", async () => {
    await using service = running();
    await service.run("app", "create", "staging");
    await service.run("key", "create", "staging");
    await service.run("key", "create", "prod");
    const all = JSON.parse((await service.run("key", "list", "--json")).out);
    const one = JSON.parse((await service.run("key", "list", "staging", "--json")).out);
    expect(one).toEqual([
      {
        id: expect.any(Number),
        application: "staging",
        scope: "all",
        createdAt: "2026-03-02T12:00:00.000Z",
        lastUsedAt: null,
        revokedAt: null,
      },
    ]);
    expect(all).toEqual(expect.arrayContaining(one));
    expect(all.length).toBeGreaterThan(one.length);
  });

  test("an application that does not exist is exit code 1", async () => {
    await using service = running();
    expect(await service.run("key", "list", "nowhere&application=prod")).toMatchObject({ exitCode: 1, out: "" });
  });
});

describe("key revoke", () => {
  test("the key is refused from then on, and the list says since when", async () => {
    await using service = running();
    const { out: key } = await service.run("key", "create", "prod");
    const [{ id }] = JSON.parse((await service.run("key", "list", "--json")).out).slice(-1);
    expect(await service.run("key", "revoke", String(id))).toEqual({
      exitCode: 0,
      out: `revoked key ${id} of application prod`,
      err: "",
    });
    expect(service.engine.authenticate(key)).toMatchObject({ refusal: "AUTHENTICATION_REQUIRED" });
    expect((await service.run("key", "list")).out).toMatch(/2026-03-02T12:00:00\.000Z$/);
  });

  test("a number no key has is exit code 1", async () => {
    await using service = running();
    expect(await service.run("key", "revoke", "4711")).toMatchObject({ exitCode: 1, out: "" });
  });
});

describe("without a service", () => {
  const commands = [
    ["app", "create", "prod"],
    ["key", "create", "prod"],
    ["key", "list"],
    ["key", "list", "--json"],
    ["key", "revoke", "1"],
  ];

  test("every command that needs it ends with exit code 3 and names the socket", async () => {
    using nobody = place();
    for (const command of commands) {
      expect(await nobody.run(...command)).toEqual({
        exitCode: 3,
        out: "",
        err: `rollcall is not running (no answer at ${nobody.socket})`,
      });
    }
  });

  test("a socket file that a crashed service left behind is no service", async () => {
    using crashed = place();
    const script = `Bun.serve({ unix: ${JSON.stringify(crashed.socket)}, fetch: () => new Response() }); process.kill(process.pid, "SIGKILL")`;
    Bun.spawnSync([process.execPath, "-e", script]);
    expect(await Bun.file(crashed.socket).stat()).toBeDefined();
    expect(await crashed.run("key", "list")).toMatchObject({ exitCode: 3 });
  });

  test("a faulty configuration is exit code 2 with its place", async () => {
    const ran = await rollcall(["key", "list"], { ROLLCALL_CONFIG: "/nonexistent/rollcall.toml" });
    expect(ran).toMatchObject({ exitCode: 2, out: "" });
    expect(ran.err).toContain("ROLLCALL_CONFIG");
  });

  test("a data directory that is not there has no service, however long its name", async () => {
    const ran = await rollcall(["key", "list"], { ROLLCALL_STORAGE__DIRECTORY: `/tmp/${"d".repeat(120)}/data` });
    expect(ran).toMatchObject({ exitCode: 3, out: "" });
  });

  test.each([200, 500])("an answer %d that is not JSON is exit code 1 and names the status", async (status) => {
    using odd = place();
    const server = Bun.serve({ unix: odd.socket, fetch: () => new Response("hello", { status }) });
    const ran = await odd.run("key", "list");
    await server.stop(true);
    expect(ran).toEqual({ exitCode: 1, out: "", err: `rollcall answered HTTP ${status}; see its log` });
  });

  test("an answer that breaks off is exit code 1 and names the socket", async () => {
    using odd = place();
    const server = Bun.listen({
      unix: odd.socket,
      socket: {
        data: (socket) => {
          socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{");
        },
      },
    });
    const ran = await odd.run("key", "list");
    server.stop(true);
    expect(ran).toMatchObject({ exitCode: 1, out: "" });
    expect(ran.err).toContain(`gave no usable answer at ${odd.socket}`);
  });
});
