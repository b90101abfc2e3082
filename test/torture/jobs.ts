// Jobs that report without a pause, and what each of them knows: which report was answered, and with what. A job's
// reports are counted, and the count goes along as its `attempt`, so that each is known again in the database.

import type { Ping } from "../../src/engine/api.ts";
import { openWire, type Wire, type WireAnswer } from "./wire.ts";

/** What a job does, over and over. */
type Habit = "beats" | "runs" | "unnamed runs" | "fails";

export interface Job {
  readonly key: string;
  readonly habit: Habit;
  /** Whether a slot of it comes every minute; else none does during the torture. */
  readonly isFrequent: boolean;
  /** Whether it sends a report that was not answered again, until it is, under one idempotency key. */
  readonly insists: boolean;
  /** Between two reports. Milliseconds. */
  readonly pause: number;
}

type Said = Pick<Ping, "kind" | "runId" | "message">;

/** What the job reports as its report of this number, from 1. */
export function saidAs({ habit, key }: Job, number: number): Said {
  const run = { runId: `${key}-${Math.ceil(number / 2)}`, message: null };
  const failing = { runId: null, message: `${key} failed with ${number}` };
  switch (habit) {
    case "beats":
      return { kind: "heartbeat", runId: null, message: null };
    case "runs":
      return { kind: number % 2 === 1 ? "start" : "complete", ...run };
    case "unnamed runs":
      return { kind: number % 2 === 1 ? "start" : "complete", runId: null, message: null };
    case "fails":
      return number % 3 === 0 ? { kind: "heartbeat", runId: null, message: null } : { kind: "fail", ...failing };
    default:
      return habit satisfies never;
  }
}

export const scheduleOf = ({ isFrequent }: Job): string => (isFrequent ? "* * * * *" : "0 0 29 2 *");

/** So many jobs of every kind. */
export function makeJobs(count: number): Job[] {
  const kinds: Pick<Job, "habit" | "insists" | "isFrequent" | "pause">[] = [
    { habit: "beats", insists: false, isFrequent: true, pause: 0 },
    { habit: "runs", insists: true, isFrequent: false, pause: 0 },
    { habit: "beats", insists: true, isFrequent: true, pause: 0 },
    // One that insists: without its start an end would be another's.
    { habit: "unnamed runs", insists: true, isFrequent: false, pause: 0 },
    { habit: "fails", insists: false, isFrequent: false, pause: 40 },
    { habit: "runs", insists: false, isFrequent: false, pause: 0 },
    { habit: "beats", insists: false, isFrequent: false, pause: 0 },
    { habit: "fails", insists: true, isFrequent: false, pause: 40 },
  ];
  return Array.from({ length: count }, (_, index) => ({ ...kinds[index % kinds.length]!, key: `job-${index + 1}` }));
}

/** When the service says it heard a report, and how far its disk was when the job knew that. */
export interface Heard {
  readonly at: string;
  readonly mark: number;
}

/** What a job knows of its reports. */
export interface Memory {
  /** The number of the last report that it began to send. */
  sent: number;
  /** How far the disk was when it began to send one, by number; only where that can be known. */
  readonly begun: [number: number, mark: number][];
  /** By number; those that are missing were never answered. One may be heard again, when it is repeated. */
  readonly heard: [number: number, Heard][];
  /** Answers that no job should get. */
  readonly faults: string[];
}

/** Of every job what it knows. */
export type Memories = ReadonlyMap<Job, Memory>;

export const newMemories = (jobs: readonly Job[]): Memories =>
  new Map(jobs.map((job) => [job, { sent: 0, begun: [], heard: [], faults: [] }]));

/** How many answers the jobs have that nobody has compared yet. */
export const answeredBy = (memories: Memories): number =>
  [...memories.values()].reduce((sum, { heard }) => sum + heard.length, 0);

export interface Place {
  readonly port: number;
  /** An API key. */
  readonly key: string;
  /** How far the disk is; nothing that happens to it later was known to a job that asks now. */
  readonly mark?: () => number;
}

/** Every job reports from where it left off until its connection ends. */
export const reportAll = (memories: Memories, place: Place): Promise<unknown> =>
  Promise.all([...memories].map(([job, memory]) => keepReporting(job, memory, place)));

async function keepReporting(job: Job, memory: Memory, place: Place): Promise<void> {
  const wire = await openWire(place.port);
  if (wire === null) return;
  // Whether it was answered or not: a repeat changes nothing, and gets the answer that the first one got or should have
  // got.
  if (job.insists && memory.sent > 0 && !(await report(job, memory, memory.sent, wire, place))) return;
  while (await report(job, memory, memory.sent + 1, wire, place)) if (job.pause > 0) await Bun.sleep(job.pause);
}

/** One more report of every job, after a repeat of those that insist; answers whether all were answered. */
export async function reportOnce(memories: Memories, place: Place): Promise<boolean> {
  const answered = await Promise.all(
    [...memories].map(async ([job, memory]) => {
      const wire = await openWire(place.port);
      if (wire === null) return false;
      const mayRepeat = job.insists && memory.sent > 0;
      const isHeard = !mayRepeat || (await report(job, memory, memory.sent, wire, place));
      const isAnswered = isHeard && (await report(job, memory, memory.sent + 1, wire, place));
      wire.close();
      return isAnswered;
    }),
  );
  return answered.every((one) => one);
}

/** False: it was not answered. */
async function report(job: Job, memory: Memory, number: number, wire: Wire, place: Place): Promise<boolean> {
  memory.sent = number;
  if (place.mark !== undefined) memory.begun.push([number, place.mark()]);
  const answer = await wire.post(pathOf(job, number, place.key));
  if (answer === null) return false;
  const at = instantIn(answer);
  if (at === null) memory.faults.push(`${job.key} ${number}: ${answer.status} ${JSON.stringify(answer.body)}`);
  else memory.heard.push([number, { at, mark: place.mark?.() ?? 0 }]);
  return true;
}

function pathOf(job: Job, number: number, key: string): string {
  const { kind, runId, message } = saidAs(job, number);
  const query = new URLSearchParams({ schedule: scheduleOf(job), attempt: String(number) });
  if (runId !== null) query.set("run_id", runId);
  if (message !== null) query.set("message", message);
  if (job.insists) query.set("idempotency_key", String(number));
  return `/api/v1/ping/${job.key}/${key}${kind === "heartbeat" ? "" : `/${kind}`}?${query}`;
}

/** When the service says the report arrived; null: it did not take it. */
function instantIn({ status, body }: WireAnswer): string | null {
  const at = body["pingedAt"] ?? body["startedAt"] ?? body["completedAt"] ?? body["recordedAt"];
  return status === 200 && typeof at === "string" ? at : null;
}
