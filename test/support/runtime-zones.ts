// Uses the zone rules that this runtime's `Temporal` knows, for tests that compare with `Temporal` or `Intl`: these may
// have another release of the time zone database than the package whose rules are compiled in.

import { afterAll, beforeAll } from "bun:test";
import { COMPILED, useZones, type ZoneSource } from "../../src/domain/schedule/zone.ts";
import { type OffsetChange, type ZoneRules, zoneRules } from "../../src/domain/schedule/zone-rules.ts";

const [FIRST, LAST] = [Date.UTC(1700, 0), Date.UTC(2500, 0)];

const RUNTIME: ZoneSource = {
  version: "of Temporal",
  origin: "Temporal",
  machine: null,
  spell: (name) => {
    try {
      return new Temporal.ZonedDateTime(0n, name).timeZoneId;
    } catch {
      return null;
    }
  },
  rulesOf: rulesByTemporal,
};

export function rulesByTemporal(name: string): ZoneRules {
  const start = Temporal.Instant.fromEpochMilliseconds(FIRST).toZonedDateTimeISO(name);
  const changes: OffsetChange[] = [];
  for (let at = start.getTimeZoneTransition("next"); at !== null; at = at.getTimeZoneTransition("next")) {
    if (at.epochMilliseconds >= LAST) return zoneRules(offsetOf(start), changes, true);
    changes.push([at.epochMilliseconds, offsetOf(at)]);
  }
  return zoneRules(offsetOf(start), changes, false);
}

const offsetOf = (time: Temporal.ZonedDateTime): number => time.offsetNanoseconds / 1_000_000;

/** Counts for every test of the file that calls it. */
export function judgedByRuntime(): void {
  beforeAll(() => useZones(RUNTIME));
  afterAll(() => useZones(COMPILED));
}
