// Selects what is kept of a failing job's output (R46): its last lines, readable, short and without secrets.

import { MESSAGE_LENGTH } from "../limits.ts";
import { isLongerThan } from "../text.ts";
import { linesIn, readableLines, type Tail } from "./lines.ts";
import { hideSecrets, withoutPrivateKeys } from "./secrets.ts";

/** The longest output that is kept, in bytes of UTF-8. */
export const OUTPUT_BYTES = 10_000;
/**
 * How many bytes from the end of a body are read: more than is kept, because secrets are hidden before the output is
 * cut.
 */
export const LOOKED_AT_BYTES = 32 * 1024;
/** The longest message that is made of an output's last line, in characters. Messages go to chats and phones. */
export const LINE_LENGTH = 300;

export interface OutputRules {
  readonly keep: boolean;
  /** Replaces in one line what the operator's patterns match by `***`. */
  readonly hide: (line: string) => string;
}

/**
 * What a failing job said. `message` is `null` when it said nothing; `output` is `null` when the message says it all.
 */
export type Said = Readonly<{ message: string | null; output: string | null }>;

/** The last lines of a body, without secrets and at most `OUTPUT_BYTES` long. Empty when there is no readable text. */
export const lastOutput = (tail: Tail, hide: OutputRules["hide"]): string =>
  lastOf(linesIn(tail.bytes(), tail.isWhole()), hide, !tail.isWhole());

/**
 * The message of a fail, without secrets. A message of over 1,000 characters becomes an output, or is cut when no
 * outputs are kept.
 */
export function saidInMessage(message: string | null, { keep, hide }: OutputRules): Said {
  if (message === null) return { message: null, output: null };
  const text = lastOf(readableLines(message), hide, false);
  if (!isLongerThan(text, MESSAGE_LENGTH)) return { message: text || null, output: null };
  return keep ? saidWith(null, text) : { message: [...text].slice(0, MESSAGE_LENGTH).join(""), output: null };
}

/** Combines a message with the output beside it. Without a message, the last line of the output becomes the message. */
export function saidWith(message: string | null, output: string): Said {
  if (output === "") return { message, output: null };
  const told = message ?? lastLineOfOutput(output);
  return { message: told, output: told === output ? null : output };
}

const lastLineOfOutput = (output: string): string =>
  [...output.slice(output.lastIndexOf("\n") + 1).trim()].slice(0, LINE_LENGTH).join("");

const CUT = "…";

/** The last lines that fit into `OUTPUT_BYTES`. Secrets are hidden first, because half a secret is not recognised. */
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

/** The last `bytes` bytes of a line, without a torn character at their beginning. */
const endWithin = (line: string, bytes: number): string =>
  new TextDecoder().decode(new TextEncoder().encode(line).subarray(-bytes)).replace(/^\uFFFD+/, "");

/** Splits an output: `end` has its last lines, `most` at most, and `before` all lines before those. */
export function endOfOutput(output: string, most: number) {
  const lines = output.split("\n");
  const from = Math.max(0, lines.length - most);
  return { before: lines.slice(0, from), end: lines.slice(from) };
}
