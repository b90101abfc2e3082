// `rollcall import` as a person gives it: what it shows, what it asks, and what it does then.

import { expect, test } from "bun:test";
import { type Folder, newFolder } from "../import/files.ts";
import { openRunning, type Running } from "../support/commands.ts";
import { granted } from "../support/service.ts";

const keys = async (place: Running): Promise<string[]> =>
  JSON.parse((await place.run("monitor", "list", "--json")).out).map(({ key }: { key: string }) => key);

const kuma = (folder: Folder): string[] => ["import", "kuma", folder.made("kuma.db")];

test("shows what becomes of each, what does not come, and what has no counterpart; then it asks", async () => {
  using folder = newFolder();
  await using place = openRunning();
  const refused = await place.runTyping(["n"], ...kuma(folder), "--prefix", "k-");
  expect(refused.exitCode).toBe(1);
  expect(refused.err).toContain('Import 5 monitors into application "prod"? [y/N]');
  expect(refused.err).toContain("nothing was done");
  expect(await keys(place)).toEqual([]);

  const { exitCode, out, err } = await place.runTyping(["y"], ...kuma(folder), "--prefix", "k-");
  expect(exitCode).toBe(0);
  expect(err).toContain('application "prod": 5 created; 5 old addresses work from now on');
  expect(out).toMatch(/^KEY +EXPECTED +GRACE +THERE +OLD +HERE/);
  expect(out).toContain("NOT IMPORTED");
  expect(out).toContain("NO COUNTERPART");
  expect(out).toMatch(/team-mail +smtp "Team mail" +not taken: none is kept here/);
  expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(out + err).not.toContain("aB3dE6gH9k");
  expect(out + err).not.toContain("SECRET");
  expect(await keys(place)).toHaveLength(5);
});

test("on a wide screen each line has all of a check", async () => {
  using folder = newFolder();
  await using place = openRunning();
  const { out } = await place.run("import", "healthchecks", folder.made("healthchecks.sqlite"), "--dry-run");
  const lines = out.split("\n").map((line) => line.trimEnd().split(/ {2,}/));
  expect(lines).toContainEqual(["every-25-h", "period 25h → at least every 25h", "2h", "-", "up", "1 kept", "new"]);
  expect(lines).toContainEqual([
    "weekly-report",
    "0 7 * * 7 → 0 7 * * 0",
    "1h",
    "UTC",
    "paused",
    "2 kept",
    "new, paused",
  ]);
  expect(lines).toContainEqual(["database-backup", "15 5 * * *", "20m", "Europe/Riga", "up", "1 kept", "new"]);
  expect(out).toContain(
    "at least every: a report is expected so long after the last one, at first so long after the import.",
  );
});

test("a dry run does nothing; again it says unchanged, and asks nothing", async () => {
  using folder = newFolder();
  await using place = openRunning();
  const dry = await place.run(...kuma(folder), "--dry-run");
  expect([dry.exitCode, dry.err]).toEqual([0, "nothing was changed (--dry-run)"]);
  expect(await keys(place)).toEqual([]);
  await place.run(...kuma(folder));
  const again = await place.runTyping([], ...kuma(folder));
  expect([again.exitCode, again.err]).toEqual([0, "nothing to do: 5 monitors unchanged"]);
  await place.run("monitor", "set", "worker-heartbeat", "--grace", "5m");
  const changed = await place.run(...kuma(folder), "--only", "worker-*");
  expect(changed.out).toContain("changes grace 5m to 1m");
  expect(changed.out).toContain("--skip leaves a monitor as it is here");
  expect(changed.err).toBe('application "prod": 1 changed');
});

test("says of each what a second import would put back", async () => {
  using folder = newFolder();
  await using place = openRunning();
  await place.run("monitor", "create", "nightly-backup", "--schedule", "0 2 * * *", "--grace", "3h");
  const first = await place.run(...kuma(folder));
  expect(first.out).toMatch(
    /nightly-backup .*exists here, not imported: drops schedule 0 2 \* \* \*; sets every 1d; .*; changes grace 3h to 2h/,
  );
  await place.run("monitor", "resume", "paused-push");
  await place.run("monitor", "delete", "worker-heartbeat", "--yes");
  const { out } = await place.run(...kuma(folder), "--dry-run");
  expect(out).toMatch(/paused-push .* pauses\n/);
  expect(out).toMatch(/worker-heartbeat .* was deleted: new again\n/);
  const skipped = await place.run(...kuma(folder), "--skip", "paused-push", "worker-*");
  expect(skipped.err).toBe("nothing to do: 3 monitors unchanged");
});

test("--paused: all begin with a pause that only a person ends", async () => {
  using folder = newFolder();
  await using place = openRunning();
  const { out } = await place.run(...kuma(folder), "--paused");
  expect(out.match(/new, paused/g)).toHaveLength(5);
  const statuses = async () =>
    JSON.parse((await place.run("monitor", "list", "--json")).out).map(({ status }: { status: string }) => status);
  expect(await statuses()).toEqual(Array(5).fill("paused"));
  expect((await place.run(...kuma(folder))).err).toBe("nothing to do: 5 monitors unchanged");
  expect((await place.run("monitor", "resume", "*", "--yes")).exitCode).toBe(0);
  // Those that the old service had paused stay so (R24).
  expect((await statuses()).sort()).toEqual(["paused", "paused", "pending", "pending", "pending"]);
});

