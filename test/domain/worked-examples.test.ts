// The worked examples of docs/contract.md, run row by row, and the proof that no row of its tables is left out.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Example, follow } from "../support/timeline-table.ts";
import { PAUSE_EXAMPLES } from "./worked-examples/pauses.ts";
import { RUN_EXAMPLES } from "./worked-examples/runs.ts";
import { SLOT_EXAMPLES } from "./worked-examples/slots.ts";

const EXAMPLES: readonly Example[] = [...SLOT_EXAMPLES, ...RUN_EXAMPLES, ...PAUSE_EXAMPLES];

describe("Worked examples of the contract", () => {
  for (const example of EXAMPLES) test(example.title, () => follow(example));
});

test("Worked examples: every row of the contract's tables is in an example: its time, its status, its kinds of alert", () => {
  const written = tablesOf(readFileSync(join(import.meta.dir, "../../docs/contract.md"), "utf8"));
  const followed = EXAMPLES.filter(({ title }) => !title.includes(", prose: ")).map(linesOf);
  expect(written.length).toBe(15);
  for (const table of written) expect(followed).toContainEqual(table);
});

/** A table as lines of its time, status and kinds of alert. */
type Lines = readonly string[];

/** Two signals of one instant are one row of the contract: a declaration and the report that carried it. */
function linesOf({ rows }: Example): Lines {
  const last = rows.filter(({ at }, index) => at !== rows[index + 1]?.at);
  return last.map(({ at, status, tells }) => [at, status, ...(tells ?? []).map(({ kind }) => kind)].join(" "));
}

function tablesOf(contract: string): Lines[] {
  const chapter = contract.slice(contract.indexOf("## Worked examples"));
  const tables = chapter.matchAll(/^\| Time \|.*\n\|[-|]+\|\n((?:\|.*\n?)+)/gm);
  return [...tables].map(([, body]) => body!.trim().split("\n").map(lineOf));
}

function lineOf(row: string): string {
  const [, time, , state, alerts] = row.split("|").map((cell) => cell.trim());
  const status = /`(\w+)`/.exec(state!)![1]!;
  const kinds = [...alerts!.matchAll(/`(InitialFailure|NeverExecuted|ContinuedFailure|Recovered)`/g)];
  return [time, status, ...kinds.map(([, kind]) => kind)].join(" ");
}
