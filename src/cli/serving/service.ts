// Puts the service together: makes its parts in order, starts them, gives them a new configuration at a reload, and
// stops them.

import { hostname } from "node:os";
import type { Config } from "../../config/all-keys.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { dashboardUrl, type Home, policyOfConfig } from "../../config/read-policy.ts";
import { isRefusal } from "../../domain/errors.ts";
import type { InPieces } from "../../domain/in-pieces.ts";
import type { Log } from "../../domain/log.ts";
import { createScheduler } from "../../domain/scheduler.ts";
import { DAY, SECOND } from "../../domain/time.ts";
import { orElse } from "../../domain/unless-missing.ts";
import { createEngine, type RunningEngine } from "../../engine/engine.ts";
import type { EngineSettings } from "../../engine/engine-settings.ts";
import { createPulse } from "../../engine/own-outages/pulse.ts";
import { createConnectionLimiter } from "../../http/connection-limiter.ts";
import { openConnections, readDescriptors } from "../../http/connections.ts";
import { createPeerReader } from "../../http/https.ts";
import { createMailIn } from "../../http/mail/mail-in.ts";
import { listenForMail } from "../../http/mail/smtp.ts";
import { createManagement } from "../../http/management/management.ts";
import { rememberSendingProxies, warmUpSending } from "../../notify/post.ts";
import { openStore, type Store } from "../../store/store.ts";
import { incidentPath } from "../../web/paths.ts";
import { SOCKET_FILE } from "../asking/transports.ts";
import { after, everySecond, randomSecret, systemClock } from "../clock.ts";
import { warnOfRisks } from "../config-commands.ts";
import type { Io } from "../io.ts";
import { ownUser, systemUserOrNumber } from "../own-user.ts";
import { lookForZones } from "../zone-source.ts";
import { backupSettings, backupsOf, openUnlessLost } from "./backup-service.ts";
import { createBrokerPublishing } from "./broker-publishing.ts";
import { createDestinationKeeper } from "./destination-keeper.ts";
import { createFirstKeyFile, dashboardAddress, localServiceAddress, showFirstSecrets } from "./first-keys.ts";
import { homeZoneOf, sayZone, sayZoneRules } from "./home-zone.ts";
import type { InForce } from "./in-force.ts";
import { createReloads, warnOfLeftOut } from "./reload-turns.ts";
import { createKeeper, createStatusPageKeeper } from "./section-keeper.ts";
import { createSelfPinging, createSending } from "./sending.ts";
import { inheritedSocket, type Listening, listen, listeningAt, servedOf, serviceMetrics } from "./servers.ts";
import { type Supervisor, supervisorStatus } from "./supervisor.ts";

const schedule = (run: () => void): void => void setImmediate(run);

/**
 * How many milliseconds a stop waits for requests and for attempts to send that are under way. Together with all else a
 * stop must take less than 5 s.
 */
const STOP_GRACE = 3 * SECOND;
/** After this many milliseconds a stop ends, even if a part still hangs. */
const STOP_MAX = 4.5 * SECOND;

type ServiceInstance = Awaited<ReturnType<typeof assembled>>;

/**
 * Makes each part of the service from the parts before it. A part that calls a later part gets the later part when it
 * starts.
 */
