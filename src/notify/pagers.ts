// Defines the channels to the pagers PagerDuty and Opsgenie, one row each. Each incident of ours is one alert at the
// pager, which we open, acknowledge and close.

import { createHash } from "node:crypto";
import { NAME_LENGTH } from "../domain/limits.ts";
import type { AlertData, AlertKind, AlertMessage } from "../domain/message/alert.ts";
import { isAlert, type Message } from "../domain/message/message.ts";
import { cleanLine } from "../domain/text.ts";
import { toIso } from "../domain/time.ts";
import type { Item, Wording } from "../domain/wording/types.ts";
import { cutPlainChatText } from "./chat-shorten.ts";
import { httpServiceChannel, WRONG_TOKEN } from "./http-service.ts";

type Integration = Readonly<{ integrationKey: string; region: "us" | "eu"; url: string | null }>;

type Opsgenie = Omit<Integration, "integrationKey"> & { readonly token: string };

const PAGERDUTY = {
  us: "https://events.pagerduty.com/v2/enqueue",
  eu: "https://events.eu.pagerduty.com/v2/enqueue",
};

/** How many characters of an alert Opsgenie's app shows on a locked phone. */
const OPSGENIE_TITLE = 130;

const OPSGENIE = { us: "https://api.opsgenie.com", eu: "https://api.eu.opsgenie.com" };

type PagerAction = "trigger" | "acknowledge" | "resolve";

const ACTIONS: Record<AlertKind, PagerAction> = {
  InitialFailure: "trigger",
  NeverExecuted: "trigger",
  ContinuedFailure: "trigger",
  Acknowledged: "acknowledge",
  Recovered: "resolve",
};

/**
 * Returns what a message does at the pager. A notice or a test also triggers an alert there, with the lowest severity,
 * because people must see it.
 */
const actionOf = (message: Message): PagerAction => (isAlert(message) ? ACTIONS[message.data.kind] : "trigger");

/**
 * Returns the key by which a pager knows an incident; all messages of the incident have the same key. Two installations
 * may use one integration and both open an incident 1 in the same second. So the key also holds a hash of the
 * application and the job. It uses the first name that the job had, so that a renamed job still closes its incident.
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

const summaryPayload = (message: Message, words: Wording) => ({
  summary: pagerSummary(words, 340),
  source: "rollcall",
  severity: isAlert(message) ? message.data.severity : "info",
});

const URL_LENGTH = 2_000;

const fullContent = (message: Message, words: Wording) => ({
  client: "rollcall",
  payload: {
    ...summaryPayload(message, words),
    timestamp: toIso(message.at),
    ...(isAlert(message) ? pagerPlace(message.data) : { class: messageKind(message) }),
    custom_details: detailsOf(words),
  },
  links: words.links
    .filter(({ url }) => url.length <= URL_LENGTH)
    .map(({ label, url }) => ({ href: url, text: label })),
});

/** Returns the text for a phone: what happened, then the job's own reason, or what to do if there is room. */
function pagerSummary({ subject, ownWords, toDo }: Wording, length: number): string {
  if (ownWords !== null) return cutPlainChatText(`${subject}. ${ownWords.line}`, length);
  return subject.length + toDo.length + 2 <= length ? `${subject}. ${toDo}` : cutPlainChatText(subject, length);
}

function messageKind(message: Exclude<Message, AlertMessage>): string {
  // A pager gets each alert by itself, never a digest (R39).
  if (message.type === "monitor.digest") return "digest";
  return message.type === "service.notice" ? message.data.notice.kind : message.data.test.kind;
}

const pagerPlace = ({ applicationId, monitorKey, cause }: AlertData) => ({
  source: `${applicationId}/${cleanLine(monitorKey, NAME_LENGTH)}`,
  component: cleanLine(monitorKey, NAME_LENGTH),
  group: applicationId,
  class: cause,
});

/**
 * Returns the details of an event, which may have 512 KB. Only a list of jobs is long, and it is cut, because people do
 * not read all of it.
 */
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
  return Object.fromEntries(told.map(({ label, value }) => [label, cutPlainChatText(value, 20_000)]));
}

const inLines = ({ name, details, quote }: Item): string =>
  [name, ...(quote === null ? [] : [quote]), ...details].join("\n");

const genieKey = (token: string) => ({ authorization: `GenieKey ${token}` });

const changing = (alias: string, action: PagerAction, token: string) => ({
  path: `/v2/alerts/${alias}/${action === "resolve" ? "close" : action}?identifierType=alias`,
  headers: genieKey(token),
  body: { source: "rollcall" },
});

export const PAGERS = {
  pagerduty: httpServiceChannel({
    name: "PagerDuty",
    limits: {},
    at: ({ url, region }: Integration) => url ?? PAGERDUTY[region],
    write: ({ integrationKey }: Integration, { message, thread, words, plain }) => {
      const action = actionOf(message);
      const event = { routing_key: integrationKey, event_action: action, dedup_key: dedupKeyOf(message, thread) };
      if (action !== "trigger") return { body: event };
      const content = plain ? { payload: summaryPayload(message, words) } : fullContent(message, words);
      return { body: { ...event, ...content } };
    },
    sentAs: ({ dedup_key: key }) => key,
    takeBack: ({ integrationKey }, { message, thread }) => ({
      body: { routing_key: integrationKey, event_action: "resolve", dedup_key: dedupKeyOf(message, thread) },
    }),
    // PagerDuty answers 202 to an event that it takes, mostly with the status "success".
    took: (facts, { status }) => facts["status"] === "success" || (status === 202 && facts["status"] === undefined),
    // A wrong key has nothing to do with this event, and stays wrong until a person changes it.
    blocked: [[/^400 .*routing.key/i, "the integration key is not taken"]],
  }),
  /** An alert has an alias of ours; later requests acknowledge or close it by that alias. */
  opsgenie: httpServiceChannel({
    name: "Opsgenie",
    limits: {},
    at: ({ url, region }: Opsgenie) => url ?? OPSGENIE[region],
    title: OPSGENIE_TITLE,
    most: 15_000,
    write: ({ token }: Opsgenie, { message, thread, words, text, urgency }) => {
      const headers = genieKey(token);
      const action = actionOf(message);
      const alias = dedupKeyOf(message, thread);
      if (action !== "trigger") return changing(alias, action, token);
      const priority = isAlert(message) ? `P${6 - urgency}` : "P5";
      const entity = isAlert(message) ? { entity: pagerPlace(message.data).source } : {};
      const body = {
        message: pagerSummary(words, OPSGENIE_TITLE),
        alias,
        description: text,
        priority,
        source: "rollcall",
        ...entity,
      };
      return { path: "/v2/alerts", headers, body };
    },
    took: ({ requestId }) => typeof requestId === "string",
    sentAs: ({ requestId }) => requestId,
    takeBack: ({ token }, { message, thread }) => changing(dedupKeyOf(message, thread), "resolve", token),
    blocked: [WRONG_TOKEN, [/^403 .*"message"|^422 .*key/i, "the key is not taken"]],
  }),
};
