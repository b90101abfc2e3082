// The receivers of alerts: a webhook, a mail server, a pager. They may be gone for hours, be slow, or take a message
// and lose the answer. Each records what it got; none knows what it should have got.

import type { ClaimedDelivery } from "../../src/engine/api.ts";
import type { Channel, Verdict } from "../../src/notify/channel.ts";
import type { Agenda } from "./agenda.ts";
import type { Random } from "./random.ts";
import { DAY, type Instant, SECOND } from "./units.ts";

export const RECEIVERS = [
  { name: "hook", patience: 3 * DAY },
  { name: "mail", patience: DAY },
  { name: "pager", patience: 3 * DAY },
] as const;

export type ReceiverName = (typeof RECEIVERS)[number]["name"];

/** One message as it arrived. */
export interface Reception {
  readonly receiver: ReceiverName;
  readonly recipient: string | null;
  readonly reference: string;
  readonly delivery: ClaimedDelivery;
}

/** Well, not to be reached, slow but well, or refusing who calls. */
export type Condition = "well" | "gone" | "slow" | "blocking";

export interface ReceiverParts {
  readonly agenda: Agenda;
  readonly now: () => Instant;
  readonly random: Random;
  readonly sending: (delivery: number) => void;
  readonly received: (reception: Reception) => void;
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

export function createReceivers(parts: ReceiverParts): Receivers {
  const { agenda, now, random, sending, received, whenAwake, underWay } = parts;
  const conditions = new Map<string, Condition>();

  function send(receiver: ReceiverName, delivery: ClaimedDelivery): Promise<Verdict> {
    sending(delivery.id);
    const awake = whenAwake();
    const condition = conditions.get(receiver) ?? "well";
    const slow = condition === "slow" ? random.whole(SECOND, 12 * SECOND) : 0;
    const there = now() + random.whole(5, 200) + slow;
    return new Promise((resolve) => {
      const answer = (verdict: Verdict): void => awake(() => resolve(verdict));
      if (condition === "gone") {
        agenda.enter(there, () => answer({ verdict: "retry", answer: "connection refused" }));
      } else if (condition === "blocking") {
        agenda.enter(there, () => answer({ verdict: "blocked", answer: "HTTP 401 Unauthorized" }));
      } else {
        agenda.enter(there, () => take(receiver, delivery, answer));
      }
    });
  }

  function take(receiver: ReceiverName, delivery: ClaimedDelivery, answer: (verdict: Verdict) => void): void {
    const { recipient, reference } = delivery;
    received({ receiver, recipient, reference, delivery });
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

  const channels = new Map(
    RECEIVERS.map(({ name, patience }): [string, Channel] => [
      name,
      { patienceMs: patience, send: (delivery) => send(name, delivery) },
    ]),
  );
  return { channels, set: (receiver, condition) => void conditions.set(receiver, condition) };
}
