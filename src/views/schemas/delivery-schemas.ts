// The answers of operations about deliveries: messages on their way to one destination or recipient (R36, R37).

import { SENTENCE } from "./monitor-schemas.ts";
import { BOOLEAN, COUNT, ID, INSTANT, type InEngine, listOf, nullable, object, TEXT, wordOf } from "./schema-kinds.ts";

export const DELIVERY = object({
  id: ID,
  createdAt: INSTANT,
  destination: TEXT,
  /** The mail address to which the delivery goes; `null` when it is not mail. */
  recipient: nullable(TEXT),
  /**
   * `type` is the type of the message as a webhook gets it, such as `service.notice`. `kind` is the kind of the alert
   * or notice, or `test` or `drill`.
   */
  type: TEXT,
  kind: nullable(TEXT),
  application: nullable(TEXT),
  monitorKey: nullable(TEXT),
  /** The monitor's name in the message; `null` when the message is about no monitor. */
  monitorName: nullable(TEXT),
  incidentId: nullable(ID),
  /** `not_sent`: rollcall found the message unnecessary before sending it (R38); `answer` says why. */
  state: wordOf("waiting", "under_way", "sent", "given_up", "not_sent"),
  /**
   * When the delivery is tried next. `null` when it does not wait, when an earlier delivery of its lane goes first, and
   * when a pause holds it.
   */
  nextAttemptAt: nullable(INSTANT),
  /**
   * Why the delivery is due at its time, or why it was not sent (R38). `quiet`, `after` and `paused`: quiet hours, the
   * setting `after` or a pause hold the delivery. `well`: it waits until the job has been well for 15 minutes.
   * `behind`: an earlier message goes first. `null` for tests, and for deliveries that an older version of rollcall
   * wrote.
   */
  why: nullable(wordOf("now", "quiet", "after", "well", "behind", "paused", "acknowledged")),
  /** When a person acknowledged the incident, if the delivery was not sent for that reason; otherwise `null`. */
  acknowledgedAt: nullable(INSTANT),
  finishedAt: nullable(INSTANT),
  attempts: COUNT,
  /**
   * The id of the first of the deliveries that were sent together as one message (R39); `null` for a delivery that was
   * sent by itself.
   */
  digestId: nullable(ID),
  /**
   * How the last attempt to send ended, or why the message was not sent, in words; `null` while neither has happened.
   */
  answer: nullable(TEXT),
  /** True when the whole message was written to its destination and no answer has come, so that it may have arrived. */
  perhapsTaken: BOOLEAN,
});

export const DESTINATION_TRIAL = object({
  id: ID,
  name: TEXT,
  type: TEXT,
  /**
   * `refused`: the test to the new destination did not arrive, so nothing was stored. `failed`: the destination could
   * not be stored.
   */
  state: wordOf("testing", "kept", "refused", "failed"),
  /** The receiver's answer; `null` before an answer, or without a test. */
  answer: nullable(TEXT),
});

export const SHOWN_DESTINATIONS = object({
  destinations: listOf(
    object({
      name: TEXT,
      type: TEXT,
      /** The settings of the destination. `value` is `null` for a secret. */
      settings: listOf(object({ key: TEXT, value: nullable(TEXT) })),
      /**
       * The place that sets the destination up: a file with its line, an environment variable, or a command. `null` for
       * a destination that exists without being configured, such as `email`.
       */
      from: nullable(TEXT),
      kept: BOOLEAN,
      /**
       * For a rota, who is on call and until when. For a destination that takes turns in rotas, the names of these
       * rotas. Otherwise empty.
       */
      turn: SENTENCE,
      /** True when alerts go to this destination unless their monitor, label or application has other destinations. */
      byDefault: BOOLEAN,
      /** Why the stored destination is not in force; `null` when it is. */
      overruled: nullable(TEXT),
    }),
  ),
  /**
   * The lists of destinations. An alert goes by the nearest list: its monitor's, that of a label (`monitor` is then
   * `label:db`, without an application), its application's, or the team's. The team's list stands first.
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
      /** The name by which people know this type of destination. */
      called: TEXT,
      /** An example of a name for a destination of this type. */
      sample: TEXT,
      /**
       * The settings of this type. `hearing` marks those that every type may have: they say which alerts go to the
       * destination, and when.
       */
      keys: listOf(
        object({
          key: TEXT,
          /** The setting's name in a form. */
          label: TEXT,
          /** All possible values of the setting; empty when it may have other values. */
          choices: listOf(TEXT),
          needed: BOOLEAN,
          secret: BOOLEAN,
          hearing: BOOLEAN,
          meaning: TEXT,
          example: TEXT,
          /** A value that works without a change, such as a new topic; `null` when only a person knows the value. */
          suggestion: nullable(TEXT),
        }),
      ),
    }),
  ),
});

