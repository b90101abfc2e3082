// A connection that sends one request after the other and knows of each whether it was answered. A client library would
// send a request again by itself when the server dies; here each goes out once.

import type { Socket } from "bun";

/** An answer as a job sees it. */
export interface WireAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Wire {
  /** Sends a POST without a body. Null: the connection ended, and nobody knows what became of it. */
  post(path: string): Promise<WireAnswer | null>;
  close(): void;
}

/** A connection to this port of 127.0.0.1; null: nobody listens there. */
export async function openWire(port: number): Promise<Wire | null> {
  let settle: ((answer: WireAnswer | null) => void) | null = null;
  let received = "";
  let isOpen = true;
  const end = (): void => {
    isOpen = false;
    settle?.(null);
    settle = null;
  };
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (_, bytes) => {
        received += bytes.toString("latin1");
        const answer = readAnswer(received);
        if (answer === null) return;
        received = "";
        settle?.(answer);
        settle = null;
      },
      close: end,
      error: end,
    },
  }).catch((): Socket | null => null);
  if (socket === null) return null;
  return {
    post: (path) =>
      new Promise((resolve) => {
        if (!isOpen) return resolve(null);
        settle = resolve;
        socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`);
      }),
    close: () => socket.end(),
  };
}

/** Null: it is not whole yet. */
function readAnswer(received: string): WireAnswer | null {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return null;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(received.slice(0, end + 2))?.[1] ?? 0);
  if (received.length < end + 4 + length) return null;
  return { status: Number(received.slice(9, 12)), body: JSON.parse(received.slice(end + 4)) };
}
