// docs/clients.md names the words of every preset for mails, and docs/mails.md what each mail means that we tried.
// `UPDATE_DOCS=1` writes both.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FAILURE, PRESETS, START, SUCCESS, UNCLEAR } from "../../src/domain/mail/mail-rule.ts";
import { MAILS } from "./mail-table.ts";

const DOCUMENT = join(import.meta.dir, "../../docs/clients.md");
const MARKER = "<!-- mail presets -->\n";

/** The words that presets share stand there once, at `usual`. */
function rowOf([name, words]: readonly [string, string]): string {
  const shared = [FAILURE, START, UNCLEAR, SUCCESS].reduce(
    (left, list) => left.replace(list, "those of `usual`"),
    words,
  );
  return `| \`${name}\` | ${name === "usual" ? words : shared} |`;
}

test("R47: docs/clients.md has the words of every preset", () => {
  const table = `\n| Preset | Words |\n|---|---|\n${Object.entries(PRESETS).map(rowOf).join("\n")}\n`;
  const document = readFileSync(DOCUMENT, "utf8");
  const told = document.replace(/<!-- mail presets -->\n(?:\n\|.*(?:\n\|.*)*\n)?/, () => MARKER + table);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(DOCUMENT, told);
  expect(readFileSync(DOCUMENT, "utf8")).toBe(told);
});

const VERDICTS = join(import.meta.dir, "../../docs/mails.md");

/** More of a text is shown by its first line. */
const TEXT_SHOWN = 60;

const inCell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("<", "&lt;");

const firstLine = (text: string): string => {
  const line =
    text
      .split("\n")
      .find((each) => each.trim() !== "")
      ?.trim() ?? "";
  const isAll = line.length <= TEXT_SHOWN && text.trim() === line;
  return isAll ? line : `${line.slice(0, TEXT_SHOWN)}…`;
};

test("R47: docs/mails.md has each mail that was tried, and what it means", () => {
  const parts = Object.entries(MAILS).map(([preset, mails]) => {
    const rows = mails.map(
      ([subject, text, meaning]) => `| ${inCell(subject)} | ${inCell(firstLine(text))} | ${meaning} |`,
    );
    return `## \`${preset}\`\n\n| Subject | Text | Meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  const told = `# What mails mean

These are mails as programs and devices write them. Each table has the mails that were tried under one preset of
[\`mail_rule\`](clients.md#devices-that-only-send-mail), and what each of them means there. A mail that is \`unclear\` says
neither success nor failure: people are told of it, and it closes no incident. Of longer texts the first line stands here.

${parts.join("\n")}`;
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(VERDICTS, told);
  expect(readFileSync(VERDICTS, "utf8")).toBe(told);
});