export const RENAMED_DESTINATION = object({
  name: TEXT,
  newName: TEXT,
  /** How many messages that wait for the destination go on waiting under its new name. */
  waiting: COUNT,
});

export const EXPORTED_DESTINATIONS = object({ toml: TEXT });

export const ROUTED = object({
  application: nullable(TEXT),
  /**
   * The monitor whose alerts go to `destinations`. `null` means the alerts of the whole application or, without an
   * application, all alerts for which neither a monitor nor an application has a list.
   */
  monitor: nullable(TEXT),
  /** The destinations to which these alerts go from now on. */
  destinations: listOf(TEXT),
  /**
   * True when `destinations` is stored as a list of the monitor, the application or the team. False when such a list
   * was removed, so that the alerts go by the list of the application or of the team.
   */
  own: BOOLEAN,
});

export const REMOVED_DESTINATION = object({
  name: TEXT,
  /** The destinations that are left in the team's list, to which alerts go by default from now on. */
  left: listOf(TEXT),
  /**
   * The applications that had the destination in their own list, each with what is left of that list. When nothing is
   * left of that list, the application's `left` has the destinations of the team's list.
   */
  applications: listOf(object({ application: TEXT, left: listOf(TEXT) })),
});

export const CHANGED_MEMBER = object({
  email: TEXT,
  /** True when a command had added the member before, so that the new values replaced the former ones. */
  replaced: BOOLEAN,
  /** How many members the team has besides this one. */
  others: COUNT,
  /** The destinations whose mail goes to the members of the team; empty when no destination does that. */
  destinations: listOf(TEXT),
});

export const MEMBERS = object({
  members: listOf(
    object({
      name: TEXT,
      email: TEXT,
      events: listOf(TEXT),
      /** The person in whose name this member's replies to mails are recorded; `null` when replies are not recorded. */
      answers: nullable(TEXT),
      from: nullable(TEXT),
      kept: BOOLEAN,
      overruled: nullable(TEXT),
    }),
  ),
  destinations: listOf(TEXT),
});

/** The states by which deliveries can be listed. A delivery in progress counts as waiting. */
export const DELIVERY_STATES: ["waiting", "given_up", "sent"] = ["waiting", "given_up", "sent"];

/**
 * Destinations that take no messages now: since their last success each attempt failed. `answer` is the last answer,
 * and `since` is when the first of these attempts failed.
 */
export const FAILING = listOf(object({ destination: TEXT, answer: TEXT, since: INSTANT }));

export const DELIVERIES = object({
  at: INSTANT,
  /** The deliveries, the newest first. */
  deliveries: listOf(DELIVERY),
  /** The states that have older deliveries than those in the list. */
  more: listOf(wordOf(...DELIVERY_STATES)),
  failing: FAILING,
});

/** The deliveries of the test, which are sent now. */
export const TESTED_DESTINATION = object({ deliveries: listOf(DELIVERY) });

export const RESENT_DELIVERY = object({
  /**
   * `again`: a copy is sent after what waits in the lane. `forward`: the delivery still waited and is tried now.
   * `behind`: it waited for an earlier one of its lane, which is tried now. `under_way`: an attempt is in progress, and
   * nothing was changed.
   */
  done: wordOf("again", "forward", "behind", "under_way"),
  /** For `again` the copy; for `forward` and `behind` what is tried now; for `under_way` what is in progress. */
  delivery: DELIVERY,
});

export type DeliverySummary = InEngine<typeof DELIVERY>;
export type DeliveryList = InEngine<typeof DELIVERIES>;
export type ResentDelivery = InEngine<typeof RESENT_DELIVERY>;
