// The SMTP server for reports by mail (R47). It limits how long a connection lasts, how many are open, and how much of
// a mail is kept. It passes no mail on and needs no sign-in: whoever knows an address may report its job. A device does
// not send again what is turned away, so a mail of any length is taken, and connections beyond the limits wait.

import type { Socket } from "node:net";
import { SMTPServer } from "smtp-server";
import type { Log } from "../../domain/log.ts";
import { codeOf } from "../../domain/unless-missing.ts";
import type { Clock } from "../../engine/api.ts";
import { createFailureLog } from "../failure-log.ts";
import { type MailCame, type MailIn, type MailReply, READ_BYTES } from "./mail-in.ts";
import { createMailConnections, mailConnectionToClose } from "./mail-places.ts";

type MailListening = Readonly<{ host: string; port: number; domain: string }> & {
  readonly tls: { readonly certificate: string; readonly key: string } | null;
};

const RULE = "choose an address of this machine, and a free port above 1023";
const RECIPIENTS = 20;
const TOO_MANY_RECIPIENTS: MailReply = { code: 452, text: `a mail may have ${RECIPIENTS} recipients` };
const PLACES = { served: 100, ofOne: 20 };
/** How many connections may be open, those that wait included. Each takes a descriptor. */
const OPEN_MOST = 300;
/** When this many bytes of a mail have come, it counts as a report even if its end never comes. */
const ENOUGH_BYTES = 1024 * 1024;
/** After how many milliseconds a connection is closed, even if it is in use. */
const CONNECTION_MAX_MS = 300_000;

const ADDRESS = "[^\\s<>@\\p{Cc}\\p{Cf}]+@[^\\s<>@\\p{Cc}\\p{Cf}]+";
const SENDER = new RegExp(`^mail from:\\s*<?(${ADDRESS})?`, "iu");
const BARE_RECIPIENT = new RegExp(`^(rcpt to):\\s*(${ADDRESS})(.*)$`, "isu");

/**
 * Rewrites an SMTP command for the library, which takes only `MAIL FROM:<ADDRESS>` and `RCPT TO:<ADDRESS>`. Devices
 * write `MAIL FROM:<root>` or leave out the brackets. The library would answer 501 before it is known whose job they
 * report. The sender is only logged, so any text will do, and the parameters after it change nothing here.
 */
const strictly = (command: string): string =>
  SENDER.test(command)
    ? `MAIL FROM:<${SENDER.exec(command)![1] ?? ""}>`
    : command.replace(BARE_RECIPIENT, (_, verb, address, more) => `${verb}:<${address}>${more}`);

type MailConnection = SMTPServer["connections"] extends Set<infer Each> ? Each : never;

/**
 * Lets this connection take MAIL and RCPT with addresses that the library would refuse. `strictly` rewrites each of
 * these commands before the library handles it.
 */
function takeLooseAddresses(connection: MailConnection): void {
  for (const name of ["handler_MAIL", "handler_RCPT"] as const) {
    const handle = connection[name].bind(connection);
    connection[name] = (command, done) => handle(Buffer.from(strictly(String(command))), done);
  }
}

/** Reads a mail to its end, and keeps only its first `READ_BYTES`. */
async function receivedBeginning(stream: AsyncIterable<Buffer>): Promise<{ raw: Buffer; came: MailCame }> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let isBrokenOff = false;
  try {
    for await (const piece of stream) {
      if (bytes < READ_BYTES) pieces.push(piece);
      bytes += piece.length;
    }
  } catch {
    // The client went away before the end of the mail. If enough bytes have come, the mail counts nevertheless.
    isBrokenOff = bytes < ENOUGH_BYTES;
  }
  const raw = Buffer.concat(pieces).subarray(0, READ_BYTES);
  return { raw, came: isBrokenOff ? "brokenOff" : bytes > READ_BYTES ? "beginning" : "whole" };
}

/**
 * Starts the SMTP server. The promise resolves once the server listens, and rejects with a sentence for people when it
 * cannot. To stop it takes at most `stopWithin` milliseconds.
 */
export async function listenForMail(
  { host, port, domain, tls }: MailListening,
  mailIn: MailIn,
  after: (milliseconds: number, run: () => void) => () => void,
  stopWithin: number,
  clock: Clock,
  log: Log,
) {
  const places = createMailConnections(PLACES);
  const noteUnserved = createFailureLog(clock, log, "mail_connection_unserved");
  const server: SMTPServer = new SMTPServer({
    ...(tls === null ? {} : { cert: tls.certificate, key: tls.key }),
    disabledCommands: tls === null ? ["AUTH", "STARTTLS"] : ["AUTH"],
    name: domain,
    authOptional: true,
    disableReverseLookup: true,
    lenientAddressParsing: true,
    maxCommandLength: 1_000,
    socketTimeout: 60_000,
    closeTimeout: stopWithin,
    onConnect({ id, remoteAddress }, done) {
      for (const connection of server.connections) if (connection.id === id) takeLooseAddresses(connection);
      places.enter(id, remoteAddress, done);
    },
    onClose({ id, remoteAddress }) {
      if (!places.leave(id)) noteUnserved(remoteAddress);
    },
    onRcptTo({ address }, { remoteAddress, envelope }, done) {
      const isToThisDomain = address.toLowerCase().endsWith(`@${domain}`);
      const isBeyond = envelope.rcptTo.length >= RECIPIENTS;
      const relayed = { code: 550, text: `no mail is passed on, only reports at ${domain} are taken` };
      const wrong = isToThisDomain ? (isBeyond ? TOO_MANY_RECIPIENTS : null) : relayed;
      done(mailError(mailIn.refused(address, remoteAddress, wrong)));
    },
    async onData(stream, { envelope: { mailFrom, rcptTo }, remoteAddress: client }, done) {
      const { raw, came } = await receivedBeginning(stream);
      const addresses = rcptTo.map(({ address }) => address);
      const sender = mailFrom === false ? "" : mailFrom.address;
      const reply = await mailIn.take(addresses, raw, { sender, client }, came);
      done(mailError(reply.code < 400 ? null : reply), reply.text);
    },
  });
  // A connection that breaks off is no reason for a log line.
  server.on("error", () => {});
  const open = new Set<Socket>();
  server.server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    const excess = mailConnectionToClose([...open], OPEN_MOST);
    excess?.destroy();
    const callOff = after(CONNECTION_MAX_MS, () => socket.destroy());
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

const mailError = (reply: MailReply | null): Error | null =>
  reply && Object.assign(new Error(reply.text), { responseCode: reply.code });
