// `rollcall run`, compiled, against servers that are absent, hang, are slow, refuse or lie: the job is never delayed by
// more than five seconds, its status stays, and what could not be told is told later, once.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXECUTABLE, type Folder, firstKeyOf, openFolder } from "../support/executable.ts";

/**
 * Behind the job reporting may take five seconds; the rest is this machine's, which runs other tests meanwhile.
 * Milliseconds.
 */
const DELAY_MAX = 2 * 5_000;

/** The client puts a report on disk while it waits for so slow an answer. Milliseconds. */
const SLOW = 600;

/** Before the executable: nothing can be written to disk for good. */
const FULL = ["strace", "-f", "-q", "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:error=ENOSPC"];

type Answer = (request: Request) => Response | Promise<Response>;

const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  () =>
    Response.json(body, { status, headers });

/** Servers that take no report. */
const SERVERS: Readonly<Record<string, Answer>> = {
  "hangs before it answers": () => new Promise(() => {}),
  "hangs within its answer": () =>
    new Response(new ReadableStream({ start: (stream) => stream.enqueue('{"status":') })),
  "never ends its answer": () =>
    new Response(new ReadableStream({ pull: (stream) => Bun.sleep(1).then(() => stream.enqueue("x".repeat(1_000))) })),
  "answers with a portal's page": () =>
    new Response("<h1>Please sign in</h1>", { headers: { "content-type": "text/html" } }),
  "answers with what it says is compressed, and is not": () =>
    new Response("not compressed", { headers: { "content-encoding": "gzip" } }),
  "answers with somebody else's JSON": json({ ok: true }),
  "answers with a proxy's 404": () => new Response("not found", { status: 404 }),
  "answers with a proxy's 502": () => new Response("bad gateway", { status: 502 }),
  "has no storage": json({ error: "STORAGE_UNAVAILABLE", message: "disk full" }, 503),
  "limits the rate": json({ error: "RATE_LIMITED", message: "too many" }, 429, { "retry-after": "3600" }),
  "sends us elsewhere": json({}, 307, { location: "http://127.0.0.1:9/" }),
};

describe("rollcall run and a server that", () => {
  let spool: string;
  beforeAll(() => {
    spool = mkdtempSync(join(tmpdir(), "rollcall-spool-"));
  });
  afterAll(() => rmSync(spool, { recursive: true }));

  async function ran(url: string, name: string) {
    const done = join(spool, `${name}.done`);
    const script = 'echo out; echo err >&2; : >"$0"; exit 3';
    const child = Bun.spawn([EXECUTABLE, "run", "job", "--", "sh", "-c", script, done], {
      env: {
        PATH: process.env["PATH"],
        ROLLCALL_URL: url,
        ROLLCALL_KEY: "ck_app_default_x",
        ROLLCALL_SPOOL: join(spool, name),
      },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [code, out, err] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
    return { seen: { code, out, err }, took: Date.now() - statSync(done).mtimeMs };
  }

  const kept = (name: string) => readdirSync(join(spool, name));

  for (const [what, answer] of Object.entries(SERVERS)) {
    test.concurrent(`${what}: the job's status and output stay, and both reports are kept for later`, async () => {
      using server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 60, fetch: answer });
      const { seen, took } = await ran(server.url.href, what);
      expect(seen).toEqual({ code: 3, out: "out\n", err: "err\n" });
      expect(took).toBeLessThan(DELAY_MAX);
      expect(kept(what)).toHaveLength(2);
      for (const file of kept(what)) expect(statSync(join(spool, what, file)).mode & 0o777).toBe(0o600);
      server.stop(true);
    });
  }

  test.each([
    ["is not there", "http://127.0.0.1:9"],
    ["has a name that nobody knows", "http://nobody.invalid"],
    ["is behind a wire that was cut", "http://10.255.255.1"],
  ])("%s: the same", async (what, url) => {
    const { seen, took } = await ran(url, what);
    expect(seen).toEqual({ code: 3, out: "out\n", err: "err\n" });
    expect(took).toBeLessThan(DELAY_MAX);
    expect(kept(what)).toHaveLength(2);
  });
});

