// What a failing job wrote last (R46), on a screen: its end, each line as it was.

import { endOfOutput, linesBefore } from "../../domain/wording/output.ts";
import { unbroken } from "./spoken.ts";

/** Programs get all of it as JSON. */
const LINES_SHOWN = 20;

export function outputLines(output: string): string[] {
  const { before, end } = endOfOutput(output, LINES_SHOWN);
  const rest = before.length === 0 ? [] : [`(${linesBefore(before.length)}; --json has them)`];
  return [...rest, ...end.map((line) => unbroken(`| ${line.replaceAll("\t", "    ")}`))];
}
