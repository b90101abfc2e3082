// When a backup is due, what it is called and which may go.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { backupName, backupTime, newestBackups, nextBackupAt, surplusBackups } from "../../src/backup/backup-files.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";

const NOON = Date.UTC(2026, 2, 2, 12);
const instant = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
const PLAN = { every: DAY, keep: 7 };

describe("a backup's name", () => {
  test("has the second at which it was begun, and holds nothing that a shell or a remote copy treats specially", () => {
    expect(backupName(NOON)).toBe("rollcall-20260302T120000Z.db");
    fc.assert(
      fc.property(instant, (at) => {
        expect(backupName(at)).toMatch(/^[\w.-]+$/);
        expect(backupTime(backupName(at))).toBe(Math.floor(at / SECOND) * SECOND);
      }),
    );
  });

  test("sorts as the backups were made", () => {
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        const [earlier, later] = [Math.min(a, b), Math.max(a, b)];
        expect(backupName(earlier) <= backupName(later)).toBe(true);
      }),
    );
  });

  test("is no other file's", () => {
    for (const name of ["rollcall.db", "rollcall-20260302T120000Z.db.unfinished", "rollcall-20261399T120000Z.db", ""])
      expect(backupTime(name)).toBeNull();
  });
});

describe("the next backup", () => {
  const history = { startedAt: NOON, keptAt: [], failedAt: null };

  test("is due when the newest is old enough, but not in the first minutes after a start", () => {
    expect(nextBackupAt(PLAN, { ...history, keptAt: [NOON - HOUR, NOON - DAY] }, NOON)).toBe(NOON + 23 * HOUR);
    expect(nextBackupAt(PLAN, history, NOON)).toBe(NOON + 10 * MINUTE);
    expect(nextBackupAt(PLAN, { ...history, keptAt: [NOON - 40 * DAY] }, NOON)).toBe(NOON + 10 * MINUTE);
  });

  test("is tried again an hour after a failure, or sooner where they are made more often", () => {
    const failedAt = NOON + 3 * HOUR;
    expect(nextBackupAt(PLAN, { ...history, failedAt }, failedAt)).toBe(failedAt + HOUR);
    expect(nextBackupAt({ every: 10 * MINUTE, keep: 7 }, { ...history, failedAt }, failedAt)).toBe(
      failedAt + 10 * MINUTE,
    );
  });

  test("is not put off by what a clock has written that was wrong by years", () => {
    const wrong = NOON + 800 * DAY;
    expect(nextBackupAt(PLAN, { ...history, keptAt: [wrong, NOON - DAY] }, NOON)).toBe(NOON + 10 * MINUTE);
    expect(nextBackupAt(PLAN, { startedAt: wrong, keptAt: [], failedAt: wrong }, NOON)).toBeLessThanOrEqual(NOON);
  });

  test("is never due where none is wanted", () => {
    expect(nextBackupAt({ every: 0, keep: 7 }, history, NOON)).toBeNull();
  });
});

test("the newest stay, and files of other names are left alone", () => {
  const names = [3, 1, 2, 4].map((day) => backupName(NOON + day * DAY));
  expect(surplusBackups([...names, "mine.db", "notes"], { every: DAY, keep: 2 }, NOON + 9 * DAY)).toEqual([
    names[1]!,
    names[2]!,
  ]);
  expect(surplusBackups(names, { every: DAY, keep: 9 }, NOON + 9 * DAY)).toEqual([]);
});

test("names of a clock that was wrong by years push no true one out, and do not pile up themselves", () => {
  const days = (first: number) => [0, 1, 2].map((day) => backupName(NOON + (first + day) * DAY));
  const [kept, wrong] = [days(0), days(800)];
  const plan = { every: DAY, keep: 2 };
  expect(surplusBackups([...kept, ...wrong], plan, NOON + 3 * DAY)).toEqual([kept[0]!, wrong[0]!]);
  expect(surplusBackups([...kept.slice(1), wrong[2]!], plan, NOON + 3 * DAY)).toEqual([]);
});

test("a name of a clock that was wrong by years is never the newest, and last where nothing else is left", () => {
  const [first, second, wrong] = [0, 1, 800].map((day) => backupName(NOON + day * DAY)) as [string, string, string];
  expect(newestBackups([first, wrong, "mine.db", second], NOON + 3 * DAY)).toEqual([second, first, wrong]);
  expect(newestBackups([wrong], NOON)).toEqual([wrong]);
});
