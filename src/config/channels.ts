// The kinds of channels a destination can have, one entry each: its keys, which of them it needs, and how a destination
// is made of them. How a channel sends is not known here.

import type Type from "typebox";
import type { Destination } from "./config.ts";
import { listOf, NOT_YET, optional, secret, textOf } from "./kinds.ts";
import { MAIL_ADDRESS, WEB_ADDRESS, WEBHOOK_SECRET } from "./vocabulary.ts";

const EMAIL_KEYS = {
  to: optional(
    listOf(MAIL_ADDRESS, "mail addresses", 1),
    ["office@example.org"],
    "E-mail: who gets it. Left out, every member of the team does, for the events they chose.",
  ),
};

const WEBHOOK_KEYS = {
  url: secret(WEB_ADDRESS, "https://hooks.example.org/rollcall", "Webhook: where the JSON is posted."),
  secret: secret(
    WEBHOOK_SECRET,
    "whsec_cmVwbGFjZSBtZSB3aXRoIDMyIHJhbmRvbSBieXRlcw==",
    "Webhook: what the messages are signed with (Standard Webhooks).",
  ),
};

/** Every key of every channel; a destination may only use those of its own. */
export const CHANNEL_KEYS = { ...EMAIL_KEYS, ...WEBHOOK_KEYS };

export type ChannelValues = Type.Static<Type.TObject<typeof CHANNEL_KEYS>>;
export type ChannelKey = keyof typeof CHANNEL_KEYS;

export interface Channel {
  readonly type: Destination["type"];
  readonly keys: readonly ChannelKey[];
  /** Without any, the type's name is a destination by itself. */
  readonly needs: readonly ChannelKey[];
  readonly sendsMail: boolean;
  /** A name for the example file. */
  readonly sample: string;
  /** Null when a needed value is absent. */
  readonly build: (name: string, values: ChannelValues) => Destination | null;
}

const EMAIL: Channel = {
  type: "email",
  keys: ["to"],
  needs: [],
  sendsMail: true,
  sample: "office",
  build: (name, { to }) => ({ type: "email", name, to: to ?? null }),
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

export const CHANNELS: readonly Channel[] = [EMAIL, WEBHOOK];

const LATER_TYPES = ["slack", "discord", "teams", "ntfy", "pagerduty"];

/** Keys that only the types of later releases have. */
export const LATER_CHANNEL_KEYS = ["topic", "token", "integration_key", "region"];

export const channelOf = (type: string): Channel | null => CHANNELS.find((channel) => channel.type === type) ?? null;

const TYPE_PROBLEM = "is not known";

export const CHANNEL_TYPE = textOf({
  rule: `must be ${CHANNELS.map((channel) => channel.type).join(" or ")}`,
  problem: TYPE_PROBLEM,
  judge: (text) => {
    if (channelOf(text) !== null) return null;
    return { what: LATER_TYPES.includes(text) ? NOT_YET : TYPE_PROBLEM };
  },
});
