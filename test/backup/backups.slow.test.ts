// Backups by themselves: when they come, what the operator's command gets, which stay, and what people hear of
// failures. Copies and commands are real programs; only time is ours.

import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BackupParts, RunningBackups } from "../../src/backup/backups.ts";
import { backupSender } from "../../src/backup/programs.ts";
import { after } from "../../src/cli/clock.ts";
import { isRefusal } from "../../src/domain/errors.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { BackupFailure } from "../../src/engine/api.ts";
import { copyDatabase } from "../../src/store/file/copy.ts";
import { openDatabase } from "../../src/store/file/database.ts";
import { backupsOf } from "../support/backups.ts";
import { type ManualTime, manualTime, until } from "../support/manual-time.ts";

setDefaultTimeout(120_000);

const NOON = Date.UTC(2026, 2, 2, 12);
const PLAN = { every: DAY, keep: 2 };

let folder: string;
let time: ManualTime;
let told: BackupFailure[];
let backups: RunningBackups | null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rollcall-backups-"));
  openDatabase(join(folder, "rollcall.db"), 1).close();
  time = manualTime(NOON);
  told = [];
});

afterEach(async () => {
  await backups?.stop();
  backups = null;
  rmSync(folder, { recursive: true });
});

function start(changes: Partial<BackupParts> = {}): RunningBackups {
  const { clock, after } = time;
  backups = backupsOf(join(folder, "rollcall.db"), {
    plan: PLAN,
    clock,
    after,
    copy: (from, to) => ({ ended: copied(from, to), kill: () => {} }),
    ...changes,
  });
  backups.start((failure) => void told.push(failure));
  return backups;
}

/** In this process, which is faster. */
const copied = async (from: string, to: string): Promise<{ bytes: number; monitors: number }> => copyDatabase(from, to);

/** The operator's command, with real time for its limit. */
const command = (line: string, limit = 60 * SECOND) =>
  backupSender({ command: line, limit }, { PATH: process.env["PATH"], FOLDER: folder }, after);

const ended = (of: RunningBackups): Promise<void> => until(() => of.health().underWay === null);
const kept = (): string[] => (existsSync(join(folder, "backups")) ? readdirSync(join(folder, "backups")).sort() : []);

async function pass(of: RunningBackups, milliseconds: number): Promise<void> {
  await time.advance(milliseconds);
  await ended(of);
}

describe("backups by themselves", () => {
  test("come ten minutes after a start that finds none, then as often as asked, and the oldest go", async () => {
    const made = start();
    await pass(made, 9 * MINUTE);
    expect(kept()).toEqual([]);
    await pass(made, MINUTE);
    expect(kept()).toEqual(["rollcall-20260302T121000Z.db"]);
    expect(made.health().nextAt).toBe(NOON + DAY + 10 * MINUTE);
    for (let day = 0; day < 3; day++) await pass(made, DAY);
    expect(kept()).toEqual(["rollcall-20260304T121000Z.db", "rollcall-20260305T121000Z.db"]);
    expect(told).toEqual([]);
  });

  test("come and stay as ever beside one of a clock that was wrong by years", async () => {
    mkdirSync(join(folder, "backups"));
    writeFileSync(join(folder, "backups", "rollcall-20290302T120000Z.db"), "");
    const made = start();
    for (let day = 0; day < 3; day++) await pass(made, DAY);
    expect(kept()).toEqual([
      "rollcall-20260303T121000Z.db",
      "rollcall-20260304T121000Z.db",
      "rollcall-20290302T120000Z.db",
    ]);
    expect(made.health().nextAt).toBe(NOON + 3 * DAY + 10 * MINUTE);
  });

  test("do not come where none is wanted, but one that is asked for does", async () => {
    const made = start({ plan: { every: 0, keep: 2 } });
    await pass(made, 3 * DAY);
    expect(kept()).toEqual([]);
    made.begin(null);
    await ended(made);
    expect(kept()).toHaveLength(1);
  });

  test("leave files of other names alone, and clear away what a killed process left unfinished", async () => {
    mkdirSync(join(folder, "backups"));
    for (const name of ["mine.db", "rollcall-20260101T000000Z.db.partial"])
      writeFileSync(join(folder, "backups", name), "");
    await pass(start(), 10 * MINUTE);
    expect(kept()).toEqual(["mine.db", "rollcall-20260302T121000Z.db"]);
  });

  test("that fail are told once, tried again within an hour, and told again after one that went well", async () => {
    // A file where the directory should be.
    writeFileSync(join(folder, "backups"), "");
    const made = start();
    await pass(made, 10 * MINUTE);
    expect(told).toMatchObject([{ step: "copy", at: NOON + 10 * MINUTE, reason: expect.stringContaining("EEXIST") }]);
    expect(made.health().nextAt).toBe(NOON + 70 * MINUTE);
    await pass(made, HOUR);
    expect(told).toHaveLength(1);
    rmSync(join(folder, "backups"));
    await pass(made, HOUR);
    expect(kept()).toHaveLength(1);
    expect(made.health().lastFailure).toBeNull();
    rmSync(join(folder, "backups"), { recursive: true });
    writeFileSync(join(folder, "backups"), "");
    await pass(made, DAY);
    expect(told).toHaveLength(2);
    rmSync(join(folder, "backups"));
  });
});

