// `test/task torture`: runs every part, or those that PARTS names, shows how far each is, and ends with a table and an
// exit code.

import { countsOf, type Listener, type Outcome, type Part, runPart } from "./part.ts";
import { PARTS } from "./parts.ts";

const named = (process.env.PARTS ?? "").split(",").filter((name) => name !== "");
const unknown = named.filter((name) => !PARTS.some((part) => part.name === name));
if (unknown.length > 0) {
  console.error(`no part is named ${unknown.join(" or ")}; there are: ${PARTS.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}

const CLEAR_LINE = "\r\u001b[2K";

/** Milliseconds between two lines of progress, where they cannot be written over each other. */
const LINE_EVERY = 10_000;

/** Writes how far a part is: over the line before in a terminal, else now and then on a line of its own. */
function listenerOf(part: Part): Listener {
  let saidAt = performance.now();
  return {
    progress: (text) => {
      if (process.stdout.isTTY) process.stdout.write(`${CLEAR_LINE}    ${text}`);
      else if (performance.now() - saidAt > LINE_EVERY) {
        saidAt = performance.now();
        console.log(`    ${part.name}: ${text}`);
      }
    },
    note: (text) => console.log(`${process.stdout.isTTY ? CLEAR_LINE : ""}    ${text}`),
  };
}

const rowOf = (part: Part, { figures, faults, seconds }: Outcome): string[] => [
  part.name,
  faults.length === 0 ? "held" : `${faults.length} faults`,
  `${Math.round(seconds)} s`,
  [...figures].map(([name, value]) => `${value} ${name}`).join(", "),
];

const seed = Math.floor(Math.random() * 1e9);
const rows: string[][] = [];
let broken = 0;
for (const part of PARTS) {
  if (named.length > 0 && !named.includes(part.name)) continue;
  const counts = countsOf(part, "full", seed);
  const given = Object.entries(counts).map(([name, value]) => `${name} ${value}`);
  console.log(`==> ${part.name}: ${part.what} (${given.join(", ")})`);
  const outcome = await runPart(part, counts, listenerOf(part));
  if (process.stdout.isTTY) process.stdout.write(CLEAR_LINE);
  for (const fault of outcome.faults) console.error(`    ${fault}`);
  broken += outcome.faults.length;
  rows.push(rowOf(part, outcome));
}

const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
console.log();
for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
if (broken > 0) process.exitCode = 1;
