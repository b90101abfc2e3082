// Puts the configuration in force for every monitor: at a start all at once, at a reload a piece a turn. If a start
// finds it in force, it fills the wheel from stored times, and reads the monitors in later turns.

import { type InPieces, piecesOf, wholeOf } from "../../domain/in-pieces.ts";
import type { Log } from "../../domain/log.ts";
import type { Policy } from "../../domain/settings/policy.ts";
import { DEFAULTS } from "../../domain/settings/settings.ts";
import { loadMonitor } from "../../views/monitor-records.ts";
import type { Clock } from "../api.ts";
import type { Committer } from "../committer.ts";
import type { EngineContext } from "../context.ts";
import type { Turns } from "../turns.ts";
import { declareConfigured } from "./configured.ts";
import type { MonitorMemory } from "./monitor-memory.ts";
import { rearm } from "./wake.ts";
import type { Wheel } from "./wheel.ts";

/** Monitors read in one turn of the event loop. */
const READ_A_TURN = 100;
/** Monitors that a reload puts under the configuration in one turn. */
const DECLARED_A_TURN = 50;
/** Stored times read in one query. */
const ARMED_AT_ONCE = 1_000;

interface ApplyParts {
  readonly context: EngineContext;
  readonly clock: Clock;
  readonly committer: Committer;
  readonly memory: MonitorMemory;
  readonly wheel: Wheel;
  readonly turns: Turns;
  readonly log: Log;
}

/** To be called once at a start, after the configured applications and monitors have been created. */
export function applyConfiguration(parts: ApplyParts): void {
  const { context, wheel, turns } = parts;
  const { store, policy } = context;
  if (store.liveness.applied() !== fingerprintOf(policy)) {
    wholeOf(declareAll(parts, Number.POSITIVE_INFINITY));
    return;
  }
  // An early look changes nothing (R19), so stored times will do until each monitor has been read.
  for (const page of store.monitors.wakes(ARMED_AT_ONCE))
    for (const { monitorId, wakeAt } of page) wheel.arm(monitorId, wakeAt);
  turns.later(() => turns.through(readAll(parts)));
}

/**
 * Puts the configuration in force for each monitor, `atOnce` of them in one transaction; nothing is left to do when it
 * is. Ends early when the configuration changes meanwhile. Throws what SQLite throws: another call, or the next start,
 * does it then.
 */
export function* declareAll(parts: ApplyParts, atOnce = DECLARED_A_TURN): InPieces<void> {
  const { context, clock, committer, memory, log } = parts;
  const { store, policy } = context;
  const fingerprint = fingerprintOf(policy);
  if (store.liveness.applied() === fingerprint) return;
  // Whatever configuration comes next: some monitors may have this one then.
  committer.one(() => store.liveness.keepApplied(null));
  for (const ids of piecesOf([...store.monitors.ids()], atOnce)) {
    if (context.policy !== policy) return;
    const now = clock.now();
    const declared = memory.applyToEach(ids, (id) => declareConfigured(context, id, now), now);
    memory.finish(declared);
    for (const one of declared) if (one?.unwatched) log("warn", "monitor_without_schedule", one.unwatched);
    yield;
  }
  // A monitor that we could not read waits for a start at which we can.
  if (memory.unreadable.size === 0) committer.one(() => store.liveness.keepApplied(fingerprint));
}

/**
 * Arms each monitor by what it says now, and finds those that cannot be read: a piece a turn, so that no ping waits.
 */
function* readAll({ context, clock, memory }: ApplyParts): InPieces<void> {
  const read = (id: number) => {
    const record = loadMonitor(context, id);
    return record === null ? null : rearm(context, record);
  };
  for (const some of piecesOf(context.store.monitors.ids(), READ_A_TURN)) {
    memory.finish(memory.applyToEach(some, read, clock.now()));
    yield;
  }
}

/** Covers everything that decides when we next look at a monitor, and this release's defaults. */
function fingerprintOf({ timezone, reminders, applications }: Policy): string {
  const rules = [...applications].map(([slug, { timezone, monitors }]) => [slug, timezone, [...monitors]]);
  return new Bun.CryptoHasher("sha256").update(JSON.stringify([DEFAULTS, timezone, reminders, rules])).digest("hex");
}
