// The command line as a whole: help, version, wrong usage and its exit codes. What single commands do is tested apart.

import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { COMMAND_GROUPS } from "../../src/cli/command-groups.ts";
import { rollcall } from "../support/command-line.ts";

function temporaryDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "rollcall-cli-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

describe("help", () => {
  test("rollcall alone is wrong usage: the help goes to stderr, exit code 2", async () => {
    const { exitCode, out, err } = await rollcall([]);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain("Usage: rollcall [options] [command]");
  });

  test.each([[["help"]], [["--help"]], [["-h"]]])("%p is what was asked for: stdout, exit code 0", async (args) => {
    const { exitCode, out, err } = await rollcall(args);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    const listed = [...out.matchAll(/^ {2}([a-z][a-z-]*)\b/gm)].map(([, command]) => command);
    expect(listed).toEqual(["setup", "serve", "discover", "import", "run", "status", "why", "incident", "monitor"]);
    expect(out).toContain("`rollcall help all` lists all 34 commands");
    expect(out).toContain("3  the service is not running");
  });

  test("help all has every command in one group, under what people come for", async () => {
    const { exitCode, out } = await rollcall(["help", "all"]);
    expect(exitCode).toBe(0);
    const headings = [...out.matchAll(/^([A-Z][a-z ]+):$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(["Options", "Begin", "Look", "Act", "Set up", "Operate", "Exit codes"]);
    const grouped = Object.values(COMMAND_GROUPS).flat();
    const listed = [...out.matchAll(/^ {2}([a-z][a-z-]*)\b/gm)].map(([, command]) => command!);
    expect(listed.toSorted()).toEqual(grouped.toSorted());
    const completed = (await rollcall(["__complete", ""])).out.split("\n").map((line) => line.split("\t")[0]!);
    expect(new Set(completed.filter((word) => /^[a-z]/.test(word)))).toEqual(new Set(grouped));
  });

  test.each([
    ["serve"],
    ["init"],
    ["config check"],
    ["app create"],
    ["app list"],
    ["key create"],
    ["key list"],
    ["key revoke"],
    ["monitor list"],
    ["monitor show"],
    ["monitor create"],
    ["monitor pause"],
    ["monitor resume"],
    ["monitor delete"],
    ["incident list"],
    ["incident ack"],
    ["incident unack"],
    ["incident resolve"],
    ["notify test"],
    ["notify list"],
    ["notify resend"],
    ["app syncs"],
    ["monitor refused"],
  ])("help %s shows how it is called, with an example", async (command) => {
    const { exitCode, out } = await rollcall(["help", ...command.split(" ")]);
    expect(exitCode).toBe(0);
    expect(out).toContain(`Usage: rollcall ${command} [options]`);
    expect(out).toContain(`$ rollcall ${command}`);
    expect(out).toContain("--config <file>");
    expect((await rollcall([...command.split(" "), "--help"])).out).toBe(out);
  });

  test("a group without a command is wrong usage and shows its commands", async () => {
    const { exitCode, out, err } = await rollcall(["key"]);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    for (const command of ["create", "list", "revoke"]) expect(err).toMatch(new RegExp(`^  ${command}\\b`, "m"));
    expect(err).not.toContain("display help for command");
  });

  test("help for a command that does not exist is wrong usage", async () => {
    expect(await rollcall(["help", "key", "crate"])).toEqual({
      exitCode: 2,
      out: "",
      err: "error: unknown command 'key crate'; rollcall help all lists them",
    });
  });
});

describe("wrong usage is exit code 2, said on stderr", () => {
  test.each([
    [["sevre"], "unknown command 'sevre'", "Did you mean serve?"],
    [["key", "crate"], "unknown command 'crate'", "Did you mean create?"],
    [["dest", "list"], "unknown command 'dest'", "`rollcall help all` lists what there is"],
    [["key", "grab"], "unknown command 'grab'", "`rollcall help key` lists what there is"],
    [["discover", "--dry-run"], "unknown option '--dry-run'", "`rollcall help discover` lists what there is"],
    [["key", "list", "--jsno"], "unknown option '--jsno'", "Did you mean --json?"],
    [["key", "create", "prod", "--app", "staging"], "two applications are named", "prod and, with --app, staging"],
    [["key", "create", "prod", "--scope", "admin"], "'admin' is invalid", "all, ping, sync"],
    [["key", "revoke", "three"], "'three' is invalid", "whole number"],
    [["key", "revoke", "-1"], "'-1' is invalid", "whole number"],
    [["app", "create", "a", "b"], "too many arguments", "usage: rollcall app create [options] <slug>"],
    [
      ["import", "healthchecks"],
      "missing required argument 'from'",
      "usage: rollcall import [options] <service> <from>",
    ],
    [["--config", "monitor", "import"], "missing required argument 'service'", "`rollcall help import` says more"],
    [["monitor", "list", "--status", "ill"], "'ill' is invalid", "pending, healthy, warning, critical, paused"],
    [["monitor", "show"], "missing required argument 'key'", "usage: rollcall monitor show [options] <key>"],
    [["monitor", "create", "job", "--schedule", "0 2 * * *", "--grace", "30s"], "'30s' is invalid", "from 1m to 3650d"],
    [["monitor", "pause", "job", "--for", "2"], "'2' is invalid", "from 1m to 365d"],
    [["incident", "ack", "first"], "'first' is invalid", "whole number"],
    [["incident", "resolve"], "missing required argument 'id'", "`rollcall help incident resolve` says more"],
    [["serve", "--log", "xml"], "'xml' is invalid", "json, pretty"],
    [["config", "check", "--config"], "argument missing", ""],
  ])("%p", async (args, what, more) => {
    const { exitCode, out, err } = await rollcall(args);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain(what);
    expect(err).toContain(more);
  });
});

test.each([["version"], ["--version"], ["-V"]])("%s prints the version of package.json", async (word) => {
  expect(await rollcall([word])).toEqual({ exitCode: 0, out: `rollcall ${version}`, err: "" });
});

test("--config and --env-file stand before or after the command", async () => {
  using directory = temporaryDirectory();
  const config = join(directory.path, "rollcall.toml");
  const envFile = join(directory.path, "env");
  writeFileSync(config, '[server]\ntimezone = "Europe/Nowhere"\n');
  writeFileSync(envFile, "ROLLCALL_SERVER__LISTEN=nonsense\n");
  const after = await rollcall(["config", "check", "--config", config, "--env-file", envFile]);
  expect(after.exitCode).toBe(2);
  expect(after.err).toContain(`${config}:2: server.timezone`);
  expect(after.err).toContain(`${envFile}:1: server.listen`);
  expect(await rollcall(["--config", config, "--env-file", envFile, "config", "check"])).toEqual(after);
});

test("init writes the file into the directory it is given, and never over one", async () => {
  using directory = temporaryDirectory();
  expect((await rollcall(["init", directory.path])).exitCode).toBe(0);
  const file = join(directory.path, "rollcall.toml");
  expect(existsSync(file)).toBe(true);
  expect((await rollcall(["config", "check", "--config", file])).exitCode).toBe(0);
  expect((await rollcall(["init", directory.path])).exitCode).toBe(1);
});

test("as a process, rollcall writes to its streams and ends with the exit code", () => {
  const run = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, "src/main.ts", ...args], {
      cwd: join(import.meta.dir, "../.."),
    });
    return { exitCode, out: stdout.toString(), err: stderr.toString() };
  };
  expect(run("version")).toEqual({ exitCode: 0, out: `rollcall ${version}\n`, err: "" });
  expect(run("sevre")).toEqual({
    exitCode: 2,
    out: "",
    err: "error: unknown command 'sevre'\n(Did you mean serve?)\n",
  });
});
