// Defines the channels to programs, one row each: `webhook` sends by Standard Webhooks 1.0 (R37), `http` sends what the
// operator wrote as a template, `command` runs a program.

import { createHmac } from "node:crypto";
import { isAlert, type Message } from "../domain/message/message.ts";
import { plainForm } from "../domain/message/plain-form.ts";
import { hideSecrets } from "../domain/output/secrets.ts";
import { DAY, type Instant, SECOND, toIso } from "../domain/time.ts";
import { codeOf } from "../domain/unless-missing.ts";
import { fillTemplate, type TemplateForm } from "../domain/wording/template.ts";
import type { Wording } from "../domain/wording/types.ts";
import { leadSentences, wordingOf } from "../domain/wording/wording.ts";
import type { ClaimedDelivery } from "../engine/api.ts";
import type { RunProgram, SendContext, ShownChannel, Verdict } from "./channel.ts";
import { httpServiceChannel } from "./http-service.ts";

interface Own {
  readonly url: string;
  readonly method: "POST" | "PUT" | "PATCH" | "GET";
  /** Headers, each as `Name: value` on a line of its own; `null` when there are none. */
  readonly headers: string | null;
  readonly format: TemplateForm;
  readonly body: string;
  /** A text that the receiver's response must contain to count as success; `null` when any 2xx status is enough. */
  readonly answer: string | null;
}

const TYPES: Record<TemplateForm, string> = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  text: "text/plain; charset=utf-8",
};

const headersIn = (lines: string): Record<string, string> =>
  Object.fromEntries(
    [...lines.matchAll(/^([^:\s]+): *(.*?)\s*$/gm)].map(([, name, value]) => [name!.toLowerCase(), value!]),
  );

export const webhookBody = ({ message, heldUntil }: Timed, { sentAt, plain }: SendContext): string =>
  plain ? plainBody(message) : bodyWith(message, wordingOf(message, sentAt, heldUntil));

/**
 * Returns the full JSON of a message. `timestamp` is when what the message says became true; the header
 * `webhook-timestamp` is when the message was sent.
 */
function bodyWith({ type, at, data }: Message, words: Wording): string {
  const shown = { title: words.subject, lead: leadSentences(words) };
  return JSON.stringify({ type, timestamp: toIso(at), ...shown, data });
}

/**
 * Returns the JSON that is sent after the receiver refused the full one. It lacks `title` and `lead`, which hold text
 * that jobs wrote.
 */
function plainBody(message: Message): string {
  const { type, at, data } = withoutContent(plainForm(message));
  return JSON.stringify({ type, timestamp: toIso(at), data });
}

type Timed = Pick<ClaimedDelivery, "message"> & { readonly heldUntil?: Instant | undefined };

/** Removes from an alert what jobs wrote or measured, because that most likely made the receiver refuse it. */
const withoutContent = (message: Message): Message =>
  isAlert(message)
    ? { ...message, data: { ...message.data, failureMessage: null, outcomes: null, links: {} } }
    : message;

/** Deliveries are tried for three days: a receiver may be down for a weekend, and the program still needs them. */
const PROGRAM_LIMITS = { patienceMs: 3 * DAY, takesOutput: true } as const;

/**
 * The exit status of `sysexits.h` that says: the program refuses the data. It counts as a refusal of this message, like
 * HTTP 400. The statuses in `NEEDS_REPAIR`, of `sysexits.h` and of a shell, say that a person must repair something.
 */
const REFUSED_DATA = 65;
const NEEDS_REPAIR: ReadonlySet<number> = new Set([64, 66, 67, 68, 70, 72, 73, 76, 77, 78, 126, 127]);

/** Errors with which a program does not start now but may start the next time. */
const STARTS_LATER: ReadonlySet<string | null> = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "ETXTBSY"]);

const notStarted = (error: unknown) => ({
  exitCode: STARTS_LATER.has(codeOf(error)) ? null : 127,
  said: `it cannot be started (${codeOf(error) ?? "unknown"})`,
  isTimedOut: false,
});

function verdictOnExit(exitCode: number | null, answer: string, isTimedOut: boolean): Verdict {
  if (isTimedOut && exitCode === null)
    return { verdict: "retry", answer: `${answer}: perhaps done`, perhapsTaken: true };
  if (exitCode === 0) return { verdict: "delivered", answer };
  if (exitCode === REFUSED_DATA) return { verdict: "rejected", answer };
  return { verdict: exitCode !== null && NEEDS_REPAIR.has(exitCode) ? "blocked" : "retry", answer };
}

/** Returns the signature of the text `signed` by Standard Webhooks. The secret is configured as `whsec_` and base64. */
function signatureOf(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}

export const HOOKS = {
  webhook: httpServiceChannel({
    name: "a receiver of webhooks",
    limits: PROGRAM_LIMITS,
    isData: true,
    write: ({ secret }: { readonly secret: string }, { message, words, reference, sentAt, plain }) => {
      const body = plain ? plainBody(message) : bodyWith(message, words);
      const timestamp = String(Math.floor(sentAt / SECOND));
      const headers = {
        "content-type": "application/json",
        "webhook-id": reference,
        "webhook-timestamp": timestamp,
        "webhook-signature": signatureOf(secret, `${reference}.${timestamp}.${body}`),
      };
      return { headers, body };
    },
    took: () => true,
  }),
  http: httpServiceChannel({
    name: "the service",
    limits: { digests: 30 },
    title: 250,
    most: 4_000,
    write: ({ url, method, headers, format, body }: Own, said) => ({
      url: fillTemplate(url, "url", said),
      method,
      headers: { "content-type": TYPES[format], ...headersIn(headers ?? "") },
      body: method === "GET" ? "" : fillTemplate(body, format, said),
    }),
    took: (_, { body }, { answer }: Own) => answer === null || body.includes(answer),
  }),
  /** Runs a program on this computer. The program reads from its standard input the JSON that a webhook would get. */
  command: ({ program, run }: { readonly program: string; readonly run: RunProgram }): ShownChannel => ({
    ...PROGRAM_LIMITS,
    preview: (delivery, context) => `${program}\n\n${webhookBody(delivery, context)}`,
    send: async (delivery, context) => {
      const ran = run(program, webhookBody(delivery, context), { WEBHOOK_ID: delivery.reference });
      const { exitCode, said, isTimedOut } = await ran.catch(notStarted);
      return verdictOnExit(exitCode, hideSecrets(said), isTimedOut);
    },
  }),
};
