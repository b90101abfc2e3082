// Facts about a request's origin: its address, the proxies between (R35), and the host name that it uses.

import { type Refusal, refuseField } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { ReachedAudience } from "../domain/settings/reach.ts";
import type { Socket } from "./handler.ts";
import type { Peer, Trust } from "./https.ts";
import { cameOverHttps, clientOf, createPeerReader, isAcceptedOverPlain, isDirect, isForwarded } from "./https.ts";

/**
 * Makes the reader of a request's origin. `host` is the address that the server listens on. For `ownHosts` see
 * `Served.ownHosts`.
 */
export function createRequestOrigin(
  { host, isTls }: Readonly<{ host: string; isTls: boolean }>,
  trust: Trust,
  ownHosts: readonly string[],
  log: Log,
) {
  const noteUnread = createUnreadWarning(log);
  const readPeer = createPeerReader(trust.trustedProxies);
  // A server on a loopback address has no other peers, and asking the socket for the peer is expensive.
  const ownAddress = readPeer(host);
  const knownPeer = ownAddress.isLoopback ? ownAddress : null;
  const takesEverything = isTls || trust.plainHttp === "accept";
  const peerOf = (request: Request, socket: Socket): Peer =>
    knownPeer ?? readPeer(socket?.requestIP(request)?.address ?? "unknown");
  return {
    isAccepted: (request: Request, socket: Socket): boolean =>
      takesEverything || isAcceptedOverPlain(trust.plainHttp, peerOf(request, socket), request.headers),
    clientOf: (request: Request, socket: Socket): string => {
      const peer = peerOf(request, socket);
      const { address, unread } = clientOf(peer, request.headers, readPeer);
      if (unread !== null) noteUnread(peer.address, unread);
      return address;
    },
    isSecure: (request: Request, socket: Socket): boolean =>
      isTls || cameOverHttps(peerOf(request, socket), request.headers),
    isByProxy: (request: Request, socket: Socket): boolean =>
      peerOf(request, socket).isTrusted && isForwarded(request.headers),
    refuseHost: createHostCheck(ownHosts),
    /**
     * The address of a proxy that says it took the request over HTTPS but that we do not trust; `null` when there is
     * none.
     */
    unnamedProxy: (request: Request, socket: Socket): string | null => {
      const { headers } = request;
      if (isTls || !(headers.has("x-forwarded-proto") || headers.has("forwarded"))) return null;
      const { address, isTrusted } = peerOf(request, socket);
      return isTrusted ? null : address;
    },
    listenerOf: (request: Request, socket: Socket): ReachedAudience =>
      isDirect(peerOf(request, socket), request.headers) ? "operator" : "anyone",
  };
}

/** How many proxies are named in warnings, which is enough for the log. */
const PROXIES_SAID = 10;

/**
 * Warns once for each proxy that is not trusted: the cookies of its people are sent without `Secure`, and its address
 * is taken for theirs.
 */
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

/** Warns once for each trusted proxy whose header about the client's address is missing or cannot be read. */
function createUnreadWarning(log: Log): (proxy: string, says: string) => void {
  const said = new Set<string>();
  return (proxy, says) => {
    if (said.has(proxy) || said.size >= PROXIES_SAID) return;
    said.add(proxy);
    const rule =
      says === ""
        ? "let it set X-Forwarded-For (docs/proxies.md): until then its address stands for everybody's"
        : "let it write the client's address in X-Forwarded-For (docs/proxies.md)";
    log("warn", "client_unread", { proxy, says, rule });
  };
}

/**
 * Matches a name that no foreign site can have: it is never resolved outside this network, or its owner is this
 * network.
 */
const PRIVATE = /^(?:[^.]+|.+\.(?:localhost|local|lan|internal|home\.arpa))$/;
/** Matches an address in the spelling of URLs, however it was written in the header. */
const ADDRESS = /^(?:\[[0-9a-f:.]+\]|\d+\.\d+\.\d+\.\d+)$/;

const NO_HOST = refuseField("host", "it is missing or no host, a browser sends the one in its address bar");

/** The host name alone, in the spelling of URLs; `null` when the text is no host. */
function hostIn(host: string): string | null {
  const url = URL.parse(`http://${host}`);
  return url === null || url.username !== "" || url.pathname !== "/" ? null : url.hostname.replace(/\.$/, "");
}

/**
 * Checks the host name of a request for a page. A page of any site can make its own name lead to this machine (DNS
 * rebinding): its requests come from a browser here, under that site's name, and may carry any header. Reports have a
 * key instead and are never checked. `own` are our names, beside those that no foreign site can have. It returns why a
 * request is refused, or `null` when it is not.
 */
function createHostCheck(own: readonly string[]): (request: Pick<Request, "headers" | "url">) => Refusal | null {
  const names = new Set(own.map((name) => hostIn(name.includes(":") ? `[${name}]` : name)));
  return ({ headers, url }) => {
    // A page learns its own address from this URL, so the URL must be one.
    if (!URL.canParse(url)) return NO_HOST;
    const host = hostIn(headers.get("host") ?? new URL(url).host);
    if (host === null) return NO_HOST;
    if (ADDRESS.test(host) || PRIVATE.test(host) || names.has(host)) return null;
    return refuseField(
      "host",
      `${JSON.stringify(host.slice(0, 253))} is no name of this rollcall; if it is one, add it to server.host_names`,
    );
  };
}
