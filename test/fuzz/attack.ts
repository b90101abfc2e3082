// Sends random requests to a running executable and gathers what came of them. The n-th conversation follows from
// the seed and n alone, so that an attack can be repeated; in which order they reach the service does not.

import { seeded } from "../simulation/random.ts";
import { memoryOf } from "../torture/footprint.ts";
import { converse, type Outcome } from "./connection.ts";
import { type Conversation, drawConversation, isSound } from "./conversations.ts";
import type { Front } from "./front.ts";

export interface Setting {
  readonly front: Front;
  readonly seed: number;
  /** How many requests, at least; one that is no HTTP counts as well. */
  readonly requests: number;
  /** Told now and then, and after each half at rest; bytes are those of the service, resident. */
  readonly progress?: (requests: number, residentBytes: number) => void;
}

export interface Result {
  /** How often each sort of answer came, and each end without one. */
  readonly counts: ReadonlyMap<string, number>;
  /** What must not be, each with what shows it again. */
  readonly findings: readonly string[];
}

const CONNECTIONS = 64;
const FINDINGS_MAX = 20;
/** This many requests fill every cache and buffer in their first half; the second half may then add a tenth. */
const MEMORY_FROM = 100_000;
const MEMORY_GROWTH = 1.1;
/** Seconds in which a service that has nothing to do gives back what it no longer needs. */
const REST = 8;
/** Requests. */
const PROGRESS_EVERY = 10_000;
/** After this many conversations it is looked whether all goes on beside them. */
const CHECK_EVERY = 100;

export async function attack({ front, seed, requests, progress = () => {} }: Setting): Promise<Result> {
  const { service, port } = front;
  const counts = new Map<string, number>();
  const findings: string[] = [];
  let next = 0;
  let sent = 0;

  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const find = (what: string): void => {
    if (findings.length < FINDINGS_MAX) findings.push(what);
  };

  async function sendUntil(total: number): Promise<void> {
    while (sent < total) {
      const number = next++;
      const conversation = drawConversation(seeded(seed, `conversation ${number}`), front.draw);
      const before = sent;
      sent += requestsIn(conversation);
      if (Math.floor(sent / PROGRESS_EVERY) > Math.floor(before / PROGRESS_EVERY))
        progress(sent, memoryOf(service.pid));
      if (number % CHECK_EVERY === 0) for (const fault of await front.check()) find(fault);
      const outcome = await converse(port, conversation);
      for (const fault of faultsOf(front, conversation, outcome, count))
        find(describe(number, conversation, fault, outcome));
    }
  }

  async function half(total: number): Promise<number> {
    await Promise.all(Array.from({ length: CONNECTIONS }, () => sendUntil(total)));
    const bytes = await residentAtRest(service.pid, requests < MEMORY_FROM ? 0 : REST);
    progress(sent, bytes);
    return bytes;
  }
  const afterHalf = await half(requests / 2);
  const growth = (await half(requests)) / afterHalf;
  if (requests >= MEMORY_FROM && growth > MEMORY_GROWTH) find(`the second half has grown the service ${growth} times`);
  for (const name of await front.reach(counts)) count(name);
  for (const name of front.missing(counts)) find(`no request was answered ${name}`);
  await checkEnd(front, find);
  return { counts, findings };
}

const requestsIn = ({ turns }: Conversation): number =>
  turns.reduce((sum, { requests }) => sum + Math.max(1, requests.length), 0);

/** What is wrong with what came back. */
function faultsOf(front: Front, conversation: Conversation, outcome: Outcome, count: (name: string) => void): string[] {
  const sound = isSound(conversation);
  const { answers, rest, end } = outcome;
  const faults = answers.flatMap((ofTurn, turn) =>
    ofTurn.flatMap((answer, place) => {
      const { name, fault } = front.judge(answer, conversation.turns[turn]?.requests[place], sound);
      count(name);
      return fault === null ? [] : [`${name}: ${fault}: ${answer.body.slice(0, 300)}`];
    }),
  );
  if (end !== "answered") count(`no whole answer, ${conversation.kind}: ${end}`);
  if (sound && end !== "answered") faults.push(`a sound request was not answered: ${end}`);
  // Whatever comes before a damaged request's answer is cut off may be the answer itself.
  if (rest !== "" && sound) faults.push(`what came is no answer: ${rest.slice(0, 300)}`);
  return faults;
}

const SHOWN_LENGTH = 1_500;

/** Everything that is needed to see it again, but no key. */
function describe(number: number, { kind, turns }: Conversation, fault: string, { end }: Outcome): string {
  const shown = turns.map(({ bytes }) => JSON.stringify(bytes.slice(0, SHOWN_LENGTH))).join("\n  ");
  return `conversation ${number} (${kind}, ${end}): ${fault}\n  ${shown}`.replace(
    /ck_app_[a-z]+_\w{32}/g,
    "ck_app_***",
  );
}

/** The service goes on as if nothing had been, and has written no secret. */
async function checkEnd(front: Front, find: (what: string) => void): Promise<void> {
  const { service, secrets } = front;
  for (const fault of await front.check()) find(fault);
  const ready = await fetch(`${service.url}/readyz`);
  if (ready.status !== 200) find(`/readyz is ${ready.status}: ${await ready.text()}`);
  const log = service.err();
  if (secrets.some((secret) => log.includes(secret))) find("the log holds a secret");
  for (const { event, level, ...fields } of service.facts("request_failed"))
    find(`${event}: ${JSON.stringify(fields)}`);
}

/** The least resident memory within this many seconds. */
async function residentAtRest(pid: number, seconds: number): Promise<number> {
  let least = memoryOf(pid);
  for (let second = 0; second < seconds; second++) {
    await Bun.sleep(1_000);
    least = Math.min(least, memoryOf(pid));
  }
  return least;
}
