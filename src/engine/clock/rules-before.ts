// Reads the runtime's zone rules, which earlier versions used without storing them (R13).

import { type OffsetChange, rulesToText, zoneRules } from "../../domain/schedule/zone-rules.ts";
import type { Instant } from "../../domain/time.ts";
import { orElse } from "../../domain/unless-missing.ts";

/** The span whose zone rules are read. No slot before it matters any more, and none after it is waited for. */
const [FROM, UNTIL]: readonly [Instant, Instant] = [Date.UTC(1999, 0, 1), Date.UTC(2101, 0, 1)];

/** The rules as text; `null` when the runtime does not know the zone. */
export const runtimeZoneText = (name: string): string | null => orElse(null, () => rulesToText(rulesOf(name)));

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
