// Monitors that close at chosen seconds: how soon after it their alerts arrive, and how long a burst of starts in the
// same second waits. No slot closes sooner than 65 s after it was declared, so the monitors are declared first and
// measured later.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sleepUntil } from "./every-minute.ts";
import { type Chapter, less, medianOf, OWN_MEMORY } from "./figures.ts";
import { type Arrival, bareMilliseconds, type Receivers, startReceivers } from "./receivers.ts";
import {
  benchFolder,
  freePort,
  megabytesOf,
  ownMegabytesOf,
  processorSeconds,
  startRollcall,
  stopRollcall,
} from "./rollcall.ts";
import type { Bare } from "./side-by-side.ts";
import { atRate } from "./steady.ts";

/**
 * The seconds after the first close at which this number of monitors close. In a burst as many runs start in the same
 * second.
 */
const ONE = [0, 1, 2, 3];
const THOUSAND = [5, 7, 9];
const BURST = [12, 15, 18];
const TEN_THOUSAND = [22, 30];
const LOADS = [
  { at: ONE, count: 1 },
  { at: THOUSAND, count: 1_000 },
  { at: BURST, count: 1_000 },
  { at: TEN_THOUSAND, count: 10_000 },
];
const RECEIVERS = 16;
const IN_ONE_SYNC = 100;
const STARTING = 1_000;

/** A slot closes after it was due, 60 s of grace, and 5 s for the way of a report. */
const CLOSES_AFTER = 65_000;
/**
 * Declaring the monitors that close first takes less time than this; the others are declared later, and close later.
 */
const DECLARED_WITHIN = 10_000;
/** An alert that has not come this long after the last close will not come. */
const PATIENCE = 120_000;
const CONFIGURATION = "[limits]\nsync_per_minute = 0\n";
/** Milliseconds of each measurement of an idle service. */
const IDLE_SPAN = 4_000;

export interface Closings {
  /** The time of the first close: nothing else may run from a second before it. */
  readonly first: number;
  /** Measures the service, which has nothing to do, until this instant. */
  idle(until: number): Promise<Chapter>;
  /** Waits for the closes, and stops the service. */
  measure(bare: Bare): Promise<Chapter[]>;
  stop(): Promise<void>;
}

/** A schedule in UTC, of the aliases' six fields, that is due once a day at the second of this instant. */
function scheduleAt(instant: number): string {
  const at = new Date(instant);
  return `${at.getUTCSeconds()} ${at.getUTCMinutes()} ${at.getUTCHours()} * * *`;
}

async function declare(url: string, key: string, names: readonly string[], schedule: string): Promise<void> {
  for (let from = 0; from < names.length; from += IN_ONE_SYNC) {
    const monitors = names
      .slice(from, from + IN_ONE_SYNC)
      .map((name) => ({ key: name, schedule, timezone: "UTC", gracePeriod: 60 }));
    const headers = { authorization: `Basic ${btoa(`${key}:`)}`, "content-type": "application/json" };
    const body = JSON.stringify({ source: "bench", monitors });
    const answer = await fetch(`${url}/api/sync`, { method: "POST", headers, body });
    const { status, synced } = (await answer.json()) as { status: string; synced: number };
    if (status !== "success" || synced !== monitors.length) throw new Error(`a sync ended as ${status}`);
  }
}

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

