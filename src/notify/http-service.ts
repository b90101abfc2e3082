// A service that takes messages over HTTP, as one row: where it is, what is sent, what fits, what its answers mean.

import { isAlert, type Message } from "../domain/message/message.ts";
import type { Severity } from "../domain/message/presentation.ts";
import type { Instant } from "../domain/time.ts";
import type { TemplateSource } from "../domain/wording/template.ts";
import { BARE, type Wording } from "../domain/wording/types.ts";
import { wordingOf } from "../domain/wording/wording.ts";
import type { ClaimedDelivery } from "../engine/api.ts";
import type { Channel, SendContext, ShownChannel, Verdict } from "./channel.ts";
import { chatMessageText } from "./chat-layout.ts";
import { cut, fullestThatFits } from "./chat-shorten.ts";
import { ANSWER_TIMES, destinationUrl, factsIn, type HttpAnswer, request, SEND_TIMEOUT } from "./post.ts";
import { verdictOnStatus } from "./retry.ts";

interface Service<Settings, Body> {
  readonly name: string;
  readonly limits: Omit<Channel, "send">;
  /** Its address; absent: the `url` of the settings. */
  readonly at?: (settings: Settings) => string;
  readonly write: (settings: Settings, said: Composing) => Posted<Body>;
  /** It gets the data of a message, and its text is never made. */
  readonly isData?: true;
  /** Whether the service takes this; absent: if the text is not longer than `most`. */
  readonly fits?: (body: Body) => boolean;
  /** The most UTF-16 code units of a text; absent: any number. */
  readonly most?: number;
  /** The most of a title, which then does not stand in the text too; absent: the service knows no titles. */
  readonly title?: number;
  /** Whether a good status comes from the service itself. */
  readonly took: (facts: Facts, answer: HttpAnswer, settings: Settings) => boolean;
  /** What the service calls a message that it took. */
  readonly sentAs?: (facts: Facts) => unknown;
  /** Puts what is said in place of the message of that name; absent: the service cannot. */
  readonly edit?: (settings: Settings, said: Composing, sentAs: string) => Posted<object>;
  /** Ends what stands open there until we end it; absent: nothing does. */
  readonly takeBack?: (settings: Settings, said: Composing) => Posted<object>;
  /** Answers, as status and JSON, after which nothing gets through until a person changes what these words say. */
  readonly blocked?: readonly (readonly [answer: RegExp, why: string])[];
  /** Statuses of what passes by itself, though elsewhere they mean more. */
  readonly passing?: readonly number[];
}

type Compose<Settings> = (settings: Settings, said: Composing) => Posted<object>;

type Facts = ReturnType<typeof factsIn>;

/** What a row may say, and to whom: words shortened until they fit, and of a plain form subject and story alone. */
interface Composing extends TemplateSource, Pick<ClaimedDelivery, "thread" | "answering" | "repliesTo"> {
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
  /** A text and a form go out as they are, anything else as JSON. */
  readonly body: Body;
}

/** How a channel is made of a row's settings. Throws, without repeating it, when the address is none. */
export const service =
  <Settings extends object, Body extends string | object>(row: Service<Settings, Body>) =>
  (settings: Settings & { readonly url: string | null }, timeoutMs = SEND_TIMEOUT): ShownChannel => {
    const to = destinationUrl(row.at?.(settings) ?? settings.url ?? "");

    function compose(delivery: ClaimedDelivery, { sentAt, plain }: SendContext, asEdit?: Compose<Settings>) {
      const { message, thread, reference, answering, repliesTo } = delivery;
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
        ...(answering && { answering }),
        ...(repliesTo && { repliesTo }),
      };
      function render(words: Wording) {
        const text = row.isData ? "" : chatMessageText(words, title === 0);
        const shown = { ...said, words, title: title === 0 ? "" : cut(words.subject, title), text: cut(text, most) };
        if (asEdit !== undefined) return { ...asEdit(settings, shown), isTaken: text.length <= most };
        const written = row.write(settings, shown);
        return { ...written, isTaken: fits?.(written.body) ?? text.length <= most };
      }
      const written = fullestThatFits(plain ? { ...whole, ...BARE } : whole, render, ({ isTaken }) => isTaken);
      const { path = "", method = "POST", headers, body } = written;
      const url = new URL(path === "" ? (written.url ?? to) : `${to.origin}${to.pathname.replace(/\/$/, "")}${path}`);
      return { method, url, ...encoded(body, headers) };
    }

    function judge(answer: HttpAnswer): Verdict | null {
      const { status, body } = answer;
      const facts = factsIn(body);
      const text = `${status} ${JSON.stringify(facts)}`;
      const [, why] = row.blocked?.find(([pattern]) => pattern.test(text)) ?? [];
      const said = verdictOnStatus(status, null, 0).answer;
      if (why !== undefined) return { verdict: "blocked", answer: `${said}, ${why}` };
      if (row.passing?.includes(status)) return { verdict: "retry", answer: said };
      const isGood = status >= 200 && status < 300;
      const name = isGood ? row.sentAs?.(facts) : undefined;
      if (isSentAs(name) && row.took(facts, answer, settings))
        return { verdict: "delivered", answer: said, sentAs: String(name) };
      if (!isGood || row.took(facts, answer, settings)) return null;
      // Something between answered, such as a proxy or a network's login page, and that passes.
      return { verdict: "retry", answer: `HTTP ${status}, but not from ${row.name}` };
    }

    const { edit, takeBack } = row;
    return {
      ...row.limits,
      ...(edit && {
        edit: ({ sentAs, sentAt, ...delivery }) => {
          const edited = compose(delivery, { sentAt, plain: false }, (own, said) => edit(own, said, sentAs));
          return request(edited, { sentAt, timeoutMs, judge });
        },
      }),
      ...(takeBack && {
        takeBack: ({ sentAt, ...delivery }) =>
          request(compose(delivery, { sentAt, plain: true }, takeBack), { sentAt, timeoutMs, judge }),
      }),
      preview: (delivery, context) => {
        const { method, url, headers, body } = compose(delivery, context);
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
        return [`${method} ${url.href}`, ...lines, "", body].join("\n");
      },
      send: async (delivery, context) => {
        const composed = compose(delivery, context);
        // Without a body the runtime does not say when the request is written.
        const limit = composed.method === "GET" ? ANSWER_TIMES * timeoutMs : timeoutMs;
        return request(composed, { ...context, timeoutMs: limit, judge });
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

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`,
});

const URGENCIES: Record<Severity, number> = { critical: 5, error: 4, warning: 3, info: 2 };

/** 5 for the worst, down to 2. */
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
