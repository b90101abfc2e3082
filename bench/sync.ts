// How long the engine takes for a bulk sync of 100 monitors, on a real database on this disk: created, changed,
// unchanged and withdrawn, each as one transaction. It prints the median and the worst of many; HTTP is not included.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomSecret, systemClock } from "../src/cli/clock.ts";
import type { RegistryEntry } from "../src/domain/monitor/reconcile.ts";
import { createScheduler } from "../src/domain/scheduler.ts";
import { NOTHING_DECLARED } from "../src/domain/settings/declared.ts";
import { DAY } from "../src/domain/time.ts";
import { createEngine } from "../src/engine/engine.ts";
import { createPulse } from "../src/engine/own-outages/pulse.ts";
import { openDatabase } from "../src/store/file/database.ts";
import { openStore } from "../src/store/store.ts";
import { NO_DESTINATIONS, NO_KEPT, NO_RELOADS, NO_STATUS_PAGES } from "../test/support/no-reloads.ts";
import { NO_BACKUPS } from "./no-backups.ts";

const MONITORS = 100;
const ROUNDS = 40;

const folder = mkdtempSync(join(tmpdir(), "rollcall-bench-sync-"));
const engine = createEngine({
  store: openStore(openDatabase(join(folder, "rollcall.db"), systemClock.now())),
  policy: {
    timezone: "UTC",
    machineTimezone: null,
    reminders: { after: [], every: DAY, max: 0 },
    team: { name: null, destinations: [], members: [] },
    destinations: new Map(),
    applications: new Map(),
  },
  clock: systemClock,
  pulse: createPulse(systemClock),
  log: () => {},
  schedule: (run) => void setImmediate(run),
  scheduler: createScheduler({ schedule: (run) => void setImmediate(run), clock: systemClock }),
  nudge: () => {},
  failing: () => new Map(),
  tellUnstored: () => {},
  user: "rollcall",
  commandLine: null,
  incidentUrl: () => null,
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
});
engine.start();

const registryOf = (schedule: string): RegistryEntry[] =>
  Array.from({ length: MONITORS }, (_, index) => ({
    key: `job-${index}`,
    declared: { ...NOTHING_DECLARED, schedule: `${index % 60} ${schedule}` },
    metadata: null,
  }));

function sync(source: string, entries: readonly RegistryEntry[]): number {
  const caller = { applicationId: 1, application: "default", keyId: 1, scope: "sync" as const };
  const startedAt = performance.now();
  engine.intake.sync(caller, { source, version: null, authoritative: true, entries });
  return performance.now() - startedAt;
}

const took: Record<string, number[]> = { created: [], unchanged: [], updated: [], withdrawn: [] };
for (let round = 0; round < ROUNDS; round++) {
  const source = `round ${round}`;
  const named = (schedule: string) => registryOf(schedule).map((entry) => ({ ...entry, key: `${entry.key}-${round}` }));
  took["created"]!.push(sync(source, named("3 * * *")));
  took["unchanged"]!.push(sync(source, named("3 * * *")));
  took["updated"]!.push(sync(source, named("4 * * *")));
  took["withdrawn"]!.push(sync(source, []));
}
for (const [what, times] of Object.entries(took)) {
  const sorted = times.sort((a, b) => a - b);
  const middle = sorted[Math.floor(ROUNDS / 2)]!.toFixed(1);
  console.log(`sync of ${MONITORS} ${what.padEnd(9)}  median ${middle} ms  worst ${sorted.at(-1)!.toFixed(1)} ms`);
}
rmSync(folder, { recursive: true });
process.exit(0);
