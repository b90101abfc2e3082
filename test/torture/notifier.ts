// The executable is killed while it sends through every channel, between a receiver's having the message and its own
// storing of that: each alert must arrive everywhere, and nothing twice in one life.

import { seeded } from "../simulation/random.ts";
import { firstKeyOf, openFolder, until } from "../support/executable.ts";
import type { Part } from "./part.ts";
import { type Arrival, DESTINATIONS, openReceivers } from "./receivers.ts";
import { isAllNotified } from "./tortured.ts";
import { openWire } from "./wire.ts";

/** Incidents that open in one life. */
const INCIDENTS = 3;
/** Endings are stored within this time, so a kill comes before or after that. Milliseconds. */
const AFTER_MAX = 15;
/** A life in which nothing arrives where the killer waits is ended all the same. Milliseconds. */
const PATIENCE = 5_000;

export const notifier: Part<"crashes"> = {
  name: "notifier",
  what: "an alert that was on its way when the process died arrives through every channel, and at most once a life",
  counts: { crashes: { full: 210, sample: 8 } },
  run: async ({ crashes, seed }, report) => {
    const random = seeded(seed, "notifier");
    await using receivers = await openReceivers();
    await using folder = openFolder({ "rollcall.toml": receivers.toml });
    const told: string[] = [];
    let key: string | null = null;
    let killed = 0;
    for (let life = 1; life <= crashes; life++) {
      receivers.newLife();
      const service = await folder.serve();
      key ??= firstKeyOf(service);
      const { promise: dead, resolve } = Promise.withResolvers<boolean>();
      const moment = random.chance(0.5) ? "before the answer" : random.fraction() * AFTER_MAX;
      receivers.await(DESTINATIONS[life % DESTINATIONS.length]!, moment, () => {
        process.kill(service.pid, "SIGKILL");
        resolve(true);
      });
      told.push(...(await openIncidents(Number(new URL(service.url).port), key, life)));
      if (await Promise.race([dead, Bun.sleep(PATIENCE).then(() => false)])) killed += 1;
      await service.end("SIGKILL");
      // What it had sent by then is read by the receivers in this life.
      await Bun.sleep(10);
      report.progress(`${life} of ${crashes} crashes, ${receivers.arrivals.length} messages arrived`);
    }
    receivers.newLife();
    const last = await folder.serve();
    await until("the end of all deliveries", () => (isAllNotified(folder) ? true : null), 120_000);
    await last.end("SIGTERM");
    // A fail whose answer was on its way when the process died may be stored, too.
    const alerted = folder.rows("SELECT DISTINCT key FROM monitors JOIN incidents ON monitor_id = monitors.id");
    const failed = new Set([...told, ...alerted.map(({ key }) => String(key))]);
    for (const fault of faultsOf(receivers.arrivals, failed)) report.fault(fault);
    if (killed < crashes / 2) report.fault(`only ${killed} of ${crashes} crashes came at a receiver's word`);
    report.figure("crashes", crashes);
    report.figure("alerts", failed.size * DESTINATIONS.length);
    report.figure("messages arrived", receivers.arrivals.length);
    report.figure("of them repeats", repeatsIn(receivers.arrivals));
  },
};

/** All at once, so that they are on their way together. Answers the keys of the monitors whose fail was taken. */
async function openIncidents(port: number, apiKey: string, life: number): Promise<string[]> {
  const monitors = Array.from({ length: INCIDENTS }, (_, incident) => `torn-${life}-${incident + 1}-of`);
  const taken = await Promise.all(
    monitors.map(async (monitor) => {
      const wire = await openWire(port);
      const answer = await wire?.post(`/api/v1/ping/${monitor}/${apiKey}/fail?schedule=0%200%2029%202%20*`);
      wire?.close();
      return answer?.status === 200;
    }),
  );
  return monitors.filter((_, index) => taken[index]);
}

/** Of each alert and destination the messages that told it. */
function* faultsOf(arrivals: readonly Arrival[], failed: ReadonlySet<string>): Generator<string> {
  for (const destination of DESTINATIONS) {
    const mine = arrivals.filter((arrival) => arrival.destination === destination);
    for (const monitor of failed) {
      const received = mine.filter(({ text }) => text.includes(monitor));
      if (received.length === 0) yield `${monitor} was never told through ${destination}`;
      const lives = received.map(({ life }) => life);
      if (new Set(lives).size < lives.length) yield `${monitor} was told twice in one life through ${destination}`;
      // Elsewhere a repeat may come as a part of another message, a digest.
      if (destination === "webhook" && new Set(received.map(({ id }) => id)).size > 1)
        yield `${monitor} was told under two names through ${destination}`;
    }
  }
}

/** Messages that came with a name that was there before. */
function repeatsIn(arrivals: readonly Arrival[]): number {
  const named = arrivals.flatMap(({ destination, id }) => (id === null ? [] : [`${destination} ${id}`]));
  return named.length - new Set(named).size;
}
