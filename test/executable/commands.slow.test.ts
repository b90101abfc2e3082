// The commands of the executable against the service it runs: what they print and how they end; and that nothing which
// lies about in the working directory is obeyed.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { EXECUTABLE, firstKeyOf, openFolder, report } from "../support/executable.ts";

setDefaultTimeout(120_000);

const SCHEDULE = "?schedule=0%202%20*%20*%20*";

describe("key", () => {
  test("create prints the new key alone on stdout; it works at once, and list and log never show it", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    const { exitCode, out, err } = await folder.run(["key", "create", "default"]);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^ck_app_default_[0-9A-Za-z]{32}\n$/);
    const key = out.trimEnd();
    expect(await report(service, key, "backup", SCHEDULE)).toBe(200);

    const table = await folder.run(["key", "list"]);
    const json = await folder.run(["key", "list", "default", "--json"]);
    expect([table.exitCode, json.exitCode]).toEqual([0, 0]);
    expect(JSON.parse(json.out).map(({ application }: { application: string }) => application)).toEqual([
      "default",
      "default",
    ]);
    for (const text of [err, table.out, json.out, service.err()]) {
      expect(text).not.toContain(key.slice(-32));
      expect(text).not.toContain(firstKeyOf(service).slice(-32));
    }
  });

  test("R3: revoke takes effect with the next request", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    const key = firstKeyOf(service);
    expect(await report(service, key, "backup", SCHEDULE)).toBe(200);
    const [{ id }] = JSON.parse((await folder.run(["key", "list", "--json"])).out);
    expect(await folder.run(["key", "revoke", String(id)])).toMatchObject({ exitCode: 0 });
    expect(await report(service, key, "backup")).toBe(401);
    // No person asked for the first one.
    const { out } = await folder.run(["audit"]);
    expect(out).toMatch(/rollcall itself +this machine +made a key/);
    expect(out).toMatch(/by command +this machine +revoked a key/);
    // An application that had a key gets no first key again.
    expect(await service.end("SIGTERM")).toBe(0);
    const again = await folder.serve();
    expect(again.out()).toBe("");
    expect(await report(again, key, "backup")).toBe(401);
  });
});

test("R2: app create makes an application with monitors and keys of its own; twice is refused", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  expect(await report(service, firstKeyOf(service), "backup", SCHEDULE)).toBe(200);
  expect(await folder.run(["app", "create", "staging"])).toMatchObject({ exitCode: 0 });
  expect(await folder.run(["app", "create", "staging"])).toMatchObject({ exitCode: 1, out: "" });
  const key = (await folder.run(["key", "create", "staging"])).out.trimEnd();
  expect(key).toStartWith("ck_app_staging_");
  expect(await report(service, key, "backup")).toBe(404);
  expect(await report(service, key, "backup", SCHEDULE)).toBe(200);
});

