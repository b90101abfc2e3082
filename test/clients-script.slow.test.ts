// `rollcall-run`, the script that GET /client.sh hands out, in each shell and with each program that it may find: what
// it reports, and that it never changes the job.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { accountOf, DEAD_ADDRESS, isInstalled, startCommand } from "./support/clients.ts";
import { type Folder, openFolder, type Service, until } from "./support/executable.ts";
import { startHttpSink, startRawSink } from "./support/http-sink.ts";

setDefaultTimeout(120_000);

/** Twice what its two reports may take, since other tests run beside this one. Milliseconds. */
const REPORTS_MAX = 10_000;

const SHELLS = [["dash"], ["bash"], ["busybox", "sh"]].filter(([program]) => isInstalled(program!));
/** What it may report with, and what stands for it on the PATH. */
const SENDERS = [
  { sender: "curl", program: "curl" },
  { sender: "GNU wget", program: "wget" },
  { sender: "busybox wget", program: "busybox" },
].filter(({ program }) => isInstalled(program));
const CASES = SHELLS.flatMap((shell) =>
  SENDERS.map(({ sender }) => ({ shell, sender, name: `${shell.join(" ")}, ${sender}` })),
);

/** What the script and its jobs use beside a shell and the program that reports. */
const TOOLS = "cat date env grep head id kill mkfifo mktemp readlink rm sed sh sleep tail tee touch tr uname".split(
  " ",
);

/** Alerts say it without its domain. */
const HOST = hostname().split(".")[0]!;
const USER = Bun.spawnSync(["id", "-un"]).stdout.toString().trim();

const places = mkdtempSync(join(tmpdir(), "rollcall-script-"));
const script = join(places, "rollcall-run");
let folder: Folder;
let service: Service;

beforeAll(async () => {
  folder = openFolder({
    "rollcall.toml":
      "[limits]\nv1_per_minute = 1000\nv1_per_hour = 10000\n[applications.default]\nkeep_output = true\n",
  });
  service = await folder.serve();
  writeFileSync(script, await (await fetch(`${service.url}/client.sh`)).text());
  for (const { sender, program } of SENDERS) {
    const path = pathWith(sender);
    Bun.spawnSync(["mkdir", path]);
    symlinkSync(Bun.which(program)!, join(path, sender === "curl" ? "curl" : "wget"));
    for (const tool of [...TOOLS, "dash", "bash", "busybox"].filter((one) => Bun.which(one) !== null))
      symlinkSync(Bun.which(tool)!, join(path, tool));
  }
});
afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  rmSync(places, { recursive: true });
});

const pathWith = (sender: string): string => join(places, sender.replace(" ", "-"));

interface Called {
  readonly shell: readonly string[];
  readonly sender?: string;
  readonly environment?: Record<string, string>;
}

/** Runs the script, with these words behind its name. */
const running = ({ shell, sender = "curl", environment = {} }: Called, ...words: string[]) =>
  startCommand([...shell, script, ...words], {
    ...accountOf(service),
    PATH: pathWith(sender),
    HOME: places,
    ...environment,
  });

const pingsOf = (monitor: string) =>
  folder.rows(
    `SELECT p.kind, p.message, o.text AS output FROM pings p JOIN monitors m ON m.id = p.monitor_id
     LEFT JOIN outputs o ON o.id = p.id WHERE m.key = '${monitor}' ORDER BY p.id`,
  );

