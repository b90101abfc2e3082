// `rollcall run`, compiled: a job that runs under it cannot be told from one that does not, whatever the server does;
// and what the server hears of it is true.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { CASES, type Case, ONLY_CODES, STREAMS } from "../client/transparent.ts";
import { EXECUTABLE, type Folder, firstKeyOf, openFolder, type Service, until } from "../support/executable.ts";

/** As many at once as leave each its turn. */
const AT_ONCE = 4;
const PATH = process.env["PATH"]!;

interface Seen {
  readonly code: number | null;
  readonly signal: string | number | null;
  readonly out: string;
  readonly err: string;
}

async function seen(
  command: readonly string[],
  { input = "", signal }: Case,
  env: Record<string, string>,
): Promise<Seen> {
  const child = Bun.spawn([...command], {
    env: { PATH, ...env },
    stdin: new Blob([input]),
    stdout: "pipe",
    stderr: "pipe",
  });
  const out = collected(child.stdout, (text) => {
    if (signal !== undefined && text.includes("ready\n")) child.kill(signal);
  });
  const [code, whole, err] = await Promise.all([child.exited, out, collected(child.stderr)]);
  return { code: child.signalCode === null ? code : null, signal: child.signalCode, out: whole, err };
}

async function collected(stream: ReadableStream<Uint8Array>, look = (_text: string): void => {}): Promise<string> {
  let text = "";
  let hasLooked = false;
  for await (const piece of stream) {
    text += Buffer.from(piece).toString("latin1");
    if (!hasLooked && text.includes("\n")) {
      hasLooked = true;
      look(text);
    }
  }
  return text;
}

/** One that has ended, and that nobody has asked about yet, runs no more. */
function isRunning(pid: string): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

