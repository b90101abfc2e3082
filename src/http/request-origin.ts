// Finds out where a request comes from: the client's address, whether proxies are between (R35), and under which host
// name it asks. The server makes one reader and uses it for each request.

import { type Refusal, refuseField } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { ReachedAudience } from "../domain/telling/reach.ts";
import type { Socket } from "./handler.ts";
import type { Peer, Trust } from "./https.ts";
import { cameOverHttps, clientOf, createPeerReader, isAcceptedOverPlain, isDirect, isForwarded } from "./https.ts";

/**
 * Makes the functions that say where a request comes from. `host` is the address on which the server listens;
 * `ownHosts` are the configured host names under which people may open pages.
 */
export function createRequestOrigin(
  { host, isTls }: Readonly<{ host: string; isTls: boolean }>,
  trust: Trust,
  ownHosts: readonly string[],
  log: Log,
) {
  const noteUnread = createUnreadWarning(log);
  const readPeer = createPeerReader(trust.trustedProxies);
  // Only this machine can connect to a server that listens on a loopback address. Then the peer is known without asking
  // the socket, which is expensive.
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
     * The address of a peer that sends headers of a proxy although we do not trust it as one. `null` for other peers,
     * and when rollcall serves TLS itself.
     */
    unnamedProxy: (request: Request, socket: Socket): string | null => {
      const { headers } = request;
      if (isTls || !(headers.has("x-forwarded-proto") || headers.has("forwarded"))) return null;
      const { address, isTrusted } = peerOf(request, socket);
      return isTrusted ? null : address;
    },
    audienceWithoutKey: (request: Request, socket: Socket): ReachedAudience =>
      isDirect(peerOf(request, socket), request.headers) ? "operator" : "anyone",
  };
}

/** How many proxies each of the two warnings below names at most, so that they do not fill the log. */
const PROXIES_SAID = 10;

/**
 * Makes a function that warns once for each proxy that we do not trust. Until we trust it, cookies of people behind the
 * proxy are sent without `Secure`, and its address is taken for theirs.
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

/**
 * Makes a function that warns once for each trusted proxy whose header about the client's address is missing or cannot
 * be read. `says` is the unreadable text, "" when the header is missing.
 */
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
 * Matches a host name that no foreign site can have, such as `localhost`, `backup` or `nas.lan`: such names mean
 * something only on this machine or in this network.
 */
const PRIVATE = /^(?:[^.]+|.+\.(?:localhost|local|lan|internal|home\.arpa))$/;
/**
 * Matches an IP address as `URL` spells it. `URL` has already changed other spellings to this one, for example `127.1`
 * to `127.0.0.1`.
 */
const ADDRESS = /^(?:\[[0-9a-f:.]+\]|\d+\.\d+\.\d+\.\d+)$/;

const NO_HOST = refuseField("host", "it is missing or no host, a browser sends the one in its address bar");

/**
 * Returns the host name without its port, as `URL` spells it; `null` when the text is no host. For example,
 * `Example.org:8080` gives `example.org`.
 */
function hostIn(host: string): string | null {
  const url = URL.parse(`http://${host}`);
  return url === null || url.username !== "" || url.pathname !== "/" ? null : url.hostname.replace(/\.$/, "");
}

/**
 * Makes the check of the host name under which a page is asked for: it returns why a request is refused, or `null` when
 * it is not. A foreign site can make its own name lead to this machine (DNS rebinding). Then a browser here sends
 * requests under that name, with any headers that the site likes. `own` are our host names, beside those that no
 * foreign site can have. Reports are not checked, because they have a key.
 */
function createHostCheck(own: readonly string[]): (request: Pick<Request, "headers" | "url">) => Refusal | null {
  const names = new Set(own.map((name) => hostIn(name.includes(":") ? `[${name}]` : name)));
  return ({ headers, url }) => {
    // Pages read their own address from the request's URL, so it must be a valid one.
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
