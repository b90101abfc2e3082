// `rollcall setup`: by options, without a terminal, and broken off at one; and what `config set` keeps (R31).

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answerAt } from "../readme-terminal.ts";
import { EXECUTABLE, firstWordsOf, openFolder } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { startSmtpServer } from "../support/smtp-server.ts";

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
    out: expect.stringMatching(/^Subscribe to this topic of .* in the ntfy app now:\n\n {2}t\n\n.*\n$/),
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
    [["--mail", "mail.example.org"], /mail: word 1 is not KEY=VALUE, such as host=mail\.example\.org/],
    [[], /none of it, url and mail is given/],
  ] as [string[], RegExp][])
    expect(await folder.run(["config", "set", ...words])).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(err),
    });
  writeFileSync(file, "");
  expect(await folder.run(["config", "set", "--timezone", ""])).toMatchObject({ exitCode: 0 });
  await service.logged("timezone", { from: "the first start" });
});

test("a zone, an address or a beginning that does not exist is refused before anything is done", async () => {
  await using folder = openFolder({});
  await folder.serve();
  const answers = { timezone: "none", url: "none", destination: "ntfy", administrator: "Ada", watch: "none" };
  const settings = ["--setting", "url=http://127.0.0.1:1", "--setting", "topic=rollcall-3f9c2a7b51"];
  for (const [wrong, why] of [
    [{ timezone: "Mars/Base" }, '--timezone: there is no zone "Mars/Base"'],
    [{ watch: "discovr" }, '--watch: there is no "discovr", did you mean "discover"?'],
    [{ watch: "all" }, '--watch: there is no "all", must be one of discover, import, curl, none'],
    [{ url: "cron.example.org" }, '--url: "cron.example.org" must begin with http:// or https://'],
  ] as const) {
    const words = Object.entries({ ...answers, ...wrong }).flatMap(([name, value]) => [`--${name}`, value]);
    expect(await folder.run(["setup", ...words, ...settings])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining(why),
    });
  }
  expect((await folder.run(["audit"])).out).not.toContain("added a destination");
});

test("it ends with an alert of a job, and takes away what it made for that", async () => {
  await using ntfy = startHttpSink(() => Response.json({ id: "x" }));
  await using folder = openFolder({});
  const service = await folder.serve();
  const answers = ["timezone", "url", "administrator", "watch"].flatMap((name) => [`--${name}`, "none"]);
  const done = await folder.run(["setup", ...answers, "--destination", "ntfy", "--setting", `url=${service.url}`]);
  expect(done.err).not.toContain("destination list");
  // The service itself is no ntfy: the test does not arrive, and so nothing is tried.
  expect(done).toMatchObject({ exitCode: 1, err: expect.stringContaining("ntfy was not added") });
  expect((await folder.run(["audit"])).out).not.toContain("destination");
  const { origin } = new URL(ntfy.url);
  const { exitCode, out, err } = await folder.run([
    ...["setup", ...answers, "--destination", "ntfy", "--setting", `url=${origin}`],
  ]);
  expect({ exitCode, out }).toEqual({
    exitCode: 0,
    out: expect.stringContaining('sent the alert "Failed: Setup trial"'),
  });
  const [, topic] = /now:\n\n {2}(rollcall-[a-z\d]{5}-[a-z\d]{5})\n/.exec(out)!;
  expect(out).toContain(`A browser shows it at ${origin}/${topic}.`);
  expect(err).toContain(`it must be subscribed to ${topic}, letter by letter, at ${origin}`);
  const told = ntfy.requests.map(({ body }) => JSON.parse(body) as { title: string; message: string; topic: string });
  expect(told.map(({ title }) => title)).toEqual([
    expect.stringContaining("Test message"),
    "Failed: Setup trial",
    expect.stringContaining("Recovered: Setup trial"),
  ]);
  expect(told.every((message) => message.topic === topic)).toBe(true);
  expect(told[1]!.message).toStartWith("A trial by rollcall setup: nothing is wrong");
  expect((await folder.run(["monitor", "list"])).out).not.toContain("setup-trial");
  expect((await folder.run(["key", "list"])).out).toMatch(/setup-trial.*revoked/i);
  expect((await folder.run(["audit"])).out).toContain("added a destination");
});

