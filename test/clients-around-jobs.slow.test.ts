// What docs/clients.md puts around jobs instead of into them: lines of a crontab, a systemd unit, addresses for tools
// that ping Healthchecks. Each is run, or asked for, against a running rollcall; the scripts have tests of their own.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  accountOf,
  DEAD_ADDRESS,
  type Ended,
  isInstalled,
  JOBS,
  localize,
  placeScript,
  startCommand,
} from "./support/clients.ts";
import { firstKeyOf, openFolder, ROOT } from "./support/executable.ts";
import { blocksOf, codeIn, rowsUnder } from "./support/readme.ts";

const PAGE = readFileSync(join(ROOT, "docs/clients.md"), "utf8");

setDefaultTimeout(120_000);

const blocks = blocksOf(PAGE);
const blockWith = (language: string, words: string): string =>
  blocks.find((block) => block.language === language && block.text.includes(words))?.text ?? "";

describe("a line of a crontab", () => {
  const lines = blocks
    .filter(({ language }) => language === "crontab")
    .map(({ text }) => text.trimEnd().split("\n")[1]!);

  describe.each(lines.map((line) => ({ line, program: line.includes("wget") ? "wget" : "curl" })))(
    "for $program",
    ({ line, program }) => {
      const [, schedule = "", command = ""] = /^((?:\S+ ){4}\S+) {2}(.+)$/.exec(line) ?? [];
      const tried = test.skipIf(!isInstalled(program)).concurrent;

      async function runLine(job: string, url: string, key: string): Promise<Ended> {
        using places = placeScript("", "none", job);
        const local = localize(command, places.folder).replaceAll("https://cron.example.org", url);
        return await startCommand(["/bin/sh", "-c", local], { ROLLCALL_KEY: key }).ended;
      }

      tried("reports success and failure by the exit status, as cron reads it", async () => {
        // To cron a bare % is the end of the command, and what follows is typed into it.
        expect(command).not.toMatch(/(?<!\\)%/);
        await using folder = openFolder();
        const service = await folder.serve();
        const key = firstKeyOf(service);
        expect(await runLine(JOBS.succeeds, service.url, key)).toEqual({ exitCode: 0, screen: "" });
        expect(await runLine(JOBS.fails, service.url, key)).toEqual({ exitCode: 3, screen: "" });
        expect(folder.rows("SELECT key, schedule FROM monitors")).toEqual([{ key: "backup", schedule }]);
        expect(folder.rows("SELECT kind, message FROM pings ORDER BY id")).toEqual([
          { kind: "heartbeat", message: null },
          { kind: "fail", message: "exit status 3" },
        ]);
      });

      tried.each([
        ["succeeds", 0],
        ["fails", 3],
      ] as const)("with nobody to report to, the job that %s ends with %d", async (job, exitCode) => {
        expect((await runLine(JOBS[job], DEAD_ADDRESS, "ck_app_default_x")).exitCode).toBe(exitCode);
      });
    },
  );

  test("is shown for curl and for wget", () => {
    expect(lines.map((line) => ["curl", "wget"].filter((program) => line.includes(`${program} -`)))).toEqual([
      ["curl"],
      ["wget"],
    ]);
  });
});

describe("a systemd service", () => {
  const script = blockWith("sh", "INVOCATION_ID");
  const unit = blockWith("ini", "ExecStopPost=");
  const commandOf = (setting: string): string => new RegExp(`^${setting}=-(.+)$`, "m").exec(unit)?.[1] ?? "";

  /** What systemd.exec(5) says it tells ExecStopPost of a run. */
  const ENDS = [
    { end: "complete", message: null, facts: { SERVICE_RESULT: "success", EXIT_CODE: "exited", EXIT_STATUS: "0" } },
    // SuccessExitStatus= permits it.
    { end: "complete", message: null, facts: { SERVICE_RESULT: "success", EXIT_CODE: "exited", EXIT_STATUS: "3" } },
    {
      end: "fail",
      message: "exit-code: exited 3",
      facts: { SERVICE_RESULT: "exit-code", EXIT_CODE: "exited", EXIT_STATUS: "3" },
    },
    {
      end: "fail",
      message: "timeout: killed TERM",
      facts: { SERVICE_RESULT: "timeout", EXIT_CODE: "killed", EXIT_STATUS: "TERM" },
    },
  ];

  test.concurrent.each(ENDS)(
    "reports $facts.SERVICE_RESULT, $facts.EXIT_CODE $facts.EXIT_STATUS, as $end",
    async ({ end, message, facts }) => {
      await using folder = openFolder();
      const service = await folder.serve();
      using places = placeScript(script, "sh", JOBS.succeeds);
      const environment = { ...accountOf(service), INVOCATION_ID: "0f5c3ad8e4b14c52a7e9a7a3d3a0c1b2" };
      const run = (setting: string, more: Record<string, string>): Promise<Ended> => {
        const local = commandOf(setting).replace("/usr/local/bin/rollcall-unit", places.script);
        return startCommand(["/bin/sh", "-c", local], { ...environment, ...more }).ended;
      };
      expect(await run("ExecStartPre", {})).toEqual({ exitCode: 0, screen: "" });
      expect(await run("ExecStopPost", facts)).toEqual({ exitCode: 0, screen: "" });
      expect(folder.rows("SELECT kind, message FROM pings ORDER BY id")).toEqual([
        { kind: "start", message: null },
        { kind: end, message },
      ]);
      expect(folder.rows("SELECT run_id, ended_by AS end, legacy FROM runs")).toEqual([
        { run_id: environment.INVOCATION_ID, end, legacy: 0 },
      ]);
      expect(
        folder.rows("SELECT schedule, grace_seconds AS grace, max_runtime_seconds AS longest FROM monitors"),
      ).toEqual([{ schedule: "0 2 * * *", grace: 1800, longest: 7200 }]);
    },
  );

  test("names each command so that its failure does not count, without anything that systemd would expand", () => {
    expect(commandOf("ExecStartPre")).toStartWith("/usr/local/bin/rollcall-unit start ");
    expect(commandOf("ExecStopPost")).toStartWith("/usr/local/bin/rollcall-unit end ");
    expect(unit).not.toMatch(/[%$]/);
  });
});

