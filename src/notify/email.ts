// Sends messages as mail, one for each recipient. All attempts of a delivery have one Message-ID, so a mail program
// shows a mail once that was sent twice.

import { isIP } from "node:net";
import { hostname } from "node:os";
import nodemailer, { type NodemailerError, type SendMailOptions } from "nodemailer";
import { connectionFailure } from "../domain/connection-failure.ts";
import { isAlert, type Message } from "../domain/message/message.ts";
import { isMailAddress } from "../domain/text.ts";
import { MINUTE } from "../domain/time.ts";
import { wordingOf } from "../domain/wording/wording.ts";
import type { ClaimedDelivery } from "../engine/api.ts";
import { type SendContext, type ShownChannel, type Verdict, withoutResponse } from "./channel.ts";
import { htmlBody, textBody } from "./mail-body.ts";
import { createSendLimit, SEND_TIMEOUT } from "./post.ts";

export type EmailSettings = Readonly<{ type: "email"; smtp: SmtpSettings | null }>;

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** How the connection is encrypted. With `starttls` a server that offers no encryption gets no mail. */
  readonly security: "tls" | "starttls" | "none";
  readonly login: SmtpLogin | null;
  /** The sender of the mail; `name` is `null` when the mail shows the bare address. */
  readonly from: { readonly name: string | null; readonly address: string };
}

/**
 * How many milliseconds each step with the mail server may take. By RFC 5321, 4.5.3.2, a server may take five minutes
 * for its greeting, while it looks the caller up. It may take ten minutes for a mail, while it looks for spam.
 */
const TALK_MAX = 5 * MINUTE;
const RESPONSE_WITHIN = 10 * MINUTE;

export interface EmailOptions {
  /** Replaces the limits for connecting, for talking and for the response, in milliseconds. */
  readonly timeoutMs?: number;
  /** Replaces the name of this computer, by which it greets the mail server. */
  readonly hostname?: string;
  /** A certificate authority, as PEM, that is trusted instead of those of the system. */
  readonly certificateAuthority?: string;
}

/** The most alerts in one mail, because people would not read more. Further alerts follow in another mail. */
const DIGEST_MAX = 200;

/**
 * Makes the channel that sends mail. Throws when no mail server is configured, or when the sender is not a mail
 * address.
 */
export function createEmailChannel({ smtp }: EmailSettings, options: EmailOptions = {}): ShownChannel {
  const { timeoutMs, certificateAuthority } = options;
  const [connectMs, talkMs, responseMs] = [SEND_TIMEOUT, TALK_MAX, RESPONSE_WITHIN].map(
    (limit) => timeoutMs ?? limit,
  ) as [number, number, number];
  if (smtp === null) throw new Error("mail must have a server that takes it");
  if (!isMailAddress(smtp.from.address)) throw new Error("the sender of mail must be a plain mail address");
  const withoutLogin = hidingLogin(smtp.login);
  // Each mail opens a connection: mails are rare, and the server would mostly have closed a kept one.
  const transportThat = (written: () => void) =>
    nodemailer.createTransport({
      host: smtp.host,
      port: smtp.port,
      name: greetingName(options.hostname ?? hostname()),
      secure: smtp.security === "tls",
      requireTLS: smtp.security === "starttls",
      ignoreTLS: smtp.security === "none",
      tls: certificateAuthority === undefined ? {} : { ca: certificateAuthority },
      auth: smtp.login === null ? undefined : { user: smtp.login.username, pass: smtp.login.password },
      // Without this, nodemailer sends without a login when the server offers none, and a wrong password goes
      // unnoticed.
      forceAuth: smtp.login !== null,
      connectionTimeout: connectMs,
      greetingTimeout: talkMs,
      socketTimeout: responseMs,
      dnsTimeout: connectMs,
      // nodemailer asks once in its life which families of addresses this machine has, and never for addresses of
      // another family. At a boot that may be IPv6 alone, before a router has answered. The loopback has both.
      allowInternalNetworkInterfaces: true,
      // nodemailer tells only its logger that the mail is written.
      logger: listening(written),
      disableFileAccess: true,
      disableUrlAccess: true,
    });

  return {
    digests: DIGEST_MAX,
    takesOutput: true,
    preview: (delivery, context) => {
      const { subject, text } = mailFor(delivery, delivery.recipient ?? "", smtp.from, context);
      return `Subject: ${subject}\n\n${text}`;
    },
    send: async (delivery, context) => {
      const { recipient } = delivery;
      const limit = createSendLimit(talkMs);
      const transport = transportThat(() => {
        limit.extend(responseMs);
        context.written?.();
      });
      // If the recipient were a list (`a@x.org, b@x.org`), nodemailer would send to addresses not configured.
      if (recipient === null || !isMailAddress(recipient)) {
        return { verdict: "hopeless", answer: "the recipient is not a plain mail address" };
      }
      const mail = mailFor(delivery, recipient, smtp.from, context);
      try {
        const sent = await transport.sendMail({ ...mail, signal: limit.signal });
        return { verdict: "delivered", answer: withoutLogin(sent.response) };
      } catch (error) {
        const verdict = verdictOnSmtpError(error as NodemailerError);
        if (limit.isExtended() && verdict.answer === TIMED_OUT) return withoutResponse(responseMs);
        return { ...verdict, answer: withoutLogin(verdict.answer) };
      } finally {
        limit.end();
      }
    },
  };
}

