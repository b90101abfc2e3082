// A mail server that agrees to everything but what a test names: for refusals at steps where no real one lets itself be
// told to refuse.

import { type RawSink, startRawSink } from "./http-sink.ts";

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

/** Answers the step so, and cuts the connection after 421 as servers do; `answer` null: it cuts without a word. */
export const startScriptedSmtp = (step: SmtpStep, answer: string | null): Promise<RawSink> =>
  startRawSink((socket) => {
    let waiting = "";
    let inMessage = false;

    function reply(to: SmtpStep): void {
      inMessage = to === "DATA" && to !== step;
      if (to !== step) socket.write(`${AGREES[to]}\r\n`);
      else if (answer === null) socket.end();
      else if (answer.startsWith("421")) socket.end(`${answer}\r\n`);
      else socket.write(`${answer}\r\n`);
    }

    socket.on("data", (chunk) => {
      waiting += chunk.toString("latin1");
      for (let end = waiting.indexOf("\r\n"); end !== -1; end = waiting.indexOf("\r\n")) {
        const line = waiting.slice(0, end);
        waiting = waiting.slice(end + 2);
        const said = inMessage ? (line === "." ? "message" : null) : stepOf(line);
        if (said !== null) reply(said);
      }
    });
    reply("greeting");
  });

function stepOf(line: string): SmtpStep | null {
  if (/^(EHLO|HELO) /.test(line)) return "EHLO";
  return SMTP_STEPS.find((step) => line.startsWith(step)) ?? null;
}
