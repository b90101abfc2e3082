// The socket on which a service manager listens for words about us (sd_notify). Bun has no datagrams of this family, so
// this goes through the C library. Knows nothing of what is said.

import { loadLibrary } from "../../http/c-library.ts";

/** Sends these lines as one datagram, without waiting. False: the manager has no room for it now, or does not listen. */
export type Send = (lines: readonly string[]) => boolean;

const AF_UNIX = 1;
const DATAGRAM_CLOSED_ON_EXEC = 0x02 | 0o2000000;
const WITHOUT_WAITING_OR_SIGNAL = 0x40 | 0x4000;
/** `sun_path`, with the zero at its end. */
const PATH_BYTES_MAX = 108;

/**
 * `path`: of the socket, as in NOTIFY_SOCKET; `@` begins the name of an abstract one. Holds one descriptor, so that the last one
 * may be taken later. Null if it is no such path, or if this is not Linux.
 */
export function openNotifySocket(path: string): Send | null {
  const address = addressOf(path);
  const library = loadLibrary({
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    sendto: { args: ["i32", "ptr", "u64", "i32", "ptr", "u32"], returns: "i64" },
  });
  const descriptor = address === null ? -1 : (library?.socket(AF_UNIX, DATAGRAM_CLOSED_ON_EXEC, 0) ?? -1);
  if (library === null || address === null || descriptor < 0) return null;
  return (lines) => {
    const bytes = Buffer.from(lines.join("\n"));
    const { length } = bytes;
    return (
      library.sendto(descriptor, bytes, length, WITHOUT_WAITING_OR_SIGNAL, address, address.length) === BigInt(length)
    );
  };
}

const CLOCK_MONOTONIC = 1;

/** CLOCK_MONOTONIC in microseconds, which Bun counts from its own start; 0 if this is not Linux. */
export function machineClock(): bigint {
  const time = new BigInt64Array(2);
  const library = loadLibrary({ clock_gettime: { args: ["i32", "ptr"], returns: "i32" } });
  if (library === null || library.clock_gettime(CLOCK_MONOTONIC, time) !== 0) return 0n;
  const [seconds = 0n, nanoseconds = 0n] = time;
  return seconds * 1_000_000n + nanoseconds / 1_000n;
}

/** A `sockaddr_un`: the family in the machine's byte order, then the path. An abstract name begins with a zero byte. */
function addressOf(path: string): Buffer | null {
  const name = Buffer.from(path);
  if (!/^[/@]./.test(path) || name.length >= PATH_BYTES_MAX) return null;
  const family = Buffer.from(new Uint16Array([AF_UNIX]).buffer);
  return path.startsWith("@")
    ? Buffer.concat([family, Buffer.of(0), name.subarray(1)])
    : Buffer.concat([family, name, Buffer.of(0)]);
}
