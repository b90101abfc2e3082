// Puts every message into words, which are the same for all channels. Texts of callers are cleaned but not escaped.

import { NAME_LENGTH, SCHEDULE_LENGTH } from "../limits.ts";
import { isAlert, type Message } from "../message/message.ts";
import type { TestData, TestMessage } from "../message/test-message.ts";
import { cleanLine } from "../text.ts";
import { type Instant, MINUTE, SECOND } from "../time.ts";
import { alertWording } from "./alert-words.ts";
import { signatureOf } from "./details.ts";
import { digestWording } from "./digest-words.ts";
import { shownName } from "./job-names.ts";
import { type Times, timesOfAMessage } from "./message-times.ts";
import { noticeWording } from "./notice-words.ts";
import { sinceInWords } from "./since-words.ts";
import { everyInWords } from "./spoken-time.ts";
import { latenessInWords, latenessOf } from "./subject.ts";
import { BARE, type Fact, type Sending, type Wording } from "./types.ts";

/** The line below the subject: why the job failed, in its own words; otherwise what happened and what to do. */
export const leadSentences = (words: Pick<Wording, "story" | "toDo" | "ownWords">): string =>
  words.ownWords?.line ?? whatAndToDo(words);

export const storyAfterLead = (words: Pick<Wording, "story" | "toDo" | "ownWords">): string[] =>
  words.ownWords === null ? words.story.slice(1) : [whatAndToDo(words), ...words.story.slice(1)];

/** The job's message; `null` when `leadSentences` has shown all of it. */
export const quoteAfterLead = ({ ownWords, quote }: Pick<Wording, "ownWords" | "quote">): Fact | null =>
  ownWords?.isWhole === true ? null : quote;

const whatAndToDo = ({ story, toDo }: Pick<Wording, "story" | "toDo">): string => `${story[0]} ${toDo}`;

/** A message that is sent more than this many milliseconds after it was due says that it is late (R36). */
const LATE = 15 * MINUTE;

/**
 * Puts a message that is sent at `sentAt` into words. `heldUntil` is when the destination may first be told, for
 * example the end of its quiet hours (R38). A message that is sent soon after `heldUntil` is not called old. Never
 * throws, whatever text a caller chose.
 */
export function wordingOf(message: Message, sentAt: Instant, heldUntil = message.at): Wording {
  const late = sentAt - heldUntil > LATE ? sentAt - heldUntil : null;
  // What has happened since the message was made is put into the middle of the story. A `Times` names the zone only
  // beside the first clock time that it writes, so these sentences have a `Times` of their own.
  const times = timesOfAMessage({ severalZones: false });
  const isOld = late !== null || heldUntil - message.at > LATE;
  const news = [...(isOld ? oldNotice(message, late, times) : []), ...sinceNotice(message, times)];
  const severalZones = new Set(zonesOfList(message)).size > 1;
  const wording = asTypedThere(
    messageWording(message, { sentAt, late, times: timesOfAMessage({ severalZones }) }),
    message,
  );
  const [happened, ...rest] = wording.story;
  return { ...wording, story: [happened!, ...news, ...rest] };
}

/** Replaces `rollcall` at the beginning of each command in backticks by the command line that works. */
export const asTypedBy = (text: string, commandLine: string): string =>
  text.replaceAll("`rollcall ", () => `\`${commandLine} `);

/** Replaces `rollcall` in commands by the command line that works on the service's machine, if the message has one. */
function asTypedThere(words: Wording, { data }: Message): Wording {
  const line = "commandLine" in data ? (data.commandLine ?? null) : null;
  if (line === null) return words;
  const typed = (text: string): string => asTypedBy(text, line);
  return { ...words, toDo: typed(words.toDo), advice: words.advice.map(typed) };
}

/** The time zones of the jobs that a message lists. When they differ, each time must name its zone (R39). */
function zonesOfList(message: Message): string[] {
  if (message.type === "monitor.digest") return message.data.alerts.map(({ data }) => data.timezone);
  if (message.type !== "service.notice" || !("monitors" in message.data.notice)) return [];
  return message.data.notice.monitors.map(({ timezone }) => timezone);
}

function messageWording(message: Message, sending: Sending): Wording {
  if (isAlert(message)) return alertWording(message, sending);
  if (message.type === "monitor.digest") return digestWording(message, sending);
  return message.type === "service.notice" ? noticeWording(message, sending) : testWording(message, sending);
}

/** The sentence that the message is old, so that people do not take it for news (R36). */
function oldNotice(message: Message, late: number | null, times: Times): string[] {
  const isDigest = message.type === "monitor.digest";
  const moment = isDigest ? "the times beside the jobs" : times.say(message.at, message.data.timezone);
  if (late === null) return [`This message says what was true at ${moment}.`];
  const lateness = `${isDigest ? "up to " : ""}${latenessInWords(late)}`;
  return [`This message is ${lateness} late. It says what was true at ${moment}.`];
}

/**
 * The sentence about what has happened since the message was made. It stands early in the message, because later
 * sentences may no longer be true. A digest says this beside each job instead (R36).
 */
function sinceNotice(message: Message, times: Times): string[] {
  const since = isAlert(message) ? sinceInWords(message.data, times) : null;
  return since === null ? [] : [`Since then ${since}.`];
}

// The words of a test message, which must not read like an alert.

function testWording({ data }: TestMessage, { late }: Sending): Wording {
  const words = data.monitorKey === null ? askedFor(data) : drilled(data, data.monitorKey);
  return {
    ...BARE,
    ...words,
    subject: `${words.subject}${latenessOf(late)}`,
    toDo: "Nothing is wrong, and there is nothing to do.",
    signature: signatureOf(data, "your jobs"),
    tone: "neutral",
  };
}

type Words = Pick<Wording, "subject" | "story" | "facts">;

function askedFor({ test: { from, destinations } }: TestData): Words {
  const source = cleanLine(from, NAME_LENGTH);
  return {
    subject: `Test message from rollcall at ${source}`,
    story: [
      "This is a test.",
      `A person asked for it. Alerts that go to ${quotedNames(destinations)} arrive like this message.`,
    ],
    facts: [
      { label: "Destination", value: destinations.join(", ") },
      { label: "Sent by", value: source },
    ],
  };
}

function drilled(data: TestData, key: string): Words {
  const { test, name, environment, onlyApplication } = data;
  const applicationId = onlyApplication ? null : data.applicationId;
  const monitor = shownName({ name: name ?? key, monitorKey: key });
  const every = everyInWords((test.everySeconds ?? 0) * SECOND);
  const rows: [string, string | null][] = [
    ["Monitor", key],
    ["Application", applicationId],
    ["Environment", environment],
    ["Destinations", test.destinations.join(", ")],
    ["Sent by", test.from],
  ];
  return {
    subject: `Drill, nothing is wrong: ${monitor}${applicationId === null ? "" : ` (${applicationId})`}`,
    story: [
      `This is a drill of the alerts of ${monitor}.`,
      `A drill goes ${every} to where the alerts of this job go. This one has shown that they arrive here.`,
    ],
    facts: rows.flatMap(([label, value]): Fact[] =>
      value === null ? [] : [{ label, value: cleanLine(value, SCHEDULE_LENGTH) }],
    ),
  };
}

const quotedNames = (destinations: readonly string[]): string => destinations.map((name) => `"${name}"`).join(", ");
