// `rollcall monitor …` as a person at a terminal sees it: the real engine behind a real socket.

import { describe, expect, test } from "bun:test";
import { HOUR } from "../../src/domain/time.ts";
import { cells, DAILY, openRunning, withBackup } from "../support/commands.ts";
import { changeRows } from "../support/database.ts";
import { NOON, ping, policyWith } from "../support/engine.ts";

test("monitor set --undo says what it took back, and that the same again brings it back", async () => {
  await using place = await withBackup();
  await place.run("monitor", "set", "backup", "--grace", "30m");
  await place.run("monitor", "set", "backup", "--grace", "10m");
  const { out, err } = await place.run("monitor", "set", "backup", "--undo");
  expect(out).toBe("changed backup back: grace 10 min → 30 min");
  expect(err).toContain("the same again brings back what this took back");
  expect((await place.run("monitor", "set", "backup", "--undo")).out).toBe(
    "changed backup back: grace 30 min → 10 min",
  );
});

describe("monitor create", () => {
  test("says what was created, and when its first report is expected, in its zone and everywhere", async () => {
    await using place = openRunning();
    const options = ["--timezone", "Europe/Berlin", "--grace", "30m", "--max-runtime", "2h", "--name", "The backup"];
    expect(await place.run("monitor", "create", "backup", ...DAILY, ...options)).toEqual({
      exitCode: 0,
      out: "created monitor backup",
      err: "its next report is expected at 2026-03-03 02:00:00 Europe/Berlin (in 13 h)",
    });
    const [monitor] = JSON.parse((await place.run("monitor", "list", "--json")).out);
    expect(monitor).toMatchObject({ name: "The backup", graceSeconds: 1_800, maxRuntimeSeconds: 7_200 });
  });

  test("one that exists, and a schedule that is none, are exit code 1 with a sentence", async () => {
    await using place = await withBackup();
    const again = await place.run("monitor", "create", "backup", ...DAILY);
    expect(again).toEqual({ exitCode: 1, out: "", err: 'key: monitor "backup" exists already in application "prod"' });
    const bad = await place.run("monitor", "create", "other", "--schedule", "0 2 * *");
    expect({ ...bad, err: "" }).toEqual({ exitCode: 1, out: "", err: "" });
    expect(bad.err).toStartWith("schedule: ");
  });

  test("needs a schedule or an interval, and not both", async () => {
    await using place = openRunning();
    const neither = await place.run("monitor", "create", "worker");
    expect(neither).toEqual({
      exitCode: 1,
      out: "",
      err: "schedule: it is missing, and so is every; name one of them, such as --schedule '0 2 * * *' or --every 25h",
    });
    const both = await place.run("monitor", "create", "worker", ...DAILY, "--every", "25h");
    expect(both).toEqual({
      exitCode: 1,
      out: "",
      err: "schedule, everySeconds (--every): both are given, name one of them",
    });
    expect(await place.run("monitor", "create", "worker", "--every", "25h")).toMatchObject({
      exitCode: 0,
      out: "created monitor worker",
    });
  });

  test("with an interval, its history says that what was due is not listed", async () => {
    await using place = openRunning();
    await place.run("monitor", "create", "worker", "--every", "25h");
    await place.service.send(ping({ monitorKey: "worker" }));
    const { out, err } = await place.run("monitor", "history", "worker");
    expect(cells(out)).toHaveLength(2);
    expect(err).toBe("it must report at least every 25 hours: what was due is not listed, only what came");
    expect(JSON.parse((await place.run("monitor", "history", "worker", "--json")).out)).toHaveLength(1);
  });
});