/**
 * Returns the name by which this computer greets a mail server. Exim refuses a name with other characters than these,
 * such as an underscore. A name without a dot means nothing to a server. Instead of both goes an address.
 */
const greetingName = (name: string): string =>
  /^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)+$/i.test(name) && !isIP(name) ? name : "[127.0.0.1]";

const TIMED_OUT = connectionFailure("ETIMEDOUT");

/** Returns a logger for nodemailer that calls `written` when nodemailer logs that it has written the whole mail. */
function listening(written: () => void) {
  const ignore = (): void => {};
  const info = (entry: unknown): void => {
    if (Object(entry).tnx === "message") written();
  };
  return { trace: ignore, debug: ignore, info, warn: ignore, error: ignore, fatal: ignore };
}

function mailFor(
  { reference, thread, destination, message, heldUntil }: ClaimedDelivery,
  recipient: string,
  from: SmtpSettings["from"],
  { sentAt, plain }: SendContext,
): SendMailOptions {
  const domain = from.address.slice(from.address.indexOf("@") + 1);
  const wording = wordingOf(message, sentAt, heldUntil);
  const footer = footerOf(message, destination, recipient);
  // This is the id of no mail. All mails of an incident name it as the mail that they reply to. So mail programs show
  // them as one thread, in any order and even if some are missing.
  const threadId = `<${thread}@${domain}>`;
  return {
    envelope: { from: from.address, to: [recipient] },
    from: { name: from.name ?? "", address: from.address },
    to: { name: "", address: recipient },
    subject: withoutEncodedWords(wording.subject),
    date: new Date(sentAt),
    messageId: `<${reference}@${domain}>`,
    inReplyTo: threadId,
    references: threadId,
    // These headers keep automatic replies away.
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    xMailer: false,
    textEncoding: "quoted-printable",
    text: textBody(wording, footer, !plain),
    ...(plain ? {} : { html: htmlBody(wording, footer) }),
  };
}

/** Breaks encoded words (RFC 2047), which a mail program would decode to line ends or characters that reverse text. */
const withoutEncodedWords = (text: string): string => text.replaceAll("=?", "= ?");

/** Says at the end of a mail why it came and who can change that, because its reader finds this nowhere else. */
const footerOf = (message: Message, destination: string, recipient: string): string[] => [
  `It came to ${recipient} through the destination "${destination}"${isAlert(message) ? `, as ${message.data.kind}` : ""}.`,
  `The people who run rollcall can change that in its configuration: ${
    isAlert(message) || message.type === "monitor.digest" ? "team.members and their events" : "team.members"
  }, and destinations.`,
];

