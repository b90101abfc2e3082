// What each refusal of a mail server means, at every step of the conversation: whom it concerns, and whether another
// attempt can help.

import { describe, expect, test } from "bun:test";
import type { Verdict } from "../../src/notify/channel.ts";
import { createEmailChannel, type SmtpSettings } from "../../src/notify/email.ts";
import { createNotifier } from "../../src/notify/notifier.ts";
import { ALERT_AT, openTestOutbox } from "../support/alerts.ts";
import { createCertificate } from "../support/certificate.ts";
import { emailSettings, MAILED_AT, mailDelivery, type Sending, sendThrough } from "../support/mail.ts";
import { manualTime, steadyBy, until } from "../support/manual-time.ts";
import { startSmtpServer } from "../support/smtp-server.ts";
import { SMTP_STEPS, type SmtpStep, startScriptedSmtp } from "./smtp-script.ts";

const LOGIN = { username: "rollcall", password: "p4ss" };

/** The verdict when the server agrees to everything but this step. */
async function verdictAt(step: SmtpStep, answer: string | null, changes: Partial<SmtpSettings> = {}): Promise<Verdict> {
  await using server = await startScriptedSmtp(step, answer);
  const login = step === "AUTH" ? LOGIN : null;
  const channel = createEmailChannel(emailSettings(server.port, { login, ...changes }));
  const verdict = await channel.send(mailDelivery(), MAILED_AT);
  return verdict;
}

const verdictOn = async (sending: Sending): Promise<Verdict> => (await sendThrough(sending)).verdict;

type Concerns = { readonly verdict: Verdict["verdict"]; readonly recipientOnly?: true };
const LATER: Concerns = { verdict: "retry" };
const LATER_FOR_THIS_ONE: Concerns = { verdict: "retry", recipientOnly: true };
const BLOCKED: Concerns = { verdict: "blocked" };

/** For 421, 450 and 550. */
const TABLE: Record<Exclude<SmtpStep, "STARTTLS">, readonly [Concerns, Concerns, Concerns]> = {
  greeting: [LATER, LATER, BLOCKED],
  EHLO: [LATER, LATER, BLOCKED],
  AUTH: [LATER, LATER, BLOCKED],
  "MAIL FROM": [LATER, LATER, BLOCKED],
  "RCPT TO": [LATER, LATER_FOR_THIS_ONE, { verdict: "hopeless", recipientOnly: true }],
  DATA: [LATER, LATER_FOR_THIS_ONE, { verdict: "rejected" }],
  message: [LATER, LATER_FOR_THIS_ONE, { verdict: "rejected" }],
};

describe("R36: a refusal is judged by its code and by what it was said to:", () => {
  for (const [step, concerns] of Object.entries(TABLE)) {
    test(step, async () => {
      for (const [index, answer] of ["421 no", "450 no", "550 no"].entries()) {
        expect(await verdictAt(step as SmtpStep, answer)).toEqual({ ...concerns[index], answer } as Verdict);
      }
    });
  }
});

test("R36: a conversation that breaks off is taken up again, wherever it broke", async () => {
  for (const step of SMTP_STEPS) {
    const security = step === "STARTTLS" ? "starttls" : "none";
    const verdict = await verdictAt(step, null, { security });
    expect(verdict).toEqual({ verdict: "retry", answer: "connection to the mail server failed" });
  }
});

test("R36: a mail that is too large for its sender's server is rejected, not the sender", async () => {
  expect(await verdictAt("MAIL FROM", "552 5.3.4 message too big")).toMatchObject({ verdict: "rejected" });
});

test("R36: that a login is missing or refused is about the destination, whatever it is said to", async () => {
  for (const step of ["MAIL FROM", "RCPT TO", "DATA", "message"] as const) {
    for (const answer of ["530 5.7.0 authentication required", "535 5.7.8 bad login", "538 encryption required"]) {
      expect(await verdictAt(step, answer)).toEqual({ verdict: "blocked", answer });
    }
  }
  expect(await verdictAt("AUTH", "454 4.7.0 try again")).toEqual({ verdict: "retry", answer: "454 4.7.0 try again" });
});

test("a wrong password is for the operator to mend, and is not repeated in the answer", async () => {
  const wrong = { security: "tls", login: { username: "rollcall", password: "wr0ng" } } as const;
  const sending = { security: "tls", certificate, login: LOGIN, settings: wrong, options: TRUSTED } as const;
  expect(await verdictOn(sending)).toEqual({ verdict: "blocked", answer: "535 5.7.8 wrong user name or password" });
});

test("a login without a password is for the operator to mend", async () => {
  const login = { username: "rollcall", password: "" };
  const answer = "the login has no user name or no password";
  expect(await verdictAt("AUTH", null, { login })).toEqual({ verdict: "blocked", answer });
});