async function assembled(inForce: InForce, log: Log, io: Io, commandLine: string) {
  const inherited = inheritedSocket(process.env, process.pid);
  const configNow = (): Config => listeningAt(inForce.loaded().config, inherited);
  const { database, close } = openUnlessLost(configNow().storage.directory, systemClock.now(), log);
  const store = openStore(database);
  inForce.keep(store.kept.all);
  warnOfLeftOut(inForce, inForce.loaded(), log);
  const config = configNow();
  const gate = openGate(config, log);
  const { connectionLimiter } = gate;
  const sending = createSending(database, connectionLimiter, log);
  const home = homeZoneOf(store);
  sending.configure(config, policyOfConfig(config, home));
  const backups = backupsOf(config, log);
  const reloads = createReloads(inForce, schedule, log);
  const kept = createKeeper({ inForce, store, reloads });
  /** The servers; `null` until they listen. */
  let listening: Listening | null = null;
  const engine = createEngine({
    ...engineSettings(config, home),
    store,
    clock: systemClock,
    pulse: createPulse(systemClock),
    log,
    schedule,
    scheduler: createScheduler({ schedule, clock: systemClock }),
    nudge: sending.notifier.nudge,
    incidentTouched: sending.notifier.changed,
    failing: sending.notifier.failing,
    tellUnstored: sending.tellUnstored,
    hostTrouble: connectionLimiter.trouble,
    commandLine: commandLine === "rollcall" ? null : commandLine,
    user: ownUser() ?? systemUserOrNumber(process.getuid?.() ?? 0),
    randomSecret,
    addresses: () => {
      const { server } = configNow();
      const here = localServiceAddress(server, listening?.server.port ?? server.port);
      return {
        here,
        elsewhere: server.publicUrl,
        dashboard: dashboardAddress(configNow(), listening?.pagesUrl() ?? null),
      };
    },
    backups,
    reloads,
    destinations: createDestinationKeeper({ inForce, store, sending, kept, log }),
    statusPages: createStatusPageKeeper(inForce, kept),
    kept,
  });
  rememberSendingProxies(process.env);
  await warmUpSending(`${config.storage.directory}/none`);
  const selfPinging = createSelfPinging(engine, connectionLimiter, log);
  const jobStates = createBrokerPublishing(engine, log);
  const parts = { inForce, engine, selfPinging, jobStates, sending, backups, commandLine, log };
  const mailIn = createMailIn(engine, config.limits, systemClock, log);
  const smtp = config.mailIn && (await listenForMail(config.mailIn, mailIn, after, STOP_GRACE, systemClock, log));
  const metrics = serviceMetrics({ ...parts, configNow, notifier: sending.notifier, connectionLimiter });
  const { troubles, adminKeys } = engine;
  const serving = listen(config, inherited, servedOf(config, parts), {
    troubles,
    adminKeys,
    metrics,
    log,
    plainRefused: engine.intake.plainRefused,
  });
  listening = serving;
  const firstKeys = firstKeysOf(config, store, engine);
  return { ...parts, config, close, home, firstKeys, commandLine, inherited, gate, store, reloads, serving, smtp, io };
}

/**
 * Starts the service, and returns once it takes requests. `commandLine` is how commands for this service must begin.
 */
export async function startService(inForce: InForce, supervisor: Supervisor, log: Log, io: Io, commandLine: string) {
  const instance = await assembled(inForce, log, io, commandLine);
  const { engine, config, reloads, close } = instance;
  // `start` ends the gap in which this process did not run (R26). The server began to listen in this turn of the event
  // loop, so no caller is heard before.
  const keyless = engine.start();
  const management = createManagement(engine, socketIn(config), log);
  const stopLooking = startWork(instance, supervisor);
  showFirstSecrets(instance, config, keyless, false);
  sayReady(instance, supervisor);
  const takeApart = async (): Promise<void> => {
    stopLooking();
    await stopAll(instance, management.stop);
    close();
  };
  return {
    reload: reloads.begin,
    stop: () => Promise.race([takeApart(), new Promise<void>((resolve) => after(STOP_MAX, resolve))]),
  };
}

const socketIn = ({ storage }: Config): string => `${storage.directory}/${SOCKET_FILE}`;

const serviceStatus = ({ engine, serving }: ServiceInstance): string =>
  supervisorStatus(serving.server.url, engine.troubles("anyone"));

function startWork(instance: ServiceInstance, supervisor: Supervisor): () => void {
  const { engine, config, firstKeys, gate, serving, sending, backups, selfPinging, jobStates, reloads, log } = instance;
  const zoneLooks = createZoneLooks(engine, log);
  const stopTicking = everySecond(() => {
    engine.tick();
    firstKeys.sweep();
    supervisor.beat(() => serviceStatus(instance));
    zoneLooks.look();
  });
  const stopWatching = gate.connectionLimiter.watch(serving.server);
  sending.start(engine);
  backups.start(engine.backupFailed);
  selfPinging.configure(config);
  jobStates.configure(config);
  reloads.start({
    reconfigure: (loaded) => reconfigure(instance, loaded),
    began: supervisor.reloading,
    ended: () => supervisor.ready(serviceStatus(instance)),
  });
  return () => {
    stopTicking();
    stopWatching();
  };
}

/** Checks once a day whether another release of time-zone rules was installed on this machine. */
function createZoneLooks(engine: RunningEngine, log: Log) {
  let nextAt = systemClock.now() + DAY;
  return {
    look: (): void => {
      const now = systemClock.now();
      if (now < nextAt && nextAt - now <= DAY) return;
      const changed = orElse(null, () => takeZones(engine, log));
      // Zone files are just being replaced, or the database does not answer: try again in the next second.
      if (changed === null) return;
      nextAt = now + DAY;
      if (changed > 0) engine.zonesChanged();
    },
  };
}

/**
 * Uses the machine's zone rules if they are new. Returns how many zones of monitors changed; `null` when zone files are
 * just being replaced. Throws what SQLite throws.
 */
