// Makes a channel for a service that takes messages over HTTP, such as Slack or ntfy. Each service is one row: its
// address, what is sent there, what fits, and what its responses mean.

import { isAlert, type Message } from "../domain/message/message.ts";
import type { Severity } from "../domain/message/presentation.ts";
import type { Instant } from "../domain/time.ts";
import type { TemplateSource } from "../domain/wording/template.ts";
import { BARE, type Wording } from "../domain/wording/types.ts";
import { wordingOf } from "../domain/wording/wording.ts";
import type { ClaimedDelivery } from "../engine/api.ts";
import type { Channel, SendContext, ShownChannel, Verdict } from "./channel.ts";
import { chatMessageText } from "./chat-layout.ts";
import { cutPlainChatText, fullestThatFits } from "./chat-shorten.ts";
import {
  destinationUrl,
  type HttpResponse,
  jsonFieldsIn,
  RESPONSE_TIMES,
  requestDestination,
  SEND_TIMEOUT,
} from "./post.ts";
import { verdictOnStatus } from "./retry.ts";

interface Service<Settings, Body> {
  readonly name: string;
  readonly limits: Omit<Channel, "send">;
  /** Returns the address of the service; absent when that is the `url` of the settings. */
  readonly at?: (settings: Settings) => string;
  readonly write: (settings: Settings, said: Composing) => Posted<Body>;
  /** True for a service that gets the message as data; no text for people is made then. */
  readonly isData?: true;
  /** Whether the service takes a body of this size; absent when it limits only the length of the text (`most`). */
  readonly fits?: (body: Body) => boolean;
  /** How many UTF-16 code units the text may have; absent when the service has no such limit. */
  readonly most?: number;
  /** How many UTF-16 units a title may have; absent without titles. With a title, the text leaves out the subject. */
  readonly title?: number;
  /**
   * Whether a 2xx response comes from the service itself. A proxy or the login page of a network may have sent it
   * instead.
   */
  readonly took: (facts: Facts, response: HttpResponse, settings: Settings) => boolean;
  /** Reads from the response the id that the service gave to the message. Later requests name the message by it. */
  readonly sentAs?: (facts: Facts) => unknown;
  /** Writes the request that gives the message `sentAs` new words; absent when the service cannot edit. */
  readonly edit?: (settings: Settings, said: Composing, sentAs: string) => Posted<object>;
  /** Writes the request that closes the incident at the service; absent when the service keeps no incidents. */
  readonly takeBack?: (settings: Settings, said: Composing) => Posted<object>;
  /**
   * The responses after which nothing gets through until a person repairs what `why` names. The pattern is matched
   * against the status and the JSON, for example `401 {"error":"Unauthorized"}`.
   */
  readonly blocked?: readonly (readonly [response: RegExp, why: string])[];
  /** Matches the responses, as `blocked` does, that say that a part of the receivers behind the service took it. */
  readonly tookInPart?: RegExp;
  /** Statuses that at this service mean a failure that passes by itself, although at other services they do not. */
  readonly passing?: readonly number[];
}

type Compose<Settings> = (settings: Settings, said: Composing) => Posted<object>;

type Facts = ReturnType<typeof jsonFieldsIn>;

/**
 * What the row of a channel may use to write its request: the words and the data of a message. The words are already
 * cut to fit. When `plain` is true, they are only the subject and the story, which tells what happened.
 */
interface Composing extends TemplateSource, Pick<ClaimedDelivery, "thread" | "replyOptions" | "repliesTo"> {
  readonly to: URL;
  readonly heldUntil: Instant | undefined;
  readonly sentAt: Instant;
  readonly plain: boolean;
}

interface Posted<Body> {
  readonly path?: string;
  readonly url?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of the request. A text or a form is sent as it is; any other value is sent as JSON. */
  readonly body: Body;
}

/**
 * Makes the channel of a destination from the row of its service. Throws when the destination's address is not valid;
 * the error does not repeat the address.
 */
