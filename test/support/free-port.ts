// A port for a program that must be told one before it starts, or that comes back to the one it had.

/** Below those that systems give to whoever asks for any, so nobody gets it by chance between this look and its use. */
const LOWEST = 10_000;
const BEHIND = 32_768;

/** A port of 127.0.0.1 that is free now. */
export function freePort(): number {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (BEHIND - LOWEST));
    if (isFree(port)) return port;
  }
}

/** Nothing listens at this port of 127.0.0.1 now. */
export function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data: () => undefined } }).stop();
    return true;
  } catch {
    return false;
  }
}
