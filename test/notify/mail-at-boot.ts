// Sends a mail in a network of its own, for mail-at-boot.slow.test.ts, which prepares that network: no machine is there
// but this one, and only IPv6 has given it an address. Prints what became of the mail.

import { createEmailChannel } from "../../src/notify/email.ts";
import { emailSettings, MAILED_AT, mailDelivery } from "../support/mail.ts";
import { startSmtpServer } from "../support/smtp-server.ts";

/** The addresses of the mail server by the type of the question: one of this machine, one to which no way leads. */
const ADDRESSES: Readonly<Record<number, readonly number[]>> = {
  1: [127, 0, 0, 1],
  28: [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x25],
};

function answerTo(query: Buffer): Buffer {
  const end = query.indexOf(0, 12) + 5;
  const address = ADDRESSES[query.readUInt16BE(end - 4)] ?? [];
  const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, address.length === 0 ? 0 : 1, 0, 0, 0, 0]);
  const question = query.subarray(12, end);
  const about = [0xc0, 12, ...question.subarray(-4), 0, 0, 0, 60, 0, address.length, ...address];
  return Buffer.concat([head, question, Buffer.from(address.length === 0 ? [] : about)]);
}

await Bun.udpSocket({
  hostname: "127.0.0.1",
  port: 53,
  socket: { data: (socket, query, port, address) => void socket.send(answerTo(query), port, address) },
});
await using server = await startSmtpServer();
const channel = createEmailChannel(emailSettings(server.port, { host: "mail.example.org" }));
const { verdict } = await channel.send(mailDelivery(), MAILED_AT);
process.stdout.write(`${verdict}, ${server.mails.length} arrived`);
process.exit();
