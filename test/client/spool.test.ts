// What the client keeps, what it says of its age, and what it takes from people and jobs.

import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLastWords } from "../../src/client/last-words.ts";
import { ageSeconds, momentAt } from "../../src/client/moment.ts";
import { readOutcome, readOutcomes } from "../../src/client/outcomes.ts";
import { type Report, requestOf, type Server } from "../../src/client/report.ts";
import { openSpool } from "../../src/client/spool.ts";

const SERVER: Server = { url: "https://cron.example.org", key: "ck_app_prod_secret", authority: null };

const reportAt = (wall: number, id: string): Report => ({
  monitor: "a/b ä",
  kind: "fail",
  parameters: { run_id: "r", message: "a & b" },
  outcomes: null,
  idempotencyKey: id,
  happened: { wall, boot: null, uptime: null },
});

describe("the spool", () => {
  test("gives back what it was given, oldest first, and nothing that is none of its files", () => {
    const directory = join(mkdtempSync(join(tmpdir(), "spool-")), "new");
    const spool = openSpool(directory, SERVER);
    expect(spool.waiting()).toEqual([]);
    const reports = [reportAt(3_000, "c"), reportAt(1_000, "a"), reportAt(2_000, "b")];
    for (const report of reports) spool.keep(report);
    for (const [name, text] of [
      ["000000000000001-x.json", "{"],
      ["000000000000002-y.json", "null"],
      ["notes.txt", "x"],
    ])
      writeFileSync(join(directory, name!), text!);
    expect(spool.waiting().map(({ report }) => report.idempotencyKey)).toEqual(["a", "b", "c"]);
    expect(spool.waiting()[0]!.report).toEqual(reports[1]!);
    spool.waiting()[0]!.remove();
    expect(spool.waiting()).toHaveLength(2);
    expect(openSpool(directory, { ...SERVER, key: "ck_app_prod_other" }).waiting()).toEqual([]);
    expect(openSpool(directory, { ...SERVER, url: "https://other.example.org" }).others()).toBe(2);
    rmSync(directory, { recursive: true });
  });
});

describe("a report's age", () => {
  const HOUR = 3_600_000;

  test("is that of the machine since its start, although its clock was set meanwhile", () => {
    const then = { wall: 50 * HOUR, boot: "one", uptime: 10 * HOUR };
    expect(ageSeconds(then, { wall: 2 * HOUR, boot: "one", uptime: 13 * HOUR })).toBe(3 * 3_600);
    expect(ageSeconds(then, { wall: 51 * HOUR, boot: "two", uptime: 60_000 })).toBe(3_600);
    expect(ageSeconds(then, { wall: 49 * HOUR, boot: "two", uptime: 60_000 })).toBe(0);
  });

  test("stands in its request, but for one that has just happened", () => {
    const fresh = requestOf(reportAt(1_000, "a"), SERVER, { wall: 1_999, boot: null, uptime: null }, "agent");
    const late = requestOf(reportAt(1_000, "a"), SERVER, { wall: 7_201_000, boot: null, uptime: null }, "agent");
    expect(fresh.url).toBe("https://cron.example.org/api/v1/ping/a%2Fb%20%C3%A4/fail?run_id=r&message=a+%26+b");
    expect(new URL(late.url).searchParams.get("age")).toBe("7200");
    expect(fresh.url).not.toContain("secret");
    expect(fresh.headers.get("authorization")).toBe(`Basic ${btoa("ck_app_prod_secret:")}`);
  });

  test("of this machine is read from it", () => {
    const { boot, uptime } = momentAt(0);
    expect([boot?.length, typeof uptime]).toEqual([36, "number"]);
  });
});

describe("outcomes as people write them", () => {
  test.each([
    ["rows=12", ["rows", 12]],
    [" rows = -1.5e3 ", ["rows", -1_500]],
    ["verified=true", ["verified", true]],
    ["verified=false", ["verified", false]],
    ["rows=", null],
    ["=1", null],
    ["Rows=1", null],
    ["rows=ten", null],
    ["rows=NaN", null],
    ["rows=Infinity", null],
    ["a b=1", null],
  ])("%s", (text, expected) => expect<unknown>(readOutcome(text)).toEqual(expected));

  test("a file has one on each line; comments and empty lines are left out", () => {
    expect(readOutcomes("# all\n\nrows=1\r\nbad\nrows=2\n")).toEqual({ outcomes: { rows: 2 }, faults: ["bad"] });
  });
});

describe("a job's last words", () => {
  test.each([
    ["one\ntwo\n", "two"],
    ["one\r\n\r\n  \n", "one"],
    ["\u001B[1;31mred\u001B[0m\n", "red"],
    ["10 %\r20 %\rdisk full", "disk full"],
    ["\0\u0007\n", null],
    ["", null],
  ])("of %j: %j", (text, expected) => {
    const passed: Uint8Array[] = [];
    const words = createLastWords((piece) => void passed.push(piece));
    for (const byte of Buffer.from(text)) words.passOn(Uint8Array.of(byte));
    expect(words.line()).toBe(expected);
    expect(Buffer.concat(passed).toString()).toBe(text);
  });

  test("are cut after 500 characters, and are those of the end however much came before", () => {
    const words = createLastWords(() => {});
    words.passOn(Buffer.from(`${"x".repeat(100_000)}\n${"😀".repeat(600)}`));
    expect([...words.line()!]).toHaveLength(500);
  });
});
