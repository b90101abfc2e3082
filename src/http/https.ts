// Decides whether a request counts as HTTPS (R35), and finds the client that sent it through proxies. The functions are
// pure.

import ipaddr from "ipaddr.js";
import { boundedMap } from "../domain/maps.ts";
import { addressInHeader, clientsSaid, protocolsSaid } from "./forwarded.ts";

export interface Trust {
  /**
   * Which requests are accepted over plain HTTP: `loopback` accepts those of programs on this machine without a proxy
   * between, `refuse` none, `accept` all.
   */
  readonly plainHttp: "loopback" | "refuse" | "accept";
  readonly trustedProxies: readonly string[];
}

export interface Peer {
  readonly address: string;
  readonly isLoopback: boolean;
  /** Whether the peer is one of our proxies, so that its headers about the client are believed. */
  readonly isTrusted: boolean;
}

const CACHED_PEERS = 1_000;

/**
 * Makes a function that reads an address as sockets and proxies write it. The function caches its results, because
 * parsing an address takes as long as handling a ping.
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
 * Reads an address. An IPv4 address inside an IPv6 address, such as `::ffff:192.0.2.1`, counts as the IPv4 address: a
 * socket that listens on both protocols writes it so.
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

/** Whether the client used HTTPS to a proxy that we trust. */
export function cameOverHttps(peer: Peer, headers: Headers): boolean {
  if (!peer.isTrusted) return false;
  // This check runs for each report. Nearly always the header is the single word `https`, so that is compared first.
  return headers.get("x-forwarded-proto") === "https" || saysHttps(protocolsSaid(headers));
}

/** Whether a request comes from a program on this machine, with no proxy between. */
export const isDirect = (peer: Peer, headers: Headers): boolean => peer.isLoopback && !isForwarded(headers);

/**
 * Whether every proxy on the way was asked over HTTPS. Each may add its protocol to the list, and one `http` makes the
 * whole way plain.
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
   * What a trusted proxy wrote where its client's address belongs, when that is no IP address, such as `unknown`. ""
   * when the proxy left the address out. Otherwise `null`, for example when it wrote an address.
   */
  readonly unread: string | null;
}

/**
 * How many characters are kept of what a proxy wrote instead of its client's address. An address with its zone and port
 * is shorter.
 */
const SAID_LENGTH = 60;

/**
 * Finds the client of a request. Of the addresses in the headers of a trusted peer, it is the rightmost one that is no
 * trusted proxy, because anyone may have written those left of it. The headers of other peers are not read. If a proxy
 * wrote a name instead of an address, that name counts as the client's address. Otherwise all clients of the proxy
 * would count as one.
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

/** The network of one home: the first 64 bits of an IPv6 address, or the whole IPv4 address. */
export const peerNetwork = (address: string): string => networkPrefix(address, 4, 4);

/**
 * The network that one customer of a provider may have: the first 48 bits of an IPv6 address, or the first 24 of an
 * IPv4 address. A private address is returned whole, so that a device with wrong settings shuts no other device out.
 */
export const peerSiteNetwork = (address: string): string => networkPrefix(address, 3, 3);

function networkPrefix(address: string, bytes: number, words: number): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (AT_HOME.has(parsed.range())) return parsed.toString();
  return parsed.kind() === "ipv4"
    ? parsed.toString().split(".").slice(0, bytes).join(".")
    : parsed.toNormalizedString().split(":").slice(0, words).join(":");
}

const AT_HOME: ReadonlySet<string> = new Set(["private", "loopback", "linkLocal", "uniqueLocal"]);
