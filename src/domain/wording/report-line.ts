// The lines of a shell that report a job, for people to copy: they hold a job up for five seconds at most.

import type { Rhythm } from "../schedule/rhythm.ts";
import { durationText } from "../time.ts";

const CURL = "curl -fsS -m 2 --retry 1 --retry-max-time 3 --retry-connrefused";

/**
 * Has all jobs of a machine report. It writes the settings that the jobs read, too: a fresh machine has none, and its
 * jobs would tell nobody. `program`: how a shell there finds rollcall.
 */
export const discoverLine = (address: string, key: string, program = "rollcall"): string =>
  `sudo mkdir -p /etc/rollcall && printf 'url = "%s"\\nkey = "%s"\\n' '${address}' ${key} | sudo tee /etc/rollcall/client.toml >/dev/null && sudo ${program} discover --apply`;

type Reporting = Omit<Rhythm, "timezone"> & { readonly key: string };

/** A line for a terminal that reports a job, and registers it. `address`: without a slash at its end. */
export const firstReportLine = (address: string, key: string): string =>
  `${CURL} '${address}/api/v1/ping/my-first-job/${key}?schedule=*/5+*+*+*+*'`;

/**
 * Reports a success. `url`: the monitor's, without a key and without a slash at its end. It carries an interval: no
 * line of a crontab has it, and without it the report could not create the monitor again.
 */
export const reportLine = (url: string, key: string, { everySeconds }: Pick<Rhythm, "everySeconds">): string =>
  `${CURL} '${url}/${key}${everySeconds == null ? "" : `?every=${durationText(everySeconds)}`}'`;

/** The address of a monitor in these lines: safe between quotes of either kind, without a slash at its end. */
export const reportUrl = (address: string, monitorKey: string): string =>
  `${address}/api/v1/ping/${encodeURIComponent(monitorKey).replaceAll("'", "%27")}`;

/** Whether cron takes the schedule as it is written. It would take the last of six fields for the command. */
export const isForCron = (schedule: string | null): schedule is string =>
  schedule !== null && schedule.trim().split(/[ \t]+/).length === 5;

/** COMMAND under `rollcall run`, for cron where that takes the schedule. Null: a shell takes the key for an option. */
export function runLine({ key, schedule, everySeconds }: Reporting): string | null {
  if (key.startsWith("-")) return null;
  const every = everySeconds == null ? "" : `--every ${durationText(everySeconds)} `;
  const line = `/usr/bin/rollcall run ${every}${/^[\w.-]+$/.test(key) ? key : alwaysQuoted(key)} -- COMMAND`;
  return isForCron(schedule) ? `${schedule} ${line.replaceAll("%", "\\%")}` : line;
}

/** Downloads `rollcall-run`, and runs COMMAND under it. Null: it takes the key for an option. */
export function scriptLine({ key, schedule, everySeconds }: Reporting, address: string): string | null {
  if (key.startsWith("-")) return null;
  const every = everySeconds == null ? "" : `--every ${durationText(everySeconds)} `;
  const expected = isForCron(schedule) ? `--schedule ${alwaysQuoted(schedule)} ` : every;
  const account = `ROLLCALL_URL=${alwaysQuoted(address)} ROLLCALL_KEY=KEY`;
  return `curl -fsSo rollcall-run ${alwaysQuoted(`${address}/client.sh`)} && ${account} sh rollcall-run ${expected}${alwaysQuoted(key)} -- COMMAND`;
}

/** A line of a crontab that reports how COMMAND ended, and ends in the same way. cron ends a command at a bare `%`. */
export const crontabLine = (schedule: string, url: string, key: string): string =>
  `${schedule} COMMAND; s=$?; ${CURL} -o /dev/null "${url.replaceAll("%", "\\%")}/${key}/$s"; exit $s`;

/** For `systemctl edit` of a job's service: reports each run, changes no end. In a unit `%` and `$` are doubled. */
export function systemdLines(url: string, key: string): string {
  const curl = `exec ${CURL} -o /dev/null "${url.replaceAll("%", "%%")}/${key}`;
  const run = "run_id=$$INVOCATION_ID";
  const ended = 'o=complete; m=; [ "$$SERVICE_RESULT" = success ] || { o=fail; m="&message=$$SERVICE_RESULT"; }';
  return [
    "[Service]",
    `ExecStartPre=-/bin/sh -c '${curl}/start?${run}"'`,
    `ExecStopPost=-/bin/sh -c '${ended}; ${curl}/$$o?${run}$$m"'`,
  ].join("\n");
}

/** What the scripts of docs/clients.md ask for, as a shell has it. */
export const clientValues = ({ key, schedule, everySeconds }: Reporting, address: string): string =>
  [
    `ROLLCALL_URL=${alwaysQuoted(address)}`,
    "ROLLCALL_KEY=KEY",
    `MONITOR=${alwaysQuoted(key)}`,
    ...(schedule === null ? [] : [`SCHEDULE=${alwaysQuoted(schedule)}`]),
    ...(everySeconds == null ? [] : [`EVERY=${alwaysQuoted(durationText(everySeconds))}`]),
  ].join("\n");

/** As one word of a shell. */
export const alwaysQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
