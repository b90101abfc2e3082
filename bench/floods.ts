// `test/task bench-floods`: how long reports wait, and how much memory rollcall takes, while one person opens thousands
// of live connections, or searches among very many jobs sixty times at once. The flood of connections is also measured
// at a bare server.

import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  benchFolder,
  freePort,
  megabytesAtMost,
  megabytesOf,
  processorSeconds,
  type Rollcall,
  startRollcall,
  stopRollcall,
} from "./rollcall.ts";
import { type Answered, atRate } from "./steady.ts";
import { type World, worldOf } from "./world.ts";

const MONITORS = Number(process.env["FLOOD_MONITORS"] ?? 30_000);
const CONNECTIONS = Number(process.env["FLOOD_CONNECTIONS"] ?? 10_000);
const SEARCHES = 60;
/** Reports per second. */
const RATE = 200;
const SECONDS = 10;
/** The argument with which a process becomes the bare server. */
const BARE = "bare";
const PASSWORD = "a password for measurements";

interface House extends World {
  readonly rollcall: Rollcall;
  readonly cookie: string;
}

async function openHouse(): Promise<House> {
  const world = await worldOf(MONITORS);
  const rollcall = await startRollcall(world.directory, await freePort());
  const [path = ""] = /\/sign-in\/link\/\S+/.exec(readFileSync(join(world.directory, "data/first-key"), "utf8")) ?? [];
  const answer = await fetch(rollcall.url + path, {
    method: "POST",
    redirect: "manual",
    headers: { origin: rollcall.url },
    body: new URLSearchParams({ name: "Ada", password: PASSWORD, again: PASSWORD }),
  });
  const [cookie = ""] = (answer.headers.getSetCookie()[0] ?? "").split(";");
  if (cookie === "") throw new Error(`signing in failed: ${answer.status} ${await answer.text()}`);
  return { ...world, rollcall, cookie };
}

const FLOODS = {
  "live connections": Array.from({ length: CONNECTIONS }, () => "/live/windows?of=/"),
  "live connections to as many pages": Array.from(
    { length: CONNECTIONS },
    (_, place) => `/live/windows?of=${encodeURIComponent(`/?find=${place}`)}`,
  ),
  searches: Array.from({ length: SEARCHES }, (_, place) => `/?find=job-${place}&sort=name`),
  "live connections of jobs": Array.from(
    { length: CONNECTIONS },
    (_, place) => `/live/windows?of=/jobs/default/job-${(place % 500) + 1}`,
  ),
};

interface Plan {
  readonly port: number;
  readonly cookie: string;
  readonly name: keyof typeof FLOODS;
}

/** How many letters of an answer reach to the end of its status. */
const STATUS_ENDS = "HTTP/1.1 200".length;

