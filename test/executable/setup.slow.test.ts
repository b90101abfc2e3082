// `rollcall setup`: by options, without a terminal, and broken off at one; and what `server set` keeps (R31).

import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXECUTABLE, openFolder } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { startHttpSink } from "../support/http-sink.ts";

setDefaultTimeout(120_000);

test("setup does all of it by its options, and says what is missing without a terminal", async () => {
  let takes = false;
  await using ntfy = startHttpSink(() => (takes ? Response.json({ id: "x" }) : new Response("", { status: 404 })));
  await using folder = openFolder({});
  expect(await folder.run(["setup"])).toMatchObject({ exitCode: 3, err: expect.stringContaining("is not running") });
  let service = await folder.serve();
  expect(await folder.run(["setup", "--url", "none"])).toMatchObject({
    exitCode: 2,
    err: 'without a terminal these are needed, or "none" behind them: --timezone, --destination, --administrator, --watch\n',
  });
  const setup = [
    ...["setup", "--timezone", "Asia/Tokyo", "--url", "https://cron.example.org", "--administrator", "Ada"],
    ...["--watch", "curl", "--destination", "ntfy", "--setting", `url=${new URL(ntfy.url).origin}`, "topic=t"],
  ];
  expect(await folder.run(setup)).toMatchObject({
    exitCode: 1,
    out: "",
    err: expect.stringMatching(/^ntfy was not added, .*\n.*\nwhat comes after that was not done: /),
  });
  takes = true;
  const done = await folder.run(setup);
  expect(done.exitCode).toBe(0);
  for (const line of ["added destination ntfy", "schedules are read in Asia/Tokyo", "/sign-in/link/", "curl -fsS"])
    expect(done.out).toContain(line);
  await service.logged("timezone", { timezone: "Asia/Tokyo", from: "server.timezone" });

  await service.end("SIGKILL");
  service = await folder.serve();
  await service.logged("timezone", { timezone: "Asia/Tokyo", from: "server.timezone" });
  expect((await folder.run(["user", "list"])).out).toContain("Ada");
  const file = join(folder.path, "rollcall.toml");
  writeFileSync(file, '[server]\ntimezone = "Europe/Berlin"\n');
  expect((await folder.run(["reload"])).exitCode).toBe(0);
  await service.logged("timezone", { timezone: "Europe/Berlin", from: "server.timezone" });
  for (const [words, err] of [
    [
      ["--timezone", "UTC"],
      /server\.timezone: "timezone" stands in the configuration \(rollcall\.toml:2\), and that wins/,
    ],
    [["--url", "ftp://x"], /server\.public_url: /],
    [[], /neither it nor url is given/],
  ] as [string[], RegExp][])
    expect(await folder.run(["server", "set", ...words])).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(err),
    });
  writeFileSync(file, "");
  expect(await folder.run(["server", "set", "--timezone", ""])).toMatchObject({ exitCode: 0 });
  await service.logged("timezone", { from: "the first start" });
});

test("a zone or an address that no service takes is refused before anything is done", async () => {
  await using folder = openFolder({});
  await folder.serve();
  const answers = { timezone: "none", url: "none", destination: "ntfy", administrator: "Ada", watch: "none" };
  const settings = ["--setting", "url=http://127.0.0.1:1", "--setting", "topic=rollcall-3f9c2a7b51"];
  for (const [wrong, why] of [
    [{ timezone: "Mars/Base" }, '--timezone: there is no zone "Mars/Base"'],
    [{ url: "cron.example.org" }, '--url: "cron.example.org" must begin with http:// or https://'],
  ] as const) {
    const words = Object.entries({ ...answers, ...wrong }).flatMap(([name, value]) => [`--${name}`, value]);
    expect(await folder.run(["setup", ...words, ...settings])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining(why),
    });
  }
  expect((await folder.run(["audit"])).out).not.toContain("destination add");
});

test.if(Bun.which("script") !== null)("Ctrl-C at a question leaves nothing done", async () => {
  await using folder = openFolder({});
  await folder.serve();
  const child = Bun.spawn(
    ["script", "--quiet", "--return", "--command", `stty cols 100 rows 40; '${EXECUTABLE}' setup`, "/dev/null"],
    { cwd: folder.path, stdin: "pipe", stdout: "pipe" },
  );
  const keys: [asked: string, key: string][] = [
    ["Time zone of your schedules", "\r"],
    ["Address that jobs", "\r"],
    ["Where do alerts go?", "\x03"],
  ];
  let screen = "";
  for await (const piece of child.stdout) {
    screen += Buffer.from(piece).toString();
    const [next] = keys;
    if (next === undefined || !screen.includes(next[0])) continue;
    keys.shift();
    child.stdin.write(next[1]);
    child.stdin.flush();
  }
  child.stdin.end();
  expect([await child.exited, screen]).toEqual([1, expect.stringContaining("nothing was done")]);
  expect((await folder.run(["audit"])).out).not.toContain("server set");
});

test("the line of the first report names the address at which this service listens", async () => {
  const listen = { ROLLCALL_SERVER__LISTEN: `127.0.0.1:${freePort()}` };
  await using folder = openFolder();
  const service = await folder.serve(listen);
  const answers = ["timezone", "url", "destination", "administrator"].flatMap((name) => [`--${name}`, "none"]);
  expect((await folder.run(["setup", ...answers, "--watch", "curl"], listen)).out).toContain(
    `'${service.url}/api/v1/ping/my-first-job/`,
  );
  // Only the service knows which one it got.
  const any = await folder.run(["setup", ...answers, "--watch", "curl"], { ROLLCALL_SERVER__LISTEN: "127.0.0.1:0" });
  expect(any.out).toContain("'http://127.0.0.1:PORT/api/v1/ping/my-first-job/");
  expect(any.err).toContain("the log's line `listening` has");
});
