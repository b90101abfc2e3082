// Sends messages as mail, one for each recipient. A delivery keeps its Message-ID, so that a mail program shows a
// repeat once.

import nodemailer, { type NodemailerError, type SendMailOptions } from "nodemailer";
import { connectionFailure } from "../domain/connection-failure.ts";
import { isAlert, type Message } from "../domain/message/message.ts";
import { isMailAddress } from "../domain/text.ts";
import { MINUTE } from "../domain/time.ts";
import { wordingOf } from "../domain/wording/wording.ts";
import type { ClaimedDelivery } from "../engine/api.ts";
import { type SendContext, type ShownChannel, type Verdict, withoutResponse } from "./channel.ts";
import { htmlBody, textBody } from "./mail-body.ts";
import { createLimit, SEND_TIMEOUT } from "./post.ts";

export type EmailSettings = Readonly<{ type: "email"; smtp: SmtpSettings | null }>;

export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** How the connection is encrypted. With `starttls` the encryption is required, not merely tried. */
  readonly security: "tls" | "starttls" | "none";
  readonly login: SmtpLogin | null;
  /** The sender; `name` is `null` when the mail names the bare address. */
  readonly from: { readonly name: string | null; readonly address: string };
}

/**
 * How long each step of the conversation may take, in milliseconds. RFC 5321, 4.5.3.2: a server may take five minutes
 * for its greeting, while it looks the caller up, and ten once it has the mail, while it looks for spam.
 */
const TALK_MAX = 5 * MINUTE;
const RESPONSE_WITHIN = 10 * MINUTE;

export interface EmailOptions {
  /** Replaces all these limits, in milliseconds. */
  readonly timeoutMs?: number;
  /** A certificate authority, as PEM, that we trust instead of the system's. */
  readonly certificateAuthority?: string;
}

/**
 * How many alerts one mail lists. A longer list would not be read to its end, and another mail follows with the rest.
 */
const DIGEST_MAX = 200;

/** Makes the channel. Throws when no mail server is configured, and when the sender is not a mail address. */
export function createEmailChannel({ smtp }: EmailSettings, options: EmailOptions = {}): ShownChannel {
  const { timeoutMs, certificateAuthority } = options;
  const [connectMs, talkMs, responseMs] = [SEND_TIMEOUT, TALK_MAX, RESPONSE_WITHIN].map(
    (limit) => timeoutMs ?? limit,
  ) as [number, number, number];
  if (smtp === null) throw new Error("mail must have a server that takes it");
  if (!isMailAddress(smtp.from.address)) throw new Error("the sender of mail must be a plain mail address");
  const withoutLogin = hidingLogin(smtp.login);
  // Each mail has a connection by itself: mails are rare, and a kept connection would mostly be closed when the next
  // one comes.
  const transportThat = (written: () => void) =>
    nodemailer.createTransport({
      host: smtp.host,
      port: smtp.port,
      secure: smtp.security === "tls",
      requireTLS: smtp.security === "starttls",
      ignoreTLS: smtp.security === "none",
      tls: certificateAuthority === undefined ? {} : { ca: certificateAuthority },
      auth: smtp.login === null ? undefined : { user: smtp.login.username, pass: smtp.login.password },
      // Without this, nodemailer would send the mail without a login to a server that offers none, and hide a wrong
      // password.
      forceAuth: smtp.login !== null,
      connectionTimeout: connectMs,
      greetingTimeout: talkMs,
      socketTimeout: responseMs,
      dnsTimeout: connectMs,
      // The library says only in its log that the mail is written.
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
      const limit = createLimit(talkMs);
      const transport = transportThat(() => {
        limit.extend(responseMs);
        context.written?.();
      });
      // nodemailer would read a recipient that holds a list as several addresses, and send to some that are not
      // configured.
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

const TIMED_OUT = connectionFailure("ETIMEDOUT");

/** A log for the mail library, which writes a line there when it has written the whole mail. */
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
  // No mail has this id. All mails of an incident refer to it, which makes them one thread in any order and with any of
  // them missing.
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

/**
 * Breaks encoded words (RFC 2047): a mail program would decode them, and with them line ends and marks that reverse
 * text.
 */
const withoutEncodedWords = (text: string): string => text.replaceAll("=?", "= ?");

/** Says why the mail came and who can change that, because its reader finds this nowhere else. */
const footerOf = (message: Message, destination: string, recipient: string): string[] => [
  `It came to ${recipient} through the destination "${destination}"${isAlert(message) ? `, as ${message.data.kind}` : ""}.`,
  `The people who run rollcall can change that in its configuration: ${
    isAlert(message) || message.type === "monitor.digest" ? "team.members and their events" : "team.members"
  }, and destinations.`,
];

// Hides a login in what people read: some mail servers repeat a line that they did not understand, and that line may
// hold the password (R40).

type SmtpLogin = Readonly<{ username: string; password: string }>;

/**
 * The fewest characters of a password that is hidden: hiding every `a` would ruin the text and reveal that the password
 * is `a`.
 */
const PASSWORD_LENGTH_MIN = 4;

/** Returns a function that hides, in a server's response, the password itself and both forms in which we send it. */
function hidingLogin(login: SmtpLogin | null): (answer: string) => string {
  if (login === null || login.password.length < PASSWORD_LENGTH_MIN) return (answer) => answer;
  const { username, password } = login;
  // AUTH PLAIN sends user name and password in one text, AUTH LOGIN each separately.
  const sent = [`\0${username}\0${password}`, password].map((text) => Buffer.from(text).toString("base64"));
  const forms = [...sent.map((text) => text.replace(/=+$/, "")), password].map((form) => RegExp.escape(form));
  const secret = new RegExp(`(?:${forms.join("|")})=*`, "g");
  return (answer) => answer.replace(secret, "***");
}

// Judges a failed conversation with a mail server: whose fault it is, and whether another attempt can help. The
// functions are pure.

function verdictOnSmtpError(error: NodemailerError): Verdict {
  const { responseCode, response, command = "" } = error;
  if (responseCode === undefined || response === undefined) return verdictOnConnection(error);

  // Postfix answers 503 to a login that it does not offer; nodemailer would take that for a passing failure.
  if (command.startsWith("AUTH") && NOT_OFFERED.has(responseCode)) {
    return { verdict: "blocked", answer: `no login offered: ${response}` };
  }
  const answer = command === "STARTTLS" ? `no STARTTLS: ${response}` : response;
  if (!error.permanent) {
    // 421 ends the session, so it is about the server at any step.
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

/**
 * Codes that say that a login is needed, refused, too weak or must be encrypted (RFC 4954). They are about all mail, at
 * any step.
 */
const ABOUT_THE_LOGIN: ReadonlySet<number> = new Set([530, 534, 535, 538]);

/**
 * Says whether a permanent reply to a recipient means that the address does not exist, which no later attempt can
 * change. Servers call much else permanent that passes within hours: a full mailbox (5.2.2), a block list or relaying
 * denied (5.7.1). Some 5.1 codes are not about the recipient: Postfix refuses a sender with 5.1.0, 5.1.7 and 5.1.8.
 * Without an enhanced status (RFC 3463) we have only the codes: 550, 551 and 553 are about the mailbox, 552 and 554 are
 * not.
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
