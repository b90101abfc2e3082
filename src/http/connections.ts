// Asks Linux for the connections that clients have opened to one of our ports, because Bun shows only those that have
// sent a whole request. It also asks how many files this process may have open. Only Linux is supported.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { orElse } from "../domain/unless-missing.ts";
import { loadLibrary } from "./c-library.ts";

export interface Connection {
  /**
   * The number of the connection's descriptor. In a later turn of the event loop another connection may have this
   * number.
   */
  readonly descriptor: number;
  /** The address of the other end, as sockets write it, and its port. */
  readonly address: string;
  readonly port: number;
  /**
   * Milliseconds since data last came in, or since the connection was opened if none has come; 0 while data waits to be
   * read.
   */
  readonly silentFor: number;
}

export interface Connections {
  list(port: number, end: number): Connection[];
  /**
   * Ends the connection in both directions; data that waits to be sent still goes out. Bun then closes the connection
   * as if the client had ended it.
   */
  hangUp(connection: Connection): void;
}

const IPPROTO_TCP = 6;
const TCP_INFO = 11;
/**
 * How many numbers of 32 bits are read of the C struct `tcp_info`. The one at `LAST_DATA_RECEIVED` is the milliseconds
 * since data last came in.
 */
const INFO_LENGTH = 26;
const LAST_DATA_RECEIVED = 13;
const SHUT_RDWR = 2;
const PEEK_WITHOUT_WAITING = 0x02 | 0x40;

/**
 * Returns the functions that list and end connections; `null` when this is not Linux, or the C library is not found.
 */
export function openConnections(): Connections | null {
  const library = loadLibrary({
    getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
    getpeername: { args: ["i32", "ptr", "ptr"], returns: "i32" },
    getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
    recv: { args: ["i32", "ptr", "u64", "i32"], returns: "i64" },
    shutdown: { args: ["i32", "i32"], returns: "i32" },
  });
  if (library === null) return null;
  const { getsockname, getpeername, getsockopt, recv, shutdown } = library;
  const address = new Uint8Array(ADDRESS_BYTES);
  const info = new Uint32Array(INFO_LENGTH);
  const length = new Uint32Array(1);

  function read(call: typeof getsockname, descriptor: number): boolean {
    length[0] = ADDRESS_BYTES;
    return call(descriptor, address, length) === 0;
  }

  function silence(descriptor: number): number {
    if (Number(recv(descriptor, address, 1, PEEK_WITHOUT_WAITING)) > 0) return 0;
    length[0] = info.byteLength;
    return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info, length) === 0 ? info[LAST_DATA_RECEIVED]! : 0;
  }

  return {
    list: (port, end) => {
      const found: Connection[] = [];
      for (let descriptor = 3; descriptor < end; descriptor++) {
        if (!read(getsockname, descriptor) || socketPortIn(address) !== port || !read(getpeername, descriptor))
          continue;
        const peer = { address: socketAddressIn(address), port: socketPortIn(address) };
        found.push({ descriptor, ...peer, silentFor: silence(descriptor) });
      }
      return found;
    },
    hangUp: ({ descriptor }) => void shutdown(descriptor, SHUT_RDWR),
  };
}

export interface Descriptors {
  readonly limit: number;
  inUse(): number;
}

const OPEN_FILES = "/proc/self/fd";
const LIMIT_LINE = /^Max open files +(\d+)/m;

/**
 * Reads from Linux how many descriptors this process may have. Returns `null` when the system does not say, or has no
 * limit.
 */
export function readDescriptors(): Descriptors | null {
  const [, limit] = LIMIT_LINE.exec(orElse("", () => readFileSync("/proc/self/limits", "utf8"))) ?? [];
  return limit === undefined ? null : { limit: Number(limit), inUse: () => countOpen(Number(limit)) };
}

/**
 * Counts the open descriptors. Linux 6.2 and later give their number as the size of the folder. On earlier versions the
 * folder is read, which takes one descriptor itself; if none is free, the count is the limit.
 */
function countOpen(limit: number): number {
  const { size } = statSync(OPEN_FILES);
  return size > 0 ? size : orElse(limit, () => readdirSync(OPEN_FILES).length - 1);
}

export const ADDRESS_BYTES = 28;

const AF_INET = 2;
const AF_INET6 = 10;

/** The address family (IPv4 or IPv6) in the bytes of a C struct `sockaddr`. It is in the machine's byte order. */
const familyIn = (bytes: Uint8Array): number => new Uint16Array(bytes.buffer, bytes.byteOffset, 1)[0]!;

export const isInternetSocket = (bytes: Uint8Array): boolean => [AF_INET, AF_INET6].includes(familyIn(bytes));

/** The port in the bytes of a `sockaddr`. It is in the network's byte order. */
export const socketPortIn = (bytes: Uint8Array): number => (bytes[2]! << 8) | bytes[3]!;

/**
 * The address in the bytes of a `sockaddr`, as text. An IPv6 address gets all eight groups, as in
 * `2001:db8:0:0:0:0:0:1`.
 */
export function socketAddressIn(bytes: Uint8Array): string {
  if (familyIn(bytes) === AF_INET) return bytes.subarray(4, 8).join(".");
  const groups = Array.from({ length: 8 }, (_, group) => (bytes[8 + 2 * group]! << 8) | bytes[9 + 2 * group]!);
  return groups.map((group) => group.toString(16)).join(":");
}
