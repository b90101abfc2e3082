// Takes over a listening socket that the service manager (systemd) opened before rollcall started. The manager keeps
// the socket open while rollcall restarts, so clients who connect meanwhile wait. Bun cannot serve such a socket by
// itself, so it is put in the place of a socket that Bun has opened. Only Linux is supported.

import { readdirSync, readFileSync } from "node:fs";
import ipaddr from "ipaddr.js";
import { orElse } from "../domain/unless-missing.ts";
import { loadLibrary } from "./c-library.ts";
import { ADDRESS_BYTES, isInternetSocket, socketAddressIn, socketPortIn } from "./connections.ts";

export type InheritedSocket = Readonly<{ descriptor: number; host: string; port: number }>;

const SOL_SOCKET = 1;
const SO_ACCEPTCONN = 30;
const EPOLL_CTL_ADD = 1;
const F_GETFL = 3;
const F_SETFL = 4;
const O_NONBLOCK = 0o4000;
/**
 * The size of the C struct `epoll_event` in bytes. On x64 its field of 64 bits follows directly on its field of 32
 * bits; elsewhere four bytes lie between them.
 */
const EVENT_BYTES = process.arch === "x64" ? 12 : 16;

const OPEN_FILES = "/proc/self/fd";
/**
 * Matches the line about `descriptor` in Linux's text about an epoll descriptor, such as `tfd: 12 events: 19 data:
 * 7f3a10`. It captures the events that are waited for, and the number by which Bun recognizes them, both hexadecimal.
 */
const waitedFor = (descriptor: number): RegExp =>
  new RegExp(`^tfd: +${descriptor} events: +([0-9a-f]+) data: +([0-9a-f]+)`, "m");

const FUNCTIONS = {
  getsockname: { args: ["i32", "ptr", "ptr"], returns: "i32" },
  getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
  fcntl: { args: ["i32", "i32", "i32"], returns: "i32" },
  dup2: { args: ["i32", "i32"], returns: "i32" },
  epoll_ctl: { args: ["i32", "i32", "i32", "ptr"], returns: "i32" },
} as const;

/**
 * Returns the address and port at which the inherited descriptor listens. Throws an Error with a sentence for the
 * operator when it is no listening socket.
 */
export function readInheritedSocket(descriptor: number): InheritedSocket {
  const library = loadLibrary(FUNCTIONS);
  const address = library === null ? null : listeningAt(library, descriptor);
  if (address === null) throw new Error(`the inherited descriptor ${descriptor} is no port that listens`);
  return { descriptor, ...address };
}

/**
 * Returns the descriptor of the socket that listens on this port; `null` when there is none, or when this is not Linux.
 */
export function descriptorListeningOn(port: number): number | null {
  const library = loadLibrary(FUNCTIONS);
  return library && (openFiles().find((each) => listeningAt(library, each)?.port === port) ?? null);
}

/**
 * Puts the inherited socket in the place of the one by which Bun listens. The inherited socket gets the descriptor
 * number `place`, and epoll waits for the same events on it. Throws when that fails.
 */
export function takeOverListeningSocket(place: number | null, { descriptor }: InheritedSocket): void {
  const library = loadLibrary(FUNCTIONS)!;
  const waiting = openFiles().flatMap((waiter) => {
    const [, events, data] = place === null ? [] : (waitedFor(place).exec(socketFacts(waiter)) ?? []);
    return events === undefined ? [] : [{ waiter, event: eventOf(events, data!) }];
  })[0];
  if (place === null || waiting === undefined) throw new Error("the inherited socket cannot be served here");
  library.fcntl(descriptor, F_SETFL, library.fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK);
  if (
    library.dup2(descriptor, place) !== place ||
    library.epoll_ctl(waiting.waiter, EPOLL_CTL_ADD, place, waiting.event) !== 0
  )
    throw new Error("the inherited socket cannot be taken over");
}

const openFiles = (): number[] => readdirSync(OPEN_FILES).map(Number);

type CLibrary = NonNullable<ReturnType<typeof loadLibrary<typeof FUNCTIONS>>>;

/** The address at which the descriptor listens; `null` when it is no listening socket of IPv4 or IPv6. */
function listeningAt(library: CLibrary, descriptor: number): { readonly host: string; readonly port: number } | null {
  const length = new Uint32Array([4]);
  const listens = new Uint32Array(1);
  if (library.getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, listens, length) !== 0 || listens[0] !== 1) return null;
  const address = new Uint8Array(ADDRESS_BYTES);
  length[0] = ADDRESS_BYTES;
  if (library.getsockname(descriptor, address, length) !== 0 || !isInternetSocket(address)) return null;
  return { host: ipaddr.process(socketAddressIn(address)).toString(), port: socketPortIn(address) };
}

/**
 * Linux's text about an open descriptor; "" when it has been closed meanwhile. The descriptor by which the list of open
 * files was read, for example, is closed by now.
 */
const socketFacts = (descriptor: number): string =>
  orElse("", () => readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"));

function eventOf(events: string, data: string): Buffer {
  const event = Buffer.alloc(EVENT_BYTES);
  event.writeUInt32LE(Number(`0x${events}`) & 0x7fff_ffff);
  event.writeBigUInt64LE(BigInt(`0x${data}`), EVENT_BYTES - 8);
  return event;
}