function takeZones(engine: RunningEngine, log: Log): number | null {
  const looked = lookForZones(process.env, engine.zonesInUse());
  if (looked?.isOther) sayZoneRules(log);
  return looked === null ? null : looked.changed.length;
}

function sayReady(instance: ServiceInstance, supervisor: Supervisor): void {
  const { engine, config, home, serving, inherited, log } = instance;
  const at = { url: serving.server.url, pages: serving.pagesUrl() };
  log("info", "listening", { ...at, socket: socketIn(config), inherited: inherited !== null });
  supervisor.ready(serviceStatus(instance));
  sayZone(config, home, log);
  for (const trouble of engine.troubles()) log("warn", "not_ready", { trouble });
  warnOfReplies(instance);
}

/**
 * Warns when the configuration says who replies to alerts from a destination or a member's address, and that person
 * does not exist or may only look. `config check` cannot warn of this, because it reads no database.
 */
function warnOfReplies({ engine, log }: Pick<ServiceInstance, "engine" | "log">): void {
  for (const { says, command } of engine.views.adviceOnReplies())
    log("warn", "replies_not_taken", { says, rule: command });
}

async function stopAll(instance: ServiceInstance, stopManagement: () => Promise<void>): Promise<void> {
  const { reloads, selfPinging, jobStates, serving, smtp, sending, backups, engine, log } = instance;
  reloads.stop();
  selfPinging.stop();
  const deafSince = systemClock.now();
  const states = jobStates.stop();
  const stops = [serving.stop(STOP_GRACE), smtp?.stop(), stopManagement(), sending.stop(), backups.stop(), states];
  const ended = await Promise.allSettled(stops);
  for (const part of ended) if (part.status === "rejected") log("error", "stop_failed", { error: part.reason });
  engine.stop(deafSince);
}

/**
 * Puts a new configuration in force, while the server listens. If the database takes nothing, this throws before
 * anything has changed.
 */
function* reconfigure(instance: ServiceInstance, loaded: LoadedConfig): InPieces<void> {
  const { inForce, inherited, sending, gate, store, backups, selfPinging, serving, smtp, engine, log } = instance;
  takeZones(engine, log);
  const before = listeningAt(inForce.loaded().config, inherited);
  const config = listeningAt(loaded.config, inherited);
  const home = homeZoneOf(store);
  const monitors = engine.reconfigure(engineSettings(config, home));
  const first = monitors.next();
  inForce.replace(loaded);
  sending.configure(config, policyOfConfig(config, home));
  gate.configure(config);
  backups.reconfigure(backupSettings(config.storage));
  selfPinging.configure(config);
  instance.jobStates.configure(config);
  if (serverSettingsOf(before) !== serverSettingsOf(config)) {
    serving.reload(config, servedOf(config, instance));
    smtp?.configure(config.limits);
  }
  if (before.server.timezone !== config.server.timezone) sayZone(config, home, log);
  warnOfRisks(config, log);
  warnOfReplies(instance);
  if (!first.done) yield;
  showFirstSecrets(instance, config, first.done ? first.value : yield* monitors, true);
}

const firstKeysOf = ({ storage }: Config, { keys, senders }: Store, { people }: RunningEngine) =>
  createFirstKeyFile(storage.directory, {
    key: (key) => {
      const owner = keys.findByHash(Bun.SHA256.hash(key) as Uint8Array);
      return owner === null || owner.revokedAt !== null || senders.monitorsOfKey(owner.keyId, 1).count > 0;
    },
    link: (token) => isRefusal(people.link(token)),
  });

function openGate({ server }: Config, log: Log) {
  let readPeer = createPeerReader(server.trustedProxies);
  const connectionLimiter = createConnectionLimiter({
    descriptors: readDescriptors(),
    connections: openConnections(),
    isProxy: (address) => readPeer(address).isTrusted,
    clock: systemClock,
    log,
    after,
  });
  return {
    connectionLimiter,
    configure: ({ server }: Config): void => {
      readPeer = createPeerReader(server.trustedProxies);
    },
  };
}

function engineSettings(config: Config, home: Home): EngineSettings {
  const pages = dashboardUrl(config);
  return {
    policy: policyOfConfig(config, home),
    home: config.server.publicUrl ?? hostname(),
    incidentUrl: (id) => (pages === null ? null : pages + incidentPath(id)),
    keepPings: config.storage.keepPings,
  };
}

/**
 * Returns the settings from which paths and pages are made, as one text. A reload makes paths and pages again only if
 * this text has changed, because that forgets counts of requests and ends connections of open pages.
 */
const serverSettingsOf = ({ limits, server, web, statusPages }: Config): string =>
  JSON.stringify([limits, server, web, statusPages]);
