// Databases that earlier versions wrote, brought to the present by the executable: nothing is lost, jobs alarm as
// before, the copy is there, and a kill at any call leaves what the next start completes. A newer database is left
// alone.

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MIGRATIONS } from "../../src/store/file/migrations.ts";
import { type Folder, openFolder, ROOT, report, type Service, until } from "../support/executable.ts";
import { type HttpSink, startHttpSink } from "../support/http-sink.ts";
import { hasCompiler, openDisk } from "../torture/disk.ts";
import { clockFrom } from "./clock-library.ts";

setDefaultTimeout(120_000);

const KEPT = join(ROOT, "test/upgrade");
const KEYS = JSON.parse(readFileSync(join(KEPT, "keys.json"), "utf8")) as Readonly<Record<string, string>>;
const VERSIONS = Object.keys(KEYS);
const OLDEST = VERSIONS[0]!;
/** What this executable makes of each. */
const NEWEST = MIGRATIONS.at(-1)!.name;

/** Tables that every version has, and whose rows a migration and a start keep. */
const LASTING = [
  "applications",
  "api_keys",
  "monitors",
  "monitor_states",
  "pings",
  "runs",
  "incidents",
  "alerts",
  "deliveries",
];
/** Of the first of them that a version may lack. */
const LATER = [
  "idempotency_answers",
  "syncs",
  "refused_reports",
  "audit",
  "sign_in_links",
  "senders",
  "pauses_by_hand",
];

const hookAt = (url: string): string =>
  `[applications.prod]\n[team]\ndestinations = ["hook"]\n[destinations.hook]\ntype = "webhook"\nurl = "${url}"\nsecret = "whsec_${btoa("x".repeat(24))}"\n`;

/** Puts the database of this version where the executable finds it; answers how many rows each table has. */
function putOld(path: string, version: string): Readonly<Record<string, number>> {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const file = join(path, "rollcall.db");
  writeFileSync(file, Bun.gunzipSync(readFileSync(join(KEPT, `${version}.db.gz`))), { mode: 0o600 });
  return countsIn(file);
}

function countsIn(file: string): Readonly<Record<string, number>> {
  using database = new Database(file, { readonly: true, strict: true });
  const tables = database.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return Object.fromEntries(
    tables.map(({ name }) => [name, database.query<{ n: number }, []>(`SELECT count(*) AS n FROM "${name}"`).get()!.n]),
  );
}

/** A clock that goes on where the old version's stopped: otherwise these tests would mean something else each day. */
function clockAfter(data: string): Record<string, string> {
  using database = new Database(join(data, "rollcall.db"), { readonly: true, strict: true });
  const { at } = database.query<{ at: number }, []>("SELECT max(at) AS at FROM pings").get()!;
  const [date = "", time = ""] = new Date(at + 1_000).toISOString().split(/[T.]/);
  return clockFrom!(`${date} ${time}`);
}

/** What preloads one library and what preloads another, as one. */
const bothOf = (one: Record<string, string>, other: Record<string, string>): Record<string, string> => ({
  ...one,
  ...other,
  LD_PRELOAD: `${one["LD_PRELOAD"]}:${other["LD_PRELOAD"]}`,
});

const copiesIn = (data: string): string[] =>
  existsSync(join(data, "backups")) ? readdirSync(join(data, "backups")).sort() : [];

/**
 * Every row is there, and each job stands as it stood. `recovered`: but for the incident of `failing`, which ended
 * before a restore and so stays over (R26).
 */
