// At a start: puts the configuration in force for every monitor. Where the same configuration is in force already, it reads no
// monitor, and fills the wheel from what is stored.

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

/** To be called once, after the applications and monitors that the configuration names have been created. */
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
  // A monitor that could not be read waits for a start at which it can be.
  if (memory.unreadable.size === 0) committer.one(() => store.liveness.keepApplied(fingerprint));
}

/** Covers all that decides when a monitor is looked at next, and the defaults of this release. */
function fingerprintOf({ timezone, reminders, applications }: Policy): string {
  const rules = [...applications].map(([slug, { timezone, monitors }]) => [slug, timezone, [...monitors]]);
  return new Bun.CryptoHasher("sha256").update(JSON.stringify([DEFAULTS, timezone, reminders, rules])).digest("hex");
}
