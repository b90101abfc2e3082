// Counts by network the reports that were refused because they came over plain HTTP (R35). Their key was not examined,
// so their owner is unknown. They are kept in memory, because anyone who reaches the port could fill a table.

import type { Instant } from "../../domain/time.ts";

export interface PlainRefusal {
  readonly network: string;
  readonly times: number;
  readonly firstAt: Instant;
  readonly at: Instant;
}

/** How many networks are kept. A further one replaces the network that was silent for longest. */
const NETWORKS_KEPT = 200;

export function createPlainRefusals() {
  const networks = new Map<string, PlainRefusal>();
  return {
    note(network: string, at: Instant): void {
      const known = networks.get(network);
      networks.delete(network);
      networks.set(network, { network, times: (known?.times ?? 0) + 1, firstAt: known?.firstAt ?? at, at });
      if (networks.size > NETWORKS_KEPT) networks.delete(networks.keys().next().value!);
    },
    /** The counts of all networks, the newest first. */
    all: (): readonly PlainRefusal[] => [...networks.values()].reverse(),
  };
}
