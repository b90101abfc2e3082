// What the client keeps, what it says of its age, and what it takes from people and jobs.

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ageSeconds, clientMomentAt } from "../../src/client/client-moment.ts";
import { type Report, type ReportServer, requestOf } from "../../src/client/client-report.ts";
import { sendWaitingReports } from "../../src/client/flush.ts";
import { readOutcomeOption, readOutcomeOptions } from "../../src/client/options.ts";
import type { Sent } from "../../src/client/send.ts";
import { openSpool } from "../../src/client/spool.ts";
import { createLastWords } from "../../src/client/stderr.ts";

const SERVER: ReportServer = { url: "https://cron.example.org", key: "ck_app_prod_secret", authority: null };

const reportAt = (wall: number, id: string): Report => ({
  monitor: "a/b ä",
  kind: "fail",
  parameters: { run_id: "r", message: "a & b" },
  outcomes: null,
  idempotencyKey: id,
  happened: { wall, boot: null, uptime: null },
});

describe("the spool", () => {
  let directory: string;
  const damaged: string[] = [];
  const dropped: string[] = [];
  const opened = (server: ReportServer = SERVER) =>
    openSpool(directory, server, {
      onDamaged: (path) => damaged.push(path),
      onDropped: ({ kind, monitor }) => dropped.push(`${kind} of ${monitor}`),
    });
  const files = () => readdirSync(directory).sort();
  beforeEach(() => {
    directory = join(mkdtempSync(join(tmpdir(), "spool-")), "new");
    damaged.length = 0;
    dropped.length = 0;
  });
  afterEach(() => rmSync(join(directory, ".."), { recursive: true }));

  test("makes room for a failure when it is full: the oldest success goes, and is named", () => {
    const spool = opened();
    const full = Array.from({ length: 1_000 }, (_, place) => reportAt(place + 1, `r${place}`));
    spool.keep({ ...full[0]!, monitor: "first" });
    // What it wrote itself is copied: to write a thousand to disk takes long.
    const [name] = files();
    const text = readFileSync(join(directory, name!), "utf8");
    for (const { happened, idempotencyKey } of full.slice(1)) {
      const kind = happened.wall === 500 || happened.wall === 600 ? "complete" : "fail";
      const { target, report } = JSON.parse(text);
      const content = { target, report: { ...report, kind, monitor: `m${happened.wall}`, happened, idempotencyKey } };
      writeFileSync(
        join(directory, `${String(happened.wall).padStart(15, "0")}-${idempotencyKey}.json`),
        JSON.stringify(content),
      );
    }
    expect(spool.keep({ ...reportAt(2_000, "late"), kind: "complete" })).toBeNull();
    expect(dropped).toEqual([]);
    expect(spool.keep(reportAt(2_001, "failure"))).not.toBeNull();
    expect(dropped).toEqual(["complete of m500"]);
    expect(spool.keep(reportAt(2_002, "another"))).not.toBeNull();
    expect(spool.keep(reportAt(2_003, "one more"))).toBeNull();
    expect(files()).toHaveLength(1_000);
  });

  test.if(process.getuid?.() === 0)("takes no directory that another user has made where all may write", () => {
    const shared = join(directory, "..");
    chmodSync(shared, 0o1733);
    mkdirSync(directory);
    chownSync(directory, 4_242, 4_242);
    expect(() => opened().keep(reportAt(1_000, "a"))).toThrow("belongs to another user");
  });

  test("gives back what it was given, oldest first, and nothing that is none of its files", () => {
    const spool = opened();
    expect(spool.waiting()).toEqual([]);
    const reports = [reportAt(3_000, "c"), reportAt(1_000, "a"), reportAt(2_000, "b")];
    for (const report of reports) spool.keep(report);
    writeFileSync(join(directory, "notes.txt"), "x");
    expect(spool.waiting().map(({ report }) => report.idempotencyKey)).toEqual(["a", "b", "c"]);
    expect(spool.waiting()[0]!.report).toEqual(reports[1]!);
    spool.waiting()[0]!.remove();
    expect(spool.waiting()).toHaveLength(2);
    expect(damaged).toEqual([]);
  });

  test("keeps apart what is for another server or application, and survives a new key of the same", () => {
    opened().keep(reportAt(1_000, "a"));
    expect(opened({ ...SERVER, key: "ck_app_prod_other" }).waiting()).toHaveLength(1);
    for (const other of [{ key: "ck_app_test_secret" }, { url: "https://other.example.org" }]) {
      const spool = opened({ ...SERVER, ...other });
      expect([spool.waiting(), spool.others()]).toEqual([[], { elsewhere: 1, unreadable: 0 }]);
    }
    expect(readFileSync(join(directory, files()[0]!), "utf8")).not.toContain("secret");
  });

  test("puts damaged files aside, says so once, and sends the others", () => {
    const spool = opened();
    spool.keep(reportAt(5_000, "sound"));
    const text = readFileSync(join(directory, files()[0]!), "utf8");
    const { target, report } = JSON.parse(text);
    const faults = [
      "",
      "{",
      "null",
      "[]",
      text.slice(0, -1),
      "\0".repeat(text.length),
      JSON.stringify({ target }),
      JSON.stringify({ report }),
      ...Object.keys(report)
        .filter((name) => name !== "outcomes")
        .map((name) => JSON.stringify({ target, report: { ...report, [name]: null } })),
      JSON.stringify({ target, report: { ...report, kind: "heartbeat" } }),
      // No request can be made of these, or it would be another's.
      ...[".", "..", "\ud800"].map((monitor) => JSON.stringify({ target, report: { ...report, monitor } })),
      JSON.stringify({ target, report: { ...report, idempotencyKey: "two\nlines" } }),
      JSON.stringify({ target, report: { ...report, parameters: { run_id: 1 } } }),
      JSON.stringify({ target, report: { ...report, outcomes: { rows: "x" } } }),
    ];
    for (const [place, fault] of faults.entries())
      writeFileSync(join(directory, `00000000000000${place % 10}-x${place}.json`), fault);
    expect(spool.waiting().map((kept) => kept.report.idempotencyKey)).toEqual(["sound"]);
    expect(damaged).toHaveLength(faults.length);
    expect(damaged.every((path) => path.endsWith(".json.damaged"))).toBe(true);
    expect(spool.waiting()).toHaveLength(1);
    expect(damaged).toHaveLength(faults.length);
    expect(files().filter((name) => name.endsWith(".json"))).toHaveLength(1);
  });

  test("reads no file of another user and no pipe, and follows no link", () => {
    const spool = opened();
    spool.keep(reportAt(1_000, "a"));
    const [name] = files();
    writeFileSync(join(directory, "../elsewhere"), readFileSync(join(directory, name!)));
    symlinkSync("../elsewhere", join(directory, "000000000000002-link.json"));
    expect(spool.waiting()).toHaveLength(1);
    expect(spool.others()).toEqual({ elsewhere: 0, unreadable: 1 });
    // Somebody holds it open to write, and writes nothing.
    const pipe = join(directory, "000000000000003-pipe.json");
    expect(Bun.spawnSync(["mkfifo", pipe]).exitCode).toBe(0);
    const end = openSync(pipe, constants.O_RDWR);
    expect(spool.waiting()).toHaveLength(1);
    expect(spool.others()).toEqual({ elsewhere: 0, unreadable: 2 });
    closeSync(end);
    if (process.getuid?.() !== 0) return;
    chownSync(join(directory, name!), 65_534, 65_534);
    expect([spool.waiting(), spool.others().unreadable]).toEqual([[], 3]);
  });

  test("leaves nothing of a report that could not be kept whole, and removes what a killed run has left, an hour later", () => {
    const spool = opened();
    const half = (id: string) => join(directory, `.000000000001000-${id}.json`);
    spool.keep(reportAt(1_000, "first"));
    // A directory in the place of the file: it can be written and not be named.
    mkdirSync(join(directory, "000000000001000-hindered.json/x"), { recursive: true });
    expect(() => spool.keep(reportAt(1_000, "hindered"))).toThrow();
    expect(existsSync(half("hindered"))).toBe(false);
    writeFileSync(half("killed"), "{");
    const written = Math.floor(statSync(half("killed")).mtimeMs);
    spool.keep(reportAt(written + 3_500_000, "soon"));
    expect(existsSync(half("killed"))).toBe(true);
    spool.keep(reportAt(written + 3_700_000, "later"));
    expect(existsSync(half("killed"))).toBe(false);
    expect(spool.waiting()).toHaveLength(3);
  });

  test("is for this user alone, whatever the umask", () => {
    const before = process.umask(0);
    opened().keep(reportAt(1_000, "a"));
    process.umask(before);
    const modes = [directory, join(directory, files()[0]!)].map((path) => statSync(path).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600]);
  });
});

