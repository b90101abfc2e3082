// Moving in, with the executable: another service's database, the pings of its clients at their old addresses, and a
// kill at any moment.

import { expect, test } from "bun:test";
import { newFolder } from "../import/files.ts";
import { firstKeyOf, openFolder, report, type Service } from "../support/executable.ts";

const statusOf = async (service: Service, path: string): Promise<number> =>
  (await fetch(service.url + path, { signal: AbortSignal.timeout(60_000) })).status;

test("a Healthchecks and a Kuma move in, and their clients go on at their old addresses", async () => {
  using files = newFolder();
  await using folder = openFolder();
  const service = await folder.serve();
  // What was asked for before is remembered as unknown, until the import.
  expect(await statusOf(service, "/ping/abc00001-0000-4000-8000-000000000001")).toBe(401);
  const healthchecks = ["import", "healthchecks", files.made("healthchecks.pg_dump.sql"), "--yes"];
  expect(await folder.run(healthchecks)).toMatchObject({
    exitCode: 0,
    err: expect.stringContaining("12 created; 16 old addresses work from now on"),
  });
  expect(await folder.run(["import", "kuma", files.made("kuma.db"), "--yes"])).toMatchObject({ exitCode: 0 });
  const again = await folder.run(healthchecks);
  expect(again.err).toContain("nothing to do: 12 monitors unchanged");

  expect(await statusOf(service, "/ping/abc00001-0000-4000-8000-000000000001")).toBe(200);
  expect(await statusOf(service, "/ping/pingkeypingkeypingkey1/filesystem-backup/fail")).toBe(200);
  expect(await statusOf(service, "/api/push/aB3dE6gH9k?status=up&msg=OK&ping=")).toBe(200);
  expect(await statusOf(service, "/ping/abc00001-0000-4000-8000-00000000ffff")).not.toBe(200);
  const statuses = async (): Promise<Record<string, string>> => {
    const listed: { key: string; status: string }[] = JSON.parse((await folder.run(["monitor", "list", "--json"])).out);
    return Object.fromEntries(listed.map(({ key, status }) => [key, status]));
  };
  const expected = {
    "database-backup": "healthy",
    "filesystem-backup": "critical",
    "nightly-backup": "healthy",
    "every-25-h": "pending",
    "weekly-report": "paused",
  };
  expect(await statuses()).toMatchObject(expected);

  await service.end("SIGKILL");
  const restarted = await folder.serve();
  expect(await statuses()).toMatchObject(expected);
  expect(await statusOf(restarted, "/api/push/nB8lM1nP4q")).toBe(200);
});

test("from one rollcall to another, by address and key, as from any service of the contract", async () => {
  await using here = openFolder();
  await using there = openFolder();
  const [own, other] = [await here.serve(), await there.serve()];
  const key = firstKeyOf(other);
  expect(await report(other, key, "nightly", "?schedule=0%202%20*%20*%20*&gracePeriod=600")).toBe(200);
  expect(await report(other, key, "worker", "?every=25h")).toBe(200);
  const moved = await here.run(["import", "sync-status", other.url], { ROLLCALL_FROM_KEY: key });
  expect(moved).toMatchObject({ exitCode: 0, err: expect.stringContaining("2 created") });
  expect(JSON.parse((await here.run(["monitor", "list", "--json"])).out)).toMatchObject([
    { key: "nightly", schedule: "0 2 * * *", graceSeconds: 600, status: "pending" },
    { key: "worker", schedule: null, everySeconds: 90_000, status: "pending" },
  ]);
  const { exitCode, err } = await here.run(["import", "sync-status", other.url], {
    ROLLCALL_FROM_KEY: "ck_app_x_wrong",
  });
  expect([exitCode, err]).toEqual([2, expect.stringContaining("refuses the key (401)")]);
  expect(err).not.toContain("ck_app_x_wrong");
  await own.end("SIGTERM");
  expect((await here.run(["import", "sync-status", other.url], { ROLLCALL_FROM_KEY: key })).exitCode).toBe(3);
});

test("a kill in the middle leaves all of an import, or nothing", async () => {
  using files = newFolder();
  const rows = Array.from({ length: 1_500 }, (_, number) => {
    const name = `job-${number}`;
    const code = `${String(number).padStart(8, "0")}-0000-4000-8000-000000000000`;
    return `${number + 1}\t${name}\t${name}\t${code}\t1 day\t01:00:00\tsimple\t* * * * *\tUTC\tup`;
  });
  const dump = files.write(
    "dump.sql",
    `COPY public.api_check (id, name, slug, code, timeout, grace, kind, schedule, tz, status) FROM stdin;\n${rows.join("\n")}\n\\.\n`,
  );
  const counts = async (killAfter: number | null): Promise<number> => {
    await using folder = openFolder();
    const service = await folder.serve();
    const importing = folder.run(["import", "healthchecks", dump, "--yes"]);
    await (killAfter === null ? importing : Bun.sleep(killAfter));
    await service.end("SIGKILL");
    await importing;
    await folder.serve();
    const [counted] = folder.rows(
      "SELECT (SELECT count(*) FROM monitors) AS monitors, (SELECT count(*) FROM old_addresses) AS addresses",
    );
    expect(counted!["monitors"]).toBe(counted!["addresses"]);
    return Number(counted!["monitors"]);
  };
  const began = performance.now();
  expect(await counts(null)).toBe(1_500);
  const whole = performance.now() - began;
  for (let part = 1; part <= 8; part++) expect([0, 1_500]).toContain(await counts((whole * part) / 9));
}, 300_000);
