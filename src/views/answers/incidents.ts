// What operations answer of incidents (R23).

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
  /** Those that fell into a time in which rollcall could not hear. */
  unheardSlots: COUNT,
  /** Those in which it ran and was heard late (R43). */
  lateSlots: COUNT,
  message: orNull(TEXT),
  runId: orNull(TEXT),
  expectedAt: orNull(INSTANT),
  acknowledgedAt: orNull(INSTANT),
  /** The name of the person who did so; null: no one has, or it was done by command. */
  acknowledgedBy: orNull(TEXT),
  remindAt: orNull(INSTANT),
  remindersSent: COUNT,
  closedAt: orNull(INSTANT),
  closedBy: orNull(wordOf("success", "resolved", "withdrawn", "deleted")),
});

export const ATTENDED = object({
  ...INCIDENT.properties,
  /** `unnotified`: it is not acknowledged, and no message about it has arrived. */
  attention: wordOf("unnotified", "open", "taken"),
  /** Why none has arrived; empty: one has, or is on its way. */
  unnotified: SENTENCE,
});

/** Newest first. `more`: there are older ones that are not in the list. */
export const INCIDENTS = object({ incidents: listOf(INCIDENT), more: BOOLEAN });

/** One message about an incident, in its own words, and to whom it went. */
const NOTIFIED = object({
  at: INSTANT,
  kind: wordOf("InitialFailure", "NeverExecuted", "ContinuedFailure", "Acknowledged", "Recovered"),
  /** What happened, in two or three words. */
  state: TEXT,
  /** What happened, in sentences; the first is enough. */
  story: listOf(TEXT),
  toDo: TEXT,
  quote: orNull(TEXT),
  deliveries: listOf(
    object({
      destination: TEXT,
      recipient: orNull(TEXT),
      /** The member of the team who has this mail address; null: nobody. */
      person: orNull(TEXT),
      state: DELIVERY.properties.state,
      finishedAt: orNull(INSTANT),
      /** Null: it has ended, is being sent, or an earlier message goes first. */
      nextAttemptAt: orNull(INSTANT),
      /** Its destination is to hear of it only then (R38); null: at once. */
      heldUntil: orNull(INSTANT),
      /** Of one that was not sent: when the message was sent by which it is known there all the same; else null. */
      knownAt: orNull(INSTANT),
      /** Of one that was not sent because a person had acknowledged the incident: when that was; else null. */
      acknowledgedAt: orNull(INSTANT),
      why: DELIVERY.properties.why,
      attempts: COUNT,
      answer: orNull(TEXT),
      /** What its destination answered last, if that takes no messages now and this one waits for it; else null. */
      failing: orNull(TEXT),
    }),
  ),
});

const REPORT = object({
  at: INSTANT,
  kind: wordOf("heartbeat", "start", "complete", "fail", "log"),
  message: orNull(TEXT),
  /** What the job wrote last (R46); null: nothing is kept, or only newer reports have it here. */
  output: orNull(TEXT),
  durationSeconds: orNull(COUNT),
  /** Of arrival times; null also where its run's start is not known any more. */
  durationMilliseconds: orNull(COUNT),
  /** What became of its run; null: the report says nothing of that. */
  outcome: orNull(wordOf(...RUN_OUTCOMES)),
});

/** An incident with all that was told of it, and with the job's reports meanwhile, both oldest first. */
export const INCIDENT_STORY = object({
  incident: INCIDENT,
  timezone: TEXT,
  /** Its job's, which may have gone on since. */
  now: SENTENCE,
  /** While it is open: why no message about it has arrived; empty: one has, or is on its way. */
  unnotified: SENTENCE,
  notified: listOf(NOTIFIED),
  /** From the last one before it to its end. */
  reports: listOf(REPORT),
  /** False: reports are missing here, because they are too many, too far back, or no longer kept. */
  isWhole: BOOLEAN,
});

/** `changed` false: everything was already as asked. `status`: its monitor's, afterwards. */
export const CHANGED_INCIDENT = object({ changed: BOOLEAN, incident: INCIDENT, status: STATUS });

export type AttendedIncident = Held<typeof ATTENDED>;
export type IncidentSummary = Held<typeof INCIDENT>;
export type Notified = Held<typeof NOTIFIED>;
export type IncidentStory = Held<typeof INCIDENT_STORY>;
export type IncidentList = Held<typeof INCIDENTS>;
export type ChangedIncident = Held<typeof CHANGED_INCIDENT>;

/** Open incidents that have been acknowledged now, and those that are not yet. */
export const ACKNOWLEDGED = object({ acknowledged: COUNT, left: COUNT });
