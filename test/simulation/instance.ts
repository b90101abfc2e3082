// rollcall as a process that we can start, stop, kill and freeze; the machine drives its clocks and storage. Everything
// in it is real: engine, SQLite on a file, outbox, notifier. We simulate only time, the turns of the event loop and the
// network.

import { Database } from "bun:sqlite";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import type { LogFields } from "../../src/domain/log.ts";
import { createScheduler } from "../../src/domain/scheduler.ts";
import type { Policy } from "../../src/domain/settings/policy.ts";
import type { Caller, Outbox } from "../../src/engine/api.ts";
import type { RunningEngine } from "../../src/engine/engine.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { createOutbox } from "../../src/engine/outbox/outbox.ts";
import { createPulse } from "../../src/engine/own-outages/pulse.ts";
import { createThrottle, type Throttle } from "../../src/http/api/throttle.ts";
import type { Channel } from "../../src/notify/channel.ts";
import { createNotifier, type Notifier } from "../../src/notify/notifier.ts";
import { copyDatabase } from "../../src/store/file/copy.ts";
import { restoreDatabase } from "../../src/store/file/restore.ts";
import type { LostIncident } from "../../src/store/file/restored.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { backupsOf } from "../support/backups.ts";
import { openTestFile } from "../support/database.ts";
import { steadyBy } from "../support/manual-time.ts";
import { NO_DESTINATIONS, NO_KEPT, NO_RELOADS, NO_STATUS_PAGES } from "../support/no-reloads.ts";
import type { Answer } from "./client.ts";
import type { Report } from "./job.ts";
import { createLoop, type Loop } from "./loop.ts";
import type { Machine } from "./machine.ts";
import type { Random } from "./random.ts";
import { type Arrivals, answerOf, createArrivals, keyFrom, requestOf, secretFrom } from "./requests.ts";
import { DAY, type Instant, MINUTE, SECOND } from "./units.ts";
import type { WrittenGap } from "./verdict-hearing.ts";

/** How a request ended: what its sender learns, and, once it is on disk, the instant at which it arrived. */
export interface Ends {
  readonly answered: (answer: Answer) => void;
  /** In the order of arrival. */
  readonly kept: (as: "report" | "refusal", at: Instant) => void;
}

export interface InstanceParts {
  readonly machine: Machine;
  readonly random: Random;
  readonly policy: Policy;
  readonly path: string;
  readonly channels: ReadonlyMap<string, Channel>;
  /** Stands between the notifier and the outbox of this life of the process. */
  readonly guardOutbox: (outbox: Outbox) => Outbox;
  readonly log: (level: string, event: string, fields: LogFields) => void;
  /** Everything that was due by this instant of the wall clock has been settled. */
  readonly settled: (at: Instant) => void;
}

export interface Instance {
  /** Whether it takes requests; frozen it still does, but nobody looks at them. */
  isUp(): boolean;
  isFrozen(): boolean;
  start(): void;
  /** As SIGTERM does it; it is gone when `isGone` says so. */
  stop(): void;
  kill(): void;
  isGone(): boolean;
  freeze(): void;
  /** Answers what came meanwhile: each is to be run once, soon. */
  thaw(): (() => void)[];
  /** Takes one request; each of its ends comes at most once. */
  receive(report: Report, apiKey: number, ends: Ends): void;
  /** Runs `run` as soon as the process can notice what happened outside; never if it is gone by then. */
  whenAwake(): (run: () => void) => void;
  /** When it could not hear, as it has written that down: spans not decided yet and new ones, ascending. */
  gaps(): readonly WrittenGap[];
  /**
   * Makes a backup, as the service has it made, and answers the number of its last delivery; null: something is under
   * way.
   */
  backUp(): number | null;
  /** Puts the backup in the place of the database, as the command does it; not while the process runs. */
  restore(): void;
  /** How storage behaves from now on. */
  storage(state: "works" | "read only" | "full"): void;
  /** Somebody uses this API key so much that nobody else gets through. */
  flood(apiKey: number, flooding: boolean): void;
  /** When it wants to do something next, in true time; Infinity: never. */
  nextAt(): Instant;
  /** Does what is to be done now. */
  work(): void;
  close(): void;
}

const LIMITS = [{ setting: "limits.v1_per_minute", most: 600, span: MINUTE }];
/** Connections that the kernel keeps for a process that does not take them. */
const BACKLOG = 500;
const KEEP_PINGS = 8 * DAY;

interface Life {
  readonly store: Store;
  readonly engine: RunningEngine;
  readonly notifier: Notifier;
  readonly throttle: Throttle;
  readonly loop: Loop;
  readonly arrivals: Arrivals;
  /** Takes requests; false while it is being taken apart. */
  listening: boolean;
  nextTick: Instant;
}

