// R13, R17: the rules of every zone are those that the machine's own tools read, however its files were written, and
// what is compiled in agrees with them; `Temporal` is a second judge.

import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compiledNames, compiledRules, compiledZonesVersion } from "../../src/domain/schedule/compiled-zones.ts";
import { readZoneFile } from "../../src/domain/schedule/tzif.ts";
import { periodOf, type ZoneRules } from "../../src/domain/schedule/zone-rules.ts";
import { SECOND } from "../../src/domain/time.ts";
import { rulesByTemporal } from "../support/runtime-zones.ts";

const [FROM, UNTIL] = [Date.UTC(2000, 0), Date.UTC(2041, 0)];

const PATH = `${process.env.PATH}:/usr/sbin`;
/** This machine's files, and the text of the release that they were made from. */
const MACHINE = process.env.TZDIR ?? "/usr/share/zoneinfo";
const TEXT = join(MACHINE, "tzdata.zi");
const version = existsSync(TEXT) ? (/^# version (\S+)/.exec(readFileSync(TEXT, "utf8"))?.[1] ?? null) : null;
const hasTools = version !== null && ["zdump", "zic"].every((tool) => Bun.which(tool, { PATH }) !== null);
const made = mkdtempSync(join(tmpdir(), "zones-"));
afterAll(() => rmSync(made, { recursive: true }));

const namesIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => !/^(?:posix|right)\b|^localtime$/.test(name) && statSync(join(directory, name)).isFile())
    .filter((name) => readFileSync(join(directory, name)).subarray(0, 4).equals(Buffer.from("TZif")))
    .sort();

/** One line for each change from 2000 to 2040: the first instant, and the offset in seconds. */
function changesOf(rules: ZoneRules): string[] {
  const lines: string[] = [];
  for (let { until } = periodOf(rules, FROM); until < UNTIL; ) {
    const period = periodOf(rules, until);
    lines.push(`${until / SECOND} ${period.offset / SECOND}`);
    until = period.until;
  }
  return lines;
}

/** The same as `zdump` tells it, which has a line for the second before a change and one for the change. */
function changesByMachine(directory: string, names: readonly string[]): Map<string, string[]> {
  const command = ["zdump", "-v", "-c", "2000,2041", ...names.map((name) => join(directory, name))];
  const text = Bun.spawnSync(command, { env: { PATH } }).stdout.toString();
  const found = new Map(names.map((name) => [name, [] as string[]]));
  const LINE = /^(\S+) +\w+ (\w+) +(\d+) ([\d:]+) (\d{4}) UTC? = .* gmtoff=(-?\d+)$/;
  let [before, of] = ["", ""];
  for (const line of text.split("\n")) {
    const [, path, month, day, time, year, offset] = LINE.exec(line) ?? [];
    if (path === undefined) continue;
    const at = Date.parse(`${day} ${month} ${year} ${time} UTC`);
    const isChange = of === path && before !== offset && at >= FROM;
    if (isChange && !time!.endsWith(":59"))
      found.get(path.slice(directory.length + 1))!.push(`${at / SECOND} ${offset}`);
    [before, of] = [offset!, path];
  }
  return found;
}

function rulesIn(directory: string, name: string): ZoneRules {
  const rules = readZoneFile(readFileSync(join(directory, name)));
  if (typeof rules === "string") throw new Error(`${name}: ${rules}`);
  return rules;
}

describe.skipIf(!hasTools)(`the zone files of this machine (tzdata ${version})`, () => {
  const names = hasTools ? namesIn(MACHINE) : [];
  const expected = hasTools ? changesByMachine(MACHINE, names) : new Map<string, string[]>();

  test("R17: every change of every zone from 2000 to 2040 is what zdump says", () => {
    for (const name of names) {
      expect([name, ...changesOf(rulesIn(MACHINE, name))]).toEqual([name, ...expected.get(name)!]);
    }
    expect(names.length).toBeGreaterThan(450);
    expect([...expected.values()].flat().length).toBeGreaterThan(10_000);
  });

  test.each(["fat", "slim"])("R17: files that are written %s say the same", (kind) => {
    const directory = join(made, kind);
    const zic = Bun.spawnSync(["zic", "-b", kind, "-d", directory, TEXT], { env: { PATH } });
    expect([zic.exitCode, zic.stderr.toString()]).toEqual([0, ""]);
    for (const name of names.filter((each) => existsSync(join(directory, each)))) {
      expect([name, ...changesOf(rulesIn(directory, name))]).toEqual([name, ...expected.get(name)!]);
    }
  });

  test.skipIf(version !== compiledZonesVersion())("what is compiled in is what a machine of its version has", () => {
    for (const name of names.filter((each) => compiledNames().has(each))) {
      expect([name, ...changesOf(compiledRules(name)!)]).toEqual([name, ...changesOf(rulesIn(MACHINE, name))]);
    }
  });
});

test("what is compiled in agrees with Temporal but for the few zones that changed between the two releases", () => {
  const names = [...compiledNames().keys()];
  const others = names.filter((name) => {
    const [ours, theirs] = [changesOf(compiledRules(name)!), changesOf(rulesByTemporal(name))];
    return ours.join() !== theirs.join();
  });
  expect(names.length).toBeGreaterThan(590);
  expect(others.length).toBeLessThan(40);
});
