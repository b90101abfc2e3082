// What can go wrong between rollcall and a mail server, as tables: the situation in the words of docs/deliveries.md, a
// server that brings it about, and what has to become of a mail then (R36).

import type { EmailOptions, SmtpSettings } from "../../src/notify/email.ts";
import type { TestCertificate } from "../support/certificate.ts";
import { startRawSink } from "../support/http-sink.ts";
import { type SmtpRules, startSmtpServer } from "../support/smtp-server.ts";
import { AGAIN, forThisRecipient, GIVEN_UP, HOURLY, PERHAPS_TAKEN, SENT, SENT_PLAIN } from "./delivery-outcome.ts";
import { SMTP_STEPS, type SmtpReply, type SmtpStep, startScriptedSmtp } from "./smtp-script.ts";

export const LOGIN = { username: "rollcall-user", password: "p4ss-T0SECRET" };

/** Members of the team; the second is the one of whom nobody wants to know. */
export const RECIPIENTS = ["ada@example.org", "gone@example.org", "eve@example.org"] as const;

interface MailServer extends AsyncDisposable {
  readonly port: number;
}

export interface MailCase {
  /** Null: nothing listens. */
  readonly start: (() => Promise<MailServer>) | null;
  readonly settings?: Partial<SmtpSettings>;
  readonly options?: EmailOptions;
  readonly timeoutMs?: number;
}

export interface MailRow {
  readonly situation: string;
  /** All of them must come to the same. */
  readonly cases: readonly MailCase[];
  /** Of the mail to the first member, or of each in their order. */
  readonly outcomes: readonly string[];
}

/** It is the silence that ends these attempts. */
const SILENCE = 5_000;

const scripted = (step: SmtpStep, answer: SmtpReply): MailCase => ({
  start: () => startScriptedSmtp(step, answer),
  settings: {
    login: step === "AUTH" ? LOGIN : null,
    security: step === "STARTTLS" ? "starttls" : "none",
  },
  ...(answer === "" ? { timeoutMs: SILENCE } : {}),
});

/** Refuses and repeats what it was said. */
const refusing = (step: SmtpStep, refusal: string): MailCase => scripted(step, (line) => `${refusal} you said ${line}`);

/** The columns of the table of steps. */
export const SMTP_FAILURES = ["421", "450", "550", "silence", "cut off"] as const;
export type SmtpFailure = (typeof SMTP_FAILURES)[number];

export function failureAt(step: SmtpStep, failure: SmtpFailure): MailCase {
  if (failure === "silence") return scripted(step, "");
  return failure === "cut off" ? scripted(step, null) : refusing(step, failure);
}

type Five = readonly [string, string, string, string, string];
/** With one recipient, of whom nobody knows whether the server takes mail for anyone else. */
const AT_ANY_STEP: Five = [AGAIN, AGAIN, HOURLY, AGAIN, AGAIN];

/** For each step what each of `SMTP_FAILURES` comes to. */
export const AT_STEP: Readonly<Record<SmtpStep, Five>> = {
  greeting: AT_ANY_STEP,
  EHLO: AT_ANY_STEP,
  STARTTLS: AT_ANY_STEP,
  AUTH: AT_ANY_STEP,
  "MAIL FROM": AT_ANY_STEP,
  "RCPT TO": AT_ANY_STEP,
  DATA: AT_ANY_STEP,
  message: [AGAIN, AGAIN, HOURLY, PERHAPS_TAKEN, AGAIN],
};

/** A real server that refuses so. */
const real = (rules: SmtpRules, settings: MailCase["settings"] = {}, options: EmailOptions = {}): MailCase => ({
  start: () => startSmtpServer(rules),
  settings: { ...(rules.security === undefined ? {} : { security: rules.security }), ...settings },
  options,
});

/** Takes connections and says so much. */
const saying = (text: string, again: string | null = null): MailCase => ({
  start: () =>
    startRawSink((socket) => {
      socket.write(text);
      if (again === null) return;
      const timer = setInterval(() => socket.write(again), 20);
      socket.on("close", () => clearInterval(timer));
    }),
  timeoutMs: SILENCE,
});

const everywhere = (refusal: string): MailCase[] =>
  SMTP_STEPS.filter((step) => step !== "STARTTLS").map((step) => refusing(step, refusal));

export interface Certificates {
  /** For 127.0.0.1. */
  readonly ours: TestCertificate;
  readonly elsewhere: TestCertificate;
}

