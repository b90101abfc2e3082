// The lines that people copy: a shell, cron and systemd read them as they are meant, whatever the key of the monitor.

import { expect, test } from "bun:test";
import {
  clientValues,
  crontabLine,
  isForCron,
  reportLine,
  reportUrl,
  runLine,
  scriptLine,
  systemdLinesInWords,
} from "../../src/domain/wording/job-lines.ts";

const HOSTILE = `a b'; touch owned; '$(id)"%`;
const URL_OF = reportUrl("https://cron.example.org", HOSTILE);

/** What a shell makes of a line in which curl only prints its arguments. */
function run(line: string, environment: Readonly<Record<string, string>> = {}): string[] {
  const script = `curl() { for one in "$@"; do printf '%s\\n' "$one"; done; }; exec() { "$@"; }; COMMAND() { return 3; }; ${line}`;
  const { stdout } = Bun.spawnSync(["bash", "-c", script], { env: environment });
  return stdout.toString().trim().split("\n");
}

const WHOLE = `https://cron.example.org/api/v1/ping/a%20b%27%3B%20touch%20owned%3B%20%27%24(id)%22%25`;

test("a shell takes any key for a part of the address", () => {
  expect(run(reportLine(URL_OF, "ck_app_x", { everySeconds: null })).at(-1)).toBe(`${WHOLE}/ck_app_x`);
});

test("R44: a report carries the interval of its job, as a person would write it", () => {
  expect(run(reportLine(URL_OF, "ck_app_x", { everySeconds: 90_000 })).at(-1)).toBe(`${WHOLE}/ck_app_x?every=25h`);
  expect(clientValues({ key: "worker", schedule: null, everySeconds: 90 }, "https://cron.example.org")).toEndWith(
    "\nMONITOR='worker'\nEVERY='90s'",
  );
});

test("cron ends no command at the key, and reports the exit status", () => {
  const line = crontabLine("0 2 * * *", URL_OF, "ck_app_x");
  expect(line).not.toMatch(/[^\\]%/);
  expect(run(line.replace("0 2 * * * ", "").replaceAll("\\%", "%")).at(-1)).toBe(`${WHOLE}/ck_app_x/3`);
});

test("rollcall run is a line of a crontab where cron takes its schedule, and a command where not", () => {
  const job = { key: "last-day", schedule: "0 3 * * *", everySeconds: null };
  expect(runLine(job)).toBe("0 3 * * * /usr/bin/rollcall run last-day -- COMMAND");
  // cron would run the sixth field.
  for (const schedule of [null, "@daily", "30 0 3 * * *"]) {
    expect(isForCron(schedule)).toBe(false);
    expect(runLine({ ...job, schedule })).toBe("/usr/bin/rollcall run last-day -- COMMAND");
  }
  expect(runLine({ ...job, schedule: null, everySeconds: 90_000 })).toBe(
    "/usr/bin/rollcall run --every 25h last-day -- COMMAND",
  );
});

test("rollcall run gets any key as it is, and none that would be an option", () => {
  const line = runLine({ key: HOSTILE, schedule: "0 3 * * *", everySeconds: null })!;
  expect(line).not.toMatch(/[^\\]%/);
  const shell = `rollcall() { printf '%s|' "$@"; }; ${line.replace("0 3 * * * /usr/bin/", "").replaceAll("\\%", "%")}`;
  expect(Bun.spawnSync(["bash", "-c", shell]).stdout.toString()).toBe(`run|${HOSTILE}|--|COMMAND|`);
  expect(runLine({ key: "--flush", schedule: null, everySeconds: null })).toBeNull();
});

test("the script is downloaded once, and gets any key and schedule as they are", () => {
  const job = { key: HOSTILE, schedule: "0 3 * * *", everySeconds: null };
  const line = scriptLine(job, "https://cron.example.org")!;
  expect(run(`sh() { printf '%s|' "$ROLLCALL_URL" "$@"; }; ${line}`)).toEqual([
    ...["-fsSo", "rollcall-run", "https://cron.example.org/client.sh"],
    `https://cron.example.org|rollcall-run|--schedule|0 3 * * *|${HOSTILE}|--|COMMAND|`,
  ]);
  expect(scriptLine({ key: "worker", schedule: null, everySeconds: 90_000 }, "https://cron.example.org")).toEndWith(
    " sh rollcall-run --every 25h 'worker' -- COMMAND",
  );
  expect(scriptLine({ ...job, key: "--help" }, "https://cron.example.org")).toBeNull();
});

test("systemd reports the start of each run and how it ended", () => {
  const lines = systemdLinesInWords(URL_OF, "ck_app_x").split("\n");
  expect(lines.map((line) => line.split("-/bin/sh")[0])).toEqual(["[Service]", "ExecStartPre=", "ExecStopPost="]);
  const scripts = lines.slice(1).map((line) => line.slice(line.indexOf("'") + 1, -1).replaceAll("%%", "%"));
  const [start = "", stop = ""] = scripts.map((script) => script.replaceAll("$$", "$"));
  const last = (script: string, result: string): string | undefined =>
    run(script, { INVOCATION_ID: "f00", SERVICE_RESULT: result }).at(-1);
  expect(last(start, "")).toBe(`${WHOLE}/ck_app_x/start?run_id=f00`);
  expect(last(stop, "success")).toBe(`${WHOLE}/ck_app_x/complete?run_id=f00`);
  expect(last(stop, "exit-code")).toBe(`${WHOLE}/ck_app_x/fail?run_id=f00&message=exit-code`);
});

test("scripts get the key as it is", () => {
  const values = clientValues({ key: HOSTILE, schedule: "0 2 * * *", everySeconds: null }, "https://cron.example.org");
  expect(run(`${values}\nprintf '%s|%s' "$MONITOR" "$SCHEDULE"`)).toEqual([`${HOSTILE}|0 2 * * *`]);
});
