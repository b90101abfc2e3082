// Time zones: which names exist, and the periods in which a zone keeps one offset. All other code gets zone rules from
// here. This file must not know schedules, nor where the rules come from.

import { DAY, type Instant } from "../time.ts";
import { compiledRules, compiledSpelling, compiledVersion } from "./compiled-zones.ts";
import {
  type OffsetPeriod,
  periodOf,
  rulesFromText,
  rulesToText,
  type WallTime,
  type ZoneRules,
} from "./zone-rules.ts";

export type { OffsetPeriod, WallTime };

/** Zone rules and where they come from. */
export interface ZoneSource {
  /** The release of the time zone database, for example `2026f`. */
  readonly version: string;
  /** The directory on this machine, or "rollcall" for the compiled rules. */
  readonly origin: string;
  /** The release of the machine's files; `null` when there are none, or when they do not name it. */
  readonly machine: string | null;
  /** The name in IANA's spelling; `null` when the source does not know the zone. */
  readonly spell: (name: string) => string | null;
  /** The rules of a zone by a name that `spell` has returned. */
  readonly rulesOf: (name: string) => ZoneRules | null;
}

export const COMPILED: ZoneSource = {
  get version() {
    return compiledVersion();
  },
  origin: "rollcall",
  machine: null,
  spell: compiledSpelling,
  rulesOf: compiledRules,
};

let source: ZoneSource = COMPILED;
let known = new Map<string, KnownZone>();

/** Counts how often other rules came into force. Results of an earlier count are no longer valid. */
export let zoneGeneration = 0;

/** Puts other zone rules into force, for every schedule, message and page from now on. */
export function useZones(other: ZoneSource): void {
  source = other;
  known = new Map();
  zoneGeneration += 1;
}

export const zonesInForce = (): ZoneSource => source;

/** The zone rules in words, such as `2026f, from /usr/share/zoneinfo`. */
export const zoneRulesInWords = ({ version, origin }: Pick<ZoneSource, "version" | "origin">): string =>
  `${version}, ${origin === COMPILED.origin ? "compiled into rollcall" : `from ${origin}`}`;

/** Matches the form of a zone's name. It begins with a letter, so an offset such as `+02:00` is not a zone. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** Whether this is the name of an IANA time zone (R13). Case does not matter. */
export const isTimezone = (name: string): boolean => spellTimezone(name) !== null;

/**
 * The name in IANA's spelling, `Europe/Berlin` for `europe/BERLIN`; a link keeps its name. `null` for an unknown zone.
 */
export function spellTimezone(name: string): string | null {
  if (name === "UTC") return name;
  return NAME.test(name) ? source.spell(name) : null;
}

interface KnownZone {
  readonly rules: ZoneRules;
  /** The period of the last result. */
  period: OffsetPeriod;
}

const UTC: OffsetPeriod = {
  from: Number.NEGATIVE_INFINITY,
  until: Number.POSITIVE_INFINITY,
  offset: 0,
  freshFrom: Number.NEGATIVE_INFINITY,
};

/** The period of the zone in which this instant lies. The zone must be one that `isTimezone` accepts. */
export function offsetPeriodAt(timezone: string, at: Instant): OffsetPeriod {
  if (timezone === "UTC" || timezone === "Etc/UTC") return UTC;
  const zone = known.get(timezone) ?? makeKnown(timezone, at);
  const { period } = zone;
  if (period.from <= at && at < period.until) return period;
  zone.period = periodOf(zone.rules, at);
  return zone.period;
}

function makeKnown(timezone: string, at: Instant): KnownZone {
  const rules = rulesInSource(timezone) ?? kept.get(timezone);
  if (rules === undefined) throw new Error(`the time zone ${timezone} is unknown`);
  const zone = { rules, period: periodOf(rules, at) };
  known.set(timezone, zone);
  return zone;
}

function rulesInSource(timezone: string): ZoneRules | null {
  const name = spellTimezone(timezone);
  return name === null ? null : source.rulesOf(name);
}

// Rules that are kept in addition to those in force: rules from before a change, and those of zones that no release has
// now.

/** The kept rules by the zone's name. */
const kept = new Map<string, ZoneRules>();

/** The rules in force as text; `null` when the zone is unknown. */
export function zoneText(timezone: string): string | null {
  const rules = rulesInSource(timezone);
  return rules === null ? null : rulesToText(rules);
}

/** Puts the rules of this text into force for a zone that has no others. */
export const keepZone = (timezone: string, text: string): void => void kept.set(timezone, rulesFromText(text));

/** Returns a name under which the rules of this text hold. It is never the name of a real zone. */
export function formerZone(timezone: string, text: string): string {
  const former = `${timezone} by ${text}`;
  if (!kept.has(former)) kept.set(former, rulesFromText(text));
  return former;
}

/**
 * The first and the last instant at which clocks show this wall time. They are equal unless a change shows it twice. If
 * a change skips it, both are the first instant after the change (R17).
 */
export function instantsOf(wall: WallTime, timezone: string): Readonly<{ first: Instant; last: Instant }> {
  const [before, after] = [wall - DAY, wall + DAY].map((near) => wall - offsetPeriodAt(timezone, near).offset);
  const shown = [before!, after!].filter((at) => at + offsetPeriodAt(timezone, at).offset === wall);
  const change = offsetPeriodAt(timezone, before!).from;
  return { first: shown[0] ?? change, last: shown.at(-1) ?? change };
}
