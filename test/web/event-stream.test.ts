// Streams of news over real sockets: what waits for a browser that reads nothing must not grow.

import { expect, test } from "bun:test";
import { connect } from "node:net";
import { after } from "../../src/cli/clock.ts";
import { createEventStreams, type EventSink, eventOf, type OpenStream } from "../../src/web/live/event-stream.ts";
import { until } from "../support/executable.ts";

const NEWS = eventOf("x".repeat(256 * 1024));
/** Far more than the sockets between the two hold. */
const SENT_MAX = 400;

/** A server of one stream. */
function startStream() {
  let sink: EventSink | null = null;
  let ended = 0;
  const open = (opened: EventSink): (() => void) => {
    sink = opened;
    return () => {
      ended += 1;
    };
  };
  let left = 0;
  const openStream = createEventStreams();
  const fetch = (request: Request): Response =>
    openStream({ stopping: new AbortController().signal, gone: request.signal, after, left: () => left++ }, open);
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  return {
    server,
    opened: () => until("a stream", () => sink),
    ended: () => ended,
    left: () => left,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

test("a browser that reads nothing is let go before what waits for it has grown", async () => {
  await using stream = startStream();
  const socket = connect(stream.server.port!, "127.0.0.1");
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  socket.pause();
  const sink = await stream.opened();
  let sent = 0;
  for (; sent < SENT_MAX && stream.ended() === 0; sent++) {
    sink.send(NEWS);
    await Bun.sleep(1);
  }
  expect(stream.ended()).toBe(1);
  expect(sent).toBeLessThan(SENT_MAX);
  socket.destroy();
});

test("a browser that reads gets all news, also when they come at once", async () => {
  await using stream = startStream();
  const answer = await fetch(stream.server.url);
  const sink = await stream.opened();
  const decoder = new TextDecoder();
  let received = "";
  for (let news = 0; news < 50; news++) sink.send(eventOf(`${news} ${"y".repeat(10_000)}`));
  for await (const bytes of answer.body!) {
    received += decoder.decode(bytes, { stream: true });
    if (received.includes("data: 49 ") && received.endsWith("\n\n")) break;
  }
  expect(received.match(/^data: \d+/gm)).toHaveLength(50);
  expect(received).toStartWith(": open\n\n");
});

test("R33: what waits for all browsers together is bounded for each server, and what one has taken makes room for another", async () => {
  const message = eventOf("x".repeat(900 * 1024));
  const openStreams = (openStream: OpenStream) =>
    Array.from({ length: 100 }, () => {
      const stream = { isOver: false, left: 0, sink: null as EventSink | null, response: null as Response | null };
      const ends = {
        stopping: new AbortController().signal,
        gone: new AbortController().signal,
        after: () => () => {},
        left: () => stream.left++,
      };
      stream.response = openStream(ends, (sink) => {
        stream.sink = sink;
        return () => {
          stream.isOver = true;
        };
      });
      return stream;
    });
  const streams = openStreams(createEventStreams());
  for (const { sink } of streams) sink!.send(message);
  const held = streams.filter(({ isOver }) => !isOver);
  expect(held.length).toBeLessThanOrEqual(Math.ceil((64 * 1024 * 1024) / message.byteLength) + 1);
  expect(held.length).toBeGreaterThan(60);
  // Those that were let go hold their place until nothing waits for them.
  expect(streams.every(({ left }) => left === 0)).toBe(true);
  for (const { response } of held.slice(0, 10)) await response!.body!.cancel();
  expect(held.slice(0, 10).every(({ left }) => left === 1)).toBe(true);
  const later = held.at(-1)!;
  later.sink!.beat();
  expect(later.isOver).toBe(false);
  // Another server, as a reload makes one, has its own measure: what waits at this one takes nothing from it.
  const others = openStreams(createEventStreams());
  for (const { sink } of others) sink!.send(message);
  expect(others.filter(({ isOver }) => !isOver)).toHaveLength(held.length);
  for (const { response } of [...streams, ...others]) await response!.body!.cancel();
});
