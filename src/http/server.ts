// The public HTTP server. It listens, refuses plain HTTP where that is not accepted (R35), and passes each request to
// the handler of its path.

import http from "node:http";
import type { Server as BunServer } from "bun";
import { type AnyElysia, Elysia, NotFoundError } from "elysia";
import { createBunRouteHandler } from "elysia/adapter/bun/compose";
import { refuse } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { ReachedAudience } from "../domain/telling/reach.ts";
import type { Engine } from "../engine/engine.ts";
import { type Accepting, createAcceptLimit } from "./accepting.ts";
import { bearerIn } from "./bearer.ts";
import { createErrorReporter, refusalResponse } from "./error-responses.ts";
import type { Handler, MakePages, Pages, PublicPaths, Responded, Routes, Socket } from "./handler.ts";
import type { Trust } from "./https.ts";
import { descriptorListeningOn, type InheritedSocket, takeOverListeningSocket } from "./inherited-socket.ts";
import { changedResponse, closedAsAsked } from "./json-responses.ts";
import { METRICS_PATH, type MetricsResponse } from "./metrics/metrics.ts";
import { HEALTH_PATHS, liveResponse, readyResponse } from "./readiness.ts";
import { createProxyWarning, createRequestOrigin } from "./request-origin.ts";
import { createUnrouted } from "./unrouted.ts";

/**
 * The paths and pages of a server, and which proxies it trusts. A reload of the configuration replaces all of this
 * while the server listens.
 */
export interface Served extends PublicPaths {
  readonly pages: MakePages | null;
  readonly trust: Trust;
  /**
   * Host names under which people may open pages, beside names that only a private network can have (such as
   * `nas.lan`).
   */
  readonly ownHosts: readonly string[];
}

export interface ServerParts extends Served {
  readonly troubles: Engine["troubles"];
  /**
   * Checks the keys of administrators. A program elsewhere that sends one may read in `/readyz` and `/metrics` what a
   * program on this machine may read.
   */
  readonly adminKeys: Pick<Engine["adminKeys"], "authenticate">;
  readonly metrics: MetricsResponse | null;
  /**
   * Where to listen: at an IP address or `localhost` with a port (0 means any free one), or on a socket that is already
   * open.
   */
  readonly listen: { readonly host: string; readonly port: number } | InheritedSocket;
  /** The certificate chain and key as PEM; `null` when the server speaks plain HTTP. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
  readonly log: Log;
  /**
   * Counts a request at a public path, such as a report, that came from this address over plain HTTP and was refused
   * before its key was read.
   */
  readonly notePlain: (client: string) => void;
}

export interface Server {
  readonly url: string;
  readonly port: number;
  closeIdle(): number;
  /**
   * Answers all further requests with `served`. Connections stay, and requests in flight are answered as they began.
   * Only the connections that browsers hold open to learn of changes are closed, because the new pages do not know
   * them; the browsers connect again.
   */
  reload(served: Served): void;
  /** Takes no more requests, waits at most `graceMs` milliseconds for those in flight, and then breaks them off. */
  stop(graceMs: number): Promise<void>;
}

const REFUSED_PLAIN = refuse(
  "HTTPS_REQUIRED",
  "plain HTTP is not accepted here, send the request over HTTPS; who runs this rollcall may take it by server.plain_http",
);

/**
 * The ciphers for TLS 1.2; those of TLS 1.3 are always taken. Ciphers with static RSA are left out: a key that is
 * stolen later could decrypt traffic that was recorded under them.
 */
const CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20";

/** How many bytes the request line and the headers may have together. R10 allows the request line alone 16 KiB. */
const HEAD_BYTES_MAX = 32 * 1024;
/**
 * After how many seconds an unused connection is closed. Proxies keep an unused connection for up to two minutes. If we
 * closed it before them, the next request that they send on it would be lost.
 */
const IDLE_SECONDS = 150;

/**
 * Listens at once; throws when the address cannot be had. Bun does five things that our code cannot change:
 * - Bun closes a connection without a response when the client has sent its next request on it while the promise of a
 * handler is open.
 * - It does the same when it does not know the method of a request.
 * - It drops the body of a GET unread.
 * - It answers 400 to a trailer after the chunks of a body, even if we have read the body.
 * - When bytes that are no HTTP follow a request, it breaks off a long response to that request with a 400.
 */
