// Finds a port for a program that must know it before it starts, or that returns to the port that it had.

/**
 * Systems give programs that ask for any port a higher one, so no other program gets this one by chance before it is
 * used.
 */
const LOWEST = 10_000;
const BEHIND = 32_768;

/** A port of 127.0.0.1 that is free now. */
export function freePort(): number {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (BEHIND - LOWEST));
    if (isFree(port)) return port;
  }
}

/** Whether no program listens at this port of 127.0.0.1 now. */
export function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => undefined } }).stop();
    return true;
  } catch {
    return false;
  }
}
