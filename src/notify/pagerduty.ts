// Incidents as PagerDuty's (Events API v2): each of ours is one alert there, which reminders and new causes are added to,
// and which our acknowledgement and recovery acknowledge and resolve.

import { createHash } from "node:crypto";
import type { AlertData, Severity, ToldKind } from "../domain/alert.ts";
import { cleanLine } from "../domain/clean-text.ts";
import { NAME_LENGTH } from "../domain/limits.ts";
import type { Message } from "../domain/message.ts";
import { type Instant, toIso } from "../domain/time.ts";
import { type Wording, wordingOf } from "../domain/wording.ts";
import type { ClaimedDelivery } from "../engine/contract.ts";
import type { Channel, SendContext, Verdict } from "./channel.ts";
import { bytesInJson, cutInJson } from "./cut-in-json.ts";
import { factsIn } from "./json-answer.ts";
import { destinationUrl, type HttpAnswer, post, SEND_TIMEOUT } from "./post.ts";

export type PagerdutyRegion = "us" | "eu";

export interface PagerdutySettings {
  readonly type: "pagerduty";
  /** A secret: of an integration "Events API v2", 32 characters. */
  readonly integrationKey: string;
  readonly region: PagerdutyRegion;
  /** Where events are posted in place of the region's address; null: there. */
  readonly url: string | null;
}

const ADDRESSES: Record<PagerdutyRegion, string> = {
  us: "https://events.pagerduty.com/v2/enqueue",
  eu: "https://events.eu.pagerduty.com/v2/enqueue",
};

/** PagerDuty's limit is in characters; one is at least a byte. */
const SUMMARY_BYTES = 1_024;
/** An event may have 512 KB. These are many times less, and more than people read. */
const DETAIL_BYTES = 8_000;
const JOBS_BYTES = 100_000;
const URL_BYTES = 2_000;

/** Throws when the address is none, without repeating it. */
export function createPagerdutyChannel(settings: PagerdutySettings, timeoutMs = SEND_TIMEOUT): Channel {
  const url = destinationUrl(settings.url ?? ADDRESSES[settings.region]);
  const headers = { "content-type": "application/json" };
  return {
    type: "pagerduty",
    send: async (delivery, context) => {
      const body = JSON.stringify({ routing_key: settings.integrationKey, ...eventOf(delivery, context) });
      return post({ url, headers, body, sentAt: context.sentAt, timeoutMs, judge });
    },
  };
}

const ACTIONS: Record<ToldKind, "trigger" | "acknowledge" | "resolve"> = {
  InitialFailure: "trigger",
  NeverExecuted: "trigger",
  ContinuedFailure: "trigger",
  Acknowledged: "acknowledge",
  Recovered: "resolve",
};

function eventOf({ message, thread }: ClaimedDelivery, { sentAt, plain }: SendContext) {
  // A notice is a question and no alarm, but nobody would see it anywhere else: an alert of its own, of the least severity.
  const action = message.type === "service.notice" ? "trigger" : ACTIONS[message.data.kind];
  const event = { event_action: action, dedup_key: dedupKeyOf(message, thread) };
  if (action !== "trigger") return event;
  return plain ? { ...event, payload: plainPayload(message, sentAt) } : { ...event, ...fullTrigger(message, sentAt) };
}

/**
 * The same for everything an incident tells. Two installations may use one integration, and both may have an incident 1
 * that opened in the same moment of the same schedule: so it says whose incident it is.
 */
function dedupKeyOf(message: Message, thread: string): string {
  if (message.type === "service.notice") return thread;
  const { applicationId, monitorKey } = message.data;
  const owner = createHash("sha256").update(JSON.stringify([applicationId, monitorKey])).digest("hex").slice(0, 16);
  return `${thread}-${owner}`;
}

function plainPayload(message: Message, sentAt: Instant) {
  return {
    summary: cutInJson(wordingOf(message, sentAt).subject, SUMMARY_BYTES),
    source: "rollcall",
    severity: severityOf(message),
  };
}

function fullTrigger(message: Message, sentAt: Instant) {
  const wording = wordingOf(message, sentAt);
  const links = wording.links.filter(({ url }) => bytesInJson(url) <= URL_BYTES);
  return {
    client: "rollcall",
    payload: {
      ...plainPayload(message, sentAt),
      timestamp: toIso(message.at),
      ...(message.type === "service.notice" ? { class: message.data.notice.kind } : placeOf(message.data)),
      custom_details: detailsOf(wording),
    },
    links: links.map(({ label, url }) => ({ href: url, text: cutInJson(label, DETAIL_BYTES) })),
  };
}

const severityOf = (message: Message): Severity =>
  message.type === "service.notice" ? "info" : message.data.severity;

const placeOf = ({ applicationId, monitorKey, cause }: AlertData) => ({
  source: `${applicationId}/${cleanLine(monitorKey, NAME_LENGTH)}`,
  component: cleanLine(monitorKey, NAME_LENGTH),
  group: applicationId,
  class: cause,
});

/** What PagerDuty shows as a table under the summary. */
function detailsOf({ story, quote, items, advice, facts }: Wording): Record<string, string> {
  const jobs = items.map(({ name, details, quote }) => [name, ...details, ...(quote === null ? [] : [quote])].join("\n"));
  const rows = [
    { label: "What happened", value: story.join("\n") },
    ...(quote === null ? [] : [quote]),
    { label: "What to do", value: advice.join("\n") },
    ...facts,
  ];
  const details = rows.map(({ label, value }) => [label, cutInJson(value, DETAIL_BYTES)]);
  const listed = jobs.length === 0 ? [] : [["Named", cutInJson(jobs.join("\n\n"), JOBS_BYTES)]];
  return Object.fromEntries([...details, ...listed]);
}

const ACCEPTED = 202;

/** What is wrong with a key is wrong until somebody changes it, and says nothing of the event. */
const ABOUT_THE_KEY = /routing.key/i;

/** Only 202 means that the event was taken; any other success comes from somebody else. */
function judge({ status, body }: HttpAnswer): Verdict | null {
  const { status: said = "success", message, errors } = factsIn(body);
  if (status === ACCEPTED && said !== "success") return { verdict: "rejected", answer: "HTTP 202 Accepted, but refused" };
  if (status !== ACCEPTED && status >= 200 && status < 300) {
    return { verdict: "blocked", answer: `HTTP ${status}, but not from PagerDuty` };
  }
  if (status === 400 && ABOUT_THE_KEY.test(JSON.stringify([message, errors]))) {
    return { verdict: "blocked", answer: "HTTP 400 Bad Request, the integration key is not taken" };
  }
  return null;
}
