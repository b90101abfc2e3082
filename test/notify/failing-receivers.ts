// HTTP receivers that do what goes wrong out there, on bare sockets: each is handed whole requests and answers byte by
// byte. All that is secret in a request it repeats wherever an answer has room for it.

import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { TestCertificate } from "../support/certificate.ts";

export interface Asked {
  readonly socket: Socket;
  /** The first part of the path. */
  readonly channel: string;
  readonly path: string;
  /** The request as it came. */
  readonly text: string;
  /** How many requests of this channel came before. */
  readonly before: number;
}

export type Serve = (asked: Asked) => void;

export interface Receiver extends AsyncDisposable {
  readonly origin: string;
  /** Of the requests that came, in their order. */
  readonly paths: readonly string[];
  /** Settles when nobody is connected any more. */
  left(): Promise<void>;
  /** Of the connection that took the most. */
  readonly bytesWritten: () => number;
}

/** Listens on 127.0.0.1. With a certificate it speaks TLS; `scheme`: the one it is addressed with all the same. */
export async function startReceiver(
  serve: Serve,
  { certificate, scheme }: { certificate?: TestCertificate; scheme?: string } = {},
): Promise<Receiver> {
  const open = new Set<Socket>();
  const paths: string[] = [];
  let whenLeft = () => {};
  let bytesWritten = 0;
  const handle = (socket: Socket): void => hear(socket, paths, serve);
  const server: Server =
    certificate === undefined
      ? createServer(handle)
      : createTlsServer({ key: certificate.key, cert: certificate.certificate }, handle);
  server.on("tlsClientError", () => {});
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      bytesWritten = Math.max(bytesWritten, socket.bytesWritten);
      open.delete(socket);
      if (open.size === 0) whenLeft();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    origin: `${scheme ?? (certificate === undefined ? "http" : "https")}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    left: () =>
      new Promise((resolve) => {
        whenLeft = resolve;
        if (open.size === 0) resolve();
      }),
    bytesWritten: () => bytesWritten,
    [Symbol.asyncDispose]: () => {
      for (const socket of open) socket.destroy();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** One request a connection: every answer ends it. */
function hear(socket: Socket, paths: string[], serve: Serve): void {
  let text = "";
  let heard = false;
  socket.on("error", () => {});
  socket.on("data", (piece) => {
    text += piece.toString("latin1");
    const headEnd = text.indexOf("\r\n\r\n");
    const length = Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0);
    // What is no HTTP is answered at once, as web servers do.
    const isWhole = !text.startsWith("POST ") || (headEnd !== -1 && text.length >= headEnd + 4 + length);
    if (heard || !isWhole) return;
    heard = true;
    const path = text.split(" ")[1] ?? "";
    const before = paths.filter((earlier) => earlier === path).length;
    paths.push(path);
    serve({ socket, path, channel: path.split("/")[1] ?? "", text, before });
  });
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * The start of an answer, its body announced in full. Where a phrase may say anything, it says where the request went.
 */
export function headOf({ status, headers = {}, body = "" }: Answer, { path }: Pick<Asked, "path">): string {
  const length = status === 204 || status === 304 ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries({ connection: "close", ...length, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`HTTP/1.1 ${status} ${path}`, ...lines, "", ""].join("\r\n");
}

/** Answers whole. A body that is not said is the request, secrets and all. */
export const answering =
  (answer: Answer | ((asked: Asked) => Answer)): Serve =>
  (asked) => {
    const said = typeof answer === "function" ? answer(asked) : answer;
    const body = said.status === 204 || said.status === 304 ? "" : (said.body ?? `You sent: ${asked.text}`);
    asked.socket.end(`${headOf({ ...said, body }, asked)}${body}`);
  };

/** Sends so much at once and then nothing more, without an end. */
export const stopping =
  (start: (asked: Asked) => string): Serve =>
  (asked) =>
    void asked.socket.write(start(asked));

export const cutting =
  (start: (asked: Asked) => string): Serve =>
  (asked) =>
    void asked.socket.end(start(asked));

/** A byte each 20 milliseconds, behind a start that is sent at once; it never comes to an end. */
export const dripping =
  (start: (asked: Asked) => string, drop: string): Serve =>
  (asked) => {
    asked.socket.write(start(asked));
    const timer = setInterval(() => asked.socket.write(drop), 20);
    asked.socket.on("close", () => clearInterval(timer));
  };

/** The same piece again and again, as fast as it is taken. */
export const pouring =
  (start: (asked: Asked) => string, piece: string): Serve =>
  (asked) => {
    const { socket } = asked;
    function more(): void {
      // One piece a turn: a closed connection shows in a later one.
      if (socket.writable && socket.write(piece)) setImmediate(more);
    }
    socket.on("drain", more);
    socket.write(start(asked));
    more();
  };
