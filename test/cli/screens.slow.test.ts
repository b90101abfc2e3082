// What all screens have in common: one zone that is named, ages beside instants, options that mean the same everywhere,
// and lines that a terminal of 80 columns need not break. The real engine behind a real socket.

import { describe, expect, test } from "bun:test";
import { age } from "../../src/cli/screens/spoken.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { scheduleInWords } from "../../src/domain/wording/schedule-words.ts";
import { span } from "../../src/domain/wording/short-time.ts";
import { rollcall } from "../support/command-line.ts";
import { cells, DAILY, openRunning, type Running, withBackup } from "../support/commands.ts";
import { NOON, ping, policyWith } from "../support/engine.ts";

const BERLIN = policyWith({ timezone: "Europe/Berlin" });

const linesOf = async (place: Running, ...args: string[]): Promise<string[]> =>
  (await place.run(...args)).out.split("\n");

describe("one zone on each screen", () => {
  test("a list is in the server's, which its head names; a schedule in another zone names that", async () => {
    await using place = openRunning(BERLIN);
    await place.run("monitor", "create", "here", ...DAILY);
    await place.run("monitor", "create", "there", ...DAILY, "--timezone", "America/New_York");
    const [head, ...rows] = cells((await place.run("monitor", "list")).out);
    expect(head).toEqual(["MONITOR", "STATUS", "SCHEDULE", "EXPECTED (Europe/Berlin)", "LAST REPORT"]);
    expect(rows).toEqual([
      ["here", "pending", "0 2 * * *", "2026-03-03 02:00 (in 13 h)", "never"],
      ["there", "pending", "0 2 * * * America/New_York", "2026-03-03 08:00 (in 19 h)", "never"],
    ]);
    await place.run("key", "create");
    for (const list of ["app", "key"]) expect((await linesOf(place, list, "list"))[0]).toContain("(Europe/Berlin)");
  });

  test("monitor show is in the monitor's, tables and facts", async () => {
    await using place = openRunning(BERLIN);
    await place.service.send(ping({ schedule: "0 2 * * *", timezone: "Asia/Tokyo" }));
    const { out } = await place.run("monitor", "show", "job");
    expect(out).toContain("All times here are in Asia/Tokyo.");
    expect(out.match(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g)).toEqual([
      "2026-03-03 02:00:00",
      ...Array.from({ length: 5 }, () => "2026-03-02 21:00:00"),
    ]);
    expect(out).not.toMatch(/Z\b|UTC/);
    place.service.failing.set("hook", "HTTP 503 Service Unavailable");
    const { out: now } = await place.run("monitor", "show", "job");
    expect(now).toContain("they cannot be delivered now:");
    expect(now).toContain("hook has taken no messages since 2026-03-02 21:00:00 (now): HTTP 503 Service Unavailable");
    expect(now).not.toContain("UTC");
  });
});

test("instants carry their age in one unit, the larger one from two of it on", () => {
  const spoken = (distance: number) => age(NOON + distance, { now: NOON, timezone: "UTC" });
  expect([0, 400, -400].map(spoken)).toEqual(["now", "now", "now"]);
  expect([-SECOND, -119 * SECOND, -2 * MINUTE, -119 * MINUTE].map(spoken)).toEqual([
    "1 s ago",
    "119 s ago",
    "2 min ago",
    "119 min ago",
  ]);
  expect([2 * HOUR - 30, 47 * HOUR, 2 * DAY, 97 * DAY].map(spoken)).toEqual(["in 2 h", "in 47 h", "in 2 d", "in 97 d"]);
});

test("durations under ten seconds are told to the millisecond, R37: longer ones in two units, rounded as messages do", () => {
  expect([0, 34, 999, 1_234, 9_999].map(span)).toEqual(["0 s", "34 ms", "999 ms", "1.234 s", "9.999 s"]);
  expect([5_000, 10_999, 75_999, 3_599_600].map(span)).toEqual(["5 s", "11 s", "1 min 16 s", "1 h"]);
  expect([24 * HOUR + MINUTE, 2 * DAY + 3 * HOUR].map(span)).toEqual(["24 h 1 min", "2 d 3 h"]);
});

