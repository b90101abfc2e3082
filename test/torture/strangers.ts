// Clients that take a connection and give it back as late as they can: silent, slow, deaf, or idle behind an answer.

import { connect, type Socket } from "node:net";

export interface Strangers extends Disposable {
  /** Connections that were opened so far, each that was closed again included. */
  opened(): number;
  /** Those that are open now. */
  open(): number;
}

/** What a client sends at once, and a letter of what it sends each second; null: nothing more. */
export interface Habit {
  readonly name: string;
  readonly first: string;
  readonly letter: string | null;
  /** It reads nothing of what it is answered. */
  readonly isDeaf: boolean;
}

const sends = (name: string, first: string, letter: string | null = null, isDeaf = false): Habit => ({
  name,
  first,
  letter,
  isDeaf,
});

export const SILENT = sends("say nothing", "");
export const HALF = sends("never end their request", "GET /healthz HT");

/** With a key, a body in chunks is awaited to its end. */
export const habits = (apiKey: string): readonly Habit[] => [
  SILENT,
  HALF,
  sends("say no more after an answer", "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
  sends("send a letter of a header each second", "GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: ", "a"),
  sends(
    "send a letter of a body each second",
    `POST /api/v1/ping/slow/${apiKey} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n`,
    "a",
  ),
  sends("read nothing", "GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n", null, true),
];

/** This many connections, of each habit as many; with `returns` each comes back as soon as it is closed. */
export function openStrangers(port: number, count: number, all: readonly Habit[], returns: boolean): Strangers {
  const sockets = new Map<Socket, Habit>();
  let opened = 0;
  let over = false;

  function open(habit: Habit): void {
    if (over) return;
    const socket = connect(port, "127.0.0.1", () => {
      opened += 1;
      sockets.set(socket, habit);
      if (habit.first !== "") socket.write(habit.first);
    });
    if (habit.isDeaf) socket.pause();
    else socket.resume();
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      if (returns) setImmediate(() => open(habit));
    });
  }

  for (let place = 0; place < count; place++) open(all[place % all.length]!);
  const dripping = setInterval(() => {
    for (const [socket, { letter }] of sockets) if (letter !== null) socket.write(letter);
  }, 1_000);
  return {
    opened: () => opened,
    open: () => sockets.size,
    [Symbol.dispose]: () => {
      over = true;
      clearInterval(dripping);
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}
