// Lists narrowed to a monitor, a pattern or a time, and the list of what can be brought back: the real engine behind a
// real socket.

import { expect, test } from "bun:test";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import { DAY, HOUR } from "../../src/domain/time.ts";
import { cells, DAILY, openRunning, type Running, withBackup } from "../support/commands.ts";
import { NOON, ping } from "../support/engine.ts";

async function json(place: Running, ...args: string[]): Promise<Record<string, unknown>[]> {
  const { exitCode, out, err } = await place.run(...args, "--json");
  expect({ args, exitCode, err }).toEqual({ args, exitCode: 0, err: "" });
  return JSON.parse(out);
}

const fail = (place: Running, monitorKey: string) =>
  place.service.send(ping({ monitorKey, kind: "fail", schedule: "0 2 * * *" }));

test("monitor list takes a key or a pattern, whose letters mean themselves", async () => {
  await using place = openRunning();
  for (const key of ["backup", "backup-web", "backup.db", "nightly-backup"])
    await place.run("monitor", "create", key, ...DAILY);
  const keys = async (...args: string[]) => (await json(place, "monitor", "list", ...args)).map(({ key }) => key);
  expect(await keys("backup")).toEqual(["backup"]);
  expect(await keys("backup*")).toEqual(["backup", "backup-web", "backup.db"]);
  expect(await keys("*backup*")).toHaveLength(4);
  expect(await keys("backup?web")).toEqual([]);
  await place.run("monitor", "pause", "backup");
  expect(await keys("backup*", "--status", "paused")).toEqual(["backup"]);
  expect((await place.run("monitor", "list", "x*")).err).toBe("there is no monitor with the key x*");
  expect((await place.run("monitor", "list", "b*", "--status", "critical")).err).toBe(
    "no monitor with the key b* is critical",
  );
});

test("notify list is narrowed to a monitor, in every state, and to a time", async () => {
  await using place = openRunning();
  await fail(place, "old");
  place.service.at(NOON + 2 * DAY);
  await fail(place, "new");
  const about = async (...args: string[]) =>
    (await json(place, "notify", "list", ...args)).map((row) => row["monitorKey"]);
  expect(await about()).toEqual(["new", "old"]);
  expect(await about("--monitor", "old")).toEqual(["old"]);
  expect(await about("--monitor", "old", "--since", "1d")).toEqual([]);
  expect(await about("--since", "1d")).toEqual(["new"]);
  place.service.store.database.run("UPDATE deliveries SET outcome = 'sent', finished_at = created_at");
  expect(await about("--monitor", "new", "--sent")).toEqual(["new"]);
  expect(await about("--since", "1d")).toEqual(["new"]);
  expect((await place.run("notify", "list", "--monitor", "old", "--since", "1d")).err).toBe(
    "there are no such deliveries",
  );
  expect(await place.run("notify", "list", "--monitor", "nothing")).toMatchObject({
    exitCode: 1,
    err: 'key: there is no monitor "nothing"; `rollcall monitor list` shows all',
  });
});

test("app syncs is narrowed to what was done to a monitor", async () => {
  await using place = openRunning();
  const sync = (hour: number, ...keys: string[]) => {
    place.service.at(NOON + hour * HOUR);
    const declared = { ...NOTHING_DECLARED, schedule: "0 2 * * *" };
    const entries = keys.map((key) => ({ key, declared, metadata: null }));
    const by = { applicationId: 1, application: "prod", keyId: 3, scope: "sync" } as const;
    place.service.engine.intake.sync(by, { source: "worker", version: String(hour), authoritative: true, entries });
  };
  sync(0, "a", "b");
  sync(1, "a", "b", "c");
  sync(2, "b", "c");
  const versions = async (...args: string[]) =>
    (await json(place, "app", "syncs", ...args)).map(({ version }) => version);
  expect(await versions()).toEqual(["2", "1", "0"]);
  expect(await versions("--monitor", "a")).toEqual(["2", "0"]);
  expect(await versions("--monitor", "c", "--limit", "5")).toEqual(["1"]);
  expect((await place.run("app", "syncs", "--monitor", "d")).err).toBe("there was no such bulk sync");
});

test("R25: monitor deleted lists what monitor undelete brings back, and for how long", async () => {
  await using place = await withBackup();
  expect(await place.run("monitor", "deleted")).toEqual({
    exitCode: 0,
    out: "",
    err: "no monitor was deleted in the last 7 days",
  });
  for (const key of ["early", "late"]) await place.run("monitor", "create", key, ...DAILY);
  await place.run("monitor", "delete", "early");
  place.service.at(NOON + DAY);
  await place.run("monitor", "delete", "late");
  await place.run("monitor", "delete", "backup");
  await place.run("monitor", "create", "backup", ...DAILY);
  expect(cells((await place.run("monitor", "deleted")).out)).toEqual([
    ["MONITOR", "DELETED (UTC)", "HISTORY GOES", "KEY"],
    ["late", "2026-03-03 12:00 (now)", "2026-03-10 12:00 (in 7 d)", "free"],
    ["backup", "2026-03-03 12:00 (now)", "2026-03-10 12:00 (in 7 d)", "has another monitor"],
    ["early", "2026-03-02 12:00 (24 h ago)", "2026-03-09 12:00 (in 6 d)", "free"],
  ]);
  const cut = await place.run("monitor", "deleted", "--limit", "1");
  expect(cut.err).toBe("these are the newest 1; there are older ones, --limit shows more");
  expect((await place.run("__complete", "l", "monitor", "undelete")).out).toBe("late\tLate");
  expect(await place.run("monitor", "undelete", "late")).toMatchObject({ exitCode: 0 });
  place.service.at(NOON + 7 * DAY + HOUR);
  expect((await json(place, "monitor", "deleted")).map(({ key }) => key)).toEqual(["backup"]);
});

test("--json has the answer of every command, one list of several, and the exit code stays", async () => {
  await using place = openRunning();
  const parsed = async (...args: string[]) => {
    const { exitCode, out } = await place.run(...args, "--json");
    return { exitCode, ...{ answer: JSON.parse(out) } };
  };
  expect(await parsed("app", "create", "staging")).toMatchObject({ exitCode: 0, answer: { slug: "staging" } });
  expect((await parsed("key", "create", "prod")).answer.key).toStartWith("ck_app_prod_");
  for (const key of ["job-1", "job-2"])
    expect((await parsed("monitor", "create", key, ...DAILY, "--app", "prod")).answer).toMatchObject({ key });
  const paused = await parsed("monitor", "pause", "job-*");
  expect(paused.answer).toMatchObject([{ changed: true, monitor: { key: "job-1" } }, { changed: true }]);
  expect((await parsed("monitor", "delete", "job-1", "--yes")).answer).toMatchObject({ key: "job-1" });
  expect(await place.run("monitor", "pause", "nothing", "--json")).toMatchObject({ exitCode: 1, out: "" });
});
