// Says whether a request counts as HTTPS (R35), and which client sent it through proxies. The functions are pure.

import ipaddr from "ipaddr.js";
import { boundedMap } from "../domain/maps.ts";
import { addressInHeader, clientsSaid, protocolsSaid } from "./forwarded.ts";

export interface Trust {
  /** Which peers may speak plain HTTP: those on this machine without a proxy's headers, none, or every peer. */
  readonly plainHttp: "loopback" | "refuse" | "accept";
  readonly trustedProxies: readonly string[];
}

export interface Peer {
  readonly address: string;
  readonly isLoopback: boolean;
  /** Whether we trust what the peer writes about its client (`forwarded.ts`). */
  readonly isTrusted: boolean;
}

const CACHED_PEERS = 1_000;

/**
 * Makes a reader of addresses as sockets and proxies write them. It caches, because parsing an address costs as much as
 * a ping.
 */
export function createPeerReader(trustedProxies: readonly string[]): (address: string) => Peer {
  const networks = trustedProxies.map((network) => ipaddr.parseCIDR(network));
  const known = boundedMap<Peer>(CACHED_PEERS);
  return (address) => {
    const found = known.get(address);
    if (found !== undefined) return found;
    const peer = readPeer(address, networks);
    known.set(address, peer);
    return peer;
  };
}

type Network = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Reads an address. An IPv4 address that is written inside IPv6, as sockets do that listen on both, counts as that IPv4
 * address.
 */
function readPeer(address: string, networks: readonly Network[]): Peer {
  if (!ipaddr.isValid(address)) return { address, isLoopback: false, isTrusted: false };
  const parsed = ipaddr.process(address);
  return {
    address: parsed.toString(),
    isLoopback: parsed.range() === "loopback",
    isTrusted: networks.some((network) => parsed.kind() === network[0].kind() && parsed.match(network)),
  };
}

export function isAcceptedOverPlain(plainHttp: Trust["plainHttp"], peer: Peer, headers: Headers): boolean {
  if (plainHttp === "accept") return true;
  if (cameOverHttps(peer, headers)) return true;
  return plainHttp === "loopback" && isDirect(peer, headers);
}

/** Whether a proxy that we trust took the request over HTTPS. */
export function cameOverHttps(peer: Peer, headers: Headers): boolean {
  if (!peer.isTrusted) return false;
  // This runs for each report, and nearly always the header is this one word.
  return headers.get("x-forwarded-proto") === "https" || saysHttps(protocolsSaid(headers));
}

/** Whether a request comes from a program on this machine, with no proxy between. */
export const isDirect = (peer: Peer, headers: Headers): boolean => peer.isLoopback && !isForwarded(headers);

/**
 * Whether the whole way was over HTTPS. Each proxy in a chain may have added its word; one plain step makes the whole
 * way plain.
 */
const saysHttps = (protocols: readonly string[] | null): boolean =>
  protocols?.every((protocol) => protocol === "https") ?? false;

const PROXY_SIGNS =
  /^(?:forwarded|via|cdn-loop|x-(?:forwarded|original|real|client|cluster|envoy)-.+|(?:true|fastly|fly)-client-ip|cf-.+)$/;

export function isForwarded(headers: Headers): boolean {
  for (const name of headers.keys()) if (PROXY_SIGNS.test(name)) return true;
  return false;
}

export interface Client {
  readonly address: string;
  /**
   * What a proxy that we trust wrote in the place of an address, if that cannot be read; "" when it wrote nothing,
   * `null` when all could be read.
   */
  readonly unread: string | null;
}

/** How many characters of such a text are kept, more than any address has with its zone and port. */
const SAID_LENGTH = 60;

/**
 * The client is the rightmost address that a proxy names and that is no trusted proxy; headers are read only from a
 * trusted peer. What stands left of that address may be written by anyone. A text that is no address names the client
 * all the same, because the proxy's own address would make one client of all its clients.
 */
export function clientOf(peer: Peer, headers: Headers, readAddress: (address: string) => Peer): Client {
  if (!peer.isTrusted) return { address: peer.address, unread: null };
  const said = clientsSaid(headers);
  if (said.length === 0) return { address: peer.address, unread: isForwarded(headers) ? "" : null };
  let nearest = peer;
  while (nearest.isTrusted) {
    const entry = said.pop();
    if (entry === undefined) break;
    const address = addressInHeader(entry);
    if (address === null) {
      const name = entry.replaceAll(/[^\w.:-]+/g, "").slice(0, SAID_LENGTH);
      return { address: name || nearest.address, unread: entry.slice(0, SAID_LENGTH) };
    }
    nearest = readAddress(address);
  }
  return { address: nearest.address, unread: null };
}

/** The network of one home: a whole /64 of IPv6. */
export const networkOf = (address: string): string => networkPrefix(address, 4, 4);

/**
 * The network that one customer of a provider may have: a /48 of IPv6, a /24 of IPv4. In a private network each device
 * counts by itself, so that a device with wrong settings shuts no other out.
 */
export const siteNetworkOf = (address: string): string => networkPrefix(address, 3, 3);

function networkPrefix(address: string, bytes: number, words: number): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (AT_HOME.has(parsed.range())) return parsed.toString();
  return parsed.kind() === "ipv4"
    ? parsed.toString().split(".").slice(0, bytes).join(".")
    : parsed.toNormalizedString().split(":").slice(0, words).join(":");
}

const AT_HOME: ReadonlySet<string> = new Set(["private", "loopback", "linkLocal", "uniqueLocal"]);