describe("the operator's command", () => {
  test("gets the whole copy as $1, and none of our configuration", async () => {
    const made = start({ send: command('cp "$1" "$FOLDER/sent.db"; env > "$FOLDER/environment"') });
    made.begin(null);
    await ended(made);
    expect(readFileSync(join(folder, "sent.db")).equals(readFileSync(join(folder, "backups", kept()[0]!)))).toBe(true);
    expect(readFileSync(join(folder, "environment"), "utf8")).not.toContain("ROLLCALL_");
    expect(made.find(1)).toMatchObject({ state: "done", fault: null });
  });

  test("that fails is told with its last line, once until it goes well; the backup stays", async () => {
    const made = start({ send: command('[ -e "$FOLDER/works" ] || { echo "no route to the vault" >&2; exit 7; }') });
    await pass(made, 10 * MINUTE);
    await pass(made, DAY);
    expect(told).toMatchObject([{ step: "command", reason: "exit code 7: no route to the vault" }]);
    expect(kept()).toHaveLength(2);
    writeFileSync(join(folder, "works"), "");
    await pass(made, DAY);
    rmSync(join(folder, "works"));
    await pass(made, DAY);
    expect(told).toHaveLength(2);
  });

  test("is ended at its limit, with what it has started", async () => {
    const made = start({ send: command('sleep 300 & echo $! > "$FOLDER/pid"; wait', 2_000) });
    made.begin(null);
    await ended(made);
    expect(told).toMatchObject([{ step: "command", reason: "it had not ended after 2 s" }]);
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    await until(() => isGone(pid));
  });

  test("does not get a backup that a person asked for under another name", async () => {
    const made = start({ send: command('touch "$FOLDER/sent"') });
    made.begin(join(folder, "own.db"));
    await ended(made);
    expect(existsSync(join(folder, "own.db"))).toBe(true);
    expect(existsSync(join(folder, "sent"))).toBe(false);
  });
});

function isGone(pid: number): boolean {
  try {
    // A process that has ended and that nobody has waited for is still there, as a zombie.
    return readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return true;
  }
}

describe("a backup that a person asks for", () => {
  test("is refused while another is under way, and where a file is", async () => {
    const made = start();
    expect(isRefusal(made.begin(join(folder, "a.db")))).toBe(false);
    expect(made.begin(join(folder, "b.db"))).toMatchObject({ message: expect.stringContaining("is under way") });
    await ended(made);
    expect(made.begin(join(folder, "a.db"))).toMatchObject({ message: expect.stringContaining("exists already") });
  });

  test("that fails says why, and is told to nobody else", async () => {
    const made = start();
    made.begin(join(folder, "nowhere", "a.db"));
    await ended(made);
    expect(made.find(1)).toMatchObject({
      state: "failed",
      fault: expect.stringContaining("nowhere does not exist"),
    });
    expect(told).toEqual([]);
  });

  test("is made by a process of its own", async () => {
    backups = backupsOf(join(folder, "rollcall.db"));
    backups.begin(null);
    await ended(backups);
    expect(backups.find(1)).toMatchObject({ state: "done", copied: { monitors: 0 } });
  });

  test("is given up at a stop, and nothing of it stays", async () => {
    const made = start({
      copy: (_from, to) => {
        writeFileSync(`${to}.partial`, "half");
        const never = backupSender({ command: "sleep 300", limit: DAY }, process.env, after)(to);
        return { kill: never.kill, ended: never.ended.then((fault) => ({ fault: fault! })) };
      },
    });
    made.begin(null);
    await made.stop();
    expect(kept()).toEqual([]);
    expect(told).toEqual([]);
  });
});
