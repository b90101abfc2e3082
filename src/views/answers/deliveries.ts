// What operations answer of deliveries: messages on their way to one destination or recipient (R36, R37).

import { SENTENCE } from "./monitors.ts";
import { BOOLEAN, COUNT, type Held, ID, INSTANT, listOf, object, orNull, TEXT, wordOf } from "./schema.ts";

export const DELIVERY = object({
  id: ID,
  createdAt: INSTANT,
  destination: TEXT,
  /** A mail address; null for everything that is not mail. */
  recipient: orNull(TEXT),
  /** The webhook's `type`, and what it is about: an alert's or notice's kind, `test` or `drill`. */
  type: TEXT,
  kind: orNull(TEXT),
  application: orNull(TEXT),
  monitorKey: orNull(TEXT),
  /** As the message calls it; null: it is about no monitor. */
  monitorName: orNull(TEXT),
  incidentId: orNull(ID),
  /** `not_sent`: the plan said that it need not be sent; `answer` says why. */
  state: wordOf("waiting", "under_way", "sent", "given_up", "not_sent"),
  /** Null unless it waits, and while it waits for an earlier one of its incident to the same address. */
  nextAttemptAt: orNull(INSTANT),
  /** Why it is due when it is, or was not sent (R38); null: an earlier version wrote it, or it is a test. */
  why: orNull(wordOf("now", "quiet", "after", "well", "behind", "paused", "acknowledged")),
  /** Of one that was not sent because a person had acknowledged its incident: when that was; else null. */
  acknowledgedAt: orNull(INSTANT),
  finishedAt: orNull(INSTANT),
  attempts: COUNT,
  /** The first of the deliveries it went out with as one message (R39); null: it went by itself. */
  digestId: orNull(ID),
  /** How the last attempt ended. */
  answer: orNull(TEXT),
  /** The whole message was sent and has not been answered, now or in the last attempt: it may have arrived. */
  perhapsTaken: BOOLEAN,
});

export const DESTINATION_TRIAL = object({
  id: ID,
  name: TEXT,
  type: TEXT,
  /** `refused`: its test did not arrive, and nothing was kept. `failed`: storage did not take it. */
  state: wordOf("testing", "kept", "refused", "failed"),
  /** What the receiver said; null: nothing yet, or it was not tried. */
  answer: orNull(TEXT),
});

export const SHOWN_DESTINATIONS = object({
  destinations: listOf(
    object({
      name: TEXT,
      type: TEXT,
      /** A secret has no value. */
      settings: listOf(object({ key: TEXT, value: orNull(TEXT) })),
      /** A file with its line, a variable, or the command; null: it is there by itself. */
      from: orNull(TEXT),
      kept: BOOLEAN,
      /** Of a rota whose week it is, of one of its turns that it is one; empty: it is neither. */
      turn: SENTENCE,
      /** Alerts go there unless their monitor or application says otherwise. */
      byDefault: BOOLEAN,
      /** Why the one that is kept is not in force. */
      overruled: orNull(TEXT),
    }),
  ),
  /**
   * Where alerts go: those of a monitor, else of a label (`label:db`, without an application), else of an application,
   * else all others; the first are the team's.
   */
  routes: listOf(
    object({
      application: orNull(TEXT),
      monitor: orNull(TEXT),
      destinations: listOf(TEXT),
      from: orNull(TEXT),
      kept: BOOLEAN,
    }),
  ),
});

/** What a destination of each type needs and may have, in the order in which a form asks for it. */
export const DESTINATION_KINDS = object({
  kinds: listOf(
    object({
      type: TEXT,
      /** As its makers and people call it. */
      called: TEXT,
      /** A name such a destination may have. */
      sample: TEXT,
      /** `hearing`: which every type may have: it says which alerts go there, and when. */
      keys: listOf(
        object({
          key: TEXT,
          /** What a form calls it. */
          label: TEXT,
          /** All that it may be; empty: not one of a few. */
          choices: listOf(TEXT),
          needed: BOOLEAN,
          secret: BOOLEAN,
          hearing: BOOLEAN,
          meaning: TEXT,
          example: TEXT,
          /** A value that works as it is, such as a new topic; null when only a person knows one. */
          suggestion: orNull(TEXT),
        }),
      ),
    }),
  ),
});

export const RENAMED_DESTINATION = object({
  name: TEXT,
  newName: TEXT,
  /** How many messages that wait follow. */
  waiting: COUNT,
});

export const EXPORTED_DESTINATIONS = object({ toml: TEXT });

export const ROUTED = object({
  application: orNull(TEXT),
  /** Null: all of the application. */
  monitor: orNull(TEXT),
  /** Where its alerts go from now on. */
  destinations: listOf(TEXT),
  /** It has a list of its own; else they go where all do. */
  own: BOOLEAN,
});

export const REMOVED_DESTINATION = object({
  name: TEXT,
  /** Where alerts go by default from now on. */
  left: listOf(TEXT),
  /** The same of applications that had it on a list of their own. */
  applications: listOf(object({ application: TEXT, left: listOf(TEXT) })),
});

export const CHANGED_MEMBER = object({
  email: TEXT,
  /** It was a member, as a command had added it. */
  replaced: BOOLEAN,
  /** How many other members there are. */
  others: COUNT,
  /** The destinations whose mail goes to members; empty: none sends any. */
  destinations: listOf(TEXT),
});

export const MEMBERS = object({
  members: listOf(
    object({
      name: TEXT,
      email: TEXT,
      events: listOf(TEXT),
      /** As which person of the dashboard they answer mail; null: they do not. */
      answers: orNull(TEXT),
      from: orNull(TEXT),
      kept: BOOLEAN,
      overruled: orNull(TEXT),
    }),
  ),
  destinations: listOf(TEXT),
});

/** What is asked for: one that is under way waits still. */
export const DELIVERY_STATES: ["waiting", "given_up", "sent"] = ["waiting", "given_up", "sent"];

/** Destinations whose last attempt failed for every message, and when the first of these failed. */
export const FAILING = listOf(object({ destination: TEXT, answer: TEXT, since: INSTANT }));

export const DELIVERIES = object({
  at: INSTANT,
  /** Newest first. */
  deliveries: listOf(DELIVERY),
  /** The states that have older deliveries than those in the list. */
  more: listOf(wordOf(...DELIVERY_STATES)),
  failing: FAILING,
});

/** They have been written, and are sent now. */
export const TESTED_DESTINATION = object({ deliveries: listOf(DELIVERY) });

export const RESENT_DELIVERY = object({
  /**
   * `again`: a copy goes out, behind what waits in its lane; `forward`: it still waited, and is tried now; `behind`: it
   * waited for an earlier one, which is tried now; `under_way`: an attempt is under way, nothing was changed.
   */
  done: wordOf("again", "forward", "behind", "under_way"),
  /** The copy, the one that is tried now, or the one that is under way. */
  delivery: DELIVERY,
});

export type DeliverySummary = Held<typeof DELIVERY>;
export type DeliveryList = Held<typeof DELIVERIES>;
export type ResentDelivery = Held<typeof RESENT_DELIVERY>;
