// Tables and facts for people, in columns as wide as their widest cell. Machines get JSON instead.

const COLUMN_GAP = "  ";

/** The lines of the table; every row has as many cells as the head. Control characters in a cell are shown, not obeyed. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = [head, ...rows].map((row) => row.map(visible));
  const widths = head.map((_, column) => Math.max(...cells.map((row) => Bun.stringWidth(row[column] ?? ""))));
  return cells.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join(COLUMN_GAP)
      .trimEnd(),
  );
}

/** Facts for people, one a line: the names in one column, what is said of them in the next. */
export function formatFacts(facts: readonly (readonly [name: string, text: string])[]): string[] {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, text]) => `${name.padEnd(width)}${COLUMN_GAP}${visible(text)}`.trimEnd());
}

const pad = (cell: string, width: number): string => cell + " ".repeat(Math.max(0, width - Bun.stringWidth(cell)));

/** A name chosen by a caller must not be able to move the reader's cursor or turn the direction of the line. */
export const visible = (cell: string): string =>
  cell.replace(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
