// `rollcall discover` where something goes wrong half way: a ledger that is damaged, a copy that is gone, two calls at
// once, a kill, a file that cannot be written. Nothing is lost, and no monitor waits for a job that does not report.

import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startService } from "../support/service.ts";
import { keysOf, LEDGER, picture, run, SETTINGS } from "./applying.ts";
import { below } from "./below.ts";
import { plant, SERVER, type Tree } from "./trees.ts";

const planted = (): Tree => plant({ ...SERVER, ...SETTINGS });
const FOLDER = dirname(LEDGER);

describe.if(process.getuid?.() === 0)("a ledger", () => {
  test.each(["{half", "null", '{"source":"discover/web1","entries":[{"copy":"../../../etc/shadow"}]}'])(
    "that is damaged stays, and by force all that looks like ours goes: %s",
    async (text) => {
      using tree = planted();
      await using service = startService();
      const before = picture(tree);
      await run(tree, service, "--apply");
      const wrapped = picture(tree);
      writeFileSync(join(tree.root, LEDGER), text);
      expect(await run(tree, service, "--undo")).toMatchObject({
        exitCode: 1,
        err: expect.stringContaining(`${LEDGER} is damaged: --undo --force takes out`),
      });
      expect(picture(tree)).toEqual(wrapped);

      const forced = await run(tree, service, "--undo", "--force");
      expect(forced.exitCode).toBe(0);
      expect(forced.err).toContain("copies of what stood there stay");
      expect(picture(tree)).toEqual(before);
      expect(await keysOf(service)).toEqual([]);
      expect(readFileSync(join(tree.root, `${LEDGER}.damaged`), "utf8")).toBe(text);
      expect(existsSync(join(tree.root, LEDGER))).toBe(false);
      // What somebody has wrapped by hand is not ours.
      expect(forced.err).toContain("rollcall still runs, and they need it: crontab of alice:6");
    },
  );

  test("without one of its copies puts back all others, and that one by force", async () => {
    using tree = planted();
    await using service = startService();
    const before = picture(tree);
    await run(tree, service, "--apply");
    const wrapped = picture(tree);
    const { entries } = JSON.parse(readFileSync(join(tree.root, LEDGER), "utf8"));
    const { copy } = entries.find(({ place }: { place: { path: string } }) => place.path === "/etc/cron.d/shop");
    rmSync(join(tree.root, FOLDER, copy));
    expect(await run(tree, service, "--undo")).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining("/etc/cron.d/shop has no copy of what stood there before and stays as it is"),
    });
    expect(picture(tree)).toEqual({ ...before, "/etc/cron.d/shop": wrapped["/etc/cron.d/shop"]! });
    expect(await run(tree, service, "--undo", "--force")).toMatchObject({ exitCode: 0 });
    expect(picture(tree)).toEqual(before);
    expect(readdirSync(join(tree.root, FOLDER))).toEqual([]);
  });

  test("is for one call at a time", async () => {
    using tree = planted();
    await using service = startService();
    await run(tree, service, "--apply", "--only", "/etc/cron.d/shop");
    const before = picture(tree);
    const other = Bun.spawn(["flock", join(tree.root, FOLDER), "sh", "-c", "echo held; read end"], {
      stdin: "pipe",
      stdout: "pipe",
    });
    await other.stdout.getReader().read();
    for (const what of [["--apply"], ["--undo"]])
      expect(await run(tree, service, ...what)).toEqual({
        exitCode: 1,
        out: "",
        err: "another rollcall discover is changing these jobs: try again when it has ended",
      });
    expect(picture(tree)).toEqual(before);
    other.stdin.end();
    await other.exited;
    expect(await run(tree, service, "--undo")).toMatchObject({ exitCode: 0 });
  });

  test("knows what was declared by a call that was killed before it changed a file", async () => {
    using tree = planted();
    await using service = startService();
    const before = picture(tree);
    // Passes the list on, and kills who sent it before the answer comes.
    using between = Bun.serve({
      port: 0,
      fetch: async (request) => {
        const { pathname } = new URL(request.url);
        await fetch(`${service.origin}${pathname}`, {
          method: "POST",
          headers: request.headers,
          body: await request.text(),
        });
        child.kill("SIGKILL");
        await child.exited;
        return new Response();
      },
    });
    const child = Bun.spawn(below(tree, "--apply", "--yes"), {
      env: {
        HOME: tree.root,
        PATH: process.env["PATH"],
        ROLLCALL_URL: between.url.origin,
        ROLLCALL_KEY: service.keys.sync,
      },
      stdout: "ignore",
      stderr: "ignore",
    });
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
    expect(picture(tree)).toEqual(before);
    expect(await keysOf(service)).not.toEqual([]);
    expect(await run(tree, service, "--undo")).toMatchObject({ exitCode: 0 });
    expect(await keysOf(service)).toEqual([]);
  });
});

test.if(process.getuid?.() === 0)("a job that cannot be wrapped is not declared for long", async () => {
  // Where the drop-in's directory should be.
  using tree = plant({ ...SERVER, ...SETTINGS, "/etc/systemd/system/restic.service.d": "" });
  await using service = startService();
  const before = picture(tree);
  const { exitCode, out, err } = await run(tree, service, "--apply", "--only", "restic.timer", "/etc/cron.d/shop");
  expect(exitCode).toBe(1);
  expect(out).toContain("declared 1 job, changed 1 file;");
  expect(err).toContain("/etc/systemd/system/restic.service.d/rollcall.conf was not changed");
  expect(err).toContain("paused on the server, because they were not wrapped: web1-restic");
  expect(await keysOf(service)).toEqual(["web1-orders"]);

  const again = await run(tree, service, "--apply", "--only", "restic.timer");
  expect(again.err).not.toContain("no longer wrapped here");
  expect(await keysOf(service)).toEqual(["web1-orders"]);
  expect(await run(tree, service, "--undo")).toMatchObject({ exitCode: 0 });
  expect(picture(tree)).toEqual(before);
});
