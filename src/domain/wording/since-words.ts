// Says what has happened since an alert was made, for its message and the end of its subject (R36). Otherwise people
// would believe what is no longer true.

import type { AlertData } from "../message/alert.ts";
import { isInTroubleAgain, type NewestIncident } from "../message/since.ts";
import type { ClosedBy } from "../monitor/incident.ts";
import { cleanLine } from "../text.ts";
import type { Times } from "./message-times.ts";
import { counted } from "./spoken-time.ts";

/** What has happened since the alert, such as `it recovered at …; incident 2 opened at …`; `null` for nothing. */
export function sinceInWords({ since, timezone }: Pick<AlertData, "since" | "timezone">, times: Times): string | null {
  if (since === null) return null;
  const { closedAt, closedBy, acknowledgedAt, acknowledgedBy, incidents, newest } = since;
  const moment = (iso: string): string => times.say(iso, timezone);
  const parts = [
    ...(acknowledgedAt === null ? [] : [`it was acknowledged${byPerson(acknowledgedBy)} at ${moment(acknowledgedAt)}`]),
    ...(closedAt === null ? [] : [`${CLOSED[closedBy ?? "success"].happened} at ${moment(closedAt)}`]),
    ...(newest === null ? [] : [newestInWords(newest, incidents, moment)]),
  ];
  return parts.join("; ");
}

/** A person's name as messages show it; `null` when it is not known, as in alerts stored by earlier versions. */
export const shownPerson = (name: string | null | undefined): string | null =>
  cleanLine(name ?? "", PERSON_SHOWN_LENGTH) || null;

/** Who did it, such as ` by Ada`; empty when the name is not known. */
export function byPerson(name: string | null | undefined): string {
  const shown = shownPerson(name);
  return shown === null ? "" : ` by ${shown}`;
}

const PERSON_SHOWN_LENGTH = 64;

/** How an incident ended: `state` stands behind the incident in a list, `happened` is a sentence about its job. */
export const CLOSED: Readonly<Record<ClosedBy, { readonly state: string; readonly happened: string }>> = {
  success: { state: "recovered", happened: "it recovered" },
  resolved: { state: "closed by hand", happened: "its incident was closed by hand" },
  withdrawn: { state: "its job was withdrawn", happened: "it was withdrawn" },
  deleted: { state: "its job was deleted", happened: "it was deleted" },
};

function newestInWords(
  { incidentId, openedAt, closedAt }: NewestIncident,
  incidents: number,
  moment: (iso: string) => string,
): string {
  const which =
    incidents === 1
      ? `incident ${incidentId} opened`
      : `${counted(incidents, "more incident")} opened, the last of them, ${incidentId},`;
  return `${which} at ${moment(openedAt)} and ${closedAt === null ? "is open" : `closed at ${moment(closedAt)}`}`;
}

/** What has happened since the alert, as the end of its subject; empty while the subject is still true. */
export function sinceInSubject({ since }: Pick<AlertData, "since">): string {
  if (since === null) return "";
  if (isInTroubleAgain({ since })) return ", in trouble again since";
  if (since.closedAt === null) return "";
  return since.closedBy === "success" ? ", recovered since" : ", closed since";
}
