// `make fuzz`: attacks dist/rollcall with random requests and says what came of them. SEED repeats an attack.

import { attack } from "./attack.ts";

const requests = Number(process.env.REQUESTS ?? 100_000);
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));

const megabytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MB`;

console.log(`SEED=${seed}`);
const begun = performance.now();
const { counts, findings } = await attack({
  seed,
  requests,
  progress: (sent, bytes) => console.log(`${sent} requests, ${megabytes(bytes)} resident`),
});
for (const [name, count] of [...counts].sort()) console.log(`  ${String(count).padStart(7)}  ${name}`);
console.log(`${((performance.now() - begun) / 1_000).toFixed(1)} s`);
for (const finding of findings) console.error(finding);
if (findings.length > 0) process.exitCode = 1;
