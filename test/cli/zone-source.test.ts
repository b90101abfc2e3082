// R13: which zone rules are in force: the machine's or those that are compiled in, whichever are newer.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newerZonesOfMachine, useNewerZones, zoneFilesOfMachine } from "../../src/cli/zone-source.ts";
import { compiledZonesVersion } from "../../src/domain/schedule/compiled-zones.ts";
import { COMPILED, spellTimezone, useZones } from "../../src/domain/schedule/zone.ts";
import { periodOf } from "../../src/domain/schedule/zone-rules.ts";
import { HOUR } from "../../src/domain/time.ts";
import { writeZones, zoneFile } from "../support/zone-files.ts";

const NOON = Date.UTC(2026, 2, 1, 12);
const COMPILED_VERSION = compiledZonesVersion();
let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "zoneinfo-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

function zonesOf(version: string | null, zones: Readonly<Record<string, number | Buffer>>, refused: string[] = []) {
  const made = mkdtempSync(join(directory, "zones-"));
  writeZones(made, version, zones);
  return newerZonesOfMachine(zoneFilesOfMachine(made), undefined, (name, why) => refused.push(`${name}: ${why}`));
}

type Zones = ReturnType<typeof zonesOf>;
const hoursOf = (zones: Zones, name: string): number | null => {
  const rules = zones.rulesOf(name);
  return rules === null ? null : periodOf(rules, NOON).offset / HOUR;
};

test("R13: the machine's files count when they are newer than what is compiled in, or as new", () => {
  const newer = zonesOf("2099a", { "Europe/Berlin": 5, "Mars/Olympus": 7 });
  expect([newer.version, hoursOf(newer, "Europe/Berlin")]).toEqual(["2099a", 5]);
  const same = zonesOf(COMPILED_VERSION, { "Europe/Berlin": 5 });
  expect([same.version, hoursOf(same, "Europe/Berlin")]).toEqual([COMPILED_VERSION, 5]);
  const longer = zonesOf(`${COMPILED_VERSION.slice(0, 4)}za`, { "Europe/Berlin": 5 });
  expect(hoursOf(longer, "Europe/Berlin")).toBe(5);
});

test("R13: older files, and those that do not say their version, do not", () => {
  for (const version of ["2019c", null]) {
    const zones = zonesOf(version, { "Europe/Berlin": 5 });
    expect([zones.version, zones.origin, hoursOf(zones, "Europe/Berlin")]).toEqual([COMPILED_VERSION, "rollcall", 1]);
  }
});

test("R13: without any files there are rules, too", () => {
  const zones = newerZonesOfMachine(zoneFilesOfMachine(join(directory, "nowhere")));
  expect([zones.machine, hoursOf(zones, "Asia/Tokyo")]).toEqual([null, 9]);
});

test("R13: a zone that only one of them has is known, whichever is newer", () => {
  for (const version of ["2099a", "2019c"]) {
    const zones = zonesOf(version, { "Mars/Olympus": 7 });
    expect([zones.spell("mars/OLYMPUS"), hoursOf(zones, "Mars/Olympus")]).toEqual(["Mars/Olympus", 7]);
    expect([zones.spell("asia/tokyo"), hoursOf(zones, "Asia/Tokyo")]).toEqual(["Asia/Tokyo", 9]);
    expect(zones.spell("Mars/Phobos")).toBeNull();
  }
});

test("R13: a link whose file is missing has the rules of its target in the newer release", () => {
  const zones = zonesOf("2099a", { "America/Los_Angeles": -3 });
  expect(hoursOf(zones, "US/Pacific")).toBe(-3);
});

test("R13: a damaged file is named, and what is compiled in stands for it", () => {
  const refused: string[] = [];
  const cut = zoneFile(5).subarray(0, -3);
  const zones = zonesOf("2099a", { "Europe/Berlin": cut }, refused);
  expect(hoursOf(zones, "Europe/Berlin")).toBe(1);
  expect(refused).toEqual(["Europe/Berlin: it has no footer"]);
});

test("R13: neither copies nor directories nor other files are zones", () => {
  const made = mkdtempSync(join(directory, "zones-"));
  writeZones(made, "2099a", { "posix/Mars/Olympus": 7, "right/Mars/Olympus": 7, localtime: 7, Factory: 0 });
  mkdirSync(join(made, "Mars"));
  writeFileSync(join(made, "leapseconds"), "# none");
  symlinkSync("/dev/zero", join(made, "Endless"));
  const zones = newerZonesOfMachine(zoneFilesOfMachine(made));
  const names = ["posix/Mars/Olympus", "right/Mars/Olympus", "localtime", "Factory", "Mars", "leapseconds", "Endless"];
  for (const name of names) expect([name, zones.spell(name)]).toEqual([name, null]);
});

test("R13: a name is spelled as its file is, or else as the newer rules spell it, whichever is asked first", () => {
  const TZDIR = mkdtempSync(join(directory, "zones-"));
  writeZones(TZDIR, "2019c", { "Mars/Olympus": 7, "Mars/Damaged": Buffer.from("TZif") });
  writeFileSync(join(TZDIR, "localtime"), zoneFile(7));
  const spelled = {
    ...{ "Mars/Olympus": "Mars/Olympus", "mars/OLYMPUS": "Mars/Olympus", "asia/tokyo": "Asia/Tokyo" },
    ...{ Mars: null, "Mars/Damaged": null, "Mars/Phobos": null, localtime: null, "../etc/passwd": null },
  };
  try {
    for (const [name, expected] of Object.entries(spelled)) {
      useNewerZones({ TZDIR });
      for (const _ of ["first", "again"]) expect([name, spellTimezone(name)]).toEqual([name, expected]);
    }
  } finally {
    useZones(COMPILED);
  }
});
