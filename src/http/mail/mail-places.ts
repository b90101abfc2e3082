// Decides which connection is served now and which waits (R47). A device has no queue: a mail that is turned away is
// lost, so a connection beyond the limits waits for its greeting. This file only decides; it closes nothing itself.

import { networkOf } from "../https.ts";

/** A connection that waits. `serve` is called once, now or when a place is free. */
type Waiting = Readonly<{ id: string; network: string; serve: () => void }>;

/**
 * Makes the lists of served and waiting connections. `served` is how many connections are served at once, `ofOne` how
 * many of them may come from one address.
 */
export function createServedConnections(limits: Readonly<{ served: number; ofOne: number }>) {
  const served = new Map<string, string>();
  let waiting: readonly Waiting[] = [];

  const hasRoom = ({ network }: Waiting): boolean =>
    served.size < limits.served && [...served.values()].filter((one) => one === network).length < limits.ofOne;

  /** Serves the first connection that may be served, even if one before it has to wait for others of its address. */
  function serveNext(): void {
    for (let next = waiting.find(hasRoom); next !== undefined; next = waiting.find(hasRoom)) {
      const { id, network, serve } = next;
      waiting = waiting.filter((one) => one.id !== id);
      served.set(id, network);
      serve();
    }
  }

  return {
    enter(id: string, address: string, serve: () => void): void {
      waiting = [...waiting, { id, network: networkOf(address), serve }];
      serveNext();
    },
    /** Removes a connection that has gone. It returns whether the connection was being served. */
    leave(id: string): boolean {
      const wasServed = served.delete(id);
      waiting = waiting.filter((one) => one.id !== id);
      serveNext();
      return wasServed;
    },
  };
}

/** Picks the connection to close when more are open than allowed: the newest of the address that has most. */
export function oneTooMany<Open extends { readonly remoteAddress?: string | undefined }>(
  open: readonly Open[],
  most: number,
): Open | null {
  if (open.length <= most) return null;
  const groups = [...Map.groupBy(open, ({ remoteAddress }) => networkOf(remoteAddress ?? "")).values()];
  return groups.reduce((largest, one) => (one.length > largest.length ? one : largest)).at(-1)!;
}
