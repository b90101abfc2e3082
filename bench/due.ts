// `test/task bench-due`: many monitors close in the same second. It measures how long after it the first attempt to
// tell each arrives at its receiver, and how long a ping sent meanwhile waits. It takes two minutes, since no slot
// closes sooner.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EVERY_MINUTE, nextClose, sleepUntil } from "./every-minute.ts";
import { bareMilliseconds, startReceivers } from "./receivers.ts";
import { benchFolder, freePort, startRollcall, stopRollcall } from "./rollcall.ts";
import { ping, pingUntil, spread } from "./steady-pings.ts";

const MONITORS = Number(process.env["DUE_MONITORS"] ?? 10_000);
const DESTINATIONS = Number(process.env["DUE_DESTINATIONS"] ?? 16);

/** All monitors are registered within this many milliseconds of a minute. */
const REGISTERED_WITHIN = 45_000;
/** A message that has not come this long after the close will not come. */
const PATIENCE = 60_000;

async function register(port: number, keys: readonly string[]): Promise<void> {
  let next = 0;
  const inTurn = async (): Promise<void> => {
    for (let index = next++; index < MONITORS; index = next++) {
      await ping(`http://127.0.0.1:${port}/api/v1/ping/due-${index}/${keys[index % keys.length]}${EVERY_MINUTE}`);
    }
  };
  await Promise.all(Array.from({ length: 64 }, inTurn));
}

/** How long after the close the engine told of the first monitor and of the last, by its log. */
function settledBetween(directory: string, close: number): readonly [first: number, last: number] {
  const lines = readFileSync(join(directory, "log"), "utf8").split("\n");
  const alerts = lines.filter((line) => line.includes('"event":"alert"'));
  const after = alerts.map((line) => Date.parse(JSON.parse(line).at) - close);
  return [Math.min(...after), Math.max(...after)];
}

const receivers = startReceivers(DESTINATIONS);
const { arrivals } = receivers;
const directory = benchFolder(receivers.configuration);
const rollcall = await startRollcall(directory, await freePort());
const keys = [...new Set(readFileSync(join(directory, "data/first-key"), "utf8").match(/ck_app_\w+(?:-\w+)*/g))];
if (keys.length !== DESTINATIONS) throw new Error(`expected ${DESTINATIONS} keys, found ${keys.length}`);

const close = await nextClose(REGISTERED_WITHIN);
await register(rollcall.port, keys);
console.log(`${MONITORS} monitors at ${DESTINATIONS} receivers close in ${Math.round((close - Date.now()) / 1_000)} s`);

await sleepUntil(close - 1_000);
const all = (): boolean => arrivals.size === MONITORS || Date.now() > close + PATIENCE;
const pings = await pingUntil(rollcall.url, keys[0]!, all);
const delays = [...arrivals.values()].map(({ at }) => at - close);
const [firstSettled, lastSettled] = settledBetween(directory, close);
const bare = await bareMilliseconds(receivers, MONITORS);
await stopRollcall(rollcall);

const others = [...arrivals.values()].filter((arrival) => arrival.close !== close).length;
if (others > 0) throw new Error(`${others} did not close at ${new Date(close).toISOString()}`);
const worst = Math.max(...delays);
const share = ((worst - firstSettled) / bare).toFixed(1);
console.log(
  `first attempt after the close  ${spread(delays)}  ${delays.length} told, ${receivers.last.attempts} attempts`,
);
console.log(`settled by the engine          from ${firstSettled} ms to ${lastSettled} ms after the close`);
console.log(`a ping meanwhile               ${spread(pings)}  ${pings.length} pings`);
console.log(`as many bare POSTs             ${bare} ms; from the first look to the last alert ${share} times that`);
process.exit(0);
