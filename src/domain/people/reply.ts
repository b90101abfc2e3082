// Answers to an alert, given by a link or a button of its message: what they do, and how long they are taken.

import { instantsOf, offsetPeriodAt } from "../schedule/zone.ts";
import { DAY, HOUR, type Instant, SECOND } from "../time.ts";

/** Each with the words of its button. */
export const ANSWERS = {
  ack: "Acknowledge",
  hour: "Pause for 1 hour",
  tomorrow: "Pause until tomorrow 08:00",
  resolve: "Resolve",
} as const;

export type AnswerAct = keyof typeof ANSWERS;

/** How each is written where there are no buttons. */
export const ANSWER_WORDS: Readonly<Record<AnswerAct, string>> = {
  ack: "ack",
  hour: "pause 1h",
  tomorrow: "pause tomorrow",
  resolve: "resolve",
};

export const ANSWER_ACTS = Object.keys(ANSWERS) as readonly AnswerAct[];

export const isAnswerAct = (text: string): text is AnswerAct => Object.hasOwn(ANSWERS, text);

/** Milliseconds from an alert on, in which its answers are taken. */
export const ANSWER_SPAN = 7 * DAY;

/** Until eight o'clock of the day after this one, as the zone counts days. */
export function secondsUntilTomorrow(now: Instant, timezone: string): number {
  const wall = now + offsetPeriodAt(timezone, now).offset;
  const morning = Math.floor(wall / DAY) * DAY + DAY + 8 * HOUR;
  return Math.ceil((instantsOf(morning, timezone).first - now) / SECOND);
}
