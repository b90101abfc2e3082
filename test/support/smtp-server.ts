// A real SMTP server for tests, on a free port: it keeps each mail, and refuses what the test says.

import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import type { TestCertificate } from "./certificate.ts";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The mail as it came over the network. */
  readonly raw: string;
  readonly secure: boolean;
  readonly user: string | null;
}

/** An SMTP reply that refuses; `null` accepts. */
type Refusal = { readonly code: number; readonly text: string } | null;

export interface SmtpRules {
  readonly security?: "none" | "starttls" | "tls";
  readonly certificate?: TestCertificate;
  readonly login?: { readonly username: string; readonly password: string };
  readonly sender?: (address: string) => Refusal;
  readonly recipient?: (address: string) => Refusal;
  readonly message?: (raw: string) => Refusal;
  /** How many milliseconds the server waits before its greeting. */
  readonly silentFor?: number;
}

export interface TestSmtpServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
}

/**
 * Listens on 127.0.0.1, until the end of the block that holds it (`await using`). `port` is any free one when it is
 * left out.
 */
export async function startSmtpServer(rules: SmtpRules = {}, port = 0): Promise<TestSmtpServer> {
  const { security = "none", certificate, login } = rules;
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    secure: security === "tls",
    ...(certificate === undefined ? {} : { key: certificate.key, cert: certificate.certificate }),
    disabledCommands: [...(security === "starttls" ? [] : ["STARTTLS"]), ...(login === undefined ? ["AUTH"] : [])],
    authOptional: login === undefined,
    disableReverseLookup: true,
    closeTimeout: 0,
    onAuth: ({ username, password }, _session, done) => {
      const known = username === login?.username && password === login?.password;
      if (known && username !== undefined) done(null, { user: username });
      else done(refused({ code: 535, text: "5.7.8 wrong user name or password" }));
    },
    onMailFrom: ({ address }, _session, done) => done(refused(rules.sender?.(address) ?? null)),
    onRcptTo: ({ address }, _session, done) => done(refused(rules.recipient?.(address) ?? null)),
    onData: async (stream, session, done) => {
      const raw = await wholeMessage(stream);
      if (raw === null) return;
      const refusal = rules.message?.(raw) ?? null;
      if (refusal !== null) return done(refused(refusal));
      const { mailFrom, rcptTo } = session.envelope;
      const from = mailFrom === false ? "" : mailFrom.address;
      const to = rcptTo.map((recipient) => recipient.address);
      mails.push({
        from,
        to,
        raw,
        secure: session.secure,
        user: session.user === undefined ? null : String(session.user),
      });
      done(null, "2.0.0 kept");
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

/** `null` when the sender went away before the whole mail had come, as a killed one does. */
const wholeMessage = (stream: Readable): Promise<string | null> =>
  text(stream).catch((error) => {
    if (error.code === "ECONNECTION") return null;
    throw error;
  });

const refused = (refusal: Refusal): Error | null =>
  refusal === null ? null : Object.assign(new Error(refusal.text), { responseCode: refusal.code });