describe("sending what waits", () => {
  const monitors = (...names: string[]): Report[] =>
    names.map((monitor, place) => ({ ...reportAt(place, `${monitor}${place}`), monitor }));

  /** What became of the reports of these monitors where `answers` says what the server answers. */
  async function flushed(names: readonly string[], answers: (report: Report) => Sent, mayWait = false) {
    const left = new Set(monitors(...names));
    const waiting = [...left].map((report) => ({ report, remove: () => void left.delete(report) }));
    const spool = { waiting: () => waiting, keep: () => null, others: () => ({ elsewhere: 0, unreadable: 0 }) };
    const asked: string[] = [];
    const send = async (report: Report) => {
      asked.push(report.idempotencyKey);
      return answers(report);
    };
    const pauses: number[] = [];
    const pause = async (milliseconds: number) => {
      pauses.push(milliseconds);
      return milliseconds <= 60_000;
    };
    const within = new AbortController().signal;
    const flushed = await sendWaitingReports(spool, send, {
      within,
      onRefused: () => {},
      pause: mayWait ? pause : null,
      after,
    });
    return { asked, left: [...left].map(({ idempotencyKey }) => idempotencyKey), flushed, pauses };
  }

  const after = () => () => {};
  const waits = (concerns: "one" | "all"): Sent => ({ is: "waiting", why: "no", concerns, again: null });

  test("one that something does not let through holds up those of its own monitor alone", async () => {
    const seen = await flushed(["bad", "a", "bad", "b"], ({ monitor }) =>
      monitor === "bad" ? waits("one") : { is: "taken" },
    );
    expect(seen).toEqual({
      asked: ["bad0", "a1", "b3"],
      left: ["bad0", "bad2"],
      flushed: { sent: 2, refused: 0, left: 2, why: "no" },
      pauses: [],
    });
  });

  test("ends with the first that is not answered in time", async () => {
    const begun: number[] = [];
    const after = (milliseconds: number, run: () => void) => {
      begun.push(milliseconds);
      run();
      return () => {};
    };
    const spool = {
      waiting: () => monitors("a", "b").map((report) => ({ report, remove: () => {} })),
      keep: () => null,
      others: () => ({ elsewhere: 0, unreadable: 0 }),
    };
    const hanging = async (_report: Report, within: AbortSignal): Promise<Sent> => {
      if (!within.aborted) await new Promise((resolve) => within.addEventListener("abort", resolve));
      return waits("all");
    };
    const within = new AbortController().signal;
    const flushed = await sendWaitingReports(spool, hanging, { within, onRefused: () => {}, pause: null, after });
    expect([flushed.left, begun]).toEqual([2, [30_000]]);
  });

  test("ends with the first that nobody answers", async () => {
    expect((await flushed(["a", "b", "c"], () => waits("all"))).asked).toEqual(["a0"]);
  });

  describe("where the server takes no more for now", () => {
    const TAKEN: Sent = { is: "taken" };
    const tooMany = (again: number): Sent => ({ is: "waiting", why: "429", concerns: "all", again });
    /** Takes two, refuses one for so long, and takes the rest. */
    const limiting = (again: number) => {
      let asked = 0;
      return (): Sent => (++asked === 3 ? tooMany(again) : TAKEN);
    };

    test("waits as long as it wants, and goes on slowly", async () => {
      const seen = await flushed(["a", "b", "c", "d", "e"], limiting(41_000), true);
      expect(seen.asked).toEqual(["a0", "b1", "c2", "c2", "d3", "e4"]);
      expect(seen.flushed).toEqual({ sent: 5, refused: 0, left: 0, why: null });
      expect(seen.pauses).toEqual([41_000, 2_000, 2_000]);
    });

    test("does not ask again at once, whatever it says", async () => {
      expect((await flushed(["a", "b", "c"], limiting(0), true)).pauses).toEqual([2_000]);
    });

    test("ends where that is long, and where nobody may wait", async () => {
      const rest = { sent: 2, refused: 0, left: 2, why: "429" };
      expect((await flushed(["a", "b", "c", "d"], limiting(3_600_000), true)).flushed).toEqual(rest);
      expect((await flushed(["a", "b", "c", "d"], limiting(1_000))).flushed).toEqual(rest);
    });
  });

  test("however many are not let through, the others are sent; each monitor asks once", async () => {
    const bad = ["a", "b", "c", "d", "e"];
    const seen = await flushed([...bad, ...bad, "good"], ({ monitor }) =>
      monitor === "good" ? { is: "taken" } : waits("one"),
    );
    expect(seen.asked).toEqual(["a0", "b1", "c2", "d3", "e4", "good10"]);
    expect(seen.flushed).toEqual({ sent: 1, refused: 0, left: 10, why: "no" });
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
    const { boot, uptime } = clientMomentAt(0);
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
  ])("%s", (text, expected) => expect<unknown>(readOutcomeOption(text)).toEqual(expected));

  test("a file has one on each line; comments and empty lines are left out", () => {
    expect(readOutcomeOptions("# all\n\nrows=1\r\nbad\nrows=2\n")).toEqual({ outcomes: { rows: 2 }, faults: ["bad"] });
  });
});

