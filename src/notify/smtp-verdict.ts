// Judges a failed conversation with a mail server: whose fault it is, and whether another attempt can help. Pure.

import type { NodemailerError } from "nodemailer";
import { connectionFailure } from "../domain/connection-failure.ts";
import type { Verdict } from "./channel.ts";

/** The verdict on an error of nodemailer's `sendMail`. */
export function verdictOnSmtpError(error: NodemailerError): Verdict {
  const { responseCode, response, command = "" } = error;
  if (responseCode === undefined || response === undefined) return verdictOnConnection(error);

  // 503 is Postfix's answer here; nodemailer takes it for a passing failure.
  if (command.startsWith("AUTH") && NOT_OFFERED.has(responseCode)) {
    return { verdict: "blocked", answer: `no login offered: ${response}` };
  }
  const answer = command === "STARTTLS" ? `no STARTTLS: ${response}` : response;
  if (!error.permanent) {
    // 421 ends the session: it is about the server, at any step.
    const recipientOnly = responseCode !== 421 && (command === "RCPT TO" || command === "DATA");
    return recipientOnly ? { verdict: "retry", answer, recipientOnly } : { verdict: "retry", answer };
  }
  if (ABOUT_THE_LOGIN.has(responseCode)) return { verdict: "blocked", answer };
  if (command === "RCPT TO") {
    return isNoSuchMailbox(response)
      ? { verdict: "hopeless", answer }
      : { verdict: "blocked", answer, recipientOnly: true };
  }
  const aboutTheMessage = command === "DATA" || responseCode === 552;
  return aboutTheMessage ? { verdict: "rejected", answer } : { verdict: "blocked", answer };
}

/** RFC 5321: a command that is unknown, or not accepted here or now. */
const NOT_OFFERED: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** RFC 4954: a login is needed, refused, too weak or must be encrypted. It is about all mail, at any step. */
const ABOUT_THE_LOGIN: ReadonlySet<number> = new Set([530, 534, 535, 538]);

/**
 * Whether a permanent reply to a recipient says that the address does not exist, which no later attempt can change.
 * Servers call much else permanent that passes within hours: a full mailbox (5.2.2), a block list or relaying denied
 * (5.7.1). Some 5.1 codes are not about the recipient: Postfix refuses a sender with 5.1.0, 5.1.7 and 5.1.8. Without an
 * enhanced status (RFC 3463) we have only the codes: 550, 551 and 553 are about the mailbox, 552 and 554 are not.
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
