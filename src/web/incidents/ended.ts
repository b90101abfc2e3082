// How an incident ended, in words for pages.

import { span } from "../../domain/wording/short-time.ts";
import type { IncidentSummary } from "../../engine/operations/answers/incidents.ts";

const ENDED: Readonly<Record<NonNullable<IncidentSummary["closedBy"]>, string>> = {
  success: "recovered",
  resolved: "closed by hand",
  withdrawn: "its job was withdrawn",
  deleted: "its job was deleted",
};

/** `recovered after 3 h 2 min`; of one that is over. */
export const endedInWords = ({ openedAt, closedAt, closedBy }: IncidentSummary): string =>
  `${ENDED[closedBy ?? "success"]} after ${span((closedAt ?? openedAt) - openedAt)}`;
