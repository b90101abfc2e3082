// A mail server that agrees to everything but what a test names: for refusals at steps where no real one lets itself be
// told to refuse.

import { type RawSink, startRawSink } from "../support/http-sink.ts";

/** In the order of a conversation; `message` is the answer after the mail itself. */
export const SMTP_STEPS = ["greeting", "EHLO", "STARTTLS", "AUTH", "MAIL FROM", "RCPT TO", "DATA", "message"] as const;
export type SmtpStep = (typeof SMTP_STEPS)[number];

const AGREES: Record<SmtpStep, string> = {
  greeting: "220 mail.example.org",
  EHLO: "250-mail.example.org\r\n250-8BITMIME\r\n250 AUTH PLAIN",
  STARTTLS: "220 go on",
  AUTH: "235 2.7.0 welcome",
  "MAIL FROM": "250 2.1.0 ok",
  "RCPT TO": "250 2.1.5 ok",
  DATA: "354 go on",
  message: "250 2.0.0 kept",
};

/** What a step is answered, perhaps by repeating the line; empty: nothing at all; null: the connection is cut. */
export type SmtpReply = string | null | ((line: string) => string);

/** Answers the step so, and cuts the connection after 421 as servers do. */
export const startScriptedSmtp = (step: SmtpStep, answer: SmtpReply): Promise<RawSink> =>
  startRawSink((socket) => {
    let waiting = "";
    let inMessage = false;

    function reply(to: SmtpStep, line: string): void {
      inMessage = to === "DATA" && to !== step;
      const text = to !== step ? AGREES[to] : typeof answer === "function" ? answer(line) : answer;
      if (text === null) socket.end();
      else if (text.startsWith("421")) socket.end(`${text}\r\n`);
      else if (text !== "") socket.write(`${text}\r\n`);
    }

    socket.on("data", (chunk) => {
      waiting += chunk.toString("latin1");
      for (let end = waiting.indexOf("\r\n"); end !== -1; end = waiting.indexOf("\r\n")) {
        const line = waiting.slice(0, end);
        waiting = waiting.slice(end + 2);
        const said = inMessage ? (line === "." ? "message" : null) : stepOf(line);
        if (said !== null) reply(said, line);
      }
    });
    reply("greeting", "");
  });

function stepOf(line: string): SmtpStep | null {
  if (/^(EHLO|HELO) /.test(line)) return "EHLO";
  return SMTP_STEPS.find((step) => line.startsWith(step)) ?? null;
}
