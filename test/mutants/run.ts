// Shows that the laws and the simulation can fail: puts each mutant of this folder into a copy of the sources and runs
// what must notice it. Says what did, and exits with 1 when one survives or no longer finds its place.

import { cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { breakSources, type Mutant, mutantsOf } from "./mutants.ts";

const ROOT = join(import.meta.dir, "../..");
const COPIED = ["src", "test", "drizzle", "package.json", "tsconfig.json", "bunfig.toml"];
const AT_ONCE = 2;
/**
 * A fault may make the core go on for ever: a round has this many times what the sound code took for the first on this
 * machine.
 */
const PATIENCE = 200;
const SURVIVED = "SURVIVED";

interface Watcher {
  readonly name: string;
  readonly file: string;
  /** Values of PROPERTY_RUNS; a later round is for what has survived the one before. */
  readonly rounds: readonly string[];
  /** What to say of a run that failed. */
  readonly finding: RegExp;
}

/**
 * Most faults of the core show within few timelines; only what survives them gets as many as `test/task prove` plays,
 * and more.
 */
const LAWS: Watcher = {
  name: "law",
  file: "test/domain/laws.slow.test.ts",
  rounds: ["150", "1000", "4000"],
  finding: /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/m,
};

const SIMULATION: Watcher = {
  name: "simulation",
  file: "test/simulation/simulation.slow.test.ts",
  rounds: ["1"],
  finding: /^error: (.*)$[\s\S]*^\(fail\) R17/m,
};

const STATE_LOG: Watcher = {
  name: "state log",
  file: "test/store/monitor-states.test.ts",
  rounds: ["300", "3000"],
  finding: /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/m,
};

const KNOWN: Watcher = { ...STATE_LOG, name: "known", file: "test/store/monitors.test.ts" };
const ROW_NAMES: Watcher = { ...STATE_LOG, name: "names of rows", file: "test/store/row-names.test.ts" };

const GAPS: Watcher = { ...STATE_LOG, name: "gaps", file: "test/domain/gap.test.ts", rounds: ["1"] };

/** What the timelines of the laws hardly ever meet: a late report behind a gap over several slots. */
const LATE: Watcher = { ...STATE_LOG, name: "late", file: "test/engine/late.test.ts", rounds: ["1"] };

/** Two notices of one gap take a job that waits for longer than the days of the simulation. */
const UNHEARD: Watcher = { ...STATE_LOG, name: "unheard", file: "test/engine/gaps.slow.test.ts", rounds: ["1"] };

/** The price of a round is the minutes of its histories, each of which the notifier looks at. */
const TELLING: Watcher = {
  ...STATE_LOG,
  name: "telling",
  file: "test/engine/telling-laws.slow.test.ts",
  rounds: ["30", "120", "400"],
};

/** What one lane cannot get wrong. */
const LANES: Watcher = { ...STATE_LOG, name: "lanes", file: "test/domain/telling-plan.test.ts", rounds: ["2000"] };

const PAST: Watcher = { ...STATE_LOG, name: "past", file: "test/views/one-past.slow.test.ts", rounds: ["20"] };

const PAUSED: Watcher = { ...STATE_LOG, name: "paused", file: "test/views/paused-days.test.ts", rounds: ["20"] };

const SIGNING_IN: Watcher = {
  ...STATE_LOG,
  name: "sign-in",
  file: "test/domain/signing-in.test.ts",
  rounds: ["200", "2000"],
};

/** Faults of the core that the simulation must notice too, by what befalls jobs and the service in a few days. */
const SIMULATED = [
  "deadline-without-grace",
  "doubtful-run-is-told",
  "failures-outlive-a-success",
  "fills-one-slot-too-many",
  "fills-only-the-oldest-slot",
  "interval-begins-with-a-start",
  "interval-excused-for-too-long",
  "interval-waits-for-its-slot",
  "judged-in-doubt-at-once",
  "missed-counted-one-short",
  "misses-outlive-a-success",
  "never-executed-without-success",
  "slots-under-a-run-told-later",
  "transit-forgotten",
];

interface Trial {
  readonly watcher: Watcher;
  /** Null: the sources as they are. */
  readonly mutant: Mutant | null;
}

interface Verdict {
  readonly caught: boolean;
  readonly text: string;
}

const CORE = mutantsOf("core");
const simulated = SIMULATED.map((wanted) => {
  const found = CORE.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`there is no mutant ${wanted}`);
  return found;
});
const under = (watcher: Watcher, mutants: readonly Mutant[]): Trial[] => mutants.map((mutant) => ({ watcher, mutant }));

