// Lists as CSV: what a spreadsheet reads is what there was, and nothing of it computes.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { csvOf } from "../../src/domain/csv.ts";
import { propertyRuns } from "../support/property-runs.ts";

test("has a column for each field; an empty list has none", () => {
  const rows = [
    { id: 1, message: 'disk "sda" full, again', causes: ["missed", "failed"], closedAt: null, by: { name: "Ada" } },
    { id: 2, message: "=HYPERLINK(1)\nnext", causes: [], closedAt: -3, by: null },
  ];
  expect(csvOf(rows)).toBe(
    [
      "id,message,causes,closedAt,by",
      '1,"disk ""sda"" full, again","missed, failed",,"{""name"":""Ada""}"',
      `2,"'=HYPERLINK(1)\nnext",,-3,`,
      "",
    ].join("\r\n"),
  );
  expect(csvOf([])).toBe("");
});

/** As RFC 4180 has it. */
function readCsv(text: string): string[][] {
  const cells = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)];
  const rows: string[][] = [[]];
  for (const [, inQuotes, plain, end] of cells) {
    rows.at(-1)!.push(inQuotes === undefined ? plain! : inQuotes.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}

test("any text comes back as it was, but for the apostrophe before what would be a formula", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.string()), { minLength: 1 }), (pairs) => {
      const [, ...rows] = readCsv(csvOf(pairs.map(([a, b]) => ({ a, b }))));
      const meant = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
      expect(rows).toEqual(pairs.map((pair) => pair.map(meant)));
    }),
    propertyRuns(300),
  );
});
