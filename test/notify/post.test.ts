// Which POSTs share a connection, against a receiver that counts its connections. What they say is tested with the
// channels that send them.

import { expect, test } from "bun:test";
import type { Socket } from "node:net";
import { DAY, SECOND } from "../../src/domain/time.ts";
import { destinationUrl, request } from "../../src/notify/post.ts";
import { ALERT_AT } from "../support/alerts.ts";
import { startRawSink } from "../support/http-sink.ts";

/**
 * When these messages are sent. Sending remembers each host with its port, tests of one process share that memory, and
 * the port may have been another test's. No other test sends in this year, so none counts as just before.
 */
const OWN_TIME = ALERT_AT + 400 * DAY;

const DELIVERED = { verdict: "delivered", answer: "HTTP 200 OK" } as const;

/** Answers every POST whose body ends with a full stop; hangs up after it when told so. */
const answerAll = (socket: Socket, hangUp = false): void => {
  socket.on("data", (piece) => {
    if (!piece.toString("latin1").endsWith(".")) return;
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    if (hangUp) socket.end();
  });
};

const sendTo = (url: string, sentAt: number) =>
  request({ method: "POST", url: destinationUrl(url), headers: {}, body: "A message." }, { sentAt, timeoutMs: 5_000 });

test("what follows at once shares a connection, what comes after a pause has one of its own", async () => {
  await using sink = await startRawSink((socket) => answerAll(socket));
  // This one is sent as if by the test that had the port before.
  await sendTo(sink.url, ALERT_AT);
  const before = sink.connections();
  const connections: number[] = [];
  for (const seconds of [0, 1, 2, 3, 5, 3_600, 0]) {
    expect(await sendTo(sink.url, OWN_TIME + seconds * SECOND)).toEqual(DELIVERED);
    connections.push(sink.connections() - before);
  }
  // The first is given up at once. A clock that was set back says nothing of how long ago the last one was.
  expect(connections).toEqual([1, 2, 2, 2, 3, 4, 5]);
});

test("a kept connection that the receiver has closed is no failure", async () => {
  await using sink = await startRawSink((socket) => answerAll(socket, true));
  for (let count = 0; count < 20; count++) expect(await sendTo(sink.url, OWN_TIME + count)).toEqual(DELIVERED);
});
