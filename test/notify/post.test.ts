// Which POSTs share a connection, against a receiver that counts its connections. What they say is tested with the
// channels that send them.

import { expect, test } from "bun:test";
import type { Socket } from "node:net";
import { SECOND } from "../../src/domain/time.ts";
import { destinationUrl, requestDestination } from "../../src/notify/post.ts";
import { ALERT_AT } from "../support/alerts.ts";
import { startRawSink } from "../support/http-sink.ts";

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
  requestDestination(
    { method: "POST", url: destinationUrl(url), headers: {}, body: "A message." },
    { sentAt, timeoutMs: 5_000 },
  );

test("what follows at once shares a connection, what comes after a pause has one of its own", async () => {
  await using sink = await startRawSink((socket) => answerAll(socket));
  const opened: number[] = [];
  for (const seconds of [0, 1, 2, 3, 5, 3_600, 0]) {
    const before = sink.connections();
    expect(await sendTo(sink.url, ALERT_AT + seconds * SECOND)).toEqual(DELIVERED);
    opened.push(sink.connections() - before);
  }
  const [first, second, ...others] = opened;
  // We ask to give the first connection up at once, but the runtime may keep it for the second message. Tests of one
  // process share what was sent when, so the first may itself follow a message to a receiver that had this port.
  expect([first, second === 0 || second === 1]).toEqual([1, true]);
  // A clock that was set back says nothing of how long ago the last one was.
  expect(others).toEqual([0, 0, 1, 1, 1]);
});

test("a kept connection that the receiver has closed is no failure", async () => {
  await using sink = await startRawSink((socket) => answerAll(socket, true));
  for (let count = 0; count < 20; count++) expect(await sendTo(sink.url, ALERT_AT + count)).toEqual(DELIVERED);
});
