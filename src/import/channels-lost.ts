// Finds which settings of another service's destination no destination of rollcall has. People are told of each, so
// that they do not believe that it was imported. Its value is never shown, because it may be secret. Pure.

import type { Lost } from "./imported-check.ts";
import type { JsonFields } from "./values.ts";

/**
 * Fields that are never listed as lost, because alone they change no message. Most identify the destination or the
 * account, or switch another field on.
 */
const MEANS_NOTHING: ReadonlySet<string> = new Set([
  ...["name", "type", "isDefault", "applyExisting", "active", "userId", "label", "account", "mtype"],
  ...["ok", "app_id", "authed_user", "scope", "token_type", "access_token", "refresh_token", "expires_in", "bot"],
  ...["bot_user_id", "team", "team_id", "team_name", "enterprise", "is_enterprise_install", "user_id"],
  ...["ntfyAuthenticationMethod", "telegramUseTemplate", "telegramTemplateParseMode", "slackUseTemplate"],
  ...["googleChatUseTemplate", "signalUseTemplate", "matrixUseTemplate", "discordUseMessageTemplate", "htmlBody"],
]);

/**
 * What people are told of a setting that is lost, by a pattern for its field's name. The first pattern that fits
 * counts.
 */
const KINDS: readonly (readonly [RegExp, Omit<Lost, "detail">])[] = [
  [
    /^(?:up|down)$/,
    {
      what: "only failures, or only recoveries, for",
      instead: "a destination hears of both; `events` of a member chooses",
    },
  ],
  [/priority/i, { what: "the priority of", instead: "the severity of each monitor decides how loud it is" }],
  [/sounds?(?:_up)?$|silent|^ntfyCall$|Notifications$/i, { what: "the sound of", instead: "severities decide it" }],
  [
    /threadId$|postName|discordChannelType/,
    {
      what: "the thread of",
      instead: "messages go to the channel itself; `?thread_id=NUMBER` behind the url is a thread",
    },
  ],
  [
    /^(?:slack|mattermost|rocket)channel$/,
    { what: "another channel for", instead: "the webhook's own channel gets all; make a webhook in that channel" },
  ],
  [/^smtp/i, { what: "the mail server of", instead: "all mail goes out by [smtp]" }],
  [
    /template|custom|title|subject|prefix|richmessage|format$/i,
    { what: "own words for", instead: "messages have rollcall's words" },
  ],
  [/^topic$/, { what: "the topic of", instead: "each job has a topic of its own" }],
  [/username$|icon/i, { what: "a name or picture for", instead: "the service's settings of the webhook have these" }],
  [/device$/i, { what: "certain devices of", instead: "all of the user's devices get it" }],
  [/AutoResolve$/i, { what: "what an end does at", instead: "the service hears of each end" }],
];

/**
 * Returns the settings of a destination that rollcall has not. `kept` has the fields that were taken over, and `said`
 * names the destination for people. A field that is empty or switched off is not listed.
 */
export function lostSettings(fields: JsonFields, kept: ReadonlySet<string>, said: string): readonly Lost[] {
  const lost = Object.entries(fields)
    .filter(([name, value]) => !kept.has(name) && !MEANS_NOTHING.has(name) && saysSomething(name, value))
    .map(([name]): Lost => {
      const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1];
      const unknown = { what: `the setting ${name.slice(0, 40)} of`, instead: "no destination here has it" };
      return { ...(kind ?? unknown), detail: said };
    });
  return [...new Map(lost.map((one) => [one.what, one])).values()];
}

/**
 * Whether a field changes anything. `up` and `down` choose which messages are sent and are usually on, so they matter
 * when they are off. Other fields matter when they have a value.
 */
function saysSomething(name: string, value: unknown): boolean {
  if (name === "up" || name === "down") return value === false;
  return value !== null && value !== undefined && value !== "" && value !== false;
}
