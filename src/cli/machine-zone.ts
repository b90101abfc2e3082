// The time zone of this machine, by name: its cron uses it to start jobs, and people most likely mean it (R13).

import { readFileSync, readlinkSync } from "node:fs";
import { quote } from "../domain/schedule/schedule-field.ts";
import { readZoneFile } from "../domain/schedule/tzif.ts";
import { spellTimezone } from "../domain/schedule/zone.ts";
import { orElse } from "../domain/unless-missing.ts";

/**
 * The variable TZ, the target of the link /etc/localtime, and the text of /etc/timezone; each is `null` when there is
 * none.
 */
export type ZoneSources = Readonly<Record<"variable" | "localtime" | "timezone", string | null>> & {
  /** The runtime's zone. The runtime knows further systems, and says UTC when it knows nothing. */
  readonly runtime: string;
  /** Whether the clocks of /etc/localtime are known not to show UTC. */
  readonly isNotUtc: boolean;
};

export interface MachineZone {
  /** `null` when no source names a zone. */
  readonly timezone: string | null;
  /** A sentence about the first source that names an unknown zone; `null` when there is no doubt. */
  readonly doubt: string | null;
}

/** What an operator should do about a doubt. */
export const ZONE_RULE = "set server.timezone to the zone of your schedules, such as Europe/Berlin";

export function machineZone(): MachineZone {
  const named = {
    variable: process.env["TZ"] ?? null,
    localtime: orElse(null, () => readlinkSync("/etc/localtime")),
    timezone: orElse(null, () => readFileSync("/etc/timezone", "utf8")),
  };
  // The runtime is asked last, because it takes a while and a job may wait.
  const found = zoneFrom({ ...named, runtime: "", isNotUtc: false });
  if (found.timezone !== null) return found;
  const runtime = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zoneFrom({ ...named, runtime, isNotUtc: showsOtherThanUtc("/etc/localtime") });
}

/**
 * The zone in which this machine's cron and systemd read schedules, for a job that they start. TZ above a line of a
 * crontab is for its command alone, and counts only when the machine names no zone, as in a container.
 */
export function schedulerZone(): MachineZone {
  const machine = {
    localtime: orElse(null, () => readlinkSync("/etc/localtime")),
    timezone: orElse(null, () => readFileSync("/etc/timezone", "utf8")),
  };
  const variable = process.env["CRON_TZ"] || null;
  const found = zoneFrom({ ...machine, variable, runtime: "", isNotUtc: false }, "CRON_TZ");
  if (found.timezone !== null) return found;
  const otherwise = machineZone();
  return { ...otherwise, doubt: found.doubt ?? otherwise.doubt };
}

function showsOtherThanUtc(path: string): boolean {
  const rules = orElse(null, () => readZoneFile(readFileSync(path)));
  return rules !== null && (typeof rules === "string" || rules.offsets.some((offset) => offset !== 0));
}

/**
 * The first source that names a zone: the variable, then the file that the system's clock and cron use, then the text
 * file, then the runtime. The runtime says UTC when it cannot read a name, or when the clocks are known to differ, and
 * that does not count.
 */
export function zoneFrom(
  { variable, localtime, timezone, runtime, isNotUtc: isElsewhere }: ZoneSources,
  variableName = "TZ",
): MachineZone {
  // In POSIX an empty TZ is UTC; a rule such as CET-1CEST has no name.
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
