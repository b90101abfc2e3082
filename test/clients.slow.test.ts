// docs/clients.md taken at its word: each of its scripts is run as it stands, by the interpreter it names, against a
// running rollcall, one that loses answers, one that refuses and none at all. What must never change is the job.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  accountOf,
  BYTES,
  DEAD_ADDRESS,
  type Ended,
  isInstalled,
  JOBS,
  placeScript,
  startCommand,
  startForgetfulGateway,
} from "./support/clients.ts";
import { openFolder, ROOT, until } from "./support/executable.ts";
import { startRawSink } from "./support/http-sink.ts";
import { blocksOf } from "./support/readme.ts";

const PAGE = readFileSync(join(ROOT, "docs/clients.md"), "utf8");

const blockIn = (wanted: string): string => blocksOf(PAGE).find(({ language }) => language === wanted)?.text ?? "";

/** Of the outcome that each script reports. */
const EXPECTATION = blockIn("toml");

/** The scripts wait between their tries; none of them as long as an hour. */
setDefaultTimeout(120_000);

const LANGUAGES = [
  { language: "sh", ending: "sh", program: "curl", unstarted: { exitCode: 127, message: "exit status 127" } },
  { language: "python", ending: "py", program: "python3", unstarted: { exitCode: 1, message: "FileNotFoundError" } },
  { language: "php", ending: "php", program: "php", unstarted: { exitCode: 127, message: "exit status 127" } },
  { language: "js", ending: "mjs", program: "node", unstarted: { exitCode: 1, message: "Error" } },
];

