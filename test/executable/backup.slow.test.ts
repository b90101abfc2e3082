// Backups of the executable as its operator makes them: under load, through a kill, and put back without a false alarm.

import { Database } from "bun:sqlite";
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openStateLog } from "../../src/store/memory/state-log.ts";
import { EXECUTABLE, firstKeyOf, openFolder, report, until } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";

setDefaultTimeout(180_000);

const MINUTE = "?schedule=*%20*%20*%20*%20*&gracePeriod=60";

function proved(file: string): { reports: number } {
  // After a kill SQLite may have to take back an unfinished change first.
  const database = new Database(file, { readwrite: true });
  const check = database.query("PRAGMA integrity_check").get();
  const { reports } = database.query<{ reports: number }, []>("SELECT count(*) AS reports FROM pings").get()!;
  database.close();
  expect(check).toEqual({ integrity_check: "ok" });
  return { reports };
}

test("a backup holds every report that was answered before it began, while more come in", async () => {
  await using folder = openFolder();
  const service = await folder.serve({ ROLLCALL_LIMITS__V1_PER_MINUTE: "0", ROLLCALL_LIMITS__V1_PER_HOUR: "0" });
  const key = firstKeyOf(service);
  let answered = 0;
  let going = true;
  const jobs = Array.from({ length: 4 }, async (_, job) => {
    while (going) if ((await report(service, key, `job-${job}`, MINUTE)) === 200) answered += 1;
  });
  await until("some reports", () => (answered > 50 ? true : null));
  const before = answered;
  const made = await folder.run(["backup", "copy.db"]);
  going = false;
  await Promise.all(jobs);
  expect(made).toMatchObject({ exitCode: 0, out: expect.stringContaining("4 monitors, proved") });
  expect(proved(join(folder.path, "copy.db")).reports).toBeGreaterThanOrEqual(before);
  const again = await folder.run(["backup", "copy.db"]);
  expect(again).toMatchObject({ exitCode: 1, err: expect.stringContaining("exists already") });
});

test("killed at any moment of a backup, the executable leaves a whole one or none", async () => {
  await using folder = openFolder();
  const backups = join(folder.path, "data/backups");
  for (let life = 0; life < 6; life++) {
    const service = await folder.serve();
    void folder.run(["backup"]);
    await Bun.sleep(life * 40);
    await service.end("SIGKILL");
  }
  const last = await folder.serve();
  // One that outlived its service may have taken this second's name.
  await until("a backup", async () => ((await folder.run(["backup"])).exitCode === 0 ? true : null));
  const names = readdirSync(backups).filter((name) => name.endsWith(".db"));
  for (const name of names) proved(join(backups, name));
  expect(names.length).toBeGreaterThan(0);
  await last.end("SIGTERM");
});

test("killed at any moment of a restore, the executable leaves the old database or the new one, whole", async () => {
  await using folder = openFolder();
  let service = await folder.serve();
  const key = firstKeyOf(service);
  expect(await report(service, key, "before", MINUTE)).toBe(200);
  expect((await folder.run(["backup", "copy.db"])).exitCode).toBe(0);
  expect(await report(service, key, "after", MINUTE)).toBe(200);
  await service.end("SIGTERM");
  const database = join(folder.path, "data/rollcall.db");
  const found = new Set<number>();
  for (let life = 0; life < 12; life++) {
    const restore = Bun.spawn([EXECUTABLE, "restore", "copy.db"], {
      cwd: folder.path,
      stdio: ["ignore", "ignore", "ignore"],
    });
    await Bun.sleep(40 + life * 15);
    restore.kill("SIGKILL");
    await restore.exited;
    found.add(proved(database).reports);
  }
  for (const reports of found) expect([1, 2]).toContain(reports);
  service = await folder.serve();
  expect(await report(service, key, "after", MINUTE)).toBe(200);
  await service.end("SIGTERM");
  expect((await folder.run(["restore", "copy.db"])).exitCode).toBe(0);
  expect(readdirSync(join(folder.path, "data")).filter((name) => name.includes("partial"))).toEqual([]);
  expect(proved(database)).toEqual({ reports: 1 });
});

