// Messages as push notifications through an ntfy server: short, for a lock screen. Must stay below ntfy's limits in
// bytes: a longer message silently becomes a file that no one opens.

import { isAlert, type Message } from "../domain/message/message.ts";
import type { Severity } from "../domain/message/presentation.ts";
import type { Fact, Link, Wording } from "../domain/wording/types.ts";
import { wordingOf } from "../domain/wording/wording.ts";
import type { Channel, SendContext, Verdict } from "./channel.ts";
import { type ChatForm, chatText, plainText } from "./chat-layout.ts";
import { cutTo, fullestThatFits } from "./chat-shorten.ts";
import { destinationUrl, factsIn, type HttpAnswer, postsJson, SEND_TIMEOUT, unlessConfirmed } from "./post.ts";

export interface NtfySettings {
  readonly type: "ntfy";
  /** The server's address, without a topic. A secret. */
  readonly url: string;
  /** On a server without accounts it works like a password. */
  readonly topic: string;
  /** A secret; null: the server asks for none. */
  readonly token: string | null;
}

export function createNtfyChannel({ url, topic, token }: NtfySettings, timeoutMs = SEND_TIMEOUT): Channel {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const to = { url: destinationUrl(url), timeoutMs, headers, judge };
  return {
    digests: DIGEST_MAX,
    send: postsJson(to, ({ message }, context) => ntfyBody(topic, message, context)),
  };
}

/** ntfy turns a message of 4,096 bytes into a file, and phones get no more than about 4,000 at once. */
const MESSAGE_BYTES = 4_000;
/** ntfy reads 8,192 bytes of the whole JSON. */
const BODY_BYTES = 8_000;
/** In UTF-16 code units, each at most three bytes: ntfy takes 1,024 bytes of a title. */
const TITLE_LENGTH = 300;
const PLAIN_LENGTH = 600;
/** We leave out a longer address: cut, it would lead elsewhere. */
const URL_LENGTH = 500;
const ACTIONS_MAX = 3;
const DIGEST_MAX = 20;

export function ntfyBody(topic: string, message: Message, { sentAt, plain }: SendContext): string {
  const wording = wordingOf(message, sentAt);
  const priority = priorityOf(message, wording);
  if (plain) return JSON.stringify({ topic, message: cutTo(plainText(wording), PLAIN_LENGTH, asItIs), priority });
  return fullestThatFits(
    wording,
    (words) => JSON.stringify({ topic, priority, ...notificationOf(words, priority) }),
    (body) => Buffer.byteLength(body) <= BODY_BYTES && Buffer.byteLength(JSON.parse(body).message) <= MESSAGE_BYTES,
  );
}

const asItIs = (text: string): string => text;

const inLines = ({ label, value }: Fact): string => `${label}:\n${value}`;

/** ntfy shows text as it is; links are buttons beside it. */
const FORM: ChatForm = { inert: asItIs, link: () => "", quoteMark: "" };

function notificationOf(words: Wording, priority: number) {
  return {
    title: cutTo(words.subject, TITLE_LENGTH, asItIs),
    message: [chatText({ ...words, links: [] }, FORM), ...words.commands.map(inLines)].join("\n\n"),
    tags: [tagOf(words, priority)],
    ...linked(words.links.filter(({ url }) => url.length <= URL_LENGTH)),
  };
}

/** From 5, which gets through a phone's silence, to 2, which makes no sound. */
const PRIORITIES: Record<Severity, number> = { critical: 5, error: 4, warning: 3, info: 2 };
const PRIORITY_OF_NOTICE = 3;
const PRIORITY_OF_GOOD_NEWS = 2;

function priorityOf(message: Message, { tone }: Wording): number {
  if (tone === "neutral" && !isAlert(message)) return PRIORITY_OF_NOTICE;
  return tone === "bad" ? Math.max(...severitiesIn(message).map((it) => PRIORITIES[it])) : PRIORITY_OF_GOOD_NEWS;
}

function severitiesIn(message: Message): Severity[] {
  if (message.type === "monitor.digest") {
    const { alerts, others } = message.data;
    return [...alerts.map(({ data }) => data.severity), ...(others?.severities ?? [])];
  }
  return isAlert(message) ? [message.data.severity] : [];
}

/** ntfy shows these as an emoji before the title. */
function tagOf({ tone }: Wording, priority: number): string {
  if (tone === "good") return "white_check_mark";
  if (tone === "neutral") return "information_source";
  return priority >= PRIORITIES.error ? "rotating_light" : "warning";
}

/** A tap on the notification opens the first link; each link also has a button. */
function linked(links: readonly Link[]) {
  const [first] = links;
  if (first === undefined) return {};
  const actions = links.slice(0, ACTIONS_MAX).map(({ label, url }) => ({ action: "view", label, url }));
  return { click: first.url, actions };
}

/** ntfy's codes for a topic that is invalid or that this server reserves. */
const TOPIC_REFUSED: readonly unknown[] = [40_009, 40_010];

/** ntfy answers with the published message, which has an id. */
function judge(answer: HttpAnswer): Verdict | null {
  const { id, code } = factsIn(answer.body);
  return answer.status === 400 && TOPIC_REFUSED.includes(code)
    ? { verdict: "blocked", answer: "HTTP 400 Bad Request, the topic is not taken" }
    : unlessConfirmed(answer, typeof id === "string", "not with the message");
}
