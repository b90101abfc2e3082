// The servers of `rollcall serve`: the public one, with the pages for people, or these on an address of their own.

import type { Config } from "../config/config.ts";
import type { Engine } from "../engine/parts.ts";
import type { Routes } from "../http/handler.ts";
import { type InheritedSocket, inherit } from "../http/inherited-socket.ts";
import type { MakePages } from "../http/pages.ts";
import { createServer, type Server, type ServerParts } from "../http/server.ts";

interface Listening {
  /** What jobs report to. */
  readonly server: Server;
  /** Where the pages are; null: there are none. */
  readonly pagesUrl: string | null;
  /** See `Server.stop`. */
  stop(graceMs: number): Promise<void>;
}

/**
 * The port that the service manager opened for process `pid`, as its environment says (LISTEN_FDS); null: it opened none. Throws
 * when it opened something else.
 */
export function inheritedSocket(
  { LISTEN_FDS: count, LISTEN_PID: forPid }: Readonly<Record<string, string | undefined>>,
  pid: number,
): InheritedSocket | null {
  if (forPid !== String(pid) || count === undefined || count === "0") return null;
  if (count !== "1") throw new Error(`${count} sockets are inherited, rollcall serves one`);
  return inherit(FIRST_INHERITED);
}

const FIRST_INHERITED = 3;

/** An inherited socket listens where it was opened, whatever the configuration says. */
export const listeningAt = (config: Config, inherited: InheritedSocket | null): Config =>
  inherited === null ? config : { ...config, server: { ...config.server, host: inherited.host, port: inherited.port } };

/**
 * Listens at once; throws when an address cannot be had. `config`: see `listeningAt`. `people`: the dashboard;
 * `everybody`: what jobs' server has besides where the dashboard is not.
 */
export function listen(
  { server: { host, port, tls, plainHttp, trustedProxies }, web }: Config,
  inherited: InheritedSocket | null,
  routes: Routes,
  { people: pages, everybody }: { readonly people: MakePages; readonly everybody: MakePages | null },
  {
    engine,
    troubles,
    metrics,
    log,
  }: Pick<ServerParts, "troubles" | "metrics" | "log"> & {
    readonly engine: Pick<Engine, "adminKeys">;
  },
): Listening {
  const trust = { plainHttp, trustedProxies };
  const common = { adminKeys: engine.adminKeys, troubles, metrics, log, tls, trust };
  const isOneServer = web !== null && web.listen === null;
  const server = createServer({
    ...common,
    routes,
    pages: isOneServer ? pages : everybody,
    listen: inherited ?? { host, port },
  });
  if (web === null || web.listen === null)
    return { server, pagesUrl: isOneServer ? server.url : null, stop: server.stop };
  const ofPages = createServer({ ...common, routes: {}, pages, listen: web.listen });
  return {
    server,
    pagesUrl: ofPages.url,
    stop: async (graceMs) => void (await Promise.all([server.stop(graceMs), ofPages.stop(graceMs)])),
  };
}
