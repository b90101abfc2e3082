// Commands with --remote: against the real public server, with keys that its host made, and everything that can be
// wrong on the way there.

import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCertificate } from "../support/certificate.ts";
import { NO_INPUT, rollcall, typing } from "../support/command-line.ts";
import { NO_LIMITS } from "../support/public-server.ts";
import { granted, startService } from "../support/service.ts";

setDefaultTimeout(120_000);

const service = startService();
const folder = mkdtempSync(join(tmpdir(), "rollcall-remote-"));
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const made = (scope: "read" | "admin") =>
  granted(service.engine.operate("admin-key create", { scope, label: "laptop" })).key;
const [admin, read] = [made("admin"), made("read")];

const remote = (key: string | null, ...args: string[]) =>
  rollcall(["--remote", service.origin, ...args], key === null ? {} : { ROLLCALL_ADMIN_KEY: key });

describe("a command with --remote", () => {
  test("does and says the same as on the host, and the audit has the key", async () => {
    const created = await remote(admin, "monitor", "create", "backup", "--schedule", "0 2 * * *");
    expect(created).toMatchObject({ exitCode: 0, out: "created monitor backup" });
    expect((await remote(read, "monitor", "list")).out).toContain("backup   pending");
    expect(JSON.parse((await remote(read, "monitor", "list", "--json")).out)).toMatchObject([{ key: "backup" }]);
    const paused = await remote(admin, "monitor", "pause", "back*", "--for", "2h", "--yes");
    expect(paused).toMatchObject({ exitCode: 0, out: expect.stringContaining("paused backup until") });
    expect((await remote(read, "status")).exitCode).toBe(0);
    const { out } = await remote(read, "audit", "--limit", "1");
    expect(out).toContain("laptop (admin key 1)");
    expect(out).toContain("127.0.0.1");
  });

  test("asks at the terminal before what cannot be undone", async () => {
    await remote(admin, "monitor", "create", "doomed", "--schedule", "0 2 * * *");
    const environment = { ROLLCALL_ADMIN_KEY: admin };
    const args = ["--remote", service.origin, "monitor", "delete", "doomed"];
    expect(await rollcall(args, environment, 80, typing(true, "n"))).toMatchObject({ exitCode: 1 });
    expect((await rollcall(args, environment, 80, typing(true, "y"))).out).toContain("deleted monitor doomed");
  });

  test("has the key from a file too, which wins, and names the whole line in what it says", async () => {
    const file = join(folder, "key");
    writeFileSync(file, `${read}\nmade for the laptop\n`);
    for (const [args, environment] of [
      [["--key-file", file], { ROLLCALL_ADMIN_KEY: "ck_adm_wrong" }],
      [[], { ROLLCALL_ADMIN_KEY_FILE: file }],
    ] as const)
      expect(await rollcall(["--remote", `${service.origin}/`, ...args, "app", "list"], environment)).toMatchObject({
        exitCode: 0,
        out: expect.stringContaining("prod"),
      });
    const args = ["--remote", service.origin, "--key-file", file, "monitor", "show", "nothing"];
    const { exitCode, err } = await rollcall(args);
    expect({ exitCode, err }).toEqual({
      exitCode: 1,
      err: expect.stringContaining(`\`rollcall --remote ${service.origin} --key-file ${file} monitor list\``),
    });
  });

  test("completes keys from there", async () => {
    const environment = { ROLLCALL_ADMIN_KEY: read };
    const words = ["--remote", service.origin, "monitor", "show"];
    expect((await rollcall(["__complete", "ba", ...words], environment)).out).toBe("backup\tpaused");
  });

  test("makes a backup there, and names no file of that host", async () => {
    expect(await remote(admin, "backup", "copy.db")).toMatchObject({
      exitCode: 1,
      err: "file: only the command on rollcall's own host may name one",
    });
    expect(await remote(admin, "backups")).toMatchObject({ exitCode: 0 });
  });

  test("does nothing with administrators' keys", async () => {
    for (const words of [["create"], ["list"], ["revoke", "1", "--yes"]])
      expect(await remote(admin, "admin-key", ...words)).toMatchObject({
        exitCode: 1,
        out: "",
        err: "only the command on rollcall's own host may do this",
      });
  });

  test("may only look with a key of the scope read", async () => {
    expect(await remote(read, "monitor", "resume", "backup")).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('the scope "read"'),
    });
  });

  test("waits when it is asked to, and goes on", async () => {
    const limits = { ...NO_LIMITS, adminPerMinute: 1 };
    const time = { now: 0 };
    const clock = { now: Date.now, monotonic: () => time.now };
    const refused = Promise.withResolvers<void>();
    const log = (_level: string, event: string): void => void (event === "rate_limit_exceeded" && refused.resolve());
    await using busy = startService({ limits, clock, log });
    const { key } = granted(busy.engine.operate("admin-key create", {}));
    const ask = () => rollcall(["--remote", busy.origin, "app", "list"], { ROLLCALL_ADMIN_KEY: key });
    expect((await ask()).exitCode).toBe(0);
    time.now = 59_500;
    const waiting = ask();
    await refused.promise;
    time.now = 60_000;
    const { exitCode, err } = await waiting;
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: expect.stringContaining("going on in 1 second") });
  });
});

