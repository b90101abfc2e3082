// The README taken at its word: its shell blocks are run as they stand in a fresh copy of the repository, and its jobs
// report. What all documents share, such as links and examples of configuration, is held in docs.slow.test.ts.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cloneRepository, openTerminal, type ServiceTerminal, startService } from "./readme-terminal.ts";
import { EXECUTABLE, firstKeyOf, openFolder, ROOT, type Service } from "./support/executable.ts";
import { freePort, isFree } from "./support/free-port.ts";
import { blocksOf } from "./support/readme.ts";

const README = readFileSync(join(ROOT, "README.md"), "utf8");

/** `make run` fetches and compiles first. Milliseconds. */
const START_WITHIN = 240_000;
const BLOCK_WITHIN = 60_000;

/** The ports that the README names, each with another where something listens there already. */
const PORTS = [8787, 8788].map((named) => ({ named, used: isFree(named) ? named : freePort() }));

/** The lines with the ports that are used here, and what a terminal must know of them. */
const onFreePorts = (lines: string): string =>
  PORTS.reduce((text, { named, used }) => text.replaceAll(String(named), String(used)), lines);
const LISTEN = PORTS[0]!.used === PORTS[0]!.named ? {} : { ROLLCALL_SERVER__LISTEN: `127.0.0.1:${PORTS[0]!.used}` };

setDefaultTimeout(120_000);

test(
  "its shell blocks, run in order as they stand, end with the failure and the recovery in alerts.log",
  async () => {
    const blocks = blocksOf(README).filter(({ language }) => language === "sh");
    expect(blocks.filter(({ isService }) => isService)).toHaveLength(2);
    using clone = cloneRepository();
    await using terminal = openTerminal(clone.path);
    await using services = new AsyncDisposableStack();
    const screens: ServiceTerminal[] = [];
    for (const { text, isService } of blocks) {
      if (!isService) {
        await terminal.run(onFreePorts(text), BLOCK_WITHIN);
        continue;
      }
      await screens.at(-1)?.interrupt();
      const service = services.use(startService(clone.path, onFreePorts(text), LISTEN));
      screens.push(service);
      await service.shows(/\blistening\b/, START_WITHIN);
      if (screens.length === 1) await tryTheCurlLine(service, (line) => terminal.run(line, BLOCK_WITHIN));
    }
    await screens.at(-1)?.interrupt();

    for (const service of screens) expect(service.screen()).toMatch(/\bstopped\b/);
    const events = readFileSync(join(clone.path, "alerts.log"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.filter(({ data }) => data.monitorKey === "backup")).toMatchObject([
      { type: "monitor.initial_failure", data: { failureMessage: "disk full" } },
      { type: "monitor.recovered" },
    ]);
  },
  START_WITHIN + 180_000,
);

/** "Copy that line into another terminal": it answers what the README shows. */
async function tryTheCurlLine(service: ServiceTerminal, run: (line: string) => Promise<string>): Promise<void> {
  const shown = blocksOf(README).find(({ language, text }) => language === "text" && text.startsWith('{"status"'));
  const [known] = (shown?.text ?? "").split("…");
  const answer = await run(await service.shows(/^ *curl .*$/m, BLOCK_WITHIN));
  const withoutTime = (text: string) => text.replace(/"pingedAt":"[^"]+"/, "");
  expect(withoutTime(answer)).toStartWith(withoutTime(known!));
}

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

test("it is a front door: at most 200 lines", () => {
  expect(README.trimEnd().split("\n").length).toBeLessThanOrEqual(200);
});
