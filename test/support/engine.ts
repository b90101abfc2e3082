// A service for tests: the real engine on a real database file, with a clock and turns of the event loop that the test
// moves. It can be killed at any point and started again with the file as it is then.

import { Database } from "bun:sqlite";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogFields, LogLevel } from "../../src/domain/log.ts";
import type { AlertData } from "../../src/domain/message/alert.ts";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import type { NoticeData, NoticeMessage } from "../../src/domain/message/notice.ts";
import { type FoundGap, oneGap } from "../../src/domain/monitor/gap.ts";
import type { Monitor } from "../../src/domain/monitor/monitor.ts";
import { NO_OUTCOMES } from "../../src/domain/monitor/reported-outcomes.ts";
import { type Signal, transition } from "../../src/domain/monitor/transition.ts";
import { createScheduler } from "../../src/domain/scheduler.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import type { ApplicationRules, MonitorRules, Policy, Route } from "../../src/domain/settings/policy.ts";
import { DECLARED_FIELDS, type Declared } from "../../src/domain/settings/settings.ts";
import { DAY, HOUR, type Instant, toIso } from "../../src/domain/time.ts";
import type { Caller, Ping, Receipt } from "../../src/engine/api.ts";
import { createActiveCounts } from "../../src/engine/capacity.ts";
import { createEngine, type Engine, type RunningEngine } from "../../src/engine/engine.ts";
import { createRefusals } from "../../src/engine/intake/refusals.ts";
import type { Operator } from "../../src/engine/operations/operate.ts";
import { createLivedClock, type LivedClock } from "../../src/engine/own-outages/lived-clock.ts";
import { record } from "../../src/engine/record.ts";
import { inTransaction } from "../../src/engine/transaction.ts";
import { prepareDeliveries } from "../../src/store/deliveries.ts";
import { copyDatabase } from "../../src/store/file/copy.ts";
import { DATABASE_FILE } from "../../src/store/file/database.ts";
import { restoreDatabase } from "../../src/store/file/restore.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { namedMonitorWithPolicy } from "../../src/views/completed-monitors.ts";
import { backupsOf } from "./backups.ts";
import { openTestFile } from "./database.ts";
import { MESSAGES } from "./destinations.ts";
import { NO_DESTINATIONS, NO_KEPT, NO_RELOADS, NO_STATUS_PAGES } from "./no-reloads.ts";
import { TURNS } from "./turns.ts";

/** A Monday, on the hour. */
export const NOON: Instant = Date.UTC(2026, 2, 2, 12);

/** The service's public address. */
const HOME = "https://cron.example.org";
/** The user as whom the service runs. */
const USER = "rollcall";

const REMINDERS = { after: [HOUR, 6 * HOUR, DAY], every: DAY, max: 30 };

const PROD: Caller = { applicationId: 1, application: "prod", keyId: 1, scope: "all" };

/** The fields of a ping that a test sets, with those that the ping declares at the same level. */
export type PingChanges = Partial<Ping & Declared>;

/** A heartbeat of the monitor `job` in `prod`, with the test's changes. */
export const ping = (changes: PingChanges = {}): Ping => ({
  caller: PROD,
  monitorKey: "job",
  kind: "heartbeat",
  runId: null,
  attempt: null,
  ageSeconds: null,
  durationSeconds: null,
  message: null,
  output: null,
  outcomes: NO_OUTCOMES,
  said: saidIn(changes),
  host: null,
  user: null,
  lookalikes: [],
  idempotency: null,
  ...(Object.fromEntries(Object.entries(changes).filter(([field]) => !isDeclared(field))) as Partial<Ping>),
});

const isDeclared = (field: string): boolean => (DECLARED_FIELDS as readonly string[]).includes(field);

function saidIn(changes: PingChanges): Declared {
  const declared = Object.entries(changes).filter(([field]) => isDeclared(field));
  const said = changes.said ?? NOTHING_DECLARED;
  return declared.length === 0 ? said : { ...said, ...Object.fromEntries(declared) };
}

type PolicyChanges = Partial<Omit<Policy, "applications">> & {
  /** The configured rules of `prod`, without its monitors. */
  readonly prod?: Omit<ApplicationRules, "monitors">;
  readonly monitors?: Readonly<Record<string, MonitorRules>>;
};

