// What operations answer about deliveries: messages on their way to one destination or recipient (R36, R37).

import { SENTENCE } from "./monitor-schemas.ts";
import { BOOLEAN, COUNT, ID, INSTANT, type InEngine, listOf, nullable, object, TEXT, wordOf } from "./schema-kinds.ts";

export const DELIVERY = object({
  id: ID,
  createdAt: INSTANT,
  destination: TEXT,
  /** A mail address; `null` for a delivery that is not mail. */
  recipient: nullable(TEXT),
  /** The webhook's `type`, and the kind of what it is about: an alert's or notice's kind, `test` or `drill`. */
  type: TEXT,
  kind: nullable(TEXT),
  application: nullable(TEXT),
  monitorKey: nullable(TEXT),
  /** The monitor's name in the message; `null` when it is about no monitor. */
  monitorName: nullable(TEXT),
  incidentId: nullable(ID),
  /** `not_sent` means that the plan found it unnecessary; `answer` says why. */
  state: wordOf("waiting", "under_way", "sent", "given_up", "not_sent"),
  /** `null` when it does not wait, or waits for an earlier one of its incident to the same address. */
  nextAttemptAt: nullable(INSTANT),
  /** Why it is due when it is, or why it was not sent (R38); `null` for a test, or when an earlier version wrote it. */
  why: nullable(wordOf("now", "quiet", "after", "well", "behind", "paused", "acknowledged")),
  /** When a person acknowledged the incident, if it was not sent for that reason; otherwise `null`. */
  acknowledgedAt: nullable(INSTANT),
  finishedAt: nullable(INSTANT),
  attempts: COUNT,
  /** The first of the deliveries that were sent with it as one message (R39); `null` when it was sent by itself. */
  digestId: nullable(ID),
  /** How the last attempt ended. */
  answer: nullable(TEXT),
  /** The whole message was sent without an answer, now or in the last attempt, so it may have arrived. */
  perhapsTaken: BOOLEAN,
});

export const DESTINATION_TRIAL = object({
  id: ID,
  name: TEXT,
  type: TEXT,
  /** `refused` means that its test did not arrive and nothing was stored; `failed` that storage did not take it. */
  state: wordOf("testing", "kept", "refused", "failed"),
  /** The receiver's answer; `null` before an answer, or without a test. */
  answer: nullable(TEXT),
});

export const SHOWN_DESTINATIONS = object({
  destinations: listOf(
    object({
      name: TEXT,
      type: TEXT,
      /** A secret is shown without its value. */
      settings: listOf(object({ key: TEXT, value: nullable(TEXT) })),
      /** The place that sets it up: a file with its line, a variable, or the command; `null` when it always exists. */
      from: nullable(TEXT),
      kept: BOOLEAN,
      /** For a rota, who is on call; for one of its turns, that it takes turns; otherwise empty. */
      turn: SENTENCE,
      /** True when alerts go there unless their monitor or application has other destinations. */
      byDefault: BOOLEAN,
      /** Why the stored destination is not in force. */
      overruled: nullable(TEXT),
    }),
  ),
  /**
   * Where alerts go, from the nearest list: the monitor's, a label's (`label:db`, without an application), the
   * application's, or the team's. The team's list is first.
   */
  routes: listOf(
    object({
      application: nullable(TEXT),
      monitor: nullable(TEXT),
      destinations: listOf(TEXT),
      from: nullable(TEXT),
      kept: BOOLEAN,
    }),
  ),
});

/** The settings that a destination of each type needs and may have, in the order in which a form asks for them. */
export const DESTINATION_KINDS = object({
  kinds: listOf(
    object({
      type: TEXT,
      /** The name by which its makers and people know it. */
      called: TEXT,
      /** A possible name for such a destination. */
      sample: TEXT,
      /** `hearing` marks keys that every type may have. They say which alerts go there, and when. */
      keys: listOf(
        object({
          key: TEXT,
          /** The name in a form. */
          label: TEXT,
          /** All possible values; empty when they are not a fixed few. */
          choices: listOf(TEXT),
          needed: BOOLEAN,
          secret: BOOLEAN,
          hearing: BOOLEAN,
          meaning: TEXT,
          example: TEXT,
          /** A value that works as it is, such as a new topic; `null` when only a person knows one. */
          suggestion: nullable(TEXT),
        }),
      ),
    }),
  ),
});

export const RENAMED_DESTINATION = object({
  name: TEXT,
  newName: TEXT,
  /** How many waiting messages move to the new name. */
  waiting: COUNT,
});

export const EXPORTED_DESTINATIONS = object({ toml: TEXT });

export const ROUTED = object({
  application: nullable(TEXT),
  /** `null` when it is about all of the application. */
  monitor: nullable(TEXT),
  /** Where its alerts go from now on. */
  destinations: listOf(TEXT),
  /** True when it has its own list; otherwise its alerts go where all do. */
  own: BOOLEAN,
});

export const REMOVED_DESTINATION = object({
  name: TEXT,
  /** The destinations that are left: where alerts go by default from now on. */
  left: listOf(TEXT),
  /** The applications that had the destination in their own list, each with the destinations that are left there. */
  applications: listOf(object({ application: TEXT, left: listOf(TEXT) })),
});

export const CHANGED_MEMBER = object({
  email: TEXT,
  /** True when the member existed already, added by a command. */
  replaced: BOOLEAN,
  /** How many other members there are. */
  others: COUNT,
  /** The destinations whose mail goes to members; empty when no destination does that. */
  destinations: listOf(TEXT),
});

export const MEMBERS = object({
  members: listOf(
    object({
      name: TEXT,
      email: TEXT,
      events: listOf(TEXT),
      /** The person of the dashboard in whose name their answers to mails are recorded; `null` when none are. */
      answers: nullable(TEXT),
      from: nullable(TEXT),
      kept: BOOLEAN,
      overruled: nullable(TEXT),
    }),
  ),
  destinations: listOf(TEXT),
});

/** The states that can be asked for. A delivery in progress counts as waiting. */
export const DELIVERY_STATES: ["waiting", "given_up", "sent"] = ["waiting", "given_up", "sent"];

/** Destinations whose last attempt failed for every message, and when the first of these failures was. */
export const FAILING = listOf(object({ destination: TEXT, answer: TEXT, since: INSTANT }));

export const DELIVERIES = object({
  at: INSTANT,
  /** The newest first. */
  deliveries: listOf(DELIVERY),
  /** The states that have older deliveries than those in the list. */
  more: listOf(wordOf(...DELIVERY_STATES)),
  failing: FAILING,
});

/** The deliveries are stored and are sent now. */
export const TESTED_DESTINATION = object({ deliveries: listOf(DELIVERY) });

export const RESENT_DELIVERY = object({
  /**
   * `again`: a copy is sent after what waits in its lane. `forward`: it was still waiting and is tried now. `behind`:
   * it waited for an earlier one, which is tried now. `under_way`: an attempt is in progress, and nothing was changed.
   */
  done: wordOf("again", "forward", "behind", "under_way"),
  /** The copy, the delivery that is tried now, or the one in progress. */
  delivery: DELIVERY,
});

export type DeliverySummary = InEngine<typeof DELIVERY>;
export type DeliveryList = InEngine<typeof DELIVERIES>;
export type ResentDelivery = InEngine<typeof RESENT_DELIVERY>;
