// Shortens the kept output of a failing job (R46) to its last lines, for places with little room.

import type { AlertData } from "../message/alert.ts";
import { endOfOutput } from "../output/kept-output.ts";
import type { Times } from "./message-times.ts";
import { counted } from "./spoken-time.ts";
import type { Fact } from "./types.ts";

export const linesBeforeInWords = (count: number): string => `${counted(count, "line")} before`;

/** The most lines of output in a message, because mail is read on phones. A page shows all that is kept. */
const IN_A_MESSAGE = 40;

/** The kept output that an alert shows; `null` when none is kept. Alerts stored by earlier versions lack the field. */
export function alertOutput({ output, outputAt, timezone, reason }: AlertData, times: Times): Fact | null {
  if ((output ?? null) === null || outputAt === null) return null;
  const { before, end } = endOfOutput(output!, IN_A_MESSAGE);
  const when = reason === "opened" ? "" : `, of ${times.say(outputAt, timezone)}`;
  const rest = before.length === 0 ? "" : ` (${linesBeforeInWords(before.length)})`;
  return { label: `Its last lines${when}${rest}`, value: end.join("\n") };
}
