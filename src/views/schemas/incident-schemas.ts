// The answers of operations about incidents (R23).

import { RUN_RESULTS } from "../../domain/wording/results.ts";
import { DELIVERY } from "./delivery-schemas.ts";
import { SENTENCE, STATUS } from "./monitor-schemas.ts";
import { BOOLEAN, COUNT, ID, INSTANT, type InEngine, listOf, nullable, object, TEXT, wordOf } from "./schema-kinds.ts";

export const INCIDENT = object({
  id: ID,
  application: TEXT,
  key: TEXT,
  name: TEXT,
  opening: wordOf("InitialFailure", "NeverExecuted"),
  openedAt: INSTANT,
  causes: listOf(wordOf("missed", "failed", "unfinished", "outcome")),
  troubles: COUNT,
  missedSlots: COUNT,
  /** How many unfilled slots fell into a gap (R26). */
  unheardSlots: COUNT,
  /** How many slots the job filled by a report that came late (R43). */
  lateSlots: COUNT,
  message: nullable(TEXT),
  runId: nullable(TEXT),
  expectedAt: nullable(INSTANT),
  acknowledgedAt: nullable(INSTANT),
  /** The name of the person who acknowledged the incident; `null` when no one or a command did. */
  acknowledgedBy: nullable(TEXT),
  remindAt: nullable(INSTANT),
  remindersSent: COUNT,
  closedAt: nullable(INSTANT),
  closedBy: nullable(wordOf("success", "resolved", "withdrawn", "deleted")),
});

export const ATTENDED = object({
  ...INCIDENT.properties,
  /**
   * `taken`: a person has acknowledged the incident. `unnotified`: no one has acknowledged it, and no message about it
   * has arrived. `open`: neither of the two.
   */
  attention: wordOf("unnotified", "open", "taken"),
  /** Why no message about the incident has arrived; empty unless `attention` is `unnotified`. */
  unnotified: SENTENCE,
});

/** The incidents, the newest first. `more` is true when older ones are not in the list. */
export const INCIDENTS = object({ incidents: listOf(INCIDENT), more: BOOLEAN });

/** A message about an incident: its words, and to whom it went. */
const NOTIFIED = object({
  at: INSTANT,
  kind: wordOf("InitialFailure", "NeverExecuted", "ContinuedFailure", "Acknowledged", "Recovered"),
  /** What happened, in two or three words. */
  state: TEXT,
  /** What happened, in sentences. The first sentence is enough to understand it. */
  story: listOf(TEXT),
  toDo: TEXT,
  quote: nullable(TEXT),
  deliveries: listOf(
    object({
      destination: TEXT,
      recipient: nullable(TEXT),
      /** The member of the team who has this mail address; `null` when no member has it. */
      person: nullable(TEXT),
      state: DELIVERY.properties.state,
      finishedAt: nullable(INSTANT),
      /** When the message is tried next; `null` if it does not wait, an earlier one goes first, or a pause holds it. */
      nextAttemptAt: nullable(INSTANT),
      /** Until when the message is held back from this receiver (R38); `null` when it is not held back. */
      heldUntil: nullable(INSTANT),
      /**
       * For a message that was not sent because an earlier message had told its receiver of the trouble: when that
       * earlier message was sent. `null` for any other message.
       */
      knownAt: nullable(INSTANT),
      /** When a person acknowledged the incident, if the message was not sent for that reason; otherwise `null`. */
      acknowledgedAt: nullable(INSTANT),
      why: DELIVERY.properties.why,
      attempts: COUNT,
      answer: nullable(TEXT),
      /**
       * The last answer of the destination, if it takes no messages now and this message waits for that; otherwise
       * `null`.
       */
      failing: nullable(TEXT),
    }),
  ),
});

const REPORT = object({
  at: INSTANT,
  kind: wordOf("heartbeat", "start", "complete", "fail", "log"),
  message: nullable(TEXT),
  /**
   * The last output of the job, if the report is one of the newest fails (R46). `null` for other reports, and when no
   * output is kept.
   */
  output: nullable(TEXT),
  durationSeconds: nullable(COUNT),
  /**
   * How long the run took, as rollcall measured it; `null` when `durationSeconds` is `null`, or when the start of the
   * run is no longer known.
   */
  durationMilliseconds: nullable(COUNT),
  /** What became of the report's run; `null` when the report does not tell it. */
  outcome: nullable(wordOf(...RUN_RESULTS)),
});

/** An incident, the messages about it and the reports while it was open, the oldest first. */
export const INCIDENT_STORY = object({
  incident: INCIDENT,
  timezone: TEXT,
  /** What the job is doing now, which may have changed since the incident. */
  now: SENTENCE,
  /** While the incident is open, why no message about it has arrived; empty when one has, or is on its way. */
  unnotified: SENTENCE,
  notified: listOf(NOTIFIED),
  /** What people and commands did to the job while the incident was open, except what a message tells already. */
  acts: listOf(object({ at: INSTANT, says: TEXT })),
  /** The reports from the last one before the incident until the end of the incident. */
  reports: listOf(REPORT),
  /** False when some reports are missing in this story, because they are too many, too old, or no longer kept. */
  isWhole: BOOLEAN,
});

/** `changed` is false when everything was already as asked. `status` is the monitor's status afterwards. */
export const CHANGED_INCIDENT = object({ changed: BOOLEAN, incident: INCIDENT, status: STATUS });

/** `pagers` are the destinations that were told of the acknowledgement and go on showing it. */
export const UNACKNOWLEDGED = object({ ...CHANGED_INCIDENT.properties, pagers: listOf(TEXT) });

export type AttendedIncident = InEngine<typeof ATTENDED>;
export type IncidentSummary = InEngine<typeof INCIDENT>;
export type Notified = InEngine<typeof NOTIFIED>;
export type IncidentStory = InEngine<typeof INCIDENT_STORY>;
export type IncidentList = InEngine<typeof INCIDENTS>;
export type ChangedIncident = InEngine<typeof CHANGED_INCIDENT>;

/**
 * How many open incidents were acknowledged now. One call takes a limited number: `left` is how many more were asked
 * for, and must be asked for again.
 */
export const ACKNOWLEDGED = object({ acknowledged: COUNT, left: COUNT });
