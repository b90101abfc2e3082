// Reads an environment file as systemd reads its EnvironmentFile, so that one file serves both. A fault never quotes a
// line, which may hold a secret. node, Bun and dotenv cannot do it: they cut a value at #, read other escapes, silently
// skip wrong lines and know no line numbers.

import { type Fault, faultAt } from "./fault.ts";

export interface FileVariable {
  readonly name: string;
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

export interface EnvFile {
  readonly variables: readonly FileVariable[];
  readonly faults: readonly Fault[];
}

/** The text still to read. */
interface Reader {
  readonly text: string;
  at: number;
}

/**
 * `NAME=value` lines. Lines that begin with `#` or `;` are comments. A value may be in single quotes (taken as it is)
 * or double quotes (`\` escapes `"`, `\`, `` ` `` and `$`), over several lines; without quotes `\` escapes the next
 * character and white space at both ends is dropped. A `\` at the end of a line joins the next one to it.
 */
export function parseEnvFile(text: string, file: string): EnvFile {
  const variables: FileVariable[] = [];
  const faults: Fault[] = [];
  const reader: Reader = { text: text.replace(/^\uFEFF/, "").replace(/\r\n/g, "\n"), at: 0 };
  const complain = (line: number, what: string, rule: string) =>
    faults.push(faultAt({ file, line }, ["variable"], what, rule));

  while (take(reader, /\s*/y) !== null && reader.at < reader.text.length) {
    const line = lineAt(reader);
    if (take(reader, /[#;].*/y) !== null) continue;
    const name = take(reader, /([A-Za-z_][A-Za-z0-9_]*)[ \t]*=/y)?.[1];
    if (name === undefined) {
      take(reader, /.*/y);
      complain(line, "is not NAME=value", "must be a name of letters, digits and _, then = and the value");
      continue;
    }
    const value = takeValue(reader);
    if (value === null) complain(line, `${name} has a quote that is never closed`, "must be closed by the same quote");
    else variables.push({ name, text: value, line });
  }
  return { variables, faults };
}

/** Everything up to the end of the line: quoted parts joined, then the unquoted rest; null: an open quote. */
function takeValue(reader: Reader): string | null {
  let value = "";
  for (;;) {
    take(reader, /(?:[ \t]|\\\n)*/y);
    const single = take(reader, /'([^']*)'/y);
    const double = take(reader, /"((?:[^"\\]|\\[\s\S])*)"/y);
    if (single !== null) value += single[1] ?? "";
    if (double !== null) value += (double[1] ?? "").replace(/\\([\s\S])/g, inDoubleQuotes);
    if (single === null && double === null) break;
  }
  if (/["']/.test(reader.text[reader.at] ?? "")) {
    reader.at = reader.text.length;
    return null;
  }
  const bare = take(reader, /((?:[^\\\n]|\\[\s\S]|\\$)*?)[ \t]*(?=\n|$)/y)?.[1] ?? "";
  return value + bare.replace(/\\([\s\S])/g, (_, character: string) => (character === "\n" ? "" : character));
}

function inDoubleQuotes(written: string, character: string): string {
  if (character === "\n") return "";
  return '"\\`$'.includes(character) ? character : written;
}

function take(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const match = pattern.exec(reader.text);
  if (match !== null) reader.at = pattern.lastIndex;
  return match;
}

const lineAt = (reader: Reader): number => reader.text.slice(0, reader.at).split("\n").length;
