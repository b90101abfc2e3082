// Bounds how many connections Bun accepts in one turn of the event loop; further ones wait in the system's queue for
// the next turn. Without the bound, Bun accepts and answers as many as come. In a flood, reports on open connections
// would then wait for thousands of new connections. Only Linux is supported; elsewhere nothing is bounded.

import { closeSync, openSync } from "node:fs";
import { loadLibrary } from "./c-library.ts";

export type Accepting = ReturnType<typeof createAcceptLimit>;

/**
 * How many requests at other paths than the public ones are taken in one turn. Each may have come on a new connection.
 * To accept this many connections takes about a millisecond.
 */
const IN_TURN = 32;

const O_CLOEXEC = 0o2_000_000;
const FUNCTIONS = { dup3: { args: ["i32", "i32", "i32"], returns: "i32" } } as const;

/**
 * Makes what limits the connections accepted in one turn. After `IN_TURN` requests in one turn, the descriptor of the
 * listening socket is pointed at /dev/null (dup3) until the next turn, so that accepting fails. The socket stays open
 * under a second descriptor, so further connections wait in the system's queue.
 */
export function createAcceptLimit() {
  let requests = 0;
  let block = (): void => {};
  let unblock = (): void => {};
  let stop = (): void => {};

  function nextTurn(): void {
    if (requests >= IN_TURN) unblock();
    requests = 0;
  }

  return {
    /**
     * Counts a request, which may have come on a new connection. Requests at the public paths, such as reports, are not
     * counted.
     */
    count: (): void => {
      requests++;
      if (requests === 1) setImmediate(nextTurn);
      if (requests === IN_TURN) block();
    },
    watch: (descriptor: number): void => {
      const library = loadLibrary(FUNCTIONS);
      if (library === null) return;
      const standIn = openSync("/dev/null", "r");
      const second = openSync("/dev/null", "r");
      library.dup3(descriptor, second, O_CLOEXEC);
      block = () => void library.dup3(standIn, descriptor, O_CLOEXEC);
      unblock = () => void library.dup3(second, descriptor, O_CLOEXEC);
      stop = () => {
        if (requests >= IN_TURN) unblock();
        block = unblock = stop = () => {};
        for (const each of [standIn, second]) closeSync(each);
      };
    },
    /** Ends the limit for good. Must be called before the listening socket is closed. */
    stop: (): void => stop(),
  };
}
