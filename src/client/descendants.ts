// Finds the processes that a job has started, because whoever ends the job means to end them, too. Only Linux lists them;
// on other systems we find none.

import { readdirSync, readFileSync } from "node:fs";

export interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Tells it from a later one with the same number. */
  readonly startedAt: string;
}

/** All that it has started and that run, with all that these have started. */
export function descendantsOf(ancestor: number): readonly Process[] {
  const children = Map.groupBy(running(), ({ parent }) => parent);
  const found: Process[] = [];
  for (let next = children.get(ancestor) ?? []; next.length > 0; ) {
    found.push(...next);
    next = next.flatMap(({ pid }) => children.get(pid) ?? []);
  }
  return found;
}

/** Only those that still run; of another user none. */
export function signalAll(processes: readonly Process[], signal: NodeJS.Signals): void {
  for (const { pid, startedAt } of processes) {
    if (processAt(`${pid}`)?.startedAt !== startedAt) continue;
    try {
      process.kill(pid, signal);
    } catch {
      // It has just ended, or is not ours.
    }
  }
}

function running(): readonly Process[] {
  try {
    return readdirSync("/proc").flatMap((name) => processAt(name) ?? []);
  } catch {
    return [];
  }
}

/** Null: there is none. */
function processAt(pid: string): Process | null {
  if (!/^\d+$/.test(pid)) return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Behind the name, which may hold anything: the state, the parent, and as the twentieth when it started.
    const facts = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid: Number(pid), parent: Number(facts[1]), startedAt: facts[19]! };
  } catch {
    return null;
  }
}
