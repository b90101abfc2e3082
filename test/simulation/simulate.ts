// `test/task simulate`: runs the simulation for some years of simulated time and says what came of it. A contradiction
// is shown with all that is needed to see it again: seed, step, monitor and the little that led there. A line every
// half minute says how far it has come: a year takes an hour of a processor, and much longer beside other work.

import { Contradiction } from "./failure.ts";
import { FAULTS } from "./faults.ts";
import { createTrace } from "./trace.ts";
import { DAY, type Instant, iso, YEAR } from "./units.ts";
import { type Outcome, type Setting, simulate } from "./world.ts";

const years = Number(process.env.YEARS ?? 1);
const seed = Number(process.env.SEED ?? 1);
const monitors = Number(process.env.MONITORS ?? 300);
const density = Number(process.env.FAULTS ?? 1);
/** Milliseconds between two lines on how far it has come. */
const TELL_EVERY = 30_000;
/** Steps between two looks at the clock, which take longer than many a step. */
const LOOK_EVERY = 1_024;

run({ seed, monitors, length: years * YEAR, density });

function run(setting: Setting): void {
  let now: Instant = 0;
  let steps = 0;
  const trace = createTrace();
  const begun = performance.now();
  const tell = progressOf(setting, begun);
  try {
    const outcome = simulate(setting, trace, (at) => {
      now = at;
      steps += 1;
      if (steps % LOOK_EVERY === 0) tell(at, steps);
    });
    report(setting, outcome, (performance.now() - begun) / 1_000);
  } catch (error) {
    console.error(`seed ${setting.seed}, step ${steps}, ${iso(now)} true time: ${String(error)}`);
    if (error instanceof Contradiction) {
      console.error(JSON.stringify(error.details, null, 1));
      for (const line of error.context) console.error(`  ${line}`);
    } else console.error(error);
    for (const line of trace.lines()) console.error(`  ${line}`);
    process.exitCode = 1;
  }
}

/** Days of the simulation, its steps and real seconds, and about how many seconds are left. */
function progressOf({ seed, length }: Setting, begun: number): (at: Instant, steps: number) => void {
  let first: Instant | null = null;
  let toldAt = begun;
  return (at, steps) => {
    first ??= at;
    const now = performance.now();
    if (now - toldAt < TELL_EVERY) return;
    toldAt = now;
    const seconds = (now - begun) / 1_000;
    const share = (at - first) / length;
    const left = Math.round((seconds * (1 - share)) / share);
    const days = `day ${((at - first) / DAY).toFixed(1)} of ${(length / DAY).toFixed(1)}`;
    console.error(`seed ${seed}: ${days}, ${steps} steps, ${seconds.toFixed(0)} s, about ${left} s to go`);
  };
}

function report({ seed, monitors, length }: Setting, { counts }: Outcome, seconds: number): void {
  const of = (what: string): number => counts.get(what) ?? 0;
  console.log(
    `seed ${seed}: ${(length / YEAR).toFixed(2)} system-years, ${((length / YEAR) * monitors).toFixed(1)} monitor-years`,
  );
  for (const name of FAULTS) console.log(`  ${name}: ${of(`fault: ${name}`)}`);
  for (const [what, number] of [...counts].sort()) if (!what.startsWith("fault: ")) console.log(`  ${what}: ${number}`);
  const processor = process.cpuUsage().user / 1_000_000;
  console.log(
    `${seconds.toFixed(1)} s, ${processor.toFixed(1)} s of a processor, ${Math.round(length / 1_000 / seconds)} times real time`,
  );
}
