// The jobs of the soak: each reports in every way there is, one report after the other, and knows what of it must be
// stored and what must be told.

import type { Random } from "../simulation/random.ts";
import { basic } from "../support/http-client.ts";

export interface SoakJob {
  readonly key: string;
  isBusy: boolean;
  isFailing: boolean;
  /** Reports that were answered 200, repeats not counted. */
  stored: number;
  /** The kinds of the alerts that follow from them, in their order. */
  readonly told: string[];
}

export const newSoakJob = (place: number): SoakJob => ({
  key: `job-${place}`,
  isBusy: false,
  isFailing: false,
  stored: 0,
  told: [],
});

/** Sends a request and answers the body; what is not answered with this status is a fault, and null. */
export type Ask = (path: string, init: BunFetchRequestInit, status?: number) => Promise<string | null>;

type Act = (job: SoakJob, parts: ActParts) => Promise<void>;

interface ActParts {
  readonly apiKey: string;
  readonly ask: Ask;
  readonly random: Random;
}

const SCHEDULE = "schedule=0+3+*+*+*";
const LOG_OF_A_JOB = "a line of output\n".repeat(60);
const PAUSE_IN_A_RUN = 400;

const ACTS: readonly (readonly [weight: number, act: Act])[] = [
  [50, beat],
  [25, run],
  [8, fail],
  [6, repeat],
  [6, refused],
  [5, keepLog],
];

/** Whatever it does next. */
export const act: Act = (job, parts) => parts.random.weighted(ACTS)(job, parts);

/** One report of any form. The answer is null when it was not 200. */
async function report(job: SoakJob, { apiKey, ask, random }: ActParts, tail: string, init: BunFetchRequestInit = {}) {
  const form = random.pick(["path", "path", "basic", "alias path", "bearer"] as const);
  const isInPath = form.endsWith("path");
  const root = form === "alias path" || form === "bearer" ? "/ping" : "/api/v1/ping";
  const header: Record<string, string> =
    form === "basic" ? basic(apiKey) : form === "bearer" ? { authorization: `Bearer ${apiKey}` } : {};
  const answer = await ask(`${root}/${job.key}${isInPath ? `/${apiKey}` : ""}${tail}`, {
    method: init.body === undefined && random.chance(0.5) ? "GET" : "POST",
    keepalive: random.chance(0.7),
    ...init,
    headers: { ...header, ...(init.headers as Record<string, string>) },
  });
  if (answer !== null) job.stored += 1;
  return answer;
}

function tell(job: SoakJob, isFailing: boolean): void {
  if (job.isFailing === isFailing) return;
  job.isFailing = isFailing;
  job.told.push(isFailing ? "InitialFailure" : "Recovered");
}

export async function beat(job: SoakJob, parts: ActParts): Promise<void> {
  const { random } = parts;
  const body = random.chance(0.2) ? { body: LOG_OF_A_JOB } : {};
  const known = job.stored > 0 && random.chance(0.5);
  if ((await report(job, parts, known ? "" : `?${SCHEDULE}&gracePeriod=600`, body)) !== null) tell(job, false);
}

async function run(job: SoakJob, parts: ActParts): Promise<void> {
  const { random } = parts;
  const name = `run_id=${job.key}-${job.stored}`;
  await report(job, parts, `/start?${name}&${SCHEDULE}`);
  await Bun.sleep(random.fraction() * PAUSE_IN_A_RUN);
  if (random.chance(0.1)) {
    if ((await report(job, parts, `/fail?${name}&message=disk+full`)) !== null) tell(job, true);
    return;
  }
  const outcomes = {
    body: '{"outcomes":{"rows":12,"verified":true}}',
    headers: { "content-type": "application/json" },
  };
  const ended = await report(job, parts, `/complete?${name}&attempt=0`, random.chance(0.4) ? outcomes : {});
  if (ended !== null) tell(job, false);
}

async function fail(job: SoakJob, parts: ActParts): Promise<void> {
  const { random, apiKey, ask } = parts;
  // The short form stands only behind a key in the path.
  const short = random.chance(0.3);
  const answer = short
    ? await ask(`/api/v1/ping/${job.key}/${apiKey}/1`, { method: "POST" })
    : await report(job, parts, "/fail?message=exit+status+1");
  if (answer === null) return;
  if (short) job.stored += 1;
  tell(job, true);
}

/** The same report twice, and once stored. */
async function repeat(job: SoakJob, { apiKey, ask }: ActParts): Promise<void> {
  const init = { method: "POST", headers: { "idempotency-key": `${job.key}-${job.stored}` } };
  const path = `/api/v1/ping/${job.key}/${apiKey}`;
  const first = await ask(path, init);
  if (first === null) return;
  job.stored += 1;
  tell(job, false);
  const again = await ask(path, init);
  if (again !== null && again !== first) throw new Error(`a repeat was answered ${again}, not ${first}`);
}

async function refused({ key }: SoakJob, { apiKey, ask, random }: ActParts): Promise<void> {
  const [status, path, method] = random.pick([
    [401, `/api/v1/ping/${key}/ck_app_prod_wrong`, "GET"],
    [404, `/api/v1/ping/unknown-${key}/${apiKey}`, "POST"],
    [400, `/ping/${key}/${apiKey}?gracePeriod=5`, "GET"],
    [400, `/api/v1/ping/${key}/${apiKey}?schedule=61+*+*+*+*`, "POST"],
    [405, `/ping/${key}/${apiKey}`, "DELETE"],
    [404, "/nowhere", "GET"],
  ] as const);
  await ask(path, { method }, status);
}

async function keepLog(job: SoakJob, { apiKey, ask }: ActParts): Promise<void> {
  const kept = await ask(`/ping/${job.key}/${apiKey}/log`, { method: "POST", body: LOG_OF_A_JOB });
  if (kept !== null) job.stored += 1;
}
