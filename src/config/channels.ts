// The table of channels a destination can have: each channel's keys and defaults, what it takes, and its example.
// Destinations, their faults and their secrets follow from it; notify/ holds how a channel sends.

import type { DestinationRules } from "../domain/settings/policy.ts";
import { TEMPLATE_FIELDS, TEMPLATE_FORMS, type TemplateForm, templateProblem } from "../domain/wording/template.ts";
import { choice, everydaySecret, listOf, optional, secret, textThat, type WrittenValue } from "./kinds.ts";
import type { CamelCase, Fields } from "./place.ts";
import {
  ACCESS_TOKEN,
  ADDRESSEE,
  HEADERS,
  INTEGRATION_KEY,
  LABEL,
  MAIL_ADDRESS,
  TEMPLATE,
  TOPIC,
  WEB_ADDRESS,
  WEBHOOK_SECRET,
} from "./vocabulary.ts";

const DEFAULT_BODY = '{"title": "{{title}}", "text": "{{text}}"}';

/** Every key of every channel, in display order; a destination may only use its own channel's keys. */
export const CHANNEL_KEYS = {
  to: optional(
    listOf(MAIL_ADDRESS, "mail addresses", 1),
    ["office@example.org"],
    "E-mail: who gets it. Left out, every member of the team does, for the events they chose.",
  ),
  url: secret(
    WEB_ADDRESS,
    "https://hooks.example.org/rollcall",
    "Where messages are posted; a chat shows it for its incoming webhook. A service with one place needs none.",
  ),
  secret: secret(
    WEBHOOK_SECRET,
    "whsec_cmVwbGFjZSBtZSB3aXRoIDMyIHJhbmRvbSBieXRlcw==",
    "Webhook: what the messages are signed with (Standard Webhooks).",
  ),
  topic: everydaySecret(TOPIC, "rollcall-3f9c2a7b51", "ntfy: what people subscribe to."),
  token: secret(
    ACCESS_TOKEN,
    "tk_replacethiswithatokenofyours",
    "The service's token or key for programs that send. ntfy: left out, the server asks for none.",
  ),
  user: secret(
    LABEL,
    "replacethiswithyour30letterskey0",
    "Whose token it is. Pushover: the key of the user or group; Zulip: the bot's mail address; Twilio: the Account SID.",
  ),
  chat: optional(
    ADDRESSEE,
    "-1001234567890",
    "Who gets it. Telegram: a chat's number, or a channel's @name; Matrix: a room's id; Zulip: a channel; Signal and " +
      "Twilio: a number, or Signal's group; Apprise: a tag, left out all.",
  ),
  from: optional(
    ADDRESSEE,
    "+4930901820",
    "Signal and Twilio: the number that sends, or Twilio's Messaging Service SID.",
  ),
  integration_key: secret(
    INTEGRATION_KEY,
    "replacethiswithyour32letterskey0",
    "PagerDuty: the key of an integration of the kind Events API v2.",
  ),
  region: optional(choice("us", "eu"), "us", "PagerDuty, Opsgenie: where your account is; left out: us."),
  method: optional(choice("POST", "PUT", "PATCH", "GET"), "POST", "http: how it is asked; left out: POST."),
  headers: secret(HEADERS, "Authorization: Bearer replacethis", "http: more headers, each on a line of the text."),
  format: optional(choice(...TEMPLATE_FORMS), "json", "http: what the body is; left out: json."),
  body: everydaySecret(
    TEMPLATE,
    DEFAULT_BODY,
    "http: the body; names in {{ }} stand for a message's words. Left out, this example.",
  ),
  answer: optional(
    LABEL,
    '"ok":true',
    "http: what an answer has that took a message; left out, a good status is enough.",
  ),
};

export type ChannelKey = keyof typeof CHANNEL_KEYS;
export type ChannelValues = Fields<typeof CHANNEL_KEYS>;

export const NEEDED = Symbol("needed");

export interface ChannelEntry {
  /** What routing needs to know about its destinations. Mail needs [smtp]. */
  readonly takes: DestinationRules["takes"];
  /** Its keys, each with its default. When none is required, the type's name is a destination without configuration. */
  readonly keys: { readonly [Key in ChannelKey]?: ChannelValues[CamelCase<Key>] | typeof NEEDED };
  /** For the example file: a name, and values where a key's own example is for another type. */
  readonly sample: string;
  readonly examples?: Readonly<Partial<Record<ChannelKey, WrittenValue>>>;
  /** The fault of a value that only this type refuses. */
  readonly check?: (values: ChannelValues) => ChannelFault | null;
  /** A value that works as written, and was hardly meant so. */
  readonly doubt?: (values: ChannelValues) => ChannelFault | null;
}

export interface ChannelFault {
  readonly key: ChannelKey;
  readonly what: string;
  readonly rule: string;
}

const chat = (sample: string, url: string) =>
  ({ takes: "messages", keys: { url: NEEDED }, sample, examples: { url } }) as const satisfies ChannelEntry;

