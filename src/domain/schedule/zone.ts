// Time zones: which names exist, and which offset a zone has at an instant. All other code asks this file. Where the
// rules come from (compiled in, or files of the machine) is decided elsewhere and set by `useZones`.

import type { Refusal } from "../errors.ts";
import { refuseField } from "../errors.ts";
import { quote } from "../text.ts";
import { DAY, type Instant } from "../time.ts";
import { compiledRules, compiledSpelling, compiledZonesVersion } from "./compiled-zones.ts";
import {
  type OffsetPeriod,
  periodOf,
  rulesFromText,
  rulesToText,
  type WallTime,
  type ZoneRules,
} from "./zone-rules.ts";

export type { OffsetPeriod, WallTime };

export interface ZoneSource {
  /** The release of the time zone database, for example `2026f`. */
  readonly version: string;
  /** Where the rules come from: a directory of this machine, or "rollcall" for those compiled into the executable. */
  readonly origin: string;
  /** The release of the zone files on this machine; `null` when there are no such files, or they do not name it. */
  readonly machine: string | null;
  /** The name of a zone in IANA's spelling; `null` when there is no such zone. */
  readonly spell: (name: string) => string | null;
  /** The rules of a zone; `null` when there are none. `name` must be spelled as `spell` returns it. */
  readonly rulesOf: (name: string) => ZoneRules | null;
}

export const COMPILED: ZoneSource = {
  get version() {
    return compiledZonesVersion();
  },
  origin: "rollcall",
  machine: null,
  spell: compiledSpelling,
  rulesOf: compiledRules,
};

let source: ZoneSource = COMPILED;
let known = new Map<string, KnownZone>();

/** Grows by one when other zone rules come into force. What was computed under a smaller number is out of date. */
export let zoneGeneration = 0;

export function useZones(other: ZoneSource): void {
  source = other;
  known = new Map();
  zoneGeneration += 1;
}

export const zonesInForce = (): ZoneSource => source;

/** The form of a zone's name. It begins with a letter, so an offset such as `+02:00` is no name. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/** Whether this is the name of an IANA time zone (R13). Case does not matter. */
export const isTimezone = (name: string): boolean => spellTimezone(name) !== null;

/**
 * The name of a zone in IANA's spelling, `Europe/Berlin` for `europe/BERLIN`; `null` when there is no such zone. A
 * link, which is a second name of a zone, keeps its own name.
 */
export function spellTimezone(name: string): string | null {
  if (name === "UTC") return name;
  return NAME.test(name) ? source.spell(name) : null;
}

interface KnownZone {
  readonly rules: ZoneRules;
  /** The period that was asked for last. Most calls ask for it again. */
  period: OffsetPeriod;
}

const UTC: OffsetPeriod = {
  from: Number.NEGATIVE_INFINITY,
  until: Number.POSITIVE_INFINITY,
  offset: 0,
  freshFrom: Number.NEGATIVE_INFINITY,
};

/**
 * The period of the zone that contains this instant. It throws when the zone is unknown, so `isTimezone` must have
 * accepted the name, or `keepZone` or `formerZone` must know it.
 */
export function offsetPeriodAt(timezone: string, at: Instant): OffsetPeriod {
  if (timezone === "UTC" || timezone === "Etc/UTC") return UTC;
  const zone = known.get(timezone) ?? makeKnown(timezone, at);
  const { period } = zone;
  if (period.from <= at && at < period.until) return period;
  zone.period = periodOf(zone.rules, at);
  return zone.period;
}

function makeKnown(timezone: string, at: Instant): KnownZone {
  const rules = rulesInSource(timezone) ?? keptRules.get(timezone);
  if (rules === undefined) throw new Error(`the time zone ${timezone} is unknown`);
  const zone = { rules, period: periodOf(rules, at) };
  known.set(timezone, zone);
  return zone;
}

function rulesInSource(timezone: string): ZoneRules | null {
  const name = spellTimezone(timezone);
  return name === null ? null : source.rulesOf(name);
}

// Rules that are kept in memory besides those in force. They are the former rules of zones, to compare with after a
// change, and the rules of zones that newer releases no longer have.

/** The kept rules, by the name of their zone or, for former rules, by a name that `formerZone` made. */
const keptRules = new Map<string, ZoneRules>();

/** The rules of a zone in force, as text that can be stored; `null` when the zone is unknown. */
export function zoneText(timezone: string): string | null {
  const rules = rulesInSource(timezone);
  return rules === null ? null : rulesToText(rules);
}

/** Keeps the rules of this text for a zone. They count only as long as the rules in force do not have that zone. */
export const keepZone = (timezone: string, text: string): void => void keptRules.set(timezone, rulesFromText(text));

/** Returns a made-up zone name under which the rules of this text apply. It never equals the name of a real zone. */
export function formerZone(timezone: string, text: string): string {
  const former = `${timezone} by ${text}`;
  if (!keptRules.has(former)) keptRules.set(former, rulesFromText(text));
  return former;
}

/**
 * The first and the last instant at which clocks show this wall time. The two differ when a clock change shows it
 * twice. If a clock change skips it, both are the instant of the change (R17).
 */
export function instantsOf(wall: WallTime, timezone: string): Readonly<{ first: Instant; last: Instant }> {
  const [before, after] = [wall - DAY, wall + DAY].map((near) => wall - offsetPeriodAt(timezone, near).offset);
  const shown = [before!, after!].filter((at) => at + offsetPeriodAt(timezone, at).offset === wall);
  const change = offsetPeriodAt(timezone, before!).from;
  return { first: shown[0] ?? change, last: shown.at(-1) ?? change };
}

/** The refusal for an unknown time zone (R13). */
export const refuseTimezone = (timezone: string): Refusal =>
  refuseField("timezone", `${quote(timezone)} is no time zone, write an IANA name such as "Europe/Berlin"`);