export const httpServiceChannel =
  <Settings extends object, Body extends string | object>(row: Service<Settings, Body>) =>
  (settings: Settings & { readonly url: string | null }, timeoutMs = SEND_TIMEOUT): ShownChannel => {
    const to = destinationUrl(row.at?.(settings) ?? settings.url ?? "");

    function compose(delivery: ClaimedDelivery, { sentAt, plain }: SendContext, asEdit?: Compose<Settings>) {
      const { message, thread, reference, replyOptions, repliesTo } = delivery;
      const { title = 0, most = Number.POSITIVE_INFINITY, fits } = row;
      const whole = wordingOf(message, sentAt, delivery.heldUntil);
      const said = {
        message,
        thread,
        heldUntil: delivery.heldUntil,
        reference,
        to,
        sentAt,
        plain,
        urgency: urgencyOf(message, whole),
        ...(replyOptions && { replyOptions }),
        ...(repliesTo && { repliesTo }),
      };
      function render(words: Wording) {
        const text = row.isData ? "" : chatMessageText(words, title === 0);
        const shown = {
          ...said,
          words,
          title: title === 0 ? "" : cutPlainChatText(words.subject, title),
          text: cutPlainChatText(text, most),
        };
        if (asEdit !== undefined) return { ...asEdit(settings, shown), isTaken: text.length <= most };
        const written = row.write(settings, shown);
        return { ...written, isTaken: fits?.(written.body) ?? text.length <= most };
      }
      const written = fullestThatFits(plain ? { ...whole, ...BARE } : whole, render, ({ isTaken }) => isTaken);
      const { path = "", method = "POST", headers, body } = written;
      const url = new URL(path === "" ? (written.url ?? to) : `${to.origin}${to.pathname.replace(/\/$/, "")}${path}`);
      return { method, url, ...encoded(body, headers) };
    }

    function judge(response: HttpResponse): Verdict | null {
      const { status, body } = response;
      const facts = jsonFieldsIn(body);
      const text = `${status} ${JSON.stringify(facts)}`;
      const [, why] = row.blocked?.find(([pattern]) => pattern.test(text)) ?? [];
      const said = verdictOnStatus(status, null, 0).answer;
      if (why !== undefined) return { verdict: "blocked", answer: `${said}, ${why}` };
      if (row.tookInPart?.test(text))
        return { verdict: "retry", answer: `${said}, but some of its services took it`, perhapsTaken: true };
      if (row.passing?.includes(status)) return { verdict: "retry", answer: said };
      const isGood = status >= 200 && status < 300;
      const name = isGood ? row.sentAs?.(facts) : undefined;
      if (isSentAs(name) && row.took(facts, response, settings))
        return { verdict: "delivered", answer: said, sentAs: String(name) };
      if (!isGood || row.took(facts, response, settings)) return null;
      // A proxy or the login page of a network sent this good status. Such a failure passes by itself.
      return { verdict: "retry", answer: `HTTP ${status}, but not from ${row.name}` };
    }

    const { edit, takeBack } = row;
    return {
      ...row.limits,
      ...(edit && {
        edit: ({ sentAs, sentAt, ...delivery }) => {
          const edited = compose(delivery, { sentAt, plain: false }, (own, said) => edit(own, said, sentAs));
          return requestDestination(edited, { sentAt, timeoutMs, judge });
        },
      }),
      ...(takeBack && {
        takeBack: ({ sentAt, ...delivery }) =>
          requestDestination(compose(delivery, { sentAt, plain: true }, takeBack), { sentAt, timeoutMs, judge }),
      }),
      preview: (delivery, context) => {
        const { method, url, headers, body } = compose(delivery, context);
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
        return [`${method} ${url.href}`, ...lines, "", body].join("\n");
      },
      send: async (delivery, context) => {
        const composed = compose(delivery, context);
        // The runtime does not say when a request without a body is written, so a GET has the longer limit at once.
        const limit = composed.method === "GET" ? RESPONSE_TIMES * timeoutMs : timeoutMs;
        return requestDestination(composed, { ...context, timeoutMs: limit, judge });
      },
    };
  };

const isSentAs = (name: unknown): boolean =>
  typeof name === "number" || (typeof name === "string" && /^[\x21-\x7e]{1,255}$/.test(name));

function encoded(body: string | object, headers: Readonly<Record<string, string>> = {}) {
  if (typeof body === "string") return { headers, body };
  const isForm = body instanceof URLSearchParams;
  const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
  return { headers: { "content-type": type, ...headers }, body: isForm ? String(body) : JSON.stringify(body) };
}

export const WRONG_TOKEN = [/^401 /, "the token is not taken"] as const;

export const bearerHeader = (token: string) => ({ authorization: `Bearer ${token}` });

export const basicHeader = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});

const URGENCIES: Record<Severity, number> = { critical: 5, error: 4, warning: 3, info: 2 };

/** Returns how urgent a message is, from 2 for good news to 5 for a critical alert. */
export function urgencyOf(message: Message, { tone }: Wording): number {
  if (tone === "neutral" && !isAlert(message)) return 3;
  return tone === "bad" ? Math.max(...severitiesIn(message).map((severity) => URGENCIES[severity])) : 2;
}

function severitiesIn(message: Message): Severity[] {
  if (message.type === "monitor.digest") {
    const { alerts, others } = message.data;
    return [...alerts.map(({ data }) => data.severity), ...(others?.severities ?? [])];
  }
  return isAlert(message) ? [message.data.severity] : [];
}
