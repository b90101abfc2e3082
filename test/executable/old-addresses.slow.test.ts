// Addresses of other services in the compiled program (R45): the real clients that have them go on as they are, once
// the old host name leads here. Beside the dashboard, after a restart, and with nothing of them in log or database.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isInstalled, placeScript, startCommand } from "../support/clients.ts";
import { openFolder, type Service } from "../support/executable.ts";
import { PING_KEY, TOKEN, UUID } from "../support/old-addresses.ts";

setDefaultTimeout(120_000);

const folder = openFolder();
afterAll(() => folder[Symbol.asyncDispose]());
let service: Service;
beforeAll(async () => {
  service = await folder.serve();
  await folder.run(["monitor", "create", "backup", "--schedule", "0 2 * * *"]);
  for (const address of [`https://hc.example.org/ping/${UUID}`, `/ping/${PING_KEY}/backup`, `/api/push/${TOKEN}`])
    expect((await folder.run(["address", "add", address, "backup"])).exitCode).toBe(0);
});

const kindsSince = (id: number) => folder.rows("SELECT kind, message FROM pings WHERE id > ? ORDER BY id", id);
const newest = () => Number(folder.rows("SELECT coalesce(max(id), 0) AS id FROM pings")[0]!["id"]);

/** What a shell writes, with the old host name in place of the service's. */
async function shell(line: string): Promise<{ readonly exitCode: number; readonly screen: string }> {
  const places = placeScript("", "none", null);
  try {
    const script = line.replaceAll("https://old.example.org", service.url);
    return await startCommand(["sh", "-c", script], { HOME: places.folder }).ended;
  } finally {
    places[Symbol.dispose]();
  }
}

describe("R45: lines that stand in crontabs", () => {
  test.each([
    [`curl -fsS -m 10 --retry 5 -o /dev/null https://old.example.org/ping/${UUID}`, [["heartbeat", null]], ""],
    [`curl -fsS -m 10 --retry 5 https://old.example.org/ping/${UUID}/start`, [["start", null]], "OK"],
    [`false; curl -fsS -m 10 --retry 5 https://old.example.org/ping/${UUID}/$?`, [["fail", "exit status 1"]], "OK"],
    [
      `m=$(echo a log); curl -fsS -m 10 --data-raw "$m" https://old.example.org/ping/${UUID}/log`,
      [["log", null]],
      "OK",
    ],
    [`curl -fsSI -m 10 -o /dev/null https://old.example.org/ping/${UUID}`, [["heartbeat", null]], ""],
    [`wget https://old.example.org/ping/${UUID} -T 10 -t 5 -q -O /dev/null`, [["heartbeat", null]], ""],
    [`wget --spider -q -T 10 -t 5 https://old.example.org/${UUID}/fail`, [["fail", null]], ""],
    [
      `curl -fsS -m 10 --retry 5 "https://old.example.org/ping/${PING_KEY}/backup/start?rid=4d3b3e1e-1f0c-4b1c-9f8e-0d6c2a1b7e51"`,
      [["start", null]],
      "OK",
    ],
    [`echo log | curl -fsS -m 10 --retry 5 -T - https://old.example.org/ping/${UUID}`, [["heartbeat", null]], "OK"],
    [
      `curl -fsS -m 10 "https://old.example.org/api/push/${TOKEN}?status=up&msg=OK&ping="`,
      [["heartbeat", null]],
      '{"ok":true}',
    ],
    [
      `curl -fsS -m 10 -G --data-urlencode "msg=disk full" -d status=down https://old.example.org/api/push/${TOKEN}`,
      [["fail", "disk full"]],
      '{"ok":true}',
    ],
  ] as const)("%s", async (line, kinds, answered) => {
    if (!isInstalled(line.includes("wget") ? "wget" : "curl")) return;
    const before = newest();
    expect(await shell(line)).toEqual({ exitCode: 0, screen: answered });
    expect(kindsSince(before)).toEqual(kinds.map(([kind, message]) => ({ kind, message })));
  });

  test("an unknown address fails as it did: curl -f says so, and nothing is recorded", async () => {
    const before = newest();
    const unknown = UUID.replaceAll("0", "1");
    expect((await shell(`curl -fsS -m 10 https://old.example.org/ping/${unknown}`)).exitCode).toBe(22);
    expect((await shell(`curl -fsS -m 10 https://old.example.org/api/push/${"x".repeat(32)}`)).exitCode).toBe(22);
    expect(kindsSince(before)).toEqual([]);
  });
});

/** As the program sends them: a POST with the end of the output, and a run id. */
test("R45: what runitor sends", async () => {
  const before = newest();
  const send = (path: string, body: string) =>
    fetch(`${service.url}/ping/${path}?rid=018f3a1c-5d2e-7c3b-9f4e-6a7b8c9d0e1f`, {
      method: "POST",
      headers: {
        "user-agent": "runitor/v1.3.0 (+https://bdd.fi/x/runitor)",
        "content-type": "text/plain; charset=utf-8",
      },
      body,
    });
  for (const [path, body] of [
    [`${UUID}/start`, ""],
    [`${UUID}/0`, "the output of the job\n"],
    [`${PING_KEY}/backup/start`, ""],
    [`${PING_KEY}/backup/3`, `${"x".repeat(10_000)}\nrsync: No space left on device\n`],
  ] as const)
    expect((await send(path, body)).status).toBe(200);
  expect(kindsSince(before)).toEqual([
    { kind: "start", message: null },
    { kind: "heartbeat", message: null },
    { kind: "start", message: null },
    { kind: "fail", message: "exit status 3: rsync: No space left on device" },
  ]);
});

