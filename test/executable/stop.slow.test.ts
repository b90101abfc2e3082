// How the executable stops and how it refuses to start: nothing that was answered is lost, nothing that is not ours is
// touched, and the reason is always said.

import { Database } from "bun:sqlite";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { type Folder, firstKeyOf, openFolder, report, type Service, until } from "../support/executable.ts";
import { startRawSink } from "../support/http-sink.ts";

setDefaultTimeout(120_000);

const SCHEDULE = "?schedule=0%202%20*%20*%20*";

/** What the README promises. Milliseconds. */
const STOP_WITHIN = 5_000;

/** Ends the service and answers its exit code and how long that took, in milliseconds. */
async function timed(service: Service, signal: NodeJS.Signals): Promise<{ exitCode: number; took: number }> {
  const from = performance.now();
  const exitCode = await service.end(signal);
  return { exitCode, took: performance.now() - from };
}

interface HalfSent {
  finish(): void;
  /** What has come back so far. */
  received(): string;
  /** Settles when the server has closed the connection. */
  readonly closed: Promise<void>;
}

/** A completion on a connection of its own, without the end of its body: until that comes it cannot be answered. */
function sendHalf(service: Service, path: string): Promise<HalfSent> {
  const head = [`POST ${path} HTTP/1.1`, "Host: localhost", "Content-Type: application/json", "Content-Length: 15"];
  const { promise, resolve, reject } = Promise.withResolvers<HalfSent>();
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  let received = "";
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1", () => {
    socket.write(`${head.join("\r\n")}\r\n\r\n{"outcom`, () =>
      resolve({ finish: () => void socket.write('es":{}}'), received: () => received, closed }),
    );
  });
  socket.on("data", (part: Buffer) => {
    received += part.toString();
  });
  socket.on("close", () => close());
  socket.on("error", reject);
  return promise;
}

/** How many pings of each monitor stand in the database. */
const recorded = (folder: Folder): Map<unknown, unknown> =>
  new Map(
    folder
      .rows("SELECT key, count(*) AS pings FROM pings JOIN monitors ON monitors.id = monitor_id GROUP BY key")
      .map(({ key, pings }) => [key, pings]),
  );

/** A folder whose service takes as much as it can (R33). */
const openUnlimited = () => openFolder({ "rollcall.toml": "[limits]\nv1_per_minute = 0\nv1_per_hour = 0\n" });

const CLIENTS = 24;
const ANSWERS_BEFORE_THE_END = 2_000;

/** Clients that each ping a monitor of their own, one ping after the other, until the service is gone. */
function pingWithoutEnd(service: Service, key: string): { answered: Map<unknown, number>; over: Promise<unknown> } {
  const answered = new Map<unknown, number>();
  const client = async (monitor: string): Promise<void> => {
    for (;;) {
      const status = await report(service, key, monitor, SCHEDULE).catch(() => null);
      if (status !== 200) return;
      answered.set(monitor, (answered.get(monitor) ?? 0) + 1);
    }
  };
  return { answered, over: Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(`job-${number}`))) };
}

const enough = (answered: Map<unknown, number>) =>
  until("enough answers", () => {
    const count = [...answered.values()].reduce((sum, each) => sum + each, 0);
    return count >= ANSWERS_BEFORE_THE_END ? count : null;
  });

describe("a stop", () => {
  test("with nothing in flight is over at once, by either signal", async () => {
    await using folder = openFolder();
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      // A machine that stands still delays one stop; what the service itself waits for would delay each.
      let quickest = Number.POSITIVE_INFINITY;
      for (let stop = 0; stop < 3 && quickest >= STOP_WITHIN / 2; stop++) {
        const service = await folder.serve();
        expect(await report(service, "ck_app_unknown", "a")).toBe(401);
        const { exitCode, took } = await timed(service, signal);
        expect(exitCode).toBe(0);
        expect(service.facts("stopped")).toHaveLength(1);
        quickest = Math.min(quickest, took);
      }
      expect(quickest).toBeLessThan(STOP_WITHIN / 2);
    }
  });

  test("that is asked for while it still starts comes when it has started", async () => {
    await using folder = openFolder();
    const service = folder.launch();
    await service.logged("starting");
    expect(await service.end("SIGTERM")).toBe(0);
    expect(service.facts("stopped")).toHaveLength(1);
  });

  test("answers the pings in flight first, and takes no new ones", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    const key = firstKeyOf(service);
    const half = await Promise.all(
      Array.from({ length: 5 }, () => sendHalf(service, `/api/v1/ping/backup/${key}/complete${SCHEDULE}`)),
    );
    // Answered means that the server has seen what was sent before.
    expect(await report(service, key, "other", SCHEDULE)).toBe(200);
    const end = timed(service, "SIGTERM");
    await service.logged("stopping");
    await until("a closed port", () =>
      fetch(`${service.url}/healthz`).then(
        () => null,
        () => true,
      ),
    );
    expect(half.map(({ received }) => received())).toEqual(half.map(() => ""));
    for (const { finish } of half) finish();
    for (const { closed, received } of half) {
      await closed;
      expect(received()).toMatch(/^HTTP\/1\.1 200 [\s\S]*"status":"completed"/);
    }
    const { exitCode, took } = await end;
    expect(exitCode).toBe(0);
    expect(took).toBeLessThan(STOP_WITHIN);
    expect(recorded(folder).get("backup")).toBe(half.length);
  });

  test("does not wait for a webhook's receiver that never answers", async () => {
    await using receiver = await startRawSink();
    const destination = `type = "webhook"\nurl = "${receiver.url}"\nsecret = "whsec_${"a".repeat(32)}"`;
    const toml = `[team]\ndestinations = ["receiver"]\n[destinations.receiver]\n${destination}\n`;
    await using folder = openFolder({ "rollcall.toml": toml });
    const service = await folder.serve();
    expect(await report(service, firstKeyOf(service), "backup", `/fail${SCHEDULE}`)).toBe(200);
    await until("the webhook's connection", () => (receiver.connections() > 0 ? true : null));
    const { exitCode, took } = await timed(service, "SIGTERM");
    expect(exitCode).toBe(0);
    expect(took).toBeLessThan(STOP_WITHIN);
  });

  test("under load leaves in the database exactly what was answered", async () => {
    await using folder = openUnlimited();
    const service = await folder.serve();
    const { answered, over } = pingWithoutEnd(service, firstKeyOf(service));
    await enough(answered);
    expect((await timed(service, "SIGTERM")).exitCode).toBe(0);
    await over;
    expect([...recorded(folder)].sort()).toEqual([...answered].sort());
  });
});

