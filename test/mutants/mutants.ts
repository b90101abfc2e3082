// The mutants: faults to put into the sources, each as text to look for and text in its place. Where a function stands
// does not matter, so moving it mends no mutant.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface Mutant {
  readonly name: string;
  /** What it breaks, in a sentence. */
  readonly says: string;
  /** Whole lines of one file, and those in their place. */
  readonly changes: readonly { readonly from: string; readonly to: string }[];
}

/**
 * Reads the mutants of a file beside this one. Each begins with `== name` and a sentence; then follow the lines of a
 * patch, `-` for those to look for, `+` for those in their place, a blank for both, and `@@` between two changes.
 */
export function mutantsOf(group: string): Mutant[] {
  const text = readFileSync(join(import.meta.dir, `${group}.txt`), "utf8");
  return text
    .split(/^== /m)
    .slice(1)
    .map((entry) => {
      const [name = "", ...lines] = entry.trimEnd().split("\n");
      const first = lines.findIndex((line) => /^[ +-]/.test(line));
      const changes = lines.slice(first).join("\n").split("\n@@\n");
      return {
        name,
        says: lines.slice(0, first).join(" "),
        changes: changes.map((change) => ({ from: side(change, "-"), to: side(change, "+") })),
      };
    });
}

const side = (change: string, sign: string): string =>
  change
    .split("\n")
    .filter((line) => line[0] === " " || line[0] === sign)
    .map((line) => line.slice(1))
    .join("\n");

/** Each source below this folder with its text, for {@link mutate}. */
export const sourcesIn = (folder: string): Map<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => [join(folder, path), readFileSync(join(folder, path), "utf8")]),
  );

/**
 * The files that the mutant changes, with their new text. Throws unless each of its texts stands in them exactly once.
 */
export function mutate(sources: ReadonlyMap<string, string>, { changes }: Mutant): Map<string, string> {
  const changed = new Map<string, string>();
  for (const { from, to } of changes) {
    const found = [...sources].flatMap(([path, before]) => {
      const text = `\n${changed.get(path) ?? before}`;
      return Array.from({ length: text.split(`\n${from}\n`).length - 1 }, () => ({ path, text }));
    });
    const [place] = found;
    if (place === undefined || found.length > 1)
      throw new Error(`${found.length} places, not one, have these lines:\n${from}`);
    const after = to === "" ? "\n" : `\n${to}\n`;
    changed.set(place.path, place.text.replace(`\n${from}\n`, () => after).slice(1));
  }
  return changed;
}

/** Writes the fault into the sources below this folder. Throws as {@link mutate} does. */
export function breakSources(folder: string, mutant: Mutant): void {
  for (const [path, text] of mutate(sourcesIn(folder), mutant)) writeFileSync(path, text);
}
