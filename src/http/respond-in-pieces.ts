// Sends a response that takes long to make: one piece in each turn of the event loop, so that reports come between the
// pieces.

import type { Log } from "../domain/log.ts";
import { okStream, okText } from "./json-responses.ts";
import type { Yield } from "./yield.ts";

/** A text in pieces: each step makes one piece, and the returned text is the last. */
export type Pieces = Generator<string, string, void>;

/**
 * Returns a response with these pieces as its body. If the first piece is also the last, the response is an ordinary
 * one and no stream.
 */
export type RespondInPieces = (pieces: Pieces) => Response;

/** Makes the function that sends responses in pieces: one piece in each turn, however many responses are being sent. */
export function createRespondInPieces(log: Log, yieldNow: Yield): RespondInPieces {
  return (pieces) => {
    const first = pieces.next();
    return first.done ? okText(first.value) : okStream(streamOf(first.value, pieces, yieldNow, log));
  };
}

/**
 * Returns the body as a stream. Pieces are made only as fast as the client reads, and no more are made once it is gone.
 * An error breaks the body off, because its beginning is already sent.
 */
function streamOf(first: string, pieces: Pieces, yieldNow: Yield, log: Log): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let gone = false;
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(first)),
    pull: async (controller) => {
      await yieldNow();
      if (gone) return;
      try {
        const { done, value } = pieces.next();
        controller.enqueue(encoder.encode(value));
        if (done) controller.close();
      } catch (error) {
        log("error", "answer_broken_off", { error });
        controller.error(error);
      }
    },
    cancel: () => {
      gone = true;
      pieces.return("");
    },
  });
}
