// `make bench-storm`: very many monitors close in the same second, and once more are overdue at a start after a day's outage.
// Measures when the engine has settled them, when people are told, how long a ping sent meanwhile waits, and memory.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startReceivers } from "./counting-receivers.ts";
import { ageBy, fillMonitors } from "./filled-database.ts";
import {
  benchFolder,
  firstKey,
  freePort,
  megabytesAtMost,
  type Rollcall,
  startRollcall,
  stopRollcall,
} from "./rollcall.ts";

const MONITORS = Number(process.env["DUE_MONITORS"] ?? 100_000);
/** `slack`: for people, who get digests. `webhook`: for programs, which get a message for each monitor. */
const CHANNEL = process.env["DUE_CHANNEL"] ?? "slack";
/** Each of them is told everything. */
const DESTINATIONS = Number(process.env["DUE_DESTINATIONS"] ?? 4);
const SCHEDULE = "?schedule=*%20*%20*%20*%20*&gracePeriod=60";
const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

/** A minute's slot closes after the minute, 60 s of grace and 5 s on the way. */
const CLOSES_AFTER = 125_000;
/** A ping at the very end of a minute would fill the next slot too. */
const REGISTERED_WITHIN = 30_000;
const DAY = 86_400_000;
/** What has not come after this time will not come. */
const PATIENCE = 60_000;
const PING_EVERY = 10;

const sleepUntil = (at: number): Promise<void> => Bun.sleep(Math.max(0, at - Date.now()));

function configurationFor(urls: readonly string[]): string {
  const names = urls.map((_, index) => `"to-${index}"`);
  const secret = CHANNEL === "webhook" ? `secret = "${SECRET}"\n` : "";
  const destinations = urls.map(
    (url, index) => `[destinations.to-${index}]\ntype = "${CHANNEL}"\nurl = "${url}"\n${secret}`,
  );
  return [...destinations, `[applications.default]\ndestinations = [${names.join(", ")}]\n`].join("\n");
}

async function ping(url: string): Promise<void> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`a ping was refused: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

/** Reports for a monitor of its own, each on its time whether or not the one before is answered; milliseconds they took. */
async function pingUntil(url: string, over: () => boolean): Promise<number[]> {
  const took: number[] = [];
  const underWay: Promise<void>[] = [];
  for (let at = Date.now(); !over(); at += PING_EVERY) {
    await sleepUntil(at);
    underWay.push(ping(url).then(() => void took.push(Date.now() - at)));
  }
  await Promise.all(underWay);
  return took;
}

function spread(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!);
  return `p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  max ${at(1)} ms`;
}

/** When the engine told of each, as its log has it, in the order of the log. */
const settledAt = (directory: string): number[] =>
  readFileSync(join(directory, "log"), "utf8")
    .split("\n")
    // The last may be half written.
    .slice(0, -1)
    .filter((line) => line.includes('"event":"alert"'))
    .map((line) => Date.parse(JSON.parse(line).at));

const receivers = startReceivers(DESTINATIONS);
const directory = benchFolder(configurationFor(receivers.urls));

/** From `from` on, until every destination was told of every monitor. */
async function measure(what: string, rollcall: Rollcall, key: string, from: number): Promise<void> {
  const wanted = MONITORS * DESTINATIONS;
  const isOver = (): boolean => receivers.told() >= wanted || Date.now() > from + PATIENCE;
  const pings = await pingUntil(`${rollcall.url}/api/v1/ping/beside/${key}?schedule=0%200%201%201%20*`, isOver);
  const settled = settledAt(directory);
  const { messages, firstAt, lastAt } = receivers.taken();
  console.log(`${what}: ${settled.length} of ${MONITORS} monitors settled, ${DESTINATIONS} times ${CHANNEL}`);
  if (settled.length > 0) {
    console.log(`  the first settled after ${settled[0]! - from} ms, the last after ${settled.at(-1)! - from} ms`);
    console.log(`  the first message arrived after ${firstAt - from} ms, the last after ${lastAt - from} ms`);
  }
  console.log(`  ${messages} messages in all, which tell of ${receivers.told()} alerts`);
  console.log(`  a ping meanwhile: ${spread(pings)} (${pings.length} pings)`);
  console.log(`  resident memory at most ${Math.round(megabytesAtMost(rollcall))} MB`);
  receivers.forget();
}

const minuteOf = (at: number): number => Math.floor(at / 60_000) * 60_000;
if (Date.now() - minuteOf(Date.now()) > REGISTERED_WITHIN) await sleepUntil(minuteOf(Date.now()) + 60_000);
const close = minuteOf(Date.now()) + CLOSES_AFTER;
const first = await startRollcall(directory, await freePort());
const key = firstKey(directory);
await ping(`${first.url}/api/v1/ping/job-1/${key}${SCHEDULE}`);
await stopRollcall(first);
fillMonitors(directory, MONITORS);
// As if they had closed while nothing ran.
const outage = Bun.spawnSync(["cp", "-r", directory, `${directory}-outage`]);
if (!outage.success) throw new Error(outage.stderr.toString());

const running = await startRollcall(directory, await freePort());
console.log(`${MONITORS} monitors close in ${Math.round((close - Date.now()) / 1_000)} s`);
await sleepUntil(close - 1_000);
await measure("all close in one second", running, key, close);
await stopRollcall(running);

ageBy(`${directory}-outage`, DAY);
Bun.spawnSync(["rm", "-r", join(directory, "data"), join(directory, "log")]);
Bun.spawnSync(["mv", join(`${directory}-outage`, "data"), join(directory, "data")]);
const startedAt = Date.now();
const again = await startRollcall(directory, await freePort());
console.log(`the first answer came ${Math.round(again.milliseconds)} ms after the start`);
// Nobody is told in this minute: what closed while nothing ran is not known to be missed (R26).
await measure("a start after a day", again, key, startedAt);
await stopRollcall(again);
Bun.spawnSync(["rm", "-r", `${directory}-outage`]);
process.exit(0);
