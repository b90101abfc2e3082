// The table of channels by which a destination can send: the keys and defaults of each, what routing must know, and an
// example. How destinations are read and checked, and which of their values are secrets, follows from this table; how a
// channel sends is in `notify/`.

import type { DestinationRules } from "../domain/settings/policy.ts";
import { parseRotaSince } from "../domain/telling/rota.ts";
import { capitalized, nearestKnownName } from "../domain/text.ts";
import { TEMPLATE_FIELDS, TEMPLATE_FORMS, type TemplateForm, templateProblem } from "../domain/wording/template.ts";
import { choice, everydaySecret, listKind, optional, secret, textKind, textThat, type WrittenValue } from "./kinds.ts";
import type { CamelCase, Fields } from "./place.ts";
import {
  ACCESS_TOKEN,
  DESTINATION_ADDRESS,
  HEADERS,
  INTEGRATION_KEY,
  LABEL,
  MAIL_ADDRESS,
  PASSWORD,
  PROGRAM,
  SLUG_NAMES,
  TEMPLATE,
  TOPIC,
  WEBHOOK_SECRET,
} from "./vocabulary.ts";

const DEFAULT_BODY = '{"title": "{{title}}", "text": "{{text}}"}';

/** Every key of every channel, in the order of display. A destination may only use those of its own channel. */
export const CHANNEL_KEYS = {
  to: optional(
    listKind(MAIL_ADDRESS, "mail addresses", 1),
    ["office@example.org"],
    "E-mail: the addresses that get it. Left out, every member of the team gets it, for the events they chose.",
  ),
  url: secret(
    DESTINATION_ADDRESS,
    "https://hooks.example.org/rollcall",
    "Slack, Discord, Teams, Googlechat: the address that the chat shows for an incoming webhook; ntfy, Gotify, " +
      "Matrix, Zulip, Signal: the address of the server; Mqtt: the address of the broker, mqtt:// or mqtts://; " +
      "Apprise: the address of its server, with a key; Webhook, http: the address to which messages are posted; " +
      "Telegram, Pushover, Twilio, PagerDuty, Opsgenie: the address of another server than theirs.",
  ),
  secret: secret(
    WEBHOOK_SECRET,
    "whsec_cmVwbGFjZSBtZSB3aXRoIDMyIHJhbmRvbSBieXRlcw==",
    "Webhook: the secret with which the messages are signed (Standard Webhooks).",
  ),
  signing_secret: secret(
    ACCESS_TOKEN,
    "replacethiswiththesigningsecret0",
    "Slack: the Signing Secret of the app, by which answers from buttons are taken; PagerDuty: the secret of a V3 " +
      "webhook, which sends answers.",
  ),
  topic: everydaySecret(
    TOPIC,
    "rollcall-3f9c2a7b51",
    "ntfy: the topic to which people subscribe; Mqtt: the text with which all topics begin, left out rollcall.",
  ),
  token: secret(
    ACCESS_TOKEN,
    "tk_replacethiswithatokenofyours",
    "Telegram: the token that @BotFather answers to /newbot; Gotify, Pushover: the token of an application that you " +
      "create there; Matrix: the access token of the account; Zulip: the API key of the bot; Twilio: the Auth Token; " +
      "Opsgenie: the key of an API integration; ntfy: an access token, left out when the server asks for none.",
  ),
  user: secret(
    LABEL,
    "replacethiswithyour30letterskey0",
    "Pushover: the key of the user or group; Zulip: the bot's mail address; Twilio: the Account SID.",
  ),
  username: optional(LABEL, "rollcall", "Mqtt: the user who logs in; left out: without a login."),
  password: secret(PASSWORD, "replacewiththepassword", "Mqtt: the password of that user."),
  chat: optional(
    LABEL,
    "-1001234567890",
    "Telegram: the number of the chat, which getUpdates shows, and for a topic a / and its number behind that; " +
      "Matrix: the id of the room, from its settings; Zulip: the name of the channel; Signal, Twilio: the number that " +
      "gets it; Apprise: a tag, left out all.",
  ),
  from: optional(LABEL, "+4930901820", "Signal, Twilio: the number that sends, or the SID of a Messaging Service."),
  integration_key: secret(INTEGRATION_KEY, "replacethiswithyour32letterskey0", "PagerDuty: an Events API v2 key."),
  region: optional(choice("us", "eu"), "us", "PagerDuty, Opsgenie: the region of your account; left out: us."),
  method: optional(choice("POST", "PUT", "PATCH", "GET"), "POST", "http: the method of the request; left out: POST."),
  headers: secret(HEADERS, "Authorization: Bearer replacethis", "http: further headers, each on a line of the text."),
  format: optional(choice(...TEMPLATE_FORMS), "json", "http: the form of the body; left out: json."),
  body: everydaySecret(TEMPLATE, DEFAULT_BODY, "http: the body, with names in {{ }}; left out: title and text."),
  program: optional(
    PROGRAM,
    "/usr/local/bin/page-ada",
    "Command: the program that runs for each message, without arguments.",
  ),
  answer: optional(
    LABEL,
    '"ok":true',
    "http: the text by which an answer says that it took a message; left out, any good status does.",
  ),
  turns: optional(
    listKind(textKind(SLUG_NAMES), "names of destinations", 1),
    ["ada-phone", "grace-phone"],
    "Rota: the destinations that take turns, a week each.",
  ),
  since: optional(
    textThat((text) => parseRotaSince(text) !== null, {
      rule: 'must be a time in the server\'s zone, such as "2026-11-30T09:00"',
      problem: "is no time",
    }),
    "2026-11-30T09:00",
    "Rota: when the first week of the first destination begins, in the server's zone.",
  ),
};

