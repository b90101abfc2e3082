// The commands that speak to the running service, over its real socket with the real engine behind it: what they do,
// what they print, and how they end when there is no service or it refuses.

import { describe, expect, test } from "bun:test";
import { rollcall } from "../support/command-line.ts";
import { openPlace, openRunning } from "../support/commands.ts";

const KEY = /^ck_app_prod_[0-9A-Za-z]{32}$/;

describe("app create", () => {
  test("creates the application and says what comes next", async () => {
    await using place = openRunning();
    expect(await place.run("app", "create", "staging")).toEqual({
      exitCode: 0,
      out: "created application staging",
      err: "next: rollcall key create staging",
    });
    expect((await place.run("key", "create", "staging")).exitCode).toBe(0);
  });

  test("R2: a slug with an underscore, and one that exists, are refused with exit code 1 and a sentence", async () => {
    await using place = openRunning();
    const bad = await place.run("app", "create", "my_app");
    expect({ ...bad, err: "" }).toEqual({ exitCode: 1, out: "", err: "" });
    expect(bad.err).toContain("my_app");
    await place.run("app", "create", "twice");
    const again = await place.run("app", "create", "twice");
    expect({ ...again, err: "" }).toEqual({ exitCode: 1, out: "", err: "" });
    expect(again.err).toContain("twice");
  });
});

describe("app list", () => {
  test("shows applications with how many monitors each has, as a table or as JSON", async () => {
    await using place = openRunning();
    await place.run("app", "create", "staging");
    await place.run("monitor", "create", "job", "--schedule", "0 2 * * *", "--app", "staging");
    const { exitCode, out, err } = await place.run("app", "list");
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(out.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["APPLICATION", "NAME", "JOBS", "CREATED (UTC)", "SUSPENDED"],
      ["prod", "-", "0", "2026-03-02 12:00 (now)", "-"],
      ["staging", "-", "1", "2026-03-02 12:00 (now)", "-"],
    ]);
    expect(JSON.parse((await place.run("app", "list", "--json")).out)).toEqual([
      { slug: "prod", name: null, monitors: 0, createdAt: "2026-03-02T12:00:00.000Z", suspendedAt: null },
      { slug: "staging", name: null, monitors: 1, createdAt: "2026-03-02T12:00:00.000Z", suspendedAt: null },
    ]);
  });
});

describe("key create", () => {
  test("prints the key alone on stdout, so that a script can take it; it works at once", async () => {
    await using place = openRunning();
    const { exitCode, out, err } = await place.run("key", "create", "prod");
    expect(exitCode).toBe(0);
    expect(out).toMatch(KEY);
    expect(err).toMatch(/^key [0-9]+, for reports and syncs; it is shown this once, only its hash is kept$/);
    expect(place.service.engine.intake.authenticate(out)).toMatchObject({ application: "prod", scope: "all" });
  });

  test("R3: --scope limits what the key may do", async () => {
    await using place = openRunning();
    const { out } = await place.run("key", "create", "prod", "--scope", "ping");
    expect(place.service.engine.intake.authenticate(out)).toMatchObject({ scope: "ping" });
  });

  test("an application that does not exist is exit code 1, and nothing stands on stdout", async () => {
    await using place = openRunning();
    const { exitCode, out, err } = await place.run("key", "create", "nowhere");
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(err).toContain("nowhere");
  });
});

describe("key list", () => {
  test("R2: shows number, scope, creation and last use, and never a key", async () => {
    await using place = openRunning();
    const { out: key } = await place.run("key", "create", "prod", "--scope", "sync");
    const { exitCode, out, err } = await place.run("key", "list");
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    const [head, ...rows] = out.split("\n").map((line) => line.split(/ {2,}/));
    expect(head).toEqual(["ID", "LABEL", "SCOPE", "CREATED (UTC)", "LAST USED", "ENDS"]);
    expect(rows.at(-1)).toEqual([
      expect.stringMatching(/^[0-9]+$/),
      "-",
      "syncs",
      "2026-03-02 12:00 (now)",
      "never",
      "-",
    ]);
    expect(out).not.toContain(key.slice(-32));
  });

  test("--json prints the same as JSON, of one application when it is named", async () => {
    await using place = openRunning();
    await place.run("app", "create", "staging");
    await place.run("key", "create", "staging");
    await place.run("key", "create", "prod");
    const all = JSON.parse((await place.run("key", "list", "--json")).out);
    const one = JSON.parse((await place.run("key", "list", "staging", "--json")).out);
    expect(one).toEqual([
      {
        id: expect.any(Number),
        application: "staging",
        scope: "all",
        label: null,
        createdAt: "2026-03-02T12:00:00.000Z",
        lastUsedAt: null,
        lastUse: null,
        worksUntil: null,
        revokedAt: null,
      },
    ]);
    expect(all).toEqual(expect.arrayContaining(one));
    expect(all.length).toBeGreaterThan(one.length);
  });

  test("an application that does not exist is exit code 1", async () => {
    await using place = openRunning();
    expect(await place.run("key", "list", "nowhere&application=prod")).toMatchObject({ exitCode: 1, out: "" });
  });
});

