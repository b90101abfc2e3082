// Answers too long to make at once: one piece per turn of the event loop, so that no report waits for the whole.

import type { Log } from "../domain/log.ts";
import { okStream, okText } from "./answers.ts";

/** Text in pieces: makes each at once, and lets others run before the next. The returned text is the last piece. */
export type Pieces = Generator<string, string, void>;

/** The answer with these pieces as its body. If one piece is enough, it is an ordinary answer. */
export type AnswerInPieces = (pieces: Pieces) => Response;

/** Settles when it is this caller's turn: each turn of the event loop is one caller's, in the order of asking. */
export type MyTurn = () => Promise<void>;

/** `nextTurn` calls back in a later turn of the event loop. */
export function createTurnTaking(nextTurn: (run: () => void) => void = setImmediate): MyTurn {
  let lastTurn: Promise<void> = Promise.resolve();
  return () => {
    lastTurn = lastTurn.then(() => new Promise((resolve) => void nextTurn(resolve)));
    return lastTurn;
  };
}

/** All answers made by one of these share its turns: each turn makes one piece, however many answers are under way. */
export function createAnswerInPieces(log: Log, myTurn: MyTurn = createTurnTaking()): AnswerInPieces {
  return (pieces) => {
    const first = pieces.next();
    return first.done ? okText(first.value) : okStream(streamOf(first.value, pieces, myTurn, log));
  };
}

/** Ends when the reader goes away; waits for a slow one. An error breaks the body off: its beginning is sent. */
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