/**
 * Returns what a key means for this type of destination. `meaning` may have several parts, each after the names of its
 * types. For `rota`, `E-mail: the address. Rota: when it begins.` gives `When it begins.` Without a part for the type,
 * the whole meaning is returned.
 */
export function meaningFor(type: string, meaning: string): string {
  const said = meaning.split(/; |(?<=\.) /).map((part) => part.split(/: (.*)/));
  const [, own] = said.find(([names = ""]) => names.toLowerCase().split(", ").includes(type)) ?? [];
  return own === undefined ? meaning : `${own[0]?.toUpperCase()}${own.slice(1).replace(/\.$/, "")}.`;
}

/** The labels in forms for keys whose own names would tell people less. */
const KEY_LABELS: Readonly<Record<string, string>> = {
  to: "To whom",
  url: "Address",
  username: "User name",
  answer: "What a good answer has",
  since: "First week begins",
  severity: "Least severity",
  environments: "Only these environments",
  quiet: "Quiet hours",
  urgent: "Not quiet from severity",
  after: "Only when no one acknowledges for",
  answers: "Answers as",
};

export const keyLabel = (key: string): string => KEY_LABELS[key] ?? capitalized(key.replaceAll("_", " "));

export type ChannelKey = keyof typeof CHANNEL_KEYS;
export type ChannelValues = Fields<typeof CHANNEL_KEYS>;

export const NEEDED = Symbol("needed");

export interface ChannelEntry {
  /** The name of the channel that its makers and users use, such as "PagerDuty". */
  readonly called: string;
  /**
   * Who or what receives the channel's messages, on which the choice of destinations depends. `turns` means a rota,
   * which passes alerts to the destination whose week it is.
   */
  readonly takes: DestinationRules["takes"] | "turns";
  /**
   * The keys, each with its default. If none is `NEEDED`, a destination of the type's name exists without being
   * configured.
   */
  readonly keys: { readonly [Key in ChannelKey]?: ChannelValues[CamelCase<Key>] | typeof NEEDED };
  /** The scheme with which the `url` begins: `mqtt` or `mqtts`; absent means `http` or `https`. */
  readonly scheme?: "mqtt";
  /** True if only the configuration file may have such a destination, because it runs a program here (R31). */
  readonly onlyInFile?: true;
  /** The name of the destination in the example file; absent when the destination is named like its type. */
  readonly sample?: string;
  /** For the example file: values for keys whose own example is for another type. */
  readonly examples?: Readonly<Partial<Record<ChannelKey, WrittenValue>>>;
  /**
   * Values with which a destination works without an account or a server of one's own, such as the address of ntfy's
   * public server. The topic is not among them, because `rollcall setup` draws one at random.
   */
  readonly suggests?: Readonly<Partial<Record<ChannelKey, string>>>;
  /** Returns the fault of a value that only this type refuses; `null` when there is none. */
  readonly check?: (values: ChannelValues) => ChannelFault | null;
  /** Returns a warning about a value that is allowed but was hardly meant so; `null` when there is none. */
  readonly warning?: (values: ChannelValues) => ChannelFault | null;
}

