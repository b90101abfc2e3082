// Lays out tables, facts and a job's output for a terminal. A column is as wide as its widest cell; if the screen is
// too narrow, cells are broken between words.

import { endOfOutput } from "../../domain/output/kept-output.ts";
import { visibleText } from "../../domain/text.ts";
import { linesBeforeInWords } from "../../domain/wording/output.ts";
import { type Io, REFUSED, type Terminal } from "../io.ts";
import { painted } from "./color.ts";
import { unbroken, unbrokenPiecesOf, withPlainSpaces } from "./spoken.ts";

const COLUMN_GAP = "  ";

/**
 * Returns the lines of a table. Control characters in cells are made visible, so that the terminal does not obey them.
 */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { width, color }: Terminal,
): string[] {
  const cells = [head, ...rows].map((row) => row.map(visibleText));
  const names = head.map((name) => NAMING.has(name));
  const widths = columnWidths(cells, names, width);
  return cells.flatMap((row, place) => {
    const paint = (line: string, column: number): string =>
      color && place > 0 ? painted(head[column] ?? "", row[column] ?? "", line) : line;
    const columns = row.map((cell, column) =>
      names[column] ? [cell] : wrap(cell, widths[column] ?? 0).flatMap((line) => wrappedLine(line, widths[column]!)),
    );
    return tableParts(columns, widths).flatMap((part) =>
      Array.from({ length: Math.max(...part.map((lines) => lines.length)) }, (_, line) =>
        joinedColumns(
          part.map((lines, column) => padded(lines[line] ?? "", widths[column] ?? 0, (text) => paint(text, column))),
        ),
      ),
    );
  });
}

/** The heads of columns from which people copy names into their next command. Their cells are never broken. */
const NAMING = new Set(["APPLICATION", "DESTINATION", "ID", "KEY", "MONITOR", "RUN ID"]);

/**
 * Splits a row into parts that are printed below each other. After a name that is too wide for its column, the other
 * cells go on the next line, each in its column.
 */
function tableParts(columns: readonly string[][], widths: readonly number[]): string[][][] {
  const parts: string[][][] = [];
  let part: string[][] = [];
  columns.forEach((lines, column) => {
    part.push(lines);
    const isWider = lines.some((line) => widthOf(line) > widths[column]!);
    if (!isWider && column < columns.length - 1) return;
    parts.push(part);
    part = Array.from({ length: column + 1 }, () => []);
  });
  return parts;
}

export type TableRow = Readonly<Record<string, string>>;

/**
 * Returns the lines of a table. With `leavesOutEmpty`, columns that have only dashes are left out, since the other
 * columns need their room.
 */
export function formatRows(rows: readonly TableRow[], terminal: Terminal, leavesOutEmpty = false): string[] {
  const columns = Object.keys(rows[0] ?? {});
  const shownColumns = leavesOutEmpty ? columns.filter((column) => rows.some((row) => row[column] !== "-")) : columns;
  return formatTable(
    shownColumns,
    rows.map((row) => shownColumns.map((column) => row[column]!)),
    terminal,
  );
}

/**
 * Returns the cell with the application's name; nothing when there is only one application, since lists then have no
 * such column.
 */
export const ownerCell = ({ onlyApplication }: { readonly onlyApplication: boolean }, name: string): TableRow =>
  onlyApplication ? {} : { APPLICATION: name };

export type FactLine = readonly [name: string, text: string];

export function formatFacts(facts: readonly FactLine[], { width, color }: Terminal): string[] {
  const names = Math.max(...facts.map(([name]) => name.length));
  const room = width === null ? Number.POSITIVE_INFINITY : width - names - COLUMN_GAP.length;
  return facts.flatMap(([name, text]) =>
    wrap(visibleText(text), room).map((line, place) =>
      joinedColumns([(place === 0 ? name : "").padEnd(names), color ? painted(name, text, line) : line]),
    ),
  );
}

/** Breaks a sentence between words into lines that fit the terminal. */
export const formatText = (text: string, width: number | null): string[] =>
  wrap(visibleText(text), width ?? Number.POSITIVE_INFINITY).map((line) => joinedColumns([line]));

