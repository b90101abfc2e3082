// `rollcall incident …`: lists incidents, and says what acknowledging and closing them did.

import { visible } from "../../domain/text.ts";
import { span } from "../../domain/wording/short-time.ts";
import { byPerson } from "../../domain/wording/since.ts";
import { troublesInWords } from "../../domain/wording/subject.ts";
import type { WrittenAnswer } from "../../engine/operations/operations.ts";
import type { Screen } from "../asking/ask-service.ts";
import { olderOnes, type Presenter } from "./presenter.ts";
import { age, headIn, minute, moment, shortText, shown, unbroken } from "./spoken.ts";
import { ownerColumn, say } from "./table.ts";

type ListedIncident = WrittenAnswer<"incident list">["incidents"][number];

/** Newest first. */
export const incidentList: Presenter<"incident list"> = {
  kind: "list",
  items: ({ incidents }) => incidents,
  none: ({ open, application, monitor, sinceSeconds }) =>
    [application, monitor, sinceSeconds].some((narrower) => (narrower ?? null) !== null)
      ? `there are no such incidents${open ? " open" : ""}`
      : open
        ? "no incident is open"
        : "there are no incidents",
  head: (screen) => headOf(screen),
  rows: ({ incidents }, screen) => incidents.map((incident) => rowOf(incident, screen)),
  beside: ({ incidents, more }) => olderOnes(incidents.length, more),
};

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
  troublesInWords(incident),
  incidentState(incident, screen),
  incident.message === null ? "-" : shortText(incident.message, MESSAGE_SHOWN),
];

/** Whether it is open, and who has taken it on. */
export function incidentState(
  { openedAt, closedAt, closedBy, acknowledgedAt, acknowledgedBy }: ListedIncident,
  screen: Screen,
): string {
  if (closedAt !== null) {
    const lasted = unbroken(span(Date.parse(closedAt) - Date.parse(openedAt)));
    return `closed after ${lasted}, ${closedBy === "success" ? "by a success" : closedBy}`;
  }
  return acknowledgedAt === null
    ? "open"
    : `acknowledged${byPerson(acknowledgedBy)} ${unbroken(age(acknowledgedAt, screen))}`;
}

export const incidentAcknowledge: Presenter<"incident ack"> = {
  kind: "action",
  say: ({ answer: { changed, incident }, screen, io }) => {
    const { id, acknowledgedAt, acknowledgedBy } = incident;
    if (changed) {
      io.out(`acknowledged incident ${id} of ${nameOf(incident, screen)}`);
      say(io, "no more reminders; a new cause and the recovery are still told");
    } else
      io.out(
        shown(
          `incident ${id} was acknowledged already${byPerson(acknowledgedBy)}, at ${moment(acknowledgedAt ?? "", screen)}`,
        ),
      );
  },
};

export const incidentResolve: Presenter<"incident resolve"> = {
  kind: "action",
  say: ({ answer: { changed, incident, status }, screen, io }) => {
    const { id, closedAt, closedBy } = incident;
    if (changed) {
      io.out(`closed incident ${id} of ${nameOf(incident, screen)}, which is ${status} now`);
      say(io, "the recovery is told; whether the job works shows with its next report");
    } else {
      const how = closedBy === "success" ? "by a success" : `as ${closedBy}`;
      io.out(shown(`incident ${id} is closed already, since ${moment(closedAt ?? "", screen)}, ${how}`));
    }
  },
};

/** `backup`, or `prod/backup` where there are several applications. */
const nameOf = ({ application, key }: ListedIncident, { onlyApplication }: Screen): string =>
  visible(onlyApplication ? key : `${application}/${key}`);
