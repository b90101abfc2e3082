// Defines the channels to services that take text without markup, one row each. Some are apps for phones, whose texts
// are short enough for a lock screen; others pass messages on to other services.

import { isAlert } from "../domain/message/message.ts";
import { REPLIES, type Reply, TYPED_REPLIES } from "../domain/people/reply.ts";
import { SECOND } from "../domain/time.ts";
import { shownName } from "../domain/wording/job-names.ts";
import type { Link, Wording } from "../domain/wording/types.ts";
import type { ReplyOptions } from "../engine/api.ts";
import { chatMessageText } from "./chat-layout.ts";
import { cutPlainChatText } from "./chat-shorten.ts";
import { basicHeader, bearerHeader, httpServiceChannel, WRONG_TOKEN } from "./http-service.ts";
import { repliedTo } from "./polled-replies.ts";
import { isReceiverResponse } from "./post.ts";

/** Returns the links that are short enough. A longer link is left out: cut, it would lead to another place. */
const whole = (links: readonly Link[], length: number): Link[] => links.filter(({ url }) => url.length <= length);

/** Returns the tag of a message, which ntfy shows as an emoji before the title. */
const tagOf = ({ tone }: Wording, urgency: number): string =>
  ({ good: "white_check_mark", neutral: "information_source", bad: urgency < 4 ? "warning" : "rotating_light" })[tone];

/**
 * Returns the links in ntfy's form: a tap on the message opens the first one. ntfy shows three buttons at most: for
 * replies, which ntfy's app posts without opening a page, and for links.
 */
function ntfyLinks(links: readonly Link[], answerUrl: string | undefined) {
  const shown = links.filter(({ url }) => url !== answerUrl);
  const views = shown.map(({ label, url }) => ({ action: "view", label, url }));
  const at = links.find(({ url }) => url === answerUrl)?.url;
  const posts = at === undefined ? [] : (["ack", "hour", "resolve"] as const).map((reply) => ntfyReply(at, reply));
  const actions = posts.length === 0 ? views : views.length < 2 ? posts : [...posts.slice(0, 2), views[1]];
  return { ...(shown[0] && { click: shown[0].url }), ...(actions.length > 0 && { actions: actions.slice(0, 3) }) };
}

const ntfyReply = (answerUrl: string, reply: Reply) => ({
  action: "http",
  label: REPLIES[reply],
  url: `${answerUrl}/${reply}`,
  method: "POST",
  clear: true,
});

function placeIn(sentAs: string) {
  const [chat_id = "", message_id = ""] = sentAs.split("/");
  return { chat_id, message_id: Number(message_id) };
}

/**
 * Adds to the text a line for each reply that was given. The text is cut so that both together have at most `most`
 * UTF-16 units.
 */
const withDone = (text: string, replyOptions: ReplyOptions | undefined, most: number): string => {
  const done = (replyOptions?.done ?? []).map((line) => `\n\n${line}`).join("");
  return cutPlainChatText(text, most - done.length) + done;
};

const keyboardOf = ({ token, allowed }: Omit<ReplyOptions, "done"> = { token: "", allowed: [] }) => ({
  inline_keyboard: allowed.map((reply) => [{ text: REPLIES[reply], callback_data: `${reply[0]}:${token}` }]),
});

const roomText = (text: string) => ({
  msgtype: "m.text",
  body: text.replaceAll("@room", "@\u200broom"),
  "m.mentions": {},
});

const inRoom = (token: string, chat: string, transaction: string) => ({
  method: "PUT",
  path: `/_matrix/client/v3/rooms/${encodeURIComponent(chat)}/send/m.room.message/${transaction}`,
  headers: bearerHeader(token),
});

/**
 * Splits a destination's `chat` into Telegram's chat and topic: `-100123/45` is topic 45 of the chat -100123. Topic 1
 * is "General": Telegram sends a message there if it names no topic, and does not know the number 1.
 */
function topicOf(chat: string) {
  const [chat_id = "", topic = "1"] = chat.split("/");
  return topic === "1" ? { chat_id } : { chat_id, message_thread_id: Number(topic) };
}

type Chat = Readonly<{ token: string; chat: string }>;

