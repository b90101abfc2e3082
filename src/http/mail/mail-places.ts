// Decides which connection of the SMTP server is served now and which waits (R47). A device that was turned away does
// not send its mail again, so a connection beyond the limits waits for its greeting. This file only decides; it closes
// nothing itself.

import { peerNetwork } from "../https.ts";

/** A connection that waits. `serve` is called once, as soon as the limits allow it. */
type Waiting = Readonly<{ id: string; network: string; serve: () => void }>;

/**
 * Makes the lists of served and waiting connections. At most `served` connections are served at once, and at most
 * `ofOne` of them come from one network.
 */
export function createMailConnections(limits: Readonly<{ served: number; ofOne: number }>) {
  const served = new Map<string, string>();
  let waiting: readonly Waiting[] = [];

  const hasRoom = ({ network }: Waiting): boolean =>
    served.size < limits.served && [...served.values()].filter((one) => one === network).length < limits.ofOne;

  /**
   * Serves all waiting connections that may be served, the oldest first. One whose network has too many already is
   * passed over.
   */
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
      waiting = [...waiting, { id, network: peerNetwork(address), serve }];
      serveNext();
    },
    /** Removes a connection that has gone. Returns whether it was being served. */
    leave(id: string): boolean {
      const wasServed = served.delete(id);
      waiting = waiting.filter((one) => one.id !== id);
      serveNext();
      return wasServed;
    },
  };
}

/**
 * Picks the connection to close when more than `most` are open: the newest of the network that has most. Returns `null`
 * when there are not too many.
 */
export function mailConnectionToClose<Open extends { readonly remoteAddress?: string | undefined }>(
  open: readonly Open[],
  most: number,
): Open | null {
  if (open.length <= most) return null;
  const groups = [...Map.groupBy(open, ({ remoteAddress }) => peerNetwork(remoteAddress ?? "")).values()];
  return groups.reduce((largest, one) => (one.length > largest.length ? one : largest)).at(-1)!;
}