// Hides the password of a mail server in texts for people: some servers repeat a line that they did not understand, and
// that line may hold the password (R40).

type SmtpLogin = Readonly<{ username: string; password: string }>;

/** A shorter password is not hidden: to replace every `a` by `***` would ruin the text and reveal the password `a`. */
const PASSWORD_LENGTH_MIN = 4;

/**
 * Returns a function that hides the login in a server's response: the password, and both base64 forms that are sent.
 */
function hidingLogin(login: SmtpLogin | null): (answer: string) => string {
  if (login === null || login.password.length < PASSWORD_LENGTH_MIN) return (answer) => answer;
  const { username, password } = login;
  // AUTH PLAIN sends user name and password in one text, AUTH LOGIN sends each by itself.
  const sent = [`\0${username}\0${password}`, password].map((text) => Buffer.from(text).toString("base64"));
  const forms = [...sent.map((text) => text.replace(/=+$/, "")), password].map((form) => RegExp.escape(form));
  const secret = new RegExp(`(?:${forms.join("|")})=*`, "g");
  return (answer) => answer.replace(secret, "***");
}

// Judges why a mail server did not take a mail: whose fault it is, and whether another attempt can help.

function verdictOnSmtpError(error: NodemailerError): Verdict {
  const { responseCode, response, command = "" } = error;
  if (responseCode === undefined || response === undefined) return verdictOnConnection(error);

  // Postfix answers 503 to a login that it does not offer. nodemailer counts that as a failure that passes, but only a
  // person can repair it.
  if (command.startsWith("AUTH") && NOT_OFFERED.has(responseCode)) {
    return { verdict: "blocked", answer: `no login offered: ${response}` };
  }
  const answer = command === "STARTTLS" ? `no STARTTLS: ${response}` : response;
  if (!error.permanent) {
    // 421 ends the whole session, so it is about the server and not about the recipient.
    const recipientOnly = responseCode !== 421 && (command === "RCPT TO" || command === "DATA");
    return recipientOnly ? { verdict: "retry", answer, recipientOnly } : { verdict: "retry", answer };
  }
  if (ABOUT_THE_LOGIN.has(responseCode)) return { verdict: "blocked", answer };
  if (command === "RCPT TO") {
    return isNoSuchMailbox(response)
      ? { verdict: "hopeless", answer, recipientOnly: true }
      : { verdict: "blocked", answer, recipientOnly: true };
  }
  const aboutTheMessage = command === "DATA" || responseCode === 552;
  return aboutTheMessage ? { verdict: "rejected", answer } : { verdict: "blocked", answer };
}

/** Codes that say that a command is unknown, or not accepted here or now (RFC 5321). */
const NOT_OFFERED: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** Codes about the login: it is needed, refused, too weak or must be encrypted (RFC 4954). They hold for all mails. */
const ABOUT_THE_LOGIN: ReadonlySet<number> = new Set([530, 534, 535, 538]);

/**
 * Whether a permanent refusal of a recipient means that the address does not exist, so that trying again is useless.
 * Servers also call things permanent that pass within hours: a full mailbox (5.2.2), a block list or relaying denied
 * (5.7.1). Of the 5.1 codes, 5.1.0, 5.1.7 and 5.1.8 can be about the sender (Postfix). A response without such an
 * enhanced status (RFC 3463) is judged by its code: 550, 551 and 553 are about the mailbox, 552 and 554 are not.
 */
function isNoSuchMailbox(response: string): boolean {
  const enhanced = /^\d{3}[ -]#?(5\.\d{1,3}\.\d{1,3})(?!\S)/.exec(response)?.[1];
  return enhanced === undefined ? /^55[013]\b/.test(response) : /^5\.1\.([12346]|10)$/.test(enhanced);
}

function verdictOnConnection({ code = "", originalCode = "" }: NodemailerError): Verdict {
  if (code === "EAUTH") return { verdict: "blocked", answer: "the login has no user name or no password" };
  const answer = connectionFailure(originalCode) ?? connectionFailure(code);
  return { verdict: "retry", answer: answer ?? "connection to the mail server failed" };
}
