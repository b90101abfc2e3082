// The README taken at its word: its shell blocks are run as they stand in a fresh copy of the repository, and its jobs
// report. What all documents share, such as links and examples of configuration, is held in docs.slow.test.ts.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answerAt, cloneRepository, openTerminal, startService } from "./readme-terminal.ts";
import { EXECUTABLE, firstKeyOf, openFolder, ROOT, type Service } from "./support/executable.ts";
import { freePort, isFree } from "./support/free-port.ts";
import { startHttpSink } from "./support/http-sink.ts";
import { blocksOf } from "./support/readme.ts";

const README = readFileSync(join(ROOT, "README.md"), "utf8");

/** `make run` fetches and compiles first. Milliseconds. */
const START_WITHIN = 240_000;
const BLOCK_WITHIN = 60_000;

/** The port that the README names, and another where something listens there already. */
const PORT = isFree(8787) ? 8787 : freePort();

/** The lines with the port that is used here, and what a terminal must know of it. */
const onFreePort = (lines: string): string => lines.replaceAll("8787", String(PORT));
const LISTEN = PORT === 8787 ? {} : { ROLLCALL_SERVER__LISTEN: `127.0.0.1:${PORT}` };

setDefaultTimeout(120_000);

test(
  "its shell blocks, run in order as they stand, bring a test, a failure and the recovery to the phone",
  async () => {
    const [start, setup, ...others] = blocksOf(README).filter(({ language }) => language === "sh");
    expect([start!.isService, setup!.isService, others]).toEqual([true, false, []]);
    await using ntfy = startHttpSink(() => Response.json({ id: "sent" }));
    using clone = cloneRepository();
    await using terminal = openTerminal(clone.path);
    await using service = startService(clone.path, onFreePort(start!.text), LISTEN);
    await service.shows(/\blistening\b/, START_WITHIN);
    // At a terminal the log is for people.
    expect(service.screen()).toMatch(/INFO\b.*\blistening url=/);
    expect(await terminal.run(await service.shows(/^ *curl .*$/m, BLOCK_WITHIN), BLOCK_WITHIN)).toContain(
      '"status":"ok"',
    );

    const { origin } = new URL(ntfy.url);
    const [exitCode, said] = await answerAt(clone.path, setup!.text, [
      ["Time zone", "\r"],
      ["Address that jobs", "\r"],
      ["Where do alerts go?", "\r"],
      ["url: ", `\x15${origin}\r`],
      ["topic: ", "\r"],
      ["Who signs in", "\r"],
      ["What to watch first?", "\x1b[B\x1b[B\r"],
      ["Do all this?", "y"],
      ["Did it arrive", "y"],
    ]);
    expect([exitCode, said]).toEqual([0, expect.stringContaining("Alerts arrive.")]);
    const [, topic] = / {2}(rollcall-[a-z\d]{5}-[a-z\d]{5})\r\n/.exec(said)!;
    const titles = ntfy.requests.map(({ body }) => JSON.parse(body));
    expect(titles).toMatchObject([
      { topic, title: expect.stringContaining("Test message") },
      { topic, title: "Failed: Setup trial", message: expect.stringContaining("A trial by rollcall setup") },
      { topic, title: expect.stringContaining("Recovered: Setup trial") },
    ]);
    await service.interrupt();
    expect(service.screen()).toMatch(/\bstopped\b/);
  },
  START_WITHIN + 180_000,
);

test("a terminal answers all that a block has printed, also where the machine is busy", async () => {
  await using terminal = openTerminal(ROOT);
  for (let block = 1; block <= 200; block++)
    expect(await terminal.run(`echo "block ${block}"\n`, BLOCK_WITHIN)).toBe(`block ${block}\n`);
});

describe("R36: its jobs report", () => {
  const shown = (start: string): string =>
    blocksOf(README).find(({ language, text }) => language === "text" && text.startsWith(start))?.text ?? "";

  /** Runs the lines against this service, with this command for a job. */
  async function runJob(lines: string, service: Service, job: string): Promise<void> {
    const local = lines.replaceAll("https://cron.example.org", service.url).replaceAll("/usr/local/bin/backup", job);
    const key = firstKeyOf(service);
    const env = {
      PATH: process.env["PATH"],
      KEY: key,
      ROLLCALL_URL: service.url,
      ROLLCALL_KEY: key,
      ROLLCALL_SPOOL: "/dev/null/none",
    };
    const shell = Bun.spawn(["/bin/sh", "-c", local], { env, stdout: "inherit", stderr: "inherit" });
    // What the job ends with is what cron is to see.
    expect(await shell.exited).toBe(job === "true" ? 0 : 1);
  }

  test("from a crontab, as cron reads it, a failure at once and the job's exit status unchanged", async () => {
    const [, line = ""] = shown("KEY=").split("\n");
    const [, schedule = "", command = ""] = /^((?:\S+ ){4}\S+) +(.+)$/.exec(line) ?? [];
    // To cron a bare % is the end of the command, and what follows is typed into it.
    expect(command).not.toMatch(/(?<!\\)%/);
    await using folder = openFolder();
    const service = await folder.serve();
    for (const job of ["true", "false"]) await runJob(command, service, job);
    expect(folder.rows("SELECT key, schedule FROM monitors")).toEqual([{ key: "backup", schedule }]);
    expect(folder.rows("SELECT kind, message FROM pings ORDER BY id")).toEqual([
      { kind: "heartbeat", message: null },
      { kind: "fail", message: "exit status 1" },
    ]);
    expect(folder.rows("SELECT causes FROM incidents")).toHaveLength(1);
  });

  test("R21: under rollcall run, with the start and the end of each run, and how long one may take", async () => {
    const [, command = ""] =
      /^(?:\S+ ){4}\S+ +(\/usr\/bin\/rollcall run .+\n)$/.exec(shown("0 2 * * *  /usr/bin/rollcall run")) ?? [];
    await using folder = openFolder();
    const service = await folder.serve();
    for (const job of ["true", "false"]) await runJob(command.replace("/usr/bin/rollcall", EXECUTABLE), service, job);
    expect(folder.rows("SELECT key, grace_seconds AS grace, max_runtime_seconds AS longest FROM monitors")).toEqual([
      { key: "backup", grace: 1800, longest: 7200 },
    ]);
    expect(folder.rows("SELECT ended_by, legacy FROM runs WHERE started_at IS NOT NULL ORDER BY id")).toEqual([
      { ended_by: "complete", legacy: 0 },
      { ended_by: "fail", legacy: 0 },
    ]);
    expect(folder.rows("SELECT message FROM pings WHERE kind = 'fail'")).toEqual([{ message: "exit status 1" }]);
  });
});
