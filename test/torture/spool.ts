// The power is cut at random moments under `rollcall run`: what it has the system do is written down, the spool is
// built as it may be found after the cut, and each report of a run that had come to its end must be told once, and be
// no other.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clientMomentAt, type Moment } from "../../src/client/client-moment.ts";
import type { Report } from "../../src/client/client-report.ts";
import { openSpool } from "../../src/client/spool.ts";
import { type Random, seeded } from "../simulation/random.ts";
import { EXECUTABLE, type Folder, firstKeyOf, openFolder } from "../support/executable.ts";
import type { Part } from "./part.ts";
import { type Change, readTrace, rebuildTree, traced } from "./spool-journal.ts";

/** Of so many cuts one is followed by a flush of the executable. */
const ONE_IN_FLUSHED = 5;
/** How much of what was not synced a disk may have kept. */
const ANY_SHARE = [0, 0.1, 0.5, 0.9, 1];
const SOME_OR_NONE = [0, 0.5];

type Count = "cuts" | "deaf" | "steps";

export const spool: Part<Count> = {
  name: "spool",
  what: "a power cut at any moment under rollcall run loses no report that it kept, and doubles none; where syncs are ignored, the same look finds losses",
  counts: {
    cuts: { full: 1_000, sample: 60 },
    deaf: { full: 50, sample: 5 },
    steps: { full: 40, sample: 6 },
  },
  run: async (counts, report) => {
    const random = seeded(counts.seed, "spool");
    await using scene = await openScene();
    const changes = await writeByRuns(scene, counts.steps, random);
    const ended = new Set(changes.flatMap((change) => (change.kind === "ended" ? [change.monitor] : [])));
    report.figure("runs that came to their end", ended.size);
    report.figure("changes of the disk", changes.length);
    let known = 0;
    for (let cut = 1; cut <= counts.cuts; cut++) {
      const seen = await cutPower(scene, changes, random.whole(0, changes.length), random, ANY_SHARE);
      known += seen.known;
      for (const fault of seen.faults) report.fault(`cut ${cut}: ${fault}`);
      report.progress(`${cut} of ${counts.cuts} cuts, ${known} kept reports looked for`);
    }
    report.figure("cuts", counts.cuts);
    report.figure("kept reports looked for", known);
    await flushed(scene, scene.spool);
    for (const fault of ledgerFaults(scene, ended)) report.fault(`at the end: ${fault}`);
    const deaf = changes.filter(({ kind }) => kind !== "sync");
    let found = 0;
    for (let cut = 0; cut < counts.deaf; cut++) {
      const count = firstKept(deaf) + random.whole(0, deaf.length - firstKept(deaf));
      const { faults } = await cutPower(scene, deaf, count, random, SOME_OR_NONE, false);
      if (faults.length > 0) found++;
    }
    report.figure(`of ${counts.deaf} cuts with ignored syncs found out`, found);
    if (found === 0) report.fault("no cut with ignored syncs was found out");
  },
};

interface Scene extends AsyncDisposable {
  readonly folder: Folder;
  /** Above the spool; the spool is made by the first run. */
  readonly root: string;
  readonly spool: string;
  readonly environment: Record<string, string>;
  /** What becomes of a report on its way: it arrives, or it does not, or only its answer gets lost. */
  way: "open" | "cut" | "cut behind it";
}

