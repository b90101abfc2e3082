// Converts the destinations of another service to rollcall's: the type of each, and which of its fields hold which
// setting. Pure.

import { cleanLine } from "../domain/text.ts";
import { orElse } from "../domain/unless-missing.ts";
import { lostSettings } from "./channels-lost.ts";
import { importedKeyFromName } from "./import-plan.ts";
import type { ImportedDestination } from "./imported-check.ts";
import { isJsonFields, type JsonFields, textField } from "./values.ts";

/**
 * The settings of each type of destination, each with the fields of the other service that may hold its value. `|`
 * separates the fields. The first one that is not empty counts; those of Healthchecks come first. `a.b` is the field
 * `b` within `a`. `value` is the whole text when it is no JSON. With `?` at the beginning the setting may be
 * missing.
 */
const TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  email: { to: "value|smtpTo" },
  slack: { url: "incoming_webhook.url|value|slackwebhookURL|mattermostWebhookUrl|rocketwebhookURL" },
  discord: { url: "webhook.url|value|discordWebhookUrl" },
  teams: { url: "url|value|webhookUrl" },
  googlechat: { url: "url|value|googleChatWebhookURL" },
  ntfy: { url: "url|ntfyserverurl", topic: "topic|ntfytopic", token: "?token|ntfyaccesstoken" },
  telegram: { token: "telegramBotToken", chat: "telegramChat", url: "?telegramServerUrl" },
  gotify: { url: "url|gotifyserverurl", token: "token|gotifyapplicationToken" },
  pushover: { token: "pushoverapptoken", user: "pushoveruserkey" },
  matrix: { url: "homeserverUrl", token: "accessToken", chat: "value|internalRoomId" },
  signal: { url: "signalURL", from: "signalNumber", chat: "value|signalRecipients" },
  zulip: { url: "site", user: "bot_email", token: "api_key", chat: "to" },
  twilio: {
    user: "twilioAccountSID",
    token: "twilioAuthToken",
    from: "twilioFromNumber|twilioMessagingServiceSID",
    chat: "value|twilioToNumber",
  },
  pagerduty: { integration_key: "service_key|value|pagerdutyIntegrationKey", url: "?pagerdutyIntegrationUrl" },
  opsgenie: { token: "key|value|opsgenieApiKey", region: "?region|opsgenieRegion" },
  apprise: { url: "" },
  http: { url: "" },
};

const ALIASES: Readonly<Record<string, string>> = {
  smtp: "email",
  mattermost: "slack",
  rocketchat: "slack",
  "rocket.chat": "slack",
  pd: "pagerduty",
  msteams: "teams",
  msteamsw: "teams",
  po: "pushover",
  sms: "twilio",
  webhook: "http",
};

/** The settings that are no secrets. Only these are written into the command that a person is to type. */
const SHOWN = ["to", "chat", "from", "region"];

/** A destination as the other service stores it. */
interface ForeignDestination {
  readonly name: string;
  readonly kind: string;
  /** The destination's settings as JSON or as a text, with secrets; empty when the service does not tell them. */
  readonly config: string;
  readonly byDefault: boolean;
  /** Why the service no longer sends to this destination; absent or `null` when it still sends there. */
  readonly off?: string | null;
}

const NAME_LENGTH = 40;

/**
 * Converts these destinations. If one cannot be taken over because settings have no value, the reason names these
 * settings, followed by `elsewhere`, which says where their values can be found.
 */
export function destinationsToImport(
  places: readonly ForeignDestination[],
  elsewhere: string,
): readonly ImportedDestination[] {
  // The destination for the team's members already has the name `email`.
  const names = new Set(["email"]);
  return places.map((place) => {
    const kind = place.kind.toLowerCase();
    const type = ALIASES[kind] ?? kind;
    const named = slugOf(place.name) || (type === "email" ? "mail" : slugOf(kind)) || "destination";
    let name = named;
    for (let number = 2; names.has(name); number++) name = `${named.slice(0, NAME_LENGTH - 5)}-${number}`;
    names.add(name);
    const said = cleanLine([place.kind, ...(place.name ? [JSON.stringify(place.name)] : [])].join(" "), 100);
    const taken = takenOf(place, type, name, elsewhere);
    const lost = taken.settings === null && taken.line === null ? [] : lostOfChannel(type, place.config, said);
    return { name, said, byDefault: place.byDefault, ...taken, lost };
  });
}

const slugOf = (name: string): string =>
  importedKeyFromName(name.replaceAll(/[._]+/g, "-")).slice(0, NAME_LENGTH).replace(/-+$/, "");