/** A policy with one application, `prod`, whose alerts go to the webhook `hook`, with the test's changes. */
export const policyWith = ({ prod, monitors, ...changes }: PolicyChanges = {}): Policy => ({
  timezone: "UTC",
  machineTimezone: null,
  reminders: REMINDERS,
  team: { name: null, destinations: ["hook"], members: [] },
  destinations: new Map([["hook", MESSAGES]]),
  applications: new Map([["prod", { ...prod, monitors: new Map(Object.entries(monitors ?? {})) }]]),
  ...changes,
});

export interface LogLine {
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: LogFields;
}

/** An alert as it was stored. */
export interface NotifiedAlert extends Pick<AlertData, "kind" | "reason" | "cause"> {
  readonly monitor: string;
  /** When the alert became true, in ISO 8601. */
  readonly at: string;
}

export interface Unstored {
  readonly message: NoticeMessage;
  readonly routes: readonly Route[];
}

export interface Service extends Disposable {
  readonly engine: RunningEngine & Operator;
  readonly store: Store;
  readonly logged: readonly LogLine[];
  /** How often the notifier was told that messages wait. */
  readonly nudges: number;
  /** Incidents whose messages must now say something else. */
  readonly touchedIncidents: number[];
  /** Messages that were to be sent without being stored. */
  readonly unstored: readonly Unstored[];
  /** The applications that the last start created. */
  readonly created: readonly string[];
  readonly now: Instant;
  /** Destinations that take nothing, in the notifier's words. */
  readonly failing: Map<string, string>;

  /** Sets the clock; nothing else happens. */
  at(instant: Instant): void;
  /** Ends this turn of the event loop: what was scheduled in it runs. It returns false when nothing was. */
  endTurn(): boolean;
  /** Ends turns until nothing is scheduled any more. */
  endTurns(): void;
  /** Sets the clock, ticks, and runs everything that follows. */
  look(instant: Instant): void;
  /** Submits all these pings in one turn and ends it. */
  send(...pings: Ping[]): Promise<Awaited<ReturnType<RunningEngine["intake"]["ingest"]>>[]>;

  /** The process stands still for this many milliseconds, which the next tick notices. */
  standStill(milliseconds: number): void;
  /** A person sets the clock ahead by this many milliseconds, or back when the number is negative; no time passes. */
  stepClock(milliseconds: number): void;
  /**
   * Kills the process: nothing is stopped, flushed or closed, and what was scheduled never runs. Until then the process
   * was alive and had noted so.
   */
  kill(): void;
  /** Starts with the file as it is; with another configuration, if one is given. */
  start(policy?: Policy): void;
  /** Kills and starts a running service. */
  restart(policy?: Policy): void;
  /** Copies the database as it is now, and returns the path of the copy. */
  backUp(): string;
  /** Kills the process, replaces the database by this copy, and starts. */
  restore(backup: string): void;
  /** Restores the copy twice before the start. */
  restoreTwice(backup: string): void;

  /**
   * Changes the configuration while the service runs. `pieces` limits the work that follows to this number of pieces,
   * as if a crash came then.
   */
  reload(policy: Policy, pieces?: number): void;

  /** Opens another connection to the same file. */
  connect(): Database;
  monitor(key?: string): Monitor;
  /** All stored messages: alerts and notices. */
  notified(): NotifiedAlert[];
  alarms(): NotifiedAlert[];
  /** The `data` of the stored notices, with the destinations of each. */
  notices(): { readonly data: NoticeData; readonly destinations: readonly string[] }[];
  count(table: string): number;
  /** Applies an act of an operator or a registry, written as the engine writes it; the next start arms its hint. */
  apply(key: string, signal: Signal): void;
}

/** Adds the operations as the user of the commands asks for them. */
export const withHost = <Some extends Engine>(engine: Some): Some & Operator => ({ ...engine, ...engine.as("host") });

type Keepers = Pick<Parameters<typeof createEngine>[0], "destinations" | "kept">;

const keepNothing = (): Keepers => ({ destinations: NO_DESTINATIONS, kept: NO_KEPT });

/**
 * Starts a service on a new file, which `using` removes. `monotonic` replaces a clock that runs as the other one does;
 * `keepers` replace those that keep nothing beside the configuration.
 */