describe.each(CASES)("in $name", (called) => {
  const monitor = called.name.replaceAll(/[ ,]+/g, "-");

  test("reports the start and the end, and declares the monitor", async () => {
    const declared = ["--schedule", "0 2 * * *", "--grace=15m", "--max-runtime", "2h", "--name", "Größe & „Ziel“"];
    const { ended } = running(
      { ...called, environment: { CRON_TZ: "Europe/Berlin" } },
      ...declared,
      monitor,
      "--",
      "sh",
      "-c",
      "exit 0",
    );
    expect(await ended).toEqual({ exitCode: 0, screen: "" });
    expect(
      folder.rows(
        `SELECT schedule, timezone, grace_seconds AS grace, max_runtime_seconds AS longest, declared_name AS name FROM monitors WHERE key = '${monitor}'`,
      ),
    ).toEqual([
      { schedule: "0 2 * * *", timezone: "Europe/Berlin", grace: 900, longest: 7200, name: "Größe & „Ziel“" },
    ]);
    expect(pingsOf(monitor).map(({ kind }) => kind)).toEqual(["start", "complete"]);
  });

  test("R46: reports a failure with its exit status and the last lines on stderr, which pass on", async () => {
    const failing = `${monitor}-failing`;
    const job = ["sh", "-c", "echo done; echo disk full >&2; exit 3"];
    const { ended } = running(called, "--every", "25h", "--output-from-stderr", failing, "--", ...job);
    const { exitCode, screen } = await ended;
    expect({ exitCode, lines: screen.split("\n").toSorted() }).toEqual({
      exitCode: 3,
      lines: ["", "disk full", "done"],
    });
    const [alert] = folder.rows(`SELECT data FROM alerts WHERE data LIKE '%"${failing}"%'`);
    expect(JSON.parse(alert!["data"] as string)).toMatchObject({
      runsOn: { host: HOST, user: USER },
    });
    expect(pingsOf(failing)).toEqual([
      { kind: "start", message: null, output: null },
      { kind: "fail", message: "exit status 3", output: "disk full" },
    ]);
  });

  test("R15: says why a report was refused, in the server's words, and ends as the job did", async () => {
    const { exitCode, screen } = await running(called, "--schedule", "0 25 * * *", "wrong", "--", "sh", "-c", "exit 4")
      .ended;
    expect(exitCode).toBe(4);
    expect(screen).toMatch(/^rollcall-run: the start of wrong was not reported: /m);
    expect(screen).toMatch(/^rollcall-run: the fail of wrong was not reported: /m);
    if (called.sender !== "busybox wget") expect(screen).toContain("INVALID_SCHEDULE");
  });
});

// The cases mostly wait, so all of them wait at once.
test.concurrent.each(CASES)(
  "in $name, a server that takes the connection and says nothing holds no job up",
  async (called) => {
    await using sink = await startRawSink();
    const environment = { ROLLCALL_URL: `http://127.0.0.1:${sink.port}` };
    const began = performance.now();
    const { exitCode, screen } = await running({ ...called, environment }, "hung", "--", "sh", "-c", "exit 5").ended;
    expect({ exitCode, inTime: performance.now() - began < REPORTS_MAX }).toEqual({ exitCode: 5, inTime: true });
    expect(screen.match(/^rollcall-run: the (?:start|fail) of hung was not reported: /gm)).toHaveLength(2);
  },
);

test.concurrent.each(SHELLS.map((shell) => ({ shell, name: shell.join(" ") })))(
  "$name ends a job at its longest runtime, and kills one that does not end",
  async (called) => {
    const monitor = `${called.name}-long`;
    const limits = ["--every", "25h", "--max-runtime", "1s", "--kill-after", "1s"];
    const { ended } = running(
      { ...called, environment: {} },
      ...limits,
      monitor,
      "--",
      "sh",
      "-c",
      "trap '' TERM; while :; do sleep 1; done",
    );
    expect((await ended).exitCode).toBe(137);
  },
);

