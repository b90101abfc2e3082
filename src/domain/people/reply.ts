// Answers to an alert, given by a link or a button of its message: what each does, and how long answers are accepted.

import { instantsOf, offsetPeriodAt } from "../schedule/zone.ts";
import { DAY, HOUR, type Instant, SECOND } from "../time.ts";

/** Each answer with the words of its button. */
export const ANSWERS = {
  ack: "Acknowledge",
  hour: "Pause for 1 hour",
  tomorrow: "Pause until tomorrow 08:00",
  resolve: "Resolve",
} as const;

export type AnswerAct = keyof typeof ANSWERS;

/** How each answer is written where there are no buttons. */
export const ANSWER_WORDS: Readonly<Record<AnswerAct, string>> = {
  ack: "ack",
  hour: "pause 1h",
  tomorrow: "pause tomorrow",
  resolve: "resolve",
};

export const ANSWER_ACTS = Object.keys(ANSWERS) as readonly AnswerAct[];

export const isAnswerAct = (text: string): text is AnswerAct => Object.hasOwn(ANSWERS, text);

/** Milliseconds after an alert in which its answers are accepted. */
export const ANSWER_SPAN = 7 * DAY;

/** Seconds until eight o'clock on the next day in this time zone. */
export function secondsUntilTomorrow(now: Instant, timezone: string): number {
  const wall = now + offsetPeriodAt(timezone, now).offset;
  const morning = Math.floor(wall / DAY) * DAY + DAY + 8 * HOUR;
  return Math.ceil((instantsOf(morning, timezone).first - now) / SECOND);
}
