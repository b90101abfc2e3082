// Sends server-sent events: one stream of text that stays open until the browser goes away.

import { SECOND } from "../../domain/time.ts";
import { PAGE_HEADERS } from "../response.ts";

export interface EventSink {
  send(message: Uint8Array): void;
  /** Sends an event that says that nothing has changed; it also keeps proxies from closing a silent connection. */
  beat(): void;
  end(): void;
}

/** How many bytes may wait for one browser before it is disconnected; a few large pages fit. */
const WAITING_MAX = 1024 * 1024;

const ENCODER = new TextEncoder();

/** Encodes a message, whose text may have several lines. */
export const eventOf = (text: string): Uint8Array => ENCODER.encode(`${text.replace(/^/gm, "data: ")}\n\n`);

/**
 * Adds to an encoded message the name of the page that it is about, because one connection keeps several pages current.
 */
export const namedEvent = (name: string, message: Uint8Array): Uint8Array =>
  Buffer.concat([ENCODER.encode(`event: ${name}\n`), message]);

const HERE = ENCODER.encode("event: here\ndata:\n\n");
/** The first bytes of a stream. A browser regards a connection as open only once a byte has come. */
const OPEN = ENCODER.encode(": open\n\n");

/**
 * How many bytes may wait for all browsers together. When more wait, a new message disconnects each browser that has
 * not taken its last one.
 */
const WAITING_IN_ALL = 64 * 1024 * 1024;
/**
 * For how many milliseconds after the end of a stream its waiting bytes are counted. By then the server has surely
 * closed a connection that takes nothing, and the bytes have left the memory.
 */
const DRAINED = 150 * SECOND;

interface Ends {
  /** Is aborted when the server stops. */
  readonly stopping: AbortSignal;
  /** Is aborted when the browser goes away. */
  readonly gone: AbortSignal;
  readonly after: (milliseconds: number, run: () => void) => () => void;
  /** Called once after the end of the stream, when no bytes wait for this browser any more. */
  readonly left: () => void;
}

export type OpenStream = ReturnType<typeof createEventStreams>;

/** Makes the function that opens streams. `WAITING_IN_ALL` limits what waits in all streams of one such function. */
export function createEventStreams() {
  let waitingInAll = 0;

  /**
   * Opens a stream. `open` begins to send and returns the function that ends the sending. When the server stops, the
   * stream closes the connection and waits for no browser. A browser that takes nothing for too long is disconnected;
   * it connects again by itself and misses nothing.
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
    /** Ends the stream; returns whether it was still open. */
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
            // The waiting bytes stay in memory until the browser takes them or the connection is closed.
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
