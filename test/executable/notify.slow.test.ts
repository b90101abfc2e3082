// The executable's `notify` commands and a drill, end to end: a real mail server, a real webhook receiver, and the
// commands in processes of their own.
import { Database } from "bun:sqlite";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { Webhook } from "standardwebhooks";
import { HOUR } from "../../src/domain/time.ts";
import { firstKeyOf, openFolder, report, until } from "../support/executable.ts";
import { type HttpSink, startHttpSink } from "../support/http-sink.ts";
import { startSmtpServer, type TestSmtpServer } from "../support/smtp-server.ts";

setDefaultTimeout(120_000);

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

const configuration = (mail: TestSmtpServer, receiver: HttpSink): string => `
[server]
public_url = "https://cron.example.org"

[smtp]
host = "127.0.0.1"
port = ${mail.port}
from = "rollcall <cron@example.org>"

[team]
name = "Home"
destinations = ["receiver"]
members = [
  { name = "Ada", email = "ada@example.org" },
  { name = "Bob", email = "bob@example.org", events = [] },
]

[destinations.receiver]
type = "webhook"
url = "${receiver.url}"
secret = "${SECRET}"
`;

describe("notify", () => {
  test("test sends through a webhook and by mail to every member, and prints what they answered", async () => {
    await using mail = await startSmtpServer();
    await using receiver = startHttpSink(() => new Response(null, { status: 204 }));
    await using folder = openFolder({ "rollcall.toml": configuration(mail, receiver) });
    expect(await folder.run(["notify", "test", "receiver"])).toMatchObject({ exitCode: 3, out: "" });
    await folder.serve();

    expect(await folder.run(["notify", "test", "receiver"])).toEqual({
      exitCode: 0,
      out: "delivered to receiver: HTTP 204 No Content\n",
      err: "",
    });
    const [request] = receiver.requests;
    expect(new Webhook(SECRET).verify(request!.body, request!.headers)).toMatchObject({
      type: "destination.test",
      data: { incidentId: null, monitorKey: null, test: { kind: "test", from: "https://cron.example.org" } },
    });

    expect(await folder.run(["notify", "test", "email"])).toEqual({
      exitCode: 0,
      out: "delivered to ada@example.org (email): 250 2.0.0 kept\ndelivered to bob@example.org (email): 250 2.0.0 kept\n",
      err: "",
    });
    const { subject, text } = await PostalMime.parse(mail.mails[0]!.raw);
    expect(subject).toBe("Test message from rollcall at https://cron.example.org");
    expect(text).toContain("Nothing is wrong");

    expect(await folder.run(["notify", "test", "nowhere"])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining("these are: "),
    });
  });

  test("R36: a destination that failed is seen, repaired and tested at once, and what waited goes out by that", async () => {
    await using mail = await startSmtpServer();
    let status = 404;
    await using receiver = startHttpSink(() => new Response(null, { status }));
    await using folder = openFolder({ "rollcall.toml": configuration(mail, receiver) });
    const service = await folder.serve();
    await report(service, firstKeyOf(service), "backup", "/fail?schedule=0%202%20*%20*%20*");
    await service.logged("delivery_failed", { destination: "receiver" });

    const listed = await folder.run(["notify", "list"]);
    expect(listed).toMatchObject({ exitCode: 0, out: expect.stringContaining("Trouble began: backup") });
    expect(listed.err).toMatch(/^receiver has taken no messages since .*: HTTP 404 Not Found$/m);
    expect(listed.out + listed.err).not.toContain("T0SECRET");
    expect(await folder.run(["notify", "test", "receiver"])).toMatchObject({
      exitCode: 1,
      out: "",
      err: expect.stringMatching(
        /^not delivered to receiver: HTTP 404 Not Found\nnothing takes messages at this address: check it \(`\S*rollcall destination list` says where it is set\)\n$/,
      ),
    });

    status = 204;
    expect(await folder.run(["notify", "test", "receiver"])).toMatchObject({ exitCode: 0 });
    await service.logged("delivery_sent", { type: "monitor.initial_failure" });
    expect(await folder.run(["notify", "resend", "2"])).toMatchObject({ exitCode: 0 });
    await service.logged("delivery_sent", { delivery: 4 });
    const sent = JSON.parse((await folder.run(["notify", "list", "--json"])).out);
    const states = sent.map(({ id, kind, state, attempts }: Record<string, unknown>) => [id, kind, state, attempts]);
    expect(states).toEqual([
      [4, "test", "sent", 1],
      [3, "test", "sent", 1],
      [2, "test", "given_up", 1],
      [1, "InitialFailure", "sent", 2],
    ]);
    expect((await folder.run(["notify", "list"])).err).toBe("");
  });

  test("R36: a start with a changed configuration of a destination sends what waits there; one with the same does not", async () => {
    await using mail = await startSmtpServer();
    await using receiver = startHttpSink(
      (_, { path }) => new Response(null, { status: path === "/mended" ? 204 : 401 }),
    );
    const wrong = configuration(mail, receiver);
    await using folder = openFolder({ "rollcall.toml": wrong });
    const first = await folder.serve();
    await report(first, firstKeyOf(first), "backup", "/fail?schedule=0%202%20*%20*%20*");
    await first.logged("delivery_failed", { destination: "receiver" });
    await first.end("SIGTERM");

    const same = await folder.serve();
    await same.end("SIGTERM");
    expect(receiver.requests).toHaveLength(1);

    writeFileSync(
      join(folder.path, "rollcall.toml"),
      wrong.replace(receiver.url, new URL("/mended", receiver.url).href),
    );
    const mended = await folder.serve();
    await mended.logged("destinations_changed");
    await mended.logged("delivery_sent", { type: "monitor.initial_failure" });
    await mended.end("SIGTERM");
    const kept = folder.rows("select * from destinations order by name");
    expect(kept.map(({ name }) => name)).toEqual(["email", "receiver", "webpush"]);
    expect(JSON.stringify(kept)).not.toContain("mended");
  });
});

