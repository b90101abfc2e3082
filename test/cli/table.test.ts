// Tables for people: columns line up by what is seen, and a cell cannot act on the terminal.

import { expect, test } from "bun:test";
import { formatFacts, formatTable } from "../../src/cli/screens/table.ts";

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
  const lines = formatTable(["MESSAGE", "AT", "STATUS"], [[key, "2026-03-02\u00a012:00", "critical"]], {
    width: 60,
    color: false,
  });
  expect(lines.filter((line) => Bun.stringWidth(line) > 60)).toEqual([]);
  expect(lines[1]).toContain("2026-03-02 12:00");
  const cells = lines.slice(1).map((line) => line.split(/ {2,}/)[0]!);
  expect(cells.join("")).toBe(key);
  expect(formatTable(["KEY", "B"], [[key, "b"]], PLAIN)).toHaveLength(2);
});

test("a key stays whole on a narrow terminal: other columns give way, or the rest of its row is on the next line", () => {
  const head = ["ID", "KEY", "SCHEDULE", "LAST REPORT", "STATUS"];
  const rowOf = (key: string) => [
    "1",
    key,
    "30 2,14 * * 1-5 Europe/Berlin",
    "2026-03-02\u00a012:00 (in 19 h)",
    "critical",
  ];
  const at80 = (...keys: string[]) => formatTable(head, keys.map(rowOf), { width: 80, color: false });
  const fitting = "database-backup-work-more";
  expect(at80(fitting).filter((line) => line.startsWith(`1   ${fitting}  `))).toHaveLength(1);
  const long = `${fitting}-and-a-name-of-its-server`;
  const lines = at80("short", long);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  const place = lines.indexOf(`1   ${long}`);
  expect(place).toBeGreaterThan(0);
  const schedule = lines[0]!.indexOf("SCHEDULE");
  expect(lines[place + 1]!.slice(0, schedule + 2)).toBe(`${" ".repeat(schedule)}30`);
  const longest = "k".repeat(100);
  expect(at80(longest)).toContain(`1   ${longest}`);
});