test("a restore that cannot be says why, and changes nothing", async () => {
  await using folder = openFolder({ empty: "", text: "no database" });
  const service = await folder.serve();
  expect((await folder.run(["backup", "copy.db"])).exitCode).toBe(0);
  await service.end("SIGTERM");
  const before = readdirSync(join(folder.path, "data")).toSorted();
  const said = async (file: string) => {
    const { exitCode, err } = await folder.run(["restore", file]);
    expect(exitCode).toBe(1);
    return err.trim();
  };
  expect(await said("none")).toBe(`${folder.path}/none does not exist; nothing was changed`);
  expect(await said("empty")).toBe(`${folder.path}/empty is empty; nothing was changed`);
  expect(await said("text")).toBe(`${folder.path}/text is not a database; it was left as it is`);
  expect(await said("data")).toBe(`${folder.path}/data is a directory, not a backup; nothing was changed`);
  expect(await said("")).toBe(`${folder.path} is a directory, not a backup; nothing was changed`);
  expect(readdirSync(join(folder.path, "data")).toSorted()).toEqual(before);
});

test("R26: after a restore nobody is alarmed for what happened since the backup", async () => {
  await using receiver = startHttpSink(() => new Response(null, { status: 204 }));
  await using folder = openFolder({
    "rollcall.toml": `[team]
destinations = ["receiver"]
[destinations.receiver]
type = "webhook"
url = "${receiver.url}"
secret = "whsec_${"a".repeat(32)}"`,
  });
  const service = await folder.serve();
  const key = firstKeyOf(service);
  expect(await report(service, key, "job", MINUTE)).toBe(200);
  expect((await folder.run(["backup", "copy.db"])).exitCode).toBe(0);
  expect(await folder.run(["restore", "copy.db"])).toMatchObject({
    exitCode: 1,
    err: expect.stringMatching(
      /^rollcall already runs .+: stop it first, such as by systemctl stop rollcall; nothing was changed\n$/,
    ),
  });
  await service.end("SIGTERM");
  // As if the copy were an hour old: the monitor's slots have passed since, and so has the last sign of life.
  const copy = new Database(join(folder.path, "copy.db"));
  copy.run("UPDATE liveness SET last_alive_at = last_alive_at - 3600000");
  openStateLog(copy);
  copy.run(
    "UPDATE monitor_states SET changed_at = changed_at - 3600000, expected_at = expected_at - 3600000, wake_at = wake_at - 3600000",
  );
  copy.close();
  const restored = await folder.run(["restore", "copy.db"]);
  expect(restored).toMatchObject({ exitCode: 0, out: expect.stringContaining("1 monitor") });
  expect(readdirSync(join(folder.path, "data")).some((name) => name.includes(".replaced-"))).toBe(true);

  const again = await folder.serve();
  expect(await report(again, key, "job", "")).toBe(200);
  expect(folder.rows("SELECT 1 FROM incidents")).toEqual([]);
  await again.end("SIGTERM");
  expect(receiver.requests.filter(({ body }) => JSON.parse(body).type !== "service.notice")).toEqual([]);
  expect(existsSync(join(folder.path, "data/rollcall.db.partial"))).toBe(false);
});

