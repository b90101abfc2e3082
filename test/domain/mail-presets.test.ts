// docs/clients.md names the words of every preset for mails. `UPDATE_DOCS=1` writes them.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FAILURE, PRESETS, START, SUCCESS } from "../../src/domain/settings/mail-rule.ts";

const DOCUMENT = join(import.meta.dir, "../../docs/clients.md");
const MARKER = "<!-- mail presets -->\n";

/** The words that presets share stand there once, at `usual`. */
function rowOf([name, words]: readonly [string, string]): string {
  const shared = [FAILURE, START, SUCCESS].reduce((left, list) => left.replace(list, "those of `usual`"), words);
  return `| \`${name}\` | ${name === "usual" ? words : shared} |`;
}

test("R47: docs/clients.md has the words of every preset", () => {
  const table = `\n| Preset | Words |\n|---|---|\n${Object.entries(PRESETS).map(rowOf).join("\n")}\n`;
  const document = readFileSync(DOCUMENT, "utf8");
  const told = document.replace(/<!-- mail presets -->\n(?:\n\|.*(?:\n\|.*)*\n)?/, () => MARKER + table);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(DOCUMENT, told);
  expect(readFileSync(DOCUMENT, "utf8")).toBe(told);
});
