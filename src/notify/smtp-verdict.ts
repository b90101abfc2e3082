// What a failed conversation with a mail server means: whose fault it is, and so whether another attempt can help. Pure.

import type { NodemailerError } from "nodemailer";
import type { Verdict } from "./channel.ts";
import { connectionFailure } from "./connection-failure.ts";

/** The verdict on an error of nodemailer's `sendMail`. */
export function verdictOnSmtpError(error: NodemailerError): Verdict {
  const { responseCode, response, command = "" } = error;
  if (responseCode === undefined || response === undefined) return verdictOnConnection(error);

  const answer = response;
  if (!error.permanent) {
    // 421 ends the session: whatever it was said to, it is about the server.
    const recipientOnly = responseCode !== 421 && (command === "RCPT TO" || command === "DATA");
    return recipientOnly ? { verdict: "retry", answer, recipientOnly } : { verdict: "retry", answer };
  }
  if (command === "RCPT TO") return { verdict: "hopeless", answer };
  const aboutTheMessage = command === "DATA" || responseCode === 552;
  return aboutTheMessage ? { verdict: "rejected", answer } : { verdict: "blocked", answer };
}

function verdictOnConnection({ code = "", originalCode = "" }: NodemailerError): Verdict {
  if (code === "EAUTH") return { verdict: "blocked", answer: "the mail server offers no login that we can use" };
  const answer = connectionFailure(originalCode) ?? connectionFailure(code);
  return { verdict: "retry", answer: answer ?? "connection to the mail server failed" };
}
