// Puts the same reports on Uptime Kuma and on rollcall in turn. BENCH_PEER names a folder that holds Uptime Kuma 2,
// after `npm install` in it. Node runs Uptime Kuma from that folder, which keeps its data in a new one.

import { Database } from "bun:sqlite";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Chapter, less, more, OWN_MEMORY } from "./figures.ts";
import { benchFolder, freePort, ownMegabytesOf, stopRollcall } from "./rollcall.ts";
import { load, ROUNDS } from "./side-by-side.ts";
import { startIn, type World } from "./world.ts";

/** The folder of Uptime Kuma; `null` when none is to be measured. */
export const PEER = process.env["BENCH_PEER"] ?? null;

/** A report of a push monitor is due this many seconds after the one before: none is missed while it is measured. */
const INTERVAL = 86_400;
/** How many milliseconds a start may take. The first one brings the database up to date. */
const PATIENCE = 120_000;
const CONNECTIONS = 64;

/** The same monitors at both: 64 connections that are kept alive, heartbeats of monitors at random. */
export async function besidePeer(peer: string, world: World): Promise<Chapter[]> {
  const kuma = await startKuma(peer, world.monitors);
  const rollcall = await startIn(world);
  const common = { key: world.key, monitors: world.monitors, connections: CONNECTIONS, keepAlive: true };
  const rounds: Readonly<Record<"rate" | "p99" | "each", number>>[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const its = await load({ ...common, kind: "push" }, kuma);
    const ours = await load({ ...common, kind: "heartbeat" }, rollcall);
    rounds.push({ rate: ours.rate / its.rate, p99: (100 * ours.p99) / its.p99, each: (100 * ours.each) / its.each });
    console.log(
      `a second: ${Math.round(its.rate)} and ${Math.round(ours.rate)}; p99 ${its.p99} and ${ours.p99} ms; ` +
        `processor time ${Math.round(its.each * 1e6)} and ${Math.round(ours.each * 1e6)} µs`,
    );
  }
  const memory = (100 * ownMegabytesOf(rollcall)) / ownMegabytesOf(kuma);
  kuma.process.kill("SIGKILL");
  await stopRollcall(rollcall);
  const { version } = JSON.parse(readFileSync(join(peer, "package.json"), "utf8"));
  return [
    {
      title: "Beside Uptime Kuma",
      note: `Uptime Kuma ${version} with ${world.monitors.toLocaleString("en")} push monitors in its own database. rollcall syncs each report to disk, Uptime Kuma does not.`,
      results: [
        more(
          "reports answered in a second",
          "times Uptime Kuma",
          rounds.map(({ rate }) => rate),
        ),
        less(
          "p99",
          "% of Uptime Kuma",
          rounds.map(({ p99 }) => p99),
        ),
        less(
          "processor time for a report",
          "% of Uptime Kuma",
          rounds.map(({ each }) => each),
        ),
        less(OWN_MEMORY, "% of Uptime Kuma", [memory]),
      ],
    },
  ];
}

type Kuma = Awaited<ReturnType<typeof startServer>>;

/** Starts Uptime Kuma with this many push monitors, whose tokens are `job-1` and so on. */
async function startKuma(peer: string, monitors: number): Promise<Kuma> {
  const directory = benchFolder();
  writeFileSync(join(directory, "db-config.json"), '{ "type": "sqlite" }');
  const first = await startServer(peer, directory);
  first.process.kill("SIGTERM");
  await first.process.exited;
  const database = new Database(join(directory, "kuma.db"));
  database.run("INSERT INTO user (id, username, password, active) VALUES (1, 'bench', 'none', 1)");
  const insert = database.prepare(
    `INSERT INTO monitor (name, active, user_id, interval, type, push_token) VALUES (?1, 1, 1, ${INTERVAL}, 'push', ?1)`,
  );
  database.transaction(() => {
    for (let monitor = 1; monitor <= monitors; monitor++) insert.run(`job-${monitor}`);
  })();
  database.close();
  return startServer(peer, directory);
}

async function startServer(peer: string, directory: string) {
  const port = await freePort();
  const child = Bun.spawn(
    ["node", "server/server.js", `--data-dir=${directory}/`, `--port=${port}`, "--host=127.0.0.1"],
    { cwd: peer, stdout: Bun.file(join(directory, "out")), stderr: Bun.file(join(directory, "log")) },
  );
  process.on("exit", () => child.kill("SIGKILL"));
  const url = `http://127.0.0.1:${port}`;
  for (const until = Date.now() + PATIENCE; ; await Bun.sleep(100)) {
    const answer = await fetch(`${url}/api/entry-page`).catch(() => null);
    if (answer?.ok) return { process: child, port, url };
    if (child.exitCode !== null || Date.now() > until)
      throw new Error(`Uptime Kuma did not start; see ${directory}/log, and \`npm install\` in ${peer}`);
  }
}
