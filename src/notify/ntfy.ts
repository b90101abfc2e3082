// Messages as push notifications through an ntfy server: short, for a lock screen. Must stay below ntfy's limits in bytes,
// since a longer message silently becomes a file that nobody opens.

import type { Severity } from "../domain/alert.ts";
import type { Message } from "../domain/message.ts";
import { type Item, type Link, type Wording, wordingOf } from "../domain/wording.ts";
import type { Channel, SendContext, Verdict } from "./channel.ts";
import { bytesInJson, cutInJson } from "./cut-in-json.ts";
import { factsIn } from "./json-answer.ts";
import { destinationUrl, type HttpAnswer, post, SEND_TIMEOUT } from "./post.ts";

export interface NtfySettings {
  readonly type: "ntfy";
  /** The server's address; a topic is not part of it. */
  readonly url: string;
  /** A secret: whoever knows it can read and write there. */
  readonly topic: string;
  /** A secret; null: the server asks for none. */
  readonly token: string | null;
}

/** ntfy reads at most 8,192 bytes of JSON, in which a message has 4,096 and a title 1,024; all of ours together stay below. */
const MESSAGE_BYTES = 4_000;
const TITLE_BYTES = 1_000;
const PLAIN_BYTES = 500;
const LABEL_BYTES = 100;
/** A longer address is left out: cut, it would lead elsewhere. */
const URL_BYTES = 500;
const ACTIONS_MAX = 3;

/** Throws when the address is none, without repeating it. */
export function createNtfyChannel({ url, topic, token }: NtfySettings, timeoutMs = SEND_TIMEOUT): Channel {
  const server = destinationUrl(url);
  const headers = {
    "content-type": "application/json",
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  return {
    type: "ntfy",
    send: async ({ message }, context) => {
      const body = JSON.stringify({ topic, ...notificationOf(message, context) });
      return post({ url: server, headers, body, sentAt: context.sentAt, timeoutMs, judge });
    },
  };
}

function notificationOf(message: Message, { sentAt, plain }: SendContext) {
  const wording = wordingOf(message, sentAt);
  const priority = priorityOf(message, wording);
  if (plain) return { message: cutInJson(wording.subject, PLAIN_BYTES), priority };
  return {
    title: cutInJson(wording.subject, TITLE_BYTES),
    message: cutInJson(textOf(wording), MESSAGE_BYTES),
    priority,
    tags: [tagOf(priority, wording)],
    ...linked(wording.links.filter(({ url }) => bytesInJson(url) <= URL_BYTES)),
  };
}

/** From 5, which rings through silence on most phones, to 2, which makes no sound. */
const PRIORITIES: Record<Severity, number> = { critical: 5, error: 4, warning: 3, info: 2 };
const PRIORITY_OF_NOTICE = 3;
const PRIORITY_OF_GOOD_NEWS = 2;

function priorityOf(message: Message, { tone }: Wording): number {
  if (message.type === "service.notice") return PRIORITY_OF_NOTICE;
  return tone === "bad" ? PRIORITIES[message.data.severity] : PRIORITY_OF_GOOD_NEWS;
}

/** A short code that ntfy shows as an emoji before the title. */
function tagOf(priority: number, { tone }: Wording): string {
  if (tone === "good") return "white_check_mark";
  if (tone === "neutral") return "information_source";
  return priority >= PRIORITIES.error ? "rotating_light" : "warning";
}

function textOf({ story, quote, items, advice }: Wording): string {
  const quoted = quote === null ? [] : [`${quote.label}:\n${quote.value}`];
  return [...story, ...quoted, ...items.map(itemText), ...advice].join("\n\n");
}

const itemText = ({ name, details, quote }: Item): string =>
  [`- ${name}`, ...details, ...(quote === null ? [] : [quote])].join("\n");

/** A tap on the notification opens the first link; each has a button besides. */
function linked(links: readonly Link[]) {
  const [first] = links;
  if (first === undefined) return {};
  const actions = links.slice(0, ACTIONS_MAX).map(({ label, url }) => ({
    action: "view",
    label: cutInJson(label, LABEL_BYTES),
    url,
  }));
  return { click: first.url, actions };
}

/** ntfy's numbers for a topic that cannot be one, or that this server keeps for itself. */
const TOPIC_REFUSED: readonly unknown[] = [40_009, 40_010];

/** A login page or another service may answer 200 as well; ntfy shows what it has published, with an id. */
function judge({ status, body }: HttpAnswer): Verdict | null {
  const { id, code } = factsIn(body);
  if (status === 200 && typeof id !== "string") return { verdict: "blocked", answer: "HTTP 200 OK, but not from ntfy" };
  if (status === 400 && TOPIC_REFUSED.includes(code)) {
    return { verdict: "blocked", answer: "HTTP 400 Bad Request, the topic is not taken" };
  }
  return null;
}
