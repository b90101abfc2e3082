// The verdict on a service that was hurt and started again: what it knows is compared with what its jobs know, and with
// a twin that heard the same reports and was never hurt.

import { join } from "node:path";
import type { Folder } from "../support/executable.ts";
import { askSocket } from "../support/management.ts";
import type { Job, Memories } from "./jobs.ts";
import { alertLine, comparable, openTwin, type StoredReport } from "./twin.ts";

export interface Judge extends Disposable {
  /** How many reports are known to be stored. */
  readonly stored: number;
  /**
   * Says what is wrong with the service that runs in the folder. No job may report meanwhile. What the jobs remember is
   * compared once and forgotten.
   */
  judge(folder: Folder, memories: Memories): Promise<string[]>;
  /** The alerts that must have been told by now, oldest first, as `alertLine` writes them. */
  alerts(): string[];
}

/** What is known to be stored of a job: its last report's number, and when each came that is still to be compared. */
interface Kept {
  last: number;
  readonly at: Map<number, number>;
}

export function openJudge(jobs: readonly Job[]): Judge {
  const twin = openTwin(Date.now());
  const byKey = new Map(jobs.map((job) => [job.key, job]));
  const kept = new Map(jobs.map((job): [Job, Kept] => [job, { last: 0, at: new Map() }]));
  let lastId = 0;
  let stored = 0;

  function* newReports(folder: Folder): Generator<StoredReport> {
    const rows = folder.rows(
      "SELECT p.id, m.key, p.attempt, p.at FROM pings p JOIN monitors m ON m.id = p.monitor_id WHERE p.id > ? ORDER BY p.id",
      lastId,
    );
    for (const { id, key, attempt, at } of rows) {
      lastId = Number(id);
      yield { job: byKey.get(String(key))!, number: Number(attempt), at: Number(at) };
    }
  }

  /** What is stored was sent, each once and in order. */
  async function* faultsOfStored(folder: Folder, memories: Memories): AsyncGenerator<string> {
    for (const report of newReports(folder)) {
      const { job, number, at } = report;
      const mine = kept.get(job)!;
      stored += 1;
      if (number > memories.get(job)!.sent) yield `${job.key} ${number} is stored and was never sent`;
      if (number <= mine.last) yield `${job.key} ${number} is stored after ${mine.last}`;
      if (job.insists && number > mine.last + 1) yield `${job.key} ${number} is stored right after ${mine.last}`;
      mine.last = number;
      mine.at.set(number, at);
      await twin.hear(report);
    }
  }

  /** What was answered is stored, as it was answered. */
  function* faultsOfAnswered(memories: Memories): Generator<string> {
    for (const [job, { heard, faults }] of memories) {
      const mine = kept.get(job)!;
      yield* faults.splice(0);
      for (const [number, { at }] of heard.splice(0)) {
        const storedAt = mine.at.get(number);
        if (storedAt === undefined) yield `${job.key} ${number} was answered and is lost`;
        else if (storedAt !== Date.parse(at))
          yield `${job.key} ${number} was answered ${at} and is stored as of ${new Date(storedAt).toISOString()}`;
      }
      // Only the last one may still be repeated.
      for (const number of mine.at.keys()) if (number < mine.last) mine.at.delete(number);
    }
  }

  async function* faultsOfStates(folder: Folder): AsyncGenerator<string> {
    const socket = join(folder.path, "data/rollcall.sock");
    for (const [job, { last }] of kept) {
      if (last === 0) continue;
      const { body } = await askSocket(socket, "monitor show", { application: "prod", key: job.key });
      const [found, expected] = [comparable(job, body as object), twin.shown(job)];
      if (found !== expected) yield `${job.key} is not as its reports say:\n${difference(found, expected)}`;
    }
  }

  /** Every alert is stored, with its delivery, and no other. */
  function* faultsOfAlerts(folder: Folder): Generator<string> {
    const rows = folder.rows(
      "SELECT at, data, (SELECT count(*) FROM deliveries WHERE alert_id = a.id) AS ways FROM alerts a ORDER BY id",
    );
    const found = rows.map(({ at, data, ways }) => {
      const { monitorKey: monitor, kind, cause } = JSON.parse(String(data));
      return `${alertLine({ monitor, at: new Date(Number(at)).toISOString(), kind, cause })} to ${ways}`;
    });
    const expected = twin.alerts().map((line) => `${line} to 1`);
    if (found.join("\n") !== expected.join("\n"))
      yield `the alerts are not what its reports say:\n${difference(found.join("\n"), expected.join("\n"))}`;
  }

  return {
    get stored() {
      return stored;
    },
    judge: async (folder, memories) => [
      ...(await Array.fromAsync(faultsOfStored(folder, memories))),
      ...faultsOfAnswered(memories),
      ...(await Array.fromAsync(faultsOfStates(folder))),
      ...faultsOfAlerts(folder),
    ],
    alerts: twin.alerts,
    [Symbol.dispose]: twin[Symbol.dispose],
  };
}

/** The lines that only one of them has. */
export function difference(found: string, expected: string): string {
  const [ours, theirs] = [found.split("\n"), expected.split("\n")];
  const lines = [
    ...ours.filter((line) => !theirs.includes(line)).map((line) => `  found    ${line.trim()}`),
    ...theirs.filter((line) => !ours.includes(line)).map((line) => `  expected ${line.trim()}`),
  ];
  return lines.join("\n");
}
