// Takes replies that services post to us (R23), signed with a destination's `signing_secret`. Each service has a row.

import { createHmac } from "node:crypto";
import { type Refusal, refuse } from "../domain/errors.ts";
import { isReply } from "../domain/people/reply.ts";
import { type Instant, MINUTE, SECOND } from "../domain/time.ts";
import { isSameSecret } from "../engine/same-secret.ts";
import type { SendingParts } from "./channel.ts";
import { slackText } from "./chat-layout.ts";
import { BARE_SLACK, slackButtons } from "./chats.ts";
import { jsonFieldsIn, jsonObjectsIn, jsonTextOf, requestDestination, SEND_TIMEOUT } from "./post.ts";
import type { Pressed, TakenReply, TakeReply } from "./replies.ts";

type CallingDestination = Readonly<{
  name: string;
  type: string;
  url?: string | null;
  signingSecret?: string | null;
}>;

type ServiceCall = Readonly<{ headers: Headers; body: Buffer }>;

interface CallingService {
  readonly name: string;
  /** Whether the caller knows the secret. If the service also signs a time, the call must be recent too. */
  readonly isSigned: (secret: string, call: ServiceCall, now: Instant) => boolean;
  readonly read: (call: ServiceCall) => Pressed;
  /**
   * Returns our response to the service. `post` is an address to which the `body` is posted too; absent when the
   * service names none.
   */
  readonly say: (call: ServiceCall, taken: TakenReply) => Readonly<{ body: object; post?: unknown }>;
  /**
   * The only server, besides the destination's own, to which `post` may lead. To any other server nothing is posted.
   */
  readonly posts?: string;
}

const CALLING: Readonly<Record<string, CallingService>> = {
  slack: {
    name: "Slack",
    isSigned: (secret, { headers, body }, now) => {
      const at = headers.get("x-slack-request-timestamp") ?? "";
      const isNow = /^\d{1,12}$/.test(at) && Math.abs(now - Number(at) * SECOND) <= 5 * MINUTE;
      return isNow && isSameSecret(headers.get("x-slack-signature") ?? "", `v0=${hmacOf(secret, `v0:${at}:`, body)}`);
    },
    read: (call) => {
      const { action_id: id, value } = pressedIn(call);
      const [reply, token] = [jsonTextOf(id), jsonTextOf(value)];
      return isReply(reply) ? { reply, token } : null;
    },
    say: (call, { said, seen }) => {
      const { response_url: post, message } = payloadIn(call);
      const text = slackText(said);
      if (seen === null) return { body: { response_type: "ephemeral", replace_original: false, text }, post };
      const kept = jsonObjectsIn(Object(message)["attachments"]).filter(({ blocks }) => blocks === undefined);
      const attachments = [
        ...kept,
        { fallback: text, text },
        ...slackButtons(String(pressedIn(call)["value"]), seen.allowed),
      ];
      return { body: { ...BARE_SLACK, replace_original: true, text: Object(message)["text"], attachments }, post };
    },
    posts: "https://hooks.slack.com",
  },
  /**
   * PagerDuty also calls when we ourselves have acknowledged or closed its incident. Such a call is refused, because
   * the act is done already. A call after an act of PagerDuty's timers counts as no reply, because no person acted.
   */
  pagerduty: {
    name: "PagerDuty",
    isSigned: (secret, { headers, body }) => {
      const right = `v1=${hmacOf(secret, "", body)}`;
      return (headers.get("x-pagerduty-signature") ?? "").split(",").some((given) => isSameSecret(given.trim(), right));
    },
    read: ({ body }) => {
      const { event_type: type, agent, data } = Object(jsonFieldsIn(String(body))["event"]);
      const reply = type === "incident.acknowledged" ? "ack" : type === "incident.resolved" ? "resolve" : null;
      const { incident_key: sentAs } = Object(data);
      const isPersons = Object(agent)["type"] === "user_reference";
      return reply === null || !isPersons || typeof sentAs !== "string" ? null : { reply, sentAs };
    },
    say: (_, { said }) => ({ body: { said } }),
  },
};

const payloadIn = ({ body }: ServiceCall) => jsonFieldsIn(new URLSearchParams(String(body)).get("payload") ?? "");

const pressedIn = (call: ServiceCall): Record<string, unknown> => jsonObjectsIn(payloadIn(call)["actions"])[0] ?? {};

const hmacOf = (secret: string, before: string, body: Buffer): string =>
  createHmac("sha256", secret).update(before).update(body).digest("hex");

const UNKNOWN = refuse("NOT_FOUND", "no service of this name posts answers here");
const UNSIGNED = refuse(
  "ACCESS_DENIED",
  "it is signed with no signing_secret of a destination that takes answers, or came too late",
);

type CalledParts = Pick<SendingParts, "clock" | "log"> & {
  readonly takeReply: TakeReply;
  readonly destinations: () => readonly CallingDestination[];
};

/** Makes a function that takes a call of the service `type` and returns our response. It never throws. */
export const createWebhookReplies =
  ({ clock, log, takeReply, destinations }: CalledParts) =>
  (type: string, call: ServiceCall): object | Refusal => {
    const row = Object.hasOwn(CALLING, type) ? CALLING[type] : undefined;
    if (row === undefined) return UNKNOWN;
    const now = clock.now();
    const from = destinations().filter(
      ({ type: own, signingSecret: secret }) => own === type && secret != null && row.isSigned(secret, call, now),
    );
    if (from.length === 0) return UNSIGNED;
    const { body, post } = row.say(call, takeReply(row.name, from, row.read(call)));
    const url = URL.parse(jsonTextOf(post));
    const origins = [row.posts, ...from.map((one) => URL.parse(one.url ?? "")?.origin)];
    if (url !== null && origins.includes(url.origin)) void show(url, body);
    return body;

    async function show(to: URL, said: object): Promise<void> {
      const headers = { "content-type": "application/json" };
      const outgoing = { method: "POST", url: to, headers, body: JSON.stringify(said) };
      const { verdict, answer } = await requestDestination(outgoing, { sentAt: now, timeoutMs: SEND_TIMEOUT });
      if (verdict !== "delivered") log("warn", "answer_not_shown", { destination: from[0]!.name, answer });
    }
  };