/** Starts a service whose monitors close at LOADS, with an application for each receiver. */
export async function declareClosings(): Promise<Closings> {
  const receivers = startReceivers(RECEIVERS);
  const directory = benchFolder(`${receivers.configuration}\n${CONFIGURATION}`);
  const rollcall = await startRollcall(directory, await freePort());
  const keys = [...new Set(readFileSync(join(directory, "data/first-key"), "utf8").match(/ck_app_\w+(?:-\w+)*/g))];
  const first = Math.ceil((Date.now() + DECLARED_WITHIN + CLOSES_AFTER) / 1_000) * 1_000;
  await declare(rollcall.url, keys[0]!, named("starting", STARTING), "0 0 0 1 1 *");
  for (const { at, count } of LOADS) {
    for (const second of at) {
      const slot = first + second * 1_000 - CLOSES_AFTER;
      for (const [index, key] of keys.slice(0, count).entries()) {
        const share = Math.floor(count / keys.length) + (index < count % keys.length ? 1 : 0);
        await declare(rollcall.url, key, named(`closing-${second}`, share), scheduleAt(slot));
      }
      if (Date.now() > slot) throw new Error("declaring took too long: a slot is over");
    }
  }

  return {
    first,
    async idle(until) {
      const shares: number[] = [];
      while (shares.length === 0 || Date.now() + IDLE_SPAN < until) {
        const before = processorSeconds(rollcall);
        await Bun.sleep(IDLE_SPAN);
        shares.push(((processorSeconds(rollcall) - before) * 1e5) / IDLE_SPAN);
      }
      const monitors = STARTING + LOADS.reduce((sum, { at, count }) => sum + at.length * count, 0);
      return {
        title: "At rest",
        note: `A service with ${monitors.toLocaleString("en")} monitors and nothing to do.`,
        results: [
          less("processor time", "% of one", shares),
          less("resident memory", "MB", [megabytesOf(rollcall)]),
          less(OWN_MEMORY, "MB", [ownMegabytesOf(rollcall)]),
        ],
      };
    },
    stop: () => stopRollcall(rollcall),
    async measure(bare) {
      const paths = named("starting", STARTING).map((name) => `/api/v1/ping/${name}/${keys[0]}/start`);
      const burst = await burstsAt(
        BURST.map((second) => first + second * 1_000),
        paths,
        rollcall.port,
        bare.port,
      );
      const last = first + TEN_THOUSAND.at(-1)! * 1_000;
      await sleepUntil(last);
      const total = LOADS.reduce((sum, { at, count }) => sum + at.length * count, 0);
      while (receivers.arrivals.size < total && Date.now() < last + PATIENCE) await Bun.sleep(50);
      if (receivers.arrivals.size !== total) throw new Error(`${receivers.arrivals.size} of ${total} alerts arrived`);
      await stopRollcall(rollcall);
      const chapters = await chaptersOf(first, receivers, burst);
      return chapters;
    },
  };
}

/**
 * At each instant a start arrives for every path, and the bare server gets as many requests after it. It returns, for
 * each instant, by which factor our p99 is longer.
 */
async function burstsAt(
  instants: readonly number[],
  paths: readonly string[],
  ours: number,
  bare: number,
): Promise<number[]> {
  const plan = { rate: paths.length * 1_000, seconds: 0.001, connections: null };
  const ratios: number[] = [];
  for (const at of instants) {
    await sleepUntil(at - 1_000);
    const answered = await atRate(ours, { ...plan, paths, at });
    const plain = await atRate(bare, { ...plan, paths: ["/"], at: null });
    ratios.push(answered.p99 / plain.p99);
  }
  return ratios;
}

async function chaptersOf(first: number, receivers: Receivers, burst: readonly number[]): Promise<Chapter[]> {
  const arrivals = [...receivers.arrivals.values()];
  /** For each of these seconds, how many milliseconds after it the last alert arrived. */
  const lastOf = (seconds: readonly number[]): number[] =>
    seconds.map((second) => {
      const close = first + second * 1_000;
      return Math.max(...arrivals.filter((it: Arrival) => it.close === close).map(({ at }) => at - close));
    });
  const many = lastOf(TEN_THOUSAND);
  const bareTimes: number[] = [];
  for (const last of many) bareTimes.push(last / (await bareMilliseconds(receivers, 10_000)));
  const lag = [
    less("one monitor", "ms", lastOf(ONE)),
    less("the last of 1,000 in one second", "ms", lastOf(THOUSAND)),
    less("the last of 10,000 in one second", "ms", many),
    less("the same, beside as many bare POSTs", "times as long", bareTimes),
  ];
  const full = [
    less("a start's answer: p99", "times bare", burst),
    less("the last of the 1,000 alerts", "ms", lastOf(BURST)),
  ];
  for (const { name, unit, rounds } of [...lag, ...full])
    console.log(`${name}: ${medianOf(rounds).toFixed(1)} ${unit}`);
  return [
    {
      title: "How soon an alert arrives",
      note: `From the second in which the grace of a slot ends until its alert is at one of ${RECEIVERS} webhook receivers.`,
      results: lag,
    },
    {
      title: "At a full hour",
      note: "1,000 jobs report their start at the same moment, each over a new connection, while 1,000 monitors close.",
      results: full,
    },
  ];
}
