// Puts bytes on a connection and brings back, byte for byte, what came: and whether the service then still listened on
// it.

import { connect } from "node:net";
import { HEALTHY, TIME } from "./answers.ts";

/** One row of a table: what is sent, what has to come back, and what becomes of the connection. */
export type Case = readonly [title: string, sent: Sent, answers: readonly string[], end: End];

/** One letter a byte; KEY stands for a live key. The pieces of a list arrive one after the other. */
export type Sent = string | readonly string[] | Singly | OneByOne | HalfClosed;

/** Every byte is a piece. */
interface Singly {
  readonly singly: string;
}

/** Each is sent when something has come for the one before. */
interface OneByOne {
  readonly oneByOne: readonly string[];
}

/** Who sends it says with its end that nothing follows, and goes on listening. */
interface HalfClosed {
  readonly thenClosed: string;
}

/** Whether the service still answers on it, has closed it, or takes whatever follows for nothing. */
export type End = "open" | "closed" | "silent";

/** What must come has come after this long, or never will. Milliseconds. */
const PATIENCE = 10_000;
/** Behind all that had to come, for an answer to the probe. */
const SILENCE = 300;
const BETWEEN_PIECES = 1;
const PROBE = "GET /healthz HTTP/1.1\r\nHost: probe\r\n\r\n";

/** What came back, as the answers of `answers.ts` are written, and what became of the connection. */
export function converse(port: number, key: string, [, sent, answers, end]: Case): Promise<[string, End]> {
  const expected = answers.join("").length;
  const { promise, resolve } = Promise.withResolvers<[string, End]>();
  let received = "";
  let isSent = false;
  let isProbed = false;
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true }, send);
  let heard = new Promise((resolve) => socket.once("data", resolve));
  let timer = setTimeout(() => finish("silent"), PATIENCE);

  function finish(how: End): void {
    clearTimeout(timer);
    socket.destroy();
    const text = settled(received);
    resolve([how === "open" ? text.slice(0, -HEALTHY.length) : text, how]);
  }

  async function send(): Promise<void> {
    for (const [place, piece] of piecesOf(sent, key).entries()) {
      if (place > 0) await nextPiece();
      socket.write(Buffer.from(piece, "latin1"));
    }
    isSent = true;
    if (typeof sent === "object" && "thenClosed" in sent) socket.end();
    look();
  }

  async function nextPiece(): Promise<void> {
    if (typeof sent === "string" || !("oneByOne" in sent)) return Bun.sleep(BETWEEN_PIECES);
    await heard;
    heard = new Promise((resolve) => socket.once("data", resolve));
  }

  function look(): void {
    const text = settled(received);
    if (isProbed && text.length >= expected + HEALTHY.length && text.endsWith(HEALTHY)) finish("open");
    else if (end !== "closed" && isSent && !isProbed && text.length >= expected) {
      isProbed = true;
      socket.write(PROBE);
      if (end !== "silent") return;
      clearTimeout(timer);
      timer = setTimeout(() => finish("silent"), SILENCE);
    }
  }

  socket.on("data", (bytes) => {
    received += bytes.toString("latin1");
    look();
  });
  socket.on("end", () => finish("closed"));
  // A server that throws a request away with bytes unread resets the connection behind its answer.
  socket.on("error", () => finish("closed"));
  return promise;
}

const settled = (received: string): string =>
  received.replace(/^Date: [^\r]*\r\n/gm, "").replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, TIME);

function piecesOf(sent: Sent, key: string): string[] {
  const keyed = (text: string): string => text.replaceAll("KEY", key);
  if (typeof sent === "string") return [keyed(sent)];
  if ("singly" in sent) return keyed(sent.singly).split("");
  if ("thenClosed" in sent) return [keyed(sent.thenClosed)];
  return ("oneByOne" in sent ? sent.oneByOne : sent).map(keyed);
}
