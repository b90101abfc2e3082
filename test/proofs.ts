// Holds the contract to its word after a run of the tests: `bun test/proofs.ts REPORT` reads the JUnit report of that run and
// exits with 1 when a section or a decision is not proved; with `--write` it writes docs/proofs.md from it.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { documentOf, judge, proofsOf, subjectsOf } from "./proofs-document.ts";
import { readReport } from "./proofs-report.ts";

const ROOT = join(import.meta.dir, "..");
const DOCUMENT = join(ROOT, "docs/proofs.md");
const [report, mode] = process.argv.slice(2);
if (report === undefined) throw new Error("usage: bun test/proofs.ts REPORT [--write]");

const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const subjects = subjectsOf(textOf("docs/contract.md"), textOf("docs/decisions.md"));
const proofs = proofsOf(subjects, readReport(readFileSync(report, "utf8")));

if (mode === "--write") writeFileSync(DOCUMENT, documentOf(subjects, proofs));
const { faults, unlisted } = judge(subjects, proofs, readFileSync(DOCUMENT, "utf8"));

for (const fault of faults) console.error(`not proved: ${fault}`);
console.log(
  `${subjects.length} sections and decisions, ${proofs.length} proofs, ${faults.length} faults` +
    (unlisted.length === 0 ? "" : `; ${unlisted.length} are new in docs/proofs.md: make proofs lists them`),
);
if (faults.length > 0) process.exitCode = 1;