function takenOf({ config, off }: ForeignDestination, type: string, name: string, elsewhere: string) {
  const left = (why: string, line: string | null = null) => ({ settings: null, why, line });
  if (off) return left(off);
  if (!Object.hasOwn(TYPES, type)) return left("there is no such channel here; type http posts where HTTP is taken");
  const fields = fieldsIn(config);
  const keys = Object.entries(TYPES[type]!);
  const settings = Object.fromEntries(
    keys.map(([key, places]) => [key, valueAt(fields, places)]).filter(([, value]) => value !== ""),
  );
  const needed = keys.flatMap(([key, places]) => (places.startsWith("?") ? [] : [key]));
  const isPlain = (key: string): boolean => SHOWN.includes(key) && /^[\w@%+:,./-]{2,}$/.test(settings[key] ?? "");
  const words = needed.map((key) => `${key}=${isPlain(key) ? settings[key] : "-"}`);
  const missing = needed.filter((key) => settings[key] === undefined);
  const why =
    whyNotTaken(type, fields, settings) ?? (missing.length > 0 ? `${missing.join(", ")}: ${elsewhere}` : null);
  if (why !== null) return left(why, `rollcall destination add ${name} ${type} ${words.join(" ")}`);
  return { settings: { type, ...settings }, why: null, line: null };
}

/**
 * Finds which settings of a destination no destination of rollcall has. For `http` and `apprise`, which are not taken
 * over at all, none are listed.
 */
function lostOfChannel(type: string, config: string, said: string): ReturnType<typeof lostSettings> {
  const read: unknown = orElse(null, () => JSON.parse(config));
  if (!isJsonFields(read) || type === "http" || type === "apprise") return [];
  const kept = Object.values(TYPES[type]!).flatMap((places) =>
    places
      .replace("?", "")
      .split("|")
      .map((place) => place.split(".")[0]!),
  );
  return lostSettings(read, new Set([...kept, ...JOINED]), said);
}

/** Fields that `fieldsIn` has put into another field. */
const JOINED = ["id", "thread_id", "telegramChatID", "telegramMessageThreadID", "smtpCC", "smtpBCC"];

function fieldsIn(config: string): JsonFields {
  const read: unknown = orElse(null, () => JSON.parse(config));
  if (!isJsonFields(read)) return { value: config };
  const either = (...names: string[]): string => names.map((name) => textField(read, name)).find((text) => text) ?? "";
  const topic = either("thread_id", "telegramMessageThreadID");
  const telegramChat = either("id", "telegramChatID") + (topic === "" ? "" : `/${topic}`);
  const smtpTo = ["smtpTo", "smtpCC", "smtpBCC"].flatMap((name) => textField(read, name) || []).join(",");
  // Two fields are corrected. A token that the destination does not use any more is left out. The path of Signal's
  // server is cut off, because rollcall adds it itself.
  const { ntfyAuthenticationMethod: method, ntfyaccesstoken: token } = read;
  const signal = textField(read, "signalURL").replace(/\/v\d+\/send\/*$/, "");
  const given = { ntfyaccesstoken: method === "none" ? "" : token, signalURL: signal };
  return { ...read, ...given, telegramChat, smtpTo };
}

/** The value of the first field named in `places` that is not empty; "" when all are empty. */
function valueAt(fields: JsonFields, places: string): string {
  for (const place of places.replace("?", "").split("|")) {
    const [first = "", second] = place.split(".");
    const inner = fields[first];
    const value = second === undefined ? textField(fields, first) : isJsonFields(inner) ? textField(inner, second) : "";
    if (value !== "") return value.trim();
  }
  return "";
}

function whyNotTaken(type: string, fields: JsonFields, { url = "", chat = "" }: Record<string, string>): string | null {
  if (type === "http") return "its receiver reads that service's messages; say what to post here";
  if (type === "apprise") return "it is called there as a program; here an Apprise server is asked";
  if (fields["ntfyAuthenticationMethod"] === "usernamePassword") return "it has a password; a token is taken here";
  if (url.includes("webhook.office.com")) return "Teams takes no connectors any more; make a workflow";
  if (textField(fields, "twilioApiKey") !== "") return "it signs in by an API key; here it is the account's Auth Token";
  if (fields["discordChannelType"] === "createNewForumPost") return "it makes posts in a forum; here it is a channel";
  if (type === "zulip" && textField(fields, "mtype") === "private") return "it writes to people; here it is a channel";
  return chat.includes(",") ? "it has several numbers; each is a destination here" : null;
}
