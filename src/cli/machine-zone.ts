// The time zone of this machine, by name: its cron uses it to start jobs, and people most likely mean it (R13).

import { readFileSync, readlinkSync } from "node:fs";
import { spellTimezone } from "../domain/schedule/zone.ts";
import { orElse } from "../domain/unless-missing.ts";

/**
 * The variable TZ, the target of the link /etc/localtime, the text of /etc/timezone; null: there is none. Then the
 * runtime's zone: it knows other systems, and says UTC when it knows nothing.
 */
export type ZoneSources = Readonly<Record<"variable" | "localtime" | "timezone", string | null>> & {
  readonly runtime: string;
};

export function machineTimezone(): string | null {
  const named = {
    variable: process.env["TZ"] ?? null,
    localtime: orElse(null, () => readlinkSync("/etc/localtime")),
    timezone: orElse(null, () => readFileSync("/etc/timezone", "utf8")),
  };
  // The runtime takes a while to say it, and a job may wait.
  return (
    zoneFrom({ ...named, runtime: "" }) ??
    zoneFrom({ ...named, runtime: Intl.DateTimeFormat().resolvedOptions().timeZone })
  );
}

/**
 * The zone in which this machine's cron and systemd read schedules, for a job that they start. TZ above a line of a
 * crontab is for its command alone, and counts only where the machine names no zone, as in a container.
 */
export function schedulerTimezone(): string | null {
  const machine = {
    localtime: orElse(null, () => readlinkSync("/etc/localtime")),
    timezone: orElse(null, () => readFileSync("/etc/timezone", "utf8")),
  };
  return zoneFrom({ ...machine, variable: process.env["CRON_TZ"] || null, runtime: "" }) ?? machineTimezone();
}

/** The first that names a zone: the variable, then what the system's clock and cron use, then the text file. */
export function zoneFrom({ variable, localtime, timezone, runtime }: ZoneSources): string | null {
  // In POSIX an empty TZ is UTC; a rule such as CET-1CEST has no name.
  const ofProcess = variable === "" ? "UTC" : variable?.replace(/^:/, "");
  for (const source of [ofProcess, localtime, timezone, runtime]) {
    const zone = source == null ? null : spellTimezone(nameIn(source));
    if (zone !== null) return UTC_BY_ANOTHER_NAME.test(zone) ? "UTC" : zone;
  }
  return null;
}

const nameIn = (text: string): string => text.trim().replace(/^.*\/zoneinfo\/(?:posix\/|right\/)?/, "");

const UTC_BY_ANOTHER_NAME = /^(?:Etc\/)?(?:UTC|UCT|Universal|Zulu)$/;