describe.each(LANGUAGES)("the script in $language", ({ language, ending, program, unstarted }) => {
  // The first of its language: the page has another in sh, which is no job.
  const text = blockIn(language);
  const tried = test.skipIf(!isInstalled(program)).concurrent;

  async function runScript(job: string | null, environment: Record<string, string>): Promise<Ended> {
    using places = placeScript(text, ending, job);
    return await startCommand([places.script], environment).ended;
  }

  tried("reports the start, the end, the duration and the outcomes of a run", async () => {
    await using folder = openFolder({ "rollcall.toml": EXPECTATION });
    const service = await folder.serve();
    expect(await runScript(JOBS.succeeds, accountOf(service))).toEqual({ exitCode: 0, screen: "" });
    expect(
      folder.rows("SELECT key, schedule, grace_seconds AS grace, max_runtime_seconds AS longest FROM monitors"),
    ).toEqual([{ key: "backup", schedule: "0 2 * * *", grace: 1800, longest: 7200 }]);
    expect(folder.rows("SELECT kind, attempt, outcomes FROM pings ORDER BY id")).toEqual([
      { kind: "start", attempt: 0, outcomes: null },
      { kind: "complete", attempt: 0, outcomes: JSON.stringify({ bytes: BYTES }) },
    ]);
    expect(folder.rows("SELECT state, ended_by AS end, duration_seconds AS duration, legacy FROM runs")).toEqual([
      { state: "ended", end: "complete", duration: expect.any(Number), legacy: 0 },
    ]);
    expect(folder.rows("SELECT causes FROM incidents")).toEqual([]);
  });

  tried("reports a failure once, when the last try has failed, with the exit status", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    expect(await runScript(JOBS.fails, accountOf(service))).toEqual({ exitCode: 3, screen: "" });
    expect(folder.rows("SELECT kind, attempt, message FROM pings ORDER BY id")).toEqual([
      { kind: "start", attempt: 0, message: null },
      { kind: "start", attempt: 1, message: null },
      { kind: "fail", attempt: 1, message: "exit status 3" },
    ]);
    expect(folder.rows("SELECT ended_by AS end, legacy FROM runs")).toEqual([{ end: "fail", legacy: 0 }]);
    expect(folder.rows("SELECT causes FROM incidents")).toHaveLength(1);
  });

  tried("reports a job that could not even be started, and not in the words of an exception", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    expect((await runScript(null, accountOf(service))).exitCode).toBe(unstarted.exitCode);
    expect(folder.rows("SELECT message FROM pings WHERE kind = 'fail'")).toEqual([{ message: unstarted.message }]);
    expect(folder.rows("SELECT ended_by AS end FROM runs")).toEqual([{ end: "fail" }]);
  });

  tried("reports a run that needed a second try as one success", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    expect(await runScript(JOBS.failsOnce, accountOf(service))).toEqual({ exitCode: 0, screen: "" });
    expect(folder.rows("SELECT kind, attempt FROM pings ORDER BY id").at(-1)).toEqual({ kind: "complete", attempt: 1 });
    expect(folder.rows("SELECT ended_by AS end FROM runs")).toEqual([{ end: "complete" }]);
    expect(folder.rows("SELECT causes FROM incidents")).toEqual([]);
  });

  tried("R11: repeats a report whose answer was lost, and it is applied once", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    await using gateway = startForgetfulGateway(service.url);
    const { exitCode } = await runScript(JOBS.succeeds, { ...accountOf(service), ROLLCALL_URL: gateway.url });
    expect(exitCode).toBe(0);
    const { passed } = gateway;
    expect(passed.map(({ method, path }) => [method, path.replace(/.*\//, "")])).toEqual([
      ["POST", "start"],
      ["POST", "start"],
      ["POST", "complete"],
      ["POST", "complete"],
    ]);
    const keys = passed.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys[0]).toBe(keys[1]!);
    expect(keys[2]).toBe(keys[3]!);
    expect(new Set(keys).size).toBe(2);
    expect(passed[0]?.headers.get("authorization")).toStartWith("Basic ");
    expect(passed.filter(({ path }) => path.includes("ck_app_"))).toEqual([]);
    expect(passed[3]?.headers.get("content-type")).toBe("application/json");
    expect(JSON.parse(passed[3]?.body ?? "")).toEqual({ outcomes: { bytes: BYTES } });
    expect(folder.rows("SELECT kind FROM pings ORDER BY id")).toEqual([{ kind: "start" }, { kind: "complete" }]);
  });

  tried.each([
    ["succeeds", 0],
    ["isKilled", 143],
  ] as const)("with nobody to report to, the job that %s ends as it does alone: %d", async (job, exitCode) => {
    const environment = { ROLLCALL_URL: DEAD_ADDRESS, ROLLCALL_KEY: "ck_app_default_x" };
    const ended = await runScript(JOBS[job], environment);
    expect(ended.exitCode).toBe(exitCode);
    // The reader of the job's mail learns of it.
    expect(ended.screen).not.toBe("");
  });

  tried("gives up a request that is not answered, and tries again", async () => {
    await using silence = await startRawSink();
    using places = placeScript(text, ending, JOBS.succeeds);
    const environment = { ROLLCALL_URL: `http://127.0.0.1:${silence.port}`, ROLLCALL_KEY: "ck_app_default_x" };
    const running = startCommand([places.script], environment);
    await until("a second try", () => (silence.connections() > 1 ? true : null));
    running.kill();
    await running.ended;
  });

  tried.each(["succeeds", "fails"] as const)(
    "where no address is set, the job that %s reports nothing",
    async (job) => {
      expect(await runScript(JOBS[job], {})).toEqual({ exitCode: job === "fails" ? 3 : 0, screen: "" });
    },
  );

  tried(
    "an answer that asks for an hour's patience does not hold up the job, and a refusal does not fail it",
    async () => {
      await using folder = openFolder();
      const service = await folder.serve({ ROLLCALL_LIMITS__V1_PER_HOUR: "1" });
      expect((await runScript(JOBS.succeeds, accountOf(service))).exitCode).toBe(0);
      expect((await runScript(JOBS.fails, { ...accountOf(service), ROLLCALL_KEY: "ck_app_default_x" })).exitCode).toBe(
        3,
      );
      expect(folder.rows("SELECT kind FROM pings")).toEqual([{ kind: "start" }]);
    },
  );
});
