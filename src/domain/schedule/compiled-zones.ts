// The zone rules that are compiled in: those of a release of the time zone database, as a package has them. They are
// read when they are first needed, because a job may wait for `rollcall run`.

import { type PackedZones, packedNames, packedRules } from "./packed-zones.ts";
import type { ZoneRules } from "./zone-rules.ts";

const packed = (): PackedZones => require("moment-timezone/data/packed/latest.json");

let names: ReadonlyMap<string, string> | null = null;
let spellings: ReadonlyMap<string, string> | null = null;

/** The names of all zones and links, each with the zone that has its rules. */
export const compiledNames = (): ReadonlyMap<string, string> => (names ??= packedNames(packed()));

let offered: readonly string[] | null = null;

/** The zones that people choose among, by name: those of places, and UTC. */
export const zonesToOffer = (): readonly string[] =>
  (offered ??= ["UTC", ...[...compiledNames().keys()].filter((name) => OF_PLACES.test(name)).sort()]);

const OF_PLACES = /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)\//;

/** `2026f`. */
export const compiledVersion = (): string => packed().version;

/** The rules of a zone or link, spelled as IANA spells it; null when there is none. */
export function compiledRules(name: string): ZoneRules | null {
  const zone = compiledNames().get(name);
  return zone === undefined ? null : packedRules(packed(), zone);
}

/** The name as IANA spells it; null when no zone has it. */
export function compiledSpelling(name: string): string | null {
  spellings ??= new Map([...compiledNames().keys()].map((each) => [each.toLowerCase(), each]));
  return spellings.get(name.toLowerCase()) ?? null;
}