export function createInstance(parts: InstanceParts, apiKeys: number): Instance {
  const { machine, random, policy, path, channels, guardOutbox, log, settled } = parts;
  let life: Life | null = null;
  /** Of the present life, from its very beginning. */
  let readGaps: () => readonly WrittenGap[] = () => [];
  let frozen = false;
  let storageState: "works" | "read only" | "full" = "works";
  let keys: readonly string[] = [];
  const backup = `${path}.backup`;
  const flooded = new Set<number>();
  /** What came while the process was frozen, in the order in which it came. */
  let waiting: (() => void)[] = [];
  let requests = 0;
  let settledTo: Instant | null = null;
  /** Looks after storage has come back in which something may still wait to be tried again. */
  let catchingUp = 0;

  function start(): void {
    const store = openStore(openTestFile(path, machine.clock.now()));
    const written = store.database.prepare<WrittenGap & { readonly id: number }, [number]>(
      'SELECT id, from_at AS "from", to_at AS "to", excuses, reason FROM gaps WHERE decided_at IS NULL OR id > ? ORDER BY from_at',
    );
    // A clock that was behind finds a gap that is long over, and decided in the look that wrote it.
    let newest = store.gaps.lastId();
    readGaps = () => {
      const rows = written.all(newest);
      newest = Math.max(newest, ...rows.map(({ id }) => id));
      return rows.map(({ id: _, ...gap }) => gap);
    };
    // What was written outlives the process either way; only a power cut, which is not simulated, tells the difference.
    store.database.run("PRAGMA synchronous = OFF");
    const begun = machine.clock.monotonic();
    const clock = { now: machine.clock.now, monotonic: () => machine.clock.monotonic() - begun };
    const loop = createLoop(machine, random);
    const write = (level: string, event: string, fields: LogFields = {}): void => {
      if (!loop.isDead()) log(level, event, fields);
    };
    const outbox = guardOutbox(createOutbox(store.database, write));
    const notifier = createNotifier({
      steadySince: steadyBy(clock),
      outbox,
      channels,
      clock,
      random: random.fraction,
      log: write,
      after: loop.after,
    });
    const engine = createEngine({
      store,
      policy,
      clock,
      pulse: createPulse(clock),
      log: write,
      schedule: loop.schedule,
      scheduler: createScheduler({ schedule: loop.schedule, clock }),
      nudge: notifier.nudge,
      failing: notifier.failing,
      tellUnstored: () => {},
      home: "https://cron.example.org",
      user: "rollcall",
      commandLine: null,
      incidentUrl: () => null,
      keepPings: KEEP_PINGS,
      hostTrouble: () => null,
      randomSecret: () => secretFrom(random),
      addresses: () => ({ here: null, elsewhere: null, dashboard: null }),
      backups: backupsOf(":memory:"),
      reloads: NO_RELOADS,
      destinations: NO_DESTINATIONS,
      statusPages: NO_STATUS_PAGES,
      kept: NO_KEPT,
    });
    const throttle = createThrottle(LIMITS, clock, write);
    engine.start();
    life = {
      store,
      engine,
      notifier,
      throttle,
      loop,
      arrivals: createArrivals(),
      listening: true,
      nextTick: machine.now() + SECOND,
    };
    applyStorage();
    if (keys.length === 0) keys = Array.from({ length: apiKeys }, () => keyFrom(engine));
    notifier.start();
  }

  function kill(): void {
    if (life === null) return;
    life.loop.die();
    life.store.database.close();
    life = null;
    readGaps = () => [];
    frozen = false;
    waiting = [];
    settledTo = null;
  }

  function stop(): void {
    const stopping = life!;
    stopping.listening = false;
    stopping.nextTick = Number.POSITIVE_INFINITY;
    const deafSince = machine.clock.now();
    void stopping.notifier.stop().then(() => {
      if (life !== stopping) return;
      stopping.engine.stop(deafSince);
      stopping.loop.microtasks();
      kill();
    });
    stopping.loop.microtasks();
  }

  function receive(report: Report, apiKey: number, ends: Ends): void {
    if (life === null || !life.listening) return ends.answered("gone");
    if (frozen) {
      if (waiting.length >= BACKLOG) return ends.answered("gone");
      waiting.push(() => receive(report, apiKey, ends));
      return;
    }
    const caller = life.engine.intake.authenticate(keys[apiKey]!);
    if ("refusal" in caller) return ends.answered("unavailable");
    take(report, caller, life, ends);
  }

  /** A refusal joins the batch too, but nobody is told when it is committed: it is kept once those before it are. */
  function take(report: Report, caller: Caller, { engine, throttle, loop, arrivals }: Life, ends: Ends): void {
    // Late reports have a budget of their own (R33), which no job here uses up.
    const excess = report.ageSeconds === null ? throttle(caller) : null;
    const at = machine.clock.now();
    const request = requestOf(report, caller, ++requests);
    if (excess !== null) {
      engine.intake.rateLimited(request.ping, excess.limit.setting);
      loop.schedule(arrivals.enterUnheard(() => ends.kept("refusal", at)));
      return ends.answered("limited");
    }
    const done = arrivals.enter();
    void engine.intake.ingest(request.ping).then((answer) => {
      done(() => {
        const keptAt = request.keptAt(answer);
        if (keptAt !== null) ends.kept("report", keptAt);
        ends.answered(answerOf(answer));
      });
    });
    loop.microtasks();
  }

  function nextAt(): Instant {
    if (life === null || frozen) return Number.POSITIVE_INFINITY;
    return Math.min(life.loop.nextAt(), life.nextTick);
  }

  function work(): void {
    const working = life!;
    if (working.loop.nextAt() <= machine.now()) working.loop.work();
    else tick(working);
    if (life !== working || settledTo === null || !working.loop.isIdle()) return;
    // Hints are kept to the second, so what is due within the one that has begun may still wait.
    const to = Math.floor(settledTo / SECOND) * SECOND;
    if (storageState === "works" && catchingUp > 0) catchingUp -= 1;
    else if (storageState === "works" || (storageState === "full" && nothingIsDue(working, to))) settled(to);
    settledTo = null;
  }

  /** A full disk takes what needs no more room. */
  function nothingIsDue({ store }: Life, at: Instant): boolean {
    for (const page of store.monitors.wakes(1_000))
      if (page.some(({ wakeAt }) => (wakeAt ?? at + 1) <= at)) return false;
    return true;
  }

  function tick(working: Life): void {
    for (const apiKey of flooded) floodWith(working, apiKey);
    working.nextTick = machine.now() + SECOND;
    settledTo = machine.clock.now();
    working.engine.tick();
    working.loop.microtasks();
  }

  function floodWith({ engine, throttle }: Life, apiKey: number): void {
    const caller = engine.intake.authenticate(keys[apiKey]!);
    if ("refusal" in caller) return;
    for (let left = LIMITS[0]!.most; left > 0 && throttle(caller) === null; left--);
  }

  function applyStorage(): void {
    if (life === null) return;
    const { database } = life.store;
    database.run(`PRAGMA query_only = ${storageState === "read only" ? 1 : 0}`);
    const pages = storageState === "full" ? 1 : 2 ** 30;
    // SQLite makes it no less than what the file has: every commit that needs one more page fails.
    database.run(`PRAGMA max_page_count = ${pages}`);
  }

  function backUp(): number | null {
    if (life === null || !life.loop.isIdle() || readGaps().length > 0) return null;
    rmSync(backup, { force: true });
    copyDatabase(path, backup);
    const last = "SELECT coalesce(max(seq), 0) AS number FROM sqlite_sequence WHERE name = 'deliveries'";
    return life.store.database.query<{ number: number }, []>(last).get()!.number;
  }

  /**
   * The rules of the simulation know of a restore only which incidents it loses: as if the replaced database were of a
   * version that says no more. `test/engine/after-restore.test.ts` has the rest.
   */
  function forgetChanges(): void {
    const database = new Database(path);
    const marked = database.query<{ incidents: string }, []>("SELECT incidents FROM restored").get()!;
    const lost = (JSON.parse(marked.incidents) as LostIncident[])
      .filter(({ routes }) => routes.length > 0)
      .map(({ data, routes }) => ({ data, routes }));
    database.run("UPDATE restored SET incidents = ?, known = '{}'", [JSON.stringify(lost)]);
    database.close();
  }

  function restore(): void {
    const { replaced } = restoreDatabase(dirname(path), backup, "replaced");
    forgetChanges();
    for (const ending of ["", "-wal"]) rmSync(replaced! + ending, { force: true });
  }

  return {
    backUp,
    restore,
    isUp: () => life?.listening === true,
    isFrozen: () => frozen,
    isGone: () => life === null,
    start,
    stop,
    kill,
    freeze: () => {
      frozen = true;
    },
    thaw: () => {
      frozen = false;
      const came = waiting;
      waiting = [];
      return came;
    },
    receive,
    whenAwake: () => {
      const current = life;
      return (run) => {
        const noticed = (): void => {
          if (life !== current || current === null) return;
          run();
          current.loop.microtasks();
        };
        if (frozen) waiting.push(noticed);
        else noticed();
      };
    },
    gaps: () => readGaps(),
    storage: (state) => {
      storageState = state;
      if (state === "works") catchingUp = 3;
      applyStorage();
    },
    flood: (apiKey, flooding) => void (flooding ? flooded.add(apiKey) : flooded.delete(apiKey)),
    nextAt,
    work,
    close: kill,
  };
}
