// `test/task bench-dashboards`: how long the first page takes with 200 jobs and with 2,000, how soon a report shows on
// it, and how long reports wait while 50 browsers keep it open.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { medianOf } from "./figures.ts";
import {
  benchFolder,
  firstKey,
  freePort,
  processorSeconds,
  type Rollcall,
  startRollcall,
  stopRollcall,
} from "./rollcall.ts";
import { atRate } from "./steady.ts";
import { ping } from "./steady-pings.ts";

const ROUNDS = Number(process.env["DASHBOARD_ROUNDS"] ?? 10);
const REPORTS_EACH = 32;
const LOOKS = 40;
const DASHBOARDS = 50;
/** Reports per second. */
const RATE = 1_000;
const SECONDS = 2;
const PASSWORD = "a password for measurements";

interface World {
  readonly rollcall: Rollcall;
  readonly key: string;
  readonly cookie: string;
}

const keyOf = (place: number): string => `job-${place}`;

/** An installation with this number of jobs that have a past, and with an administrator. */
async function openWorld(jobs: number): Promise<World> {
  const directory = benchFolder();
  const rollcall = await startRollcall(directory, await freePort());
  const key = firstKey(directory);
  const urls = Array.from({ length: REPORTS_EACH * jobs }, (_, place) => {
    const job = place % jobs;
    const schedule = place < jobs ? `?schedule=${job % 60}%20*%20*%20*%20*&gracePeriod=86400` : "";
    return `${rollcall.url}/api/v1/ping/${keyOf(job)}/${key}${schedule}`;
  });
  for (let sent = 0; sent < urls.length; sent += 64) await Promise.all(urls.slice(sent, sent + 64).map(ping));
  return { rollcall, key, cookie: await signIn(directory) };
}

async function signIn(directory: string): Promise<string> {
  const [link = ""] = /http\S+\/sign-in\/link\/\S+/.exec(readFileSync(join(directory, "data/first-key"), "utf8")) ?? [];
  const answer = await fetch(link, {
    method: "POST",
    redirect: "manual",
    headers: { origin: new URL(link).origin },
    body: new URLSearchParams({ name: "Ada", password: PASSWORD, again: PASSWORD }),
  });
  const [cookie = ""] = (answer.headers.get("set-cookie") ?? "").split(";");
  if (cookie === "") throw new Error(`signing in failed: ${answer.status} ${await answer.text()}`);
  return cookie;
}

/** Loads the whole page as a browser does. */
async function look({ rollcall, cookie }: World): Promise<{ milliseconds: number; bytes: number; text: string }> {
  const startedAt = performance.now();
  const answer = await fetch(`${rollcall.url}/`, {
    headers: { cookie, "accept-encoding": "gzip, deflate, br, zstd" },
    decompress: false,
  } as RequestInit);
  const body = await answer.arrayBuffer();
  const milliseconds = performance.now() - startedAt;
  return { milliseconds, bytes: body.byteLength, text: Bun.zstdDecompressSync(body).toString() };
}

async function firstPage(jobs: number): Promise<void> {
  const world = await openWorld(jobs);
  const cold = await look(world);
  const assets = [...cold.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
  const loaded = await Promise.all(
    assets.map(async (path) => {
      const init = { headers: { "accept-encoding": "br" }, decompress: false } as RequestInit;
      return (await (await fetch(world.rollcall.url + path, init)).arrayBuffer()).byteLength;
    }),
  );
  const took: number[] = [];
  const before = processorSeconds(world.rollcall);
  for (let done = 0; done < LOOKS; done++) took.push((await look(world)).milliseconds);
  const processor = ((processorSeconds(world.rollcall) - before) / LOOKS) * 1_000;
  const bytes = loaded.reduce((sum, size) => sum + size, cold.bytes);
  console.log(
    `${jobs} jobs: first look ${cold.milliseconds.toFixed(1)} ms; then ${medianOf(took).toFixed(1)} ms, ${processor.toFixed(1)} ms of processor; ${(bytes / 1_000).toFixed(1)} KB on the wire, the page ${(cold.bytes / 1_000).toFixed(1)} KB`,
  );
  await stopRollcall(world.rollcall);
}

/** The process that keeps dashboards open is started with this plan. */
interface Plan {
  readonly url: string;
  readonly cookie: string;
  readonly paths: readonly string[];
}

/**
 * Prints `open` when all are open, and `changed` when a message to the first begins. It reads raw sockets, which cost
 * the least.
 */
async function keepOpen({ url, cookie, paths }: Plan): Promise<void> {
  const lives = new Map<string, string>();
  for (const path of new Set(paths)) {
    const page = await (await fetch(url + path, { headers: { cookie } })).text();
    lives.set(path, /hx-sse:connect="([^"]+)"/.exec(page)![1]!.replaceAll("&amp;", "&"));
  }
  const { hostname, port } = new URL(url);
  let opened = 0;
  const open = (path: string, isFirst: boolean) => {
    let isNew = true;
    const data = (_: unknown, bytes: Buffer): void => {
      if (isNew && ++opened === paths.length) console.log("open");
      isNew = false;
      if (isFirst && bytes.includes("hx-partial")) console.log("changed");
    };
    const begin = (socket: Bun.Socket) =>
      void socket.write(`GET ${lives.get(path)} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${cookie}\r\n\r\n`);
    return Bun.connect({ hostname, port: Number(port), socket: { open: begin, data } });
  };
  await Promise.all(paths.map((path, place) => open(path, place === 0)));
}

