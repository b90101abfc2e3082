// The data directories that are measured: with how many monitors, and how a service is started on one.

import { cpSync } from "node:fs";
import { fillHistory, fillMonitors } from "./filled-database.ts";
import { benchFolder, firstKey, freePort, type Rollcall, startRollcall, stopRollcall } from "./rollcall.ts";
import type { Scenario } from "./side-by-side.ts";
import type { RequestKind } from "./wrk.ts";

/** A schedule of which no slot is due while it is measured. */
const YEARLY = "?schedule=0%200%201%201%20*";

export interface World {
  readonly directory: string;
  readonly key: string;
  readonly monitors: number;
}

/** A data directory with this many monitors, from `job-1` on, with this many old reports, and no running service. */
export async function worldOf(monitors: number, reports = 0): Promise<World> {
  const directory = benchFolder();
  const rollcall = await startRollcall(directory, await freePort());
  const key = firstKey(directory);
  const answer = await fetch(`${rollcall.url}/api/v1/ping/job-1/${key}${YEARLY}`);
  if (!answer.ok) throw new Error(`registering failed: ${answer.status} ${await answer.text()}`);
  await stopRollcall(rollcall);
  fillMonitors(directory, monitors);
  if (reports > 0) fillHistory(directory, reports);
  return { directory, key, monitors };
}

/** The same directory in memory, so that no disk is measured. */
export function inMemory({ directory, ...world }: World): World {
  const copy = benchFolder(null, "/dev/shm");
  cpSync(directory, copy, { recursive: true });
  return { ...world, directory: copy };
}

export const startIn = async (
  { directory }: World,
  environment: Readonly<Record<string, string>> = {},
): Promise<Rollcall> => startRollcall(directory, await freePort(), environment);

/** The addresses of all its heartbeats, without the host. */
export const heartbeatPaths = ({ key, monitors }: World): string[] =>
  Array.from({ length: monitors }, (_, index) => `/api/v1/ping/job-${index + 1}/${key}`);

/** A scenario with 64 connections that are kept alive. */
export const scenarioOf = (name: string, kind: RequestKind, { key, monitors }: World): Scenario => ({
  name,
  kind,
  key,
  monitors,
  connections: 64,
  keepAlive: true,
  wanted: null,
});