test("runs of milliseconds do not all look the same; the contract's duration stays whole seconds", async () => {
  await using place = openRunning();
  for (const [count, took] of [34, 1_250, 61_000].entries()) {
    place.service.at(NOON + count * HOUR);
    await place.service.send(ping({ kind: "start", runId: `r${count}`, schedule: "0 * * * *" }));
    place.service.at(NOON + count * HOUR + took);
    await place.service.send(ping({ kind: "complete", runId: `r${count}` }));
  }
  const { out } = await place.run("monitor", "show", "job");
  const [, runs = "", pings = ""] = out.split("\n\n");
  expect(
    cells(runs)
      .slice(2)
      .map((row) => row.at(-1)),
  ).toEqual(["1 min 1 s", "1.250 s", "34 ms"]);
  expect(
    cells(pings)
      .slice(2)
      .map((row) => row.at(-1)),
  ).toEqual(["1 min 1 s", "-", "1.250 s", "-", "34 ms", "-"]);
  const shown = JSON.parse((await place.run("monitor", "show", "job", "--json")).out);
  expect(shown.pings[2]).toMatchObject({ durationSeconds: 1, durationMilliseconds: 1_250 });
  expect(shown.runs[2]).toMatchObject({ durationSeconds: 0, durationMilliseconds: 34 });
});

describe("R24: a maintenance window", () => {
  const windows = (...maintenance: { schedule: string; timezone: string | null; durationSeconds: number }[]) =>
    openRunning(policyWith({ monitors: { job: { schedule: "0 2 * * *", maintenance } } }));
  const shownBy = async (place: Running) =>
    cells((await place.run("monitor", "show", "job")).out).filter(([name]) => name === "maintenance");

  test("is told in words, with the next one", async () => {
    await using place = windows(
      { schedule: "25 1 22 11 *", timezone: null, durationSeconds: 7_200 },
      { schedule: "0 4 * * 0", timezone: "Europe/Berlin", durationSeconds: 5_400 },
    );
    const yearly = "at 01:25, on day 22 of the month, only in November, for 2 h (25 1 22 11 *)";
    const weekly = "at 04:00, only on Sunday, Europe/Berlin, for 1 h 30 min (0 4 * * 0)";
    expect(await shownBy(place)).toEqual([
      ["maintenance", `${yearly}; next 2026-11-22 01:25:00 (in 265 d) (configuration)`],
      ["maintenance", `${weekly}; next 2026-03-08 03:00:00 (in 6 d) (configuration)`],
    ]);
  });

  test("that lasts says until when", async () => {
    await using place = windows({ schedule: "0 11 * * *", timezone: null, durationSeconds: 7_200 });
    expect(await shownBy(place)).toEqual([
      [
        "maintenance",
        "at 11:00, every day, for 2 h (0 11 * * *); now, until 2026-03-02 13:00:00 (in 60 min) (configuration)",
      ],
    ]);
    await place.run("monitor", "resume", "job");
    expect((await shownBy(place))[0]![1]).toEndWith(
      "now, until 2026-03-02 13:00:00 (in 60 min), resumed in it (configuration)",
    );
  });
});

test("schedules in words, and none where words would mislead about days", () => {
  expect(["*/5 * * * *", "0 2 * * 1-5", "30 */2 * * *", "0 0 2 * * *", "@daily"].map(scheduleInWords)).toEqual([
    "every 5 minutes",
    "at 02:00, Monday through Friday",
    "at 30 minutes past the hour, every 2 hours",
    "at 02:00, every day",
    "at 00:00, every day",
  ]);
  expect(scheduleInWords("0 0 1 * 1")).toBeNull();
});