async function openScene(): Promise<Scene> {
  const folder = openFolder();
  const service = await folder.serve({ ROLLCALL_LIMITS__V1_PER_MINUTE: "0", ROLLCALL_LIMITS__V1_PER_HOUR: "0" });
  const relay = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      if (scene.way === "cut") return new Response("bad gateway", { status: 502 });
      const answer = await fetch(service.url.replace(/\/$/, "") + pathname + search, request);
      return scene.way === "open" ? answer : new Response("bad gateway", { status: 502 });
    },
  });
  const root = mkdtempSync(join(tmpdir(), "rollcall-cut-"));
  const scene: Scene = {
    folder,
    root,
    spool: join(root, "state/spool"),
    environment: {
      PATH: process.env["PATH"] ?? "",
      HOME: root,
      ROLLCALL_URL: relay.url.href,
      ROLLCALL_KEY: firstKeyOf(service),
    },
    way: "open",
    [Symbol.asyncDispose]: async () => {
      await relay.stop(true);
      await folder[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
  return scene;
}

/** Runs and flushes, one after another and at once, some of them killed, while the way to the server changes. */
async function writeByRuns(scene: Scene, steps: number, random: Random): Promise<Change[]> {
  const changes: Change[] = [];
  for (let step = 0; step < steps; step++) {
    // The first finds no spool; the last leaves something in it.
    scene.way = step === 0 || step === steps - 1 ? "cut" : random.pick(["open", "cut", "cut", "cut behind it"]);
    const run = (number: number) => `"$0" run --schedule '0 2 * * *' job-${step}-${number} -- true`;
    const flush = '"$0" run --flush >/dev/null 2>&1';
    // A shell that kills what it has just started, somewhere on its way.
    const killed = `${run(9)} & victim=$!; sleep 0.${random.whole(10, 45)}; kill -9 $victim 2>/dev/null`;
    const commands = random.pick([
      [run(0)],
      [run(0), run(1), flush],
      [run(0), flush, flush],
      [`{ ${killed}; }`, run(0)],
      [flush],
    ]);
    const trace = join(scene.root, "trace");
    const script = `${commands.map((command) => `${command} &`).join("\n")}\nwait`;
    const shell = Bun.spawn([...traced(trace), "/bin/sh", "-c", step === 0 ? run(0) : script, EXECUTABLE], {
      env: { ...scene.environment, ROLLCALL_SPOOL: scene.spool },
      stdio: ["ignore", "ignore", "ignore"],
    });
    await shell.exited;
    changes.push(...readTrace(readFileSync(trace, "utf8"), scene.root));
    rmSync(trace);
  }
  return changes;
}

interface Seen {
  readonly faults: readonly string[];
  /** How many kept reports were looked for. */
  readonly known: number;
}

/** Cuts the power after so many changes, and says what is wrong with what is found. */
async function cutPower(
  scene: Scene,
  changes: readonly Change[],
  count: number,
  random: Random,
  shares: readonly number[],
  flushes = true,
): Promise<Seen> {
  const place = mkdtempSync(join(tmpdir(), "rollcall-found-"));
  try {
    rebuildTree(changes.slice(0, count), scene.root, { random, shares }, place);
    const directory = join(place, "state/spool");
    const faults: string[] = [];
    const found = openSpool(directory, serverOf(scene), {
      onDamaged: (path) => faults.push(`${path} is damaged`),
      onDropped: ({ monitor }) => faults.push(`a report of ${monitor} was dropped`),
    });
    const reports = found.waiting().map(({ report }) => report);
    const expected = keptBy(changes, count);
    for (const [name, report] of expected)
      if (!reports.some(({ idempotencyKey }) => idempotencyKey === report.idempotencyKey))
        faults.push(`${name} is lost`);
    for (const report of reports)
      if (!isAmong(changes, report)) faults.push(`${report.monitor}: nobody kept this report`);
    if (found.keep(laterReport(random)) === null) faults.push("nothing can be kept");
    if (flushes && random.chance(1 / ONE_IN_FLUSHED)) {
      await flushed(scene, directory);
      faults.push(...ledgerFaults(scene, new Set()));
    }
    return { faults, known: expected.size };
  } finally {
    rmSync(place, { recursive: true });
  }
}

const serverOf = ({ environment }: Scene) => ({
  url: environment["ROLLCALL_URL"]!.replace(/\/$/, ""),
  key: environment["ROLLCALL_KEY"]!,
  authority: null,
});

/** The reports of all that was ever written whole, by the name of their file. */
function allKept(changes: readonly Change[]): Map<string, Report> {
  const texts = new Map<string, string>();
  const kept = new Map<string, Report>();
  for (const change of changes) {
    if (change.kind === "write") texts.set(change.path, (texts.get(change.path) ?? "") + change.data.toString());
    if (change.kind === "rename") kept.set(change.to, JSON.parse(texts.get(change.path)!).report);
  }
  return kept;
}

/** Those that must be found: of runs that had come to their end, and not yet begun to be removed. */
function keptBy(changes: readonly Change[], count: number): Map<string, Report> {
  const before = changes.slice(0, count);
  const ended = new Set(before.flatMap((change) => (change.kind === "ended" ? [change.monitor] : [])));
  const removed = new Set(before.flatMap((change) => (change.kind === "unlink" ? [change.path] : [])));
  return new Map([...allKept(changes)].filter(([path, { monitor }]) => ended.has(monitor) && !removed.has(path)));
}

const firstKept = (changes: readonly Change[]): number => changes.findIndex(({ kind }) => kind === "ended") + 1;

const isAmong = (changes: readonly Change[], report: Report): boolean =>
  [...allKept(changes).values()].some((kept) => Bun.deepEquals(kept, report));

function laterReport(random: Random): Report {
  const happened: Moment = clientMomentAt(Date.now());
  const idempotencyKey = `later-${random.whole(0, 1e9)}`;
  return {
    monitor: "later",
    kind: "complete",
    parameters: { schedule: "0 2 * * *" },
    outcomes: null,
    idempotencyKey,
    happened,
  };
}

/** Sends what waits there, as a host does that has its power again. */
async function flushed(scene: Scene, directory: string): Promise<void> {
  scene.way = "open";
  await scene.folder.run(["run", "--flush"], { ...scene.environment, ROLLCALL_SPOOL: directory });
}

/** The service has no report twice, and both of each run that came to its end. */
function ledgerFaults({ folder }: Scene, ended: ReadonlySet<string>): string[] {
  const rows = folder.rows(
    "SELECT key, kind, count(*) AS times FROM pings JOIN monitors ON monitors.id = monitor_id WHERE key LIKE 'job-%' GROUP BY key, kind",
  );
  const twice = rows.filter(({ times }) => times !== 1).map(({ key, kind, times }) => `${key} ${kind}: ${times} times`);
  const heard = new Set(rows.map(({ key, kind }) => `${key} ${kind}`));
  const missing = [...ended].flatMap((key) => [`${key} start`, `${key} complete`]).filter((one) => !heard.has(one));
  return [...twice, ...missing.map((one) => `${one}: never heard`)];
}
