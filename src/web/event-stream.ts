// Server-sent events: one stream of text that stays open until the browser goes away.

import { SECOND } from "../domain/time.ts";
import { PAGE_HEADERS } from "./answer.ts";

export interface EventSink {
  send(message: Uint8Array): void;
  /** Says that nothing has changed; also keeps proxies from closing a silent connection. */
  beat(): void;
  end(): void;
}

/** Bytes that may wait for one browser: a few large pages. */
const WAITING_MAX = 1024 * 1024;

const ENCODER = new TextEncoder();

/** A message; its text may have several lines. */
export const eventOf = (text: string): Uint8Array => ENCODER.encode(`${text.replace(/^/gm, "data: ")}\n\n`);

/** A message of one of the pages that a connection keeps true. */
export const namedEvent = (name: string, message: Uint8Array): Uint8Array =>
  Buffer.concat([ENCODER.encode(`event: ${name}\n`), message]);

const HERE = ENCODER.encode("event: here\ndata:\n\n");
/** A browser waits for the first byte before it takes the connection as open. */
const OPEN = ENCODER.encode(": open\n\n");

/** Bytes that wait for all browsers together; then those that have not taken their last message are let go. */
const WAITING_IN_ALL = 64 * 1024 * 1024;
/** Milliseconds in which the server closes a connection that takes nothing: until then what waits for it is there. */
const DRAINED = 150 * SECOND;

interface Ends {
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** Aborted when the browser goes away. */
  readonly gone: AbortSignal;
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Called once when nothing waits for it any more. */
  readonly left: () => void;
}

export type OpenStream = ReturnType<typeof createEventStreams>;

/** The streams of one server share the bytes that may wait. */
export function createEventStreams() {
  let waitingInAll = 0;

  /**
   * Opens a stream: `open` begins to send and answers how to end that. A stop of the server closes the connection, and
   * waits for none. A browser that takes nothing for too long is let go; it comes again by itself, and misses nothing.
   */
  return ({ stopping, gone, after, left }: Ends, open: (sink: EventSink) => () => void): Response => {
    let end = (): void => {};
    let isOver = false;
    let waiting = 0;
    const note = (bytes: number): void => {
      waitingInAll += bytes - waiting;
      waiting = bytes;
    };
    const drained = (): void => {
      note(0);
      left();
    };
    /** Answers whether it was not over yet. */
    const over = (): boolean => {
      if (isOver) return false;
      isOver = true;
      end();
      stopping.removeEventListener("abort", stopped);
      gone.removeEventListener("abort", lost);
      return true;
    };
    const lost = (): void => {
      if (over()) drained();
    };
    let close = (): void => {};
    const stopped = (): void => close();
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const closeNow = (): void => {
            if (!over()) return;
            controller.close();
            // What was queued stays until the browser takes it or the connection is closed.
            if (waiting === 0) drained();
            else after(DRAINED, drained);
          };
          const write = (message: Uint8Array): void => {
            if (isOver) return;
            if (waiting > 0 && waitingInAll > WAITING_IN_ALL) return closeNow();
            controller.enqueue(message);
            note(WAITING_MAX - controller.desiredSize!);
            if (controller.desiredSize! <= 0) closeNow();
          };
          write(OPEN);
          end = open({ send: write, beat: () => write(HERE), end: closeNow });
          close = closeNow;
          stopping.addEventListener("abort", stopped);
          gone.addEventListener("abort", lost);
          if (gone.aborted) lost();
        },
        pull: (controller) => {
          if (!isOver) note(WAITING_MAX - controller.desiredSize!);
        },
        cancel: lost,
      },
      new ByteLengthQueuingStrategy({ highWaterMark: WAITING_MAX }),
    );
    return new Response(body, {
      headers: { ...PAGE_HEADERS, "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
    });
  };
}
