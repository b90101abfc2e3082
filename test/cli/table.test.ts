// Tables for people: columns line up by what is seen, and a cell cannot act on the terminal.

import { expect, test } from "bun:test";
import { formatFacts, formatTable } from "../../src/cli/table.ts";

const PLAIN = { width: null, color: false };

test("columns are as wide as their widest cell, and no line ends in spaces", () => {
  expect(
    formatTable(
      ["ID", "APPLICATION", "SCOPE"],
      [
        ["1", "prod", "all"],
        ["12", "staging", ""],
      ],
      PLAIN,
    ),
  ).toEqual(["ID  APPLICATION  SCOPE", "1   prod         all", "12  staging"]);
});

test("a wide character takes the two columns it is seen in", () => {
  expect(
    formatTable(
      ["NAME", "N"],
      [
        ["日本", "1"],
        ["ab", "2"],
      ],
      PLAIN,
    ),
  ).toEqual(["NAME  N", "日本  1", "ab    2"]);
});

test("a table without rows is its head", () => {
  expect(formatTable(["ID"], [], PLAIN)).toEqual(["ID"]);
});

test("control characters and direction marks in a cell are shown, not obeyed", () => {
  expect(formatTable(["A"], [["x\x1b[2Jy\n\u202e"]], PLAIN)).toEqual(["A", "x\\u001b[2Jy\\u000a\\u202e"]);
});

test("facts stand in two columns; what they say is shown, not obeyed, and a name may be left out", () => {
  expect(
    formatFacts(
      [
        ["key", "a\x1b"],
        ["last report", "never"],
        ["", "more of it"],
      ],
      PLAIN,
    ),
  ).toEqual(["key          a\\u001b", "last report  never", "             more of it"]);
});

test("on a terminal a long word is cut, where it must be, so that every line fits, and no letter is", () => {
  const key = `a-very-long-key-of-a-job-日本語-über-${"👩‍👩‍👧".repeat(10)}`;
  const lines = formatTable(["KEY", "AT", "STATUS"], [[key, "2026-03-02\u00a012:00", "critical"]], {
    width: 60,
    color: false,
  });
  expect(lines.filter((line) => Bun.stringWidth(line) > 60)).toEqual([]);
  expect(lines[1]).toContain("2026-03-02 12:00");
  const cells = lines.slice(1).map((line) => line.split(/ {2,}/)[0]!);
  expect(cells.join("")).toBe(key);
  expect(formatTable(["KEY", "B"], [[key, "b"]], PLAIN)).toHaveLength(2);
});
