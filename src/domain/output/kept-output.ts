// Selects which of a failing job's last lines are kept (R46): readable, without secrets, and short enough to be read at
// night.

import { MESSAGE_LENGTH } from "../limits.ts";
import { isLongerThan } from "../text.ts";
import { linesIn, readableLines, type Tail } from "./lines.ts";
import { hideSecrets, withoutPrivateKeys } from "./secrets.ts";

/** How many bytes of UTF-8 an output that is kept may have. */
export const OUTPUT_BYTES = 10_000;
/** How many bytes from the end of a body are examined. Secrets are hidden in them before the output is cut. */
export const LOOKED_AT_BYTES = 32 * 1024;
/** How many characters a message that is made of an output may have. It goes to chats and phones. */
export const LINE_LENGTH = 300;

export interface OutputRules {
  readonly keep: boolean;
  /** Hides in one line what the operator's patterns match. */
  readonly hide: (line: string) => string;
}

/** What a failure says. `output` is `null` when the message says everything. */
export type Said = Readonly<{ message: string | null; output: string | null }>;

/** The last lines of a body without secrets; empty when they say nothing. At most `OUTPUT_BYTES` long. */
export const lastOutput = (tail: Tail, hide: OutputRules["hide"]): string =>
  lastOf(linesIn(tail.bytes(), tail.isWhole()), hide, !tail.isWhole());

/**
 * A message without secrets. If it is longer than a message may be, it is kept as an output, provided outputs are kept.
 */
export function saidInMessage(message: string | null, { keep, hide }: OutputRules): Said {
  if (message === null) return { message: null, output: null };
  const text = lastOf(readableLines(message), hide, false);
  if (!isLongerThan(text, MESSAGE_LENGTH)) return { message: text || null, output: null };
  return keep ? saidWith(null, text) : { message: [...text].slice(0, MESSAGE_LENGTH).join(""), output: null };
}

/** A message with the output that came beside it. Without a message the output's last line becomes the message. */
export function saidWith(message: string | null, output: string): Said {
  if (output === "") return { message, output: null };
  const told = message ?? lastLineOfOutput(output);
  return { message: told, output: told === output ? null : output };
}

const lastLineOfOutput = (output: string): string =>
  [...output.slice(output.lastIndexOf("\n") + 1).trim()].slice(0, LINE_LENGTH).join("");

/** The mark that replaces what was cut off before. */
const CUT = "…";

/** As many of the last lines as fit. Secrets are hidden before anything is cut, so that no secret is cut in two. */
function lastOf(lines: readonly string[], hide: OutputRules["hide"], isCut: boolean): string {
  const open = withoutPrivateKeys(lines);
  const shown: string[] = [];
  let room = OUTPUT_BYTES - Buffer.byteLength(`${CUT}\n`);
  for (const line of open.toReversed()) {
    const hidden = hide(hideSecrets(line));
    const size = Buffer.byteLength(hidden) + 1;
    if (size > room && shown.length === 0) return CUT + endWithin(hidden, room);
    if (size > room) break;
    room -= size;
    shown.push(hidden);
  }
  if (shown.length === 0) return "";
  return [...(isCut || shown.length < open.length ? [CUT] : []), ...shown.reverse()].join("\n");
}

/** The end of a line within this many bytes, without a part of a letter. */
const endWithin = (line: string, bytes: number): string =>
  new TextDecoder().decode(new TextEncoder().encode(line).subarray(-bytes)).replace(/^\uFFFD+/, "");
