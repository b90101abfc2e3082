// What a message says to people, the same for every channel. Names and texts in it are cleaned but not escaped; it must
// not know any channel's format. The words themselves are wording-alert.ts, wording-notice.ts and wording-test.ts.

import { isAlert, type Message } from "./message.ts";
import { durationInWords, momentInWords } from "./spoken-time.ts";
import { type Instant, MINUTE } from "./time.ts";
import { alertWording } from "./wording-alert.ts";
import { digestWording } from "./wording-digest.ts";
import { noticeWording } from "./wording-notice.ts";
import { sinceInWords } from "./wording-since.ts";
import { testWording } from "./wording-test.ts";

export interface Wording {
  /** One line that stands by itself: what is the matter, and with what. */
  readonly subject: string;
  /** What happened, each paragraph one line; never empty. */
  readonly story: readonly string[];
  /** What was reported with the last trouble, lines ended by line feeds; null when nothing was. */
  readonly quote: Fact | null;
  /** The jobs it names, the most important first; empty when it is about one. */
  readonly items: readonly Item[];
  /** What to do and what comes next, each one line. */
  readonly advice: readonly string[];
  /** What can be typed on rollcall's computer, the label says what for; empty when nothing needs be. */
  readonly commands: readonly Fact[];
  readonly facts: readonly Fact[];
  readonly links: readonly Link[];
  /** Who says it, for the end of a mail. */
  readonly signature: string;
  /** An incident goes on, or ended, or it is about no incident. */
  readonly tone: "bad" | "good" | "neutral";
}

export interface Item {
  /** One line. */
  readonly name: string;
  /** Each one line. */
  readonly details: readonly string[];
  /** What the job reported, lines ended by line feeds; null when nothing was. */
  readonly quote: string | null;
}

export interface Fact {
  readonly label: string;
  readonly value: string;
}

export interface Link {
  readonly label: string;
  /** http or https. */
  readonly url: string;
}

/** R36: from here on a message says that it is late. */
const LATE = 15 * MINUTE;

/** The words for a message that is sent at `sentAt`. Total: it never throws, whatever the caller's text is. */
export function wordingOf(message: Message, sentAt: Instant): Wording {
  const late = sentAt - message.at > LATE ? sentAt - message.at : null;
  const wording = wordsOf(message, late, sentAt);
  return { ...wording, story: [...lateNotice(message, late), ...sinceNotice(message), ...wording.story] };
}

function wordsOf(message: Message, late: number | null, sentAt: Instant): Wording {
  if (isAlert(message)) return alertWording(message, late, sentAt);
  if (message.type === "monitor.digest") return digestWording(message, late);
  return message.type === "service.notice" ? noticeWording(message, late) : testWording(message, late);
}

/** R36: a person must not take what was true hours ago for what is true now. */
function lateNotice(message: Message, late: number | null): string[] {
  if (late === null) return [];
  if (message.type === "monitor.digest") {
    return [`This message is up to ${durationInWords(late)} late. It says what was true at the times beside the jobs.`];
  }
  const moment = momentInWords(message.at, message.data.timezone);
  return [`This message is ${durationInWords(late)} late. It says what was true at ${moment}.`];
}

/** R36: what happened since stands above all that it would make untrue. A digest says it beside each job. */
function sinceNotice(message: Message): string[] {
  const since = isAlert(message) ? sinceInWords(message.data) : null;
  return since === null ? [] : [`Since then ${since}.`];
}
