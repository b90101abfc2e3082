// The servers of `rollcall serve`: the public one, with the pages for people, or these on an address of their own.

import type { Config } from "../config/config.ts";
import type { Routes } from "../http/handler.ts";
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
 * Listens at once; throws when an address cannot be had. `people`: the dashboard; `everybody`: what jobs' server has besides
 * where the dashboard is not.
 */
export function listen(
  { server: { host, port, tls, plainHttp, trustedProxies }, web }: Config,
  routes: Routes,
  { people: pages, everybody }: { readonly people: MakePages; readonly everybody: MakePages | null },
  parts: Pick<ServerParts, "troubles" | "log">,
): Listening {
  const common = { ...parts, tls, trust: { plainHttp, trustedProxies } };
  const isOneServer = web !== null && web.listen === null;
  const server = createServer({ ...common, routes, pages: isOneServer ? pages : everybody, listen: { host, port } });
  if (web === null || web.listen === null)
    return { server, pagesUrl: isOneServer ? server.url : null, stop: server.stop };
  const ofPages = createServer({ ...common, routes: {}, pages, listen: web.listen });
  return {
    server,
    pagesUrl: ofPages.url,
    stop: async (graceMs) => void (await Promise.all([server.stop(graceMs), ofPages.stop(graceMs)])),
  };
}
