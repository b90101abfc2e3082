// Whether a request counts as HTTPS (R35), and which client sent it through proxies. Pure.

import ipaddr from "ipaddr.js";
import { boundedMap } from "../domain/maps.ts";

export interface Trust {
  /** Who may speak plain HTTP: peers on this machine without a proxy's headers, no peer, or every peer. */
  readonly plainHttp: "loopback" | "refuse" | "accept";
  readonly trustedProxies: readonly string[];
}

export interface Peer {
  readonly address: string;
  readonly isLoopback: boolean;
  /** Whether we believe its `X-Forwarded-*` headers. */
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
export const cameOverHttps = (peer: Peer, headers: Headers): boolean =>
  peer.isTrusted && saysHttps(headers.get("x-forwarded-proto"));

/** Whether a request comes from a program on this machine, with no proxy between. */
export const isDirect = (peer: Peer, headers: Headers): boolean => peer.isLoopback && !isForwarded(headers);

/** Each proxy in a chain may have added its word; a single plain step makes the way plain. */
function saysHttps(protocols: string | null): boolean {
  if (protocols === null || protocols === "https") return protocols !== null;
  return protocols.split(",").every((protocol) => protocol.trim().toLowerCase() === "https");
}

const PROXY_SIGNS =
  /^(?:forwarded|via|cdn-loop|x-(?:forwarded|original|real|client|cluster|envoy)-.+|(?:true|fastly|fly)-client-ip|cf-.+)$/;

export function isForwarded(headers: Headers): boolean {
  for (const name of headers.keys()) if (PROXY_SIGNS.test(name)) return true;
  return false;
}

/**
 * The client's address: the rightmost `X-Forwarded-For` entry that is not a trusted proxy, read only from a trusted
 * peer. We do not know who wrote what is left of it.
 */
export function clientAddress(peer: Peer, headers: Headers, readAddress: (address: string) => Peer): string {
  const entries = headers.get("x-forwarded-for")?.split(",") ?? [];
  let nearest = peer;
  while (nearest.isTrusted) {
    const entry = entries.pop()?.trim();
    if (entry === undefined || !ipaddr.isValid(entry)) break;
    nearest = readAddress(entry);
  }
  return nearest.address;
}

/** One home has a whole /64 of IPv6. */
export const networkOf = (address: string): string => cut(address, 4, 4);

/**
 * What one customer of a provider may have: a /48 of IPv6, a /24 of IPv4. In a private network each device counts by
 * itself, so that one that is set wrong shuts no other out.
 */
export const siteNetworkOf = (address: string): string => cut(address, 3, 3);

function cut(address: string, bytes: number, words: number): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (AT_HOME.has(parsed.range())) return parsed.toString();
  return parsed.kind() === "ipv4"
    ? parsed.toString().split(".").slice(0, bytes).join(".")
    : parsed.toNormalizedString().split(":").slice(0, words).join(":");
}

const AT_HOME: ReadonlySet<string> = new Set(["private", "loopback", "linkLocal", "uniqueLocal"]);
