// The SMTP server for reports by mail (R47): bounded in size, time and number. It passes no mail on, and needs no
// sign-in: who knows an address may report its job.

import { SMTPServer } from "smtp-server";
import type { Log } from "../../domain/log.ts";
import { codeOf } from "../../domain/unless-missing.ts";
import { networkOf } from "../https.ts";
import { type MailIn, type MailReply, READ_BYTES } from "./mail-in.ts";

type MailListening = Readonly<{ host: string; port: number; domain: string }> & {
  readonly tls: { readonly certificate: string; readonly key: string } | null;
};

const TOO_LARGE: MailReply = { code: 552, text: "the mail is larger than 1 MiB" };
const TOO_MANY: MailReply = { code: 421, text: "too many connections from here" };
const RULE = "choose an address of this machine, and a free port above 1023";
const CONNECTIONS_OF_NETWORK = 20;
/** How long a connection may last, whatever it brings. Milliseconds. */
const LASTS = 300_000;

/** Settles once it listens; rejects with a sentence for people. A stop takes at most `stopWithin` milliseconds. */
export async function listenForMail(
  { host, port, domain, tls }: MailListening,
  mailIn: MailIn,
  after: (milliseconds: number, run: () => void) => () => void,
  stopWithin: number,
  log: Log,
) {
  const server: SMTPServer = new SMTPServer({
    ...(tls === null ? {} : { cert: tls.certificate, key: tls.key }),
    disabledCommands: tls === null ? ["AUTH", "STARTTLS"] : ["AUTH"],
    name: domain,
    authOptional: true,
    disableReverseLookup: true,
    lenientAddressParsing: true,
    size: 1024 * 1024,
    maxClients: 100,
    maxRecipients: 20,
    maxCommandLength: 1_000,
    socketTimeout: 60_000,
    closeTimeout: stopWithin,
    onConnect({ remoteAddress }, done) {
      const here = [...server.connections].filter((one) => networkOf(one.remoteAddress) === networkOf(remoteAddress));
      done(here.length > CONNECTIONS_OF_NETWORK ? refused(TOO_MANY) : null);
    },
    onRcptTo({ address }, { remoteAddress }, done) {
      const isOurs = address.toLowerCase().endsWith(`@${domain}`);
      const relayed = { code: 550, text: `no mail is passed on, only reports at ${domain} are taken` };
      done(refused(isOurs ? mailIn.refused(address, remoteAddress) : relayed));
    },
    async onData(stream, { envelope: { mailFrom, rcptTo }, remoteAddress: client }, done) {
      let raw = Buffer.alloc(0);
      try {
        for await (const piece of stream) if (raw.length < READ_BYTES) raw = Buffer.concat([raw, piece]);
      } catch {
        return; // The sender went away.
      }
      const [addresses, sender] = [rcptTo.map(({ address }) => address), mailFrom === false ? "" : mailFrom.address];
      const reply = stream.sizeExceeded ? TOO_LARGE : await mailIn.take(addresses, raw, { sender, client });
      done(refused(reply.code < 400 ? null : reply), reply.text);
    },
  });
  // Of connections that break off there is nothing to tell.
  server.on("error", () => {});
  server.server.on("connection", (socket) => {
    const callOff = after(LASTS, () => socket.destroy());
    socket.once("close", callOff);
  });
  const taken = `mail_in.listen: ${host}:${port} cannot be had`;
  await new Promise<void>((resolve, reject) => {
    server.server.once("error", (error) => reject(new Error(`${taken} (${codeOf(error)}); ${RULE}`)));
    server.listen(port, host, resolve);
  });
  log("info", "listening_for_mail", { host, port, domain, starttls: tls !== null });
  return { configure: mailIn.configure, stop: () => new Promise<void>((resolve) => server.close(resolve)) };
}

const refused = (reply: MailReply | null): Error | null =>
  reply && Object.assign(new Error(reply.text), { responseCode: reply.code });
