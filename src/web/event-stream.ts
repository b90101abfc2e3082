// Server-sent events: one stream of text that stays open until the browser goes away.

import { PAGE_HEADERS } from "./answer.tsx";

export interface EventSink {
  /** One message, as `eventOf` makes it. */
  send(message: Uint8Array): void;
  /** Says that nothing has changed; also keeps proxies from closing a silent connection. */
  beat(): void;
  /** Closes the connection. */
  end(): void;
}

/** Bytes that may wait for one browser: a few large pages. */
const WAITING_MAX = 1024 * 1024;

const ENCODER = new TextEncoder();

/** A message; its text may have several lines. */
export const eventOf = (text: string): Uint8Array => ENCODER.encode(`${text.replace(/^/gm, "data: ")}\n\n`);

const HERE = ENCODER.encode("event: here\ndata:\n\n");
/** A browser waits for the first byte before it takes the connection as open. */
const OPEN = ENCODER.encode(": open\n\n");

/**
 * `open` begins to send and answers how to end that. A stop of the server closes the connection, and waits for none. A
 * browser that takes nothing for too long is let go; it comes again by itself, and misses nothing.
 */
export function eventStream(stopping: AbortSignal, open: (sink: EventSink) => () => void): Response {
  let end = (): void => {};
  let close = (): void => {};
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: WAITING_MAX });
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        close = (): void => {
          end();
          stopping.removeEventListener("abort", close);
          controller.close();
        };
        const write = (message: Uint8Array): void => {
          controller.enqueue(message);
          if (controller.desiredSize! <= 0) close();
        };
        write(OPEN);
        end = open({
          send: write,
          beat: () => write(HERE),
          end: close,
        });
        stopping.addEventListener("abort", close);
      },
      cancel: () => {
        end();
        stopping.removeEventListener("abort", close);
      },
    },
    strategy,
  );
  return new Response(body, {
    headers: { ...PAGE_HEADERS, "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
  });
}
