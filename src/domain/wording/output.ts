// Shortens what a failing job wrote last (R46) to its end, where people see it in a limited space.

import type { AlertData } from "../message/alert.ts";
import type { Times } from "./message-times.ts";
import { counted } from "./spoken-time.ts";
import type { Fact } from "./types.ts";

/** Returns the end of an output. `most` is how many lines it may have. */
export function endOfOutput(output: string, most: number) {
  const lines = output.split("\n");
  const from = Math.max(0, lines.length - most);
  return { before: lines.slice(0, from), end: lines.slice(from) };
}

export const linesBefore = (count: number): string => `${counted(count, "line")} before`;

/** How many lines of output a message has, because a mail is read on a phone. A page has the rest. */
const IN_A_MESSAGE = 40;

/** The output of an alert; `null` when none is kept. Alerts of earlier versions have no such field. */
export function outputOf({ output, outputAt, timezone, reason }: AlertData, times: Times): Fact | null {
  if ((output ?? null) === null || outputAt === null) return null;
  const { before, end } = endOfOutput(output!, IN_A_MESSAGE);
  const when = reason === "opened" ? "" : `, of ${times.say(outputAt, timezone)}`;
  const rest = before.length === 0 ? "" : ` (${linesBefore(before.length)})`;
  return { label: `Its last lines${when}${rest}`, value: end.join("\n") };
}
