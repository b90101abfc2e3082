// Says which zone rules are in force, and which zone a job seems to run in.

import type { ZoneHint } from "../monitor/zone-hint.ts";
import { COMPILED, type ZoneSource } from "../schedule/zone.ts";
import { MINUTE } from "../time.ts";
import { counted, durationInWords } from "./spoken-time.ts";

/**
 * Says in one sentence by how much the reports miss their slots, and which time zone would explain it. `timezone` is
 * the zone in force. If no known zone explains it, the sentence names the other possible causes, such as a long run:
 * some jobs report only their end.
 */
export function zoneHintInWords({ offsetMinutes, reports, zone }: ZoneHint, timezone: string): string {
  const off = durationInWords(Math.abs(offsetMinutes) * MINUTE);
  const side = offsetMinutes < 0 ? "before" : "after";
  const [last, their] = reports === 1 ? ["report", "its"] : [counted(reports, "report"), "their"];
  const came = `The last ${last} came ${off} ${side} ${their} scheduled time in ${timezone}`;
  if (zone !== null) {
    return `${came}, which is on time in ${zone}: if the job runs there, set timezone=${zone} in its reports, or server.timezone.`;
  }
  const runLength = offsetMinutes > 0 ? "takes that long, " : "";
  return `${came}: the job ${runLength}runs in another time zone, or its clock or schedule is off by that much.`;
}

/** Says which zone rules are in force, such as `2026f, from /usr/share/zoneinfo`. */
export const zoneRulesInWords = ({ version, origin }: Pick<ZoneSource, "version" | "origin">): string =>
  `${version}, ${origin === COMPILED.origin ? "compiled into rollcall" : `from ${origin}`}`;