/** Runs in another process: sends all requests at once, reads until it is killed, and prints how each was answered. */
async function flood({ port, cookie, name }: Plan): Promise<void> {
  const paths = FLOODS[name];
  const statuses = new Map<string, number>();
  let left = paths.length;
  const answered = (status: string): void => {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (--left === 0) console.log(JSON.stringify(Object.fromEntries(statuses)));
  };
  for (let begun = 0; begun < paths.length; begun += 100) {
    const some = paths.slice(begun, begun + 100).map((path) => {
      let isFirst = true;
      let head = "";
      return Bun.connect({
        hostname: "127.0.0.1",
        port,
        socket: {
          open: (socket) =>
            void socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${cookie}\r\n\r\n`),
          data: (_socket, bytes) => {
            if (head.length >= STATUS_ENDS) return;
            head += bytes.subarray(0, STATUS_ENDS).toString();
            if (head.length < STATUS_ENDS) return;
            isFirst = false;
            answered(head.slice(STATUS_ENDS - 3, STATUS_ENDS));
          },
          close: () => {
            if (isFirst) answered("closed");
            isFirst = false;
          },
        },
      }).catch(() => answered("refused"));
    });
    await Promise.all(some);
  }
}

const gapsIn = ({ directory }: World): number => {
  const database = new Database(join(directory, "data/rollcall.db"), { readonly: true });
  try {
    return (database.query("SELECT count(*) AS count FROM gaps").get() as { count: number }).count;
  } finally {
    database.close();
  }
};

const reportsOf = ({ key }: World): string[] =>
  Array.from({ length: 200 }, (_, place) => `/api/v1/ping/job-${place + 1}/${key}`);

/** The server that is flooded, and the paths of its reports. */
interface Target extends Pick<Rollcall, "process" | "port"> {
  readonly cookie: string;
  readonly reports: readonly string[];
}

/** The number of connections for reports, which are open before a flood begins; `null` when each report opens one. */
const REPORTING = { "over open connections": 64, "each over a new connection": null };
type Reporting = keyof typeof REPORTING;

/** The connections are opened within this many milliseconds. */
const OPENING = 500;

const measured = ({ port, reports }: Target, connected: Reporting): Promise<Answered> =>
  atRate(port, {
    rate: RATE,
    seconds: SECONDS,
    connections: REPORTING[connected],
    at: Date.now() + OPENING,
    paths: reports,
  });

const words = ({ p50, p99, most }: Answered): string =>
  `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, the slowest ${most.toFixed(0)} ms`;

/** Floods the server while reports come, and returns the effect in words. */
async function flooding(target: Target, name: keyof typeof FLOODS, connected: Reporting): Promise<string> {
  const { port, cookie } = target;
  const processor = [processorSeconds(target)];
  const quiet = await measured(target, connected);
  processor.push(processorSeconds(target));
  const plan: Plan = { port, cookie, name };
  const reporting = measured(target, connected).catch(() => null);
  await Bun.sleep(OPENING);
  const startedAt = performance.now();
  const child = Bun.spawn(["nice", "-n", "19", process.execPath, import.meta.path, JSON.stringify(plan)], {
    stdout: "pipe",
  });
  const line = child.stdout.pipeThrough(new TextDecoderStream()).getReader().read();
  const answers = line.then(
    ({ value }) => `${value?.trim()} after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`,
  );
  const flooded = await reporting;
  const said = await Promise.race([answers, Bun.sleep(30_000).then(() => "not all answered")]);
  processor.push(processorSeconds(target));
  child.kill();
  const [before, between, after] = processor as [number, number, number];
  const each = (after - between - (between - before)) / FLOODS[name].length;
  return `reports ${connected}: p99 ${flooded === null ? "beyond 60 s" : `${(flooded.p99 / quiet.p99).toFixed(1)} times`}, ${(each * 1e6).toFixed(0)} µs of processor time each
  quiet: ${words(quiet)}
  flooded: ${flooded === null ? "not all answered within 60 s" : words(flooded)}
  answers: ${said}`;
}

async function beside(name: keyof typeof FLOODS, connected: Reporting): Promise<void> {
  const instance = await openHouse();
  const { rollcall, cookie } = instance;
  const page = await fetch(`${rollcall.url}/`, { headers: { cookie } });
  await page.text();
  const gaps = gapsIn(instance);
  const said = await flooding({ ...rollcall, cookie, reports: reportsOf(instance) }, name, connected);
  const memory = `${megabytesOf(rollcall).toFixed(0)} MB, at most ${megabytesAtMost(rollcall).toFixed(0)}`;
  await Bun.sleep(2_000);
  console.log(`${FLOODS[name].length} ${name}: ${said}\n  ${memory}; ${gapsIn(instance) - gaps} gaps`);
  await stopRollcall(rollcall);
}

/**
 * Does the least that a server that keeps reports can do: it commits those of a turn together, and refuses all other
 * requests.
 */
function serveBare(): void {
  const database = new Database(join(benchFolder(), "bare.db"));
  database.run("PRAGMA journal_mode = WAL");
  database.run("PRAGMA synchronous = FULL");
  database.run("CREATE TABLE reports (id INTEGER PRIMARY KEY, message TEXT)");
  const insert = database.prepare("INSERT INTO reports (message) VALUES ('a report')");
  let waiting: ((answer: Response) => void)[] = [];
  const commit = database.transaction(() => {
    for (const _ of waiting) insert.run();
  });
  const answerAll = (): void => {
    commit.immediate();
    for (const answer of waiting) answer(new Response("{}"));
    waiting = [];
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) => {
      if (url.includes("/live/")) return new Response("too many\n", { status: 429, headers: { connection: "close" } });
      if (waiting.length === 0) setImmediate(answerAll);
      return new Promise((answer) => waiting.push(answer));
    },
  });
  process.on("SIGTERM", () => process.exit(0));
  console.log(server.port);
}

async function besideBare(name: keyof typeof FLOODS, connected: Reporting): Promise<void> {
  const child = Bun.spawn([process.execPath, import.meta.path, BARE], { stdout: "pipe" });
  const { value } = await child.stdout.pipeThrough(new TextDecoderStream()).getReader().read();
  const said = await flooding({ process: child, port: Number(value), cookie: "none", reports: ["/"] }, name, connected);
  console.log(`the same at a bare server: ${said}`);
  child.kill();
  await child.exited;
}

const [given] = process.argv.slice(2);
if (given?.startsWith("{")) await flood(JSON.parse(given));
else if (given === BARE) serveBare();
else {
  for (const name of Object.keys(FLOODS) as (keyof typeof FLOODS)[]) {
    if (given !== undefined && name !== given) continue;
    for (const connected of Object.keys(REPORTING) as Reporting[]) {
      await beside(name, connected);
      if (name !== "searches") await besideBare(name, connected);
    }
  }
  process.exit(0);
}
