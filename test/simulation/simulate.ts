// `test/task simulate`: runs the simulation for some years of simulated time and says what came of it. A contradiction
// is shown with all that is needed to see it again: seed, step, monitor and the little that led there.

import { Contradiction } from "./failure.ts";
import { FAULTS } from "./faults.ts";
import { createTrace } from "./trace.ts";
import { type Instant, iso, YEAR } from "./units.ts";
import { type Outcome, type Setting, simulate } from "./world.ts";

const years = Number(process.env.YEARS ?? 1);
const seed = Number(process.env.SEED ?? 1);
const monitors = Number(process.env.MONITORS ?? 300);
const density = Number(process.env.FAULTS ?? 1);

run({ seed, monitors, length: years * YEAR, density });

function run(setting: Setting): void {
  let now: Instant = 0;
  let steps = 0;
  const trace = createTrace();
  const begun = performance.now();
  try {
    const outcome = simulate(setting, trace, (at) => {
      now = at;
      steps += 1;
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

function report({ seed, monitors, length }: Setting, { counts }: Outcome, seconds: number): void {
  const of = (what: string): number => counts.get(what) ?? 0;
  console.log(
    `seed ${seed}: ${(length / YEAR).toFixed(2)} system-years, ${((length / YEAR) * monitors).toFixed(1)} monitor-years`,
  );
  for (const name of FAULTS) console.log(`  ${name}: ${of(`fault: ${name}`)}`);
  for (const [what, number] of [...counts].sort()) if (!what.startsWith("fault: ")) console.log(`  ${what}: ${number}`);
  console.log(`${seconds.toFixed(1)} s, ${Math.round(length / 1_000 / seconds)} times real time`);
}
