// The public server: it listens, accepts or refuses a request by its transport (R35), and passes it to its path's
// handler.

import http from "node:http";
import type { Server as BunServer } from "bun";
import { type AnyElysia, Elysia, NotFoundError } from "elysia";
import { createBunRouteHandler } from "elysia/adapter/bun/compose";
import { refuse } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { ReachedAudience } from "../domain/settings/reach.ts";
import type { Engine } from "../engine/engine.ts";
import { type Accepting, createAccepting } from "./accepting.ts";
import { bearerIn } from "./bearer.ts";
import { createReporter, refusalResponse } from "./error-responses.ts";
import type { Handler, MakePages, Pages, PublicPaths, Responded, Routes, Socket } from "./handler.ts";
import type { Trust } from "./https.ts";
import { type InheritedSocket, listeningOn, takeOver } from "./inherited-socket.ts";
import { changedResponse, closedAsAsked } from "./json-responses.ts";
import { METRICS_PATH, type MetricsResponse } from "./metrics/metrics.ts";
import { HEALTH_PATHS, liveResponse, readyResponse } from "./readiness.ts";
import { createProxyWarning, createRequestOrigin } from "./request-origin.ts";
import { createUnrouted } from "./unrouted.ts";

/** What a server responds, and to whom. It may be replaced while the server listens. */
export interface Served extends PublicPaths {
  readonly pages: MakePages | null;
  readonly trust: Trust;
  /** Host names that people may use, beside those that only a private network can have. */
  readonly ownHosts: readonly string[];
}

export interface ServerParts extends Served {
  readonly troubles: Engine["troubles"];
  /** Checks administrators' keys, whose programs elsewhere may learn what the operator may; see `Engine.adminKeys`. */
  readonly adminKeys: Pick<Engine["adminKeys"], "authenticate">;
  readonly metrics: MetricsResponse | null;
  /** An IP address or `localhost`, with port 0 for any free port; or a port that is already open. */
  readonly listen: { readonly host: string; readonly port: number } | InheritedSocket;
  /** The certificate chain and key as PEM; `null` when the server speaks plain HTTP. */
  readonly tls: { readonly certificate: string; readonly key: string } | null;
  readonly log: Log;
  /** Counts a report from this address that came over plain HTTP and was refused before its key was read. */
  readonly notePlain: (client: string) => void;
}

export interface Server {
  readonly url: string;
  readonly port: number;
  closeIdle(): number;
  /**
   * Answers with these from the next request on. Connections stay, and requests in flight are answered as they began.
   * The new pages do not know what the old ones held open, so browsers connect again.
   */
  reload(served: Served): void;
  /** Takes no more requests, gives those in flight this number of milliseconds to end, and then breaks them off. */
  stop(graceMs: number): Promise<void>;
}

const REFUSED_PLAIN = refuse(
  "HTTPS_REQUIRED",
  "plain HTTP is not accepted here, send the request over HTTPS; who runs this rollcall may take it by server.plain_http",
);

/**
 * Ciphers for TLS 1.2; those of 1.3 are always taken. Static RSA is left out: with it, a key stolen later could decrypt
 * recorded traffic.
 */
const CIPHERS = "ECDHE+AESGCM:ECDHE+CHACHA20";

/** How many bytes the request line and the headers may have together; R10 allows the line alone 16 KiB. */
const HEAD_BYTES_MAX = 32 * 1024;
/**
 * After how many seconds an unused connection is closed. Proxies keep one for up to two minutes; if we closed it first,
 * their next request would be lost.
 */
const IDLE_SECONDS = 150;

/**
 * Listens at once; throws when the address cannot be had. Bun does five things without us: it closes a connection
 * without a response when requests are pipelined on it and a handler returns a promise, and when it does not know the
 * method; it drops the body of a GET unread; it answers 400 to a trailer after chunks that we have read; and with that
 * 400 it breaks off a long response when the bytes after its request are no HTTP.
 */
export function createServer(parts: ServerParts): Server {
  const { listen, tls, log } = parts;
  const report = createReporter(log);
  // At run time the property has a setter that changes this server's limit; the type has only the getter.
  (http as { maxHeaderSize: number }).maxHeaderSize = HEAD_BYTES_MAX;
  const accepting = createAccepting();
  let served = createResponding(parts, parts, report, accepting);
  const server = Bun.serve({
    ...("descriptor" in listen ? { hostname: "127.0.0.1", port: 0 } : { hostname: listen.host, port: listen.port }),
    ...(tls === null ? {} : { tls: { cert: tls.certificate, key: tls.key, ciphers: CIPHERS } }),
    ...handling(served, report, accepting),
    development: false,
    reusePort: false,
    idleTimeout: IDLE_SECONDS,
    // Bun's own response to a larger body would be empty. We count every body that we read, and drop all others.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  });
  served.app.server = server;
  const socket = listeningOn(server.port!);
  if ("descriptor" in listen) takeOver(socket, listen);
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
type ErrorReporter = ReturnType<typeof createReporter>;

const handling = ({ app, routes }: Responding, report: ErrorReporter, accepting: Accepting) => ({
  routes,
  fetch: (request: Request) => {
    accepting.count();
    return app.fetch(request);
  },
  // A failure comes here, without its request, after a handler has returned a promise.
  error: (error: Error) => refusalResponse(report(error, null)),
});

/** Decides how each request is answered: by the handlers of the public paths in `routes`, else by `app`. */
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
    // This stands first, because it covers only routes that are declared after it.
    .onError(({ error, request, server: socket }) => {
      // The client went away in the middle of a form: the response reaches no one, and nothing went wrong here.
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
 * Finds out how much a response may tell. A client with an administrator's key may know all names anyway; over plain
 * HTTP the key proves nothing.
 */
const createAudience =
  (
    { adminKeys }: Pick<ServerParts, "adminKeys">,
    { listenerOf, isAccepted, clientOf, refuseHost }: ReturnType<typeof createRequestOrigin>,
  ) =>
  (request: Request, socket: Socket): ReachedAudience => {
    const sent = bearerIn(request.headers);
    const isAdministrator =
      sent !== "" && isAccepted(request, socket) && adminKeys.authenticate(sent, clientOf(request, socket)) !== null;
    if (isAdministrator) return "operator";
    // A page of another site may lead a browser on this machine here.
    return refuseHost(request) === null ? listenerOf(request, socket) : "anyone";
  };

/** The route of `/metrics`. Bun takes HEAD by the route of GET. */
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

/** The paths for which no page is made, because programs ask at them. */
const NO_PAGES: readonly string[] = [...Object.values(HEALTH_PATHS), METRICS_PATH];

const throughPages = (routes: RoutesOfApp, pages: Pages, app: { readonly server: Socket }): RoutesOfApp =>
  aroundEach(routes, (request, respond, pattern) =>
    NO_PAGES.includes(pattern) ? respond() : pages.admit(request, app.server, respond),
  );

/**
 * The header that tells browsers to use only HTTPS, for a year and for this host alone: others of its domain may have
 * no HTTPS.
 */
const ONLY_HTTPS = "max-age=31536000";

/** Adds that header to the pages when TLS is ours. Programs, and so reports, do not need it. */
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

// Turns the routes of an Elysia application into routes of Bun, so that they may be replaced while the server listens.

type RouteHandler = (request: Request) => Responded;

/** Groups the routes by pattern and method. Bun answers HEAD by GET, and splits a path before it decodes it. */
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
