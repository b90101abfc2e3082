// Addresses as the C library writes them: a `sockaddr` of IPv4 or IPv6. Calls nothing.

/** Room for either. */
export const ADDRESS_BYTES = 28;

const AF_INET = 2;
const AF_INET6 = 10;

/** The family stands in the machine's byte order. */
const familyIn = (bytes: Uint8Array): number => new Uint16Array(bytes.buffer, bytes.byteOffset, 1)[0]!;

/** Whether this is an address of the internet at all. */
export const isInternet = (bytes: Uint8Array): boolean => [AF_INET, AF_INET6].includes(familyIn(bytes));

/** The port stands in the network's byte order. */
export const portIn = (bytes: Uint8Array): number => (bytes[2]! << 8) | bytes[3]!;

/** As sockets write it; of IPv6 with all its groups. */
export function addressIn(bytes: Uint8Array): string {
  if (familyIn(bytes) === AF_INET) return bytes.subarray(4, 8).join(".");
  const groups = Array.from({ length: 8 }, (_, group) => (bytes[8 + 2 * group]! << 8) | bytes[9 + 2 * group]!);
  return groups.map((group) => group.toString(16)).join(":");
}
