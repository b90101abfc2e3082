// Writes rows as CSV (RFC 4180), for spreadsheets. Pure.

/**
 * Returns a header line and a line for each row. The columns are the fields of the first row. A list of plain values is
 * joined by commas in one cell; other objects and lists are written as JSON.
 */
export function csvOf(rows: readonly object[]): string {
  if (rows.length === 0) return "";
  const columns = Object.keys(rows[0]!);
  const lines = rows.map((row) => columns.map((column) => cellOf((row as Record<string, unknown>)[column])).join(","));
  return [columns.map(cellOf).join(","), ...lines].map((line) => `${line}\r\n`).join("");
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "object") return csvField(String(value), typeof value === "string");
  const isPlain = Array.isArray(value) && value.every((one) => typeof one !== "object");
  return csvField(isPlain ? value.join(", ") : JSON.stringify(value), true);
}

/** A text like a formula, such as `=1+1`, gets an apostrophe, or a spreadsheet would compute what a job has sent. */
function csvField(text: string, isText: boolean): string {
  const safe = isText && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
