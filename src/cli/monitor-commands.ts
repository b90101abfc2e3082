// `rollcall monitor …`: lists and makes monitors through the running service, pauses, resumes and deletes them, and says
// what came of it. What one monitor looks like in full is monitor-show.ts.

import type {
  ChangedMonitorAnswer,
  DeletedMonitorAnswer,
  ListedMonitor,
  ListedMonitors,
} from "../http/management-contract.ts";
import { DONE } from "./io.ts";
import { askService, type Caller } from "./socket-client.ts";
import { moment, shortTime } from "./spoken.ts";
import { formatTable, visible } from "./table.ts";

/** Which monitor: its key, and its application unless there is only one. */
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
  const { out, err } = caller.io;
  if (asJson) out(JSON.stringify(monitors, null, 2));
  else if (monitors.length === 0) err(nothingListed(filter.status));
  else for (const line of formatTable(HEAD, monitors.map(rowOf))) out(line);
  for (const { application, key } of unreadable)
    err(
      `monitor ${visible(key)} of application ${application} cannot be read: the log says why, and it can be deleted`,
    );
  return DONE;
}

const HEAD = ["APPLICATION", "MONITOR", "STATUS", "SCHEDULE", "TIMEZONE", "EXPECTED", "LAST PING"];

const rowOf = (monitor: ListedMonitor): string[] => [
  monitor.application,
  monitor.key,
  monitor.status,
  monitor.schedule ?? "-",
  monitor.timezone,
  // While it is paused nothing is expected, and what was expected before would look overdue.
  monitor.status === "paused" ? "-" : shortTime(monitor.expectedAt),
  monitor.lastPingAt === null ? "never" : shortTime(monitor.lastPingAt),
];

const nothingListed = (status: string | null): string =>
  status === null
    ? "there are no monitors yet: a report that carries a schedule creates one, and so does rollcall monitor create"
    : `no monitor is ${status}`;

/** Exit code 0, or 1 when it exists already or something in it is refused. */
export async function runMonitorCreate(caller: Caller, named: Named, values: MonitorValues): Promise<number> {
  const answer = await askService<ListedMonitor>(caller, {
    method: "POST",
    path: "/monitors",
    body: { ...named, ...values },
  });
  if ("exitCode" in answer) return answer.exitCode;
  const monitor = answer.body;
  caller.io.out(`created monitor ${visible(monitor.key)} in application ${monitor.application}`);
  for (const line of whatNext(monitor)) caller.io.err(line);
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
  const until = monitor.pauses.manual?.until ?? null;
  const end = until === null ? "until it is resumed" : `until ${moment(until, monitor.timezone)}`;
  const key = visible(monitor.key);
  caller.io.out(changed ? `paused ${key} ${end}` : `${key} is paused already, ${end}`);
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
  const key = visible(monitor.key);
  const done = monitor.status === "paused" ? `lifted the pause by hand of ${key}` : `resumed ${key}`;
  caller.io.out(changed ? done : `${key} is not paused`);
  for (const line of whatNext(monitor)) caller.io.err(line);
  return DONE;
}

/** What is to be expected of a monitor now, a sentence each. */
function whatNext({ status, schedule, timezone, expectedAt, pauses, incidentId }: ListedMonitor): string[] {
  const lines: string[] = [];
  if (pauses.manual !== null)
    lines.push(
      `it is paused ${pauses.manual.until === null ? "until it is resumed" : `until ${moment(pauses.manual.until, timezone)}`}`,
    );
  if (pauses.discovery) lines.push("it stays paused until its source declares it again");
  if (pauses.plan) lines.push("it stays paused until its source declares it while its application has room");
  if (status !== "paused" && expectedAt !== null)
    lines.push(`its next report is expected at ${moment(expectedAt, timezone)}`);
  if (schedule === null) lines.push("it has no schedule, so no report is ever missed");
  if (incidentId !== null) lines.push(`incident ${incidentId} is open`);
  return lines;
}

/** Prints what was deleted, what that ended, and how long its history stays (R25). */
export async function runMonitorDelete(caller: Caller, named: Named): Promise<number> {
  const answer = await askService<DeletedMonitorAnswer>(caller, {
    method: "POST",
    path: "/monitors/delete",
    body: named,
  });
  if ("exitCode" in answer) return answer.exitCode;
  const { application, key, incidentId, recoveryTold, historyUntil, returnsAtStart } = answer.body;
  caller.io.out(`deleted monitor ${visible(key)} of application ${application}`);
  if (incidentId !== null)
    caller.io.err(
      recoveryTold
        ? `incident ${incidentId} was closed by it, and the recovery is told`
        : `incident ${incidentId} was closed by it; it could not be read, so no recovery is told: close it where it was told`,
    );
  caller.io.err(`its history goes after 7 days, at ${shortTime(historyUntil)}`);
  caller.io.err(
    returnsAtStart
      ? "the configuration names it with a schedule: the next start creates it again, unless it is taken out there"
      : "a report that carries a schedule creates it again, without that history",
  );
  return DONE;
}