describe("a job's last words", () => {
  const LINE = { messageFromStderr: true, outputFromStderr: false };

  test("R46: its last lines, within 10,000 bytes and without keys, only if they are asked for", () => {
    const asked = (outputFromStderr: boolean) => {
      const words = createLastWords({ messageFromStderr: false, outputFromStderr }, async () => {});
      const text = Buffer.from(`${"a line\n".repeat(10_000)}key ck_app_prod_abcdef\n`);
      for (let at = 0; at < text.length; at += 7) void words.passOn(text.subarray(at, at + 7));
      return { line: words.line(), output: words.output() };
    };
    expect(asked(false)).toEqual({ line: null, output: null });
    const { line, output } = asked(true);
    expect(line).toBeNull();
    expect(output).toMatch(/^…\n(a line\n)+key ck_app_\*\*\*$/);
    expect(Buffer.byteLength(output!)).toBeLessThanOrEqual(10_000);
  });

  test.each([
    ["one\ntwo\n", "two"],
    ["one\r\n\r\n  \n", "one"],
    ["\u001B[1;31mred\u001B[0m\n", "red"],
    ["10 %\r20 %\rdisk full", "disk full"],
    ["cannot open postgres://backup:hunter2@db/shop\n", "cannot open postgres://***@db/shop"],
    ["\0\u0007\n", null],
    ["", null],
  ])("of %j: %j", (text, expected) => {
    const passed: Uint8Array[] = [];
    const words = createLastWords(LINE, async (piece) => void passed.push(piece));
    for (const byte of Buffer.from(text)) void words.passOn(Uint8Array.of(byte));
    expect(words.line()).toBe(expected);
    expect(Buffer.concat(passed).toString()).toBe(text);
  });

  test("are cut after 500 characters, and are those of the end however much came before", () => {
    const words = createLastWords(LINE, async () => {});
    void words.passOn(Buffer.from(`${"x".repeat(100_000)}\n${"😀".repeat(600)}`));
    expect([...words.line()!]).toHaveLength(500);
  });
});
