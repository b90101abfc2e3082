// The part in which thousands of clients hold connections and do next to nothing with them: first there is room for
// all, then far too little. A job that reports must not notice, and alerts must leave.

import { firstKeyOf, openFolder, type Service, until } from "../support/executable.ts";
import { type HttpSink, startHttpSink } from "../support/http-sink.ts";
import { footprintOf, inMegabytes } from "./footprint.ts";
import type { Part, Report } from "./part.ts";
import { habits, openStrangers, type Strangers } from "./strangers.ts";
import { configurationTo } from "./tortured.ts";

/**
 * Milliseconds. Where there is room no client may wait longer than ours do; where there is none it has to queue.
 */
const PATIENCE = 5_000;
const PATIENCE_AMONG_STRANGERS = 30_000;
/**
 * Bytes that may be held for each of them; of fewer the heap's own steps, of megabytes, would say more than they do.
 */
const MEMORY_A_CLIENT = 32 * 1_024;
const MEMORY_FROM = 4_000;
/** What is open besides them. */
const SPARE = 500;
/** A silent connection is closed after 150 s, give or take a few. */
const SILENT_SECONDS = 165;
/** When there is too little room there is this part of what they want. */
const ROOM = 1 / 16;

export const slowClients: Part<"clients" | "seconds" | "fails"> = {
  name: "slow-clients",
  what: "clients that hold connections and never finish cost little, delay nobody, and make room where there is too little",
  counts: { clients: { full: 8_000, sample: 200 }, seconds: { full: 180, sample: 1 }, fails: { full: 20, sample: 4 } },
  run: async (counts, report) => {
    await using receiver = startHttpSink(() => new Response(null, { status: 204 }));
    await withRoom(counts, receiver, report);
    await withoutRoom(counts, receiver, report);
  },
};

interface Counts {
  readonly clients: number;
  readonly seconds: number;
  /** Reports among strangers, one after the other. */
  readonly fails: number;
}

async function withRoom({ clients, seconds }: Counts, receiver: HttpSink, report: Report): Promise<void> {
  await using folder = openFolder({ "rollcall.toml": configurationTo(receiver.url) });
  const service = await folder.serve({}, `ulimit -n ${clients + SPARE}`);
  const [port, key] = [portOf(service), firstKeyOf(service)];
  const look = () => footprintOf(service.pid, port, folder.path);
  await answerTimes(service, key, 1, "before", report);
  const before = look();
  using strangers = openStrangers(port, clients, habits(key), false);
  await until("all of them", () => (strangers.opened() === clients ? true : null), 60_000);
  const times = await answerTimes(service, key, Math.max(seconds, 1), "held", report);
  const held = look();
  const each = (held.memory - before.memory) / clients;
  if (clients >= MEMORY_FROM && each > MEMORY_A_CLIENT)
    report.fault(`each of ${clients} slow clients costs ${Math.round(each)} bytes`);
  // The letters never end; whoever says nothing at all, or reads nothing, is let go.
  if (seconds > SILENT_SECONDS && held.connections > (clients * 2) / 3)
    report.fault(`${held.connections} of ${clients} connections are still open after ${seconds} s`);
  report.figure("clients", clients);
  report.figure("MB before", inMegabytes(before.memory));
  report.figure("MB while they hold on", inMegabytes(held.memory));
  report.figure("bytes a client", Math.round(each));
  report.figure(`connections left after ${seconds} s`, held.connections);
  report.figure("ms median of an answer meanwhile", times.median);
  report.figure("ms of the slowest", times.slowest);
  strangers[Symbol.dispose]();
  await until("their connections to be gone", () => (look().connections < 10 ? true : null), 60_000);
  report.figure("descriptors more than before", look().descriptors - before.descriptors);
}

async function withoutRoom({ clients, fails }: Counts, receiver: HttpSink, report: Report): Promise<void> {
  await using folder = openFolder({ "rollcall.toml": configurationTo(receiver.url) });
  const limit = Math.max(64, Math.round(clients * ROOM));
  const service = await folder.serve({}, `ulimit -n ${limit}`);
  const key = firstKeyOf(service);
  const told = receiver.requests.length;
  using strangers: Strangers = openStrangers(portOf(service), Math.min(clients, 8 * limit), habits(key), true);
  await until("all connections to be taken", () => (strangers.opened() >= limit ? true : null));
  let slowest = 0;
  for (let job = 0; job < fails; job++)
    slowest = Math.max(
      slowest,
      await reportOnce(
        service,
        `job-${job}/${key}/fail?schedule=0+3+*+*+*`,
        "among strangers",
        report,
        PATIENCE_AMONG_STRANGERS,
      ),
    );
  await until("all alerts", () => (receiver.requests.length >= told + fails ? true : null));
  const [{ stored } = { stored: 0 }] = folder.rows(
    "SELECT count(*) AS stored FROM pings p JOIN monitors m ON m.id = p.monitor_id WHERE m.key LIKE 'job-%'",
  );
  if (stored !== fails) report.fault(`${stored} of ${fails} fails are stored`);
  report.figure("open files allowed", limit);
  report.figure("came and were let go meanwhile", strangers.opened());
  report.figure("ms of the slowest fail among strangers", Math.round(slowest));
  strangers[Symbol.dispose]();
  const { descriptors } = footprintOf(service.pid, portOf(service), folder.path);
  await reportOnce(service, `job-0/${key}`, "afterwards", report);
  if (descriptors > limit) report.fault(`${descriptors} descriptors are left`);
  if ((await service.end("SIGTERM")) !== 0) report.fault("it did not stop in order");
}

/** Reports ten times a second for so long, each on a new connection. Milliseconds. */
async function answerTimes(service: Service, key: string, seconds: number, when: string, report: Report) {
  const times: number[] = [];
  for (let count = 0; count < seconds * 10; count++) {
    times.push(await reportOnce(service, `job/${key}?schedule=0+3+*+*+*`, when, report));
    report.progress(`${when}: ${times.length} of ${seconds * 10} reports`);
    await Bun.sleep(100);
  }
  const sorted = times.toSorted((one, other) => one - other);
  return { median: Math.round(sorted[Math.floor(sorted.length / 2)]!), slowest: Math.round(sorted.at(-1)!) };
}

async function reportOnce({ url }: Service, path: string, when: string, report: Report, patience = PATIENCE) {
  const begun = performance.now();
  try {
    const signal = AbortSignal.timeout(patience);
    const { status } = await fetch(`${url}/api/v1/ping/${path}`, { method: "POST", keepalive: false, signal });
    if (status !== 200) report.fault(`${when}, a report was answered ${status}`);
  } catch (error) {
    report.fault(`${when}, a report was not answered within ${patience / 1_000} s: ${error}`);
  }
  return performance.now() - begun;
}

const portOf = ({ url }: Service): number => Number(new URL(url).port);
