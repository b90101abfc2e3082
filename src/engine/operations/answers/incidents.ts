// What operations answer of incidents (R23).

import { COUNT, type Held, ID, INSTANT, listOf, orNull, TEXT, TRUTH, thing, wordOf } from "../schema.ts";
import { STATUS } from "./monitors.ts";

export const INCIDENT = thing({
  id: ID,
  application: TEXT,
  key: TEXT,
  name: TEXT,
  opening: wordOf("InitialFailure", "NeverExecuted"),
  openedAt: INSTANT,
  causes: listOf(wordOf("missed", "failed", "unfinished", "outcome")),
  troubles: COUNT,
  missedSlots: COUNT,
  /** Those that fell into a time in which rollcall could not hear. */
  unheardSlots: COUNT,
  message: orNull(TEXT),
  runId: orNull(TEXT),
  expectedAt: orNull(INSTANT),
  acknowledgedAt: orNull(INSTANT),
  /** The next reminder. */
  remindAt: orNull(INSTANT),
  remindersSent: COUNT,
  closedAt: orNull(INSTANT),
  closedBy: orNull(wordOf("success", "resolved", "withdrawn", "deleted")),
});

/** Newest first. `more`: there are older ones that are not in the list. */
export const INCIDENTS = thing({ incidents: listOf(INCIDENT), more: TRUTH });

/** `changed` false: everything was already as asked. `status`: its monitor's, afterwards. */
export const CHANGED_INCIDENT = thing({ changed: TRUTH, incident: INCIDENT, status: STATUS });

export type IncidentSummary = Held<typeof INCIDENT>;
export type IncidentList = Held<typeof INCIDENTS>;
export type ChangedIncident = Held<typeof CHANGED_INCIDENT>;
