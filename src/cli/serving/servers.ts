// Makes the HTTP servers of `rollcall serve`: one for jobs, and a second one for the dashboard if that has its own
// address.

import type { Config } from "../../config/all-keys.ts";
import type { ListenAddress } from "../../config/network-addresses.ts";
import { type Refusal, refuse } from "../../domain/errors.ts";
import type { Log } from "../../domain/log.ts";
import { type PasskeySite, passkeySite } from "../../domain/people/sign-in.ts";
import { zonesInForce } from "../../domain/schedule/zone.ts";
import { orElse } from "../../domain/unless-missing.ts";
import type { Backups } from "../../engine/api.ts";
import type { RunningEngine } from "../../engine/engine.ts";
import type { ConnectionLimiter } from "../../http/connection-limiter.ts";
import { createFailureLog } from "../../http/failure-log.ts";
import type { MakePages } from "../../http/handler.ts";
import { peerSiteNetwork } from "../../http/https.ts";
import { type InheritedSocket, readInheritedSocket } from "../../http/inherited-socket.ts";
import type { SeenMachine } from "../../http/metrics/families.ts";
import { createMetrics, type MetricsResponse } from "../../http/metrics/metrics.ts";
import { publicPaths } from "../../http/public-routes.ts";
import { createServer, type Served, type ServerParts } from "../../http/server.ts";
import type { Notifier } from "../../notify/notifier.ts";
import { bytesFree } from "../../store/file/database-files.ts";
import { type ProxySignOn, signedInViewers } from "../../web/account/cookie.ts";
import { createOidc } from "../../web/account/oidc.ts";
import { createPages } from "../../web/pages.ts";
import { createStatusPages } from "../../web/public/status-routes.tsx";
import { after, systemClock } from "../clock.ts";
import { VERSION } from "../executable.ts";
import type { InForce } from "./in-force.ts";
import type { AlertSending, SelfPinging } from "./sending.ts";

export type Listening = ReturnType<typeof listen>;

/**
 * Returns the socket that a service manager, such as systemd, opened for process `pid` (LISTEN_FDS); `null` when there
 * is none. Throws when it opened several, or something that is no such socket.
 */
export function inheritedSocket(
  { LISTEN_FDS: count, LISTEN_PID: forPid }: Readonly<Record<string, string | undefined>>,
  pid: number,
): InheritedSocket | null {
  if (forPid !== String(pid) || count === undefined || count === "0") return null;
  if (count !== "1") throw new Error(`${count} sockets are inherited, rollcall serves one`);
  return readInheritedSocket(FIRST_INHERITED);
}

const FIRST_INHERITED = 3;

/**
 * Returns the configuration with the address where the service really listens. An inherited socket listens where its
 * manager opened it, whatever the configuration says.
 */
export const listeningAt = (config: Config, inherited: InheritedSocket | null): Config =>
  inherited === null ? config : { ...config, server: { ...config.server, host: inherited.host, port: inherited.port } };

export function listen(
  config: Config,
  inherited: InheritedSocket | null,
  served: ServedParts,
  parts: Pick<ServerParts, "troubles" | "adminKeys" | "metrics" | "log"> & { plainRefused: (network: string) => void },
) {
  const { host, port, tls } = config.server;
  const logPlain = createFailureLog(systemClock, parts.log, "plain_http_refused");
  const notePlain = (client: string): void => {
    logPlain(client);
    parts.plainRefused(peerSiteNetwork(client));
  };
  const common = { ...parts, tls, notePlain };
  const server = startedAt("server.listen", { host, port }, () =>
    createServer({ ...common, ...ofJobs(config, served), listen: inherited ?? { host, port } }),
  );
  const at = config.web?.listen ?? null;
  const ofPeople =
    at && startedAt("web.listen", at, () => createServer({ ...common, ...ofPages(config, served), listen: at }));
  let { web } = config;
  return {
    server,
    /** Returns the address of the dashboard's pages; `null` when the dashboard is off. */
    pagesUrl: () => (web === null ? null : (ofPeople ?? server).url),
    reload: (now: Config, served: ServedParts): void => {
      web = now.web;
      server.reload(ofJobs(now, served));
      ofPeople?.reload(ofPages(now, served));
    },
    stop: (graceMs: number) => Promise.all([server.stop(graceMs), ofPeople?.stop(graceMs)]),
  };
}

/** A server could not listen at the address that `setting` gives. The message is that of the cause. */
export class ListenFailure extends Error {
  constructor(
    readonly setting: "server.listen" | "web.listen",
    readonly address: ListenAddress,
    cause: Error,
  ) {
    super(cause.message, { cause });
  }
}

