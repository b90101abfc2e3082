// Whose address it is, for limits.

import ipaddr from "ipaddr.js";

/** One home has a whole /64 of IPv6. */
export const networkOf = (address: string): string => cut(address, 4, 4);

/** What one customer of a provider may have: a /48 of IPv6, a /24 of IPv4. */
export const siteNetworkOf = (address: string): string => cut(address, 3, 3);

function cut(address: string, bytes: number, words: number): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv4"
    ? parsed.toString().split(".").slice(0, bytes).join(".")
    : parsed.toNormalizedString().split(":").slice(0, words).join(":");
}
