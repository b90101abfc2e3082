// The servers of `rollcall serve`: the public one, with the pages for people, or these on an address of their own.

import type { Config } from "../../config/keys.ts";
import type { PublicPaths } from "../../http/handler.ts";
import { type InheritedSocket, inherit } from "../../http/inherited-socket.ts";
import type { MakePages } from "../../http/pages.ts";
import { createServer, type Served, type Server, type ServerParts } from "../../http/server.ts";

export interface Listening {
  /** What jobs report to. */
  readonly server: Server;
  /** Where the pages are; null: there are none. */
  readonly pagesUrl: () => string | null;
  /** See `Server.reload`. `config`: listens where the old one did. */
  reload(config: Config, served: ServedParts): void;
  /** See `Server.stop`. */
  stop(graceMs: number): Promise<void>;
}

/**
 * The port that the service manager opened for process `pid`, as its environment says (LISTEN_FDS); null: it opened
 * none. Throws when it opened something else.
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

/** `people`: the dashboard; `everybody`: what jobs' server has besides where the dashboard is not. */
export interface ServedParts {
  readonly paths: PublicPaths;
  readonly people: MakePages;
  readonly everybody: MakePages | null;
}

/** Listens at once; throws when an address cannot be had. `config`: see `listeningAt`. */
export function listen(
  config: Config,
  inherited: InheritedSocket | null,
  served: ServedParts,
  parts: Pick<ServerParts, "troubles" | "adminKeys" | "metrics" | "log">,
): Listening {
  const { host, port, tls } = config.server;
  const common = { ...parts, tls };
  const server = createServer({ ...common, ...ofJobs(config, served), listen: inherited ?? { host, port } });
  const at = config.web?.listen ?? null;
  const ofPeople = at === null ? null : createServer({ ...common, ...ofPages(config, served), listen: at });
  let { web } = config;
  return {
    server,
    pagesUrl: () => (web === null ? null : (ofPeople ?? server).url),
    reload: (now, served) => {
      web = now.web;
      server.reload(ofJobs(now, served));
      ofPeople?.reload(ofPages(now, served));
    },
    stop: async (graceMs) => void (await Promise.all([server.stop(graceMs), ofPeople?.stop(graceMs)])),
  };
}

/** A page is asked for by these names, too. */
const ownHosts = ({ server: { publicUrl, hostNames } }: Config): readonly string[] => [
  ...(publicUrl === null ? [] : [new URL(publicUrl).hostname.replace(/^\[|\]$/g, "")]),
  ...hostNames,
];

const ofJobs = (config: Config, { paths, people, everybody }: ServedParts): Served => ({
  ...paths,
  pages: config.web !== null && config.web.listen === null ? people : everybody,
  trust: config.server,
  ownHosts: ownHosts(config),
});

const ofPages = (config: Config, { people }: ServedParts): Served => ({
  routes: {},
  unknown: null,
  pages: people,
  trust: config.server,
  ownHosts: ownHosts(config),
});
