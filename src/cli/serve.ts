// `rollcall serve`: the composition root. Starts the layers in order, runs until it is told to stop, and stops them
// again. Decides nothing about monitors.

import { hostname } from "node:os";
import type { Config } from "../config/config.ts";
import type { Destination } from "../config/destination.ts";
import { formatFault } from "../config/fault.ts";
import { fingerprintsOf } from "../config/fingerprint.ts";
import type { ConfigFlags } from "../config/load.ts";
import { policyOf } from "../config/policy.ts";
import { isRefusal } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Policy } from "../domain/settings/policy.ts";
import { SECOND } from "../domain/time.ts";
import { createPulse } from "../engine/clock/pulse.ts";
import { createEngine } from "../engine/engine.ts";
import type { RunningEngine } from "../engine/parts.ts";
import { createOutbox } from "../engine/telling/outbox.ts";
import { openConnections } from "../http/connections.ts";
import { readDescriptors } from "../http/descriptors.ts";
import { createDoorkeeper, type Doorkeeper } from "../http/doorkeeper.ts";
import { createPeerReader } from "../http/https.ts";
import { createManagement } from "../http/management/management.ts";
import type { MakePages } from "../http/pages.ts";
import { publicRoutes } from "../http/routes.ts";
import type { Channel } from "../notify/channel.ts";
import { createNotifier } from "../notify/notifier.ts";
import { createChannel } from "../notify/registry.ts";
import { inRoom } from "../notify/room.ts";
import { createSelfPing, type SelfPing } from "../notify/self-ping.ts";
import { createUnstored } from "../notify/unstored.ts";
import { warmUp } from "../notify/warm-up.ts";
import { openDirectory } from "../store/database.ts";
import { openStore } from "../store/store.ts";
import { incidentPath } from "../web/paths.ts";
import { createStatusPages } from "../web/public/status-server.ts";
import type { SettingsInForce } from "../web/settings/setting.ts";
import { backupsOf } from "./backups.ts";
import { after, everySecond, randomFraction, randomSecret, systemClock } from "./clock.ts";
import { wantsColor } from "./color.ts";
import { loadHere } from "./config-check.ts";
import {
  announce,
  dashboardAddress,
  type FirstKey,
  firstKeyLines,
  firstLinkLines,
  localAddress,
  publicPages,
} from "./first-keys.ts";
import { homeOf, sayZone, zoneInWords } from "./home-zone.ts";
import { DONE, type Io, MISUSED, REFUSED } from "./io.ts";
import { createLogger, type LogFormat } from "./logger.ts";
import { metricsOf } from "./metrics.ts";
import { ownUser } from "./own-user.ts";
import { SOCKET_FILE } from "./own-way.ts";
import { onDisk, peoplePages } from "./people-pages.ts";
import { warnOfRisks } from "./precautions.ts";
import { inheritedSocket, listen, listeningAt } from "./servers.ts";
import { remedyOf } from "./start-remedy.ts";
import { openSupervisor, type Supervisor, statusInWords } from "./supervisor.ts";
import { VERSION } from "./version.ts";

export interface ServeFlags extends ConfigFlags {
  readonly log: LogFormat;
}

/** How long requests in flight and attempts to send may still take; together below the 5 s of a stop. */
const STOP_GRACE = 3 * SECOND;
/** After this time a stop is over, whatever still hangs. */
const STOP_MAX = 4.5 * SECOND;

/** Runs the service until SIGTERM or SIGINT. Exit code 0 after a stop, 1 when it could not start, 2 for the configuration. */
export async function runServe(flags: ServeFlags, io: Io): Promise<number> {
  const loaded = loadHere(flags, process.env);
  if ("faults" in loaded) {
    for (const fault of loaded.faults) io.err(formatFault(fault));
    return MISUSED;
  }
  // Before the first file: every new file is for this user alone.
  process.umask(0o077);
  const { config, sources, warnings, settings } = loaded;
  const log = createLogger({
    clock: systemClock,
    write: (line) => io.err(line),
    format: flags.log,
    color: wantsColor(process.stderr.isTTY, process.env),
    secrets: [...config.secrets],
  });
  warnOfRisks(config, log);
  // From here on a signal asks us to stop, also during the start.
  const told = toldToStop(log);
  log("info", "starting", { version: VERSION, sources, directory: config.storage.directory });
  for (const warning of warnings) log("warn", "configuration_doubtful", { warning: formatFault(warning) });
  const supervisor = openSupervisor(process.env, process.pid, systemClock, log);
  const inForce = { settings, sources, onDisk: () => onDisk(flags, loaded) };
  const surroundings = { inForce, supervisor, log, io };
  const service = await startService(config, surroundings).catch((error: unknown) => {
    const rule = remedyOf(error, config);
    log("error", "start_failed", { error: error instanceof Error ? error.message : error, ...(rule && { rule }) });
    return null;
  });
  if (service === null) return REFUSED;
  await told;
  supervisor.stopping();
  await service.stop();
  log("info", "stopped");
  return DONE;
}

