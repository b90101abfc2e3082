// R13: the time zone of a first start without configuration. It is the machine's, it is said, and it does not change by
// itself; `rollcall init` writes it down.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { firstKeyOf, firstWordsOf, openFolder, report } from "../support/executable.ts";

setDefaultTimeout(120_000);

const BERLIN = { TZ: "Europe/Berlin" };
const zones = `SELECT timezone FROM monitors ORDER BY key`;

test("R13: a first start without configuration takes the machine's time zone, says so, and keeps it", async () => {
  await using folder = openFolder();
  const first = await folder.serve(BERLIN);
  expect(firstWordsOf(first)).toContain("Schedules are read in Europe/Berlin.");
  await first.logged("timezone");
  expect(first.facts("timezone")).toMatchObject([{ timezone: "Europe/Berlin", from: "the first start" }]);
  const key = firstKeyOf(first);
  expect(await report(first, key, "a", "?schedule=0+2+*+*+*")).toBe(200);
  expect(folder.rows(zones)).toEqual([{ timezone: "Europe/Berlin" }]);
  await first.end("SIGKILL");

  // The machine has moved: what people have set up goes on to mean what it meant.
  const moved = await folder.serve({ TZ: "America/New_York" });
  await moved.logged("timezone_differs");
  expect(moved.facts("timezone")).toMatchObject([{ timezone: "Europe/Berlin", from: "the first start" }]);
  expect(moved.facts("timezone_differs")).toMatchObject([{ machine: "America/New_York", timezone: "Europe/Berlin" }]);
  expect(await report(moved, key, "b", "?schedule=0+2+*+*+*")).toBe(200);
  expect(folder.rows(zones)).toEqual([{ timezone: "Europe/Berlin" }, { timezone: "Europe/Berlin" }]);
  expect(await moved.end("SIGTERM")).toBe(0);

  const told = await folder.serve({ ...BERLIN, ROLLCALL_SERVER__TIMEZONE: "Asia/Tokyo" });
  await told.logged("timezone");
  expect(told.facts("timezone")).toMatchObject([{ timezone: "Asia/Tokyo", from: "server.timezone" }]);
  expect(told.facts("timezone_differs")).toEqual([]);
  expect(folder.rows(zones)).toEqual([{ timezone: "Asia/Tokyo" }, { timezone: "Asia/Tokyo" }]);
});

test("R13: a first start that is told its zone keeps that, also when nothing says it any more", async () => {
  await using folder = openFolder();
  const first = await folder.serve({ ...BERLIN, ROLLCALL_SERVER__TIMEZONE: "Asia/Tokyo" });
  expect(firstWordsOf(first)).toContain("Schedules are read in Asia/Tokyo.");
  expect(await first.end("SIGTERM")).toBe(0);
  const second = await folder.serve(BERLIN);
  await second.logged("timezone");
  expect(second.facts("timezone")).toMatchObject([{ timezone: "Asia/Tokyo", from: "the first start" }]);
});

test("R13: rollcall init writes the machine's time zone, and says so", async () => {
  await using folder = openFolder();
  const { exitCode, out } = await folder.run(["init", "."], BERLIN);
  expect(exitCode).toBe(0);
  expect(out).toContain("schedules are read in Europe/Berlin, the time zone of this machine");
  expect(readFileSync(join(folder.path, "rollcall.toml"), "utf8")).toContain('\ntimezone = "Europe/Berlin"\n');
  const check = await folder.run(["config", "check"]);
  expect(check.out).toContain("reads schedules in: Europe/Berlin\n");
});

test("R13: a first start whose TZ names no zone says so, and no command takes it for UTC in silence", async () => {
  await using folder = openFolder();
  const lost = { TZ: "Mars/Phobos" };
  const first = await folder.serve(lost);
  await first.logged("timezone_unread");
  expect(first.facts("timezone_unread")).toMatchObject([
    { doubt: 'TZ says "Mars/Phobos", which names no time zone', rule: expect.stringContaining("server.timezone") },
  ]);
  await first.logged("zone_rules");
  expect(first.facts("zone_rules")).toMatchObject([{ version: expect.stringMatching(/^20\d\d[a-z]+$/) }]);
  expect(await first.end("SIGTERM")).toBe(0);
  for (const command of [
    ["config", "check"],
    ["init", "new"],
  ])
    expect((await folder.run(command, lost)).err).toContain('TZ says "Mars/Phobos", which names no time zone');
});
