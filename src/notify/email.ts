// Messages as mail. One message per recipient, text and HTML; a delivery keeps its Message-ID, so mail programs show a
// mail that is sent twice only once. Must not let a name or an address reach SMTP or a header unchecked.

import nodemailer, { type NodemailerError, type SendMailOptions } from "nodemailer";
import { isMailAddress } from "../domain/mail-address.ts";
import { isAlert, type Message } from "../domain/message/message.ts";
import { wordingOf } from "../domain/wording/wording.ts";
import type { ClaimedDelivery } from "../engine/api.ts";
import type { Channel, SendContext } from "./channel.ts";
import { htmlBody, textBody } from "./mail-body.ts";
import { SEND_TIMEOUT } from "./post.ts";
import { hidingLogin, type SmtpLogin } from "./smtp-login.ts";
import { verdictOnSmtpError } from "./smtp-verdict.ts";

export interface EmailSettings {
  readonly type: "email";
  /** Null: there is none, and no mail can be sent. */
  readonly smtp: SmtpSettings | null;
}

/** The server that takes our mail. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** `starttls` is required, not tried. */
  readonly security: "tls" | "starttls" | "none";
  readonly login: SmtpLogin | null;
  /** `name` null: the bare address. */
  readonly from: { readonly name: string | null; readonly address: string };
}

export interface EmailOptions {
  /** The limit for one whole attempt. */
  readonly timeoutMs?: number;
  /** A certificate authority that we trust instead of the system's, as PEM. */
  readonly certificateAuthority?: string;
}

/** Nobody reads a longer list to its end, and another mail follows. */
const DIGEST_MAX = 200;

/** Throws without a mail server, and when the sender is not a mail address. */
export function createEmailChannel({ smtp }: EmailSettings, options: EmailOptions = {}): Channel {
  const { timeoutMs = SEND_TIMEOUT, certificateAuthority } = options;
  if (smtp === null) throw new Error("mail must have a server that takes it");
  if (!isMailAddress(smtp.from.address)) throw new Error("the sender of mail must be a plain mail address");
  const withoutLogin = hidingLogin(smtp.login);
  // One connection per mail: mails are rare, and a kept connection would mostly be closed.
  const transport = nodemailer.createTransport({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.security === "tls",
    requireTLS: smtp.security === "starttls",
    ignoreTLS: smtp.security === "none",
    tls: certificateAuthority === undefined ? {} : { ca: certificateAuthority },
    auth: smtp.login === null ? undefined : { user: smtp.login.username, pass: smtp.login.password },
    // Otherwise nodemailer would send the mail without login to a server that offers none, and hide a wrong password.
    forceAuth: smtp.login !== null,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  return {
    digests: DIGEST_MAX,
    takesOutput: true,
    send: async (delivery, context) => {
      const { recipient } = delivery;
      // nodemailer would read a list in it and send to addresses that nobody configured.
      if (recipient === null || !isMailAddress(recipient)) {
        return { verdict: "hopeless", answer: "the recipient is not a plain mail address" };
      }
      const mail = mailFor(delivery, recipient, smtp.from, context);
      try {
        const sent = await transport.sendMail({ ...mail, signal: AbortSignal.timeout(timeoutMs) });
        return { verdict: "delivered", answer: withoutLogin(sent.response) };
      } catch (error) {
        const verdict = verdictOnSmtpError(error as NodemailerError);
        return { ...verdict, answer: withoutLogin(verdict.answer) };
      }
    },
  };
}

function mailFor(
  { reference, thread, destination, message }: ClaimedDelivery,
  recipient: string,
  from: SmtpSettings["from"],
  { sentAt, plain }: SendContext,
): SendMailOptions {
  const domain = from.address.slice(from.address.indexOf("@") + 1);
  const wording = wordingOf(message, sentAt);
  const footer = footerOf(message, destination, recipient);
  // No mail has this id; all mails of an incident refer to it, which makes them one thread in any order and subset.
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
    // Keeps automatic replies away.
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
    xMailer: false,
    textEncoding: "quoted-printable",
    text: textBody(wording, footer, !plain),
    ...(plain ? {} : { html: htmlBody(wording, footer) }),
  };
}

/** A mail reader would decode them, and with them line ends and marks that turn text around (RFC 2047). */
const withoutEncodedWords = (text: string): string => text.replaceAll("=?", "= ?");

/** Why the mail came, and who can change that: its reader finds this nowhere else. */
const footerOf = (message: Message, destination: string, recipient: string): string[] => [
  `It came to ${recipient} through the destination "${destination}"${isAlert(message) ? `, as ${message.data.kind}` : ""}.`,
  `The people who run rollcall can change that in its configuration: ${
    isAlert(message) || message.type === "monitor.digest" ? "team.members and their events" : "team.members"
  }, and destinations.`,
];