/** How many characters a word may have to stay whole on a narrow screen: times, commands and most keys are shorter. */
const WHOLE = 24;

/**
 * Returns the widths of the columns. On a narrow screen the widest columns shrink first, down to their longest word. If
 * that is not enough, long words are cut too. Last, columns of names become narrower than a name. A name that takes
 * over half a line makes no other column narrower.
 */
function columnWidths(
  cells: readonly (readonly string[])[],
  names: readonly boolean[],
  width: number | null,
): number[] {
  const columns = (cells[0] ?? []).map((_, column) => cells.map((row) => row[column] ?? ""));
  const widths = columns.map((column) => Math.max(...column.map(widthOf)));
  if (width === null) return widths;
  const room = width - COLUMN_GAP.length * (columns.length - 1);
  const whole = widths.map((each) => (each > room / 2 ? WHOLE : each));
  const longest = columns.map((column, place) =>
    names[place] ? whole[place]! : Math.max(...column.flatMap((cell) => unbrokenPiecesOf(cell).map(widthOf))),
  );
  shrink(widths, longest, room);
  const least = longest.map((each) => Math.min(each, WHOLE));
  shrink(
    widths,
    least.map((each, place) => (names[place] ? whole[place]! : each)),
    room,
  );
  shrink(widths, least, room);
  return widths;
}

function shrink(widths: number[], least: readonly number[], room: number): void {
  while (widths.reduce((sum, each) => sum + each, 0) > room) {
    const yielding = widths.map((each, column) => (each > least[column]! ? each : 0));
    const widest = Math.max(...yielding);
    if (widest === 0) return;
    widths[yielding.indexOf(widest)]! -= 1;
  }
}

/** Breaks a line at any place, but never inside a letter with its accents. */
function wrappedLine(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const lines = [""];
  for (const { segment } of LETTERS.segment(line)) {
    if (widthOf(lines.at(-1)! + segment) > width && lines.at(-1) !== "") lines.push("");
    lines[lines.length - 1] += segment;
  }
  return lines;
}

const LETTERS = new Intl.Segmenter();

function wrap(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const piece of unbrokenPiecesOf(text)) {
    if (line !== "" && widthOf(line + piece) > width) {
      lines.push(line.trimEnd());
      line = "";
    }
    line += piece;
  }
  return [...lines, line];
}

const joinedColumns = (columns: readonly string[]): string => withPlainSpaces(columns.join(COLUMN_GAP)).trimEnd();

const widthOf = (text: string): number => Bun.stringWidth(text.trimEnd());

const padded = (text: string, width: number, paint: (text: string) => string): string =>
  paint(text) + " ".repeat(Math.max(0, width - widthOf(text)));

/** Prints a sentence on stderr, broken between words. The terminal itself would break it inside words. */
export function say(io: Io, text: string): void {
  for (const line of formatText(asTyped(text, io), io.width)) io.err(line);
}

/** Replaces each command in backticks by what the reader must type here, such as `sudo -u rollcall rollcall status`. */
const asTyped = (text: string, { typed }: Pick<Io, "typed">): string =>
  typed === undefined
    ? text
    : text.replace(/`rollcall ([^`]+)`/g, (_, words: string) => unbroken(`\`${typed(words)}\``));

export function sayRefused(io: Io, text: string, exitCode = REFUSED): number {
  say(io, text);
  return exitCode;
}

/** How many lines of a job's output are shown; `--json` prints all. */
const LINES_SHOWN = 20;

/**
 * Returns the last lines that a failing job wrote (R46), none of which is broken. If there are more, a line before them
 * says how many are left out.
 */
export function printedOutputLines(output: string): string[] {
  const { before, end } = endOfOutput(output, LINES_SHOWN);
  const rest = before.length === 0 ? [] : [`(${linesBeforeInWords(before.length)}; --json has them)`];
  return [...rest, ...end.map((line) => unbroken(`| ${line.replaceAll("\t", "    ")}`))];
}
