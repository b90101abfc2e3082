// Lines of a shell that report a job, for people to copy. They delay a job by five seconds at most.

import type { Rhythm } from "../schedule/rhythm.ts";
import { durationText } from "../time.ts";

const CURL = "curl -fsS -m 2 --retry 1 --retry-max-time 3 --retry-connrefused";

/**
 * A line that makes all jobs of a machine report. It also writes the settings that the jobs read, because a new machine
 * has none and its jobs could not report. `program` is the command by which a shell there finds rollcall.
 */
export const discoverLine = (address: string, key: string, program = "rollcall"): string =>
  `sudo mkdir -p /etc/rollcall && printf 'url = "%s"\\nkey = "%s"\\n' '${address}' ${key} | sudo tee /etc/rollcall/client.toml >/dev/null && sudo ${program} discover --apply`;

type Reporting = Omit<Rhythm, "timezone"> & { readonly key: string };

/** A line for a terminal that reports a job and so registers it. `address` has no slash at its end. */
export const firstReportLine = (address: string, key: string): string =>
  `${CURL} '${address}/api/v1/ping/my-first-job/${key}?schedule=*/5+*+*+*+*'`;

/**
 * A line that reports a success. `url` is the monitor's, without a key and without a slash at its end. An interval is
 * included, because a crontab does not contain it, and without it the report could not create the monitor again.
 */
export const reportLine = (url: string, key: string, { everySeconds }: Pick<Rhythm, "everySeconds">): string =>
  `${CURL} '${url}/${key}${everySeconds == null ? "" : `?every=${durationText(everySeconds)}`}'`;

/** The address of a monitor in these lines. It is safe between quotes of either kind and has no slash at its end. */
export const reportUrl = (address: string, monitorKey: string): string =>
  `${address}/api/v1/ping/${encodeURIComponent(monitorKey).replaceAll("'", "%27")}`;

/** Whether cron accepts the schedule as it is written. Cron would take the last of six fields for the command. */
export const isForCron = (schedule: string | null): schedule is string =>
  schedule !== null && schedule.trim().split(/[ \t]+/).length === 5;

/**
 * COMMAND under `rollcall run`, as a crontab line when cron accepts the schedule. `null` when the key begins like an
 * option.
 */
export function runLine({ key, schedule, everySeconds }: Reporting): string | null {
  if (key.startsWith("-")) return null;
  const every = everySeconds == null ? "" : `--every ${durationText(everySeconds)} `;
  const line = `/usr/bin/rollcall run ${every}${/^[\w.-]+$/.test(key) ? key : alwaysQuoted(key)} -- COMMAND`;
  return isForCron(schedule) ? `${schedule} ${line.replaceAll("%", "\\%")}` : line;
}

/** Downloads `rollcall-run` and runs COMMAND under it. `null` when the key begins like an option. */
export function scriptLine({ key, schedule, everySeconds }: Reporting, address: string): string | null {
  if (key.startsWith("-")) return null;
  const every = everySeconds == null ? "" : `--every ${durationText(everySeconds)} `;
  const expected = isForCron(schedule) ? `--schedule ${alwaysQuoted(schedule)} ` : every;
  const account = `ROLLCALL_URL=${alwaysQuoted(address)} ROLLCALL_KEY=KEY`;
  return `curl -fsSo rollcall-run ${alwaysQuoted(`${address}/client.sh`)} && ${account} sh rollcall-run ${expected}${alwaysQuoted(key)} -- COMMAND`;
}

/**
 * A crontab line that reports how COMMAND ended, and ends in the same way. `%` is escaped, because cron ends a command
 * there.
 */
export const crontabLine = (schedule: string, url: string, key: string): string =>
  `${schedule} COMMAND; s=$?; ${CURL} -o /dev/null "${url.replaceAll("%", "\\%")}/${key}/$s"; exit $s`;

/**
 * Lines for `systemctl edit` of a job's service. They report each run without changing its result. A unit doubles `%`
 * and `$`.
 */
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

/** The values that the scripts of docs/clients.md need, as assignments of a shell. */
export const clientValues = ({ key, schedule, everySeconds }: Reporting, address: string): string =>
  [
    `ROLLCALL_URL=${alwaysQuoted(address)}`,
    "ROLLCALL_KEY=KEY",
    `MONITOR=${alwaysQuoted(key)}`,
    ...(schedule === null ? [] : [`SCHEDULE=${alwaysQuoted(schedule)}`]),
    ...(everySeconds == null ? [] : [`EVERY=${alwaysQuoted(durationText(everySeconds))}`]),
  ].join("\n");

/** The text quoted as one word of a shell. */
export const alwaysQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