export function openService(
  policy: Policy = policyWith(),
  startedAt: Instant = NOON,
  monotonic?: () => number,
  keepers: (store: Store) => Keepers = keepNothing,
): Service {
  const root = mkdtempSync(join(tmpdir(), "rollcall-engine-"));
  const connections: Database[] = [];
  const logged: LogLine[] = [];
  const clock = { now: () => now, monotonic: monotonic ?? (() => now - stepped) };
  /** The engine's clock of the process's life, for a process that has noted until its end that it is alive. */
  let lived: LivedClock;
  let now = startedAt;
  let life = 0;
  let backups = 0;
  let path = join(root, "0.db");
  let configured = policy;
  let scheduled: (() => void)[] = [];
  const unstored: Unstored[] = [];
  let nudges = 0;
  const touchedIncidents: number[] = [];
  let stepped = 0;
  let missed: FoundGap | null = null;
  const failing = new Map<string, string>();
  const whatFails = () => new Map([...failing].map(([name, answer]) => [name, { answer, since: startedAt }]));
  let created: string[] = [];
  let store: Store;
  let engine: RunningEngine & Operator;

  function start(changed = configured): void {
    configured = changed;
    store = openStore(openTestFile(path, now));
    store.database.run("PRAGMA busy_timeout = 1");
    // A killed process loses nothing that it has written; only a power cut would, and that is for `test/torture`.
    store.database.run("PRAGMA synchronous = OFF");
    connections.push(store.database);
    lived = createLivedClock(store, clock);
    // The turns of a killed process never end, so each process has its own list.
    const turns: (() => void)[] = [];
    scheduled = turns;
    const schedule = (run: () => void): void => void turns.push(run);
    const host = withHost(
      createEngine({
        store,
        policy: configured,
        clock,
        // Between two instants of a test the process runs and notes that it is alive; the test need not list each
        // second.
        pulse: () => {
          const gap = missed;
          missed = null;
          return gap;
        },
        log: (level, event, fields = {}) => void logged.push({ level, event, fields }),
        schedule,
        scheduler: createScheduler({ schedule, clock }),
        nudge: () => void nudges++,
        incidentTouched: (incidentId) => void touchedIncidents.push(incidentId),
        failing: whatFails,
        tellUnstored: (message, routes) => void unstored.push({ message, routes }),
        home: HOME,
        user: USER,
        commandLine: null,
        incidentUrl: (id) => `${HOME}/incidents/${id}`,
        keepPings: 90 * DAY,
        hostTrouble: () => null,
        randomSecret: secretsInTurn(),
        addresses: () => ({ here: null, elsewhere: null, dashboard: null }),
        backups: backupsOf(path),
        reloads: NO_RELOADS,
        statusPages: NO_STATUS_PAGES,
        ...keepers(store),
      }),
    ); // Pages over this engine wait for real turns; the engine's work waits for those of the test.
    engine = { ...host, scheduler: TURNS };

    created = engine.start();
  }

  function reload(policy: Policy, pieces = Number.POSITIVE_INFINITY): void {
    configured = policy;
    const settings = {
      policy,
      home: HOME,
      incidentUrl: (id: number) => `${HOME}/incidents/${id}`,
      keepPings: 90 * DAY,
    };
    const work = engine.reconfigure(settings);
    for (let made = 0; made < pieces; made++) {
      const step = work.next();
      if (!step.done) continue;
      created = step.value;
      return;
    }
  }

  /** Copies the files as they are now, including the log beside the database, and closes the old ones. */
  function kill(): void {
    lived.look();
    store.liveness.saveAlive(now, lived.text());
    const left = path;
    life += 1;
    path = join(root, `${life}.db`);
    for (const ending of ["", "-wal"])
      if (existsSync(`${left}${ending}`)) copyFileSync(`${left}${ending}`, `${path}${ending}`);
    scheduled = [];
    store.database.close();
    missed = null;
  }

  function backUp(): string {
    const copy = join(root, `backup-${backups++}.db`);
    copyDatabase(path, copy);
    return copy;
  }

  function restore(backup: string, times = 1): void {
    kill();
    const directory = join(root, `restored-${life}`);
    mkdirSync(directory, { mode: 0o700 });
    const database = join(directory, DATABASE_FILE);
    for (const ending of ["", "-wal"])
      if (existsSync(`${path}${ending}`)) copyFileSync(`${path}${ending}`, `${database}${ending}`);
    for (let time = 0; time < times; time += 1) restoreDatabase(directory, backup, "replaced");
    path = database;
    start();
  }

  function endTurn(): boolean {
    const runs = scheduled.splice(0);
    for (const run of runs) run();
    return runs.length > 0;
  }

  function endTurns(): void {
    for (let left = 10_000; endTurn(); left--) if (left === 0) throw new Error("the turns never end");
  }

  function send(...pings: Ping[]) {
    const answers = Promise.all(pings.map((each) => engine.intake.ingest(each)));
    endTurn();
    return answers;
  }

  function apply(key: string, signal: Signal): void {
    const deliveries = prepareDeliveries(store.database);
    const context = {
      store,
      policy: configured,
      failing: whatFails,
      inStory: () => null,
      home: HOME,
      user: USER,
      commandLine: null,
      incidentUrl: () => null,
      keepPings: 90 * DAY,
      deliveries,
      refusals: createRefusals(clock, store),
      plainRefusals: { note: () => {}, all: () => [] },
      active: createActiveCounts(store),
      gaps: { undecided: () => [], since: () => [] },
      certain: () => now,
      steady: () => now,
    };
    const before = namedMonitorWithPolicy({ store, policy: configured }, PROD.applicationId, key, null)!;
    const decision = transition(before.monitor, signal, now, []);
    inTransaction(store, () => record(context, before, decision, now, null));
  }

  start();
  return {
    failing,
    get engine() {
      return engine;
    },
    get store() {
      return store;
    },
    unstored,
    touchedIncidents,
    get nudges() {
      return nudges;
    },
    get created() {
      return created;
    },
    get now() {
      return now;
    },
    logged,
    at: (instant) => {
      now = instant;
    },
    endTurn,
    endTurns,
    look: (instant) => {
      now = instant;
      engine.tick();
      endTurns();
    },
    send,
    standStill: (milliseconds) => {
      const from = now + 1;
      now += milliseconds;
      missed = oneGap(from, now, "stalled");
    },
    stepClock: (milliseconds) => {
      const before = now;
      now += milliseconds;
      stepped += milliseconds;
      lived.look();
      if (milliseconds > 0) missed = oneGap(before + 1, now, "clock");
    },
    kill,
    start,
    reload,
    backUp,
    restore: (backup) => restore(backup),
    restoreTwice: (backup) => restore(backup, 2),
    restart: (changed) => {
      kill();
      start(changed);
    },
    connect: () => {
      const connection = new Database(path, { readwrite: true, strict: true });
      connections.push(connection);
      return connection;
    },
    monitor: (key = "job") =>
      namedMonitorWithPolicy({ store, policy: configured }, PROD.applicationId, key, null)!.monitor,
    notified: () => notifiedIn(store.database),
    alarms: () => notifiedIn(store.database).filter(({ reason }) => reason !== null),
    notices: () => noticesIn(store.database),
    count: (table) => store.database.query<{ rows: number }, []>(`select count(*) as rows from ${table}`).get()!.rows,
    apply,
    [Symbol.dispose]: () => {
      for (const connection of connections) connection.close();
      rmSync(root, { recursive: true });
    },
  };
}