const only = process.argv.slice(2);
const trials = [
  ...under(LAWS, CORE),
  ...under(SIMULATION, [...simulated, ...mutantsOf("service")]),
  ...under(STATE_LOG, mutantsOf("state-log")),
  ...under(KNOWN, mutantsOf("known")),
  ...under(ROW_NAMES, mutantsOf("row-names")),
  ...under(GAPS, mutantsOf("gaps")),
  ...under(LATE, mutantsOf("late")),
  ...under(UNHEARD, mutantsOf("unheard")),
  ...under(PAST, mutantsOf("past")),
  ...under(PAUSED, mutantsOf("paused")),
  ...under(LANES, mutantsOf("lanes")),
  ...under(TELLING, mutantsOf("telling")),
  ...under(SIGNING_IN, mutantsOf("signing-in")),
].filter(
  ({ watcher, mutant }) => only.length === 0 || only.some((part) => `${watcher.name} ${mutant!.name}`.includes(part)),
);
const waiting = trials.entries();
const survivors: Trial[] = [];
/** Milliseconds that the first round of a watcher takes at the sound code, by its name. */
const soundTimes = new Map<string, number>();

for (const watcher of new Set(trials.map((trial) => trial.watcher))) {
  const begun = performance.now();
  const sound = await judge({ watcher: { ...watcher, rounds: watcher.rounds.slice(0, 1) }, mutant: null });
  if (sound.text !== SURVIVED) throw new Error(`The ${watcher.name} fails without a fault: ${sound.text}`);
  soundTimes.set(watcher.name, performance.now() - begun);
}
await Promise.all(Array.from({ length: AT_ONCE }, takeTrials));
console.log(`${trials.length - survivors.length} of ${trials.length} mutants are caught`);
if (trials.length === 0 || survivors.length > 0) process.exitCode = 1;

async function takeTrials(): Promise<void> {
  for (const [index, trial] of waiting) {
    const { caught, text } = await judge(trial);
    if (!caught) survivors.push(trial);
    console.log(`[${index + 1}/${trials.length}] ${trial.mutant!.name}: ${text}`);
  }
}

async function judge({ watcher, mutant }: Trial): Promise<Verdict> {
  const copy = mkdtempSync(join(tmpdir(), "mutant-"));
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    if (mutant !== null) breakSources(join(copy, "src"), mutant);
    return await watch(watcher, copy);
  } catch (error) {
    return { caught: false, text: `DOES NOT APPLY: ${String(error)}` };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function watch({ name, file, rounds, finding }: Watcher, copy: string): Promise<Verdict> {
  const soundTime = soundTimes.get(name);
  const limit = soundTime === undefined ? {} : { timeout: Math.ceil(PATIENCE * soundTime) };
  const command = [process.execPath, "test", "--bail", "--timeout", "3600000", file];
  for (const round of rounds) {
    const { code, output } = await run(command, copy, { PROPERTY_RUNS: round }, limit);
    const found = finding.exec(output)?.[1];
    if (code !== 0 && found !== undefined) return { caught: true, text: `the ${name} caught it: "${found}"` };
    if (code !== 0) return { caught: false, text: `NOTHING WAS FOUND, but the run ended with ${code}:\n${output}` };
  }
  return { caught: false, text: SURVIVED };
}

async function run(
  command: string[],
  cwd: string,
  variables: Record<string, string>,
  limit: { timeout?: number } = {},
) {
  const env = { ...process.env, NO_COLOR: "1", ...variables };
  const child = Bun.spawn(command, { cwd, env, stdout: "pipe", stderr: "pipe", ...limit });
  const [out, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output: out + errors };
}
