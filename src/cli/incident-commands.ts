// `rollcall incident …`: lists incidents through the running service, acknowledges and closes them, and says what came of
// it.

import type { ChangedIncidentAnswer, ListedIncident, ListedIncidents } from "../http/management/contract.ts";
import { DONE, say } from "./io.ts";
import { askService, type Caller, type Screen } from "./socket-client.ts";
import { age, headIn, minute, moment, shortText, shown, span, unbroken } from "./spoken.ts";
import { formatTable, ownerColumn, visible } from "./table.ts";

export interface IncidentFilter {
  /** Null: of all applications. */
  readonly application: string | null;
  readonly openOnly: boolean;
  /** Null: as many as the service shows by itself. */
  readonly limit: number | null;
}

/** Newest first. An empty list, and one that leaves out older ones, is said on stderr. */
export async function runIncidentList(caller: Caller, filter: IncidentFilter, asJson: boolean): Promise<number> {
  const query = new URLSearchParams({ open: String(filter.openOnly) });
  if (filter.application !== null) query.set("application", filter.application);
  if (filter.limit !== null) query.set("limit", String(filter.limit));
  const answer = await askService<ListedIncidents>(caller, { method: "GET", path: `/incidents?${query}` });
  if ("exitCode" in answer) return answer.exitCode;
  const { incidents, more } = answer.body;
  const { screen } = answer;
  const { out, err } = caller.io;
  if (asJson) out(JSON.stringify(incidents, null, 2));
  else if (incidents.length === 0) err(filter.openOnly ? "no incident is open" : "there are no incidents");
  else {
    const rows = incidents.map((incident) => rowOf(incident, screen));
    for (const line of formatTable(headOf(screen), rows, screen.width)) out(line);
  }
  if (more) err(`these are the newest ${incidents.length}; there are older ones, --limit shows more`);
  return DONE;
}

const headOf = (screen: Screen): string[] => [
  "ID",
  ...ownerColumn(screen, "APPLICATION"),
  "MONITOR",
  headIn(screen, "OPENED"),
  "CAUSE",
  "STATE",
  "MESSAGE",
];

const MESSAGE_SHOWN = 60;

const rowOf = (incident: ListedIncident, screen: Screen): string[] => [
  String(incident.id),
  ...ownerColumn(screen, incident.application),
  incident.key,
  minute(incident.openedAt, screen),
  incident.causes.join(", "),
  stateOf(incident, screen),
  incident.message === null ? "-" : shortText(incident.message, MESSAGE_SHOWN),
];

function stateOf({ openedAt, closedAt, closedBy, acknowledgedAt }: ListedIncident, screen: Screen): string {
  if (closedAt !== null) {
    const lasted = unbroken(span(Date.parse(closedAt) - Date.parse(openedAt)));
    return `closed after ${lasted}, ${closedBy === "success" ? "by a success" : closedBy}`;
  }
  return acknowledgedAt === null ? "open" : `acknowledged ${unbroken(age(acknowledgedAt, screen))}`;
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
    caller.io.out(`acknowledged incident ${id} of ${nameOf(incident, answer.screen)}`);
    say(caller.io, "no more reminders; a new cause and the recovery are still told");
  } else {
    const since = moment(incident.acknowledgedAt ?? "", answer.screen);
    caller.io.out(shown(`incident ${id} was acknowledged already, at ${since}`));
  }
  return DONE;
}

/** Exit code 0 also when it was closed before; 1 when there is none. */
export async function runIncidentResolve(caller: Caller, id: number): Promise<number> {
  const answer = await askService<ChangedIncidentAnswer>(caller, { method: "POST", path: `/incidents/${id}/resolve` });
  if ("exitCode" in answer) return answer.exitCode;
  const { changed, incident, status } = answer.body;
  if (changed) {
    caller.io.out(`closed incident ${id} of ${nameOf(incident, answer.screen)}, which is ${status} now`);
    say(caller.io, "the recovery is told; whether the job works shows with its next report");
  } else {
    const how = incident.closedBy === "success" ? "by a success" : `as ${incident.closedBy}`;
    const since = moment(incident.closedAt ?? "", answer.screen);
    caller.io.out(shown(`incident ${id} is closed already, since ${since}, ${how}`));
  }
  return DONE;
}

/** `backup`, or `prod/backup` where there are several applications. */
const nameOf = ({ application, key }: ListedIncident, { onlyApplication }: Screen): string =>
  visible(onlyApplication ? key : `${application}/${key}`);