describe("R21: the deadline in force for a run", () => {
  const deadlineOf = async (place: Running) =>
    cells((await place.run("monitor", "show", "job")).out).find(([name]) => name === "run deadline");

  test("follows from the schedule, or from a last run that took longer", async () => {
    await using place = openRunning();
    await place.service.send(ping({ schedule: "0 * * * *", kind: "start" }));
    expect(await deadlineOf(place)).toEqual([
      "run deadline",
      "1 h 1 min after its start (a guess, from the time between two scheduled runs, 24 h at most, and the grace)",
    ]);
    place.service.at(NOON + 50 * MINUTE);
    await place.service.send(ping({ kind: "complete" }));
    expect((await deadlineOf(place))?.[1]).toBe(
      "1 h 40 min after its start (a guess, twice the last run, since that took so long)",
    );
  });

  test("is the max runtime where there is one, which is told by itself", async () => {
    await using place = await withBackup();
    await place.run("monitor", "create", "job", ...DAILY, "--max-runtime", "2h");
    expect(await deadlineOf(place)).toBeUndefined();
    expect((await place.run("monitor", "show", "job")).out).toMatch(/max runtime +2 h \(declared\)/);
  });
});

describe("options", () => {
  test("--app, --json and --limit mean the same everywhere", async () => {
    await using place = await withBackup();
    await place.run("app", "create", "staging");
    await place.run("monitor", "create", "other", ...DAILY, "--app", "staging");
    await place.service.send(ping({ monitorKey: "backup", kind: "fail" }));
    await place.run("monitor", "list");
    const count = async (...args: string[]) => JSON.parse((await place.run(...args, "--json")).out).length;
    const lists = ["monitor list", "incident list", "notify list", "key list", "app syncs", "monitor refused"];
    for (const list of lists.map((words) => words.split(" "))) {
      const found = [await count(...list, "--app", "prod"), await count(...list, "--app", "staging")];
      expect([list, found[0]! + found[1]!]).toEqual([list, await count(...list)]);
      expect(await place.run(...list, "--app", "nowhere")).toMatchObject({ exitCode: 1, out: "" });
    }
    expect(await count("incident", "list", "--app", "staging")).toBe(0);
    expect(await count("notify", "list", "--app", "staging")).toBe(0);
    expect(await count("notify", "list", "--app", "prod")).toBe(1);
    for (const list of ["incident list", "notify list", "app syncs", "monitor refused"].map((words) =>
      words.split(" "),
    )) {
      expect(await count(...list, "--limit", "1")).toBeLessThan(2);
      expect(await place.run(...list, "--limit", "1001")).toMatchObject({ exitCode: 2 });
    }
  });

  test("the only application need not be named, for a new key either; with several it must be", async () => {
    await using place = openRunning();
    expect((await place.run("key", "create")).out).toStartWith("ck_app_prod_");
    expect((await place.run("key", "create", "--app", "prod")).out).toStartWith("ck_app_prod_");
    await place.run("app", "create", "staging");
    expect(await place.run("key", "create")).toMatchObject({
      exitCode: 1,
      err: "application: there are 2, name one with --app: prod, staging",
    });
  });

  test("where there are several applications each line says which", async () => {
    await using place = await withBackup();
    await place.run("app", "create", "staging");
    expect((await place.run("monitor", "pause", "backup")).out).toBe("paused prod/backup until it is resumed");
    expect((await linesOf(place, "monitor", "list"))[0]).toStartWith("APPLICATION  MONITOR");
    await place.service.send(ping({ monitorKey: "backup" }), ping({ monitorKey: "job", schedule: "0 2 * * *" }));
    await place.service.send(ping({ monitorKey: "job", kind: "fail" }));
    expect(cells((await place.run("notify", "list")).out)[1]).toContain("Trouble began: prod/job");
    expect((await place.run("incident", "ack", "1")).out).toBe("acknowledged incident 1 of prod/job");
  });
});

