// Counts reports that were refused because they came over plain HTTP (R35), for each network. Their keys were not
// examined, so it is unknown whose reports they were. The counts stay in memory, because anyone who reaches the port
// could fill a table.

import type { Instant } from "../../domain/time.ts";

export interface PlainRefusal {
  readonly network: string;
  readonly times: number;
  readonly firstAt: Instant;
  readonly at: Instant;
}

/** How many networks are counted. One network more replaces the network from which nothing has come for longest. */
const NETWORKS_KEPT = 200;

export function createPlainHttpRefusals() {
  const networks = new Map<string, PlainRefusal>();
  return {
    note(network: string, at: Instant): void {
      const known = networks.get(network);
      networks.delete(network);
      networks.set(network, { network, times: (known?.times ?? 0) + 1, firstAt: known?.firstAt ?? at, at });
      if (networks.size > NETWORKS_KEPT) networks.delete(networks.keys().next().value!);
    },
    /** The counts of all networks; the network of the newest report is first. */
    all: (): readonly PlainRefusal[] => [...networks.values()].reverse(),
  };
}
