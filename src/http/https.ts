// Whether a request counts as HTTPS (R35), and which client sent it through proxies. Pure.

import ipaddr from "ipaddr.js";
import { boundedMap } from "../domain/maps.ts";
import { addressInHeader, clientsSaid, protocolsSaid } from "./forwarded.ts";

export interface Trust {
  /** Who may speak plain HTTP: peers on this machine without a proxy's headers, no peer, or every peer. */
  readonly plainHttp: "loopback" | "refuse" | "accept";
  readonly trustedProxies: readonly string[];
}

export interface Peer {
  readonly address: string;
  readonly isLoopback: boolean;
  /** Whether we believe what it writes of its client (`forwarded.ts`). */
  readonly isTrusted: boolean;
}

const CACHED_PEERS = 1_000;

/** A reader of addresses as sockets and proxies write them. It caches: parsing one costs as much as a ping. */
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

/** An IPv4 address written inside IPv6, as sockets that listen on both write it, is that IPv4 address. */
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

/** Whether a proxy that we believe took the request over HTTPS. */
export function cameOverHttps(peer: Peer, headers: Headers): boolean {
  if (!peer.isTrusted) return false;
  // Asked of each report, and nearly always one word.
  return headers.get("x-forwarded-proto") === "https" || saysHttps(protocolsSaid(headers));
}

/** Whether a request comes from a program on this machine, with no proxy between. */
export const isDirect = (peer: Peer, headers: Headers): boolean => peer.isLoopback && !isForwarded(headers);

/** Each proxy in a chain may have added its word; a single plain step makes the way plain. */
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
  /** What a proxy that we believe wrote in the place of an address; "": nothing. Null: all could be read. */
  readonly unread: string | null;
}

/** Longer than any address with its zone and port. */
const SAID_LENGTH = 60;

/**
 * Who asks: the rightmost that a proxy names and that is no trusted proxy, read only from a trusted peer. We do not
 * know who wrote what is left of it. What is no address stands for this client all the same, as the proxy's own address
 * would make one of all its clients.
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

/** One home has a whole /64 of IPv6. */
export const networkOf = (address: string): string => networkPrefix(address, 4, 4);

/**
 * What one customer of a provider may have: a /48 of IPv6, a /24 of IPv4. In a private network each device counts by
 * itself, so that one that is set wrong shuts no other out.
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
