// The check of docs/contract.md's table against reports of Bun's own making and tables with a planted fault each: it must
// find every one.

import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readReport, type TestResult } from "./proofs-report.ts";
import { judge, readTable, subjectsOf } from "./proofs-table.ts";

/** What the runner of this very Bun reports of a test file. */
function reportOf(source: string): string {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-proofs-"));
  try {
    writeFileSync(join(folder, "sample.test.ts"), `import { describe, test } from "bun:test";\n${source}`);
    const command = [process.execPath, "test", "--reporter=junit", "--reporter-outfile=report.xml"];
    Bun.spawnSync(command, { cwd: folder, stdout: "ignore", stderr: "ignore" });
    return readFileSync(join(folder, "report.xml"), "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("a report", () => {
  const xml = reportOf(`
    describe("a > b & <c>", () => {
      describe('"d" \\'e\\' \\n ü 😀', () => {
        test("passes", () => {});
        test("fails", () => { throw new Error("]]> <testcase> &amp;"); });
      });
      test.concurrent("beside", async () => {});
      test.each([1, 2])("each %d", () => {});
    });
    describe.skip("left out", () => { test("in it", () => {}); });
    test.todo("to be written");
    describe("unready", () => {
      require("bun:test").beforeAll(() => { throw new Error("no"); });
      test("never runs", () => {});
    });
  `);

  test("is read with every name as it was written, and how each test ended", () => {
    expect(readReport(xml).map(({ name, outcome }) => `${outcome} ${name}`)).toEqual([
      "passed a > b & <c> > \"d\" 'e' \n ü 😀 > passes",
      "failed a > b & <c> > \"d\" 'e' \n ü 😀 > fails",
      "passed a > b & <c> > beside",
      "passed a > b & <c> > each 1",
      "passed a > b & <c> > each 2",
      "skipped left out > in it",
      "skipped to be written",
      "failed unready > (unnamed)",
    ]);
    expect(new Set(readReport(xml).map(({ file }) => file))).toEqual(new Set(["sample.test.ts"]));
  });

  test.each([
    ["breaks off", xml.slice(0, xml.lastIndexOf("</testsuite>"))],
    ["has lost a test", xml.replace(/<testcase name="beside".*\/>/, "")],
    ["closes what is not open", xml.replace("</testsuite>", "</testcase>")],
    ["has an element nobody knows", xml.replace("<skipped", "<errored")],
    ["is empty", ""],
  ])("that %s is refused", (_what, broken) => {
    expect(() => readReport(broken)).toThrow("the report");
  });
});

const DECISIONS = "## Names\n\n### R1 Codes\n\n### R2 Keys\n";
const contractWith = (...rows: readonly string[]): string =>
  [
    "# C",
    "",
    "## Reports",
    "",
    "### Sync: `POST`",
    "",
    "| a | b |",
    "|---|---|",
    "| no | row |",
    "",
    "## What proves it",
  ]
    .concat("", "| Where | Rule | Proved by |", "|---|---|---|", ...rows, "")
    .join("\n");

const passed = (name: string, file = "test/a.test.ts"): TestResult => ({ file, name, outcome: "passed" });
const OTHERS = ["| Sync | s | not built yet |", "| R1 | one | `one` |", "| R2 | two | `one` |"];

/** The faults of a contract whose row of Reports is proved so. */
function faultsWith(proved: string, ...results: readonly TestResult[]): readonly string[] {
  const contract = contractWith(`| Reports | they are | ${proved} |`, ...OTHERS);
  const { faults } = judge(readTable(contract), subjectsOf(contract, DECISIONS), [passed("one"), ...results]);
  return faults;
}

describe("a rule is proved", () => {
  test.each([
    ["by its test", "`a title`", [passed("a title")]],
    ["by a test in a describe block", "`a > b`", [passed("x > a > b")]],
    ["by a describe block as a whole", "`a`", [passed("a > b"), passed("a > c"), passed("x > a > d")]],
    ["by every test whose name begins so", "`a > b…`", [passed("a > bc"), passed("a > bd")]],
    ["by several tests", "`a`; `b`", [passed("a"), passed("b", "test/b.test.ts")]],
    ["by a test whose file is named", "`a` in `test/a.test.ts`", [passed("a"), passed("a", "test/b.test.ts")]],
    ["by a title with pipes and backticks", "`` `a` \\| b ``", [passed("`a` | b")]],
  ] as const)("%s", (_how, proved, results) => {
    expect(faultsWith(proved, ...results)).toEqual([]);
  });
});

describe("a fault is found:", () => {
  test.each([
    ["no such test", "`a`", [passed("ab"), passed("b > a b")], "no such test ran: a"],
    [
      "another file's test",
      "`a` in `test/a.test.ts`",
      [passed("a", "test/b.test.ts")],
      "no such test ran: a in test/a",
    ],
    ["a test that was left out", "`a`", [{ ...passed("a"), outcome: "skipped" }], "skipped: a"],
    ["a test that failed", "`a`", [{ ...passed("a"), outcome: "failed" }], "failed: a"],
    ["one failure in a block", "`a`", [passed("a > b"), { ...passed("a > c"), outcome: "failed" }], "failed: a > c"],
    ["a name in two files", "`a`", [passed("a"), passed("a", "test/b.test.ts")], "is in several files"],
    ["one of several that is missing", "`a`; `b`", [passed("a")], "no such test ran: b"],
  ] as const)("%s", (_what, proved, results, fault) => {
    const faults = faultsWith(proved, ...(results as readonly TestResult[]));
    expect(faults).toEqual([expect.stringContaining(fault)]);
    expect(faults[0]).toStartWith("Reports: they are\n");
  });

  test("a heading or a decision without a row, and a row without either", () => {
    const contract = contractWith("| Reports | they are | `one` |", "| Report | misspelt | `one` |");
    expect(judge(readTable(contract), subjectsOf(contract, DECISIONS), [passed("one")]).faults).toEqual([
      "Sync: has no row",
      "R1: has no row",
      "R2: has no row",
      "Report: is neither a heading of the contract nor a decision",
    ]);
  });

  test.each([
    ["a proof that is no title", "| Reports | they are | see the tests |", "neither a test's title"],
    ["a rule without a proof", "| Reports | they are | |", "has not three cells"],
    ["a row of four cells", "| Reports | they are | `a` | `b` |", "has not three cells"],
  ])("%s cannot be read", (_what, row, error) => {
    expect(() => readTable(contractWith(row))).toThrow(error);
  });

  test("a contract without the table cannot be read", () => {
    expect(() => readTable("# C\n\n## What proves it\n")).toThrow("no table");
    expect(() => readTable("# C\n\n## Reports\n")).toThrow("no section");
  });
});

test("what is not built yet is counted, and proves nothing", () => {
  const rules = readTable(contractWith("| Reports | they are | `one` |", ...OTHERS));
  expect(judge(rules, ["Reports", "Sync", "R1", "R2"], [passed("one")])).toEqual({ faults: [], proved: 3, unbuilt: 1 });
});
