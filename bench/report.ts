// Writes the results of a measurement as two files: JSON, with which the next measurement is compared, and a page for
// people.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { type Chapter, isReached, isRegression, medianOf, type Result, written } from "./figures.ts";

const ROOT = join(import.meta.dir, "..");
const RESULTS = join(ROOT, "bench/results.json");
const PAGE = join(ROOT, "bench/performance.md");

/**
 * Units that depend on the machine, so they are compared only with results of the same one. All others are ratios, or
 * sizes.
 */
const UNITS_OF_A_MACHINE: ReadonlySet<string> = new Set(["ms", "% of one"]);

interface Kept {
  readonly machine: string;
  readonly chapters: readonly Chapter[];
}

const machine = (): string => `${cpus().length} cores of ${cpus()[0]!.model}`;

/** A line for each figure that became worse than the kept results; no lines when nothing is kept. */
export function regressions(chapters: readonly Chapter[]): string[] {
  if (!existsSync(RESULTS)) return [];
  const kept: Kept = JSON.parse(readFileSync(RESULTS, "utf8"));
  const here = kept.machine === machine();
  return chapters.flatMap(({ title, results }) =>
    results.flatMap((result) => {
      const earlier = kept.chapters.find((it) => it.title === title)?.results.find(({ name }) => name === result.name);
      const comparable = here || !UNITS_OF_A_MACHINE.has(result.unit);
      if (!comparable || earlier === undefined || !isRegression(result, earlier)) return [];
      return [`${title}, ${result.name}: ${shown(result)}, was ${shown(earlier)}`];
    }),
  );
}

function shown({ rounds, unit }: Result): string {
  const median = `${written(medianOf(rounds))} ${unit}`;
  return rounds.length === 1
    ? median
    : `${median} (${written(Math.min(...rounds))} to ${written(Math.max(...rounds))})`;
}

/** Writes both files. */
export function writeReport(chapters: readonly Chapter[], rounds: number): void {
  const how =
    `Last measured on ${new Date().toISOString().slice(0, 10)} on ${machine()}, the load generator on the same machine; ` +
    `${rounds} rounds.`;
  writeFileSync(RESULTS, jsonOf({ machine: machine(), chapters }));
  writeFileSync(PAGE, pageOf(chapters, how));
}

/**
 * Each result is one line, so that a change of one changes one line. Numbers have at most four digits, because more are
 * not exact.
 */
function jsonOf({ machine: its, chapters }: Kept): string {
  const line = (result: Result): string =>
    JSON.stringify(result, (_, value) => (typeof value === "number" ? Number(value.toPrecision(4)) : value));
  const each = chapters.map(
    ({ title, note, results }) =>
      `{"title":${JSON.stringify(title)},"note":${JSON.stringify(note)},"results":[\n${results.map(line).join(",\n")}\n]}`,
  );
  return `{"machine":${JSON.stringify(its)},"chapters":[\n${each.join(",\n")}\n]}\n`;
}

function pageOf(chapters: readonly Chapter[], how: string): string {
  const missed = chapters.flatMap(({ title, results }) =>
    results
      .filter((result) => !isReached(result))
      .map((result) => `- ${title}, ${result.name}: ${shown(result)}; wanted ${wish(result)}`),
  );
  return [
    "# What make bench measured",
    "",
    `\`make bench\` measures rollcall and writes this page; [profile.md](profile.md) says where the time goes. ${how}`,
    "",
    "Most figures are ratios to a bare `Bun.serve` that answers a constant, measured in turn with rollcall in the same run: only",
    "the ratios carry over to another machine. Each figure is the median of its rounds, with the least and the greatest. p99: of",
    "100 answers 99 came sooner. Processor time is that of the server for one answer.",
    "",
    ...(missed.length === 0 ? [] : ["## What is missed", "", ...missed, ""]),
    ...chapters.flatMap(({ title, note, results }) => [
      `## ${title}`,
      "",
      note,
      "",
      "| | Figure | Wanted |",
      "|---|---|---|",
      ...results.map(
        (result) => `| ${result.name} | ${shown(result)} | ${result.wanted === null ? "" : wish(result)} |`,
      ),
      "",
    ]),
  ].join("\n");
}

const wish = ({ better, wanted }: Result): string =>
  `${better === "more" ? "at least" : "at most"} ${written(wanted!)}`;