export function createServer(parts: ServerParts): Server {
  const { listen, tls, log } = parts;
  const report = createErrorReporter(log);
  // Bun applies this limit to the server that is made below: to the bytes of the request line and the headers together.
  // The type of `http` has only a getter for it, so a cast is needed.
  (http as { maxHeaderSize: number }).maxHeaderSize = HEAD_BYTES_MAX;
  const accepting = createAcceptLimit();
  let served = createResponding(parts, parts, report, accepting);
  const server = Bun.serve({
    ...("descriptor" in listen ? { hostname: "127.0.0.1", port: 0 } : { hostname: listen.host, port: listen.port }),
    ...(tls === null ? {} : { tls: { cert: tls.certificate, key: tls.key, ciphers: CIPHERS } }),
    ...handling(served, report, accepting),
    development: false,
    reusePort: false,
    idleTimeout: IDLE_SECONDS,
    // Bun is given no limit, because its response to a larger body would be empty. Our code counts every body that it
    // reads, and drops the others.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  });
  served.app.server = server;
  const socket = descriptorListeningOn(server.port!);
  if ("descriptor" in listen) takeOverListeningSocket(socket, listen);
  if (socket !== null) accepting.watch(socket);
  return {
    ...("descriptor" in listen ? socketAddress(listen, tls !== null) : { url: server.url.origin, port: server.port! }),
    closeIdle: () => server.closeIdleConnections(),
    reload: (next) => {
      const before = served;
      served = createResponding(parts, next, report, accepting);
      served.app.server = server;
      server.reload(handling(served, report, accepting));
      before.pages?.stop();
    },
    stop: (graceMs) => {
      served.pages?.stop();
      accepting.stop();
      return stop(server, graceMs);
    },
  };
}

type Responding = ReturnType<typeof createResponding>;
type ErrorReporter = ReturnType<typeof createErrorReporter>;

const handling = ({ app, routes }: Responding, report: ErrorReporter, accepting: Accepting) => ({
  routes,
  fetch: (request: Request) => {
    accepting.count();
    return app.fetch(request);
  },
  // Bun calls this, without the request, when the promise that a handler returned is rejected.
  error: (error: Error) => refusalResponse(report(error, null)),
});

/**
 * Makes the parts that answer requests: `routes` has the handlers of the public paths, and `app` (Elysia) answers at
 * all other paths.
 */
function createResponding(
  { troubles, adminKeys, metrics, listen, tls, log, notePlain }: Omit<ServerParts, keyof Served>,
  { routes, unknown, pages: makePages, trust, ownHosts }: Served,
  report: ErrorReporter,
  accepting: Accepting,
) {
  const requestOrigin = createRequestOrigin({ host: listen.host, isTls: tls !== null }, trust, ownHosts, log);
  const { isAccepted, clientOf, refuseHost } = requestOrigin;
  const noteProxy = createProxyWarning(log);
  const audienceOf = createAudience({ adminKeys }, requestOrigin);
  const pages = makePages?.(requestOrigin) ?? null;
  const { refused, unrouted } = createUnrouted(pages);
  const unexpected = (error: unknown, request: Request, socket: Socket): Response =>
    refused(request, report(error, { method: request.method, client: clientOf(request, socket) }));

  const guarded = (handle: Handler) => (request: Request, socket: BunServer<unknown>) => {
    try {
      const accepted = isAccepted(request, socket);
      if (!accepted) notePlain(clientOf(request, socket));
      const response = accepted ? handle(request, () => clientOf(request, socket)) : refusalResponse(REFUSED_PLAIN);
      return closedAsAsked(request, response);
    } catch (error) {
      return unexpected(error, request, socket);
    }
  };

  const app = new Elysia()
    // `onError` comes first, because Elysia applies it only to routes that are declared after it.
    .onError(({ error, request, server: socket }) => {
      // The client went away while it sent a form: the response reaches no one, and nothing went wrong here.
      if (request.signal.aborted) return new Response(null);
      if (!(error instanceof NotFoundError)) return unexpected(error, request, socket);
      if (!isAccepted(request, socket)) return refused(request, REFUSED_PLAIN);
      const response = unknown?.(request, () => clientOf(request, socket)) ?? null;
      return response === null ? unrouted(request, refuseHost) : closedAsAsked(request, response);
    })
    .get(HEALTH_PATHS.live, ({ request }) => closedAsAsked(request, liveResponse()))
    .get(HEALTH_PATHS.ready, ({ request, server: socket }) =>
      closedAsAsked(request, readyResponse(troubles(audienceOf(request, socket)))),
    )
    .guard(
      {
        beforeHandle: ({ request, server: socket }) => {
          if (!isAccepted(request, socket)) return refused(request, REFUSED_PLAIN);
          const foreign = refuseHost(request);
          if (foreign !== null) return refused(request, foreign);
          noteProxy(requestOrigin.unnamedProxy(request, socket));
          return undefined;
        },
      },
      (guarded) =>
        guarded
          .use(metrics === null ? new Elysia() : metricsRoute(metrics, audienceOf, requestOrigin))
          .use(pages?.routes ?? new Elysia()),
    );
  const admitted = pages === null ? bunRoutesOf(app) : throughPages(bunRoutesOf(app), pages, app);
  const overTls = tls === null ? admitted : onlyOverHttps(admitted);
  const forPeople = aroundEach(overTls, (_request, respond) => {
    accepting.count();
    return respond();
  });
  return { app: app as AnyElysia, pages, routes: { ...forPeople, ...mapped(routes, guarded) } };
}

/**
 * Makes a function that decides how much the responses of `/readyz` and `/metrics` may tell the sender of a request. An
 * `operator` learns names of destinations, `anyone` does not. An administrator's key makes its sender an operator,
 * unless it came over plain HTTP that is not accepted, where others may have read it.
 */
const createAudience =
  (
    { adminKeys }: Pick<ServerParts, "adminKeys">,
    { audienceWithoutKey, isAccepted, clientOf, refuseHost }: ReturnType<typeof createRequestOrigin>,
  ) =>
  (request: Request, socket: Socket): ReachedAudience => {
    const sent = bearerIn(request.headers);
    const isAdministrator =
      sent !== "" && isAccepted(request, socket) && adminKeys.authenticate(sent, clientOf(request, socket)) !== null;
    if (isAdministrator) return "operator";
    // A request from this machine usually counts as the operator's. But a page of another site may have made a browser
    // here send it (DNS rebinding). So under a host name that is not ours it counts as anyone's.
    return refuseHost(request) === null ? audienceWithoutKey(request, socket) : "anyone";
  };

/** HEAD needs no route: Bun answers it by the route of GET. */
const metricsRoute = (
  metrics: MetricsResponse,
  audienceOf: ReturnType<typeof createAudience>,
  { clientOf }: ReturnType<typeof createRequestOrigin>,
) =>
  new Elysia({ name: "metrics" }).get(METRICS_PATH, ({ request, server: socket }) => {
    const isOperator = audienceOf(request, socket) === "operator";
    return closedAsAsked(
      request,
      metrics(request, isOperator, () => clientOf(request, socket)),
    );
  });

type RoutesOfApp = ReturnType<typeof bunRoutesOf>;

const aroundEach = (
  routes: RoutesOfApp,
  around: (request: Request, respond: () => Responded, pattern: string) => Responded,
): RoutesOfApp =>
  Object.fromEntries(
    Object.entries(routes).map(([pattern, methods]) => {
      const all = Object.entries(methods).map(([method, handle]) => {
        const respond = (request: Request) => around(request, () => handle(request), pattern);
        return [method, respond];
      });
      return [pattern, Object.fromEntries(all)];
    }),
  );

/** The paths that only programs ask for. Requests there need not wait for their turn as requests for pages do. */
const NO_PAGES: readonly string[] = [...Object.values(HEALTH_PATHS), METRICS_PATH];

const throughPages = (routes: RoutesOfApp, pages: Pages, app: { readonly server: Socket }): RoutesOfApp =>
  aroundEach(routes, (request, respond, pattern) =>
    NO_PAGES.includes(pattern) ? respond() : pages.admit(request, app.server, respond),
  );

/**
 * The value of `Strict-Transport-Security`, by which browsers use only HTTPS for a year. It holds for this host alone,
 * because other hosts of its domain may have no HTTPS.
 */
const ONLY_HTTPS = "max-age=31536000";

/**
 * Adds `Strict-Transport-Security` to the responses for browsers, when rollcall serves TLS itself. Programs, and so
 * reports, do not need it.
 */
const onlyOverHttps = (routes: RoutesOfApp): RoutesOfApp =>
  aroundEach(routes, (_request, respond) =>
    changedResponse(respond(), (said) => said.headers.set("strict-transport-security", ONLY_HTTPS)),
  );

function socketAddress({ host, port }: InheritedSocket, isTls: boolean): Pick<Server, "url" | "port"> {
  const name = host.includes(":") ? `[${host}]` : host;
  return { url: new URL(`${isTls ? "https" : "http"}://${name}:${port}`).origin, port };
}

const mapped = <To>(routes: Routes, to: (handle: Handler) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(routes).map(([pattern, handle]) => [pattern, to(handle)]));

async function stop(server: Pick<BunServer<unknown>, "stop">, graceMs: number): Promise<void> {
  const grace = AbortSignal.timeout(graceMs);
  const graceIsOver = new Promise((resolve) => grace.addEventListener("abort", resolve));
  const inFlight = server.stop(false);
  await Promise.race([inFlight, graceIsOver]);
  await server.stop(true);
}

// The following turns the routes of an Elysia application into routes of Bun, because Bun can replace its routes while
// the server listens.

type RouteHandler = (request: Request) => Responded;

/**
 * Returns the handlers by pattern and then by method. Bun answers HEAD by the handler of GET, and splits a path at its
 * slashes before it decodes it.
 */
function bunRoutesOf(app: AnyElysia): Record<string, Record<string, RouteHandler>> {
  const routes: Record<string, Record<string, RouteHandler>> = {};
  app.compile();
  for (const route of app.router.history) {
    let handle: RouteHandler | null = null;
    const pattern = encodeURI(route.path).replace(/(?<=.)\/$/, "");
    routes[pattern] ??= {};
    routes[pattern][route.method] = (request) => {
      handle ??= createBunRouteHandler(app, route) as RouteHandler;
      return handle(request);
    };
  }
  return routes;
}