describe("monitor list", () => {
  test("has a line for each with status, schedule, expectation and last report", async () => {
    await using place = await withBackup();
    await place.service.send(
      ping({ monitorKey: "invoices", schedule: "*/5 * * * *", timezone: "Europe/Berlin" }),
      ping({ monitorKey: "invoices", kind: "fail" }),
    );
    await place.run("monitor", "pause", "backup");
    const { exitCode, out, err } = await place.run("monitor", "list");
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
    expect(cells(out)).toEqual([
      ["MONITOR", "STATUS", "SCHEDULE", "EXPECTED (UTC)", "LAST REPORT"],
      ["backup", "paused", "0 2 * * *", "-", "never"],
      ["invoices", "critical", "*/5 * * * * Europe/Berlin", "2026-03-02 12:05 (in 5 min)", "2026-03-02 12:00 (now)"],
    ]);
  });

  test("--status and --app choose, --json prints what machines read", async () => {
    await using place = await withBackup();
    await place.run("app", "create", "staging");
    await place.run("monitor", "create", "other", ...DAILY, "--app", "staging");
    const keys = async (...options: string[]) =>
      JSON.parse((await place.run("monitor", "list", "--json", ...options)).out).map(({ key }: { key: string }) => key);
    expect(await keys()).toEqual(["backup", "other"]);
    expect(await keys("--app", "staging")).toEqual(["other"]);
    expect(await keys("--status", "paused")).toEqual([]);
    expect(await place.run("monitor", "list", "--app", "nowhere")).toMatchObject({ exitCode: 1, out: "" });
  });

  test("an empty one is said on stderr, and is an empty list to a machine", async () => {
    await using place = openRunning();
    const empty = await place.run("monitor", "list");
    expect({ ...empty, err: "" }).toEqual({ exitCode: 0, out: "", err: "" });
    expect(empty.err).toStartWith("there are no monitors yet");
    expect(await place.run("monitor", "list", "--status", "critical")).toEqual({
      exitCode: 0,
      out: "",
      err: "no monitor is critical",
    });
    expect(await place.run("monitor", "list", "--json")).toEqual({ exitCode: 0, out: "[]", err: "" });
  });

  test("says when monitors cannot be read", async () => {
    await using place = await withBackup();
    changeRows(place.service.store, "update monitor_states set open_incident_id = 4711");
    expect(await place.run("monitor", "list", "--json")).toEqual({
      exitCode: 0,
      out: "[]",
      err: "monitor backup of application prod cannot be read: the log says why, and it can be deleted",
    });
  });
});

describe("monitor pause and resume", () => {
  test("R24: with an end, without, and what stands already", async () => {
    await using place = await withBackup();
    const done = (out: string, err = "") => ({ exitCode: 0, out, err });
    expect(await place.run("monitor", "pause", "backup", "--for", "2h")).toEqual(
      done("paused backup until 2026-03-02 14:00:00 UTC (in 2 h)"),
    );
    expect(await place.run("monitor", "pause", "backup", "--for", "2h", "--reason", "a new disk")).toEqual(
      done("paused backup until 2026-03-02 14:00:00 UTC (in 2 h): a new disk"),
    );
    expect((await place.run("monitor", "show", "backup")).out).toContain(
      "until 2026-03-02 14:00:00 (in 2 h): a new disk",
    );
    expect(await place.run("monitor", "pause", "backup")).toEqual(done("paused backup until it is resumed"));
    expect(await place.run("monitor", "pause", "backup")).toEqual(
      done("backup is paused already, until it is resumed"),
    );
    const expected = "its next report is expected at 2026-03-03 02:00:00 UTC (in 14 h)";
    expect(await place.run("monitor", "resume", "backup")).toEqual(done("resumed backup", expected));
    expect(await place.run("monitor", "resume", "backup")).toEqual(done("backup is not paused", expected));
  });

  test("R24: a fail under it opens an incident when it is resumed, which is said", async () => {
    await using place = await withBackup();
    await place.run("monitor", "pause", "backup");
    await place.service.send(ping({ monitorKey: "backup", kind: "fail" }));
    const { err } = await place.run("monitor", "resume", "backup");
    expect(err).toEndWith("incident 1 is open");
  });

  test("R24: what a source has paused cannot be resumed by hand: exit code 1", async () => {
    await using place = await withBackup();
    place.service.apply("backup", { kind: "withdraw" });
    const refused = await place.run("monitor", "resume", "backup");
    expect({ ...refused, err: "" }).toEqual({ exitCode: 1, out: "", err: "" });
    expect(refused.err).toContain("not paused by hand");
    await place.run("monitor", "pause", "backup");
    expect(await place.run("monitor", "resume", "backup")).toEqual({
      exitCode: 0,
      out: "lifted the pause by hand of backup",
      err: "it stays paused until its source declares it again",
    });
  });

  test.each(["30s", "366d", "2", "2h30m", "-1h", "soon"])("--for %s is wrong usage", async (duration) => {
    await using place = await withBackup();
    const { exitCode, out, err } = await place.run("monitor", "pause", "backup", `--for=${duration}`);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: "" });
    expect(err).toContain("from 1m to 365d");
  });
});