describe("key revoke", () => {
  test("the key is refused from then on, and the list says since when", async () => {
    await using place = openRunning();
    const { out: key } = await place.run("key", "create", "prod");
    const [{ id }] = JSON.parse((await place.run("key", "list", "--json")).out).slice(-1);
    expect(await place.run("key", "revoke", String(id))).toEqual({
      exitCode: 0,
      out: `revoked key ${id}`,
      err: "",
    });
    expect(place.service.engine.intake.authenticate(key)).toMatchObject({ refusal: "AUTHENTICATION_REQUIRED" });
    expect((await place.run("key", "list")).out).toMatch(/revoked 2026-03-02 12:00 \(now\)$/);
  });

  test("a number no key has is exit code 1", async () => {
    await using place = openRunning();
    expect(await place.run("key", "revoke", "4711")).toMatchObject({ exitCode: 1, out: "" });
  });
});

describe("what a command reads of the configuration is where the data directory is", () => {
  const UNREADABLE = `[smtp]
host = "mail.example.org"
password_file = "/nonexistent/secret"
no_such_key = 1

[destinations.hook]
type = "webhook"
url_file = "/nonexistent/url"
secret_file = "/nonexistent/secret"
`;

  test("so it works where secrets cannot be read and other keys are faulty, which config check tells", async () => {
    await using place = openRunning(undefined, UNREADABLE);
    expect((await place.run("config", "check")).exitCode).toBe(2);
    expect(await place.run("key", "create", "prod")).toMatchObject({ exitCode: 0 });
    expect(await place.run("monitor", "list")).toMatchObject({ exitCode: 0 });
  });

  test("a faulty data directory is exit code 2 with its place, and nothing else is told", async () => {
    const ran = await rollcall(["key", "list"], {
      ROLLCALL_STORAGE__DIRECTORY: "",
      ROLLCALL_SMTP__PASSWORD_FILE: "/nonexistent/secret",
    });
    expect({ ...ran, err: "" }).toEqual({ exitCode: 2, out: "", err: "" });
    expect(ran.err).toMatch(/^ROLLCALL_STORAGE__DIRECTORY: storage.directory: [^\n]+$/);
  });
});

describe("without a service", () => {
  const commands = [
    ["app", "create", "prod"],
    ["key", "create", "prod"],
    ["key", "list"],
    ["key", "list", "--json"],
    ["key", "revoke", "1"],
    ["app", "list"],
    ["monitor", "list"],
    ["monitor", "show", "job"],
    ["monitor", "create", "job", "--schedule", "0 2 * * *"],
    ["monitor", "pause", "job"],
    ["monitor", "resume", "job"],
    ["monitor", "delete", "job"],
    ["incident", "list"],
    ["incident", "ack", "1"],
    ["incident", "resolve", "1"],
    ["notify", "test", "hook"],
    ["notify", "list"],
    ["notify", "resend", "1"],
  ];

  test("every command that needs it ends with exit code 3 and names the socket", async () => {
    using nobody = openPlace();
    for (const command of commands) {
      expect(await nobody.run(...command)).toEqual({
        exitCode: 3,
        out: "",
        err: [
          `rollcall is not running (no answer at ${nobody.socket})`,
          "if it is running, give the command where it was started, or name its configuration with --config; else start it with rollcall serve",
        ].join("\n"),
      });
    }
  });

  test("a socket file that a crashed service left behind is no service", async () => {
    using crashed = openPlace();
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
    using odd = openPlace();
    const server = Bun.serve({ unix: odd.socket, fetch: () => new Response("hello", { status }) });
    const ran = await odd.run("key", "list");
    await server.stop(true);
    expect(ran).toEqual({ exitCode: 1, out: "", err: `rollcall answered HTTP ${status}; see its log` });
  });

  test("a service that runs another version, and knows no such path, is exit code 1 and has to be restarted", async () => {
    using old = openPlace();
    const body = { error: "NOT_FOUND", message: "there is no such path" };
    const server = Bun.serve({ unix: old.socket, fetch: () => Response.json(body, { status: 404 }) });
    const ran = await old.run("key", "list");
    await server.stop(true);
    const err = "another version of rollcall is running; restart it, and give the command again";
    expect(ran).toEqual({ exitCode: 1, out: "", err });
  });

  test("an answer that breaks off is exit code 1 and names the socket", async () => {
    using odd = openPlace();
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
