// What operations answer about incidents (R23).

import { RUN_OUTCOMES } from "../outcomes.ts";
import { DELIVERY } from "./deliveries.ts";
import { SENTENCE, STATUS } from "./monitors.ts";
import { BOOLEAN, COUNT, type Held, ID, INSTANT, listOf, object, orNull, TEXT, wordOf } from "./schema.ts";

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
  /** Slots that fell into a time in which rollcall could not hear. */
  unheardSlots: COUNT,
  /** Slots in which the job ran although the report came late (R43). */
  lateSlots: COUNT,
  message: orNull(TEXT),
  runId: orNull(TEXT),
  expectedAt: orNull(INSTANT),
  acknowledgedAt: orNull(INSTANT),
  /** The name of the person who acknowledged it; `null` when nobody did, or a command did. */
  acknowledgedBy: orNull(TEXT),
  remindAt: orNull(INSTANT),
  remindersSent: COUNT,
  closedAt: orNull(INSTANT),
  closedBy: orNull(wordOf("success", "resolved", "withdrawn", "deleted")),
});

export const ATTENDED = object({
  ...INCIDENT.properties,
  /** `unnotified` means that it is not acknowledged and no message about it has arrived. */
  attention: wordOf("unnotified", "open", "taken"),
  /** Why no message has arrived; empty when one has, or is on its way. */
  unnotified: SENTENCE,
});

/** The newest first. `more` is true when older ones are not in the list. */
export const INCIDENTS = object({ incidents: listOf(INCIDENT), more: BOOLEAN });

/** One message about an incident, in its own words, and to whom it went. */
const NOTIFIED = object({
  at: INSTANT,
  kind: wordOf("InitialFailure", "NeverExecuted", "ContinuedFailure", "Acknowledged", "Recovered"),
  /** What happened, in two or three words. */
  state: TEXT,
  /** What happened, in sentences. The first one is enough. */
  story: listOf(TEXT),
  toDo: TEXT,
  quote: orNull(TEXT),
  deliveries: listOf(
    object({
      destination: TEXT,
      recipient: orNull(TEXT),
      /** The member of the team who has this mail address; `null` when no member has it. */
      person: orNull(TEXT),
      state: DELIVERY.properties.state,
      finishedAt: orNull(INSTANT),
      /** `null` when it has ended, is being sent, or an earlier message goes first. */
      nextAttemptAt: orNull(INSTANT),
      /** Until when the destination is not to be told (R38); `null` when it is told at once. */
      heldUntil: orNull(INSTANT),
      /**
       * For a message that was not sent: when the message was sent by which its receiver knows already; otherwise
       * `null`.
       */
      knownAt: orNull(INSTANT),
      /** When a person acknowledged the incident, if the message was not sent for that reason; otherwise `null`. */
      acknowledgedAt: orNull(INSTANT),
      why: DELIVERY.properties.why,
      attempts: COUNT,
      answer: orNull(TEXT),
      /** The destination's last answer, if it takes no messages now and this one waits for it; otherwise `null`. */
      failing: orNull(TEXT),
    }),
  ),
});

const REPORT = object({
  at: INSTANT,
  kind: wordOf("heartbeat", "start", "complete", "fail", "log"),
  message: orNull(TEXT),
  /** The job's last output (R46); `null` when none is kept, or when only newer reports are shown with it. */
  output: orNull(TEXT),
  durationSeconds: orNull(COUNT),
  /** Computed from arrival times; `null` also when the start of the run is no longer known. */
  durationMilliseconds: orNull(COUNT),
  /** What became of the report's run; `null` when the report does not say. */
  outcome: orNull(wordOf(...RUN_OUTCOMES)),
});

/** An incident with all messages about it and with the job's reports meanwhile, each with the oldest first. */
export const INCIDENT_STORY = object({
  incident: INCIDENT,
  timezone: TEXT,
  /** What the job is doing now, which may have changed since the incident. */
  now: SENTENCE,
  /** While the incident is open, why no message about it has arrived; empty when one has, or is on its way. */
  unnotified: SENTENCE,
  notified: listOf(NOTIFIED),
  /** From the last report before the incident to its end. */
  reports: listOf(REPORT),
  /** False when reports are missing here, because they are too many, too old, or no longer kept. */
  isWhole: BOOLEAN,
});

/** `changed` is false when everything was already as asked. `status` is the monitor's status afterwards. */
export const CHANGED_INCIDENT = object({ changed: BOOLEAN, incident: INCIDENT, status: STATUS });

export type AttendedIncident = Held<typeof ATTENDED>;
export type IncidentSummary = Held<typeof INCIDENT>;
export type Notified = Held<typeof NOTIFIED>;
export type IncidentStory = Held<typeof INCIDENT_STORY>;
export type IncidentList = Held<typeof INCIDENTS>;
export type ChangedIncident = Held<typeof CHANGED_INCIDENT>;

/** How many open incidents were acknowledged now, and how many are not yet. */
export const ACKNOWLEDGED = object({ acknowledged: COUNT, left: COUNT });
