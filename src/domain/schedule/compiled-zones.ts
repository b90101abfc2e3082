// The time zone rules that are compiled into the executable. The package moment-timezone brings them. They are read
// when first needed, because `rollcall run` must start its job without delay.

import { type PackedZones, packedNames, packedRules } from "./packed-zones.ts";
import type { ZoneRules } from "./zone-rules.ts";

const packed = (): PackedZones => require("moment-timezone/data/packed/latest.json");

let names: ReadonlyMap<string, string> | null = null;
let spellings: ReadonlyMap<string, string> | null = null;

/** The names of all zones and links, each with the zone whose rules it has. A link is a second name of a zone. */
export const compiledNames = (): ReadonlyMap<string, string> => (names ??= packedNames(packed()));

let offered: readonly string[] | null = null;

/** The time zones that a form offers: UTC, and then the zones of places, sorted by name. */
export const zonesToOffer = (): readonly string[] =>
  (offered ??= ["UTC", ...[...compiledNames().keys()].filter((name) => OF_PLACES.test(name)).sort()]);

const OF_PLACES = /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)\//;

export const compiledZonesVersion = (): string => packed().version;

/** The rules of a zone or link, whose name must have IANA's spelling; `null` when there is none of this name. */
export function compiledRules(name: string): ZoneRules | null {
  const zone = compiledNames().get(name);
  return zone === undefined ? null : packedRules(packed(), zone);
}

/** The zone's name in IANA's spelling, `Europe/Berlin` for `europe/BERLIN`; `null` when no zone has this name. */
export function compiledSpelling(name: string): string | null {
  spellings ??= new Map([...compiledNames().keys()].map((each) => [each.toLowerCase(), each]));
  return spellings.get(name.toLowerCase()) ?? null;
}