export const mailRows = ({ ours, elsewhere }: Certificates): MailRow[] => {
  const trusting = ({ certificate }: TestCertificate): EmailOptions => ({ certificateAuthority: certificate });
  const encrypted = ["tls", "starttls"] as const;
  const refusedTo = (recipient: string, code: number, text: string): SmtpRules => ({
    recipient: (address) => (address === recipient ? { code, text } : null),
  });
  const [, gone] = RECIPIENTS;
  return [
    { situation: "refuses the connection", cases: [{ start: null }], outcomes: [AGAIN] },
    {
      situation: "has a host name that is not found",
      cases: [{ start: null, settings: { host: "mail.invalid" }, timeoutMs: SILENCE }],
      outcomes: [AGAIN],
    },
    {
      situation: "shows a certificate nobody vouches for",
      cases: encrypted.map((security) => real({ security, certificate: ours })),
      outcomes: [AGAIN],
    },
    {
      situation: "shows a certificate of another host",
      cases: encrypted.map((security) => real({ security, certificate: elsewhere }, {}, trusting(elsewhere))),
      outcomes: [AGAIN],
    },
    {
      situation: "speaks no TLS, and `security` is `tls`",
      cases: [real({}, { security: "tls" })],
      outcomes: [AGAIN],
    },
    {
      situation: "falls silent when TLS is to begin",
      cases: [
        { ...saying(""), settings: { security: "tls" } },
        { ...scripted("STARTTLS", "220 go on"), timeoutMs: SILENCE },
      ],
      outcomes: [AGAIN],
    },
    {
      situation: "has no STARTTLS, and `security` is `starttls`",
      cases: [real({}, { security: "starttls" })],
      outcomes: [HOURLY],
    },
    {
      situation: "sends its replies drop by drop",
      cases: [saying("220 hello\r\n", "250-slow\r\n"), saying("220", "x")],
      outcomes: [AGAIN],
    },
    {
      situation: "sends a reply without end",
      cases: [saying(`220-${"x".repeat(5_000_000)}`), saying("220-hello\r\n".repeat(500_000))],
      outcomes: [AGAIN],
    },
    {
      situation: "speaks something other than SMTP",
      cases: [saying("HTTP/1.1 400 Bad Request\r\n\r\n")],
      outcomes: [AGAIN],
    },
    {
      situation: "answers 535 to the login: wrong user name or password",
      cases: [
        real(
          { security: "tls", certificate: ours, login: LOGIN },
          { login: { ...LOGIN, password: "wr0ng-T0SECRET" } },
          trusting(ours),
        ),
        refusing("AUTH", "535 5.7.8"),
      ],
      outcomes: [HOURLY],
    },
    {
      situation: "offers no login, though one is configured",
      cases: [real({}, { login: LOGIN }), refusing("AUTH", "503 5.5.1"), refusing("AUTH", "502 5.5.2")],
      outcomes: [HOURLY],
    },
    {
      situation: "answers 530, 534, 535 or 538 at any step: it wants a login, or another",
      cases: [530, 534, 535, 538].flatMap((code) => everywhere(String(code))),
      outcomes: [HOURLY],
    },
    {
      situation: "is to be told a user name with an empty password",
      cases: [{ ...scripted("AUTH", "235 welcome"), settings: { login: { ...LOGIN, password: "" } } }],
      outcomes: [HOURLY],
    },
    {
      situation: "answers 454 to the login: it cannot check it now",
      cases: [refusing("AUTH", "454 4.7.0")],
      outcomes: [AGAIN],
    },
    {
      situation: "answers 552 to the sender or the mail: it is too large",
      cases: (["MAIL FROM", "message"] as const).map((step) => refusing(step, "552 5.3.4")),
      outcomes: [HOURLY],
    },
    {
      situation: "answers 554 to the full form alone",
      cases: [
        real({
          message: (raw) =>
            /^content-type: text\/plain/im.test(raw) && !/multipart/i.test(raw)
              ? null
              : { code: 554, text: "5.7.1 spam" },
        }),
      ],
      outcomes: [SENT_PLAIN],
    },
    {
      situation: "answers 550, 551, 553, or 5.1.1 and its like, to a recipient: no such mailbox",
      cases: ["550", "551", "553", "550 5.1.1", "550 5.1.10", "553 5.1.3"].map((refusal) =>
        refusing("RCPT TO", refusal),
      ),
      outcomes: [HOURLY],
    },
    {
      situation: "answers 552, 554, or 5.2.2, 5.7.1 and their like, to a recipient: mailbox full, not allowed",
      cases: ["552", "554", "552 5.2.2", "550 5.7.1", "554 5.7.1"].map((refusal) => refusing("RCPT TO", refusal)),
      outcomes: [HOURLY],
    },
    {
      situation: "answers 550 to the second of three recipients",
      cases: [real(refusedTo(gone, 550, "5.1.1 no such user"))],
      outcomes: [SENT, GIVEN_UP, SENT],
    },
    {
      situation: "answers 450 to the second of three recipients",
      cases: [real(refusedTo(gone, 450, "4.2.1 try later"))],
      outcomes: [SENT, forThisRecipient(AGAIN), SENT],
    },
    {
      situation: "answers 552, 554, or 5.2.2, 5.7.1 and their like, to the second of three recipients",
      cases: ["5.2.2 full", "5.7.1 no"].map((text) => real(refusedTo(gone, 552, text))),
      outcomes: [SENT, forThisRecipient(HOURLY), SENT],
    },
    { situation: "takes the mail", cases: [real({})], outcomes: [SENT] },
  ];
};
