// Reads time zone rules as the package moment-timezone packs them: one line for each zone, and `zone|link` for each
// link. The line of a zone is `name|…|offsets|which offset follows each change|minutes between changes|…`. Its
// numbers are to base 60, and it lists changes until the year 2499.

import { MINUTE, SECOND } from "../time.ts";
import { type OffsetChange, WRITTEN_UNTIL_YEAR, type ZoneRules, zoneRules } from "./zone-rules.ts";

export type PackedZones = Readonly<{ version: string; zones: readonly string[]; links: readonly string[] }>;

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX";
const BASE = 60;

/** The names of all zones and links, each with the zone whose rules it has. */
export function packedNames({ zones, links }: PackedZones): Map<string, string> {
  const names = zones.map((line) => [zoneName(line), zoneName(line)] as const);
  const linked = links.map((line) => line.split("|") as [string, string]).map(([zone, link]) => [link, zone] as const);
  return new Map([...names, ...linked]);
}

/** The rules of a zone. A link has no line of its own, so `zone` must not be a link. */
export function packedRules({ zones }: PackedZones, zone: string): ZoneRules {
  const line = zones.find((each) => each.startsWith(`${zone}|`))!;
  const [, , west, places, spans] = line.split("|") as [string, string, string, string, string];
  const offsets = west.split(" ").map((text) => toMilliseconds(0 - minutesIn(text)));
  const changes: OffsetChange[] = [];
  let at = 0;
  for (const [place, span] of spans.split(" ").entries()) {
    if (span === "") break;
    at += toMilliseconds(minutesIn(span));
    changes.push([at, offsets[minutesIn(places[place + 1]!)]!]);
  }
  return zoneRules(offsets[minutesIn(places[0]!)]!, changes, at > Date.UTC(WRITTEN_UNTIL_YEAR - 2, 0, 1));
}

const zoneName = (line: string): string => line.slice(0, line.indexOf("|"));

function minutesIn(text: string): number {
  const [whole, fraction = ""] = text.replace("-", "").split(".") as [string, string?];
  let number = 0;
  for (const digit of whole) number = number * BASE + DIGITS.indexOf(digit);
  for (const [place, digit] of [...fraction].entries()) number += DIGITS.indexOf(digit) / BASE ** (place + 1);
  return text.startsWith("-") ? 0 - number : number;
}

/** Converts minutes to milliseconds, rounded to whole seconds. Old offsets have fractions of a minute. */
const toMilliseconds = (minutes: number): number => Math.round((minutes * MINUTE) / SECOND) * SECOND;
