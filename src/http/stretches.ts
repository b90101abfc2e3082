// Answers that are too long to be made at once: a piece a turn of the event loop, so that no report waits for the whole. It
// must not know what an answer says, and holds no more of it than one piece.

import type { Log } from "../domain/log.ts";
import { okStream, okText } from "./answers.ts";

/** Text in pieces: each is made at once, and others have their turn before the next. The returned text is the last. */
export type Pieces = Generator<string, string, void>;

/** The answer whose body these pieces are. What fits into one is an answer like any other. */
export type AnswerInStretches = (pieces: Pieces) => Response;

/** All answers made by one of these share its turns: however many are under way, one piece is made in each. */
export function createStretches(log: Log): AnswerInStretches {
  let lastTurn: Promise<void> = Promise.resolve();
  const myTurn = (): Promise<void> => {
    lastTurn = lastTurn.then(() => new Promise((resolve) => void setImmediate(resolve)));
    return lastTurn;
  };

  return (pieces) => {
    const first = pieces.next();
    return first.done ? okText(first.value) : okStream(streamOf(first.value, pieces, myTurn, log));
  };
}

/** A reader that goes away ends it; one that is slow is waited for. An error breaks the body off: its beginning is on its way. */
function streamOf(
  first: string,
  pieces: Pieces,
  myTurn: () => Promise<void>,
  log: Log,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  let gone = false;
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(first)),
    pull: async (controller) => {
      await myTurn();
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
