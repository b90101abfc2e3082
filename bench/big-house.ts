// A service in this process with very many monitors in trouble, on a real file, with a clock that the measurement
// moves. Work that takes turns of the event loop takes real ones, and code that asks how long it took gets the real
// time.

import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { randomSecret } from "../src/cli/clock.ts";
import { oneGap } from "../src/domain/monitor/gap.ts";
import { createScheduler } from "../src/domain/scheduler.ts";
import { NOTHING_DECLARED } from "../src/domain/settings/declared.ts";
import type { Policy } from "../src/domain/settings/policy.ts";
import { DAY, type Instant, SECOND } from "../src/domain/time.ts";
import type { Caller, Outbox, Ping } from "../src/engine/api.ts";
import type { RunningEngine } from "../src/engine/engine.ts";
import { createEngine } from "../src/engine/engine.ts";
import { createOutbox } from "../src/engine/outbox/outbox.ts";
import { openDatabase } from "../src/store/file/database.ts";
import { openStore } from "../src/store/store.ts";
import { NO_DESTINATIONS, NO_KEPT, NO_RELOADS, NO_STATUS_PAGES } from "../test/support/no-reloads.ts";
import { fillMonitors } from "./filled-database.ts";
import { NO_BACKUPS } from "./no-backups.ts";
import { benchFolder } from "./rollcall.ts";

export const CALLER: Caller = { applicationId: 1, application: "default", keyId: 1, scope: "all" };
const NOON: Instant = Date.UTC(2026, 2, 2, 12);
/** The slot of 12:01 closes after its minute, 60 s of grace, and 5 s for the way of a report. */
export const CLOSE: Instant = NOON + 125 * SECOND;

export interface BigHouse {
  readonly engine: RunningEngine;
  readonly outbox: Outbox;
  readonly database: Database;
  /** Destinations that take nothing, in the notifier's words. */
  readonly failing: Map<string, { readonly answer: string; readonly since: Instant }>;
  now(): Instant;
  /** Sets the clock; nothing else happens. */
  at(instant: Instant): void;
  /** Sets the clock past a time in which the process stood still. */
  standStill(milliseconds: number): void;
  /** Resolves when no work is left for later turns. */
  rest(): Promise<void>;
}

const policyOf = (maxActive: number): Policy => ({
  timezone: "UTC",
  machineTimezone: null,
  reminders: { after: [], every: DAY, max: 0 },
  team: { name: null, destinations: ["chat", "hook"], members: [] },
  destinations: new Map([
    ["chat", { takes: "messages" }],
    ["hook", { takes: "messages" }],
  ] as const) as Policy["destinations"],
  applications: new Map([["default", { monitors: new Map(), maxActiveMonitors: maxActive }]]) as Policy["applications"],
});

/** A heartbeat of the monitor that is copied, with a schedule that is due each minute. */
const firstPing: Ping = {
  caller: CALLER,
  monitorKey: "job-1",
  kind: "heartbeat",
  runId: null,
  attempt: null,
  ageSeconds: null,
  durationSeconds: null,
  message: null,
  output: null,
  outcomes: new Map(),
  said: { ...NOTHING_DECLARED, schedule: "* * * * *", graceSeconds: 60 },
  host: null,
  user: null,
  lookalikes: [],
  idempotency: null,
};

/** `fill` changes the file before the service opens it to run. */
export async function openBigHouse(monitors: number, fill: (database: Database) => void): Promise<BigHouse> {
  const folder = benchFolder();
  mkdirSync(join(folder, "data"));
  const path = join(folder, "data/rollcall.db");
  let now = NOON;
  let scheduled = 0;
  const failing: BigHouse["failing"] = new Map();
  let stalled: { from: Instant; to: Instant } | null = null;

  function open() {
    const database = openDatabase(path, now);
    const clock = { now: () => now, monotonic: () => now + performance.now() };
    const schedule = (run: () => void): void => {
      scheduled++;
      setImmediate(() => {
        scheduled--;
        run();
      });
    };
    const engine = createEngine({
      store: openStore(database),
      policy: policyOf(2 * monitors),
      clock,
      pulse: () => {
        const found = stalled;
        stalled = null;
        return found === null ? null : oneGap(found.from, found.to, "stalled");
      },
      log: () => {},
      schedule,
      scheduler: createScheduler({ schedule, clock }),
      nudge: () => {},
      failing: () => failing,
      tellUnstored: () => {},
      user: "rollcall",
      commandLine: null,
      home: "bench",
      keepPings: 90 * DAY,
      hostTrouble: () => null,
      randomSecret,
      addresses: () => ({ here: null, elsewhere: null, dashboard: null }),
      backups: NO_BACKUPS,
      reloads: NO_RELOADS,
      destinations: NO_DESTINATIONS,
      statusPages: NO_STATUS_PAGES,
      kept: NO_KEPT,
      incidentUrl: () => null,
    });
    engine.start();
    return { database, engine };
  }

  async function rest(): Promise<void> {
    for (let quiet = 0; quiet < 5; quiet = scheduled === 0 ? quiet + 1 : 0) await nextTurn();
  }

  const first = open();
  await first.engine.intake.ingest(firstPing);
  await rest();
  first.database.close();
  fillMonitors(folder, monitors);
  const filling = new Database(path);
  fill(filling);
  filling.close();
  const { database, engine } = open();
  await rest();
  return {
    engine,
    outbox: createOutbox(database, () => {}),
    database,
    failing,
    now: () => now,
    at: (instant) => {
      now = instant;
    },
    standStill: (milliseconds) => {
      stalled = { from: now + 1, to: now + milliseconds };
      now += milliseconds;
    },
    rest,
  };
}

export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
