// Says after a run of all tests which of them prove which rule: `bun test/proofs.ts REPORT…` reads the JUnit reports of
// that run, writes dist/proofs.md, and exits with 1 when a section of the contract or a decision is not proved.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { documentOf, faultsIn, proofsOf, subjectsOf } from "./proofs-document.ts";
import { readReport } from "./proofs-report.ts";

const ROOT = join(import.meta.dir, "..");
const DOCUMENT = "dist/proofs.md";
const reports = process.argv.slice(2);
if (reports.length === 0) throw new Error("usage: bun test/proofs.ts REPORT…");

const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const subjects = subjectsOf(textOf("docs/contract.md"), textOf("docs/decisions.md"));
const proofs = proofsOf(
  subjects,
  reports.flatMap((report) => readReport(readFileSync(report, "utf8"))),
);

writeFileSync(join(ROOT, DOCUMENT), documentOf(subjects, proofs));
const faults = faultsIn(subjects, proofs);
for (const fault of faults) console.error(`not proved: ${fault}`);
console.log(
  `${subjects.length} sections and decisions, ${proofs.length} proofs in ${DOCUMENT}, ${faults.length} faults`,
);
if (faults.length > 0) process.exitCode = 1;
