// `rollcall incident …`: lists incidents through the running service, acknowledges and closes them, and says what came of
// it.

import type { ChangedIncidentAnswer, ListedIncident, ListedIncidents } from "../http/management-contract.ts";
import { DONE } from "./io.ts";
import { askService, type Caller } from "./socket-client.ts";
import { shortText, shortTime } from "./spoken.ts";
import { formatTable, visible } from "./table.ts";

export interface IncidentFilter {
  /** Null: of all applications. */
  readonly application: string | null;
  readonly openOnly: boolean;
}

/** Newest first. An empty list, and one that leaves out older ones, is said on stderr. */
export async function runIncidentList(caller: Caller, filter: IncidentFilter, asJson: boolean): Promise<number> {
  const query = new URLSearchParams({ open: String(filter.openOnly) });
  if (filter.application !== null) query.set("application", filter.application);
  const answer = await askService<ListedIncidents>(caller, { method: "GET", path: `/incidents?${query}` });
  if ("exitCode" in answer) return answer.exitCode;
  const { incidents, more } = answer.body;
  const { out, err } = caller.io;
  if (asJson) out(JSON.stringify(incidents, null, 2));
  else if (incidents.length === 0) err(filter.openOnly ? "no incident is open" : "there are no incidents");
  else for (const line of formatTable(HEAD, incidents.map(rowOf))) out(line);
  if (more) err(`these are the newest ${incidents.length}; there are older ones`);
  return DONE;
}

const HEAD = ["ID", "APPLICATION", "MONITOR", "OPENED", "CAUSE", "STATE", "MESSAGE"];

const MESSAGE_SHOWN = 60;

const rowOf = (incident: ListedIncident): string[] => [
  String(incident.id),
  incident.application,
  incident.key,
  shortTime(incident.openedAt),
  incident.causes.join(", "),
  stateOf(incident),
  incident.message === null ? "-" : shortText(incident.message, MESSAGE_SHOWN),
];

function stateOf({ closedAt, closedBy, acknowledgedAt }: ListedIncident): string {
  if (closedAt !== null) return `closed ${shortTime(closedAt)}, ${closedBy}`;
  return acknowledgedAt === null ? "open" : "acknowledged";
}

/** Exit code 0 also when it was acknowledged before; 1 when it is closed or there is none. */
export async function runIncidentAcknowledge(caller: Caller, id: number): Promise<number> {
  const answer = await askService<ChangedIncidentAnswer>(caller, {
    method: "POST",
    path: `/incidents/${id}/acknowledge`,
  });
  if ("exitCode" in answer) return answer.exitCode;
  const { changed, incident } = answer.body;
  if (changed) {
    caller.io.out(`acknowledged incident ${id} of ${visible(incident.key)}`);
    caller.io.err("no more reminders; a new cause and the recovery are still told");
  } else {
    caller.io.out(`incident ${id} was acknowledged already, at ${shortTime(incident.acknowledgedAt)}`);
  }
  return DONE;
}

/** Exit code 0 also when it was closed before; 1 when there is none. */
export async function runIncidentResolve(caller: Caller, id: number): Promise<number> {
  const answer = await askService<ChangedIncidentAnswer>(caller, { method: "POST", path: `/incidents/${id}/resolve` });
  if ("exitCode" in answer) return answer.exitCode;
  const { changed, incident, status } = answer.body;
  if (changed) {
    caller.io.out(`closed incident ${id} of ${visible(incident.key)}, which is ${status} now`);
    caller.io.err("the recovery is told; whether the job works shows with its next report");
  } else {
    const how = incident.closedBy === "success" ? "by a success" : `as ${incident.closedBy}`;
    caller.io.out(`incident ${id} is closed already, since ${shortTime(incident.closedAt)}, ${how}`);
  }
  return DONE;
}
