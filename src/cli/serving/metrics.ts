// `/metrics`, put together: what the parts of the service know, and what the system knows of this process and its disk.
// Opens nothing that stays open.

import type { Config } from "../../config/keys.ts";
import type { Log } from "../../domain/log.ts";
import { orElse } from "../../domain/unless-missing.ts";
import type { Backups } from "../../engine/api.ts";
import type { RunningEngine } from "../../engine/engine.ts";
import type { ConnectionLimiter } from "../../http/connection-limiter.ts";
import type { SeenMachine } from "../../http/metrics/families.ts";
import { type AnswerMetrics, createMetrics } from "../../http/metrics/metrics.ts";
import type { Notifier } from "../../notify/notifier.ts";
import { freeIn } from "../../store/file/files.ts";
import { systemClock } from "../clock.ts";
import { VERSION } from "../ourselves.ts";
import type { SelfPinging } from "./sending.ts";

interface MetricsOfParts {
  readonly configNow: () => Config;
  readonly engine: RunningEngine;
  readonly notifier: Notifier;
  readonly selfPinging: SelfPinging;
  readonly connectionLimiter: ConnectionLimiter;
  readonly backups: Backups;
  readonly log: Log;
}

export function metricsOf(parts: MetricsOfParts): AnswerMetrics {
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
    startedAt,
    cpuSeconds: (user + system) / 1e6,
    residentBytes: process.memoryUsage.rss(),
    ...connectionLimiter.seen(),
    availableBytes: orElse(null, () => freeIn(configNow().storage.directory)),
    backupAt: backups.health().kept[0]?.at ?? null,
  };
}
