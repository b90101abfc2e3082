// Finds in a job's message the one line that says why it failed. Locked phones and lists show that line.

import { MESSAGE_LENGTH } from "../limits.ts";
import { type AlertData, tellsOfTrouble } from "../message/alert.ts";
import { isReported, wasReportRefused } from "../message/alert-state.ts";
import { isInTroubleAgain, isOverSince } from "../message/since.ts";
import { cleanLine, cleanLines } from "../text.ts";
import type { OwnWords } from "./types.ts";

/** The most characters of the line that is shown. A longer one could not be read at a glance. */
const LINE_LENGTH = 200;

/**
 * Matches how a job ended, such as `exit status 1: `. `rollcall run` and its script form write that before the job's
 * last line of output, or alone. It does not say why the job failed.
 */
const ENDING = /^(exit status \d{1,3}|ended by (?:SIG[A-Z0-9+-]+|signal \d{1,3}))(?:: |$)/;

/**
 * The one line of a job's message that says most: its first line, or its last line if the first ends with a colon, as
 * in a traceback. How the job ended, such as `exit status 1`, is put behind that line. `null` when the message is
 * empty, or says only how the job ended.
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

/** The reason that the job gave for a failure or a wrong result, while that trouble goes on; otherwise `null`. */
export function ownWordsOf(data: AlertData): OwnWords | null {
  if (
    !tellsOfTrouble(data.kind) ||
    !isReported(data) ||
    wasReportRefused(data) ||
    isOverSince(data) ||
    isInTroubleAgain(data)
  )
    return null;
  return ownWordsIn(data.failureMessage);
}
