// Reads the rules of a time zone from the runtime (Temporal). Versions of rollcall that stored no zone rules used
// these, so an upgrade needs them once (R13).

import { type OffsetChange, rulesToText, zoneRules } from "../../domain/schedule/zone-rules.ts";
import type { Instant } from "../../domain/time.ts";
import { orElse } from "../../domain/unless-missing.ts";

/** The span of the rules that are read. Slots before 1999 no longer matter, and none after 2100 is waited for. */
const [FROM, UNTIL]: readonly [Instant, Instant] = [Date.UTC(1999, 0, 1), Date.UTC(2101, 0, 1)];

/** Returns the rules of the zone as text; `null` when the runtime does not know the zone. */
export const rulesBeforeByRuntime = (name: string): string | null => orElse(null, () => rulesToText(rulesOf(name)));

function rulesOf(name: string) {
  const start = Temporal.Instant.fromEpochMilliseconds(FROM).toZonedDateTimeISO(name);
  const changes: OffsetChange[] = [];
  for (
    let at = start.getTimeZoneTransition("next");
    at !== null && at.epochMilliseconds < UNTIL;
    at = at.getTimeZoneTransition("next")
  )
    changes.push([at.epochMilliseconds, zonedOffset(at)]);
  return zoneRules(zonedOffset(start), changes, false);
}

const zonedOffset = ({ offsetNanoseconds }: Temporal.ZonedDateTime): number => offsetNanoseconds / 1_000_000;
