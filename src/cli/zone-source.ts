// Chooses the time-zone rules: those of this machine's files or those that are compiled in, whichever are newer (R13).
// So neither an old machine nor an old rollcall makes times wrong, and a container without zone files has rules too.

import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../domain/log.ts";
import { compiledNames, compiledSpelling } from "../domain/schedule/compiled-zones.ts";
import { readZoneFile, ZONE_FILE_BYTES } from "../domain/schedule/tzif.ts";
import { COMPILED, useZones, type ZoneSource, zonesInForce, zoneText } from "../domain/schedule/zone.ts";
import { rulesToText, type ZoneRules } from "../domain/schedule/zone-rules.ts";
import { orElse } from "../domain/unless-missing.ts";

/** Where Unix systems usually have their zone files; the variable TZDIR names another directory. */
const DIRECTORY = "/usr/share/zoneinfo";

/**
 * Matches files among the zone files that are no zones of their own: copies, variants with leap seconds, and `Factory`,
 * which means that no zone is set.
 */
const NO_ZONES = /^(?:posix|right)\/|^(?:localtime|posixrules|Factory)$/;

/**
 * Matches the first line of `tzdata.zi` and captures its release, such as `2026a`. A suffix such as `-rearguard` is
 * left out: it names another form of the same release.
 */
const VERSION = /^# version (\d{4}[a-z]+)/;
const VERSION_BYTES = 64;

export interface ZoneFiles {
  readonly directory: string;
  /** The release of the files, such as `2026a`; `null` when they do not say it, or there are no files. */
  readonly version: string | null;
  /**
   * Returns the rules in the file of this name. A text is the reason why the file cannot be used; `null` means that
   * there is no file.
   */
  readonly read: (name: string) => ZoneRules | string | null;
  /**
   * Returns the exact name of a zone for a name in any letter case: `europe/berlin` gives `Europe/Berlin`; `null` when
   * there is none.
   */
  readonly spell: (name: string) => string | null;
}

export function zoneFilesOfMachine(directory: string): ZoneFiles {
  let names: ReadonlyMap<string, string> | null = null;
  const allNames = (): string[] =>
    orElse([], () => readdirSync(directory, { recursive: true, encoding: "utf8" })).filter(
      (name) => !NO_ZONES.test(name),
    );
  const read = (name: string): ZoneRules | string | null => {
    if (NO_ZONES.test(name)) return null;
    const bytes = orElse(null, () => beginningOfZoneFile(join(directory, name), ZONE_FILE_BYTES + 1));
    return bytes === null ? null : readZoneFile(bytes);
  };
  return {
    directory,
    version:
      VERSION.exec(
        orElse("", () => beginningOfZoneFile(join(directory, "tzdata.zi"), VERSION_BYTES).toString()),
      )?.[1] ?? null,
    read,
    spell: (name) => {
      names ??= new Map(allNames().map((each) => [each.toLowerCase(), each]));
      const spelled = names.get(name.toLowerCase());
      const rules = spelled === undefined ? null : read(spelled);
      return rules === null || typeof rules === "string" ? null : spelled!;
    },
  };
}

function beginningOfZoneFile(path: string, length: number): Buffer {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(file, bytes, 0, length, 0));
  } finally {
    closeSync(file);
  }
}

/**
 * Whether the release `one` is older than `other`. The year counts first, then the letters: 2025z is older than 2026a.
 */
function isOlder(one: string, other: string): boolean {
  const [year, otherYear] = [one.slice(0, 4), other.slice(0, 4)];
  if (year !== otherYear) return year < otherYear;
  return one.length === other.length ? one < other : one.length < other.length;
}

/**
 * Returns the rules of this machine's files if they are at least as new as the compiled ones, otherwise the compiled
 * rules. A zone that the chosen rules lack comes from the other rules. `refused` is called for a damaged file. A name
 * that links to another zone and has no file of its own, as US/Pacific on Debian 13, has the rules of that zone.
 */
