// Finds the name of this machine's time zone. Its cron starts jobs by this zone, and people most likely mean it (R13).

import { readFileSync, readlinkSync } from "node:fs";
import { readZoneFile } from "../domain/schedule/tzif.ts";
import { spellTimezone } from "../domain/schedule/zone.ts";
import { quote } from "../domain/text.ts";
import { orElse } from "../domain/unless-missing.ts";

/**
 * The sources that may name the time zone: the variable TZ, the target of the link /etc/localtime, and the text of
 * /etc/timezone. A source that is absent is `null`.
 */
export type ZoneSources = Readonly<Record<"variable" | "localtime" | "timezone", string | null>> & {
  /**
   * The zone as the runtime says it. The runtime also knows systems other than Linux, but says UTC when it finds no
   * zone.
   */
  readonly runtime: string;
  /** True when /etc/localtime is there and its time is not UTC, or cannot be understood. */
  readonly isNotUtc: boolean;
};

export interface MachineZone {
  /** The zone's name; `null` when no source names a zone. */
  readonly timezone: string | null;
  /**
   * A sentence for people that says why this zone may be wrong, for example that TZ names no zone; `null` without such
   * a doubt.
   */
  readonly doubt: string | null;
}

export const ZONE_RULE = "set server.timezone to the zone of your schedules, such as Europe/Berlin";

export function machineZone(): MachineZone {
  const named = {
    variable: process.env["TZ"] ?? null,
    localtime: orElse(null, () => readlinkSync("/etc/localtime")),
    timezone: orElse(null, () => readFileSync("/etc/timezone", "utf8")),
  };
  // The runtime takes long to answer while a job may wait, so it is asked only when nothing else names a zone.
  const found = machineZoneFrom({ ...named, runtime: "", isNotUtc: false });
  if (found.timezone !== null) return found;
  const runtime = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return machineZoneFrom({ ...named, runtime, isNotUtc: showsOtherThanUtc("/etc/localtime") });
}

/**
 * Returns the zone in which cron and systemd on this machine read schedules, for a job that they start. The variable
 * CRON_TZ comes first, then the machine's files, then TZ. TZ in a crontab sets only the zone of the commands, so it
 * counts only where the files name no zone, as in a container.
 */
export function schedulerZone(): MachineZone {
  const machine = {
    localtime: orElse(null, () => readlinkSync("/etc/localtime")),
    timezone: orElse(null, () => readFileSync("/etc/timezone", "utf8")),
  };
  const variable = process.env["CRON_TZ"] || null;
  const found = machineZoneFrom({ ...machine, variable, runtime: "", isNotUtc: false }, "CRON_TZ");
  if (found.timezone !== null) return found;
  const otherwise = machineZone();
  return { ...otherwise, doubt: found.doubt ?? otherwise.doubt };
}

function showsOtherThanUtc(path: string): boolean {
  const rules = orElse(null, () => readZoneFile(readFileSync(path)));
  return rules !== null && (typeof rules === "string" || rules.offsets.some((offset) => offset !== 0));
}

/**
 * Returns the zone of the first source that names one: the variable, the link /etc/localtime, the text of
 * /etc/timezone, then the runtime. The runtime also says UTC when it cannot read a name. So its UTC does not count when
 * another source named an unknown zone, or /etc/localtime is not UTC.
 */
export function machineZoneFrom(
  { variable, localtime, timezone, runtime, isNotUtc: isElsewhere }: ZoneSources,
  variableName = "TZ",
): MachineZone {
  // By POSIX an empty TZ means UTC. A rule such as CET-1CEST is no name, so it leads to a doubt.
  const ofProcess = variable === "" ? "UTC" : (variable?.replace(/^:/, "") ?? null);
  const named = [
    [variableName, ofProcess],
    ["/etc/localtime", localtime],
    ["/etc/timezone", timezone],
  ] as const;
  let doubt: string | null = null;
  for (const [source, text] of named) {
    if (text === null || text.trim() === "") continue;
    const zone = zoneNamed(text);
    if (zone !== null) return { timezone: zone, doubt };
    doubt ??= `${source} says ${quote(text.trim())}, which names no time zone`;
  }
  const zone = zoneNamed(runtime);
  if (zone === null) return { timezone: null, doubt };
  if (zone !== "UTC") return { timezone: zone, doubt };
  if (isElsewhere) doubt ??= "/etc/localtime is not in UTC, and nothing names its time zone";
  return { timezone: doubt === null ? zone : null, doubt };
}

function zoneNamed(text: string): string | null {
  const zone = spellTimezone(text.trim().replace(/^.*\/zoneinfo\/(?:posix\/|right\/)?/, ""));
  return zone !== null && UTC_BY_ANOTHER_NAME.test(zone) ? "UTC" : zone;
}

const UTC_BY_ANOTHER_NAME = /^(?:Etc\/)?(?:UTC|UCT|Universal|Zulu)$/;