test("R26: what was told since the backup is closed where it was told, numbers go on, and the gap is told as a restore", async () => {
  await using receiver = startHttpSink(() => new Response("{}", { status: 202 }));
  const destinations = [
    `[destinations.pager]\ntype = "pagerduty"\nintegration_key = "${"a".repeat(32)}"\nurl = "${receiver.url}/pager"`,
    `[destinations.hook]\ntype = "webhook"\nurl = "${receiver.url}/hook"\nsecret = "whsec_${"a".repeat(32)}"`,
  ];
  const toml = `[team]\ndestinations = ["pager", "hook"]\n${destinations.join("\n")}\n`;
  await using folder = openFolder({ "rollcall.toml": toml });
  const received = (path: string) =>
    receiver.requests.filter((request) => request.path.endsWith(path)).map(({ body }) => JSON.parse(body));
  let service = await folder.serve();
  const key = firstKeyOf(service);
  const daily = "?schedule=0%202%20*%20*%20*";
  expect(await report(service, key, "known", daily)).toBe(200);
  expect((await folder.run(["backup", "copy.db"])).exitCode).toBe(0);
  for (const job of ["known", "new"]) expect(await report(service, key, job, `/fail${daily}`)).toBe(200);
  await until("both alarms everywhere", () => (receiver.requests.length >= 4 ? true : null));
  await service.end("SIGTERM");

  expect(await folder.run(["restore", "copy.db"])).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("2 incidents since the backup will be told as closed by the restore"),
  });
  service = await folder.serve();
  await until("both ends everywhere", () => (receiver.requests.length >= 8 ? true : null));
  const events = received("/pager");
  const keysOf = (action: string) =>
    events.flatMap((event) => (event.event_action === action ? [event.dedup_key] : [])).sort();
  expect(keysOf("trigger")).toHaveLength(2);
  expect(keysOf("resolve")).toEqual(keysOf("trigger"));
  expect(received("/hook").slice(2)).toMatchObject([
    { type: "monitor.recovered", data: { incidentId: "1", monitorKey: "known", reason: "restored" } },
    { type: "monitor.recovered", data: { incidentId: "2", monitorKey: "new", reason: "restored" } },
  ]);

  expect(await report(service, key, "known", `/fail${daily}`)).toBe(200);
  const again = await until("the new alarm", () => received("/hook")[4] ?? null);
  expect(again.data).toMatchObject({ incidentId: "3", monitorKey: "known", kind: "InitialFailure" });
  expect(folder.rows("SELECT min(id) AS first FROM deliveries")).toEqual([{ first: 5 }]);
  await service.end("SIGTERM");
  const database = new Database(join(folder.path, "data/rollcall.db"), { readonly: true });
  expect(database.query("SELECT DISTINCT reason FROM gaps").all()).toEqual([{ reason: "restored" }]);
  expect(database.query("SELECT 1 FROM sqlite_master WHERE name = 'restored'").get()).toBeNull();
  database.close();

  // Where the replaced database cannot say, numbers go on far above.
  await Bun.write(join(folder.path, "data/rollcall.db"), "no database");
  expect(await folder.run(["restore", "copy.db"])).toMatchObject({
    exitCode: 0,
    out: expect.stringContaining("the replaced database cannot be read"),
  });
  service = await folder.serve();
  expect(await report(service, key, "known", `/fail${daily}`)).toBe(200);
  const last = await until("the last alarm", () => received("/hook")[5] ?? null);
  expect(Number(last.data.incidentId)).toBeGreaterThan(3);
  await service.end("SIGTERM");
});

test("R26: an end that waits is told although the backup is restored once more", async () => {
  let answer = 204;
  await using receiver = startHttpSink(() => new Response(null, { status: answer }));
  await using folder = openFolder({
    "rollcall.toml": `[team]
destinations = ["receiver"]
[destinations.receiver]
type = "webhook"
url = "${receiver.url}"
secret = "whsec_${"a".repeat(32)}"`,
  });
  const received = () => receiver.requests.map(({ body }) => JSON.parse(body));
  let service = await folder.serve();
  const key = firstKeyOf(service);
  expect((await folder.run(["backup", "copy.db"])).exitCode).toBe(0);
  expect(await report(service, key, "job", "/fail?schedule=0%202%20*%20*%20*")).toBe(200);
  await until("the alarm", () => received()[0] ?? null);
  for (answer of [503, 503, 204]) {
    await service.end("SIGTERM");
    const before = received().length;
    expect((await folder.run(["restore", "copy.db"])).exitCode).toBe(0);
    service = await folder.serve();
    const end = await until("the end", () => received()[before] ?? null);
    expect(end).toMatchObject({ type: "monitor.recovered", data: { incidentId: "1", reason: "restored" } });
  }
  await service.end("SIGTERM");

  // Once it was taken, it is not told again.
  expect((await folder.run(["restore", "copy.db"])).exitCode).toBe(0);
  service = await folder.serve();
  expect(folder.rows("SELECT 1 FROM deliveries")).toEqual([]);
  await service.end("SIGTERM");
});
