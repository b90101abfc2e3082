// Finds the reason that a job gave for its trouble, as one line for locked phones and for lists.

import { MESSAGE_LENGTH } from "../limits.ts";
import { type AlertData, isTrouble } from "../message/alert.ts";
import { isOverSince, standsAgain } from "../message/since.ts";
import { cleanLine, cleanLines } from "../text.ts";
import { isRefusal, isReported } from "./alert-state.ts";
import type { OwnWords } from "./types.ts";

/** How many characters a line has at most; a longer one would not be read at one glance. */
const LINE_LENGTH = 200;

/**
 * Matches what `rollcall run` and the script write before a job's last line, or alone. It says how the job ended, not
 * why.
 */
const ENDING = /^(exit status \d{1,3}|ended by (?:SIG[A-Z0-9+-]+|signal \d{1,3}))(?:: |$)/;

/**
 * The most informative line of a message: its first line, or its last line when the first only announces others with a
 * colon, as a traceback does. How the job ended is put after it. `null` when the message says nothing else.
 */
export function ownWordsIn(message: string | null): OwnWords | null {
  const lines = cleanLines(message ?? "", MESSAGE_LENGTH).split("\n");
  const ending = ENDING.exec(lines[0]!)?.[1] ?? null;
  const said = [ending === null ? lines[0]! : lines[0]!.replace(ENDING, ""), ...lines.slice(1)].filter(
    (line) => line.trim() !== "",
  );
  const [first, last] = [said[0], said.at(-1)];
  if (first === undefined || last === undefined) return null;
  const whole = `${first.endsWith(":") ? last : first}${ending === null ? "" : ` (${ending})`}`;
  const line = cleanLine(whole, LINE_LENGTH);
  return { line, isWhole: said.length === 1 && line === cleanLine(whole, MESSAGE_LENGTH) };
}

/**
 * The reason for a failure or a wrong result that still stands. What the job said about older trouble is not its
 * reason.
 */
export function ownWordsOf(data: AlertData): OwnWords | null {
  if (!isTrouble(data.kind) || !isReported(data) || isRefusal(data) || isOverSince(data) || standsAgain(data))
    return null;
  return ownWordsIn(data.failureMessage);
}
