// Holds docs/contract.md to its word after a run of the tests: `bun test/proofs.ts REPORT` reads the JUnit report of that
// run and exits with 1 when a rule that is built has no test, or one that did not run and pass.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readReport } from "./proofs-report.ts";
import { judge, readTable, subjectsOf } from "./proofs-table.ts";

const ROOT = join(import.meta.dir, "..");
const [report] = process.argv.slice(2);
if (report === undefined) throw new Error("usage: bun test/proofs.ts REPORT");

const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const contract = textOf("docs/contract.md");
const subjects = subjectsOf(contract, textOf("docs/decisions.md"));
const { faults, proved, unbuilt } = judge(readTable(contract), subjects, readReport(readFileSync(report, "utf8")));

for (const fault of faults) console.error(`not proved: ${fault}`);
console.log(`${proved} rules of docs/contract.md proved, ${faults.length} faults, ${unbuilt} rules not built yet`);
if (faults.length > 0) process.exitCode = 1;
