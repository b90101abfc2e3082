// The one sentence that says what to do first about an alert. A lock screen shows it below the subject.

import type { AlertData } from "../message/alert.ts";
import { isOver, standsAgain } from "../message/since.ts";
import { CAUSES } from "./causes.ts";
import { areOverdue, isRunning, isStillUnheard } from "./history.ts";
import { shownPerson } from "./since.ts";

export function toDoOf(data: AlertData): string {
  if (standsAgain(data)) return `There is new trouble since: look at incident ${data.since!.newest!.incidentId}.`;
  if (data.kind === "Recovered") return afterTheEnd(data);
  if (isOver(data))
    return data.since!.closedBy === "success" ? "It has recovered since." : "Its incident has been closed since.";
  if (isRefusal(data)) return "Correct the request that it sends.";
  if (data.zoneHint !== null) return "Check its time zone first.";
  if (isStillUnheard(data)) return "Check that it is installed and enabled.";
  if (isRunning(data)) return "See whether that run ends well.";
  if (data.kind === "Acknowledged")
    return `There is nothing to do while ${shownPerson(data.acknowledgedBy) ?? "somebody"} looks after it.`;
  return areOverdue(data) ? "Check whether they hang or were killed." : CAUSES[data.cause].check;
}

/**
 * R33: the job may be well; we refused what it sent. A rate limit says nothing against the request, and the job may be
 * down.
 */
export const isRefusal = ({ refusedReport }: AlertData): boolean =>
  (refusedReport ?? null) !== null && refusedReport!.error !== "RATE_LIMIT_EXCEEDED";

function afterTheEnd(data: AlertData): string {
  const { reason, missedSlots } = data;
  const unheard = data.unheardSlots ?? 0;
  if (reason === "resolved") return "Watch its next report: that shows whether it works.";
  if (reason === "restored") return "Check whether the job works.";
  if (reason === "withdrawn" || reason === "deleted") return "There is nothing to do, if that was meant.";
  if ((missedSlots ?? 0) > 1) return "Check whether the missed runs must be made up.";
  if (unheard === 0) return "There is nothing to do.";
  if (data.everySeconds != null) return "Check whether it ran while rollcall could not hear.";
  return `Check whether the ${unheard === 1 ? "run" : `${unheard} runs`} ran that rollcall could not hear.`;
}