describe("what waits in the spool", () => {
  let folder: Folder;
  let client: Record<string, string>;
  let relay: Bun.Server<undefined>;
  /** What becomes of a report on its way: it arrives, or it does not, or only its answer gets lost. */
  let way: "open" | "cut" | "cut behind it" | "slow" | "too many" | "too many for long";

  /** What is on the way refuses whatever has this in its address; null: nothing. */
  let blocked: string | null = null;

  beforeAll(async () => {
    folder = openFolder();
    const service = await folder.serve();
    relay = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const { pathname, search } = new URL(request.url);
        if (way === "cut") return new Response("bad gateway", { status: 502 });
        if (blocked !== null && pathname.includes(blocked)) return new Response("forbidden", { status: 403 });
        if (way === "too many for long") return Response.json({}, { status: 429, headers: { "retry-after": "3600" } });
        if (way === "too many") {
          way = "open";
          return Response.json({}, { status: 429, headers: { "retry-after": "1" } });
        }
        if (way === "slow") await Bun.sleep(SLOW);
        const answer = await fetch(service.url.replace(/\/$/, "") + pathname + search, request);
        return way === "open" || way === "slow" ? answer : new Response("bad gateway", { status: 502 });
      },
    });
    client = {
      HOME: folder.path,
      ROLLCALL_URL: relay.url.href,
      ROLLCALL_KEY: firstKeyOf(service),
      ROLLCALL_SPOOL: join(folder.path, "spool"),
    };
  });
  afterAll(async () => {
    await relay.stop(true);
    await folder[Symbol.asyncDispose]();
  });

  const reportsOf = (monitor: string): unknown[] =>
    folder
      .rows("SELECT kind FROM pings JOIN monitors ON monitors.id = monitor_id WHERE key = ? ORDER BY pings.id", monitor)
      .map(({ kind }) => kind);
  const files = (): string[] => readdirSync(client["ROLLCALL_SPOOL"]!).filter((name) => name.endsWith(".json"));
  const run = (monitor: string, more: Record<string, string> = {}) =>
    folder.run(["run", "--schedule", "0 2 * * *", monitor, "--", "true"], { ...client, ...more });

  test("is sent by the next run, in order, each report once, also where only the answer was lost", async () => {
    way = "cut";
    await run("lost");
    way = "cut behind it";
    await run("answer-lost");
    expect(files()).toHaveLength(4);
    expect([reportsOf("lost"), reportsOf("answer-lost")]).toEqual([["start"], ["start"]]);
    way = "open";
    expect(await run("next")).toEqual({ exitCode: 0, out: "", err: "" });
    expect(files()).toEqual([]);
    for (const monitor of ["lost", "answer-lost", "next"]) expect(reportsOf(monitor)).toEqual(["start", "complete"]);
  });

  test("is sent by --flush, which says how many", async () => {
    way = "cut";
    await run("flushed");
    expect(await folder.run(["run", "--flush"], client)).toMatchObject({
      exitCode: 1,
      out: "0 reports sent, 2 left\n",
    });
    way = "open";
    const flush = () => folder.run(["run", "--flush"], client);
    expect(await flush()).toEqual({ exitCode: 0, out: "2 reports sent, 0 left\n", err: "" });
    expect(await flush()).toEqual({ exitCode: 0, out: "0 reports sent, 0 left\n", err: "" });
    expect(reportsOf("flushed")).toEqual(["start", "complete"]);
  });

  test("waits while the server takes no more for now, and is sent then", async () => {
    way = "cut";
    await run("limited");
    way = "too many";
    const flushed = await folder.run(["run", "--flush"], client);
    expect(flushed).toMatchObject({ exitCode: 0, out: "2 reports sent, 0 left\n" });
    expect(flushed.err).toStartWith("the server takes no more for now; going on in 2 seconds, and then slowly, ");
    way = "cut";
    await run("limited");
    way = "too many for long";
    expect(await folder.run(["run", "--flush"], client)).toEqual({
      exitCode: 1,
      out: "0 reports sent, 2 left\n",
      err: "the rest waits: it is too much for the server for now (429); it takes more in 1 hour\n",
    });
    way = "open";
    await folder.run(["run", "--flush"], client);
    expect(reportsOf("limited")).toEqual(["start", "complete", "start", "complete"]);
  });

  test.each([
    ["http://127.0.0.1:9/cron", "http://127.0.0.1:9/cron cannot be reached: connection refused"],
    ["http://nobody.invalid", "http://nobody.invalid cannot be reached: host name not found"],
  ])("says in words why it cannot be sent: %s", async (url, why) => {
    const away = { ...client, ROLLCALL_URL: url, ROLLCALL_SPOOL: join(folder.path, "in-words") };
    await folder.run(["run", "worded", "--", "true"], away);
    expect((await folder.run(["run", "--flush"], away)).err).toContain(`the rest waits: ${why}\n`);
  });

  test("goes to no other server, and into no other application", async () => {
    way = "cut";
    await run("elsewhere", { ROLLCALL_KEY: "ck_app_other_key" });
    way = "open";
    expect(await folder.run(["run", "--flush"], client)).toEqual({
      exitCode: 1,
      out: "0 reports sent, 0 left\n",
      err: "2 reports wait, too, for another application or address; if this is the service that had it: rollcall run --flush --moved-from ADDRESS\n",
    });
    rmSync(client["ROLLCALL_SPOOL"]!, { recursive: true });
  });

  test("is a thousand reports at most: the oldest stay, and the job is told which is lost", async () => {
    way = "cut";
    await run("full");
    const [one] = files();
    const spool = client["ROLLCALL_SPOOL"]!;
    const text = await Bun.file(join(spool, one!)).text();
    for (let more = 0; more < 998; more++) writeFileSync(join(spool, one!.replace(/-.*/, `-copy-${more}.json`)), text);
    const before = files();
    const ran = await run("too-many");
    expect([ran.exitCode, ran.err]).toEqual([
      0,
      "rollcall run: the start of too-many is lost: it could not be sent, and too many wait already\n",
    ]);
    expect(files()).toEqual(before);
    rmSync(spool, { recursive: true });
  });

  test.skipIf(Bun.which("strace") === null)(
    "on a full disk: nothing is left of it; only what cannot be sent is called lost",
    async () => {
      const spool = join(folder.path, "full-disk");
      const runOnFull = async (monitor: string) => {
        const command = [...FULL, EXECUTABLE, "run", "--schedule", "0 2 * * *", monitor, "--", "sh", "-c", "exit 6"];
        const env = { PATH: process.env["PATH"], ...client, ROLLCALL_SPOOL: spool };
        const child = Bun.spawn(command, { env, stdout: "ignore", stderr: "pipe" });
        return [await child.exited, await child.stderr.text(), readdirSync(spool)];
      };
      way = "cut";
      expect(await runOnFull("unkept")).toEqual([
        6,
        expect.stringMatching(
          /^rollcall run: the start of unkept is lost: it could be neither sent nor kept: ENOSPC.*\n$/,
        ),
        [],
      ]);
      way = "slow";
      expect(await runOnFull("slowly")).toEqual([6, "", []]);
      expect(reportsOf("slowly")).toEqual(["start", "fail"]);
    },
  );

  test("is sent around one report that a proxy does not let through", async () => {
    way = "cut";
    for (const monitor of ["blocked", "passing", "blocked"]) await run(monitor);
    way = "open";
    blocked = "blocked";
    expect(await folder.run(["run", "--flush"], client)).toEqual({
      exitCode: 1,
      out: "2 reports sent, 4 left\n",
      err: "the rest waits: the server answered 403\n",
    });
    expect([reportsOf("passing"), reportsOf("blocked")]).toEqual([["start", "complete"], []]);
    blocked = null;
    expect(await folder.run(["run", "--flush"], client)).toMatchObject({
      exitCode: 0,
      out: "4 reports sent, 0 left\n",
    });
    expect(reportsOf("blocked")).toEqual(["start", "complete", "start", "complete"]);
  });

  test("survives a damaged file, which is named once and put aside", async () => {
    way = "cut";
    await run("beside");
    const spool = client["ROLLCALL_SPOOL"]!;
    const torn = join(spool, "000000000000001-torn.json");
    writeFileSync(torn, '{"target":"');
    way = "open";
    const flushed = await folder.run(["run", "--flush"], client);
    expect(flushed).toEqual({
      exitCode: 0,
      out: "2 reports sent, 0 left\n",
      err: `a report that waited was damaged on disk and is lost: ${torn}.damaged\n`,
    });
    expect(await folder.run(["run", "--flush"], client)).toMatchObject({ exitCode: 0, err: "" });
    expect(reportsOf("beside")).toEqual(["start", "complete"]);
    rmSync(`${torn}.damaged`);
  });

  test("cannot be kept where nothing can be written: the job goes on, and one line says it", async () => {
    way = "cut";
    const ran = await run("nowhere", { ROLLCALL_SPOOL: "/proc/none" });
    expect(ran.exitCode).toBe(0);
    expect(ran.err).toStartWith("rollcall run: the start of nowhere is lost: it could be neither sent nor kept: ");
  });
});