test.skipIf(!isInstalled("borgmatic"))(
  "R45: borgmatic, with its logs and in the form that its version takes",
  async () => {
    const isOld = Bun.spawnSync(["borgmatic", "--version"]).stdout.toString().startsWith("1.7.");
    using places = placeScript("", "none", null);
    const at = (name: string): string => join(places.folder, name);
    const pinged = `healthchecks:\n    ping_url: ${service.url}/ping/${UUID}\n`;
    const what = isOld
      ? `location:\n    source_directories: [${at("latest.tar.gz")}]\n    repositories: [${at("kept")}]\nhooks:\n    ${pinged.replaceAll("\n    ", "\n        ")}`
      : `source_directories: [${at("latest.tar.gz")}]\nrepositories: [{ path: ${at("kept")} }]\n${pinged}`;
    writeFileSync(at("borgmatic.yaml"), what);
    const environment = { HOME: places.folder, BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK: "yes" };
    const backUp = () =>
      startCommand(["borgmatic", "-c", at("borgmatic.yaml"), "--syslog-verbosity", "-1", "create"], environment).ended;
    const before = newest();
    expect((await backUp()).exitCode).not.toBe(0);
    await startCommand(["borg", "init", "-e", "none", at("kept")], environment).ended;
    expect(await backUp()).toEqual({ exitCode: 0, screen: "" });
    expect(kindsSince(before).map(({ kind }) => kind)).toEqual(["start", "fail", "start", "heartbeat"]);
  },
);

describe("the dashboard beside them", () => {
  test("answers an unknown address at the root as it answers any page that is none", async () => {
    const [one, other] = await Promise.all([
      fetch(`${service.url}/${UUID.replaceAll("0", "1")}`),
      fetch(`${service.url}/no-such-page`),
    ]);
    expect([one.status, other.status]).toEqual([404, 404]);
    expect((await one.text()).replaceAll(/[\w-]{36}/g, "no-such-page")).toBe(
      (await other.text()).replaceAll(/[\w-]{36}/g, "no-such-page"),
    );
  });

  test("has its own pages still, whatever the method", async () => {
    expect((await fetch(`${service.url}/sign-in`)).status).toBe(200);
    expect((await fetch(`${service.url}/sign-in`, { method: "DELETE" })).status).toBe(405);
  });
});

describe("over plain HTTP from elsewhere", () => {
  test("R35: they are refused like every report", async () => {
    const before = newest();
    const headers = { "x-forwarded-for": "192.0.2.1", "x-forwarded-proto": "http" };
    for (const path of [`/ping/${UUID}`, `/${UUID}`, `/api/push/${TOKEN}`])
      expect((await fetch(service.url + path, { headers })).status).toBe(403);
    const secure = { ...headers, "x-forwarded-proto": "https" };
    for (const path of [`/ping/${UUID}`, `/${UUID}`, `/api/push/${TOKEN}`])
      expect((await fetch(service.url + path, { headers: secure })).status).toBe(200);
    expect(kindsSince(before)).toHaveLength(3);
  });
});

test("they work after a kill, are listed with their last use, and neither log nor file has one", async () => {
  const before = newest();
  await service.end("SIGKILL");
  service = await folder.serve();
  for (const path of [`/ping/${UUID}`, `/${PING_KEY}/backup`, `/api/push/${TOKEN}`])
    expect((await fetch(service.url + path)).status).toBe(200);
  expect(kindsSince(before)).toHaveLength(3);
  const listed = await folder.run(["address", "list"]);
  expect(listed.out).toMatch(/^ID +ADDRESS +SERVICE +MONITOR +ADDED/);
  expect(listed.out).toMatch(/\d +\/ping\/…0e1f +Healthchecks +backup +2/);
  expect(listed.out).toMatch(/\d +\/ping\/…01wx\/backup +Healthchecks +backup +2/);
  expect(listed.out).toMatch(/\d +\/api\/push\/…StUv +Uptime Kuma +backup +2/);
  const { out } = await folder.run(["address", "revoke", "3"]);
  expect(out).toMatch(/^revoked address 3, \/ping\/…01wx\/backup for monitor backup$/m);
  expect((await fetch(`${service.url}/${PING_KEY}/backup`)).status).toBe(404);
  await service.end("SIGTERM");
  const secrets = new RegExp(`${UUID.slice(0, 20)}|${PING_KEY}|${TOKEN}`);
  expect(service.out() + service.err()).not.toMatch(secrets);
  const files = readdirSync(join(folder.path, "data")).filter((name) => name.startsWith("rollcall.db"));
  expect(files.length).toBeGreaterThan(0);
  for (const name of files) expect(readFileSync(join(folder.path, "data", name), "latin1")).not.toMatch(secrets);
});
