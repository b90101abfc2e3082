// At a start: puts the configuration in force for every monitor. If it is already in force, reads no monitor and fills
// the wheel from stored times.

import type { Log } from "../domain/log.ts";
import type { Policy } from "../domain/settings/policy.ts";
import { DEFAULTS } from "../domain/settings/settings.ts";
import type { Clock } from "./api.ts";
import type { Wheel } from "./clock/wheel.ts";
import type { Committer } from "./committer.ts";
import { declareConfigured } from "./configured.ts";
import type { EngineContext } from "./context.ts";
import type { MonitorMemory } from "./monitor-memory.ts";

interface ApplyParts {
  readonly context: EngineContext;
  readonly clock: Clock;
  readonly committer: Committer;
  readonly memory: MonitorMemory;
  readonly wheel: Wheel;
  readonly log: Log;
}

/** To be called once, after the configured applications and monitors have been created. */
export function applyConfiguration({ context, clock, committer, memory, wheel, log }: ApplyParts): void {
  const { store, policy } = context;
  const fingerprint = fingerprintOf(policy);
  if (store.liveness.applied() === fingerprint) {
    // A stored time is never later than the true one, and an early look changes nothing (R19).
    for (const { monitorId, wakeAt } of store.monitors.allWakes()) wheel.arm(monitorId, wakeAt);
    return;
  }
  const now = clock.now();
  const declared = memory.applyToEach(store.monitors.ids(), (id) => declareConfigured(context, id, now), now);
  memory.finish(declared);
  for (const one of declared) if (one?.unwatched) log("warn", "monitor_without_schedule", one.unwatched);
  // A monitor that we could not read waits for a start at which we can.
  if (memory.unreadable.size === 0) committer.one(() => store.liveness.keepApplied(fingerprint));
}

/** Covers everything that decides when we next look at a monitor, and this release's defaults. */
function fingerprintOf({ timezone, reminders, applications }: Policy): string {
  const rules = [...applications].map(([slug, { timezone, monitors }]) => [slug, timezone, [...monitors]]);
  return new Bun.CryptoHasher("sha256").update(JSON.stringify([DEFAULTS, timezone, reminders, rules])).digest("hex");
}
