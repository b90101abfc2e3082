// Reports refused because they came over plain HTTP (R35), counted by network: their key was not looked at, so
// it is not known whose they are. They are kept in memory, since whoever reaches the port could fill a table.

import type { Instant } from "../../domain/time.ts";

export interface PlainRefusal {
  readonly network: string;
  readonly times: number;
  readonly firstAt: Instant;
  readonly at: Instant;
}

/** The network that was silent for longest makes room for a new one. */
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
    /** Newest first. */
    all: (): readonly PlainRefusal[] => [...networks.values()].reverse(),
  };
}
