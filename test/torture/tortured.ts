// The service under torture: the compiled executable on a folder of its own, the jobs that report to it, a receiver of its
// alerts, and the verdict on what it knows after each start.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Folder, openFolder, type Service } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { askSocket } from "../support/management.ts";
import { type Job, type Memory, newMemory } from "./jobs.ts";
import { alertLine, comparable, openTwin, type StoredReport } from "./twin.ts";

/** An alert as it arrived. */
interface Arrival {
  /** The same for each repeat. */
  readonly id: string;
  readonly line: string;
  /** In which life of the service. */
  readonly life: number;
}

export interface Tortured extends AsyncDisposable {
  readonly folder: Folder;
  readonly memories: ReadonlyMap<Job, Memory>;
  readonly apiKey: string;
  /** How many reports are known to be stored. */
  readonly stored: number;
  /** How many alerts have arrived, repeats included. */
  readonly arrived: number;
  /** To be called before each start. */
  newLife(): void;
  /** Compares what the service knows with what the jobs know; answers what is wrong. No job may report meanwhile. */
  verdict(): Promise<string[]>;
  /** The same of what was told, once nothing waits to be sent any more. */
  verdictOnAlerts(): string[];
}

const configuration = (receiver: string): string => `
[server]
timezone = "UTC"
[limits]
v1_per_minute = 0
v1_per_hour = 0
[team]
destinations = ["hook"]
[destinations.hook]
type = "webhook"
url = "${receiver}"
secret = "whsec_${"a".repeat(32)}"
[applications.prod]
`;

/** What is known to be stored of a job: its last report's number, and when each came that is still to be compared. */
interface Kept {
  last: number;
  readonly at: Map<number, number>;
}

const newKept = (): Kept => ({ last: 0, at: new Map() });

/** With a first life, which is over: there is a key, and nothing else. */
export async function openTortured(jobs: readonly Job[]): Promise<Tortured> {
  const arrivals: Arrival[] = [];
  let life = 0;
  const receiver = startHttpSink((_, { headers, body }) => {
    const { timestamp, data } = JSON.parse(body);
    const line = alertLine({ monitor: data.monitorKey, at: timestamp, kind: data.kind, cause: data.cause });
    arrivals.push({ id: headers["webhook-id"] ?? "", line, life });
    return new Response(null, { status: 204 });
  });
  const folder = openFolder({ "rollcall.toml": configuration(receiver.url) });
  const first: Service = await folder.serve();
  const apiKey = /ck_app_\S+/.exec(readFileSync(join(folder.path, "data/first-key"), "utf8"))![0];
  await first.end("SIGTERM");

  const twin = openTwin(Date.now());
  const byKey = new Map(jobs.map((job) => [job.key, job]));
  const memories = new Map(jobs.map((job) => [job, newMemory()]));
  const kept = new Map(jobs.map((job) => [job, newKept()]));
  let lastId = 0;
  let stored = 0;

  function* newReports(): Generator<StoredReport> {
    const rows = folder.rows(
      "SELECT p.id, m.key, p.attempt, p.at FROM pings p JOIN monitors m ON m.id = p.monitor_id WHERE p.id > ? ORDER BY p.id",
      lastId,
    );
    for (const { id, key, attempt, at } of rows) {
      lastId = Number(id);
      yield { job: byKey.get(String(key))!, number: Number(attempt), at: Number(at) };
    }
  }

  /** What is stored must be what was sent, each once and in order; what was answered must be stored, as it was answered. */
  async function compareReports(faults: string[]): Promise<void> {
    for (const report of newReports()) {
      const { job, number, at } = report;
      const mine = kept.get(job)!;
      stored += 1;
      if (number > memories.get(job)!.sent) faults.push(`${job.key} ${number} is stored and was never sent`);
      if (number <= mine.last) faults.push(`${job.key} ${number} is stored after ${mine.last}`);
      if (job.insists && number > mine.last + 1) faults.push(`${job.key} ${number} is stored right after ${mine.last}`);
      mine.last = number;
      mine.at.set(number, at);
      await twin.hear(report);
    }
    for (const [job, { heardAt, faults: wrong }] of memories) {
      const mine = kept.get(job)!;
      faults.push(...wrong.splice(0));
      for (const [number, at] of heardAt) {
        const storedAt = mine.at.get(number);
        if (storedAt === undefined) faults.push(`${job.key} ${number} was answered and is lost`);
        else if (storedAt !== Date.parse(at))
          faults.push(
            `${job.key} ${number} was answered ${at} and is stored as of ${new Date(storedAt).toISOString()}`,
          );
      }
      // What was compared is compared, but for a report that may be repeated.
      heardAt.clear();
      for (const number of mine.at.keys()) if (number < mine.last) mine.at.delete(number);
    }
  }

  async function compareStates(faults: string[]): Promise<void> {
    const socket = join(folder.path, "data/rollcall.sock");
    for (const [job, { last }] of kept) {
      if (last === 0) continue;
      const { body } = await askSocket(socket, "monitor show", { application: "prod", key: job.key });
      const [found, expected] = [comparable(body as object), twin.shown(job.key)];
      if (found !== expected) faults.push(`${job.key} is not as its reports say:\n${difference(found, expected)}`);
    }
  }

  return {
    folder,
    memories,
    apiKey,
    get stored() {
      return stored;
    },
    get arrived() {
      return arrivals.length;
    },
    newLife: () => {
      life += 1;
    },
    verdict: async () => {
      const faults: string[] = [];
      await compareReports(faults);
      await compareStates(faults);
      return faults;
    },
    verdictOnAlerts: () => judgeArrivals(arrivals, twin.alerts()),
    [Symbol.asyncDispose]: async () => {
      await folder[Symbol.asyncDispose]();
      await receiver[Symbol.asyncDispose]();
      twin[Symbol.dispose]();
    },
  };
}

/** The lines that only one of them has. */
function difference(found: string, expected: string): string {
  const [ours, theirs] = [found.split("\n"), expected.split("\n")];
  const lines = [
    ...ours.filter((line) => !theirs.includes(line)).map((line) => `  found    ${line.trim()}`),
    ...theirs.filter((line) => !ours.includes(line)).map((line) => `  expected ${line.trim()}`),
  ];
  return lines.join("\n");
}

/** Each alert came, in its monitor's order, and at most once in each life of the service; and no other came. */
function judgeArrivals(arrivals: readonly Arrival[], expected: readonly string[]): string[] {
  const faults: string[] = [];
  const wanted = new Set(expected);
  const lives = new Map<string, number[]>();
  const inOrder: string[] = [];
  for (const { id, line, life } of arrivals) {
    const known = lives.get(id);
    if (known === undefined) {
      lives.set(id, [life]);
      inOrder.push(line);
    } else if (known.includes(life)) faults.push(`${line} came twice in life ${life}`);
    else known.push(life);
    if (!wanted.has(line)) faults.push(`a false alarm: ${line}`);
  }
  const monitorOf = (line: string): string => line.split(" ", 1)[0]!;
  for (const monitor of new Set(expected.map(monitorOf))) {
    const mine = (lines: readonly string[]) => lines.filter((line) => monitorOf(line) === monitor).join("\n");
    const [came, told] = [mine(inOrder), mine(expected)];
    if (came !== told) faults.push(`alerts of ${monitor} are lost or out of order:\n${difference(came, told)}`);
  }
  return faults;
}