test("a destination that cannot be is refused before anything is said or done", async () => {
  await using folder = openFolder({});
  await folder.serve();
  const answers = ["timezone", "url", "administrator", "watch"].flatMap((name) => [`--${name}`, "none"]);
  const refused = async (...words: string[]): Promise<string> => {
    const { exitCode, out, err } = await folder.run(["setup", ...answers, "--destination", ...words]);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    return err;
  };
  expect(await refused("nfty")).toContain('--destination: there is no type "nfty", did you mean "ntfy"?');
  expect(await refused("ntfy", "--setting", "topik=cron")).toContain(
    '--setting: ntfy has no "topik", did you mean "topic"?',
  );
  expect(await refused("ntfy", "--setting", "colour=red")).toContain(
    '--setting: ntfy has no "colour", must be one of url, url_file, topic, topic_file, token, token_file, severity, ',
  );
  expect(await refused("ntfy", "--setting", "cron")).toContain("--setting: word 1 is not KEY=VALUE, such as url=...");
  const secret = "https://hooks.example.com/x?token=hunter2";
  const said = await refused("slack", "--setting", "url=https://hooks.example.com/y", secret);
  expect(said).toContain("--setting: word 2 is not KEY=VALUE");
  expect(said).not.toContain("hooks.example.com");
  expect((await folder.run(["destination", "list"])).out).not.toContain("ntfy");
  // Which type only the configuration file may name, the service knows.
  const command = await folder.run(["setup", ...answers, "--destination", "command"]);
  expect(command).toMatchObject({ exitCode: 1, err: expect.not.stringContaining("there is no type") });
});

test("secrets are read from the input, a line each, and files lie where the command runs", async () => {
  await using ntfy = startHttpSink(() => Response.json({ id: "x" }));
  await using folder = openFolder({});
  const config = join(folder.path, "rollcall.toml");
  writeFileSync(config, `[storage]\ndirectory = ${JSON.stringify(join(folder.path, "data"))}\n`);
  await folder.serve();
  const answers = ["timezone", "url", "administrator", "watch"].flatMap((name) => [`--${name}`, "none"]);
  const { origin } = new URL(ntfy.url);
  const run = async (input: string, directory: string, ...words: string[]) => {
    const program = Bun.spawn([EXECUTABLE, "--config", config, ...words], {
      cwd: directory,
      stdin: Buffer.from(input),
      stderr: "pipe",
      stdout: "ignore",
    });
    const err = await new Response(program.stderr).text();
    return { exitCode: await program.exited, err };
  };
  const elsewhere = join(folder.path, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, "token"), "tk_of-a-file\n");
  const setup = ["setup", ...answers, "--destination", "ntfy", "--setting", `url=${origin}`, "topic=-"];
  const added = await run("topic-of-input\n", elsewhere, ...setup, "token_file=token");
  expect(added).toMatchObject({ exitCode: 0 });
  expect(ntfy.requests.map(({ body }) => (JSON.parse(body) as { topic: string }).topic)).toContain("topic-of-input");
  const two = ["destination", "add", "two", "ntfy", `url=${origin}`, "topic=-", "token=-"];
  expect(await run("first\ntk_second\n", folder.path, ...two)).toMatchObject({ exitCode: 0 });
  const last = ntfy.requests.at(-1)!;
  expect(last.body).toContain('"first"');
  expect(last.headers["authorization"]).toBe("Bearer tk_second");
  for (const [input, missing] of [
    ["", "topic"],
    ["first\n\n", "token"],
  ] as const)
    expect(await run(input, folder.path, ...two.with(2, "three"))).toEqual({
      exitCode: 1,
      err: `${missing}: the input has no line for it\n`,
    });
});