describe.each(SHELLS.map((shell) => ({ shell, name: shell.join(" ") })))("$name", (called) => {
  test("the job reads what it is given, and writes as it likes", async () => {
    const child = Bun.spawn([...called.shell, script, "--every", "25h", `${called.name}-input`, "--", "cat"], {
      env: { ...accountOf(service), PATH: pathWith("curl"), HOME: places },
      stdin: new Blob(["first\nsecond\n"]),
      stdout: "pipe",
    });
    expect([await new Response(child.stdout).text(), await child.exited]).toEqual(["first\nsecond\n", 0]);
  });

  test("the job keeps each variable of its environment, and the program that it is called by", async () => {
    const words = new Set(readFileSync(script, "utf8").match(/\b[a-z][a-z_]*\b/g));
    const environment = Object.fromEntries([...words].map((word) => [word, "kept"]));
    const options = ["--every=25h", "--grace=15m", "--max-runtime=2h", "--kill-after=30s", "--success-codes=24"];
    const { screen } = await running({ ...called, environment }, ...options, "kept", "--", "sh", "-c", "env").ended;
    expect([...words].filter((word) => !`\n${screen}`.includes(`\n${word}=kept\n`))).toEqual([]);

    // A function of the script has this name.
    writeFileSync(join(pathWith("curl"), "report"), "#!/bin/sh\nexit 7\n", { mode: 0o755 });
    expect((await running(called, "--every", "25h", "named", "--", "report").ended).exitCode).toBe(7);
  });

  test.each([
    ["with a server that refuses", accountOf],
    ["without an address", () => ({ ROLLCALL_URL: "", ROLLCALL_KEY: "" })],
  ])("the job runs and keeps its exit status where no one reads stderr, %s", async (_, account) => {
    const line = [...called.shell, script, "--schedule", "0 25 * * *", "unread", "--", "sh", "-c", "exit 3"];
    // It writes until the reader is gone, and only then calls the script.
    const unread = '{ { (while echo >&2; do :; done); "$@"; echo $? >&3; } 2>&1 >/dev/null | :; } 3>&1';
    const child = Bun.spawn(["sh", "-c", unread, "sh", ...line], {
      env: { ...account(service), PATH: pathWith("curl"), HOME: places },
      stderr: "ignore",
    });
    expect(await new Response(child.stdout).text()).toBe("3\n");
  });

  test("a signal to the whole group leaves the job its last words on stderr", async () => {
    const ready = join(places, `ready-group-${called.name}`);
    const job = `trap 'echo last words >&2; exit 9' TERM; touch '${ready}'; while :; do sleep 0.05; done`;
    const words = ["--every", "25h", "--output-from-stderr", "grouped", "--", "sh", "-c", job];
    const child = Bun.spawn([...called.shell, script, ...words], {
      env: { ...accountOf(service), PATH: pathWith("curl"), HOME: places },
      detached: true,
      stderr: "pipe",
    });
    await until("the job to run", () => (Bun.spawnSync(["test", "-e", ready]).success ? true : null));
    process.kill(-child.pid, "SIGTERM");
    expect(await new Response(child.stderr).text()).toContain("last words\n");
    expect(await child.exited).toBe(9);
  });

  test("a signal that comes as the job starts is passed on to it", async () => {
    const job = `trap 'exit 9' TERM; kill -TERM $PPID; i=0; while [ $i -lt 50 ]; do sleep 0.02; i=$((i + 1)); done`;
    for (let times = 0; times < 10; times++) {
      const { ended } = running(called, "--every", "25h", "early", "--", "sh", "-c", job);
      expect((await ended).exitCode).toBe(9);
    }
  });

  test("passes SIGTERM on, reports the exit status, and ends with 143", async () => {
    const monitor = `${called.name}-ended`;
    const ready = join(places, `ready-${called.name}`);
    const child = Bun.spawn(
      [...called.shell, script, "--every", "25h", monitor, "--", "sh", "-c", `touch '${ready}'; exec sleep 100`],
      { env: { ...accountOf(service), PATH: pathWith("curl"), HOME: places }, stdout: "ignore", stderr: "ignore" },
    );
    await until("the job to run", () => (Bun.spawnSync(["test", "-e", ready]).success ? true : null));
    child.kill("SIGTERM");
    expect(await child.exited).toBe(143);
    expect(pingsOf(monitor).at(-1)).toEqual({ kind: "fail", message: "exit status 143", output: null });
  });

  test.each([129, 255])(
    "reports %i as the exit status that it is, because no signal may have been the cause",
    async (status) => {
      const monitor = `${called.name}-${status}`;
      const { ended } = running(called, "--every", "25h", monitor, "--", "sh", "-c", `exit ${status}`);
      expect((await ended).exitCode).toBe(status);
      expect(pingsOf(monitor).at(-1)).toEqual({ kind: "fail", message: `exit status ${status}`, output: null });
    },
  );

  test("R13: a TZ that is a rule is no time zone, and the report is taken", async () => {
    const monitor = `${called.name}-rule`;
    const environment = { TZ: "CET-1CEST,M3.5.0,M10.5.0/3" };
    const { ended } = running(
      { ...called, environment },
      "--schedule",
      "0 2 * * *",
      monitor,
      "--",
      "sh",
      "-c",
      "exit 0",
    );
    expect((await ended).exitCode).toBe(0);
    expect(pingsOf(monitor).map(({ kind }) => kind)).toEqual(["start", "complete"]);
  });

  test("reads a key from a file that Windows has written, as rollcall run does", async () => {
    const { ROLLCALL_URL, ROLLCALL_KEY } = accountOf(service);
    const home = join(places, "windows");
    Bun.spawnSync(["mkdir", "-p", join(home, ".config/rollcall")]);
    writeFileSync(join(home, "key"), `${ROLLCALL_KEY}\r\n`);
    writeFileSync(
      join(home, ".config/rollcall/client.toml"),
      `url = "${ROLLCALL_URL}"\r\nkey_file = "${join(home, "key")}"\r\n`,
    );
    for (const where of [{ HOME: home }, { HOME: places, XDG_CONFIG_HOME: join(home, ".config") }]) {
      const environment = { ROLLCALL_URL: "", ROLLCALL_KEY: "", ...where };
      const words = ["--every", "25h", "windows", "--", "sh", "-c", ":"];
      const { screen } = await running({ ...called, environment }, ...words).ended;
      expect([screen, pingsOf("windows").at(-1)?.["kind"]]).toEqual(["", "complete"]);
    }
  });

  test("tells no one where it has no address or key, and says so once", async () => {
    const environment = { ROLLCALL_URL: "", ROLLCALL_KEY: "" };
    const { exitCode, screen } = await running({ ...called, environment }, "job", "--", "sh", "-c", "exit 6").ended;
    expect(exitCode).toBe(6);
    expect(screen).toMatch(/^rollcall-run: nothing is reported: .*\n$/);
  });

  test("says that a report was lost where a login page answers in the server's place", async () => {
    await using page = startHttpSink(() => new Response("<html>Welcome</html>"));
    const environment = { ROLLCALL_URL: new URL(page.url).origin };
    const { exitCode, screen } = await running({ ...called, environment }, "job", "--", "sh", "-c", "exit 4").ended;
    expect(exitCode).toBe(4);
    expect(screen).toContain("rollcall-run: the fail of job was not reported: something else answers there\n");
  });

  test("reports nothing to an address at which no one listens, and ends as the job did", async () => {
    const environment = { ROLLCALL_URL: DEAD_ADDRESS };
    const { exitCode, screen } = await running({ ...called, environment }, "job", "--", "nowhere-to-be-found").ended;
    expect(exitCode).toBe(127);
    expect(screen).toContain("the fail of job was not reported: ");
  });

  test.each([
    [["job"], "there is no command behind --"],
    [["--", "true"], "no monitor is named"],
    [["--grace", "soon", "job", "--", "true"], '--grace takes a duration such as 90s, 15m, 25h or 2d, not "soon"'],
    [["--kill-after", "5s", "job", "--", "true"], "--kill-after needs --max-runtime"],
    [["--success-codes", "a", "job", "--", "true"], '--success-codes takes numbers such as 24,100, not "a"'],
    [["--nope", "job", "--", "true"], "there is no option --nope"],
    [["job", "true"], '"true" stands before --, and one monitor was named already'],
  ])("%j is a wrong call, which runs nothing", async (words, why) => {
    expect(await running(called, ...words).ended).toEqual({
      exitCode: 2,
      screen: `rollcall-run: ${why}; rollcall-run --help says how it is called\n`,
    });
  });
});