async function expectRows(folder: Folder, before: Readonly<Record<string, number>>, recovered = false): Promise<void> {
  const now = countsIn(join(folder.path, "data/rollcall.db"));
  for (const table of [...LASTING, ...LATER.filter((name) => before[name] !== undefined)])
    expect([table, now[table]]).toEqual([table, Math.max(before[table]!, now[table]!)]);
  expect(folder.rows("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  expect(folder.rows("PRAGMA foreign_key_check")).toEqual([]);
  const { out } = await folder.run(["monitor", "list", "--json"]);
  const listed = (JSON.parse(out) as { key: string; status: string }[]).map(({ key, status }) => [key, status]);
  expect(Object.fromEntries(listed)).toMatchObject({
    nightly: "healthy",
    failing: recovered ? "healthy" : "critical",
    acked: "critical",
    paused: "paused",
    running: "healthy",
  });
}

/** As `expectRows`, and what the old version's jobs and operator left behind is shown as it was. */
async function expectWhole(folder: Folder, before: Readonly<Record<string, number>>, recovered = false): Promise<void> {
  await expectRows(folder, before, recovered);
  const incidents = JSON.parse((await folder.run(["incident", "list", "--open", "--json"])).out) as {
    monitor: string;
  }[];
  expect(incidents).toHaveLength(recovered ? 1 : 2);
  const shown = JSON.parse((await folder.run(["monitor", "show", "nightly", "--json"])).out) as { settings: object };
  expect(shown.settings).toMatchObject({ schedule: { value: "0 2 * * *" }, graceSeconds: { value: 600 } });
}

/** A monitor that is well alarms, and one that is not recovers. */
async function expectAlarms(service: Service, key: string, sink: HttpSink): Promise<void> {
  expect(await report(service, key, "nightly", "/fail?message=new%20trouble")).toBe(200);
  expect(await report(service, key, "failing")).toBe(200);
  const told = () =>
    sink.requests.map(({ body }) => JSON.parse(body) as { type: string; data: { monitor?: { key: string } } });
  const has = (type: string, body: string): boolean =>
    told().some((each) => each.type === type && JSON.stringify(each.data).includes(body));
  await until("both alerts", () =>
    has("monitor.initial_failure", "new trouble") && has("monitor.recovered", "failing") ? true : null,
  );
}

describe.skipIf(clockFrom === null).each(VERSIONS)("the database of %s", (version) => {
  test("comes whole to the present, jobs alarm as before, and the copy is the old one", async () => {
    await using sink = startHttpSink(() => new Response());
    await using folder = openFolder({ "rollcall.toml": hookAt(sink.url) });
    const data = join(folder.path, "data");
    const before = putOld(data, version);
    const clock = clockAfter(data);
    const service = await folder.serve(clock);
    await expectWhole(folder, before);
    await expectAlarms(service, KEYS[version]!, sink);
    expect(await service.end("SIGTERM")).toBe(0);
    const isNewest = version === NEWEST;
    expect(service.facts("migrated")).toHaveLength(isNewest ? 0 : 1);
    expect(copiesIn(data)).toHaveLength(isNewest ? 0 : 1);
    for (const copy of copiesIn(data)) {
      expect(statSync(join(data, "backups", copy)).mode & 0o777).toBe(0o600);
      expect(countsIn(join(data, "backups", copy))).toEqual(before);
      expect((await folder.run(["restore", join(data, "backups", copy)])).exitCode).toBe(0);
      const again = await folder.serve(clock);
      await expectWhole(folder, before, true);
      expect(again.facts("migrated")).toHaveLength(1);
    }
  });
});

/** What commands kept in that version is in force. */
async function expectKept(folder: Folder, service: Service): Promise<void> {
  expect(service.facts("kept_left_out")).toEqual([]);
  const listed = async (...words: string[]) => JSON.parse((await folder.run([...words, "--json"])).out);
  const destinations = await listed("destination", "list");
  const kept = { kept: true, byDefault: true, overruled: null };
  expect(destinations).toMatchObject([
    { name: "phone", type: "ntfy", from: "rollcall destination add phone", ...kept },
    { name: "chat", type: "slack", from: "rollcall destination add chat", ...kept },
    { name: "email", type: "email", from: null, kept: false, byDefault: true },
  ]);
  expect((await folder.run(["destination", "list"])).out).toMatch(/^chat .* by default, prod\/paused$/m);
  expect(await listed("member", "list")).toMatchObject([
    { name: "Ada L.", email: "Ada@example.org", events: ["InitialFailure", "Recovered"], kept: true, overruled: null },
  ]);
  expect(await listed("status-page", "list")).toMatchObject([
    { application: "prod", title: 'Our "backups"', jobs: ["nightly", "label:db"], messages: false, kept: true },
  ]);
  expect(service.facts("timezone")).toMatchObject([{ timezone: "Europe/Berlin", from: "server.timezone" }]);
  expect((await folder.run(["destination", "export", "phone"])).out).toContain("[destinations.phone]");
}

test.skipIf(clockFrom === null)(
  "R31: what commands kept otherwise is in force, also of a restored backup",
  async () => {
    await using folder = openFolder({ "rollcall.toml": "[applications.prod]\n" });
    const data = join(folder.path, "data");
    putOld(data, "0058_incident_series");
    const clock = clockAfter(data);
    const service = await folder.serve(clock);
    await expectKept(folder, service);
    expect(await service.end("SIGTERM")).toBe(0);
    const [copy] = copiesIn(data);
    expect((await folder.run(["restore", join(data, "backups", copy!)])).exitCode).toBe(0);
    await expectKept(folder, await folder.serve(clock));
  },
);

describe.skipIf(!hasCompiler || clockFrom === null)("killed at a call of the first start", () => {
  const KILLS = 12;

  test("the next start has everything", async () => {
    await using sink = startHttpSink(() => new Response());
    await using folder = openFolder({ "rollcall.toml": hookAt(sink.url) });
    const data = join(folder.path, "data");
    using disk = openDisk(data);
    const putAnew = (): Readonly<Record<string, number>> => {
      rmSync(data, { recursive: true, force: true });
      return putOld(data, OLDEST);
    };
    putAnew();
    const clock = clockAfter(data);
    const environment = bothOf(clock, disk.environment);
    disk.failFrom(Number.MAX_SAFE_INTEGER, "killed", ["writes", "syncs"]);
    const whole = await folder.serve(environment);
    const calls = disk.works();
    await whole.end("SIGKILL");
    expect(calls).toBeGreaterThan(100);
    for (let kill = 0; kill < KILLS; kill++) {
      const before = putAnew();
      const call = 1 + Math.floor((kill * calls) / KILLS);
      disk.failFrom(call, "killed", ["writes", "syncs"]);
      const killed = folder.launch(environment);
      await until(`the kill at call ${call}`, () => (existsSync(`/proc/${killed.pid}/exe`) ? null : true));
      expect(await killed.end("SIGKILL")).toBe(137);
      disk.works();
      const service = await folder.serve(clock);
      await expectRows(folder, before);
      expect(copiesIn(data).filter((name) => !/^before-.+\.db$/.test(name))).toEqual([]);
      expect(copiesIn(data).length).toBeGreaterThan(0);
      expect(await service.end("SIGTERM")).toBe(0);
    }
  });
});

test("a newer version's database is refused, with what to do, and left to the byte", async () => {
  await using folder = openFolder({ "rollcall.toml": "" });
  const data = join(folder.path, "data");
  putOld(data, VERSIONS.at(-1)!);
  const present = await folder.serve();
  expect(await present.end("SIGTERM")).toBe(0);
  rmSync(join(data, "backups"), { recursive: true, force: true });
  rmSync(join(data, "first-key"), { force: true });
  const file = join(data, "rollcall.db");
  {
    using database = new Database(file, { strict: true });
    database.run("PRAGMA journal_mode = DELETE");
    database.run("INSERT INTO migrations VALUES ('9999_future', 'hash', 1)");
  }
  const before = readFileSync(file);
  const launched = folder.launch();
  const { error } = await launched.logged("start_failed");
  expect(await launched.end("SIGTERM")).toBe(1);
  expect(error).toBe(
    `${file} was written by another version of rollcall: it has the migration "9999_future", and this executable knows ` +
      `none after "${NEWEST}" in its place. Run the version that wrote it, or restore a backup; nothing was changed`,
  );
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(data).sort()).toEqual(["rollcall.db", "rollcall.lock"]);
});

describe("a disk with too little room for the copy", () => {
  const disk = mkdtempSync(join(tmpdir(), "rollcall-disk-"));
  const mounted = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=320k", "tmpfs", disk], {
    stderr: "ignore",
  }).success;
  afterAll(() => {
    if (mounted) Bun.spawnSync(["umount", "-l", disk]);
    rmSync(disk, { recursive: true });
  });

  test.skipIf(!mounted)("is named, with what to do, and nothing is changed", async () => {
    await using folder = openFolder({ "rollcall.toml": `[storage]\ndirectory = "${disk}/data"\n` });
    const before = putOld(`${disk}/data`, OLDEST);
    const launched = folder.launch();
    const { error } = await launched.logged("start_failed");
    expect(error).toContain("must be changed for this version, which copies it first");
    expect(error).toContain("Free some space, or go on with the version before; nothing was changed");
    expect(await launched.end("SIGTERM")).toBe(1);
    expect(countsIn(`${disk}/data/rollcall.db`)).toEqual(before);
    expect(copiesIn(`${disk}/data`)).toEqual([]);
  });
});
