// Shows what changes in a file, line by line, as `diff -u` does.

import { formatPatch, structuredPatch } from "diff";
import { decoded } from "../../discover/host.ts";
import type { Io } from "../io.ts";
import { visible } from "../screens/table.ts";

export interface Difference {
  readonly name: string;
  /** A byte in each character; null: there is no such file. */
  readonly before: string | null;
  readonly after: string | null;
}

export function showDifference({ name, before, after }: Difference, io: Io): void {
  const patch = structuredPatch(
    before === null ? "/dev/null" : name,
    after === null ? "/dev/null" : name,
    decoded(before ?? ""),
    decoded(after ?? ""),
  );
  const lines = formatPatch(patch)
    .split("\n")
    .filter((line) => !/^(?:=+$|Index: )/.test(line));
  for (const line of lines.slice(0, -1)) io.out(line.split("\t").map(visible).join("\t"));
}
