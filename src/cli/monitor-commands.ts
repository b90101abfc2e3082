// `rollcall monitor …`: lists and makes monitors through the running service, pauses, resumes and deletes them, and says
// what came of it. What one monitor looks like in full is monitor-show.ts.

import type {
  ChangedMonitorAnswer,
  DeletedMonitorAnswer,
  ListedMonitor,
  ListedMonitors,
} from "../http/management/contract.ts";
import { DONE, say } from "./io.ts";
import { askService, type Caller, type Screen } from "./socket-client.ts";
import { headIn, minute, moment, shown, unbroken, zoneName } from "./spoken.ts";
import { formatTable, ownerColumn, visible } from "./table.ts";

/** Which monitor: its key, and its application unless only one has such a monitor. */
export interface Named {
  readonly key: string;
  readonly application: string | null;
}

export interface MonitorValues {
  readonly schedule: string;
  readonly name: string | null;
  readonly timezone: string | null;
  readonly graceSeconds: number | null;
  readonly maxRuntimeSeconds: number | null;
}

/** Lists the monitors of one application and status (null: of all). An empty list is said on stderr. */
export async function runMonitorList(
  caller: Caller,
  filter: { readonly application: string | null; readonly status: string | null },
  asJson: boolean,
): Promise<number> {
  const query = new URLSearchParams();
  if (filter.application !== null) query.set("application", filter.application);
  if (filter.status !== null) query.set("status", filter.status);
  const answer = await askService<ListedMonitors>(caller, { method: "GET", path: `/monitors?${query}` });
  if ("exitCode" in answer) return answer.exitCode;
  const { monitors, unreadable } = answer.body;
  const { screen } = answer;
  const { io } = caller;
  if (asJson) io.out(JSON.stringify(monitors, null, 2));
  else if (monitors.length === 0) say(io, nothingListed(filter.status, screen));
  else {
    const rows = monitors.map((monitor) => rowOf(monitor, screen));
    for (const line of formatTable(headOf(screen), rows, screen.width)) io.out(line);
  }
  for (const { application, key } of unreadable)
    say(io, `monitor ${key} of application ${application} cannot be read: the log says why, and it can be deleted`);
  return DONE;
}

/** Schedules are read in the zone of the screen, too, but where they name their own. */
const headOf = (screen: Screen): string[] => [
  ...ownerColumn(screen, "APPLICATION"),
  "MONITOR",
  "STATUS",
  "SCHEDULE",
  headIn(screen, "EXPECTED"),
  "LAST REPORT",
];

const rowOf = (monitor: ListedMonitor, screen: Screen): string[] => [
  ...ownerColumn(screen, monitor.application),
  monitor.key,
  monitor.status,
  scheduleCell(monitor, screen),
  // While it is paused nothing is expected, and what was expected before would look overdue.
  monitor.status === "paused" ? "-" : minute(monitor.expectedAt, screen),
  monitor.lastPingAt === null ? "never" : minute(monitor.lastPingAt, screen),
];

function scheduleCell({ schedule, timezone }: ListedMonitor, screen: Screen): string {
  if (schedule === null) return "-";
  return timezone === screen.timezone ? unbroken(schedule) : `${unbroken(schedule)} ${zoneName(timezone)}`;
}

function nothingListed(status: string | null, { typed }: Screen): string {
  if (status !== null) return `no monitor is ${status}`;
  const create = unbroken(typed("monitor create KEY --schedule '0 2 * * *'"));
  return `there are no monitors yet: a report that carries a schedule creates one, and so does ${create}`;
}

/** `backup`, or `prod/backup` where there are several applications. */
const nameOf = ({ application, key }: { application: string; key: string }, { onlyApplication }: Screen): string =>
  visible(onlyApplication ? key : `${application}/${key}`);

/** The screen of what was done to one monitor is in its zone. */
const screenOf = (monitor: ListedMonitor, screen: Screen): Screen => ({ ...screen, timezone: monitor.timezone });

