// What proves the contract, derived from reports of Bun's own making and from small contracts with a planted fault
// each: every one must be found.

import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { documentOf, faultsIn, proofsOf, subjectsOf } from "./proofs-document.ts";
import { readReport, type TestResult } from "./proofs-report.ts";

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

const CONTRACT = "# C\n\n## Reports\n\n### The words\n\n## Bulk sync: `POST`\n\n## What proves it\n";
const DECISIONS = "## Names\n\n### R10 Lengths\n\n### R2 Keys\n";
const subjects = subjectsOf(CONTRACT, DECISIONS);

const passed = (name: string, file = "test/a.test.ts"): TestResult => ({ file, name, outcome: "passed" });
const ALL = [passed("a", "test/contract/reports.test.ts"), passed("Bulk sync, version 1 > b"), passed("R2, R10: c")];

/** Of each proof: what it proves, and the level that says so. */
const provedBy = (...results: readonly TestResult[]): string[] =>
  proofsOf(subjects, results).map(({ subject, name, outcome }) => `${subject} by ${name}, ${outcome}`);

const faultsOf = (ran: readonly TestResult[]): readonly string[] => faultsIn(subjects, proofsOf(subjects, ran));

test("what must be proved is each section that states rules, and each decision by its number", () => {
  expect(subjects).toEqual([
    { name: "Reports", title: "" },
    { name: "Bulk sync", title: "" },
    { name: "R2", title: "Keys" },
    { name: "R10", title: "Lengths" },
  ]);
});

describe("a test proves", () => {
  test.each([
    ["a decision that its title names", [passed("a > R2: b")], ["R2 by R2: b, passed"]],
    ["every decision that it names", [passed("R2, R10: a")], ["R10 by R2, R10: a, passed", "R2 by R2, R10: a, passed"]],
    ["what the block around it names, once", [passed("R2: a > b"), passed("R2: a > R2: c")], ["R2 by R2: a, passed"]],
    ["the section of its file", [passed("a > b", "test/contract/reports.test.ts")], ["Reports by a, passed"]],
    ["that of a slow one", [passed("a > b", "test/contract/reports.slow.test.ts")], ["Reports by a, passed"]],
    ["that below its version", [passed("version 1 > a", "test/contract/reports.test.ts")], ["Reports by a, passed"]],
    ["the section it begins with", [passed("a > Reports: b")], ["Reports by Reports: b, passed"]],
    ["no section whose name it only contains", [passed("all Reports"), passed("Reportsmanship")], []],
    ["nothing where it names nothing", [passed("a > b", "test/reports.test.ts")], []],
  ] as const)("%s", (_what, results, expected) => {
    expect(provedBy(...results)).toEqual([...expected]);
  });

  test("no more than the worst test in a block does", () => {
    const skipped: TestResult = { ...passed("R2: a > c"), outcome: "skipped" };
    expect(provedBy(passed("R2: a > b"), skipped)).toEqual(["R2 by R2: a, skipped"]);
    expect(provedBy({ ...skipped, outcome: "failed" }, skipped)).toEqual(["R2 by R2: a, failed"]);
  });
});

describe("a fault is found:", () => {
  test("none where each has a test that passed", () => expect(faultsOf(ALL)).toEqual([]));

  test.each([
    ["a section without a test", ALL.slice(1), "Reports: no test that names it has passed"],
    ["a decision without a test", ALL.slice(0, 2), "R2: no test that names it has passed"],
    ["one whose only test was left out", [...ALL.slice(1), { ...ALL[0]!, outcome: "skipped" }], "Reports: no test"],
    [
      "a test that failed beside one that passed",
      [...ALL, { ...passed("R2: d"), outcome: "failed" }],
      "R2: failed: R2: d",
    ],
    ["a decision that does not exist", [...ALL, passed("R3: d")], "R3: is no decision, but test/a.test.ts names it"],
  ] as const)("%s", (_what, ran, fault) => {
    expect(faultsOf(ran)).toContainEqual(expect.stringContaining(fault));
  });
});

test("the document lists each subject with its files and tests, odd characters too", () => {
  const proofs = proofsOf(subjects, [...ALL, passed("R2: `d`\n é | e", "test/a.slow.test.ts")]);
  expect(documentOf(subjects, proofs)).toEndWith(`
## R2 Keys

- \`test/a.slow.test.ts\`
  - \`\` R2: \`d\` é | e \`\`
- \`test/a.test.ts\`
  - \`R2, R10: c\`

## R10 Lengths

- \`test/a.test.ts\`
  - \`R2, R10: c\`
`);
});