describe("monitor delete", () => {
  test("R25: prints what was deleted, what that closed, and that its history goes after 7 days", async () => {
    await using place = await withBackup();
    await place.service.send(ping({ monitorKey: "backup", kind: "fail" }));
    const { exitCode, out, err } = await place.run("monitor", "delete", "backup");
    expect({ exitCode, out }).toEqual({ exitCode: 0, out: "deleted monitor backup" });
    expect(err.split("\n")).toEqual([
      "incident 1 was closed by it, and the recovery is told",
      "its history goes after 7 days, at 2026-03-09 12:00:00 UTC (in 7 d); until then `monitor undelete` brings it back",
      "a report that carries a schedule, or every, creates it again, without that history",
    ]);
    expect(await place.run("monitor", "delete", "backup")).toMatchObject({ exitCode: 1, out: "" });
  });

  test("R25: an incident that cannot be read is closed, and it is said that nobody was told", async () => {
    await using place = await withBackup();
    await place.service.send(ping({ monitorKey: "backup", kind: "fail" }));
    place.service.store.database.run("update incidents set causes = '{'");
    const { exitCode, err } = await place.run("monitor", "delete", "backup");
    expect(exitCode).toBe(0);
    expect(err.split("\n")[0]).toBe(
      "incident 1 was closed by it; it could not be read, so no recovery is told: close it where it was told",
    );
    expect(await place.run("monitor", "list")).toMatchObject({ exitCode: 0, out: "" });
  });

  test("R25: says when the next start will create it again", async () => {
    await using place = openRunning(policyWith({ monitors: { backup: { schedule: "0 2 * * *" } } }));
    const { exitCode, err } = await place.run("monitor", "delete", "backup");
    expect(exitCode).toBe(0);
    expect(err).toContain("the next start creates it again");
  });
});

describe("which monitor is meant", () => {
  test("it is found in any application; where several have one of this key they are listed, exit code 1", async () => {
    await using place = await withBackup();
    await place.run("app", "create", "staging");
    await place.run("app", "create", "empty");
    for (const command of ["show", "pause", "resume"]) {
      expect(await place.run("monitor", command, "backup")).toMatchObject({ exitCode: 0 });
    }
    expect(await place.run("monitor", "show", "nothing")).toMatchObject({
      exitCode: 1,
      err: 'key: there is no monitor "nothing"; `rollcall monitor list` shows all',
    });
    expect(await place.run("monitor", "create", "new", ...DAILY)).toMatchObject({
      exitCode: 1,
      err: "application: there are 3, name one with --app: empty, prod, staging",
    });
    await place.run("monitor", "create", "backup", ...DAILY, "--app", "staging");
    for (const command of ["show", "pause", "resume", "delete"]) {
      expect(await place.run("monitor", command, "backup")).toEqual({
        exitCode: 1,
        out: "",
        err: 'application: 2 have a monitor "backup", name one with --app: prod, staging',
      });
    }
    expect(await place.run("monitor", "pause", "backup", "--app", "staging")).toMatchObject({ exitCode: 0 });
    expect((await place.run("monitor", "list", "--status", "paused", "--json")).out).toContain('"staging"');
  });

  test("R6: a key may hold anything a path or a shell makes something of", async () => {
    await using place = openRunning();
    const key = 'a/b?c=d&e#f%2F+g "h" \\ ü😀';
    expect(await place.run("monitor", "create", key, ...DAILY)).toMatchObject({ exitCode: 0 });
    expect((await place.run("monitor", "show", key)).out).toContain(key);
    for (const command of ["pause", "resume", "delete"]) {
      expect(await place.run("monitor", command, key)).toMatchObject({ exitCode: 0 });
    }
    expect(await place.run("monitor", "create", ...DAILY, "--", "-x")).toMatchObject({ exitCode: 0 });
  });
});

test("what was done by hand is there after a restart", async () => {
  await using place = await withBackup();
  await place.run("monitor", "pause", "backup", "--for", "2h");
  place.service.restart();
  expect(place.service.monitor("backup").pauses.manual).toEqual({ until: NOON + 2 * HOUR });
});

test("a refusal shows what it quotes and does not obey it", async () => {
  await using place = openRunning();
  expect((await place.run("monitor", "show", "a\u202eb")).err).toContain("a\\u202eb");
});
