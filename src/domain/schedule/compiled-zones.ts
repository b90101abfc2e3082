// The zone rules that are compiled into the executable, from a package's release of the time zone database. They are
// read when first needed, because a job may be waiting for `rollcall run`.

import { type PackedZones, packedNames, packedRules } from "./packed-zones.ts";
import type { ZoneRules } from "./zone-rules.ts";

const packed = (): PackedZones => require("moment-timezone/data/packed/latest.json");

let names: ReadonlyMap<string, string> | null = null;
let spellings: ReadonlyMap<string, string> | null = null;

/** The names of all zones and links, each with the zone that has its rules. */
export const compiledNames = (): ReadonlyMap<string, string> => (names ??= packedNames(packed()));

let offered: readonly string[] | null = null;

/** The zones that people can choose, sorted by name: those of places, and UTC. */
export const zonesToOffer = (): readonly string[] =>
  (offered ??= ["UTC", ...[...compiledNames().keys()].filter((name) => OF_PLACES.test(name)).sort()]);

const OF_PLACES = /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)\//;

/** The release of the compiled rules, such as `2026f`. */
export const compiledVersion = (): string => packed().version;

/** The rules of a zone or link in IANA's spelling; `null` when it does not exist. */
export function compiledRules(name: string): ZoneRules | null {
  const zone = compiledNames().get(name);
  return zone === undefined ? null : packedRules(packed(), zone);
}

/** The name in IANA's spelling; `null` when no zone has this name. */
export function compiledSpelling(name: string): string | null {
  spellings ??= new Map([...compiledNames().keys()].map((each) => [each.toLowerCase(), each]));
  return spellings.get(name.toLowerCase()) ?? null;
}
