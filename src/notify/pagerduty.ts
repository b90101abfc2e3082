// Incidents as PagerDuty's (Events API v2): each of ours is one alert there. Reminders and new causes are added to it;
// our acknowledgement and recovery acknowledge and resolve it.

import { createHash } from "node:crypto";
import { NAME_LENGTH } from "../domain/limits.ts";
import type { AlertData, AlertKind, AlertMessage } from "../domain/message/alert.ts";
import { isAlert, type Message } from "../domain/message/message.ts";
import type { Severity } from "../domain/message/presentation.ts";
import { cleanLine } from "../domain/text.ts";
import { type Instant, toIso } from "../domain/time.ts";
import type { Item, Wording } from "../domain/wording/types.ts";
import { wordingOf } from "../domain/wording/wording.ts";
import type { ClaimedDelivery } from "../engine/api.ts";
import type { Channel, SendContext, Verdict } from "./channel.ts";
import { cutTo } from "./chat-shorten.ts";
import { destinationUrl, factsIn, type HttpAnswer, postsJson, SEND_TIMEOUT, unlessConfirmed } from "./post.ts";

export interface PagerdutySettings {
  readonly type: "pagerduty";
  /** A secret: the key of an "Events API v2" integration, 32 characters. */
  readonly integrationKey: string;
  readonly region: keyof typeof ADDRESSES;
  /** Where to post events instead of the region's address; null: to the region's. */
  readonly url: string | null;
}

const ADDRESSES = {
  us: "https://events.pagerduty.com/v2/enqueue",
  eu: "https://events.eu.pagerduty.com/v2/enqueue",
};

/** In UTF-16 code units, each at most three bytes. PagerDuty takes 1,024 characters of a summary. */
const SUMMARY_LENGTH = 340;
/** For one row of the details. An event may have 512 KB; only a list of jobs is long, and no one reads more of it. */
const DETAIL_LENGTH = 20_000;
/** We leave out a longer address: cut, it would lead elsewhere. */
const URL_LENGTH = 2_000;

export function createPagerdutyChannel(settings: PagerdutySettings, timeoutMs = SEND_TIMEOUT): Channel {
  const url = destinationUrl(settings.url ?? ADDRESSES[settings.region]);
  const bodyOf = (delivery: ClaimedDelivery, context: SendContext) =>
    pagerdutyBody(settings.integrationKey, delivery, context);
  return { send: postsJson({ url, timeoutMs, judge }, bodyOf) };
}

const ACTIONS: Record<AlertKind, "trigger" | "acknowledge" | "resolve"> = {
  InitialFailure: "trigger",
  NeverExecuted: "trigger",
  ContinuedFailure: "trigger",
  Acknowledged: "acknowledge",
  Recovered: "resolve",
};

export function pagerdutyBody(
  integrationKey: string,
  { message, thread }: Pick<ClaimedDelivery, "message" | "thread">,
  { sentAt, plain }: SendContext,
): string {
  // A notice is a question and no alarm, but people must see it: an alert of its own, at the lowest severity.
  const action = isAlert(message) ? ACTIONS[message.data.kind] : "trigger";
  const event = { routing_key: integrationKey, event_action: action, dedup_key: dedupKeyOf(message, thread) };
  if (action !== "trigger") return JSON.stringify(event);
  const content = plain ? { payload: plainPayload(message, sentAt) } : fullContent(message, sentAt);
  return JSON.stringify({ ...event, ...content });
}

/**
 * The same key for all messages of an incident. Two installations may use one integration, and both may have an
 * incident 1 that opened at the same moment of the same schedule, so the key says whose incident it is: by the name
 * that it had first, because a rename must not leave it open there.
 */
function dedupKeyOf(message: Message, thread: string): string {
  if (!isAlert(message)) return thread;
  const { applicationId, formerly } = message.data;
  const { monitorKey } = formerly ?? message.data;
  const owner = createHash("sha256")
    .update(JSON.stringify([applicationId, monitorKey]))
    .digest("hex")
    .slice(0, 16);
  return `${thread}-${owner}`;
}

const plainPayload = (message: Message, sentAt: Instant) => ({
  summary: summaryOf(wordingOf(message, sentAt)),
  source: "rollcall",
  severity: severityOf(message),
});

function fullContent(message: Message, sentAt: Instant) {
  const wording = wordingOf(message, sentAt);
  const links = wording.links.filter(({ url }) => url.length <= URL_LENGTH);
  return {
    client: "rollcall",
    payload: {
      ...plainPayload(message, sentAt),
      timestamp: toIso(message.at),
      ...(isAlert(message) ? placeOf(message.data) : { class: kindOf(message) }),
      custom_details: detailsOf(wording),
    },
    links: links.map(({ label, url }) => ({ href: url, text: label })),
  };
}

/** What a phone shows: what happened and, if there is room, what to do. */
function summaryOf({ subject, toDo }: Wording): string {
  const whole = `${subject}. ${toDo}`;
  return whole.length <= SUMMARY_LENGTH ? whole : cut(subject, SUMMARY_LENGTH);
}

const severityOf = (message: Message): Severity => (isAlert(message) ? message.data.severity : "info");

function kindOf(message: Exclude<Message, AlertMessage>): string {
  // Pagers get each alert separately (R39).
  if (message.type === "monitor.digest") return "digest";
  return message.type === "service.notice" ? message.data.notice.kind : message.data.test.kind;
}

const placeOf = ({ applicationId, monitorKey, cause }: AlertData) => ({
  source: `${applicationId}/${cleanLine(monitorKey, NAME_LENGTH)}`,
  component: cleanLine(monitorKey, NAME_LENGTH),
  group: applicationId,
  class: cause,
});

/** What PagerDuty shows as a table under the summary. */
function detailsOf({ story, quote, items, toDo, advice, commands, facts }: Wording): Record<string, string> {
  const rows = [
    { label: "What happened", value: story.join("\n") },
    ...(quote === null ? [] : [quote]),
    { label: "What to do", value: [toDo, ...advice].join("\n") },
    ...facts,
    { label: "Which jobs", value: items.map(inLines).join("\n\n") },
    ...commands,
  ];
  const told = rows.filter(({ value }) => value !== "");
  return Object.fromEntries(told.map(({ label, value }) => [label, cut(value, DETAIL_LENGTH)]));
}

const inLines = ({ name, details, quote }: Item): string =>
  [name, ...details, ...(quote === null ? [] : [quote])].join("\n");

const cut = (text: string, length: number): string => cutTo(text, length, (whole) => whole);

/** A wrong key says nothing about the event, and stays wrong until the operator changes it. */
const ABOUT_THE_KEY = /routing.key/i;

/** PagerDuty takes an event with 202, and says so in the body. */
function judge(answer: HttpAnswer): Verdict | null {
  const facts = factsIn(answer.body);
  if (answer.status === 400 && ABOUT_THE_KEY.test(JSON.stringify([facts["message"], facts["errors"]])))
    return { verdict: "blocked", answer: "HTTP 400 Bad Request, the integration key is not taken" };
  const isTaken = facts["status"] === "success" || (answer.status === 202 && facts["status"] === undefined);
  return unlessConfirmed(answer, isTaken, "not with a success");
}
