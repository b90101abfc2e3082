// Reads the lists in parentheses of an SQL dump: the values of a row, or the parts of a CREATE TABLE.

import type { Value } from "./values.ts";

/** Thrown for text that no dump can have. The message is the end of a sentence, such as `a text has no end`. */
export class Malformed extends Error {}

const MYSQL_ESCAPES: Readonly<Record<string, string>> = { "0": "\0", b: "\b", n: "\n", r: "\r", t: "\t", Z: "\u001a" };

/**
 * Makes a scanner that reads `sql` from its beginning. `escapes` is true for MySQL, where `\n` in a quoted text is a
 * line feed and names may be in backticks.
 */
export function scannerOf(sql: string, escapes: boolean) {
  let at = 0;

  /** Moves behind the next `sign` that is not in a quoted text; returns false when there is none. */
  function skipTo(sign: string): boolean {
    for (; at < sql.length; at++) {
      if (sql[at] === sign) {
        at++;
        return true;
      }
      if (isQuote(sql[at]!)) skipQuoted();
    }
    return false;
  }

  const isQuote = (mark: string): boolean => mark === "'" || mark === '"' || (mark === "`" && escapes);

  function skipQuoted(): void {
    const quote = sql[at]!;
    for (at++; at < sql.length; at++) {
      if (sql[at] === "\\" && escapes) at++;
      else if (sql[at] === quote) {
        if (sql[at + 1] !== quote) return;
        at++;
      }
    }
    throw new Malformed("a text has no end");
  }

  function listTexts(): readonly string[] {
    const parts: string[] = [];
    let from = at;
    for (let depth = 0; at < sql.length; at++) {
      const sign = sql[at]!;
      if (isQuote(sign)) skipQuoted();
      else if (sign === "(") depth++;
      else if (sign === ")" && depth > 0) depth--;
      else if (sign === ")" || (sign === "," && depth === 0)) {
        parts.push(sql.slice(from, at).trim());
        from = at + 1;
        if (sign === ")") {
          at++;
          return parts;
        }
      }
    }
    throw new Malformed("a parenthesis has no end");
  }

  return {
    skipTo,
    skipWord: (word: string): void => {
      const found = new RegExp(`\\s*${word}\\b`, "iy");
      found.lastIndex = at;
      if (found.test(sql)) at = found.lastIndex;
    },
    values: (): readonly Value[] => listTexts().map((text) => writtenValue(text, escapes)),
    listTexts,
  };
}

/**
 * How deep calls such as `replace(…)` may be nested around a text. sqlite3 writes two for a text with both kinds of
 * line ends. More would only cost time.
 */
const CALL_DEPTH_MAX = 2;

function writtenValue(written: string, escapes: boolean, calls = 0): Value {
  const text = written.replace(/^_binary\s*/i, "").replace(/::[\w ]+$/, "");
  if (/^null$/i.test(text)) return null;
  if (/^(?:true|false)$/i.test(text)) return /^true$/i.test(text);
  if (/^[+-]?\d+(?:\.\d+)?$/.test(text)) return text.length > 15 ? BigInt(text.replace(/\..*/, "")) : Number(text);
  const [, hex] = /^(?:x'([0-9a-f]*)'|0x[0-9a-f]+)$/i.exec(text) ?? [];
  if (hex !== undefined || /^0x[0-9a-f]+$/i.test(text)) return Buffer.from(hex ?? text.slice(2), "hex");
  const [, isEscaped, inner] = /^(e?)'([\s\S]*)'$/i.exec(text) ?? [];
  if (inner === undefined) return calledText(text, calls + 1) ?? text;
  const plain = inner.replaceAll("''", "'");
  if (!escapes && isEscaped === "") return plain;
  return plain.replaceAll(/\\([\s\S])/g, (_, letter: string) => MYSQL_ESCAPES[letter] ?? letter);
}

/**
 * Reads a text of several lines, which sqlite3 writes as a call: `replace('a\nb','\n',char(10))` or
 * `unistr('a\u000ab')`. Returns `null` when `written` is no such call.
 */
function calledText(written: string, calls: number): string | null {
  const [, name, inner] = /^(replace|unistr)\(([\s\S]*\))$/i.exec(written) ?? [];
  if (name === undefined) return null;
  if (calls > CALL_DEPTH_MAX) throw new Malformed(`more than ${CALL_DEPTH_MAX} calls stand in each other`);
  const [text, mark, sign] = scannerOf(inner!, false).listTexts();
  const plain = String(writtenValue(text!, false, calls));
  if (/^u/i.test(name))
    return plain.replaceAll(/\\(?:u([\da-f]{4})|\\)/gi, (_, code?: string) => signOf(code, 16) ?? "\\");
  const replaced = signOf(/^char\((\d{1,7})\)$/.exec(sign ?? "")?.[1], 10);
  if (replaced === null) return null;
  const sought = String(writtenValue(mark!, false, calls));
  return sought === "" ? plain : plain.replaceAll(sought, () => replaced);
}

const signOf = (code: string | undefined, base: number): string | null =>
  code === undefined ? null : String.fromCharCode(Number.parseInt(code, base));
