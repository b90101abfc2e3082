// Real HTTP receivers for tests: one that answers as the test says and keeps what it got, and one that speaks bare TCP,
// for what no HTTP server would do.

import { type AddressInfo, createServer, type Socket } from "node:net";

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface HttpSink extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
}

/** Answers the n-th request (from 0) with `answer(n)`. */
export function startHttpSink(
  answer: (count: number, request: ReceivedRequest) => Response | Promise<Response>,
): HttpSink {
  const requests: ReceivedRequest[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const received = {
        method: request.method,
        path: pathname,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      };
      requests.push(received);
      return answer(requests.length - 1, received);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/hooks/T0SECRET`,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

export interface RawSink extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** The number of connections so far. */
  readonly connections: () => number;
  /** Resolves when the first connection was closed by either side. */
  readonly closed: Promise<void>;
}

/**
 * Passes each connection to `serve` when it is opened; without `serve`, connections are accepted and never answered.
 */
export async function startRawSink(serve: (socket: Socket) => void = () => {}): Promise<RawSink> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    count++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => resolve());
    socket.on("data", () => {});
    serve(socket);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/hooks/T0SECRET`,
    connections: () => count,
    closed,
    [Symbol.asyncDispose]: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
}