/** `next` resolves with the next line that the process prints. */
async function openDashboards(plan: Plan): Promise<{ next: () => Promise<string>; close: () => void }> {
  // Browsers run on other machines, so this process must not take the server's core from it.
  const command = ["nice", "-n", "19", process.execPath, import.meta.path, JSON.stringify(plan)];
  const child = Bun.spawn(command, { stdout: "pipe" });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const next = async (): Promise<string> => (await lines.read()).value ?? "";
  await next();
  return { next, close: () => child.kill() };
}

async function soonShown(world: World): Promise<void> {
  const { url } = world.rollcall;
  const dashboards = await openDashboards({ url, cookie: world.cookie, paths: ["/"] });
  const took: number[] = [];
  for (let done = 0; done < 20; done++) {
    await Bun.sleep(1_300 + 37 * done);
    const sentAt = performance.now();
    const shown = dashboards.next();
    await ping(`${url}/api/v1/ping/${keyOf(done)}/${world.key}`);
    await shown;
    took.push(performance.now() - sentAt);
  }
  dashboards.close();
  console.log(`a report shows after ${medianOf(took).toFixed(0)} ms, at most ${Math.max(...took).toFixed(0)} ms`);
}

async function beside(world: World, name: string, paths: readonly string[]): Promise<void> {
  const { rollcall, key, cookie } = world;
  const reports = Array.from({ length: 200 }, (_, place) => `/api/v1/ping/${keyOf(place)}/${key}`);
  const load = { rate: RATE, seconds: SECONDS, connections: 64, at: null, paths: reports };
  const measured = async () => {
    const before = processorSeconds(rollcall);
    const { p50, p99 } = await atRate(rollcall.port, load);
    return { p50, p99, processor: (processorSeconds(rollcall) - before) / SECONDS };
  };
  const rounds: Record<"none" | "all", Awaited<ReturnType<typeof measured>>>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const none = await measured();
    const dashboards = await openDashboards({ url: rollcall.url, cookie, paths });
    const all = await measured();
    dashboards.close();
    rounds.push({ none, all });
    await Bun.sleep(500);
  }
  const best = (of: "none" | "all"): number => Math.min(...rounds.map((round) => round[of].p99));
  const of = (pick: (round: (typeof rounds)[number]) => number): string => medianOf(rounds.map(pick)).toFixed(2);
  console.log(
    `${name}: p99 ${of(({ none, all }) => all.p99 / none.p99)} times (${of(({ none }) => none.p99)} ms without, ${of(({ all }) => all.p99)} ms with; p50 ${of(({ none }) => none.p50)} and ${of(({ all }) => all.p50)} ms), the best rounds ${best("none").toFixed(2)} and ${best("all").toFixed(2)} ms; processor ${of(({ none }) => none.processor)} and ${of(({ all }) => all.processor)} of a core`,
  );
}

const [plan] = process.argv.slice(2);
if (plan !== undefined) await keepOpen(JSON.parse(plan));
else {
  for (const jobs of [200, 2_000]) await firstPage(jobs);
  const world = await openWorld(200);
  await soonShown(world);
  await beside(world, `${DASHBOARDS} dashboards`, Array(DASHBOARDS).fill("/"));
  const apart = Array.from(
    { length: DASHBOARDS },
    (_, place) => `/?find=${place % 10}&sort=${place % 2 ? "name" : "last"}`,
  );
  await beside(world, `${DASHBOARDS} dashboards, of 20 kinds`, apart);
  await stopRollcall(world.rollcall);
  process.exit(0);
}