describe("addresses of Healthchecks' convention", () => {
  /** The paths that stand before a key, wherever the page writes one. */
  const PATH_BEFORE_KEY = /https:\/\/cron\.example\.org(\/[\w/]*?)(?=\/ck_app_|\/\$ROLLCALL_KEY|\n)/g;

  test.concurrent("every one on the page, and what follows it, is one that rollcall knows", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    const key = firstKeyOf(service);
    const created = await folder.run(["monitor", "create", "backup", "--schedule", "0 2 * * *"]);
    expect(created.exitCode).toBe(0);
    expect(PAGE).toContain("`rollcall monitor create backup --schedule '0 2 * * *'`");

    const paths = [...PAGE.matchAll(PATH_BEFORE_KEY)].map(([, path]) => path);
    expect(paths).toHaveLength(6);
    expect(new Set(paths)).toEqual(new Set(["/api/v1/ping/backup", "/ping/backup"]));
    const rows = rowsUnder(PAGE, "They request", "rollcall records");
    const suffixes = ["", ...rows.flatMap(([request = ""]) => codeIn(request))];
    expect(suffixes).toEqual(["", "/start", "/fail", "/log", "/0", "/1", "/255"]);
    for (const suffix of suffixes) {
      const answer = await fetch(`${service.url}/ping/backup/${key}${suffix}`, { method: "POST" });
      expect([suffix, answer.status]).toEqual([suffix, 200]);
    }
    expect(folder.rows("SELECT kind, message FROM pings ORDER BY id")).toEqual([
      { kind: "heartbeat", message: null },
      { kind: "start", message: null },
      { kind: "fail", message: null },
      { kind: "log", message: null },
      { kind: "heartbeat", message: null },
      { kind: "fail", message: "exit status 1" },
      { kind: "fail", message: "exit status 255" },
    ]);
  });
});

describe("borgmatic", () => {
  const forms = blocks.filter(({ language }) => language === "yaml").map(({ text }) => text);
  const version = Bun.which("borgmatic") && Bun.spawnSync(["borgmatic", "--version"]).stdout.toString().trim();
  const isOld = version?.startsWith("1.7.") ?? false;

  test("is shown as it is set up from 1.8 on, and before", () => {
    expect(forms.map((text) => text.split("\n")[0])).toEqual(["healthchecks:", "hooks:"]);
  });

  test.skipIf(!isInstalled("borgmatic"))(
    "reports a good and a bad backup in the form that its version takes",
    async () => {
      const form = forms[isOld ? 1 : 0]!;
      await using folder = openFolder();
      const service = await folder.serve();
      await folder.run(["monitor", "create", "backup", "--schedule", "0 2 * * *"]);
      using places = placeScript("", "none", JOBS.succeeds);
      const at = (name: string): string => join(places.folder, name);
      const addressed = form.replace("https://cron.example.org", service.url).replace("ck_app_…", firstKeyOf(service));
      // What to save is not the page's subject; where it stands moved with the hooks.
      const what = isOld
        ? `location:\n    source_directories: [${at("backup")}]\n    repositories: [${at("kept")}]\n`
        : `source_directories: [${at("backup")}]\nrepositories: [{ path: ${at("kept")} }]\n`;
      writeFileSync(at("borgmatic.yaml"), what + addressed);
      const environment = { HOME: places.folder, BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK: "yes" };
      const backUp = () =>
        startCommand(["borgmatic", "-c", at("borgmatic.yaml"), "--syslog-verbosity", "-1", "create"], environment)
          .ended;
      expect((await backUp()).exitCode).not.toBe(0);
      await startCommand(["borg", "init", "-e", "none", at("kept")], environment).ended;
      expect(await backUp()).toEqual({ exitCode: 0, screen: "" });
      expect(folder.rows("SELECT kind FROM pings ORDER BY id").map(({ kind }) => kind)).toEqual([
        "start",
        "fail",
        "start",
        "heartbeat",
      ]);
      expect(folder.rows("SELECT ended_by AS end FROM runs ORDER BY id")).toEqual([
        { end: "fail" },
        { end: "heartbeat" },
      ]);
    },
  );

  test.skipIf(!isInstalled("borgmatic") || !isOld)("of 1.7 refuses the form that came with 1.8", async () => {
    using places = placeScript("", "none", JOBS.succeeds);
    const file = join(places.folder, "borgmatic.yaml");
    writeFileSync(file, `location:\n    source_directories: [/x]\n    repositories: [/y]\n${forms[0]}`);
    const { exitCode, screen } = await startCommand(["borgmatic", "-c", file, "create"], {}).ended;
    expect({ exitCode }).toEqual({ exitCode: 1 });
    expect(screen).toContain("'healthchecks' was unexpected");
  });
});