interface Service {
  stop(): Promise<void>;
}

interface Surroundings {
  /** As people see it. */
  readonly inForce: SettingsInForce;
  readonly supervisor: Supervisor;
  readonly log: Log;
  readonly io: Io;
}

async function startService(configured: Config, { inForce, supervisor, log, io }: Surroundings): Promise<Service> {
  const inherited = inheritedSocket(process.env, process.pid);
  const config = listeningAt(configured, inherited);
  const { database, close } = openDirectory(config.storage.directory, systemClock.now());
  const ended = { tell: (): void => {} };
  const outbox = createOutbox(database, log, () => ended.tell());
  sayChanged(outbox.reconfigured(fingerprintsOf(config), systemClock.now()), log);
  const doorkeeper = doorkeeperOf(config, log);
  const channels = channelsOf(config, doorkeeper);
  const notifier = createNotifier({ outbox, channels, clock: systemClock, random: randomFraction, log, after });
  const store = openStore(database);
  const home = homeOf(store);
  const policy = policyOf(config, home);
  // Known once we listen, and asked for only then.
  let address: string | null = null;
  const backups = backupsOf(config, (failure) => engine.backupFailed(failure), log);
  const engine: RunningEngine = createEngine({
    store,
    policy,
    clock: systemClock,
    pulse: createPulse(systemClock),
    log,
    schedule: (run) => void setImmediate(run),
    nudge: notifier.nudge,
    failing: notifier.failing,
    tellUnstored: createUnstored({ channels, clock: systemClock, random: randomFraction, log, after }),
    home: config.server.publicUrl ?? hostname(),
    user: ownUser(),
    incidentUrl: incidentUrlsIn(config),
    keepPings: config.storage.keepPings,
    randomSecret,
    dashboard: () => address,
    backups,
  });
  ended.tell = engine.deliveriesEnded;
  await warmUp(`${config.storage.directory}/none`);
  const routes = publicRoutes({ engine, limits: config.limits, clock: systemClock, log });
  const troubles = troublesOf(engine, doorkeeper);
  const selfPing = selfPingOf(config, engine, doorkeeper, log);
  const common = { config, engine, troubles, selfPing, log };
  const pages = { people: peoplePages({ ...common, inForce }), everybody: statusPagesOf(config, engine) };
  const metrics = metricsOf({ ...common, notifier, doorkeeper, backups });
  const { server, pagesUrl, stop } = listen(config, inherited, routes, pages, { ...common, metrics });
  // From here on we hear every caller. The gap of our absence ends just before, and nothing runs in between (R26).
  const keyless = engine.start();
  const socketPath = `${config.storage.directory}/${SOCKET_FILE}`;
  const management = createManagement({ engine, socketPath, log });
  address = dashboardAddress(config, pagesUrl);
  const status = (): string => statusInWords(server.url, troubles("anyone"));
  const stopTicking = everySecond(() => {
    engine.tick();
    supervisor.beat(status);
  });
  const stopWatching = doorkeeper.watch(server);
  notifier.start();
  backups.start();
  selfPing?.start();
  greet(engine, keyless, { jobs: localAddress(config.server, server.port), people: address }, policy, config, log, io);
  log("info", "listening", { url: server.url, pages: pagesUrl, socket: socketPath, inherited: inherited !== null });
  supervisor.ready(status());
  sayZone(config, home, log);
  for (const trouble of engine.troubles()) log("warn", "not_ready", { trouble });

  const takeApart = async (): Promise<void> => {
    stopTicking();
    stopWatching();
    selfPing?.stop();
    const deafSince = systemClock.now();
    const ended = await Promise.allSettled([stop(STOP_GRACE), management.stop(), notifier.stop(), backups.stop()]);
    for (const part of ended) if (part.status === "rejected") log("error", "stop_failed", { error: part.reason });
    engine.stop(deafSince);
    close();
  };
  return { stop: () => Promise.race([takeApart(), new Promise<void>((resolve) => after(STOP_MAX, resolve))]) };
}

