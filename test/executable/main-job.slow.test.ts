// The main job of the executable: started where there is nothing, it shows a key and a line that works, once; and it
// keeps what is secret to itself.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { firstKeyOf, firstWordsOf, openFolder, report, until } from "../support/executable.ts";

setDefaultTimeout(120_000);

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

const curlLines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("curl"));

/** Runs the line as a person does who has copied it. */
async function inBash(line: string): Promise<{ exitCode: number; out: string }> {
  const shell = Bun.spawn(["bash", "-c", line], { stdout: "pipe", stderr: "inherit" });
  const out = await new Response(shell.stdout).text();
  return { exitCode: await shell.exited, out };
}

test("R35: an empty folder is enough: the first start shows application, key and a curl line that works; no later one does", async () => {
  await using folder = openFolder();
  const first = await folder.serve();
  const key = firstKeyOf(first);
  expect(key).toMatch(/^ck_app_default_[0-9A-Za-z]{32}$/);
  expect(firstWordsOf(first).match(/application "default"/gi)).toHaveLength(1);
  const lines = curlLines(firstWordsOf(first));
  expect(lines).toEqual([expect.stringContaining(key)]);

  const { exitCode, out } = await inBash(lines[0]!);
  expect(exitCode).toBe(0);
  expect(JSON.parse(out)).toEqual({
    status: "ok",
    monitor: "my-first-job",
    pingedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    warning: expect.stringMatching(/^Alerts of this monitor cannot be delivered: no destination /),
  });
  expect(folder.rows("SELECT key, schedule FROM monitors")).toEqual([{ key: "my-first-job", schedule: "*/5 * * * *" }]);

  expect(await first.end("SIGTERM")).toBe(0);
  const second = await folder.serve();
  expect(second.out()).toBe("");
  expect(await report(second, key, "my-first-job")).toBe(200);
});

test("everything in the data directory is its owner's alone, whatever the umask", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  expect(await report(service, firstKeyOf(service), "a", "?schedule=0%202%20*%20*%20*")).toBe(200);
  const data = join(folder.path, "data");
  const modes = Object.fromEntries(readdirSync(data).map((name) => [name, modeOf(join(data, name))]));
  expect(modeOf(data)).toBe("700");
  expect(modes).toEqual({
    "first-key": "600",
    "rollcall.db": "600",
    "rollcall.db-shm": "600",
    "rollcall.db-wal": "600",
    "rollcall.lock": "600",
    "rollcall.sock": "600",
  });
});

test("R2: the key stands neither in the log nor in any file, whatever is asked with it", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  const key = firstKeyOf(service);
  const paths = [
    `/api/v1/ping/a/${key}?schedule=0%202%20*%20*%20*`,
    `/api/v1/ping/a/${key}/fail`,
    `/api/v1/ping/a/${key}/elsewhere`,
    `/api/v1/ping/a/${key}?schedule=${key}`,
    `/elsewhere/${key}`,
  ];
  const statuses = [];
  for (const path of paths) statuses.push((await fetch(service.url + path)).status);
  expect(statuses).toEqual([200, 200, 404, 400, 404]);
  await service.logged("alert");
  expect((await folder.run(["key", "list"])).exitCode).toBe(0);

  expect(await service.end("SIGKILL")).toBe(137);
  expect(service.err()).not.toContain(key.slice(-32));
  const data = join(folder.path, "data");
  const files = readdirSync(data).filter((name) => !["rollcall.sock", "first-key"].includes(name));
  expect(files).toContain("rollcall.db-wal");
  for (const name of files) expect(readFileSync(join(data, name), "latin1")).not.toContain(key.slice(-32));
});

test("R2: the first report takes the key out of first-key, the sign-in the link, and the file goes", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  const file = join(folder.path, "data/first-key");
  const key = firstKeyOf(service);
  const link = /^ {2}(http\S+\/sign-in\/link\/[0-9A-Za-z]{43})$/m.exec(readFileSync(file, "utf8"))?.[1] ?? "none";
  expect(await report(service, key, "backup", "?schedule=0%202%20*%20*%20*")).toBe(200);
  const left = await until("the key to go", () => {
    const text = readFileSync(file, "utf8");
    return text.includes(key) ? null : text;
  });
  expect(left).toContain(link);
  const answer = await fetch(link, {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ name: "Ada", password: "correct horse battery", again: "correct horse battery" }),
    redirect: "manual",
  });
  expect(answer.status).toBe(303);
  expect(await until("the file to go", () => (existsSync(file) ? null : "gone"))).toBe("gone");
});

test("the first start's link makes the first administrator; no token or password is in the log or any file", async () => {
  await using folder = openFolder();
  const service = await folder.serve();
  const file = readFileSync(join(folder.path, "data/first-key"), "utf8");
  const link = /^ {2}(http\S+\/sign-in\/link\/[0-9A-Za-z]{43})$/m.exec(file)?.[1] ?? "none";
  const password = "correct horse battery";
  const answer = await fetch(link, {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ name: "Ada", password, again: password }),
    redirect: "manual",
  });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/"]);
  const [, token = "none"] = /^rollcall-session=(\w{43});/.exec(answer.headers.get("set-cookie") ?? "") ?? [];
  const account = await fetch(`${service.url}/account`, { headers: { cookie: `rollcall-session=${token}` } });
  expect(await account.text()).toContain("the role admin");
  expect((await folder.run(["user", "list"])).out).toContain("Ada");
  expect((await folder.run(["audit"])).out).toContain("set a password by a link");

  expect(await service.end("SIGKILL")).toBe(137);
  const again = await folder.serve();
  expect(again.facts("first_key_written")).toEqual([]);
  const kept = await fetch(`${again.url}/account`, { headers: { cookie: `rollcall-session=${token}` } });
  expect(kept.status).toBe(200);
  expect(await again.end("SIGKILL")).toBe(137);
  const data = join(folder.path, "data");
  const files = readdirSync(data).filter((name) => !["rollcall.sock", "first-key"].includes(name));
  const texts = [service.err(), again.err(), ...files.map((name) => readFileSync(join(data, name), "latin1"))];
  for (const secret of [link.split("/").at(-1)!, token, password])
    for (const text of texts) expect(text).not.toContain(secret);
});

test.each([
  ["under systemd", { JOURNAL_STREAM: "8:12345" }],
  ["where the output is no terminal, as in a container,", {}],
])(
  "%s nothing secret is printed: the key stands in the file `first-key`, and the log names that",
  async (_, environment) => {
    await using folder = openFolder();
    const service = await folder.serve(environment);
    const file = join(folder.path, "data/first-key");
    const lines = curlLines(readFileSync(file, "utf8"));
    const [key = "none"] = /ck_app_default_[0-9A-Za-z]{32}/.exec(lines.join()) ?? [];
    expect(modeOf(file)).toBe("600");
    expect(await service.logged("first_key_written")).toMatchObject({ file, applications: ["default"] });
    expect(service.out()).toBe("");
    expect(service.err()).not.toContain(key.slice(-32));
    expect(await inBash(lines[0]!)).toMatchObject({ exitCode: 0 });
  },
);