export const PHONES = {
  ntfy: httpServiceChannel({
    name: "ntfy",
    limits: { digests: 20 },
    // How many UTF-16 units a title may have. ntfy takes 1,024 bytes, and a unit needs three bytes at most.
    title: 300,
    write: ({ topic, token }: { readonly topic: string; readonly token: string | null }, said) => {
      const { words, title, urgency: priority, plain, message: told } = said;
      const headers = token === null ? {} : bearerHeader(token);
      if (plain)
        return { headers, body: { topic, message: cutPlainChatText(chatMessageText(words, true), 600), priority } };
      const message = chatMessageText({ ...words, links: [], facts: [] }, false);
      const answerUrl = isAlert(told) ? told.data.answerUrl : undefined;
      const links = ntfyLinks(whole(words.links, 500), answerUrl);
      return { headers, body: { topic, priority, title, message, tags: [tagOf(words, priority)], ...links } };
    },
    // ntfy makes a file of a message over 4,096 bytes, which no reader opens, and reads at most 8,192 bytes of JSON.
    fits: (body) => Buffer.byteLength(body.message) <= 4_000 && Buffer.byteLength(JSON.stringify(body)) <= 8_000,
    took: ({ id }) => typeof id === "string",
    // ntfy's codes for a topic that is not valid, or that this server keeps for itself.
    blocked: [[/^400 .*"code":400(?:09|10)\b/, "the topic is not taken"]],
  }),
  telegram: httpServiceChannel({
    name: "Telegram",
    limits: { digests: 30, restMs: SECOND },
    most: 4_096,
    write: ({ token, chat }: Chat, { text, urgency, replyOptions, repliesTo }) => ({
      path: `/bot${token}/sendMessage`,
      body: {
        ...topicOf(chat),
        text,
        link_preview_options: { is_disabled: true },
        disable_notification: urgency === 2,
        ...(replyOptions && { reply_markup: keyboardOf(replyOptions) }),
        ...(repliesTo?.startsWith(`${topicOf(chat).chat_id}/`) && {
          reply_parameters: { ...placeIn(repliesTo), chat_id: undefined, allow_sending_without_reply: true },
        }),
      },
    }),
    // The id includes the chat: by the time of an edit, the destination may have another chat.
    sentAs: ({ result }) => {
      const { chat, message_id } = Object(result);
      return chat?.id && message_id && `${chat.id}/${message_id}`;
    },
    edit: ({ token }, { text, replyOptions }, sentAs) => ({
      path: `/bot${token}/editMessageText`,
      body: {
        ...placeIn(sentAs),
        link_preview_options: { is_disabled: true },
        text: withDone(text, replyOptions, 4_096),
        reply_markup: keyboardOf(replyOptions),
      },
    }),
    took: ({ ok }) => ok === true,
    blocked: [
      [/^40[14] /, "the token is not taken"],
      [/^400 .*(?:chat not found|peer_id_invalid)/i, "the chat is not found, or did not write to the bot first"],
      [/^400 .*thread not found/i, "the topic behind the chat's number is not there"],
      [/^400 .*topic_closed/i, "the topic is closed, and the bot may not write there"],
      [/^400 .*upgraded to a supergroup/i, "the chat has another number since it became a supergroup"],
      [/^400 .*(?:rights|forbidden|closed)|^403 .*forbidden/i, "the bot may not write there"],
    ],
  }),
  gotify: httpServiceChannel({
    name: "Gotify",
    limits: { digests: 30 },
    title: 250,
    most: 10_000,
    write: ({ token }: { readonly token: string }, { title, text: message, words, urgency }) => {
      const [first] = words.links;
      const extras = first === undefined ? {} : { extras: { "client::notification": { click: { url: first.url } } } };
      // Gotify's apps make no sound below priority 4, and the loudest from 8.
      const body = { title, message, priority: 2 * (urgency - 1), ...extras };
      return { path: "/message", headers: { "x-gotify-key": token }, body };
    },
    took: ({ id, appid }) => typeof id === "number" && appid !== undefined,
    blocked: [WRONG_TOKEN, [/^403 .*"errorCode"/, "the token is none of an application"]],
  }),
  pushover: httpServiceChannel({
    name: "Pushover",
    limits: { digests: 30 },
    title: 250,
    most: 1_024,
    write: ({ token, user }: { readonly token: string; readonly user: string }, { title, text, ...said }) => {
      const [first] = whole(said.words.links, 512);
      const link = first === undefined ? {} : { url: first.url, url_title: cutPlainChatText(first.label, 100) };
      const priority = said.urgency === 5 ? 1 : said.urgency === 2 ? -1 : 0;
      const timestamp = Math.floor(said.message.at / SECOND);
      return { path: "/1/messages.json", body: { token, user, title, message: text, priority, timestamp, ...link } };
    },
    took: ({ status }) => status === 1,
    blocked: [
      [/^4\d\d .*"token":"invalid"/, "the token is not taken"],
      [/^4\d\d .*"user":"invalid"/, "the user key is not taken, or the user has no device"],
    ],
  }),
  /** All attempts of a delivery have one transaction id, so Matrix shows a message once. The text mentions no one. */
  matrix: httpServiceChannel({
    name: "a Matrix server",
    limits: { digests: 30, restMs: SECOND },
    most: 16_000,
    write: ({ token, chat }: Chat, { text, reference, replyOptions, repliesTo }) => {
      const words = replyOptions?.allowed.map((reply) => `“${TYPED_REPLIES[reply]}”`).join(", ") ?? "";
      const shown = words === "" ? text : `${text}\n\nReply with ${words}.`;
      const relation = repliesTo === undefined ? {} : { "m.relates_to": repliedTo(repliesTo) };
      return { ...inRoom(token, chat, reference), body: { ...roomText(shown), ...relation } };
    },
    sentAs: (facts) => facts["event_id"],
    edit: ({ token, chat }, { text, reference, replyOptions }, sentAs) => {
      const now = roomText(withDone(text, replyOptions, 16_000));
      const relation = { rel_type: "m.replace", event_id: sentAs };
      const edited = { ...now, body: `* ${now.body}`, "m.new_content": now, "m.relates_to": relation };
      return { ...inRoom(token, chat, `${reference}-${Bun.hash(now.body)}`), body: edited };
    },
    took: (facts) => typeof facts["event_id"] === "string",
    blocked: [
      [/^401 .*Token is not active/, "the token has ended, as one of Element's session does within hours"],
      [/^40\d .*M_(?:UNKNOWN|MISSING)_TOKEN/, "the token is not taken"],
      [/^40\d .*M_(?:FORBIDDEN|NOT_FOUND|INVALID_PARAM)/, "the account may not write in the room: let it join"],
    ],
  }),
  /** The REST interface of signal-cli. It answers 400 to every failure, even to those that pass by themselves. */
  signal: httpServiceChannel({
    name: "Signal's interface",
    limits: { digests: 20, restMs: SECOND },
    most: 2_000,
    write: ({ from, chat }: { readonly from: string; readonly chat: string }, { text }) => ({
      path: "/v2/send",
      body: { message: text, number: from, recipients: [chat] },
    }),
    took: ({ timestamp }) => timestamp !== undefined,
    blocked: [
      [/^4\d\d .*(?:captcha|challenge|proof required)/i, "Signal wants a person to solve a captcha"],
      [/^4\d\d .*untrusted/i, "Signal does not trust the receiver's new key"],
      [/^4\d\d .*(?:registered|not exist|invalid|not found)/i, "Signal does not know the sender or the receiver"],
    ],
    passing: [400],
  }),
  /**
   * Each job is a topic of its own, except in the plain form. The text is in a code block, in which nothing is markup
   * or a mention.
   */
  zulip: httpServiceChannel({
    name: "Zulip",
    limits: { digests: 30 },
    // Zulip takes 10,000 characters. The characters that separate backticks make a text at most a third longer.
    most: 7_400,
    write: ({ token, user, chat }: Chat & { readonly user: string }, { text, message, plain }) => {
      // Zulip refuses a topic with a character that it does not know, such as a new emoji.
      const topic = isAlert(message) && !plain ? shownName(message.data) : "rollcall";
      const content = `\`\`\`text\n${text.replaceAll("```", "``\u200b`")}\n\`\`\``;
      const body = new URLSearchParams({ type: "stream", to: chat, topic, content });
      return { path: "/api/v1/messages", headers: basicHeader(user, token), body };
    },
    took: ({ result }) => result === "success",
    blocked: [
      WRONG_TOKEN,
      [/^400 .*(?:STREAM_DOES_NOT_EXIST|does not exist)/, "the channel is not found"],
      [/^40[03] .*(?:not authorized|permission|may only)/i, "the bot may not write there"],
    ],
  }),
  /** Apprise's HTTP interface, which passes a message on to the services that are configured in Apprise. */
  apprise: httpServiceChannel({
    name: "Apprise",
    limits: { digests: 30 },
    title: 250,
    most: 10_000,
    write: ({ chat }: { readonly chat: string | null }, { title, text, words: { tone }, urgency }) => {
      const type = { good: "success", neutral: "info", bad: urgency < 4 ? "warning" : "failure" }[tone];
      const tag = chat === null ? {} : { tag: chat };
      return { headers: { accept: "application/json" }, body: { title, body: text, type, format: "text", ...tag } };
    },
    took: (_, response) => isReceiverResponse(response),
    blocked: [[/^204 /, "nothing is configured behind its address"]],
    // 424 says that one of Apprise's services failed, or that no service has the tag. Apprise's log in it names each
    // service that took the message. People would see the message there again with each attempt.
    tookInPart: /^424 .*"Sent [^"]*notification/,
    passing: [424],
  }),
  /** Twilio sends SMS, and each 150 letters of one cost money. So one SMS reports all alerts that wait. */
  twilio: httpServiceChannel({
    name: "Twilio",
    limits: { digests: 100, restMs: SECOND },
    most: 480,
    write: ({ token, user, from, chat }: Chat & { readonly user: string; readonly from: string }, { text }) => {
      const sender = from.startsWith("MG") ? { MessagingServiceSid: from } : { From: from };
      const body = new URLSearchParams({ To: chat, ...sender, Body: text });
      const path = `/2010-04-01/Accounts/${encodeURIComponent(user)}/Messages.json`;
      return { path, headers: basicHeader(user, token), body };
    },
    took: ({ sid }) => typeof sid === "string",
    // Such a 400 mostly refuses a phone number or the account, which a person must repair. Codes 21602 (no text) and
    // 21617 (text too long) are about the message instead.
    blocked: [WRONG_TOKEN, [/^400 .*"code":(?!21602|21617)2\d{4}\b/, "a number or the account is not taken"]],
  }),
};