describe("monitor and incident", () => {
  test("a monitor is created, shown, paused, resumed and deleted; a report with a schedule creates it again", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    const key = firstKeyOf(service);
    const done = async (...args: string[]) => {
      const ran = await folder.run(args);
      expect(ran).toMatchObject({ exitCode: 0 });
      return ran;
    };
    const name = "nightly/backup 😀";
    const path = encodeURIComponent(name);
    await done("monitor", "create", name, "--schedule", "0 2 * * *", "--grace", "30m");
    expect(await report(service, key, path)).toBe(200);
    expect((await done("monitor", "show", name)).out).toContain("30 min (declared)");
    await done("monitor", "pause", name, "--for", "2h");
    expect(await report(service, key, path, "/fail?message=disk%20full")).toBe(200);
    expect((await done("incident", "list", "--open")).err).toBe("no incident is open\n");
    expect((await done("monitor", "resume", name)).err).toContain("incident 1 is open");
    const told = await service.logged("alert");
    expect(told).toMatchObject({ monitor: name, kind: "InitialFailure", cause: "failed" });

    await done("monitor", "delete", name);
    await service.logged("alert", { kind: "Recovered", reason: "deleted" });
    expect(service.facts("alert")).toHaveLength(2);
    expect((await done("monitor", "list", "--json")).out).toBe("[]\n");
    expect(await report(service, key, path)).toBe(404);
    expect(await report(service, key, path, SCHEDULE)).toBe(200);
    const [again] = JSON.parse((await done("monitor", "list", "--json")).out);
    expect(again).toMatchObject({ key: name, status: "healthy", graceSeconds: 60, incidentId: null });
  });

  test("an incident is acknowledged and closed, and stays so when the service is killed and started again", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    const key = firstKeyOf(service);
    expect(await report(service, key, "backup", SCHEDULE)).toBe(200);
    expect(await report(service, key, "backup", "/fail")).toBe(200);
    expect(await folder.run(["incident", "ack", "1"])).toMatchObject({ exitCode: 0 });
    await service.end("SIGKILL");
    await folder.serve();
    const open = await folder.run(["incident", "list", "--open", "--json"]);
    expect(JSON.parse(open.out)).toMatchObject([{ id: 1, key: "backup", acknowledgedAt: expect.any(String) }]);
    expect(await folder.run(["incident", "resolve", "1"])).toMatchObject({ exitCode: 0 });
    expect(await folder.run(["incident", "ack", "1"])).toMatchObject({ exitCode: 1, out: "" });
    expect((await folder.run(["monitor", "list", "--status", "healthy"])).out).toContain("backup");
  });

  test("they need nothing of the configuration but the data directory", async () => {
    await using folder = openFolder();
    await folder.serve();
    const unreadable = { ROLLCALL_SMTP__HOST: "mail.example.org", ROLLCALL_SMTP__PASSWORD_FILE: "/nonexistent" };
    expect((await folder.run(["config", "check"], unreadable)).exitCode).toBe(2);
    expect(await folder.run(["app", "list"], unreadable)).toMatchObject({ exitCode: 0, err: "" });
    expect((await folder.run(["key", "create", "default"], unreadable)).exitCode).toBe(0);
  });
});

test("what needs the service ends with 3 when it does not run, also after a crash", async () => {
  await using folder = openFolder();
  const needing = [
    ["key", "list"],
    ["key", "create", "default"],
    ["key", "revoke", "1"],
    ["app", "create", "staging"],
    ["monitor", "list"],
    ["monitor", "pause", "backup", "--for", "2h"],
    ["incident", "resolve", "1"],
  ];
  const all = () => Promise.all(needing.map((command) => folder.run(command)));
  const socket = join(folder.path, "data/rollcall.sock");
  const hint = `if it is running, give the command where it was started, or name its configuration with --config; else start it with ${EXECUTABLE} serve`;
  const notRunning = { exitCode: 3, out: "", err: `rollcall is not running (no answer at ${socket})\n${hint}\n` };
  expect(await all()).toEqual(Array(needing.length).fill(notRunning));
  expect(existsSync(join(folder.path, "data"))).toBe(false);
  await (await folder.serve()).end("SIGKILL");
  expect(existsSync(socket)).toBe(true);
  expect(await all()).toEqual(Array(needing.length).fill(notRunning));
});

test("help and version are done, an unknown command is misuse", async () => {
  await using folder = openFolder();
  const help = await folder.run(["help", "all"]);
  expect(help).toMatchObject({ exitCode: 0, err: "" });
  for (const command of ["serve", "init", "config", "app", "key", "monitor", "incident", "version", "help"]) {
    expect(help.out).toMatch(new RegExp(`^  ${command}\\b`, "m"));
    expect((await folder.run(["help", command])).exitCode).toBe(0);
  }
  for (const flag of ["version", "--version"]) {
    expect(await folder.run([flag])).toEqual({ exitCode: 0, out: `rollcall ${version}\n`, err: "" });
  }
  for (const misuse of [["frobnicate"], ["key", "frobnicate"], ["serve", "--frobnicate"], ["app", "create"], []]) {
    const { exitCode, out, err } = await folder.run(misuse);
    expect({ misuse, exitCode, out }).toEqual({ misuse, exitCode: 2, out: "" });
    expect(err).not.toBe("");
  }
});

test("init writes a private file that config check takes and serve starts with; it never writes over one", async () => {
  await using folder = openFolder();
  const file = join(folder.path, "rollcall.toml");
  expect(await folder.run(["init"])).toMatchObject({ exitCode: 0, err: "" });
  expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
  const checked = await folder.run(["config", "check"]);
  expect(checked).toMatchObject({ exitCode: 0, err: "" });
  expect(checked.out).toContain("read from: rollcall.toml");
  expect(await folder.run(["init"])).toMatchObject({ exitCode: 1, out: "" });
  const service = await folder.serve();
  expect(service.facts("starting")).toMatchObject([{ sources: ["rollcall.toml", "ROLLCALL_SERVER__LISTEN"] }]);
});

