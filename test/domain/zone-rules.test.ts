// R17: rules as files have them and as they repeat; files that are damaged or no zone are refused.

import { describe, expect, test } from "bun:test";
import { compiledRules } from "../../src/domain/schedule/compiled-zones.ts";
import { readZoneFile } from "../../src/domain/schedule/tzif.ts";
import { readZoneRule } from "../../src/domain/schedule/zone-footer.ts";
import { periodOf, type ZoneRules } from "../../src/domain/schedule/zone-rules.ts";
import { DAY, HOUR } from "../../src/domain/time.ts";

test("R17: compiled rules go on beyond the last change that is written, as the calendar repeats", () => {
  const rules = compiledRules("Europe/Berlin")!;
  for (const year of [2026, 2499, 2500, 2501, 2899, 2900, 9999]) {
    const { from, until, offset } = periodOf(rules, Date.UTC(year, 6, 1));
    const lastSunday = (month: number): number => {
      const end = Date.UTC(year, month, 0);
      return end - new Date(end).getUTCDay() * DAY + HOUR;
    };
    expect([year, from, until, offset]).toEqual([year, lastSunday(3), lastSunday(10), 2 * HOUR]);
  }
});

describe("the rule in a footer", () => {
  const changesIn = (text: string, year: number): string[] =>
    readZoneRule(text)!.changesIn!(year).map(([at, offset]) => `${new Date(at).toISOString()} ${offset / HOUR}`);

  test.each<[string, number, string[]]>([
    ["CET-1CEST,M3.5.0,M10.5.0/3", 2026, ["2026-03-29T01:00:00.000Z 2", "2026-10-25T01:00:00.000Z 1"]],
    ["IST-1GMT0,M10.5.0,M3.5.0/1", 2026, ["2026-03-29T01:00:00.000Z 1", "2026-10-25T01:00:00.000Z 0"]],
    ["<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2026, ["2026-03-29T01:00:00.000Z -1", "2026-10-25T01:00:00.000Z -2"]],
    ["EET-2EEST,M3.4.4/50,M10.4.4/50", 2026, ["2026-03-28T00:00:00.000Z 3", "2026-10-23T23:00:00.000Z 2"]],
    ["AAA3BBB,J60/0,J365/23", 2028, ["2028-03-01T03:00:00.000Z -2", "2029-01-01T01:00:00.000Z -3"]],
    ["AAA0BBB,59/0,300", 2028, ["2028-02-29T00:00:00.000Z 1", "2028-10-27T01:00:00.000Z 0"]],
  ])("%s in %i", (text, year, expected) => {
    expect(changesIn(text, year)).toEqual(expected);
  });

  test.each(["", "CET", "CET-25", "CET-1CEST", "CET-1CEST,M13.1.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "C-1"])(
    "%j is none",
    (text) => {
      expect(readZoneRule(text)).toBeNull();
    },
  );

  test.each(["CET-1CEST,M3.0.0,M10.5.0", "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,J0,J10", "CET-1CEST,1,366"])(
    "%j is out of bounds",
    (text) => {
      expect(readZoneRule(text)).toBeNull();
    },
  );
});

describe("a file", () => {
  const HEAD = (version: number, types: number, times: number, leaps = 0): Buffer => {
    const head = Buffer.alloc(44);
    head.write("TZif");
    head[4] = version;
    head.writeUInt32BE(leaps, 28);
    head.writeUInt32BE(times, 32);
    head.writeUInt32BE(types, 36);
    head.writeUInt32BE(4, 40);
    return head;
  };
  /** From 2007-03-11 10:00 UTC on the offset of the type, then what the footer says. */
  const file = (footer: string, { offset = -25_200, leaps = 0 } = {}): Buffer => {
    const types = Buffer.alloc(12);
    types.writeInt32BE(-28_800, 0);
    types.writeInt32BE(offset, 6);
    const time = Buffer.alloc(8);
    time.writeBigInt64BE(1_173_607_200n);
    const leap = Buffer.alloc(12 * leaps);
    const empty = Buffer.concat([HEAD(0x32, 1, 0), Buffer.alloc(6 + 4)]);
    const block = [HEAD(0x32, 2, 1, leaps), time, Buffer.from([1]), types, Buffer.from("PST\0"), leap];
    return Buffer.concat([empty, ...block, Buffer.from(`\n${footer}\n`)]);
  };
  const SOUND = file("PST8PDT,M3.2.0,M11.1.0");

  test("with one change and a rule holds for ever", () => {
    const rules = readZoneFile(SOUND) as ZoneRules;
    expect(periodOf(rules, Date.UTC(2006, 6)).offset).toBe(-8 * HOUR);
    expect(periodOf(rules, Date.UTC(2026, 6)).offset).toBe(-7 * HOUR);
    expect(periodOf(rules, Date.UTC(2026, 0)).offset).toBe(-8 * HOUR);
    expect(periodOf(rules, Date.UTC(2926, 6)).offset).toBe(-7 * HOUR);
  });

  test("without a rule keeps the offset of its last change", () => {
    expect(periodOf(readZoneFile(file("")) as ZoneRules, Date.UTC(2926, 0)).offset).toBe(-7 * HOUR);
  });

  test("whose rule is summer time all year is in one period", () => {
    const rules = readZoneFile(file("XXX8PDT7,0/0,J365/25")) as ZoneRules;
    expect([...rules.changes]).toEqual([1_173_607_200_000]);
  });

  test.each<[string, Buffer, string]>([
    ["is cut anywhere", SOUND.subarray(0, -1), "it has no footer"],
    ["has a footer that is no rule", file("PST8PDT,M3.2.0"), "its footer is no rule of POSIX"],
    ["has a rule that contradicts its last change", file("EST5"), "its footer contradicts its last change"],
    ["counts leap seconds", file("PST8", { leaps: 1 }), "it counts leap seconds, which clocks do not"],
    ["has an impossible offset", file("", { offset: 100_000 }), "it has an impossible offset"],
    ["is text", Buffer.from("# tzdata.zi is no zone, but some think so, and it is long"), "it is no TZif file"],
    ["is of the first version", Buffer.concat([HEAD(0, 1, 0), Buffer.alloc(10)]), "it has no 64-bit times"],
    ["is huge", Buffer.alloc(64 * 1_024 + 1), "it is larger than 65536 bytes"],
    ["is empty", Buffer.alloc(0), "it is cut off"],
  ])("that %s is refused", (_, bytes, why) => {
    expect(readZoneFile(bytes)).toBe(why);
  });

  test("that is cut at any byte is refused, and one with any byte changed never throws", () => {
    for (let length = 0; length < SOUND.length; length += 1)
      expect([length, typeof readZoneFile(SOUND.subarray(0, length))]).toEqual([length, "string"]);
    for (let place = 0; place < SOUND.length; place += 1)
      for (const flip of [1, 0x10, 0x80, 0xff]) {
        const flipped = Buffer.from(SOUND);
        flipped[place]! ^= flip;
        const rules = readZoneFile(flipped);
        if (typeof rules !== "string") periodOf(rules, Date.UTC(2026, 0));
      }
  });
});
