// Two executables that watch each other as docs/metrics.md says ([self]): one is killed, stopped, or has a full disk;
// the other alarms, says the truth, and recovers. Their clocks run fast. The worlds run beside each other.

import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstKeyOf, openFolder, report, type Service, until } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { clockFrom, FAST } from "./clock-library.ts";

setDefaultTimeout(600_000);

/** Milliseconds for six minutes of their time, and as much again. */
const PATIENCE = 360_000;
const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

const disk = mkdtempSync(join(tmpdir(), "rollcall-watched-"));
const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], { stderr: "ignore" }).success;

afterAll(() => {
  if (mounted) Bun.spawnSync(["umount", "-l", disk]);
  rmSync(disk, { recursive: true });
});

interface Side extends AsyncDisposable {
  /** For jobs that report to it. */
  readonly key: string;
  /** What its people heard, and of which monitor. */
  heard(): string[];
  service: Service;
  /** Starts it again, its clock at this time. */
  start(at: string): Promise<void>;
}

interface Pair extends AsyncDisposable {
  readonly a: Side;
  readonly b: Side;
}

const STARTED = "2026-03-02 12:58:50";

/** The time by its own clock. */
async function timeOf({ url }: Service): Promise<string> {
  const { headers } = await fetch(`${url}/healthz`);
  return new Date(headers.get("date")!).toISOString().slice(0, 19).replace("T", " ");
}

/** One that runs and has a monitor for the other; `watchedBy`: to be called once the other's address is known. */
async function openSide(other: string, directory: string) {
  const receiver = startHttpSink(() => new Response("ok"));
  const destination = `type = "webhook"\nurl = "${receiver.url}"\nsecret = "${SECRET}"`;
  const toml = `[storage]\ndirectory = "${directory}"\n[team]\ndestinations = ["hook"]\n[destinations.hook]\n${destination}\n`;
  const folder = openFolder({ "rollcall.toml": toml });
  const listen = { ROLLCALL_SERVER__LISTEN: `127.0.0.1:${freePort()}` };
  const first = await folder.serve({ ...clockFrom!(STARTED, FAST), ...listen });
  const made = await folder.run(["monitor", "create", other, "--schedule", "* * * * *", "--grace", "2m"]);
  expect(made).toMatchObject({ exitCode: 0 });
  const key = firstKeyOf(first);

  async function watchedBy(pingUrl: string): Promise<Side> {
    const serve = (at: string) =>
      folder.serve({
        ...clockFrom!(at, FAST),
        ...listen,
        ROLLCALL_SELF__PING_URL: pingUrl,
        ROLLCALL_SELF__EVERY: "10s",
      });
    const at = await timeOf(first);
    expect(await first.end("SIGTERM")).toBe(0);
    const side: Side = {
      key,
      service: await serve(at),
      start: async (time) => {
        side.service = await serve(time);
      },
      heard: () =>
        receiver.requests.map(({ body }) => {
          const { type, data } = JSON.parse(body);
          return `${String(type).replace(/^monitor\./, "")} ${data.monitorKey ?? data.notice.kind}`;
        }),
      [Symbol.asyncDispose]: async () => {
        await folder[Symbol.asyncDispose]();
        await receiver[Symbol.asyncDispose]();
      },
    };
    return side;
  }

  return { watchedBy, pingUrl: `${first.url}/ping/${other}/${key}` };
}

/** `directory`: where `a` keeps its data. */
async function openPair(directory = "./data"): Promise<Pair> {
  const [first, second] = await Promise.all([openSide("rollcall-b", directory), openSide("rollcall-a", "./data")]);
  const [a, b] = await Promise.all([first.watchedBy(second.pingUrl), second.watchedBy(first.pingUrl)]);
  return {
    a,
    b,
    [Symbol.asyncDispose]: async () => void (await Promise.all([a, b].map((side) => side[Symbol.asyncDispose]()))),
  };
}

const hears = (side: Side, what: string): Promise<unknown> =>
  until(`"${what}"`, () => (side.heard().includes(what) ? true : null), PATIENCE).catch((error: Error) => {
    throw new Error(`${error.message}; heard ${JSON.stringify(side.heard())}\n${side.service.err()}`);
  });

/** Both have been heard by the other. */
async function bothWell({ a, b }: Pair): Promise<void> {
  await Promise.all([a.service.logged("self_ping_sent"), b.service.logged("self_ping_sent")]);
  expect([a.heard(), b.heard()]).toEqual([[], []]);
}

describe.skipIf(clockFrom === null)("two that watch each other", () => {
  test.concurrent("one is killed: the other alarms, and recovers after a start; nothing else is said", async () => {
    await using pair = await openPair();
    const { a, b } = pair;
    await bothWell(pair);
    await a.service.end("SIGKILL");
    await hears(b, "initial_failure rollcall-a");
    expect((await b.service.logged("self_ping_failed"))["why"]).toBe("connection refused");
    await a.start(await timeOf(b.service));
    await hears(b, "recovered rollcall-a");
    expect(b.heard()).toEqual(["initial_failure rollcall-a", "recovered rollcall-a"]);
    // For its own absence it blames nobody.
    expect(a.heard().filter((what) => what.startsWith("initial_failure"))).toEqual([]);
  });

  test.concurrent("one hangs: the other alarms, and recovers when it goes on", async () => {
    await using pair = await openPair();
    const { a, b } = pair;
    await bothWell(pair);
    process.kill(a.service.pid, "SIGSTOP");
    await hears(b, "initial_failure rollcall-a");
    process.kill(a.service.pid, "SIGCONT");
    await hears(b, "recovered rollcall-a");
    expect(a.heard().filter((what) => what.startsWith("initial_failure"))).toEqual([]);
  });

  test.concurrent.skipIf(!mounted)("one cannot write: the other alarms, and recovers when there is room", async () => {
    await using pair = await openPair(join(disk, "data"));
    const { a, b } = pair;
    await bothWell(pair);
    const full = join(disk, "full");
    for (let bytes = 4 * 1024 * 1024; bytes >= 512; bytes /= 2) {
      try {
        for (;;) writeFileSync(full, "x".repeat(bytes), { flag: "a" });
      } catch {
        // A smaller piece may still fit.
      }
    }
    await until("a report that is refused", async () =>
      (await report(a.service, a.key, "job", "?schedule=0+3+*+*+*")) === 503 ? true : null,
    );
    await hears(b, "initial_failure rollcall-a");
    const { why } = await a.service.logged("self_ping_withheld");
    expect(why).toMatch(/disk/);
    unlinkSync(full);
    await hears(b, "recovered rollcall-a");
  });
});