export type ChannelFault = Readonly<{ key: ChannelKey; what: string; rule: string }>;

const messages = <const Keys extends ChannelEntry["keys"]>(
  called: string,
  keys: Keys,
  examples: ChannelEntry["examples"] = {},
  more: Pick<ChannelEntry, "check" | "warning"> = {},
) => ({ called, takes: "messages", keys, examples, ...more }) as const;

const chat = (called: string, url: string) => messages(called, { url: NEEDED }, { url });

const fault = (key: ChannelKey, what: string, rule: string): ChannelFault => ({ key, what, rule });

export const CHANNELS = {
  email: { called: "E-mail", takes: "mail", keys: { to: null }, sample: "office" },
  slack: messages(
    "Slack",
    { url: NEEDED, signing_secret: null },
    { url: "https://chat.example.org/hooks/replacethis" },
    {
      warning: ({ url }) => (url !== null && isDiscordOwn(url) ? DISCORD_AS_SLACK : null),
    },
  ),
  discord: chat("Discord", "https://discord.com/api/webhooks/0/replacethis"),
  teams: chat("Microsoft Teams", "https://flow.example.org/workflows/replacethis"),
  googlechat: chat("Google Chat", "https://chat.googleapis.com/v1/spaces/replace/messages?key=this&token=too"),
  ntfy: {
    ...messages(
      "ntfy",
      { url: NEEDED, topic: NEEDED, token: null },
      { url: "https://ntfy.example.org" },
      { check: ({ url }) => (url === null || /^https?:\/\/[^/?#]+\/?$/i.test(url) ? null : NOT_ONLY_A_SERVER) },
    ),
    suggests: { url: "https://ntfy.sh" },
  },
  telegram: messages(
    "Telegram",
    { token: NEEDED, chat: NEEDED, url: "https://api.telegram.org" },
    { token: "1234567890:replacethiswithatokenofabot" },
    { check: ({ chat }) => (chat === null || /^(?:@\w+|-?\d+)(?:\/[1-9]\d{0,15})?$/.test(chat) ? null : NO_CHAT) },
  ),
  gotify: messages("Gotify", { url: NEEDED, token: NEEDED }),
  pushover: messages("Pushover", { token: NEEDED, user: NEEDED, url: "https://api.pushover.net" }),
  matrix: messages(
    "Matrix",
    { url: NEEDED, token: NEEDED, chat: NEEDED },
    { chat: "!replacethis:matrix.example.org" },
    {
      check: ({ chat }) => (chat === null || chat.startsWith("!") ? null : NO_ROOM),
      // So begin the tokens of sessions at Matrix Authentication Service, as matrix.org has it.
      warning: ({ token }) => (token?.startsWith("mat_") ? TOKEN_THAT_ENDS : null),
    },
  ),
  signal: messages(
    "Signal",
    { url: NEEDED, from: NEEDED, chat: NEEDED },
    { url: "http://127.0.0.1:8080", chat: "+4930901821" },
  ),
  zulip: messages(
    "Zulip",
    { url: NEEDED, user: NEEDED, token: NEEDED, chat: NEEDED },
    { user: "bot@example.org", chat: "cron" },
  ),
  twilio: messages(
    "Twilio (SMS)",
    { user: NEEDED, token: NEEDED, from: NEEDED, chat: NEEDED, url: "https://api.twilio.com" },
    { user: "ACreplacethiswith32lettersofyours", chat: "+4930901821" },
  ),
  apprise: messages(
    "Apprise",
    { url: NEEDED, chat: null },
    { url: "http://127.0.0.1:8000/notify/replacethis", chat: "admins" },
  ),
  pagerduty: {
    called: "PagerDuty",
    takes: "incidents",
    keys: { integration_key: NEEDED, signing_secret: null, region: "us", url: null },
    examples: { url: "https://events.pagerduty.com/v2/enqueue" },
  },
  opsgenie: {
    called: "Opsgenie",
    takes: "incidents",
    keys: { token: NEEDED, region: "us", url: null },
    examples: { url: "https://api.opsgenie.com" },
  },
  webhook: { called: "Webhook", takes: "events", keys: { url: NEEDED, secret: NEEDED } },
  http: messages(
    "Any HTTP service",
    { url: NEEDED, method: "POST", headers: null, format: "json", body: DEFAULT_BODY, answer: null },
    {},
    {
      check: ({ body, format, url }) =>
        templateFault("body", body, format ?? "json") ?? templateFault("url", url, "form") ?? hostFault(url),
    },
  ),
  mqtt: {
    called: "MQTT",
    takes: "events",
    keys: { url: NEEDED, username: null, password: null, topic: "rollcall" },
    examples: { url: "mqtts://broker.example.org" },
    scheme: "mqtt",
  },
  webpush: { called: "Browsers of people", takes: "people", keys: {} },
  command: { called: "A program", takes: "events", keys: { program: NEEDED }, sample: "own-command", onlyInFile: true },
  rota: {
    called: "Rota (a week each)",
    takes: "turns",
    keys: { turns: NEEDED, since: NEEDED },
    sample: "oncall",
    examples: { turns: ["ntfy", "telegram"] },
  },
} as const satisfies Readonly<Record<string, ChannelEntry>>;

function templateFault(key: "body" | "url", template: string | null, form: TemplateForm): ChannelFault | null {
  const what = template === null ? null : templateProblem(template, form);
  return what === null ? null : fault(key, what, `must be a template of the names ${TEMPLATE_FIELDS.join(", ")}`);
}

/** Refuses an address whose host a job's words could change: that host would get the headers with the password. */
const hostFault = (url: string | null): ChannelFault | null =>
  url === null || !url.includes("{{") || /^https?:\/\/[^/?#{}\\\s]+\//i.test(url) ? null : HOST_CHOSEN;

const HOST_CHOSEN = fault(
  "url",
  "has {{ }} before the slash behind its host",
  'must name its host in full, as in "https://api.example.org/jobs/{{key}}"',
);

/** An address of ntfy must have the server alone: JSON that is posted to a topic's address is shown as plain text. */
const NOT_ONLY_A_SERVER = fault(
  "url",
  "has more than a server's address",
  'must be without a topic or path, such as "https://ntfy.example.org"',
);

const NO_ROOM = fault("chat", "is not the id of a room", 'must begin with "!", as in the room\'s "Advanced" settings');

const TOKEN_THAT_ENDS = fault(
  "token",
  "is of a session, which changes it within hours",
  'must be one that does not end: "mct_…" of a login by the API (docs/channels.md)',
);

const NO_CHAT = fault(
  "chat",
  "is no chat of Telegram",
  'must be its number or @name, and of a topic a slash and its number behind it, such as "-1001234567890/45"',
);

/** Whether this address needs Discord's own form. At `/slack` Discord takes messages in the form of Slack. */
const isDiscordOwn = (url: string): boolean =>
  /^https:\/\/(?:[\w-]+\.)?discord(?:app)?\.com\/(?!.*\/slack\/?$)/i.test(url);

const DISCORD_AS_SLACK = fault(
  "url",
  "is an address of Discord, which refuses messages of Slack",
  'set type = "discord"',
);

export type ChannelType = keyof typeof CHANNELS;

const TYPES = Object.keys(CHANNELS) as readonly ChannelType[];

export const CHANNEL_TYPES = TYPES.join(", ").replace(/, ([^,]+)$/, " or $1");

export const isChannelType = (text: string): text is ChannelType => Object.hasOwn(CHANNELS, text);

const UNKNOWN_TYPE = "is not known";

export const CHANNEL_TYPE = textKind({
  rule: `must be ${CHANNEL_TYPES}`,
  problem: UNKNOWN_TYPE,
  judge: (text) => {
    if (isChannelType(text)) return null;
    const near = nearestKnownName(text, TYPES);
    return near === null ? { what: UNKNOWN_TYPE } : { what: UNKNOWN_TYPE, rule: `did you mean "${near}"?` };
  },
});
