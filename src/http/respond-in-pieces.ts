// Sends responses that are too long to make at once: one piece per turn of the event loop, so that no report waits for
// the whole.

import type { Log } from "../domain/log.ts";
import { okStream, okText } from "./json-responses.ts";
import type { Yield } from "./yield.ts";

/**
 * Text in pieces: each step makes one piece at once and lets other work run before the next. The returned text is the
 * last piece.
 */
export type Pieces = Generator<string, string, void>;

/** Returns a response with these pieces as its body. If one piece is enough, it is an ordinary response. */
export type RespondInPieces = (pieces: Pieces) => Response;

/** Makes the function that sends such responses. Each turn makes one piece, however many responses are being sent. */
export function createRespondInPieces(log: Log, yieldNow: Yield): RespondInPieces {
  return (pieces) => {
    const first = pieces.next();
    return first.done ? okText(first.value) : okStream(streamOf(first.value, pieces, yieldNow, log));
  };
}

/**
 * The body as a stream. It ends when the reader goes away, and waits for a slow one. An error breaks the body off,
 * because its beginning is already sent.
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