test("what was answered before a SIGKILL is in the database", async () => {
  await using folder = openUnlimited();
  const service = await folder.serve();
  const { answered, over } = pingWithoutEnd(service, firstKeyOf(service));
  await enough(answered);
  expect(await service.end("SIGKILL")).toBe(137);
  await over;
  const pings = recorded(folder);
  // Each client waited for one answer when the service died; that ping may have been stored or not.
  const surplus = [...answered].map(([monitor, count]) => Number(pings.get(monitor)) - count);
  expect(surplus.filter((each) => each !== 0 && each !== 1)).toEqual([]);
  expect(surplus).toHaveLength(CLIENTS);
  await folder.serve();
});

describe("a start is refused", () => {
  const startFailure = (err: string): unknown =>
    err
      .split("\n")
      .filter((line) => line.includes('"start_failed"'))
      .map((line) => JSON.parse(line).error)[0];

  test("when another instance runs on the same directory, which is not disturbed", async () => {
    await using folder = openFolder();
    const service = await folder.serve();
    const key = firstKeyOf(service);
    const { exitCode, out, err } = await folder.run(["serve"]);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(startFailure(err)).toContain(`rollcall already runs on ${folder.path}/data`);
    expect(await report(service, key, "backup", SCHEDULE)).toBe(200);
    expect((await folder.run(["key", "list"])).exitCode).toBe(0);
  });

  test("when the port is taken; the next good start still shows the first key", async () => {
    await using folder = openFolder();
    await using taken = await startRawSink();
    const { exitCode, out, err } = await folder.run(["serve"], {
      ROLLCALL_SERVER__LISTEN: `127.0.0.1:${taken.port}`,
    });
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(startFailure(err)).toMatch(new RegExp(`\\b${taken.port}\\b.* in use`));
    const service = await folder.serve();
    expect(await report(service, firstKeyOf(service), "backup", SCHEDULE)).toBe(200);
  });

  test("by a broken configuration, with every fault and its place; nothing is created", async () => {
    const toml = '[server]\nlisten = "here"\nlisen = 1\n[team]\ndestinations = ["nowhere"]\n';
    await using folder = openFolder({ "rollcall.toml": toml });
    const { exitCode, out, err } = await folder.run(["serve"], { ROLLCALL_SERVER__LISTEN: "there" });
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    const faults = err.trimEnd().split("\n");
    expect(faults).toEqual([
      expect.stringMatching(/^ROLLCALL_SERVER__LISTEN: .*\bmust be\b/),
      expect.stringMatching(/^rollcall\.toml:3: server\.lisen: .*\blisten\b/),
      expect.stringMatching(/^rollcall\.toml:5: team\.destinations.*\bnowhere\b/),
    ]);
    expect(readdirSync(folder.path)).toEqual(["rollcall.toml"]);
  });

  test("by a database that a newer release has written, which stays as it is to the byte", async () => {
    await using folder = openFolder();
    expect(await (await folder.serve()).end("SIGTERM")).toBe(0);
    const file = join(folder.path, "data/rollcall.db");
    const database = new Database(file, { readwrite: true });
    database.run("INSERT INTO migrations (name, hash, applied_at) VALUES ('9999_of_a_newer_release', 'x', 1)");
    database.run("CREATE TABLE of_a_newer_release (id INTEGER PRIMARY KEY)");
    database.close(true);

    const before = readFileSync(file);
    const { exitCode, out, err } = await folder.run(["serve"]);
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
    expect(startFailure(err)).toMatch(
      /rollcall\.db was written by another version of rollcall: .*9999_of_a_newer_release/,
    );
    expect(readFileSync(file).equals(before)).toBe(true);
    const log = `${file}-wal`;
    expect(readdirSync(join(folder.path, "data")).includes("rollcall.db-wal") ? readFileSync(log).length : 0).toBe(0);
  });
});