test("what is doubtful in the configuration is told by config check and in the log, and stops nobody", async () => {
  const toml =
    '[smtp]\nhost = "mail.example.org"\nport = 465\nsecurity = "starttls"\nfrom = "a@example.org"\n[[team.members]]\nemail = "ada@example.org"\n';
  await using folder = openFolder({ "rollcall.toml": toml });
  const said = 'rollcall.toml:4: smtp.security: "starttls" hardly works on port 465';
  expect(await folder.run(["config", "check"])).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("configuration ok"),
    err: expect.stringContaining(`warning: ${said}`),
  });
  const { facts } = await folder.serve();
  expect(facts("configuration_doubtful")).toMatchObject([{ level: "warn", warning: expect.stringContaining(said) }]);
});

test("a `.env` and a hostile `bunfig.toml` in the working directory have no effect on serve or any command", async () => {
  const hostile = 'require("fs").writeFileSync("obeyed", "yes"); process.exit(66);';
  await using folder = openFolder({
    ".env": "ROLLCALL_STORAGE__KEEP_PINGS=never\nROLLCALL_NO_SUCH_KEY=1\n",
    ".env.production": "ROLLCALL_NO_SUCH_KEY=1\n",
    "bunfig.toml": 'preload = ["./hostile.js"]\n',
    "hostile.js": hostile,
    "package.json": '{ "main": "./hostile.js", "imports": { "#a": "./hostile.js" } }',
    "tsconfig.json": '{ "compilerOptions": { "paths": { "*": ["./hostile.js"] } } }',
  });
  const service = await folder.serve();
  expect(service.facts("starting")).toMatchObject([{ sources: ["ROLLCALL_SERVER__LISTEN"] }]);
  expect(await report(service, firstKeyOf(service), "backup", SCHEDULE)).toBe(200);
  for (const command of [["version"], ["config", "check"], ["key", "list"]]) {
    expect((await folder.run(command)).exitCode).toBe(0);
  }
  expect(existsSync(join(folder.path, "obeyed"))).toBe(false);
});

// Only root can become somebody else.
test.skipIf(process.getuid?.() !== 0)(
  "a user who may not open the socket is told as whom to type the command",
  async () => {
    await using folder = openFolder();
    await folder.serve();
    chmodSync(folder.path, 0o755);
    const args = ["setpriv", "--reuid=65534", "--clear-groups", EXECUTABLE, "monitor", "list"];
    const asNobody = () => {
      const { exitCode, stderr } = Bun.spawnSync(args, { cwd: folder.path, env: { PATH: process.env["PATH"] } });
      return { exitCode, err: stderr.toString() };
    };
    const socket = `this user may not open ${folder.path}/data/rollcall.sock`;
    expect(asNobody()).toEqual({
      exitCode: 1,
      err: `${socket}; run the command as the user rollcall runs as:\n  sudo -u root ${EXECUTABLE} monitor list\n`,
    });
  },
);

test("a file that takes no more of the answer: the command says so and has failed, and what it did is done", async () => {
  await using folder = openFolder();
  await folder.serve();
  const full = (command: string) => {
    const script = `${EXECUTABLE} ${command} > /dev/full`;
    const { exitCode, stderr } = Bun.spawnSync(["/bin/sh", "-c", script], { cwd: folder.path, env: {} });
    return { exitCode, err: stderr.toString() };
  };
  const said = "the output could not be written (ENOSPC) and is not whole; what the command did is done\n";
  for (const command of ["help all", "systemd-unit", "audit --csv"])
    expect(full(command)).toEqual({ exitCode: 1, err: said });
  expect(full("key create")).toEqual({ exitCode: 1, err: expect.stringContaining(said) });
  expect((await folder.run(["key", "list"])).out).toContain("\n2 ");
  const list = Bun.spawnSync(["/bin/sh", "-c", `${EXECUTABLE} help all > all; cat all`], { cwd: folder.path, env: {} });
  expect(list.stdout.toString()).toBe((await folder.run(["help", "all"])).out);
});