describe("80 columns", () => {
  /** Every command, by its words. */
  async function commandsOf(...words: string[]): Promise<string[][]> {
    const { out } = await rollcall(words.length === 0 ? ["help", "all"] : [...words, "--help"]);
    const [, list = ""] = out.split(/Commands:\n|^Begin:\n/m);
    const names = [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = ""]) => name);
    const below = await Promise.all(names.map((name) => commandsOf(...words, name)));
    return names.length === 0 ? [words] : [words, ...below.flat()];
  }

  test("every command's help fits, with an example of each that does something", async () => {
    const commands = await commandsOf();
    expect(commands.length).toBeGreaterThan(25);
    for (const words of commands) {
      const { exitCode, out } = await rollcall([...words, "--help"]);
      expect({ words, exitCode }).toEqual({ words, exitCode: 0 });
      expect({ words, long: out.split("\n").filter((line) => line.length > 80) }).toEqual({ words, long: [] });
    }
  });

  test("a list of monitors has each key whole on a line", async () => {
    await using place = openRunning(policyWith({ timezone: "Europe/Berlin" }));
    const keys = ["database-backup-work-more", `backup-of-${"every-database-".repeat(3)}here`];
    for (const key of keys)
      await place.run("monitor", "create", key, "--schedule", "30 2,14 * * 1-5", "--timezone", "UTC");
    const { out } = await place.runAt(80, "monitor", "list");
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
    for (const key of keys) expect(out.split(/\s+/)).toContain(key);
  });

  test("every screen fits, broken between words and never within a command or an instant", async () => {
    await using place = openRunning(policyWith({ timezone: "America/Argentina/Buenos_Aires" }));
    const message = "cannot reach the database of the invoices, the connection was refused";
    await place.service.send(
      ping({ monitorKey: "nightly-backup", schedule: "0 2 * * *", timezone: "Europe/Berlin", kind: "start" }),
      ping({ monitorKey: "nightly-backup", kind: "fail", message }),
    );
    place.service.failing.set("hook", "HTTP 503 Service Unavailable");
    for (const words of ["monitor list", "monitor show nightly-backup", "incident list", "notify list", "key list"]) {
      const wide = await place.run(...words.split(" "));
      const narrow = await place.runAt(80, ...words.split(" "));
      expect({ words, long: narrow.out.split("\n").filter((line) => line.length > 80) }).toEqual({ words, long: [] });
      for (const instant of wide.out.match(/\d{4}-\d\d-\d\d \d\d:\d\d/g) ?? []) expect(narrow.out).toContain(instant);
    }
    const { err } = await place.runAt(40, "monitor", "show", "nothing");
    expect(err.split("\n")).toEqual(['key: there is no monitor "nothing";', "`rollcall monitor list` shows all"]);
  });
});

describe("colours", () => {
  const shownTo = (place: Running, environment: Record<string, string>, words: string, width: number | null = 80) =>
    rollcall(words.split(" "), { ROLLCALL_CONFIG: place.config, ...environment }, width);
  const RED = "\x1b[31m";

  test("are for words of ours that say how something stands, on a terminal without NO_COLOR", async () => {
    await using place = await withBackup();
    await place.service.send(
      ping({ monitorKey: "critical", schedule: "0 2 * * *", kind: "start" }),
      ping({ monitorKey: "critical", kind: "fail", message: "critical" }),
    );
    for (const words of [
      "monitor list",
      "monitor show critical",
      "monitor history critical",
      "incident list",
      "status",
    ]) {
      const { out } = await shownTo(place, {}, words);
      expect({ words, out }).toEqual({ words, out: expect.stringContaining(RED) });
      const plain = Bun.stripANSI(out);
      expect((await shownTo(place, { NO_COLOR: "1" }, words)).out).toBe(plain);
      expect((await shownTo(place, {}, words, null)).out).not.toContain("\x1b");
      expect((await shownTo(place, {}, `${words} --json`)).out).not.toContain("\x1b");
    }
    expect((await shownTo(place, {}, "monitor list")).out).toContain(`critical  ${RED}critical\x1b[0m  `);
  });
});
