// What is known of a request's other end: its address, whether it may use plain HTTP (R35), what stands between, and the
// name by which it asks. Answers nothing itself.

import type { Log } from "../domain/log.ts";
import type { Audience } from "../engine/telling/reach.ts";
import { createHostCheck } from "./host-names.ts";
import {
  cameOverHttps,
  clientAddress,
  createPeerReader,
  isAcceptedOverPlain,
  isDirect,
  isForwarded,
  type Peer,
  type Trust,
} from "./https.ts";
import type { Socket } from "./pages.ts";

interface EntranceParts {
  readonly listen: { readonly host: string };
  /** Null: plain HTTP. */
  readonly tls: object | null;
  readonly trust: Trust;
  /** See `Served.ownHosts`. */
  readonly ownHosts: readonly string[];
}

export function createEntrance({ listen, tls, trust, ownHosts }: EntranceParts) {
  const readPeer = createPeerReader(trust.trustedProxies);
  // A server on a loopback address has no other peers, and asking the socket is expensive.
  const ownAddress = readPeer(listen.host);
  const knownPeer = ownAddress.isLoopback ? ownAddress : null;
  const takesEverything = tls !== null || trust.plainHttp === "accept";
  const peerOf = (request: Request, socket: Socket): Peer =>
    knownPeer ?? readPeer(socket?.requestIP(request)?.address ?? "unknown");
  return {
    isAccepted: (request: Request, socket: Socket): boolean =>
      takesEverything || isAcceptedOverPlain(trust.plainHttp, peerOf(request, socket), request.headers),
    clientOf: (request: Request, socket: Socket): string =>
      clientAddress(peerOf(request, socket), request.headers, readPeer),
    isSecure: (request: Request, socket: Socket): boolean =>
      tls !== null || cameOverHttps(peerOf(request, socket), request.headers),
    isByProxy: (request: Request, socket: Socket): boolean =>
      peerOf(request, socket).isTrusted && isForwarded(request.headers),
    refuseHost: createHostCheck(ownHosts),
    /** The address of what says that it took the request over HTTPS, and is not believed; null: there is none. */
    unnamedProxy: (request: Request, socket: Socket): string | null => {
      if (tls !== null || !request.headers.has("x-forwarded-proto")) return null;
      const { address, isTrusted } = peerOf(request, socket);
      return isTrusted ? null : address;
    },
    listenerOf: (request: Request, socket: Socket): Audience =>
      isDirect(peerOf(request, socket), request.headers) ? "operator" : "anyone",
  };
}

/** Proxies that are warned of by name; then the log has seen enough. */
const PROXIES_SAID = 10;

/** Once for each proxy: its people's cookies go without `Secure`, and its address is taken for theirs. */
export function createProxyWarning(log: Log): (address: string | null) => void {
  const said = new Set<string>();
  return (address) => {
    if (address === null || said.has(address) || said.size >= PROXIES_SAID) return;
    said.add(address);
    const rule =
      "name it in server.trusted_proxies: until then cookies are sent without Secure, and its address stands for everybody's";
    log("warn", "proxy_not_trusted", { proxy: address, rule });
  };
}
