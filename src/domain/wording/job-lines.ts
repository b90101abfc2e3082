// Makes lines of a shell that report a job, for people to copy. Such a report delays the job by five seconds at most.

import type { Rhythm } from "../schedule/rhythm.ts";
import { alwaysShellQuoted } from "../text.ts";
import { durationText } from "../time.ts";

const CURL = "curl -fsS -m 2 --retry 1 --retry-max-time 3 --retry-connrefused";

/**
 * A line that makes all jobs of a machine report. It also writes the file with rollcall's address and key, without
 * which the jobs of a new machine could not report. `program` is the command that starts rollcall on that machine.
 */
export const discoverLine = (address: string, key: string, program = "rollcall"): string =>
  `sudo mkdir -p /etc/rollcall && printf 'url = "%s"\\nkey = "%s"\\n' '${address}' ${key} | sudo tee /etc/rollcall/client.toml >/dev/null && sudo ${program} discover --apply`;

type Reporting = Omit<Rhythm, "timezone"> & { readonly key: string };

/** A line to try in a terminal: its report creates a job's monitor. `address` has no slash at its end. */
export const firstReportLine = (address: string, key: string): string =>
  `${CURL} '${address}/api/v1/ping/my-first-job/${key}?schedule=*/5+*+*+*+*'`;

/**
 * A line that reports a success. `url` comes from `reportUrl`. The interval is included, because the report needs a
 * schedule or an interval to create the monitor again, and no crontab contains the interval.
 */
export const reportLine = (url: string, key: string, { everySeconds }: Pick<Rhythm, "everySeconds">): string =>
  `${CURL} '${url}/${key}${everySeconds == null ? "" : `?every=${durationText(everySeconds)}`}'`;

/** The address for reports of a monitor, without the key. It is safe between quotes and has no slash at its end. */
export const reportUrl = (address: string, monitorKey: string): string =>
  `${address}/api/v1/ping/${encodeURIComponent(monitorKey).replaceAll("'", "%27")}`;

/** Whether cron accepts the schedule as it is written: with five fields. Cron would take a sixth for the command. */
export const isForCron = (schedule: string | null): schedule is string =>
  schedule !== null && schedule.trim().split(/[ \t]+/).length === 5;

/**
 * A line that runs COMMAND under `rollcall run`. When cron accepts the schedule, it is a line of a crontab. `null` when
 * the monitor's key begins with `-`, because it would be taken for an option.
 */
export function runLine({ key, schedule, everySeconds }: Reporting): string | null {
  if (key.startsWith("-")) return null;
  const every = everySeconds == null ? "" : `--every ${durationText(everySeconds)} `;
  const line = `/usr/bin/rollcall run ${every}${/^[\w.-]+$/.test(key) ? key : alwaysShellQuoted(key)} -- COMMAND`;
  return isForCron(schedule) ? `${schedule} ${line.replaceAll("%", "\\%")}` : line;
}

/**
 * A line that downloads the script `rollcall-run` and runs COMMAND under it. `null` when the monitor's key begins with
 * `-`, because it would be taken for an option.
 */
export function scriptLine({ key, schedule, everySeconds }: Reporting, address: string): string | null {
  if (key.startsWith("-")) return null;
  const every = everySeconds == null ? "" : `--every ${durationText(everySeconds)} `;
  const expected = isForCron(schedule) ? `--schedule ${alwaysShellQuoted(schedule)} ` : every;
  const account = `ROLLCALL_URL=${alwaysShellQuoted(address)} ROLLCALL_KEY=KEY`;
  return `curl -fsSo rollcall-run ${alwaysShellQuoted(`${address}/client.sh`)} && ${account} sh rollcall-run ${expected}${alwaysShellQuoted(key)} -- COMMAND`;
}

/**
 * A crontab line that runs COMMAND, reports its exit status and ends with the same status. `%` is escaped, because cron
 * ends a command there.
 */
export const crontabLine = (schedule: string, url: string, key: string): string =>
  `${schedule} COMMAND; s=$?; ${CURL} -o /dev/null "${url.replaceAll("%", "\\%")}/${key}/$s"; exit $s`;

/**
 * Lines to add to a job's service with `systemctl edit`. They report the start and the end of each run and never change
 * its result. In a unit `%` and `$` must be doubled.
 */
export function systemdLinesInWords(url: string, key: string): string {
  const curl = `exec ${CURL} -o /dev/null "${url.replaceAll("%", "%%")}/${key}`;
  const run = "run_id=$$INVOCATION_ID";
  const ended = 'o=complete; m=; [ "$$SERVICE_RESULT" = success ] || { o=fail; m="&message=$$SERVICE_RESULT"; }';
  return [
    "[Service]",
    `ExecStartPre=-/bin/sh -c '${curl}/start?${run}"'`,
    `ExecStopPost=-/bin/sh -c '${ended}; ${curl}/$$o?${run}$$m"'`,
  ].join("\n");
}

/** The values that the scripts of docs/clients.md need, as assignments of a shell. */
export const clientValues = ({ key, schedule, everySeconds }: Reporting, address: string): string =>
  [
    `ROLLCALL_URL=${alwaysShellQuoted(address)}`,
    "ROLLCALL_KEY=KEY",
    `MONITOR=${alwaysShellQuoted(key)}`,
    ...(schedule === null ? [] : [`SCHEDULE=${alwaysShellQuoted(schedule)}`]),
    ...(everySeconds == null ? [] : [`EVERY=${alwaysShellQuoted(durationText(everySeconds))}`]),
  ].join("\n");
