// `test/task bench-storm`: very many monitors close in the same second, and in a second part are overdue at a start
// after a day's outage. It measures when the engine has settled them, when people are told, how long a ping sent
// meanwhile waits, and memory.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startReceivers } from "./counting-receivers.ts";
import { EVERY_MINUTE, nextClose, sleepUntil } from "./every-minute.ts";
import { ageBy, fillMonitors } from "./filled-database.ts";
import {
  benchFolder,
  firstKey,
  freePort,
  megabytesAtMost,
  processorSeconds,
  type Rollcall,
  startRollcall,
  stopRollcall,
} from "./rollcall.ts";
import { ping, pingUntil, spread } from "./steady-pings.ts";

const MONITORS = Number(process.env["DUE_MONITORS"] ?? 100_000);
/** `slack` sends digests for people, `webhook` a message for each monitor for programs. */
const CHANNEL = process.env["DUE_CHANNEL"] ?? "slack";
/** The number of destinations; each gets all alerts. */
const DESTINATIONS = Number(process.env["DUE_DESTINATIONS"] ?? 4);
const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;

/** All monitors are registered within this many milliseconds of a minute. */
const REGISTERED_WITHIN = 30_000;
const DAY = 86_400_000;
/** A message that has not come after this time will not come. */
const PATIENCE = 60_000;

function configurationFor(urls: readonly string[]): string {
  const names = urls.map((_, index) => `"to-${index}"`);
  const secret = CHANNEL === "webhook" ? `secret = "${SECRET}"\n` : "";
  const destinations = urls.map(
    (url, index) => `[destinations.to-${index}]\ntype = "${CHANNEL}"\nurl = "${url}"\n${secret}`,
  );
  return [...destinations, `[applications.default]\ndestinations = [${names.join(", ")}]\n`].join("\n");
}

/** When the engine told of each monitor, by its log and in the log's order. */
const settledAt = (directory: string): number[] =>
  readFileSync(join(directory, "log"), "utf8")
    .split("\n")
    // The last line may be incomplete.
    .slice(0, -1)
    .filter((line) => line.includes('"event":"alert"'))
    .map((line) => Date.parse(JSON.parse(line).at));

const receivers = startReceivers(DESTINATIONS);
const directory = benchFolder(configurationFor(receivers.urls));

/** Measures from `from` on, until every destination was told of every monitor. */
async function measure(what: string, rollcall: Rollcall, key: string, from: number): Promise<void> {
  const wanted = MONITORS * DESTINATIONS;
  const taken = processorSeconds(rollcall);
  const isOver = (): boolean => receivers.told() >= wanted || Date.now() > from + PATIENCE;
  const pings = await pingUntil(rollcall.url, key, isOver);
  const processor = processorSeconds(rollcall) - taken;
  const settled = settledAt(directory);
  const { messages, firstAt, lastAt } = receivers.taken();
  console.log(`${what}: ${settled.length} of ${MONITORS} monitors settled, ${DESTINATIONS} times ${CHANNEL}`);
  if (settled.length > 0) {
    console.log(`  the first settled after ${settled[0]! - from} ms, the last after ${settled.at(-1)! - from} ms`);
    console.log(`  the first message arrived after ${firstAt - from} ms, the last after ${lastAt - from} ms`);
  }
  console.log(`  ${messages} messages in all, which tell of ${receivers.told()} alerts`);
  console.log(`  processor time, with the pings: ${processor.toFixed(1)} s`);
  console.log(`  a ping meanwhile: ${spread(pings)} (${pings.length} pings)`);
  console.log(`  resident memory at most ${Math.round(megabytesAtMost(rollcall))} MB`);
  receivers.forget();
}

const close = await nextClose(REGISTERED_WITHIN);
const first = await startRollcall(directory, await freePort());
const key = firstKey(directory);
await ping(`${first.url}/api/v1/ping/job-1/${key}${EVERY_MINUTE}`);
await stopRollcall(first);
fillMonitors(directory, MONITORS);
// The copy looks as if the monitors had closed while nothing ran.
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
// No alert is sent in this minute: slots that closed while nothing ran are not known to be missed (R26).
await measure("a start after a day", again, key, startedAt);
await stopRollcall(again);
Bun.spawnSync(["rm", "-r", `${directory}-outage`]);
process.exit(0);