test("R31, R37: a program that the file names gets alerts, and does not outlive a stop of the service", async () => {
  await using folder = openFolder({});
  const program = join(folder.path, "page");
  writeFileSync(
    program,
    `#!/bin/sh\ncat >> ${folder.path}/got; echo >> ${folder.path}/got; env >> ${folder.path}/got\n`,
  );
  chmodSync(program, 0o755);
  const toml = `[team]\ndestinations = ["own"]\n[destinations.own]\ntype = "command"\nprogram = "${program}"\n`;
  writeFileSync(join(folder.path, "rollcall.toml"), toml);
  const service = await folder.serve({ ROLLCALL_SERVER__PUBLIC_URL: "https://cron.example.org", RESTIC_PASSWORD: "x" });
  expect(await folder.run(["notify", "test", "own"])).toEqual({
    exitCode: 0,
    out: "delivered to own: exit code 0\n",
    err: "",
  });
  const got = readFileSync(join(folder.path, "got"), "utf8");
  expect(JSON.parse(got.split("\n")[0]!)).toMatchObject({ type: "destination.test" });
  expect(got).not.toMatch(/^(?:ROLLCALL|RESTIC)_/m);

  writeFileSync(program, `#!/bin/sh\necho $$ > ${folder.path}/pid\nexec sleep 300\n`);
  await report(service, firstKeyOf(service), "backup", "/fail?schedule=0%202%20*%20*%20*");
  const pid = await until("the program", () => {
    const file = join(folder.path, "pid");
    return existsSync(file) ? Number(readFileSync(file, "utf8")) : null;
  });
  expect(await service.end("SIGTERM")).toBe(0);
  await until("the program's end", () => !isRunning(pid) || null);

  chmodSync(program, 0o644);
  const again = await folder.serve();
  await again.logged("program_cannot_run", { destination: "own" });
  await again.logged("delivery_failed", { destination: "own", answer: "it cannot be started (EACCES)" });
});

const isRunning = (pid: number): boolean => /^State:\t[^Z]/m.test(textOf(`/proc/${pid}/status`));

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

/** Moves the creation of every monitor back, so that nobody need wait for an hour. */
function makeOlder(path: string, milliseconds: number): void {
  using database = new Database(join(path, "data/rollcall.db"), { readwrite: true, strict: true });
  database.query("update monitors set created_at = created_at - ?").run(milliseconds);
}

test("a drill that is overdue at a start goes out once, to where the monitor's alerts go, and is shown", async () => {
  await using mail = await startSmtpServer();
  await using receiver = startHttpSink(() => new Response(null, { status: 204 }));
  const drilled = `
[applications.prod.monitors.backup]
schedule = "0 2 29 2 *"
drill = true
drill_every = "1h"
`;
  await using folder = openFolder({ "rollcall.toml": configuration(mail, receiver) + drilled });
  const first = await folder.serve();
  expect((await folder.run(["monitor", "show", "backup"])).out).toContain("every 1 h, the next at");
  await first.end("SIGKILL");
  makeOlder(folder.path, 2 * HOUR);

  const second = await folder.serve();
  await second.logged("delivery_sent", { type: "destination.test" });
  expect(receiver.requests.map(({ body }) => JSON.parse(body))).toMatchObject([
    { type: "destination.test", data: { monitorKey: "backup", test: { kind: "drill", everySeconds: 3600 } } },
  ]);
  const shown = await until("the drill's result", async () => {
    const { out } = await folder.run(["monitor", "show", "backup"]);
    return /last drill .*, delivered/.test(out) ? out : null;
  });
  expect(shown).toMatch(/receiver: arrived \d{4}-\d\d-\d\d/);
  expect(folder.rows("select count(*) as drills from drills")).toEqual([{ drills: 1 }]);
});