/**
 * Secrets of keys, each different: `aaa…`, then `bbb…`, and so on. Two others come first, because the first start makes
 * two for the signature of answers.
 */
function secretsInTurn(): () => string {
  let made = -2;
  return () => String.fromCharCode("a".charCodeAt(0) + made++).repeat(32);
}

function noticesIn(database: Database) {
  const rows = database
    .query<{ data: string; destinations: string }, []>(
      `select data, (select json_group_array(distinct destination) from deliveries where alert_id = alerts.id) as destinations
       from alerts where type = 'service.notice' order by id`,
    )
    .all();
  return rows.map(({ data, destinations }) => ({
    data: JSON.parse(data),
    destinations: JSON.parse(destinations),
  }));
}

function notifiedIn(database: Database): NotifiedAlert[] {
  const rows = database.query<{ at: Instant; data: string }, []>("select at, data from alerts order by id").all();
  return rows.map(({ at, data }) => {
    const { monitorKey: monitor, kind, reason, cause }: AlertData = alertDataFrom(data)!;
    return { monitor, kind, reason, cause, at: toIso(at) };
  });
}

/** The warning of an answer that must be a receipt. */
export const warningOf = (answer: Awaited<ReturnType<RunningEngine["intake"]["ingest"]>> | undefined): string | null =>
  (answer as Receipt).warning;