export const CHANNELS = {
  email: { takes: "mail", keys: { to: null }, sample: "office" },
  slack: {
    ...chat("chat", "https://chat.example.org/hooks/replacethis"),
    doubt: ({ url }) => (url !== null && isDiscordOwn(url) ? DISCORD_AS_SLACK : null),
  },
  discord: chat("guild", "https://discord.com/api/webhooks/0/replacethis"),
  teams: chat("flow", "https://flow.example.org/workflows/replacethis"),
  ntfy: {
    takes: "messages",
    keys: { url: NEEDED, topic: NEEDED, token: null },
    sample: "phone",
    examples: { url: "https://ntfy.example.org" },
    check: ({ url }) => (url === null || /^https?:\/\/[^/?#]+\/?$/i.test(url) ? null : NOT_ONLY_A_SERVER),
  },
  pagerduty: {
    takes: "incidents",
    keys: { integration_key: NEEDED, region: "us", url: null },
    sample: "pager",
    examples: { url: "https://events.pagerduty.com/v2/enqueue" },
  },
  opsgenie: { takes: "incidents", keys: { token: NEEDED, region: "us", url: null }, sample: "alarm" },
  telegram: {
    takes: "messages",
    keys: { token: NEEDED, chat: NEEDED, url: "https://api.telegram.org" },
    sample: "telegram",
    examples: { token: "1234567890:replacethiswithatokenofabot" },
  },
  gotify: { takes: "messages", keys: { url: NEEDED, token: NEEDED }, sample: "gotify" },
  pushover: {
    takes: "messages",
    keys: { token: NEEDED, user: NEEDED, url: "https://api.pushover.net" },
    sample: "pushover",
  },
  matrix: {
    takes: "messages",
    keys: { url: NEEDED, token: NEEDED, chat: NEEDED },
    sample: "room",
    examples: { chat: "!replacethis:matrix.example.org" },
    check: ({ chat }) => (chat === null || chat.startsWith("!") ? null : NO_ROOM),
  },
  signal: {
    takes: "messages",
    keys: { url: NEEDED, from: NEEDED, chat: NEEDED },
    sample: "signal",
    examples: { url: "http://127.0.0.1:8080", chat: "+4930901821" },
  },
  googlechat: chat("space", "https://chat.googleapis.com/v1/spaces/replace/messages?key=this&token=too"),
  zulip: {
    takes: "messages",
    keys: { url: NEEDED, user: NEEDED, token: NEEDED, chat: NEEDED },
    sample: "zulip",
    examples: { url: "https://example.zulipchat.com", user: "rollcall-bot@example.zulipchat.com", chat: "cron" },
  },
  apprise: {
    takes: "messages",
    keys: { url: NEEDED, chat: null },
    sample: "apprise",
    examples: { url: "http://127.0.0.1:8000/notify/replacethis", chat: "admins" },
  },
  twilio: {
    takes: "messages",
    keys: { user: NEEDED, token: NEEDED, from: NEEDED, chat: NEEDED, url: "https://api.twilio.com" },
    sample: "sms",
    examples: { user: "ACreplacethiswith32lettersofyours", chat: "+4930901821" },
  },
  webhook: { takes: "messages", keys: { url: NEEDED, secret: NEEDED }, sample: "hook" },
  http: {
    takes: "messages",
    keys: { url: NEEDED, method: "POST", headers: null, format: "json", body: DEFAULT_BODY, answer: null },
    sample: "own",
    check: ({ body, format, url }) =>
      templateFault("body", body, format ?? "json") ?? templateFault("url", url, "form"),
  },
} as const satisfies Readonly<Record<string, ChannelEntry>>;

/** ntfy would show people JSON that is posted to a topic's own address as plain text. */
const NOT_ONLY_A_SERVER: ChannelFault = {
  key: "url",
  what: "has more than a server's address",
  rule: 'must be without a topic or path, such as "https://ntfy.example.org"',
};

function templateFault(key: "body" | "url", template: string | null, form: TemplateForm): ChannelFault | null {
  const what = template === null ? null : templateProblem(template, form);
  return what === null ? null : { key, what, rule: `must be a template of the names ${TEMPLATE_FIELDS.join(", ")}` };
}

const NO_ROOM: ChannelFault = {
  key: "chat",
  what: "is not the id of a room",
  rule: 'must begin with "!", as in the settings of the room under "Advanced"',
};

/** Behind `/slack` Discord takes what Slack takes. */
const isDiscordOwn = (url: string): boolean =>
  /^https:\/\/(?:[\w-]+\.)?discord(?:app)?\.com\/(?!.*\/slack\/?$)/i.test(url);

const DISCORD_AS_SLACK: ChannelFault = {
  key: "url",
  what: "is an address of Discord, which refuses messages of Slack",
  rule: 'set type = "discord"',
};

export type ChannelType = keyof typeof CHANNELS;

const TYPES = Object.keys(CHANNELS) as readonly ChannelType[];

export const CHANNEL_TYPES = TYPES.join(", ").replace(/, ([^,]+)$/, " or $1");

export const isChannelType = (text: string): text is ChannelType => Object.hasOwn(CHANNELS, text);

export const CHANNEL_TYPE = textThat(isChannelType, { rule: `must be ${CHANNEL_TYPES}`, problem: "is not known" });
