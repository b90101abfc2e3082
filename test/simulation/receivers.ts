// The receivers of alerts: a webhook, a mail server and a pager hear each edge; hearers are people, and pagers, some of
// them with quiet hours or only for what lasts. They may be gone for hours, be slow, or take a message and lose the
// answer. Each records what it got; none knows what it should have got.

import type { ClaimedDelivery } from "../../src/engine/api.ts";
import type { Channel, Verdict } from "../../src/notify/channel.ts";
import type { Agenda } from "./agenda.ts";
import type { Random } from "./random.ts";
import { DAY, type Instant, MINUTE, SECOND } from "./units.ts";

export const RECEIVERS = [
  { name: "hook", patience: 3 * DAY },
  { name: "mail", patience: DAY },
  { name: "pager", patience: 3 * DAY },
] as const;

export type ReceiverName = (typeof RECEIVERS)[number]["name"];

/** Hours of a day in UTC, both as `HH:MM`. */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
}

export interface Hearer {
  readonly name: string;
  readonly is: "people" | "pager";
  readonly quiet: readonly QuietHours[];
  /** Hears only of what has lasted for so long; null: at once. */
  readonly afterMs: number | null;
  /** Takes turns with the others of the rota. */
  readonly isTurn: boolean;
  /** The receiver whose server is theirs too: when that is gone, so are they. */
  readonly server: ReceiverName;
}

export const ROTA = "oncall";

const SIESTA = [
  { from: "12:00", to: "13:30" },
  { from: "16:00", to: "17:00" },
];
const AT_ONCE = { quiet: [], afterMs: null, isTurn: false } as const;
const LATER = 20 * MINUTE;

export const HEARERS: readonly Hearer[] = [
  { ...AT_ONCE, name: "ada", is: "people", server: "mail" },
  { ...AT_ONCE, name: "night", is: "people", server: "hook", quiet: SIESTA },
  { ...AT_ONCE, name: "boss", is: "people", server: "mail", afterMs: LATER },
  { ...AT_ONCE, name: "chief", is: "people", server: "hook", afterMs: LATER, quiet: SIESTA },
  { ...AT_ONCE, name: "bob", is: "people", server: "mail", isTurn: true },
  { ...AT_ONCE, name: "eve", is: "people", server: "hook", isTurn: true },
  { ...AT_ONCE, name: "siren", is: "pager", server: "pager" },
  { ...AT_ONCE, name: "night-siren", is: "pager", server: "pager", quiet: SIESTA },
  { ...AT_ONCE, name: "late-siren", is: "pager", server: "pager", afterMs: LATER },
];

/** A hearer's messages are tried for so long. */
export const HEARER_PATIENCE = 3 * DAY;

/** One message as it arrived. */
export interface Reception {
  readonly receiver: ReceiverName;
  readonly recipient: string | null;
  readonly reference: string;
  readonly delivery: ClaimedDelivery;
}

/** Well, not to be reached, slow but well, or refusing who calls. */
export type Condition = "well" | "gone" | "slow" | "blocking";

/** One message as a hearer got it. */
export interface Heard {
  readonly hearer: Hearer;
  readonly delivery: ClaimedDelivery;
}

export interface ReceiverParts {
  readonly agenda: Agenda;
  readonly now: () => Instant;
  readonly random: Random;
  readonly sending: (delivery: number) => void;
  readonly received: (reception: Reception) => void;
  readonly heard: (heard: Heard) => void;
  /** A hearer could not be reached. */
  readonly notReached: (hearer: Hearer) => void;
  /** A way back into the process that sent, as long as it lives; see instance.ts. */
  readonly whenAwake: () => (run: () => void) => void;
  /** A message has got there; its answer has come back. */
  readonly underWay: (point: "during send" | "after answer") => void;
}

export interface Receivers {
  readonly channels: ReadonlyMap<string, Channel>;
  set(receiver: ReceiverName, condition: Condition): void;
}

const ANSWER_LOST = 0.003;

/** Whose server takes a message, what it does with it, and what is known once it cannot be reached. */
interface Addressee {
  readonly server: ReceiverName;
  readonly takes: (delivery: ClaimedDelivery) => void;
  readonly isAway: () => void;
}

export function createReceivers(parts: ReceiverParts): Receivers {
  const { agenda, now, random, sending, received, heard, notReached, whenAwake, underWay } = parts;
  const conditions = new Map<string, Condition>();

  function send({ server, takes, isAway }: Addressee, delivery: ClaimedDelivery): Promise<Verdict> {
    sending(delivery.id);
    const awake = whenAwake();
    const condition = conditions.get(server) ?? "well";
    const slow = condition === "slow" ? random.whole(SECOND, 12 * SECOND) : 0;
    const there = now() + random.whole(5, 200) + slow;
    return new Promise((resolve) => {
      const answer = (verdict: Verdict): void => awake(() => resolve(verdict));
      if (condition === "gone" || condition === "blocking") {
        isAway();
        const verdict: Verdict =
          condition === "gone"
            ? { verdict: "retry", answer: "connection refused" }
            : { verdict: "blocked", answer: "HTTP 401 Unauthorized" };
        agenda.enter(there, () => answer(verdict));
      } else {
        agenda.enter(there, () => take(takes, delivery, answer));
      }
    });
  }

  function take(takes: Addressee["takes"], delivery: ClaimedDelivery, answer: (verdict: Verdict) => void): void {
    takes(delivery);
    underWay("during send");
    const back = now() + random.whole(2, 100);
    if (random.chance(ANSWER_LOST)) {
      agenda.enter(back + 10 * SECOND, () => answer({ verdict: "retry", answer: "no answer in time" }));
    } else {
      agenda.enter(back, () => {
        underWay("after answer");
        answer({ verdict: "delivered", answer: "HTTP 200 OK" });
      });
    }
  }

  const channelTo = (addressee: Addressee, patienceMs: number): Channel => ({
    patienceMs,
    send: (delivery) => send(addressee, delivery),
  });
  const ofReceivers = RECEIVERS.map(({ name, patience }): [string, Channel] => {
    const takes = (delivery: ClaimedDelivery): void =>
      received({ receiver: name, recipient: delivery.recipient, reference: delivery.reference, delivery });
    return [name, channelTo({ server: name, takes, isAway: () => {} }, patience)];
  });
  const ofHearers = HEARERS.map((hearer): [string, Channel] => {
    const takes = (delivery: ClaimedDelivery): void => heard({ hearer, delivery });
    return [
      hearer.name,
      channelTo({ server: hearer.server, takes, isAway: () => notReached(hearer) }, HEARER_PATIENCE),
    ];
  });
  return {
    channels: new Map([...ofReceivers, ...ofHearers]),
    set: (receiver, condition) => void conditions.set(receiver, condition),
  };
}
