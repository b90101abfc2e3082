// The results of a measurement as two files: JSON, by which the next one finds what became worse, and a page for people.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { type Chapter, isReached, isRegression, type Result, written } from "./figures.ts";

const ROOT = join(import.meta.dir, "..");
const RESULTS = join(ROOT, "bench/results.json");
const PAGE = join(ROOT, "docs/performance.md");

/** What became worse than the results that are kept, a line each; none where nothing is kept. */
export function regressions(chapters: readonly Chapter[]): string[] {
  if (!existsSync(RESULTS)) return [];
  const kept: readonly Chapter[] = JSON.parse(readFileSync(RESULTS, "utf8")).chapters;
  return chapters.flatMap(({ title, results }) =>
    results.flatMap((result) => {
      const earlier = kept.find((it) => it.title === title)?.results.find(({ name }) => name === result.name);
      if (earlier === undefined || !isRegression(result, earlier)) return [];
      return [`${title}, ${result.name}: ${shown(result)}, was ${shown(earlier)}`];
    }),
  );
}

const shown = ({ figure: { median, least, most }, unit }: Result): string =>
  least === most ? `${written(median)} ${unit}` : `${written(median)} ${unit} (${written(least)} to ${written(most)})`;

/** Writes both files. */
export function writeReport(chapters: readonly Chapter[], how: string): void {
  writeFileSync(RESULTS, `${JSON.stringify({ how, chapters }, null, 2)}\n`);
  writeFileSync(PAGE, pageOf(chapters, how));
}

function pageOf(chapters: readonly Chapter[], how: string): string {
  const missed = chapters.flatMap(({ title, results }) =>
    results
      .filter((result) => !isReached(result))
      .map((result) => `- ${title}, ${result.name}: ${shown(result)}; wanted ${result.wanted}`),
  );
  return [
    "# Performance",
    "",
    `\`make bench\` measures rollcall and writes this page. ${how}`,
    "",
    "Most figures are ratios to a bare `Bun.serve` that answers a constant, measured in turn with rollcall in the same run: only",
    "the ratios carry over to another machine. Each figure is the median of its rounds, with the least and the greatest.",
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

/** The machine it was measured on. */
export const machine = (): string => `${cpus().length} cores, the load generator on the same machine`;