const sayChanged = (destinations: readonly string[], log: Log): void =>
  destinations.length === 0 ? undefined : log("info", "destinations_changed", { destinations });

/** Of the engine, and of this process. */
const troublesOf =
  (engine: RunningEngine, doorkeeper: Doorkeeper): RunningEngine["troubles"] =>
  (audience) =>
    [...engine.troubles(audience), doorkeeper.trouble()].filter((one) => one !== null);

function doorkeeperOf({ server }: Config, log: Log): Doorkeeper {
  const readPeer = createPeerReader(server.trustedProxies);
  return createDoorkeeper({
    descriptors: readDescriptors(),
    connections: openConnections(),
    isProxy: (address) => readPeer(address).isTrusted,
    clock: systemClock,
    log,
    after,
  });
}

const selfPingOf = ({ self }: Config, { unwell }: RunningEngine, room: Doorkeeper, log: Log): SelfPing | null =>
  self && createSelfPing({ ...self, failing: unwell, room, clock: systemClock, log, after });

/** The pages for everybody, for a server of jobs without those for people; null: there are none. */
const statusPagesOf = ({ statusPages, server }: Config, engine: RunningEngine): MakePages | null =>
  statusPages.length === 0
    ? null
    : createStatusPages({ engine, clock: systemClock, statusPages, address: server.publicUrl });

/** For messages: null where not everybody reaches the pages. */
function incidentUrlsIn(config: Config): (id: number) => string | null {
  const pages = publicPages(config);
  return (id) => (pages === null ? null : pages + incidentPath(id));
}

function greet(
  engine: RunningEngine,
  keyless: readonly string[],
  addresses: { readonly jobs: string | null; readonly people: string | null },
  { timezone }: Policy,
  config: Config,
  log: Log,
  io: Io,
): void {
  const link = config.web === null ? null : engine.people.firstLink();
  if (keyless.length === 0 && link === null) return;
  const keys = keyless.flatMap((application): FirstKey[] => {
    const made = engine.operate("key create", { application });
    return isRefusal(made) ? [] : [{ application, key: made.key }];
  });
  const isKept = process.env["JOURNAL_STREAM"] !== undefined || !process.stdout.isTTY;
  const ofKeys = keys.length === 0 ? [] : [...firstKeyLines(keys, addresses.jobs), zoneInWords(timezone), ""];
  const lines = [...ofKeys, ...(link === null ? [] : firstLinkLines(link, addresses.people))];
  const file = announce(lines, config.storage.directory, isKept, io);
  if (file !== null) log("info", "first_key_written", { file, applications: keyless, link: link !== null });
}

const channelsOf = (config: Config, doorkeeper: Doorkeeper): ReadonlyMap<string, Channel> =>
  new Map([...config.destinations].map(([name, it]) => [name, inRoom(channelOf(it, config), doorkeeper, after)]));

/** Does not compile for a type that the configuration knows and the registry does not, or with other settings. */
function channelOf(destination: Destination, { smtp }: Config): Channel {
  const settings = { ...destination, smtp };
  return createChannel(settings);
}

/** Settles at the first SIGTERM or SIGINT; a second one ends the process at once. */
const toldToStop = (log: Log): Promise<void> =>
  new Promise((resolve) => {
    let told = false;
    const stop = (signal: NodeJS.Signals): void => {
      if (told) process.exit(REFUSED);
      told = true;
      log("info", "stopping", { signal });
      resolve();
    };
    process.on("SIGTERM", stop);
    process.on("SIGINT", stop);
    // The terminal closed, or a person expects us to read the configuration again: the service must go on.
    process.on("SIGHUP", () => log("warn", "reload_unavailable", { rule: "restart to read the configuration again" }));
  });