describe("without a way there", () => {
  const at = (url: string, environment: Record<string, string> = { ROLLCALL_ADMIN_KEY: read }, ...words: string[]) =>
    rollcall(["--remote", url, ...(words.length === 0 ? ["app", "list"] : words)], environment);

  test.each([
    ["cron.example.org", "must be the address of a rollcall"],
    ["ftp://cron.example.org", "must be the address of a rollcall"],
    ["http://cron.example.org", "plain HTTP would show the key"],
    ["http://127.0.0.1.example.org", "plain HTTP would show the key"],
    ["http://10.0.0.7:8787", "plain HTTP would show the key"],
    ["https://ada:secret@cron.example.org", "leave out user name, password"],
    ["https://cron.example.org/api/admin/v1", "must end before /api"],
    ["https://cron.example.org/?key=a", "leave out user name, password"],
  ])("%s is wrong usage, and nothing is sent", async (url, why) => {
    const ran = await at(url);
    expect({ exitCode: ran.exitCode, out: ran.out }).toEqual({ exitCode: 2, out: "" });
    expect(ran.err).toContain(why);
    expect(ran.err).not.toContain("secret");
  });

  test.each([
    [{}, "no administrator's key is given"],
    [{ ROLLCALL_ADMIN_KEY: "ck_app_prod_secret" }, "ROLLCALL_ADMIN_KEY: it holds no administrator's key"],
    [{ ROLLCALL_ADMIN_KEY: `ck_adm_${"é".repeat(32)}` }, "ROLLCALL_ADMIN_KEY: it holds no administrator's key"],
    [{ ROLLCALL_ADMIN_KEY_FILE: "/nowhere/key" }, "ROLLCALL_ADMIN_KEY_FILE: /nowhere/key cannot be read (ENOENT)"],
  ])("%j is wrong usage", async (environment, why) => {
    const ran = await at(service.origin, environment as Record<string, string>);
    expect({ exitCode: ran.exitCode, out: ran.out }).toEqual({ exitCode: 2, out: "" });
    expect(ran.err).toContain(why);
    expect(ran.err).not.toContain("secret");
  });

  test("an unknown key, no interface, and something else that answers are told apart", async () => {
    expect(await at(service.origin, { ROLLCALL_ADMIN_KEY: `ck_adm_${"a".repeat(32)}` })).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining(`${service.origin} does not know this key, or it was revoked`),
    });
    await using closed = startService();
    expect(await at(closed.origin)).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining("no key works there"),
    });
    using other = Bun.serve({
      port: 0,
      fetch: ({ url }) =>
        url.includes("/moved")
          ? Response.redirect("https://elsewhere.example/")
          : new Response("<html>", { status: 502 }),
    });
    using stranger = Bun.serve({ port: 0, fetch: () => Response.json({ applications: [] }) });
    for (const [url, why] of [
      [other.url.origin, "answered HTTP 502, and not as rollcall does"],
      [stranger.url.origin, "answered HTTP 200, and not as rollcall does"],
      [`${other.url.origin}/moved`, "leads on to https://elsewhere.example/"],
    ] as const)
      expect(await at(url)).toMatchObject({ exitCode: 1, out: "", err: expect.stringContaining(why) });
  });

  test("nobody who listens is exit code 3", async () => {
    expect(await at("http://127.0.0.1:9")).toMatchObject({
      exitCode: 3,
      err: "http://127.0.0.1:9 cannot be reached: connection refused",
    });
    expect((await at("https://nowhere.invalid")).exitCode).toBe(3);
  });

  test("a certificate of nobody's is refused before the key is sent", async () => {
    const certificate = createCertificate();
    const seen: string[] = [];
    using own = Bun.serve({
      port: 0,
      tls: { cert: certificate.certificate, key: certificate.key },
      fetch: ({ url }) => {
        seen.push(url);
        return new Response();
      },
    });
    const ran = await at(`https://localhost:${own.port}`);
    expect(ran.exitCode).toBe(1);
    expect(ran.err).toContain("is not to be trusted");
    expect(ran.err).toContain("NODE_EXTRA_CA_CERTS");
    expect(seen).toEqual([]);
  });

  test.each([
    [["serve"], "serve works on this machine, without --remote"],
    [["config", "check"], "check works on this machine, without --remote"],
    [["restore", "copy.db"], "restore works on this machine, without --remote"],
    [["version"], "version works on this machine, without --remote"],
  ])("%j is wrong usage", async (words, why) => {
    expect(await at(service.origin, {}, ...words)).toMatchObject({ exitCode: 2, err: expect.stringContaining(why) });
  });

  test("an option that would do nothing is wrong usage", async () => {
    expect(await rollcall(["app", "list", "--key-file", "key"], {}, null, NO_INPUT)).toMatchObject({ exitCode: 2 });
    expect(await rollcall(["app", "list", "--remote", service.origin, "--config", "a.toml"])).toMatchObject({
      exitCode: 2,
    });
  });
});

test("the variables with the key are none of the configuration's", async () => {
  const environment = { ROLLCALL_ADMIN_KEY: read, ROLLCALL_ADMIN_KEY_FILE: "key" };
  expect(await rollcall(["config", "check"], environment)).toMatchObject({ exitCode: 0 });
});
