// `test/task bench-floods`: how long reports wait, and how much memory rollcall takes, while one person opens thousands of live
// connections, searches among very many jobs sixty times at once, or takes nothing of what is sent.

import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, megabytesAtMost, megabytesOf, type Rollcall, startRollcall, stopRollcall } from "./rollcall.ts";
import { type Answered, atRate } from "./steady.ts";
import { type World, worldOf } from "./world.ts";

const MONITORS = Number(process.env["FLOOD_MONITORS"] ?? 30_000);
const CONNECTIONS = Number(process.env["FLOOD_CONNECTIONS"] ?? 10_000);
const SEARCHES = 60;
/** Reports a second. */
const RATE = 200;
const SECONDS = 10;
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
  "live connections": Array.from({ length: CONNECTIONS }, () => "/live/overview"),
  "live connections to as many pages": Array.from(
    { length: CONNECTIONS },
    (_, place) => `/live/overview?find=${place}`,
  ),
  searches: Array.from({ length: SEARCHES }, (_, place) => `/?find=job-${place}&sort=name`),
  "live connections of jobs": Array.from(
    { length: CONNECTIONS },
    (_, place) => `/live/jobs/default/job-${(place % 500) + 1}`,
  ),
};

interface Plan {
  readonly port: number;
  readonly cookie: string;
  readonly name: keyof typeof FLOODS;
}

/** Letters of an answer up to the end of its status. */
const STATUS_ENDS = "HTTP/1.1 200".length;

/** In a process of its own: asks for all at once, reads until killed, and says how each was answered. */
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

const measured = (instance: House): Promise<Answered> =>
  atRate(instance.rollcall.port, {
    rate: RATE,
    seconds: SECONDS,
    connections: 64,
    at: null,
    paths: reportsOf(instance),
  });

const words = ({ p50, p99, most }: Answered): string =>
  `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, the slowest ${most.toFixed(0)} ms`;

async function beside(name: keyof typeof FLOODS): Promise<void> {
  const instance = await openHouse();
  const page = await fetch(`${instance.rollcall.url}/`, { headers: { cookie: instance.cookie } });
  await page.text();
  const gaps = gapsIn(instance);
  const quiet = await measured(instance);
  const plan: Plan = { port: instance.rollcall.port, cookie: instance.cookie, name };
  const startedAt = performance.now();
  const child = Bun.spawn(["nice", "-n", "19", process.execPath, import.meta.path, JSON.stringify(plan)], {
    stdout: "pipe",
  });
  const line = child.stdout.pipeThrough(new TextDecoderStream()).getReader().read();
  const answers = line.then(
    ({ value }) => `${value?.trim()} after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`,
  );
  const flooded = await measured(instance).catch(() => null);
  const said = await Promise.race([answers, Bun.sleep(30_000).then(() => "not all answered")]);
  const memory = `${megabytesOf(instance.rollcall).toFixed(0)} MB, at most ${megabytesAtMost(instance.rollcall).toFixed(0)}`;
  child.kill();
  await Bun.sleep(2_000);
  console.log(
    `${FLOODS[name].length} ${name}: p99 ${flooded === null ? "beyond 60 s" : `${(flooded.p99 / quiet.p99).toFixed(1)} times`}\n  quiet: ${words(quiet)}\n  flooded: ${flooded === null ? "not all answered within 60 s" : words(flooded)}\n  ${memory}; ${gapsIn(instance) - gaps} gaps; answers: ${said}`,
  );
  await stopRollcall(instance.rollcall);
}

const [given] = process.argv.slice(2);
if (given?.startsWith("{")) await flood(JSON.parse(given));
else {
  for (const name of Object.keys(FLOODS) as (keyof typeof FLOODS)[])
    if (given === undefined || name === given) await beside(name);
  process.exit(0);
}
