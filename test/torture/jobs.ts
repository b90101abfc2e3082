// Jobs that report without a pause, and what each of them knows: which report was answered, and with what. A job's reports
// are counted, and the count goes along as its `attempt`, so that each is known again in the database.

import type { Ping } from "../../src/engine/api.ts";
import { openWire, type Wire, type WireAnswer } from "./wire.ts";

/** What a job does, over and over. */
type Habit = "beats" | "runs" | "unnamed runs" | "fails";

export interface Job {
  readonly key: string;
  readonly habit: Habit;
  readonly schedule: string;
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

/** A slot of it comes so seldom that none does during the torture. */
const SELDOM = "0 0 29 2 *";
const EVERY_MINUTE = "* * * * *";

/** So many jobs of every kind. */
export function makeJobs(count: number): Job[] {
  const kinds: Pick<Job, "habit" | "insists" | "schedule" | "pause">[] = [
    { habit: "beats", insists: false, schedule: EVERY_MINUTE, pause: 0 },
    { habit: "runs", insists: true, schedule: SELDOM, pause: 0 },
    { habit: "beats", insists: true, schedule: EVERY_MINUTE, pause: 0 },
    // One that insists: without its start an end would be another's.
    { habit: "unnamed runs", insists: true, schedule: SELDOM, pause: 0 },
    { habit: "fails", insists: false, schedule: SELDOM, pause: 40 },
    { habit: "runs", insists: false, schedule: SELDOM, pause: 0 },
    { habit: "beats", insists: false, schedule: SELDOM, pause: 0 },
    { habit: "fails", insists: true, schedule: SELDOM, pause: 40 },
  ];
  return Array.from({ length: count }, (_, index) => ({ ...kinds[index % kinds.length]!, key: `job-${index + 1}` }));
}

/** What a job knows of its reports. */
export interface Memory {
  /** The number of the last report that it began to send, and whether that was answered. */
  sent: number;
  isAnswered: boolean;
  /** When the service says it heard them, by number; those without were never answered. */
  readonly heardAt: Map<number, string>;
  /** Answers that no job should get. */
  readonly faults: string[];
}

export const newMemory = (): Memory => ({ sent: 0, isAnswered: true, heardAt: new Map(), faults: [] });

/** Reports from where it left off until the connection ends. `port` and `key` say where and as whom. */
export async function keepReporting(job: Job, memory: Memory, port: number, key: string): Promise<void> {
  const wire = await openWire(port);
  if (wire === null) return;
  if (job.insists && !memory.isAnswered && !(await report(job, memory, memory.sent, wire, key))) return;
  while (await report(job, memory, memory.sent + 1, wire, key)) if (job.pause > 0) await Bun.sleep(job.pause);
}

/** False: it was not answered. */
async function report(job: Job, memory: Memory, number: number, wire: Wire, key: string): Promise<boolean> {
  memory.sent = number;
  memory.isAnswered = false;
  const answer = await wire.post(pathOf(job, number, key));
  if (answer === null) return false;
  memory.isAnswered = true;
  const heardAt = instantIn(answer);
  if (heardAt === null) memory.faults.push(`${job.key} ${number}: ${answer.status} ${JSON.stringify(answer.body)}`);
  else memory.heardAt.set(number, heardAt);
  return true;
}

function pathOf(job: Job, number: number, key: string): string {
  const { kind, runId, message } = saidAs(job, number);
  const query = new URLSearchParams({ schedule: job.schedule, attempt: String(number) });
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
