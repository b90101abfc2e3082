// Keys of imported monitors: plain, unique, and the same each time.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { isPlainMonitorKey, isUsualMonitorKey } from "../../src/domain/monitor-key.ts";
import { importedKeyFromName, keysToImport as keysOf } from "../../src/import/import-plan.ts";

const keysToImport = (checks: readonly { stem: string; surnames: readonly string[] }[], prefix: string) =>
  keysOf(
    checks.map((check) => ({ key: null, ...check })),
    prefix,
  );

test.each([
  ["Database Backup", "database-backup"],
  ["Sauvegarde à Zürich", "sauvegarde-a-zurich"],
  ["--..Weird//name..--", "weird-name"],
  ["日本", ""],
  ["v1.2_x", "v1.2_x"],
])("%s becomes %p", (text, key) => expect(importedKeyFromName(text)).toBe(key));

test("the first of one name keeps it, and the others get what tells them apart", () => {
  const keys = keysToImport(
    [
      { stem: "backup", surnames: ["Home", "aaaa"] },
      { stem: "Backup", surnames: ["Work", "bbbb"] },
      { stem: "BACKUP", surnames: ["Home", "cccc"] },
      { stem: "backup-work", surnames: ["Home", "dddd"] },
      { stem: "", surnames: ["eeee"] },
      { stem: "backup", surnames: ["aaaa"] },
    ],
    "",
  );
  expect(keys).toEqual(["backup", "backup-bbbb", "backup-cccc", "backup-work", "check-eeee", "backup-2"]);
});

test("keys are plain, usual and unique, whatever the names", () => {
  const check = fc.record({
    stem: fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("a", "A", "a-2", "")),
    surnames: fc.array(fc.oneof(fc.string(), fc.constantFrom("2", "x")), { maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(check, { maxLength: 12 }), (checks) => {
      const keys = keysToImport(checks, "p-");
      expect(new Set(keys).size).toBe(keys.length);
      for (const key of keys) expect([key, isPlainMonitorKey(key) && isUsualMonitorKey(key)]).toEqual([key, true]);
      expect(keysToImport(checks, "p-")).toEqual(keys);
    }),
  );
});

test("many of one name have their keys soon", () => {
  const checks = Array.from({ length: 50_000 }, () => ({ stem: "backup", surnames: ["2"] }));
  expect(keysToImport(checks, "").at(-1)).toBe("backup-50000");
});
