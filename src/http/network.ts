// Whose address it is, for limits: one customer has a whole /64 of IPv6.

import ipaddr from "ipaddr.js";

export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4" ? address : parsed.toNormalizedString().split(":").slice(0, 4).join(":");
}
