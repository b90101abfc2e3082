// R12, R13: the executable takes zone rules from a directory that is made up here, and other ones while it runs.

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { firstKeyOf, openFolder, report } from "../support/executable.ts";
import { writeZones } from "../support/zone-files.ts";

setDefaultTimeout(120_000);

const EVERY_DAY_AT_TWO = "?schedule=0+2+*+*+*&timezone=America/Vancouver";

test("R12: other rules in TZDIR are in force after a reload, and a schedule in their zone has changed", async () => {
  await using folder = openFolder();
  const TZDIR = join(folder.path, "zoneinfo");
  mkdirSync(TZDIR);
  writeZones(TZDIR, "2098a", { "America/Vancouver": -8 });
  const service = await folder.serve({ TZDIR });
  await service.logged("zone_rules");
  expect(service.facts("zone_rules")).toMatchObject([{ version: "2098a", origin: TZDIR, machine: "2098a" }]);
  expect(await report(service, firstKeyOf(service), "van", EVERY_DAY_AT_TWO)).toBe(200);
  const hourExpected = async (): Promise<string> => {
    const { out } = await folder.run(["monitor", "show", "van", "--json"], { TZDIR });
    return /"expectedAt": ?"\d{4}-\d\d-\d\dT(\d\d:\d\d)/.exec(out)?.[1] ?? out;
  };
  expect(await hourExpected()).toBe("10:00");
  const status = await folder.run(["status"], { TZDIR });
  expect(status.out).toContain(`zone rules: 2098a, from ${TZDIR}`);

  writeZones(TZDIR, "2099b", { "America/Vancouver": -7 });
  await folder.run(["reload"], { TZDIR });
  await service.logged("zones_changed");
  expect(service.facts("zones_changed")).toMatchObject([{ zones: ["America/Vancouver"] }]);
  expect(service.facts("zone_rules")).toMatchObject([{ version: "2098a" }, { version: "2099b" }]);
  expect(await hourExpected()).toBe("09:00");
  expect(await service.end("SIGTERM")).toBe(0);

  // As when the package is upgraded while rollcall is off.
  writeZones(TZDIR, "2099c", { "America/Vancouver": -6 });
  const again = await folder.serve({ TZDIR });
  await again.logged("zones_changed");
  expect(await hourExpected()).toBe("08:00");
  expect(folder.rows("SELECT id FROM incidents")).toEqual([]);
});