function startedAt<Started>(
  setting: ListenFailure["setting"],
  { host, port }: ListenAddress,
  start: () => Started,
): Started {
  try {
    return start();
  } catch (error) {
    throw error instanceof Error ? new ListenFailure(setting, { host, port }, error) : error;
  }
}

/** Returns the configured host names under which people may open the pages. */
const ownHosts = ({ server: { publicUrl, hostNames } }: Config): readonly string[] => [
  ...(publicUrl === null ? [] : [new URL(publicUrl).hostname.replace(/^\[|\]$/g, "")]),
  ...hostNames,
];

const ofJobs = (config: Config, { paths, people, statusPages }: ServedParts): Served => ({
  ...paths,
  pages: config.web !== null && config.web.listen === null ? people : statusPages,
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

type Serving = Readonly<{
  inForce: InForce;
  engine: RunningEngine;
  selfPinging: SelfPinging;
  sending: AlertSending;
  commandLine: string;
  log: Log;
}>;

type ServedParts = ReturnType<typeof servedOf>;

export const servedOf = (config: Config, { inForce, engine, selfPinging, sending, commandLine, log }: Serving) => ({
  paths: publicPaths(engine, config.limits, systemClock, log),
  people: createPages({
    engine,
    clock: systemClock,
    after,
    log,
    version: VERSION,
    commandLine,
    troubles: engine.troubles,
    selfPing: selfPinging.health,
    takePostedReply: sending.takePostedReply,
    inForce: inForce.settings,
    address: config.server.publicUrl,
    mailDomain: config.mailIn?.domain ?? null,
    viewersAt: signedInViewers(engine.people, proxyIn(config, log)),
    oidc: config.web?.oidc ? createOidc(config.web.oidc, systemClock, process.env) : null,
    statusPages: config.web?.listen === null ? config.statusPages : [],
    passkeySite: passkeySiteIn(config),
  }),
  /**
   * The pages of the server for jobs when it has no dashboard: only the status pages. `null` when none is configured.
   */
  statusPages: statusPagesOf(config, engine),
});

const statusPagesOf = ({ statusPages, server }: Config, engine: RunningEngine): MakePages | null =>
  statusPages.length === 0
    ? null
    : createStatusPages({ engine, clock: systemClock, statusPages, address: server.publicUrl });

const proxyIn = ({ web }: Config, log: Log): ProxySignOn | null =>
  web === null || web.trustedUserHeader === null
    ? null
    : {
        header: web.trustedUserHeader,
        secret: web.trustedUserSecret,
        noteFailure: createFailureLog(systemClock, log, "proxy_secret_wrong"),
      };

/**
 * Returns the site for which browsers make passkeys. With `web.listen` passkeys are refused: rollcall does not know the
 * address under which people open the dashboard.
 */
const passkeySiteIn = ({ server, web }: Config): PasskeySite | Refusal =>
  web?.listen
    ? refuse(
        "INVALID_REQUEST",
        "passkeys are off: with web.listen, rollcall does not know how people reach these pages",
      )
    : passkeySite(server.publicUrl);

// Collects the facts for `/metrics`: what the parts of the service know, and what the system says about this process
// and its disk.

interface MetricsOfParts {
  readonly configNow: () => Config;
  readonly engine: RunningEngine;
  readonly notifier: Notifier;
  readonly selfPinging: SelfPinging;
  readonly connectionLimiter: ConnectionLimiter;
  readonly backups: Backups;
  readonly log: Log;
}

export function serviceMetrics(parts: MetricsOfParts): MetricsResponse {
  const { configNow, engine, notifier, selfPinging, log } = parts;
  const startedAt = systemClock.now();
  return createMetrics({
    engine,
    others: () => ({
      endings: notifier.ended(),
      selfPing: selfPinging.health(),
      machine: machineNow(parts, startedAt),
    }),
    token: () => configNow().server.metricsToken,
    clock: systemClock,
    log,
  });
}

function machineNow({ configNow, connectionLimiter, backups }: MetricsOfParts, startedAt: number): SeenMachine {
  const { user, system } = process.cpuUsage();
  return {
    version: VERSION,
    zoneRules: zonesInForce(),
    startedAt,
    cpuSeconds: (user + system) / 1e6,
    residentBytes: process.memoryUsage.rss(),
    ...connectionLimiter.seen(),
    availableBytes: orElse(null, () => bytesFree(configNow().storage.directory)),
    backupAt: backups.health().kept[0]?.at ?? null,
  };
}
