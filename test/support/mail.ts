// Mail for tests: settings of a destination, a delivery, and one mail that is sent through a real server of the test.

import PostalMime, { type Email } from "postal-mime";
import type { ClaimedDelivery } from "../../src/engine/api.ts";
import type { SendContext, Verdict } from "../../src/notify/channel.ts";
import {
  createEmailChannel,
  type EmailOptions,
  type EmailSettings,
  type SmtpSettings,
} from "../../src/notify/email.ts";
import { ALERT_AT, alertOf } from "./alerts.ts";
import { type SmtpRules, startSmtpServer } from "./smtp-server.ts";

export const emailSettings = (port: number, changes: Partial<SmtpSettings> = {}): EmailSettings => ({
  type: "email",
  smtp: {
    host: "127.0.0.1",
    port,
    security: "none",
    login: null,
    from: { name: "rollcall", address: "cron@example.org" },
    ...changes,
  },
});

export const mailDelivery = (changes: Partial<ClaimedDelivery> = {}): ClaimedDelivery => ({
  id: 7,
  destination: "email",
  recipient: "ada@example.org",
  reference: "delivery-7-mm5x",
  thread: "incident-12-mm5w",
  createdAt: ALERT_AT,
  attempts: 0,
  message: alertOf(),
  ...changes,
});

/** A second after the alert became true. */
export const MAILED_AT: SendContext = { sentAt: ALERT_AT + 1_000, plain: false };

export interface Sending extends SmtpRules {
  readonly settings?: Partial<SmtpSettings>;
  readonly options?: EmailOptions;
  readonly delivery?: Partial<ClaimedDelivery>;
  readonly plain?: boolean;
}

export interface SentMail {
  readonly verdict: Verdict;
  readonly mail: Email;
  /** How many mails the server has taken. */
  readonly count: number;
}

export async function sendThrough(sending: Sending): Promise<SentMail> {
  await using server = await startSmtpServer(sending);
  const channel = createEmailChannel(emailSettings(server.port, sending.settings), sending.options);
  const verdict = await channel.send(mailDelivery(sending.delivery), { ...MAILED_AT, plain: sending.plain ?? false });
  const mail = await PostalMime.parse(server.mails[0]?.raw ?? "");
  return { verdict, mail, count: server.mails.length };
}
