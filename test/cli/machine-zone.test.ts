// R13: which zone a machine says it is in.

import { expect, test } from "bun:test";
import { machineZoneFrom, type ZoneSources } from "../../src/cli/machine-zone.ts";

const NOTHING: ZoneSources = { variable: null, localtime: null, timezone: null, runtime: "UTC", isNotUtc: false };
const BERLIN = { localtime: "/usr/share/zoneinfo/Europe/Berlin" };

test.each<[string, Partial<ZoneSources>, string | null]>([
  ["TZ", { ...BERLIN, variable: "America/New_York" }, "America/New_York"],
  ["TZ with a colon, in another case", { variable: ":europe/berlin" }, "Europe/Berlin"],
  ["TZ as a path", { variable: ":/usr/share/zoneinfo/Asia/Tokyo" }, "Asia/Tokyo"],
  ["an empty TZ, which is UTC", { ...BERLIN, variable: "" }, "UTC"],
  ["/etc/localtime, where TZ is a rule without a name", { ...BERLIN, variable: "CET-1CEST" }, "Europe/Berlin"],
  ["/etc/localtime before /etc/timezone, which tools forget", { ...BERLIN, timezone: "Etc/UTC\n" }, "Europe/Berlin"],
  ["a relative link", { localtime: "../usr/share/zoneinfo/Asia/Kolkata" }, "Asia/Kolkata"],
  ["a link into the posix files", { localtime: "/usr/share/zoneinfo/posix/Asia/Tokyo" }, "Asia/Tokyo"],
  ["/etc/timezone, where /etc/localtime is a copy", { timezone: "Europe/Berlin\n" }, "Europe/Berlin"],
  ["the runtime, where there are no such files", { runtime: "Europe/Berlin" }, "Europe/Berlin"],
  ["UTC under its plain name", { localtime: "/usr/share/zoneinfo/Etc/UTC" }, "UTC"],
  ["nothing, when none is a name", { variable: "CET-1CEST", timezone: "\n", runtime: "+01:00" }, null],
  ["UTC, where nothing says anything", {}, "UTC"],
  ["nothing, where the runtime only says UTC because it knows no such TZ", { variable: "Mars/Phobos" }, null],
  ["nothing, where the clocks show something else than UTC", { isNotUtc: true }, null],
])("R13: the machine's zone is read from %s", (_, sources, zone) => {
  expect(machineZoneFrom({ ...NOTHING, ...sources }).timezone).toBe(zone);
});

test.each<[Partial<ZoneSources>, string | null]>([
  [{ variable: "Mars/Phobos" }, 'TZ says "Mars/Phobos", which names no time zone'],
  [{ ...BERLIN, variable: ":CET-1CEST" }, 'TZ says "CET-1CEST", which names no time zone'],
  [{ localtime: "/etc/zones/here" }, '/etc/localtime says "/etc/zones/here", which names no time zone'],
  [{ timezone: "Berlin\n" }, '/etc/timezone says "Berlin", which names no time zone'],
  [{ isNotUtc: true }, "/etc/localtime is not in UTC, and nothing names its time zone"],
  [{ ...BERLIN, timezone: "Berlin\n" }, null],
  [{ variable: "" }, null],
  [{}, null],
])("R13: what cannot be read is said, and is never UTC: %j", (sources, doubt) => {
  const found = machineZoneFrom({ ...NOTHING, ...sources });
  expect(found.doubt).toBe(doubt);
  if (doubt !== null) expect(found.timezone).not.toBe("UTC");
});