/** Exit code 0, or 1 when it exists already or something in it is refused. */
export async function runMonitorCreate(caller: Caller, named: Named, values: MonitorValues): Promise<number> {
  const answer = await askService<ListedMonitor>(caller, {
    method: "POST",
    path: "/monitors",
    body: { ...named, ...values },
  });
  if ("exitCode" in answer) return answer.exitCode;
  const monitor = answer.body;
  caller.io.out(`created monitor ${nameOf(monitor, answer.screen)}`);
  for (const line of whatNext(monitor, answer.screen)) say(caller.io, line);
  return DONE;
}

/** Exit code 0 also when it is paused like this already. `durationSeconds` null: until it is resumed. */
export async function runMonitorPause(caller: Caller, named: Named, durationSeconds: number | null): Promise<number> {
  const answer = await askService<ChangedMonitorAnswer>(caller, {
    method: "POST",
    path: "/monitors/pause",
    body: { ...named, durationSeconds },
  });
  if ("exitCode" in answer) return answer.exitCode;
  const { changed, monitor } = answer.body;
  const end = endOf(monitor.pauses.manual?.until ?? null, screenOf(monitor, answer.screen));
  const name = nameOf(monitor, answer.screen);
  caller.io.out(shown(changed ? `paused ${name} ${end}` : `${name} is paused already, ${end}`));
  return DONE;
}

/** Exit code 0 also when it is not paused; 1 when it is, but not by hand. */
export async function runMonitorResume(caller: Caller, named: Named): Promise<number> {
  const answer = await askService<ChangedMonitorAnswer>(caller, {
    method: "POST",
    path: "/monitors/resume",
    body: named,
  });
  if ("exitCode" in answer) return answer.exitCode;
  const { changed, monitor } = answer.body;
  const name = nameOf(monitor, answer.screen);
  const done = monitor.status === "paused" ? `lifted the pause by hand of ${name}` : `resumed ${name}`;
  caller.io.out(changed ? done : `${name} is not paused`);
  for (const line of whatNext(monitor, answer.screen)) say(caller.io, line);
  return DONE;
}

/** What is to be expected of a monitor now, a sentence each. */
function whatNext(monitor: ListedMonitor, serverScreen: Screen): string[] {
  const { status, schedule, expectedAt, pauses, incidentId } = monitor;
  const screen = screenOf(monitor, serverScreen);
  const lines: string[] = [];
  if (pauses.manual !== null) lines.push(`it is paused ${endOf(pauses.manual.until, screen)}`);
  if (pauses.discovery) lines.push("it stays paused until its source declares it again");
  if (pauses.plan) lines.push("it stays paused until its source declares it while its application has room");
  if (status !== "paused" && expectedAt !== null)
    lines.push(`its next report is expected at ${moment(expectedAt, screen)}`);
  if (schedule === null) lines.push("it has no schedule, so no report is ever missed");
  if (incidentId !== null) lines.push(`incident ${incidentId} is open`);
  return lines;
}

const endOf = (until: string | null, screen: Screen): string =>
  until === null ? "until it is resumed" : `until ${moment(until, screen)}`;

/** Prints what was deleted, what that ended, and how long its history stays (R25). */
export async function runMonitorDelete(caller: Caller, named: Named): Promise<number> {
  const answer = await askService<DeletedMonitorAnswer>(caller, {
    method: "POST",
    path: "/monitors/delete",
    body: named,
  });
  if ("exitCode" in answer) return answer.exitCode;
  const { incidentId, recoveryTold, historyUntil, returnsAtStart } = answer.body;
  const { io } = caller;
  io.out(`deleted monitor ${nameOf(answer.body, answer.screen)}`);
  if (incidentId !== null)
    say(
      io,
      recoveryTold
        ? `incident ${incidentId} was closed by it, and the recovery is told`
        : `incident ${incidentId} was closed by it; it could not be read, so no recovery is told: close it where it was told`,
    );
  say(io, `its history goes after 7 days, at ${moment(historyUntil, answer.screen)}`);
  say(
    io,
    returnsAtStart
      ? "the configuration names it with a schedule: the next start creates it again, unless it is taken out there"
      : "a report that carries a schedule creates it again, without that history",
  );
  return DONE;
}
