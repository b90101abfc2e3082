// The kinds of channels a destination can have, one entry each: its keys, which of them it needs, and how a destination
// is made of them. How a channel sends is not known here.

import type Type from "typebox";
import type { ChatDestination, Destination } from "./config.ts";
import { choice, listOf, optional, secret, textThat, type Written } from "./kinds.ts";
import { ACCESS_TOKEN, INTEGRATION_KEY, MAIL_ADDRESS, TOPIC, WEB_ADDRESS, WEBHOOK_SECRET } from "./vocabulary.ts";

const EMAIL_KEYS = {
  to: optional(
    listOf(MAIL_ADDRESS, "mail addresses", 1),
    ["office@example.org"],
    "E-mail: who gets it. Left out, every member of the team does, for the events they chose.",
  ),
};

const NTFY_KEYS = {
  topic: secret(TOPIC, "rollcall-3f9c2a7b51", "ntfy: what people subscribe to."),
  token: secret(ACCESS_TOKEN, "tk_replacethiswithatokenofyours", "ntfy: left out, the server asks for none."),
};

const PAGERDUTY_KEYS = {
  integration_key: secret(
    INTEGRATION_KEY,
    "replacethiswithyour32letterskey0",
    "PagerDuty: the key of an integration of the kind Events API v2.",
  ),
  region: optional(choice("us", "eu"), "us", "PagerDuty: where your account is; left out: us."),
};

const WEBHOOK_KEYS = {
  url: secret(
    WEB_ADDRESS,
    "https://hooks.example.org/rollcall",
    "Where messages are posted; a chat shows it for its incoming webhook. PagerDuty: left out, to PagerDuty.",
  ),
  secret: secret(
    WEBHOOK_SECRET,
    "whsec_cmVwbGFjZSBtZSB3aXRoIDMyIHJhbmRvbSBieXRlcw==",
    "Webhook: what the messages are signed with (Standard Webhooks).",
  ),
};

/** Every key of every channel; a destination may only use those of its own. */
export const CHANNEL_KEYS = { ...EMAIL_KEYS, ...WEBHOOK_KEYS, ...NTFY_KEYS, ...PAGERDUTY_KEYS };

export type ChannelValues = Type.Static<Type.TObject<typeof CHANNEL_KEYS>>;
export type ChannelKey = keyof typeof CHANNEL_KEYS;

export interface Channel {
  readonly type: Destination["type"];
  readonly keys: readonly ChannelKey[];
  /** Without any, the type's name is a destination by itself. */
  readonly needs: readonly ChannelKey[];
  readonly sendsMail: boolean;
  /** For the example file: a name, and values where a key's own example is for another type. */
  readonly sample: string;
  readonly examples?: Readonly<Partial<Record<ChannelKey, Written>>>;
  /** What is wrong with a value for this type alone. */
  readonly check?: (values: ChannelValues) => ChannelFault | null;
  /** Null when a needed value is absent. */
  readonly build: (name: string, values: ChannelValues) => Destination | null;
}

export interface ChannelFault {
  readonly key: ChannelKey;
  readonly what: string;
  readonly rule: string;
}

const EMAIL: Channel = {
  type: "email",
  keys: ["to"],
  needs: [],
  sendsMail: true,
  sample: "office",
  build: (name, { to }) => ({ type: "email", name, to: to ?? null }),
};

/** A chat's incoming webhook. */
const chat = (type: ChatDestination["type"], sample: string, url: string): Channel => ({
  type,
  keys: ["url"],
  needs: ["url"],
  sendsMail: false,
  sample,
  examples: { url },
  build: (name, values) => (values.url === undefined ? null : { type, name, url: values.url }),
});

const SLACK = chat("slack", "chat", "https://chat.example.org/hooks/replacethis");
const DISCORD = chat("discord", "guild", "https://discord.com/api/webhooks/0/replacethis");
const TEAMS = chat("teams", "flow", "https://flow.example.org/workflows/replacethis");

const NTFY: Channel = {
  type: "ntfy",
  keys: ["url", "topic", "token"],
  needs: ["url", "topic"],
  sendsMail: false,
  sample: "phone",
  examples: { url: "https://ntfy.example.org" },
  check: ({ url }) => (url === undefined || /^https?:\/\/[^/?#]+\/?$/i.test(url) ? null : NOT_ONLY_A_SERVER),
  build: (name, { url, topic, token }) =>
    url === undefined || topic === undefined ? null : { type: "ntfy", name, url, topic, token: token ?? null },
};

/** JSON posted to a topic's own address would be shown to people as it is. */
const NOT_ONLY_A_SERVER: ChannelFault = {
  key: "url",
  what: "has more than a server's address",
  rule: 'must be without a topic or path, such as "https://ntfy.example.org"',
};

const PAGERDUTY: Channel = {
  type: "pagerduty",
  keys: ["integration_key", "region", "url"],
  needs: ["integration_key"],
  sendsMail: false,
  sample: "pager",
  examples: { url: "https://events.pagerduty.com/v2/enqueue" },
  build: (name, { integration_key: integrationKey, region = "us", url }) =>
    integrationKey === undefined ? null : { type: "pagerduty", name, integrationKey, region, url: url ?? null },
};

const WEBHOOK: Channel = {
  type: "webhook",
  keys: ["url", "secret"],
  needs: ["url", "secret"],
  sendsMail: false,
  sample: "hook",
  build: (name, { url, secret }) =>
    url === undefined || secret === undefined ? null : { type: "webhook", name, url, secret },
};

export const CHANNELS: readonly Channel[] = [EMAIL, SLACK, DISCORD, TEAMS, NTFY, PAGERDUTY, WEBHOOK];

/** In words, for rules. */
export const CHANNEL_TYPES = CHANNELS.map((channel) => channel.type)
  .join(", ")
  .replace(/, ([^,]+)$/, " or $1");

export const channelOf = (type: string): Channel | null => CHANNELS.find((channel) => channel.type === type) ?? null;

export const CHANNEL_TYPE = textThat((text) => channelOf(text) !== null, {
  rule: `must be ${CHANNEL_TYPES}`,
  problem: "is not known",
});