test("more than one import takes are refused with the number and a remedy", async () => {
  using folder = newFolder();
  await using place = openRunning();
  const checks = Array.from({ length: 2_001 }, (_, place) => ({ name: `Job ${place}`, timeout: 3_600, grace: 60 }));
  const file = folder.write("many", JSON.stringify({ checks }));
  const { exitCode, err } = await place.run("import", "healthchecks", file);
  expect([exitCode, err]).toEqual([2, "2,001 monitors, at most 2,000: choose with --only or --skip"]);
  expect((await place.run("import", "healthchecks", file, "--skip", "job-7")).exitCode).toBe(0);
});

test("some of them alone; a pattern that means none is refused", async () => {
  using folder = newFolder();
  await using place = openRunning();
  await place.run(...kuma(folder), "--only", "*push", "nightly*", "--skip", "*-8");
  expect(await keys(place)).toEqual(["nightly-backup", "paused-push"]);
  const one = await place.run(...kuma(folder), "--only", "worker-heartbeat");
  expect(one.err).toBe('application "prod": 1 created; 1 old address works from now on');
  const none = await place.run(...kuma(folder), "--only", "nothing");
  expect([none.exitCode, none.err]).toEqual([2, 'no check would get the key "nothing"']);
  expect((await place.run(...kuma(folder), "--skip", "*")).err).toBe("--skip leaves nothing to import");
});

test("as JSON: what was asked and done, without an address", async () => {
  using folder = newFolder();
  await using place = openRunning();
  const { out, err } = await place.run(...kuma(folder), "--json", "--yes");
  expect(err).toBe("");
  const answer = JSON.parse(out);
  expect(answer).toMatchObject({
    service: "Uptime Kuma",
    application: "prod",
    monitors: [
      { key: "nightly-backup", everySeconds: 86_400, said: "every 1d, 2 retries after 1h", done: "created" },
      {},
      {},
      {},
      {},
    ],
    notImported: { length: 5 },
    withoutCounterpart: { length: 4 },
  });
  expect(out).not.toContain("/api/push/");
});

test("what cannot be read exits 2 and says why; a service that refuses exits 1, and nothing was done", async () => {
  using folder = newFolder();
  await using place = openRunning();
  const said = async (...args: string[]) => {
    const { exitCode, err } = await place.run("import", ...args);
    return [exitCode, err.replaceAll(/\s+/g, " ")];
  };
  expect(await said("cronitor", "https://cronitor.io")).toEqual([2, expect.stringContaining("set ROLLCALL_FROM_KEY")]);
  // Before a key is asked for.
  expect(await said("kuma", "https://kuma.example.org")).toEqual([2, expect.stringContaining("give its database")]);
  for (const stdin of ["-", "/dev/stdin"])
    expect(await said("cronitor", stdin)).toEqual([2, expect.stringContaining(`${stdin}: a file is needed`)]);
  for (const service of ["healthchecks", "kuma", "cronitor", "sync-status"])
    expect(await said(service, folder.write("nothing", ""))).toEqual([2, expect.stringMatching(/nothing: is empty$/)]);
  const latin1 = Buffer.from("jobs:\n  caf\xe9:\n    schedule: 0 2 * * *\n", "latin1");
  expect(await said("cronitor", folder.write("jobs.yaml", latin1))).toEqual([
    2,
    expect.stringMatching(/jobs.yaml: line 2 has bytes that are not UTF-8: save the file as UTF-8$/),
  ]);
  expect(await said("kuma", folder.made("healthchecks.sqlite"))).toEqual([
    2,
    expect.stringContaining("has no table monitor, so it is no database of Uptime Kuma"),
  ]);
  expect(await said("cronitor", "https://key@cronitor.io")).toEqual([2, expect.stringContaining("seen by everybody")]);
  expect(await said("healthchecks", folder.made("healthchecks.sqlite"), "--timezone", "Mars")).toEqual([
    2,
    expect.stringContaining("no time zone"),
  ]);
  expect(await said("kuma", folder.made("kuma.db"), "--app", "nowhere")).toEqual([
    1,
    expect.stringContaining('"nowhere" does not exist'),
  ]);
  expect((await place.run("import", "pingdom", "x")).exitCode).toBe(2);
  expect(await keys(place)).toEqual([]);
});

test("an answer of the API of Healthchecks that somebody has saved", async () => {
  using folder = newFolder();
  await using place = openRunning();
  const file = folder.write("answer", '{"checks": [{"name": "Backup", "timeout": 3600, "grace": 60, "status": "up"}]}');
  expect((await place.run("import", "healthchecks", file)).err).toBe('application "prod": 1 created');
  // The database has projects, an answer is of one.
  const project = await place.run("import", "healthchecks", file, "--project", "Home");
  expect([project.exitCode, project.err]).toEqual([
    2,
    expect.stringContaining("--project: a key of the API is of one"),
  ]);
  const other = folder.write("other", '{"data": []}');
  expect((await place.run("import", "healthchecks", other)).err).toContain('has no list "checks"');
});

test("an export of Cronitor, with what it tolerates", async () => {
  using folder = newFolder();
  await using place = openRunning();
  const file = folder.write("monitors.yaml", "jobs:\n  nightly:\n    schedule: 0 2 * * *\n    failure_tolerance: 1\n");
  const { out, err } = await place.run("import", "cronitor", file);
  expect(out).toContain("nightly");
  expect(granted(place.service.engine.operate("monitor show", { key: "nightly" })).settings.alertAfterFailures).toEqual(
    {
      value: 2,
      from: "declared",
      declared: 2,
    },
  );
  expect(err).toBe('application "prod": 1 created');
  const checks = folder.write("none.yaml", "checks:\n  home:\n    name: Home\n");
  const none = await place.run("import", "cronitor", checks);
  expect([none.exitCode, none.err]).toEqual([0, "Cronitor has no check that can be imported"]);
  expect(none.out).toContain('"Home" (check)');
});