export function newerZonesOfMachine(
  files: ZoneFiles,
  compiled: ZoneSource = COMPILED,
  refused: (name: string, why: string) => void = () => {},
): ZoneSource {
  const { directory, version } = files;
  const fromFile = (name: string): ZoneRules | null => {
    const rules = files.read(name);
    if (typeof rules === "string") refused(name, rules);
    return typeof rules === "object" ? rules : null;
  };
  const ofMachine = (name: string): ZoneRules | null => {
    const own = fromFile(name);
    const target = own === null ? compiledNames().get(name) : undefined;
    return own ?? (target === undefined || target === name ? null : fromFile(target));
  };
  const spell = (name: string): string | null => compiledSpelling(name) ?? files.spell(name);
  if (version === null || isOlder(version, compiled.version))
    return {
      version: compiled.version,
      origin: compiled.origin,
      machine: version,
      spell,
      rulesOf: (name) => compiled.rulesOf(name) ?? ofMachine(name),
    };
  return {
    version,
    origin: directory,
    machine: version,
    spell,
    rulesOf: (name) => ofMachine(name) ?? compiled.rulesOf(name),
  };
}

type ZoneVariables = Readonly<Record<string, string | undefined>>;

const zoneDirectory = ({ TZDIR }: ZoneVariables): string => (TZDIR === undefined || TZDIR === "" ? DIRECTORY : TZDIR);

const damaged = new Map<string, string>();
let said = 0;

const noteDamaged = (name: string, why: string): void => void damaged.set(name, why);

/** Logs which zone files were found damaged since the last call. */
export function sayDamagedZones(log: Log): void {
  for (const [name, why] of [...damaged].slice(said))
    log("warn", "zone_file_damaged", { name, why, rule: "install tzdata again; what is compiled in stands for it" });
  said = damaged.size;
}

const newestNow = (environment: ZoneVariables): ZoneSource =>
  newerZonesOfMachine(zoneFilesOfMachine(zoneDirectory(environment)), COMPILED, noteDamaged);

/**
 * Whether the directory has zone rules in a file of exactly this name. Letter case counts, even on a file system that
 * ignores it.
 */
function isSpelledIn(directory: string, name: string): boolean {
  const parts = name.split("/");
  const namesIn = (path: string): readonly string[] => orElse(NO_NAMES, () => readdirSync(path));
  if (!parts.every((part, place) => namesIn(join(directory, ...parts.slice(0, place))).includes(part))) return false;
  const rules = zoneFilesOfMachine(directory).read(name);
  return rules !== null && typeof rules !== "string";
}

const NO_NAMES: readonly string[] = [];

/**
 * Makes all code look up zones in the machine's files, or in the compiled rules where those are newer. Nothing is read
 * before a zone is asked for, because a job may wait. `rollcall run` asks only whether a zone's name exists. If a file
 * has that name, the compiled rules are not loaded, which would take milliseconds.
 */
export function useNewerZones(environment: ZoneVariables): void {
  let found: ZoneSource | null = null;
  const source = (): ZoneSource => (found ??= newestNow(environment));
  useZones({
    get version() {
      return source().version;
    },
    get origin() {
      return source().origin;
    },
    get machine() {
      return source().machine;
    },
    spell: (name) => (found === null && isSpelledIn(zoneDirectory(environment), name) ? name : source().spell(name)),
    rulesOf: (name) => source().rulesOf(name),
  });
}

/**
 * Checks whether the machine's files now have other rules for these zones or another release, and if so, uses them.
 * `isOther` says whether it has done so, and `changed` names the zones with other rules. Returns `null` when files
 * changed during the check, as when dpkg replaces them one by one: check again then.
 */
export function lookForZones(
  environment: ZoneVariables,
  names: readonly string[],
): { readonly isOther: boolean; readonly changed: readonly string[] } | null {
  const newest = newestNow(environment);
  const changed = names.filter((name) => {
    const rules = newest.rulesOf(name);
    return rules !== null && rulesToText(rules) !== zoneText(name);
  });
  const [before, after] = [newest, newestNow(environment)];
  if (before.version !== after.version || before.machine !== after.machine) return null;
  const { version, origin } = zonesInForce();
  const isOther = changed.length > 0 || version !== newest.version || origin !== newest.origin;
  if (isOther) useZones(newest);
  return { isOther, changed };
}