describe("rollcall run", () => {
  let folder: Folder;
  let service: Service;
  let client: Record<string, string>;

  beforeAll(async () => {
    folder = openFolder();
    service = await folder.serve({ ROLLCALL_LIMITS__V1_PER_MINUTE: "100000", ROLLCALL_LIMITS__V1_PER_HOUR: "100000" });
    client = {
      HOME: folder.path,
      ROLLCALL_URL: service.url,
      ROLLCALL_KEY: firstKeyOf(service),
      ROLLCALL_SPOOL: join(folder.path, "spool"),
    };
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  const reports = (monitor: string) =>
    folder.rows(
      `SELECT pings.kind, pings.message, pings.attempt, runs.run_id AS runId
       FROM pings JOIN monitors ON monitors.id = pings.monitor_id LEFT JOIN runs ON runs.id = pings.run_row
       WHERE monitors.key = ? ORDER BY pings.id`,
      monitor,
    );

  test("makes no difference to a job: status, signals, streams, arguments, surroundings", async () => {
    const cases = [...CASES.entries()];
    const check = async (): Promise<void> => {
      for (let next = cases.shift(); next !== undefined; next = cases.shift()) {
        const [number, it] = next;
        const direct = ONLY_CODES.has(it) ? ["sh", "-c", 'exec "$@"', "sh", ...it.command] : it.command;
        const run = [EXECUTABLE, "run", "--schedule", "0 0 1 1 *", `case-${number}`, "--", ...it.command];
        const [without, within] = [await seen(direct, it, client), await seen(run, it, client)];
        const what = JSON.stringify(it).slice(0, 200);
        if (ONLY_CODES.has(it)) expect({ what, code: within.code }).toEqual({ what, code: without.code });
        else expect({ what, ...within }).toEqual({ what, ...without });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, check));
    expect(CASES.length).toBeGreaterThanOrEqual(200);
    // A report may have waited there for a slow machine, but none does in the end.
    const spool = client["ROLLCALL_SPOOL"]!;
    const left = existsSync(spool) ? readdirSync(spool).filter((name) => name.endsWith(".json")) : [];
    expect(left).toEqual([]);
  });

  test("tells the start and the end of a run under one run id, with what the monitor is", async () => {
    const command = [
      "run",
      "--schedule",
      "0 2 * * *",
      "--timezone",
      "Europe/Berlin",
      "--grace",
      "15m",
      "--max-runtime",
      "2h",
    ];
    const ran = await folder.run([...command, "--name", "The backup", "told", "--", "true"], client);
    expect(ran).toEqual({ exitCode: 0, out: "", err: "" });
    const [start, end] = reports("told");
    expect([start?.["kind"], end?.["kind"]]).toEqual(["start", "complete"]);
    expect(start?.["runId"]).toBe(end?.["runId"]);
    const shown = JSON.parse((await folder.run(["monitor", "show", "told", "--json"])).out);
    expect(shown).toMatchObject({ name: "The backup", schedule: "0 2 * * *", timezone: "Europe/Berlin" });
  });

  test("tells how often a job without a fixed time must run at least, and takes one of both", async () => {
    const run = (...options: string[]) => folder.run(["run", ...options, "often", "--", "true"], client);
    expect(await run("--every", "25h")).toEqual({ exitCode: 0, out: "", err: "" });
    const shown = JSON.parse((await folder.run(["monitor", "show", "often", "--json"])).out);
    expect(shown).toMatchObject({ schedule: null, everySeconds: 90_000 });
    const both = await run("--every", "25h", "--schedule", "0 2 * * *");
    expect(both).toEqual({ exitCode: 2, out: "", err: "error: --schedule and --every: give one of them\n" });
    expect(await run("--schedule", "0", "2", "*", "*", "*")).toEqual({
      exitCode: 2,
      out: "",
      err: "error: --schedule: has one field; write all five in quotes, such as --schedule '0 2 * * *'\n",
    });
    for (const every of ["9s", "367d"])
      expect((await run("--every", every)).err).toBe("error: --every: must be 10s to 366d\n");
  });

  test("tells a failure with the exit status, and the last line on stderr where it was asked to", async () => {
    const script = "echo first >&2; printf '\\033[31mdisk full\\033[0m\\n\\n' >&2; exit 3";
    const quiet = await folder.run(["run", "--schedule", "0 2 * * *", "failing", "--", "sh", "-c", script], client);
    const loud = await folder.run(["run", "--message-from-stderr", "failing", "--", "sh", "-c", script], client);
    expect([quiet.exitCode, loud.exitCode]).toEqual([3, 3]);
    expect(loud.err).toBe(quiet.err);
    const told = reports("failing").filter(({ kind }) => kind === "fail");
    expect(told.map(({ message }) => message)).toEqual(["exit status 3", "exit status 3: disk full"]);
  });

  test("makes no difference to what a job writes where its stderr is looked at, too", async () => {
    const rest = [...STREAMS.entries()];
    const check = async (): Promise<void> => {
      for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
        const [number, it] = next;
        const flags = ["--output-from-stderr", "--message-from-stderr", "--schedule", "0 0 1 1 *"];
        const run = [EXECUTABLE, "run", ...flags, `heard-${number}`, "--", ...it.command];
        const [without, within] = [await seen(it.command, it, client), await seen(run, it, client)];
        const what = JSON.stringify(it).slice(0, 200);
        expect({ what, ...within }).toEqual({ what, ...without });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, check));
  });

  test("loses nothing of it where the reader is slow, and ends the job where the reader goes", async () => {
    const within = async (job: string, reader: string): Promise<string> => {
      const run = `${EXECUTABLE} run --schedule '0 0 1 1 *' --message-from-stderr read-slowly -- ${job}`;
      const script = `{ ${run}; } 2>&1 >/dev/null | ${reader}; echo "\${PIPESTATUS[0]}"`;
      const child = Bun.spawn(["bash", "-c", script], { env: { PATH, ...client }, stdout: "pipe" });
      return await new Response(child.stdout).text();
    };
    expect(await within("sh -c 'head -c 1000000 /dev/zero >&2; exit 3'", "{ sleep 1; wc -c; }")).toBe("1000000\n3\n");
    expect(await within("sh -c 'exec yes >&2'", "head -n 1")).toBe("y\n141\n");
  });

  const inBash = async (script: string) => {
    const child = Bun.spawn(["bash", "-c", script], {
      env: { PATH, ...client },
      stdout: "pipe",
      stderr: "pipe",
      timeout: 60_000,
    });
    const [code, out, err] = await Promise.all([child.exited, collected(child.stdout), collected(child.stderr)]);
    return { code, out, err };
  };

  test.each(["", "--message-from-stderr", "--lock"])(
    "leaves a job the files that are open for it, with %p",
    async (option) => {
      const run = `${EXECUTABLE} run --every 25h ${option} files --`;
      const script = `sh -c 'cat "$1" - <&5; ls -l /proc/self/fd >&2' sh <(echo from a pipe) 5<<<'from a file'`;
      const without = await inBash(script);
      expect(without.out).toBe("from a pipe\nfrom a file\n");
      const within = await inBash(`${run} ${script}`);
      expect({ ...within, err: "" }).toEqual({ ...without, err: "" });
      const open = ({ err }: typeof without) => (err.match(/ \d+ -> (?!.*(?:\.lock|\/fd)$)/gm) ?? []).sort();
      expect(open(within)).toEqual(open(without));
    },
  );

  test("gives a job its words as they are where they are not UTF-8", async () => {
    const job = `$'/bin/e\\143ho' $'gr\\xf6\\xdfe 100%b' 'größe' '' $'\\xff\\x27\\\\n' $'\\xef\\xbf\\xbd' a b c d e f g`;
    for (const option of ["", "--lock"]) {
      const within = await inBash(`trap '' HUP; ${EXECUTABLE} run --every 25h ${option} latin -- ${job}`);
      expect(within).toEqual(await inBash(job));
    }
    expect(await inBash(`${EXECUTABLE} run --every 25h latin -- sh -c 'exit 5' $'\\xff'`)).toMatchObject({ code: 5 });
  });

  test("ends with the job where SIGCHLD is ignored, and leaves it the other signals ignored", async () => {
    const run = `exec ${EXECUTABLE} run --every 25h childless --`;
    expect(await inBash(`trap '' CHLD; ${run} sh -c 'sleep 0.1; echo ran; exit 3'`)).toEqual({
      code: 3,
      out: "ran\n",
      err: "",
    });
    const look = "grep SigIgn /proc/self/status";
    for (const signal of ["TSTP", "TTIN", "TTOU"])
      expect(await inBash(`trap '' ${signal}; ${run} ${look}`)).toEqual(
        await inBash(`trap '' ${signal}; exec ${look}`),
      );
  });

  test("a job may open as many files as the shell allowed that became rollcall run", async () => {
    const look = "sh -c 'ulimit -Sn; ulimit -Hn'";
    const allowed = (command: string) => inBash(`ulimit -Sn 512; bash -c 'ulimit -n 600; exec ${command}'; true`);
    const within = await allowed(`${EXECUTABLE} run --every 25h allowed -- ${look.replaceAll("'", "'\\''")}`);
    expect(within.out).toBe("600\n600\n");
    expect(within).toEqual(await allowed(look.replaceAll("'", "'\\''")));
  });

  test("a job goes on whose stderr is on a full disk, and its last line is told", async () => {
    const job = "sh -c 'head -c 100000 /dev/zero >&2; sleep 0.2; echo >&2; echo no space >&2; exit 3' 2>/dev/full";
    expect((await inBash(job)).code).toBe(3);
    const ran = await inBash(`${EXECUTABLE} run --every 25h --message-from-stderr full-disk -- ${job}`);
    expect(ran).toEqual({ code: 3, out: "", err: "" });
    expect(reports("full-disk").at(-1)).toMatchObject({ kind: "fail", message: "exit status 3: no space" });
  });

  test("ends with the job though a process that it left running goes on writing to stderr", async () => {
    const script = "(while sleep 0.05; do echo x >&2 || exit; done) & exit 4";
    const child = Bun.spawn(
      [EXECUTABLE, "run", "--every", "25h", "--message-from-stderr", "left", "--", "sh", "-c", script],
      {
        env: { PATH, ...client },
        stdout: "ignore",
        stderr: "ignore",
        timeout: 60_000,
      },
    );
    expect(await child.exited).toBe(4);
  });

  test("says why a command does not start", async () => {
    const at = (name: string): string => join(folder.path, name);
    writeFileSync(at("dos"), "#!/bin/sh\r\nexit 0\r\n", { mode: 0o755 });
    writeFileSync(at("shut"), "#!/bin/sh\n", { mode: 0o644 });
    copyFileSync("/bin/true", at("busy"));
    const elsewhere = readFileSync("/bin/true");
    // This byte of a program names the kind of machine. No machine has this number.
    elsewhere[18] = 0xff;
    writeFileSync(at("elsewhere"), elsewhere, { mode: 0o755 });
    using open = new DisposableStack();
    const file = openSync(at("busy"), "a");
    open.defer(() => closeSync(file));
    const said = async (name: string) => {
      const { exitCode, err } = await folder.run(["run", "--every", "25h", "unstarted", "--", at(name)], client);
      return [exitCode, err.replaceAll(at(name), "IT")];
    };
    expect(await said("none")).toEqual([127, "rollcall run: IT: no such command\n"]);
    expect(await said("dos")).toEqual([
      127,
      "rollcall run: IT: it is there, but the interpreter that it names is not\n",
    ]);
    expect(await said("shut")).toEqual([126, "rollcall run: IT: it cannot be run: no permission, or no program\n"]);
    expect(await said("elsewhere")).toEqual([
      126,
      "rollcall run: IT: it cannot be run: it is no program of this kind of machine\n",
    ]);
    expect(await said("busy")).toEqual([126, "rollcall run: IT: it cannot be run: its file is open for writing\n"]);
  });

  test("runs a job whose lock cannot be made, and says so", async () => {
    const file = join(folder.path, "no-folder");
    writeFileSync(file, "");
    const ran = await folder.run(["run", "--lock", "unlocked", "--", "sh", "-c", "echo ran; exit 7"], {
      ...client,
      ROLLCALL_SPOOL: file,
    });
    expect([ran.exitCode, ran.out]).toEqual([7, "ran\n"]);
    expect(ran.err).toContain("rollcall run: unlocked runs without a lock, because none can be made: ");
  });

  test("R46: sends the last lines on stderr, which rollcall keeps where its operator allows it, and ignores elsewhere", async () => {
    const script = `for i in $(seq 3000); do echo "line $i" >&2; done; echo "key $ROLLCALL_KEY of customer 47" >&2; exit 3`;
    const run = (monitor: string, environment: Record<string, string>) => {
      const flags = ["--output-from-stderr", "--schedule", "0 2 * * *"];
      return folder.run(["run", ...flags, monitor, "--", "sh", "-c", script], environment);
    };
    const shown = async (within: Folder, monitor: string) =>
      JSON.parse((await within.run(["monitor", "show", monitor, "--json"])).out) as {
        pings: { message: string }[];
        lastOutput: { text: string } | null;
      };
    expect(await run("ignored", client)).toMatchObject({ exitCode: 3 });
    const ignored = await shown(folder, "ignored");
    expect([ignored.pings[0]?.message, ignored.lastOutput]).toEqual(["exit status 3", null]);

    await using keeping = openFolder({
      "rollcall.toml": "[applications.prod]\nkeep_output = true\nmask = ['customer \\d+']\n",
    });
    const keeper = await keeping.serve();
    const there = { ...client, ROLLCALL_URL: keeper.url, ROLLCALL_KEY: firstKeyOf(keeper) };
    const { exitCode, err } = await run("kept", there);
    expect([exitCode, err.split("\n").length]).toEqual([3, 3_002]);
    const { pings, lastOutput } = await shown(keeping, "kept");
    expect(pings[0]?.message).toBe("exit status 3");
    expect(lastOutput?.text).toStartWith("…\nline ");
    expect(lastOutput?.text).toEndWith("\nline 3000\nkey ck_app_*** of ***");
    expect(Buffer.byteLength(lastOutput!.text)).toBeLessThanOrEqual(10_000);
    // As people see it.
    const incident = await keeping.run(["incident", "show", "1"]);
    expect(incident.out).toContain("| line 3000\n");
    expect(incident.out).toMatch(/\(\d+ lines before; --json has them\)/);
    expect((await keeping.run(["monitor", "show", "kept"])).out).toContain("Output of the last failure, ");
    expect(await keeper.end("SIGTERM")).toBe(0);
    expect(keeper.out() + keeper.err()).not.toContain("line 3000");
  });

  test("R46: what waits on disk has no secret that is known by its form, and is for its user alone", async () => {
    const spool = join(folder.path, "waiting");
    const away = { ...client, ROLLCALL_URL: "http://127.0.0.1:9", ROLLCALL_SPOOL: spool };
    const script = 'echo "$ROLLCALL_KEY" >&2; echo "postgres://ada:hunter2@db" >&2; exit 1';
    await folder.run(
      ["run", "--output-from-stderr", "--schedule", "0 2 * * *", "waits", "--", "sh", "-c", script],
      away,
    );
    const files = readdirSync(spool).filter((name) => name.endsWith(".json"));
    const texts = files.map((name) => readFileSync(join(spool, name), "utf8"));
    expect(texts.join()).toContain('"output":"ck_app_***\\npostgres://***@db"');
    expect(texts.join()).not.toContain("hunter2");
    expect(files.map((name) => statSync(join(spool, name)).mode & 0o777)).toEqual(files.map(() => 0o600));
  });

  test("tries a run again as often as it may, and tells only how it ended", async () => {
    const count = join(folder.path, "count");
    const script = `echo x >> ${count}; [ "$(wc -l < ${count})" -ge 3 ]`;
    const command = ["--schedule", "0 2 * * *", "--retries", "5", "--backoff", "1s", "again", "--", "sh", "-c", script];
    const ran = await folder.run(["run", ...command], client);
    expect(ran.exitCode).toBe(0);
    expect(reports("again").map(({ kind, attempt }) => [kind, attempt])).toEqual([
      ["start", null],
      ["complete", 2],
    ]);
  });

  test("tells an exit code that was named as a success, tries it no more, and keeps it", async () => {
    const script = "echo 12 >&2; exit $0";
    const run = (codes: string, code: number) => {
      const options = ["--schedule", "0 2 * * *", "--success-codes", codes, "--retries", "1", "--backoff", "1s"];
      return folder.run(["run", ...options, "codes", "--", "sh", "-c", script, `${code}`], client);
    };
    for (const [codes, code] of [
      ["0,24", 24],
      ["24", 0],
      ["1, 100-127", 113],
    ] as const)
      expect(await run(codes, code)).toEqual({ exitCode: code, out: "", err: "12\n" });
    // 24 is not 23, what did not start did not succeed, and neither did what was killed.
    expect(await run("24", 23)).toEqual({ exitCode: 23, out: "", err: "12\n12\n" });
    const within = ["run", "--success-codes", "0-255", "codes", "--"];
    expect((await folder.run([...within, "no-such-command"], client)).exitCode).toBe(127);
    expect((await folder.run([...within, "sh", "-c", "kill -9 $$"], client)).exitCode).toBe(128 + 9);
    expect(reports("codes").map(({ kind, attempt, message }) => [kind, attempt, message])).toEqual([
      ...Array.from({ length: 3 }, () => [
        ["start", null, null],
        ["complete", 0, null],
      ]).flat(),
      ["start", null, null],
      ["fail", 1, "exit status 23"],
      ["start", null, null],
      ["fail", 0, "exit status 127: no-such-command: no such command"],
      ["start", null, null],
      ["fail", 0, "ended by SIGKILL"],
    ]);
  });

  test("ends a job at its longest runtime, and kills one that does not end", async () => {
    const limits = ["--max-runtime", "1s", "--kill-after", "1s", "--schedule", "0 2 * * *"];
    const gentle = await folder.run(["run", ...limits, "gentle", "--", "sleep", "60"], client);
    const deaf = await folder.run(
      ["run", ...limits, "deaf", "--", "sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"],
      client,
    );
    expect([gentle.exitCode, deaf.exitCode]).toEqual([128 + 15, 128 + 9]);
    expect(reports("gentle").at(-1)?.["message"]).toBe("stopped at its longest runtime: ended by SIGTERM");
    expect(reports("deaf").at(-1)?.["message"]).toBe("stopped at its longest runtime: ended by SIGKILL");
  });

  test.if(process.platform === "linux")("ends with a job what it has started, also what does not care", async () => {
    const pids = join(folder.path, "started");
    const deaf = `sh -c 'trap "" TERM; echo $$ >> ${pids}; while :; do sleep 0.1; done'`;
    const script = `trap "" TERM; sleep 1000 & echo $! >> ${pids}; ${deaf} | ${deaf}; wait`;
    const limits = ["--max-runtime", "2s", "--kill-after", "1s", "--schedule", "0 2 * * *"];
    const ran = await folder.run(["run", ...limits, "pipeline", "--", "sh", "-c", script], client);
    expect(ran.exitCode).toBe(128 + 9);
    const started = readFileSync(pids, "utf8").trim().split("\n");
    expect(started).toHaveLength(3);
    await until("their end", async () => started.every((pid) => !isRunning(pid)) || null);
  });

  test("with --lock follows no link where the lock lies, and runs the job all the same", async () => {
    const spool = join(folder.path, "linked");
    const run = () =>
      folder.run(["run", "--lock", "linked", "--", "echo", "ran"], { ...client, ROLLCALL_SPOOL: spool });
    expect((await run()).exitCode).toBe(0);
    const [name] = readdirSync(join(spool, "locks"));
    const victim = join(folder.path, "victim");
    rmSync(join(spool, "locks", name!));
    symlinkSync(victim, join(spool, "locks", name!));
    const { out, err } = await run();
    expect(out).toBe("ran\n");
    expect(err).toContain("linked runs without a lock, because none can be made");
    expect(await Bun.file(victim).exists()).toBe(false);
  });

  test("with --lock starts no second run beside the first, also when the first's wrapper was killed", async () => {
    const ready = join(folder.path, "ready");
    const command = [EXECUTABLE, "run", "--lock", "--schedule", "0 2 * * *", "alone", "--"];
    const first = Bun.spawn(
      [...command, "sh", "-c", `echo $$ > ${ready}.new; mv ${ready}.new ${ready}; exec sleep 60`],
      {
        env: { PATH, ...client },
      },
    );
    const job = Number(
      await until("the first run", async () => ((await Bun.file(ready).exists()) ? Bun.file(ready).text() : null)),
    );
    const second = await folder.run(["run", "--lock", "alone", "--", "true"], client);
    expect(second).toMatchObject({
      exitCode: 75,
      err: expect.stringContaining("the run before it, or what it left running, still goes on"),
    });
    first.kill("SIGKILL");
    await first.exited;
    expect((await folder.run(["run", "--lock", "alone", "--", "true"], client)).exitCode).toBe(75);
    process.kill(job, "SIGKILL");
    await until("the lock", async () =>
      (await folder.run(["run", "--lock", "alone", "--", "true"], client)).exitCode === 0 ? true : null,
    );
  });

  test.each([".", ".."])("tells nobody of a job called %s, which no address can name, and says so", async (monitor) => {
    const ran = await folder.run(["run", "--schedule", "0 2 * * *", monitor, "--", "sh", "-c", "exit 5"], client);
    const err = `rollcall run: nobody hears of ${monitor}: no monitor can have this name\n`;
    expect(ran).toEqual({ exitCode: 5, out: "", err });
    expect([...reports("start"), ...reports("complete"), ...reports("fail")]).toEqual([]);
  });

  test("--flush says in a line that it cannot read what waits", async () => {
    const file = join(folder.path, "no-spool");
    Bun.spawnSync(["ln", "-s", "no-spool", file]);
    const flushed = await folder.run(["run", "--flush"], { ...client, ROLLCALL_SPOOL: file });
    const err = expect.stringMatching(/^error: what waits cannot be read: ELOOP: .+\n$/);
    expect(flushed).toEqual({ exitCode: 1, out: "", err });
  });

  test("--flush says once of each monitor why its reports are lost, and counts them", async () => {
    const within = { ...client, ROLLCALL_SPOOL: join(folder.path, "lost") };
    const run = () => folder.run(["run", "gone", "--", "false"], { ...within, ROLLCALL_KEY: "ck_app_default_none" });
    for (let times = 0; times < 2; times++) await run();
    const err = expect.stringMatching(/^the start of gone is lost: the server refused it: MONITOR_NOT_FOUND: .+\n$/);
    const flushed = await folder.run(["run", "--flush"], within);
    expect(flushed).toEqual({ exitCode: 1, out: "0 reports sent, 4 refused, 0 left\n", err });
  });

  test("shows a control character in a key, and does not send it to the terminal", async () => {
    const alone = { XDG_STATE_HOME: folder.path };
    const ran = await folder.run(["run", "a\nb\x1b[2J", "--", "true"], alone);
    expect([ran.exitCode, ran.out]).toEqual([0, ""]);
    expect(ran.err).toMatch(/^rollcall run: nobody hears of a\\u000ab\\u001b\[2J: .+\n$/);
  });

  test("tells outcomes that were given, and those that the job has written", async () => {
    const file = join(folder.path, "outcomes");
    const options = ["--schedule", "0 2 * * *", "--outcome", "verified=true", "--outcomes", file];
    const ran = await folder.run(
      ["run", ...options, "rich", "--", "sh", "-c", `printf '# mine\\nrows = 12\\nbad line\\n' > ${file}`],
      client,
    );
    expect(ran).toEqual({
      exitCode: 0,
      out: "",
      err: `rollcall run: ${file}: "bad line" is no outcome; write name=value, the value a number, true or false\n`,
    });
    const missing = await folder.run(["run", "--outcomes", `${file}.none`, "rich", "--", "true"], client);
    expect([missing.exitCode, missing.err]).toEqual([0, expect.stringContaining("there is no file")]);
  });

  const HAS_USERS = process.getuid?.() === 0 && Bun.which("setpriv") !== null;
  test.if(HAS_USERS)("runs the job of a user whom no list has, as systemd makes them for a service", async () => {
    const { HOME, ROLLCALL_SPOOL, ...rest } = client;
    const command = [EXECUTABLE, "run", "--schedule", "0 2 * * *", "nobody-known", "--", "id", "-u"];
    const child = Bun.spawn(["setpriv", "--reuid", "54321", "--clear-groups", "--", ...command], {
      env: { PATH, ...rest },
      cwd: "/",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect({ exitCode: await child.exited, out, err }).toEqual({ exitCode: 0, out: "54321\n", err: "" });
    expect(reports("nobody-known").map(({ kind }) => kind)).toEqual(["start", "complete"]);
  });

  test("runs the job and says in one line why nobody hears of it", async () => {
    const home = { HOME: folder.path, PATH };
    const config = join(folder.path, ".config/rollcall/client.toml");
    const wrong: [Record<string, string>, string, string | null][] = [
      [{}, "there is no address to report to", null],
      [{ ROLLCALL_URL: service.url }, "there is no key to report with", null],
      [{ ROLLCALL_URL: "cron.example.org", ROLLCALL_KEY: "ck_app_x" }, "must be an address such as", null],
      [{ ROLLCALL_URL: service.url, ROLLCALL_KEY: "secret-thing" }, "must begin with ck_app_", null],
      [{ ROLLCALL_URL: service.url, ROLLCALL_KEY: "ck_app_x_secret\nmore" }, "characters that no key has", null],
      [{ ROLLCALL_URL: `${service.url}/api/v1`, ROLLCALL_KEY: "ck_app_x" }, "must end before /api/v1", null],
      [{}, 'is not valid TOML; write each setting on a line of its own, as url = "https://', "url = ck_app_secret"],
      [{}, "is no setting", 'adress = "x"'],
      [{}, "must be a text", "url = 5"],
      [{}, "key_file: there is no file", 'url = "http://localhost"\nkey_file = "/no/file"'],
      [{}, "key_file: /etc cannot be read: EISDIR", 'url = "http://localhost"\nkey_file = "/etc"'],
      [
        {},
        "authority_file: /etc/passwd holds no cert",
        'url = "http://localhost"\nkey = "ck_app_a_b"\nauthority_file = "/etc/passwd"',
      ],
    ];
    for (const [environment, why, file] of wrong) {
      rmSync(config, { force: true });
      if (file !== null) await Bun.write(config, file);
      const ran = await folder.run(["run", "untold", "--", "sh", "-c", "echo ran; exit 4"], {
        ...home,
        ...environment,
      });
      expect([ran.exitCode, ran.out, ran.err.split("\n").length]).toEqual([4, "ran\n", 2]);
      expect(ran.err).toContain(`rollcall run: nobody hears of untold: `);
      expect(ran.err).toContain(why);
      expect(ran.err).not.toContain("secret");
    }
    rmSync(config);
  });

  test("takes where to report from client.toml", async () => {
    const config = join(folder.path, ".config/rollcall/client.toml");
    writeFileSync(join(folder.path, "key"), `${client["ROLLCALL_KEY"]}\n`);
    await Bun.write(config, `url = "${service.url}/"\nkey_file = "${join(folder.path, "key")}"\n`);
    const ran = await folder.run(["run", "--schedule", "0 2 * * *", "by-file", "--", "true"], { HOME: folder.path });
    expect(ran).toEqual({ exitCode: 0, out: "", err: "" });
    expect(reports("by-file")).toHaveLength(2);
    rmSync(config);
  });

  test("takes options between the monitor and --, and leaves those of the command alone", async () => {
    const options = ["--schedule", "0 2 * * *", "--name=Behind", "--success-codes", "3"];
    const ran = await folder.run(
      ["run", "--grace", "30m", "behind", ...options, "--", "sh", "-c", 'echo "$@"; exit 3', "sh", "--name", "--", "x"],
      client,
    );
    expect(ran).toEqual({ exitCode: 3, out: "--name -- x\n", err: "" });
    expect(reports("behind").map(({ kind }) => kind)).toEqual(["start", "complete"]);
    expect((await folder.run(["monitor", "show", "behind"])).out).toContain("Behind");
    // Without options of ours in front, everything is the command's.
    const plain = await folder.run(["run", "behind", "echo", "--schedule", "--", "y"], client);
    expect(plain.out).toBe("--schedule -- y\n");
  });

  test("says what the server refused, and keeps none of it", async () => {
    const spool = join(folder.path, "refused");
    const ran = await folder.run(["run", "unknown-job", "--", "true"], { ...client, ROLLCALL_SPOOL: spool });
    expect(ran.exitCode).toBe(0);
    expect(ran.err).toContain("the start of unknown-job is lost: the server refused it: MONITOR_NOT_FOUND");
  });

  test("keeps what a wrong key cannot send, says so, and sends it once the key is right", async () => {
    const within = { ...client, ROLLCALL_SPOOL: join(folder.path, "wrong-key") };
    const wrong = { ...within, ROLLCALL_KEY: "ck_app_default_none" };
    const says = expect.stringMatching(/^.*the server takes no report until that is fixed: AUTHENTICATION_REQUIRED: /);
    const ran = await folder.run(["run", "--schedule", "0 2 * * *", "mended", "--", "false"], wrong);
    expect(ran).toEqual({ exitCode: 1, out: "", err: says });
    expect(await folder.run(["run", "--flush"], wrong)).toMatchObject({ exitCode: 1, out: "0 reports sent, 2 left\n" });
    expect(await folder.run(["run", "--flush"], within)).toMatchObject({
      exitCode: 0,
      out: "2 reports sent, 0 left\n",
    });
    expect(reports("mended").map(({ kind }) => kind)).toEqual(["start", "fail"]);
  });

  test("sends what waits for a former address only where it is named", async () => {
    const within = { ...client, ROLLCALL_SPOOL: join(folder.path, "moved") };
    const former = "http://127.0.0.1:9/old";
    const run = ["run", "--schedule", "0 2 * * *", "moved", "--", "false"];
    expect(await folder.run(run, { ...within, ROLLCALL_URL: former })).toMatchObject({ exitCode: 1 });
    const flush = (...more: string[]) => folder.run(["run", "--flush", ...more], within);
    expect(await flush()).toEqual({
      exitCode: 1,
      out: "0 reports sent, 0 left\n",
      err: expect.stringContaining("2 reports wait, too, for another application or address"),
    });
    expect(await flush("--moved-from", `${former}/`)).toEqual({
      exitCode: 0,
      out: "2 reports sent, 0 left\n",
      err: "",
    });
    expect(reports("moved").map(({ kind }) => kind)).toEqual(["start", "fail"]);
    expect((await flush("--moved-from", "old")).exitCode).toBe(2);
  });

  test.each([
    "",
    "--",
    "--lock",
    "--flush now",
    "--retries -1 x -- true",
    "--max-runtime soon x -- true",
    "--kill-after 5s x -- true",
    "--max-runtime 30s x -- true",
    "--grace 30s x -- true",
    "--outcome rows x -- true",
    "--success-codes 256 x -- true",
    "--success-codes 5-3 x -- true",
    "--success-codes 0,,1 x -- true",
    "--success-codes TEMPFAIL x -- true",
    "x --lock true",
    "x --lock more -- true",
    "x --nonsense -- true",
    "x --retries -1 -- true",
    "-- touch ran",
    "--lock -- sh -c true",
    "x",
  ])("run %s: a wrong call ends with 2 and runs nothing", async (typed) => {
    const ran = await folder.run(["run", ...typed.split(" ").filter((word) => word !== "")], {
      ...client,
      ROLLCALL_URL: "",
    });
    expect([ran.exitCode, ran.out]).toEqual([2, ""]);
    expect(ran.err).toMatch(/^error: /);
  });
});