test("e-mail asks for the server that takes it", async () => {
  await using smtp = await startSmtpServer();
  await using folder = openFolder({});
  await folder.serve();
  const answers = ["timezone", "url", "administrator", "watch"].flatMap((name) => [`--${name}`, "none"]);
  const setup = ["setup", ...answers, "--destination", "email", "--setting", "to=ada@example.org"];
  expect(await folder.run(setup)).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining("--mail: no server takes our mail yet"),
  });
  const nobody = ["--mail", "host=127.0.0.1", `port=${freePort()}`, "from=cron@example.org"];
  expect(await folder.run([...setup, ...nobody])).toMatchObject({
    exitCode: 1,
    out: "mail goes through 127.0.0.1\nno mail server is kept\n",
    err: expect.stringContaining("connection refused"),
  });
  const mail = ["--mail", "host=127.0.0.1", `port=${smtp.port}`, "from=cron@example.org"];
  const { exitCode, out, err } = await folder.run([...setup, ...mail]);
  expect({ exitCode, err }).toEqual({
    exitCode: 0,
    err: expect.stringContaining("folder for spam of ada@example.org"),
  });
  expect(out).toContain("mail goes through 127.0.0.1\nadded destination email: its test arrived");
  expect(smtp.mails.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)![1])).toEqual([
    expect.stringContaining("Test message"),
    "Failed: Setup trial",
    expect.stringContaining("Recovered: Setup trial"),
  ]);
});

test("an alert that no job can cause is told: reports are taken over HTTPS alone", async () => {
  await using ntfy = startHttpSink(() => Response.json({ id: "x" }));
  await using folder = openFolder({});
  await folder.serve({ ROLLCALL_SERVER__PLAIN_HTTP: "refuse" });
  const answers = ["timezone", "url", "administrator", "watch"].flatMap((name) => [`--${name}`, "none"]);
  const setting = `url=${new URL(ntfy.url).origin}`;
  expect(await folder.run(["setup", ...answers, "--destination", "ntfy", "--setting", setting])).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("no job could try an alert: Reports are taken over HTTPS alone here."),
  });
});

test.if(Bun.which("script") !== null)("a terminal asks whether the alert arrived", async () => {
  await using ntfy = startHttpSink(() => Response.json({ id: "x" }));
  await using folder = openFolder({});
  await folder.serve();
  const words = ["--timezone none --url none --administrator none --watch none --destination ntfy"];
  const setup = `setup ${words} --setting url=${new URL(ntfy.url).origin}`;
  for (const [answer, exitCode, says] of [
    ["y", 0, "Alerts arrive."],
    ["n", 1, "it must be subscribed to rollcall-"],
  ] as const) {
    const ended = await answerAt(folder.path, `${EXECUTABLE} ${setup}`, [["Did it arrive", answer]]);
    expect(ended).toEqual([exitCode, expect.stringContaining(says)]);
    // A person copies it: it must begin as rollcall was called.
    if (answer === "n") expect(ended[1]).toContain(`\`${EXECUTABLE} notify list\` shows`);
  }
});

test.if(Bun.which("script") !== null)("Ctrl-C at a question leaves nothing done", async () => {
  await using folder = openFolder({});
  await folder.serve();
  const ended = await answerAt(folder.path, `${EXECUTABLE} setup`, [
    ["Time zone of your schedules", "\r"],
    ["Address that jobs", "\r"],
    ["Where do alerts go?", "\x03"],
  ]);
  expect(ended).toEqual([1, expect.stringContaining("nothing was done")]);
  expect((await folder.run(["audit"])).out).not.toContain("set what the server keeps");
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
  expect((await folder.run(["setup", ...answers, "--watch", "curl"])).out).toContain(`'${service.url}/api/v1/ping/`);
  const all = await folder.run(["setup", ...answers, "--watch", "discover"]);
  expect(all.out).toContain(`'${service.url}' ck_app_`);
  expect(all.out).toEndWith(`sudo ${EXECUTABLE} discover --apply\n`);
  const elsewhere = answers.toSpliced(3, 1, "https://cron.example.org");
  expect((await folder.run(["setup", ...elsewhere, "--watch", "curl"])).out).toContain(
    "'https://cron.example.org/api/v1/ping/",
  );
});

test("the first start names setup before anything else, as it works from any directory", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  const [, command = ""] = /^To set it up, .*:\n\n {2}(\S.* setup)\n/.exec(firstWordsOf(service))!;
  const { exitCode, stderr } = Bun.spawnSync(["/bin/sh", "-c", `${command} --watch none`], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    stdin: "ignore",
  });
  // It reached the service, and asks for the rest.
  expect([exitCode, stderr.toString()]).toEqual([2, expect.stringContaining("without a terminal these are needed")]);
  const { setup } = await service.logged("first_key_written");
  expect(setup).toBe(command);
});