const certificate = createCertificate();
const TRUSTED = { certificateAuthority: certificate.certificate };

test("STARTTLS is required, not tried: a server without it is for the operator to mend", async () => {
  const { verdict, count } = await sendThrough({ settings: { security: "starttls" }, options: TRUSTED });
  expect(verdict).toEqual({ verdict: "blocked", answer: expect.stringMatching(/^no STARTTLS: 50\d /) });
  expect(count).toBe(0);
  const later = { verdict: "retry", answer: "no STARTTLS: 454 4.7.0 TLS not available" } as const;
  expect(await verdictAt("STARTTLS", "454 4.7.0 TLS not available", { security: "starttls" })).toEqual(later);
});

test("a certificate nobody vouches for is refused", async () => {
  for (const security of ["tls", "starttls"] as const) {
    const { verdict, count } = await sendThrough({ security, certificate, settings: { security } });
    expect(verdict).toMatchObject({ verdict: "retry", answer: expect.stringMatching(/^TLS failure/) });
    expect(count).toBe(0);
  }
});

test("TLS with a server that speaks none is a failure of TLS", async () => {
  const { verdict } = await sendThrough({ settings: { security: "tls" } });
  expect(verdict).toMatchObject({ verdict: "retry", answer: expect.stringMatching(/^TLS failure/) });
});

test("a connection that is refused, and a name that leads nowhere, are tried again", async () => {
  const gone = await startSmtpServer();
  await gone[Symbol.asyncDispose]();
  const refused = createEmailChannel(emailSettings(gone.port));
  expect(await refused.send(mailDelivery(), MAILED_AT)).toEqual({ verdict: "retry", answer: "connection refused" });

  const nowhere = createEmailChannel(emailSettings(25, { host: "mail.invalid" }));
  expect(await nowhere.send(mailDelivery(), MAILED_AT)).toEqual({ verdict: "retry", answer: "host name not found" });
});

test("R36: a real server's refusals are heard as they are said", async () => {
  const refusal = (code: number) => () => ({ code, text: "no" });
  expect(await verdictOn({ recipient: refusal(450) })).toEqual({ ...LATER_FOR_THIS_ONE, answer: "450 no" } as Verdict);
  expect(await verdictOn({ sender: refusal(550) })).toEqual({ verdict: "blocked", answer: "550 no" });
  expect(await verdictOn({ message: refusal(554) })).toEqual({ verdict: "rejected", answer: "554 no" });
});

test("R36: a recipient is given up at once only when the reply says that there is no such mailbox", async () => {
  const hopeless = [
    "550 5.1.1 user unknown",
    "550 5.1.10 recipient not found",
    "553 5.1.3 bad address syntax",
    "551 user not local",
    "553 mailbox name not allowed",
  ];
  for (const answer of hopeless)
    expect(await verdictAt("RCPT TO", answer)).toEqual({ verdict: "hopeless", answer, recipientOnly: true });
  const mayPass = [
    "550 5.7.1 relaying denied",
    "554 5.7.1 listed by a block list",
    "552 5.2.2 mailbox full",
    "550 5.1.0 sender address rejected",
    "550 5.1.8 sender domain not found",
    "552 mailbox full",
    "554 blocked",
  ];
  for (const answer of mayPass) {
    expect(await verdictAt("RCPT TO", answer)).toEqual({ verdict: "blocked", answer, recipientOnly: true });
  }
});

test("R36: of several recipients one whose mailbox is gone costs the others nothing", async () => {
  const recipients = ["ada@example.org", "gone@example.org", "eve@example.org"];
  await using server = await startSmtpServer({
    recipient: (address) => (address === recipients[1] ? { code: 550, text: "5.1.1 user unknown" } : null),
  });
  const { outbox, database, enqueue } = openTestOutbox();
  const { clock, after } = manualTime(ALERT_AT);
  const channels = new Map([["email", createEmailChannel(emailSettings(server.port))]]);
  const notifier = createNotifier({
    outbox,
    channels,
    clock,
    steadySince: steadyBy(clock),
    after,
    random: () => 0.5,
    log: () => {},
  });
  enqueue(
    1,
    recipients.map((recipient) => ({ destination: "email", recipient })),
  );
  const outcomes = () =>
    database
      .query<{ recipient: string; outcome: string | null }, []>("select recipient, outcome from deliveries order by id")
      .all();
  notifier.start();
  await until(() => outcomes().every(({ outcome }) => outcome !== null));
  expect(outcomes().map(({ outcome }) => outcome)).toEqual(["sent", "given_up", "sent"]);
  expect(server.mails.flatMap(({ to }) => to)).toEqual(["ada@example.org", "eve@example.org"]);
  expect(notifier.failing().size).toBe(0);
  await notifier.stop();
});
