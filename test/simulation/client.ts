// The clients of jobs and the network between them and rollcall: a request may come late, twice, or never; a client
// without an answer within five seconds retries while its patience lasts. Never alters what the job does.

import type { Agenda } from "./agenda.ts";
import type { Patience } from "./fleet.ts";
import type { Random } from "./random.ts";
import { type Instant, MINUTE, SECOND } from "./units.ts";

/**
 * What a client learns of a request. `gone`: nobody listened, or the connection broke; `refused`: it asked for what it
 * may not.
 */
export type Answer = "accepted" | "unavailable" | "limited" | "gone" | "refused";

/** Hands a request to rollcall; answers at most once, perhaps much later, perhaps never. */
export type Deliver<Message> = (message: Message, answer: (answer: Answer) => void) => void;

/** What became of one report: the truth about it. */
export interface Sending {
  readonly firstAt: Instant;
  /** When requests reached rollcall's machine, whatever listened there, and what came of each; null: nothing yet. */
  readonly arrivals: { readonly at: Instant; answer: Answer | null }[];
  /** Requests that the network itself swallowed. */
  lostOnTheWay: number;
}

export interface Network {
  /** Sends a message as often as this patience has it; `done` when it has its answer or gives up. */
  send<Message>(message: Message, patience: Patience, deliver: Deliver<Message>, done: () => void): Sending;
}

const TIMEOUT = 5 * SECOND;
const LOST = 0.0005;
const SLOW = 0.004;

export function createNetwork(agenda: Agenda, now: () => Instant, random: Random): Network {
  function transit(): number {
    const usual = 2 + random.exponential(30);
    // R20: a request may be five seconds on its way.
    return Math.round(Math.min(TIMEOUT - 100, random.chance(SLOW) ? usual + random.fraction() * TIMEOUT : usual));
  }

  function send<Message>(message: Message, patience: Patience, deliver: Deliver<Message>, done: () => void): Sending {
    const sending: Sending = { firstAt: now(), arrivals: [], lostOnTheWay: 0 };
    attempt(0);
    return sending;

    function attempt(number: number): void {
      let over = false;
      const end = (answer: Answer | "timeout"): void => {
        if (over) return;
        over = true;
        const wait = answer === "accepted" ? null : pause(patience, number, answer, random);
        if (wait === null) done();
        else agenda.enter(now() + wait, () => attempt(number + 1));
      };
      agenda.enter(now() + TIMEOUT, () => end("timeout"));
      if (random.chance(LOST)) {
        sending.lostOnTheWay += 1;
        return;
      }
      agenda.enter(now() + transit(), () => arrive(end));
    }

    function arrive(end: (answer: Answer) => void): void {
      const arrival: Sending["arrivals"][number] = { at: now(), answer: null };
      sending.arrivals.push(arrival);
      deliver(message, (answer) => {
        arrival.answer = answer;
        if (!random.chance(LOST)) agenda.enter(now() + transit(), () => end(answer));
      });
    }
  }

  return { send };
}

/** How long to wait before the next attempt, in milliseconds; null: there is none. */
function pause(patience: Patience, number: number, answer: Answer | "timeout", random: Random): number | null {
  switch (patience) {
    case "none":
      return null;
    case "three times":
      return number < 3 ? SECOND * 2 ** number : null;
    case "official": {
      if (number >= 5) return null;
      const wait = answer === "limited" ? Math.min(MINUTE / 2, 5 * SECOND * 2 ** number) : SECOND * 2 ** number;
      return Math.round(wait * (0.5 + random.fraction()));
    }
    default:
      return patience satisfies never;
  }
}
