// Databases and dumps of Healthchecks and Uptime Kuma, as the real programs wrote them, and files that are none.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { isMailRule } from "../../src/domain/mail/mail-rule.ts";
import { mailRuleFromKeywords, readHealthchecks } from "../../src/import/healthchecks.ts";
import { type ImportPlan, planImport } from "../../src/import/import-plan.ts";
import { readKuma } from "../../src/import/kuma.ts";
import { scannerOf } from "../../src/import/sql-scanner.ts";
import { type Folder, HEALTHCHECKS, newFolder } from "./files.ts";

const ANY = { prefix: "", timezone: null, isPaused: false, only: null, skip: [] };
const quiet = (): void => {};

const healthchecks = (path: string, project: string | null = null): ImportPlan =>
  planImport(readHealthchecks(path, project, quiet), ANY);

const kuma = (path: string): ImportPlan => planImport(readKuma(path, quiet), ANY);

const settingsOf = ({ monitors }: ImportPlan) =>
  monitors.map(({ key, schedule, everySeconds, timezone, graceSeconds, pausedBecause }) => [
    key,
    schedule ?? everySeconds,
    timezone,
    graceSeconds,
    pausedBecause !== null,
  ]);

test("a database of Healthchecks: each check with its times, zone, grace, pause and addresses", () => {
  using folder = newFolder();
  const plan = healthchecks(folder.made("healthchecks.sqlite"));
  expect(settingsOf(plan)).toEqual([
    ["database-backup", "15 5 * * *", "Europe/Riga", 1_200, false],
    ["filesystem-backup", 3_600, null, 600, false],
    ["weekly-report", "0 7 * * 0", "UTC", 3_600, true],
    ["calendar", "30 9 * * 1-5", "Europe/Berlin", 3_600, false],
    ["check-abc00008", 86_400, null, 3_600, false],
    ["database-backup-abc00009", 604_800, null, 86_400, false],
    ["mail", 300, null, 60, false],
    ["database-backup-work-more", "*/20 0-6 * * 1-5", "Asia/Kathmandu", 3_600, false],
    ["sauvegarde-a-zurich-b", 90, null, 60, false],
    ["legacy-zone", "0 2 * * *", "US/Eastern", 3_600, true],
    ["both-days", "0 0 13 * 5", "UTC", 3_600, false],
    ["every-25-h", 90_000, null, 7_200, false],
  ]);
  const [backup, files] = plan.monitors;
  expect(backup!.maxRuntimeSeconds).toBe(1_200);
  // Two checks of its project have its slug, so that reports none of them there, too.
  expect(backup!.addresses).toEqual(["/ping/abc00001-0000-4000-8000-000000000001"]);
  expect(files!.addresses).toEqual([
    "/ping/abc00002-0000-4000-8000-000000000002",
    "/ping/pingkeypingkeypingkey1/filesystem-backup",
  ]);
  expect(plan.monitors.map(({ name }) => name)).toContain("Sauvegarde à Zürich <b> 日本");
  expect(plan.left.map(({ what, why }) => [what, why.replace(/.*(L\)|#\)|end of the month).*/, "$1")])).toEqual([
    ["Last day", "L)"],
    ["Second Tuesday", "#)"],
    ["Month end", "end of the month"],
  ]);
  expect(plan.tells.slice(0, 3)).toEqual([
    { key: "database-backup", destinations: ["mail", "ops-room"] },
    { key: "filesystem-backup", destinations: ["mail", "phone"] },
    { key: plan.monitors[2]!.key, destinations: [] },
  ]);
  const tagged = plan.monitors.flatMap(({ labels, note }) => (labels === null ? [] : [[labels, note]]));
  expect(tagged).toEqual([
    ["db prod", "Runs ~/db-backup.sh See the runbook; it says 'stop' and \"go\"."],
    ["backup fs", null],
  ]);
  expect(plan.missed.map(({ what }) => what)).toContainValues(["a badge", "several projects"]);
  // R47: there every mail is a success, unless a check has words.
  const rules = new Set(plan.monitors.map(({ key, mailRule }) => (key === "mail" ? mailRule : `other: ${mailRule}`)));
  expect([...rules]).toEqual([
    "other: healthchecks",
    "failure: ERROR; success: SUCCESS, OK; in: subject; else: ignore",
  ]);
});

test.each([
  [{}, "healthchecks"],
  [{ failure_kw: "failed" }, "healthchecks"],
  [{ filter_body: 1, failure_kw: "failed; lost", start_kw: " ," }, "failure: failed, lost; in: body; else: ignore"],
  [
    { filter_subject: 1, filter_body: 1, start_kw: "begun", success_kw: "ok", failure_kw: "no" },
    "failure: no; start: begun; success: ok; in: both; else: ignore",
  ],
  // As it is since 2025.
  [{ filter_subject: 1, filter_default_fail: 1, success_kw: "ok" }, "success: ok; in: subject; else: failure"],
  [{ filter_default_fail: 1 }, "healthchecks"],
  // As it was before 2021.
  [{ subject: "SUCCESS", subject_fail: "ERROR" }, "failure: ERROR; success: SUCCESS; in: subject; else: ignore"],
] as const)("R47: the words of a check of Healthchecks become a rule: %p", (columns: object, rule) => {
  const row: Readonly<Record<string, unknown>> = { ...columns };
  const read = mailRuleFromKeywords(
    (column) => String(row[column] ?? ""),
    (column) => row[column] === 1,
  );
  expect(read).toBe(rule);
  expect(isMailRule(read)).toBe(true);
});

test("what has no counterpart is said of the chosen ones alone", () => {
  using folder = newFolder();
  const source = readHealthchecks(folder.made("healthchecks.sqlite"), null, quiet);
  const { destinations, missed } = planImport(source, { ...ANY, only: ["*-backup"], skip: ["database-*"] });
  expect(destinations.map(({ name }) => name)).toEqual(["mail", "phone"]);
  expect(missed.some(({ what }) => what === "a badge")).toBe(false);
});

test.each(HEALTHCHECKS)("%s says the same as the database", (name) => {
  using folder = newFolder();
  const [database, other] = [folder.made("healthchecks.sqlite"), folder.made(name)];
  expect(healthchecks(other)).toEqual(healthchecks(database));
});

test.if(Bun.which("sqlite3") !== null)("sqlite3's own dump says the same, too", () => {
  using folder = newFolder();
  const path = folder.made("healthchecks.sqlite");
  const dump = Bun.spawnSync(["sqlite3", path, ".dump"]);
  expect(healthchecks(folder.write("dump.sql", dump.stdout))).toEqual(healthchecks(path));
});

test.each(["healthchecks.pg_dump.sql", "healthchecks.mysqldump.sql", "dump.sql"])(
  "a %s that breaks off between two lines is refused",
  (name) => {
    using folder = newFolder();
    const whole =
      name === "dump.sql"
        ? "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE api_check (id int);\nCOMMIT;\n"
        : readFileSync(folder.made(name), "utf8");
    const lines = whole.trimEnd().split("\n");
    const last = lines.findLastIndex((line) => /dump complete|Dump completed|COMMIT/.test(line));
    const path = folder.write(name, lines.slice(0, last).join("\n"));
    expect(() => healthchecks(path)).toThrow(`${path}: breaks off: the last line of a whole dump is missing`);
  },
);

test("a text of several lines is read as sqlite3 writes it into a dump", () => {
  const values = (written: string) => scannerOf(`${written})`, false).values();
  expect(values(String.raw`replace('it''s, a\nb','\n',char(10)), 1`)).toEqual(["it's, a\nb", 1]);
  expect(values(String.raw`replace('a\n\012b','\012',char(10))`)).toEqual(["a\\n\nb"]);
  expect(values(String.raw`replace(replace('a\r\nb','\r',char(13)),'\n',char(10))`)).toEqual(["a\r\nb"]);
  // From 3.50 on.
  expect(values(String.raw`unistr('it''s \u000d\u000a\\u000a')`)).toEqual(["it's \r\n\\u000a"]);
});

test("one project alone, by its name or its UUID; and the names of all where there is no such one", () => {
  using folder = newFolder();
  const path = folder.made("healthchecks.sqlite");
  const work = healthchecks(path, "Work & Möre");
  expect(work.monitors.map(({ key }) => key)).toEqual([
    "database-backup",
    "sauvegarde-a-zurich-b",
    "legacy-zone",
    "both-days",
    "every-25-h",
  ]);
  expect(healthchecks(path, "abc00385-0000-4000-8000-000000000385")).toEqual(work);
  const besides = work.missed.filter(({ keys }) => keys.length === 0).map(({ what }) => what);
  expect(besides).toEqual(["the history of reports"]);
  expect(() => healthchecks(path, "Play")).toThrow('has no project "Play"; there are: "Home", "Work & Möre"');
});

test("a kuma.db: push monitors with interval and retries; all others have no counterpart", () => {
  using folder = newFolder();
  const plan = kuma(folder.made("kuma.db"));
  expect(settingsOf(plan)).toEqual([
    ["nightly-backup", 86_400, null, 7_200, false],
    ["worker-heartbeat", 20, null, 60, false],
    ["paused-push", 3_600, null, 60, true],
    ["in-a-paused-group", 300, null, 60, true],
    ["nightly-backup-8", 7_200, null, 60, false],
  ]);
  expect(plan.monitors[0]!.addresses).toEqual(["/api/push/aB3dE6gH9k"]);
  expect(plan.left.map(({ what }) => what)).toEqual([
    "Upside",
    '"Backups" (group)',
    '"Old things" (group)',
    '"Website" (http)',
    '"DNS" (dns)',
  ]);
  expect(plan.missed.map(({ what }) => what)).toEqual([
    "group",
    "its own reminders",
    "the history of reports",
    "the mail server of",
  ]);
});

test("an early kuma.db, without tags, groups and descriptions", () => {
  using folder = newFolder();
  expect(settingsOf(kuma(folder.made("kuma-early.db")))).toEqual([
    ["nightly-backup", 86_400, null, 600, false],
    ["paused", 3_600, null, 60, true],
  ]);
});

test("what a program has not written into its file yet is read; and nothing is written into it or beside it", () => {
  using folder = newFolder();
  const path = folder.made("kuma.db");
  const kept = new Database(path);
  kept.run("PRAGMA journal_mode = WAL");
  kept.run("UPDATE monitor SET name = 'Renamed' WHERE name = 'Nightly backup'");
  const before = stateOf(folder);
  expect(before.map(([name]) => name)).toEqual(["kuma.db", "kuma.db-shm", "kuma.db-wal"]);
  expect(kuma(path).monitors[0]!.key).toBe("renamed");
  expect(stateOf(folder)).toEqual(before);
  kept.close();
  const closed = stateOf(folder);
  expect(kuma(path).monitors[0]!.key).toBe("renamed");
  expect(stateOf(folder)).toEqual(closed);
});

const stateOf = ({ path }: Folder) =>
  readdirSync(path)
    .sort()
    .map((name) => [name, statSync(`${path}/${name}`).mtimeMs, Bun.hash(readFileSync(`${path}/${name}`))]);

test.each([
  ["empty", "", "given: is empty"],
  ["text", "root:x:0:0", "is neither a SQLite database"],
  ["packed", "\u001f\u008b", "unpack it first: gunzip -k"],
  ["for pg_restore", "PGDMP\u0001", "pg_restore -f dump.sql"],
  ["damaged", "SQLite format 3\0but no more", "cannot be read as a SQLite database"],
  ["another list", '[{"model": 1}]', "each entry must have model, pk and fields"],
  ["cut JSON", '[{"model": "api.check",', "is not valid JSON"],
  ["another dump", "-- MySQL dump\nCREATE TABLE `x` (\n  `id` int\n);\n-- Dump completed\n", "has no table api_check"],
  [
    "a cut COPY",
    "COPY public.api_check (id, name) FROM stdin;\n1\ta\n",
    ":1: cannot be read as SQL: a COPY has no end",
  ],
  [
    "too few values",
    "CREATE TABLE api_check (id int, name text);\nINSERT INTO api_check VALUES (1);\n",
    ":2: cannot be read as SQL: a row of api_check has 1 values, and the table 2 columns",
  ],
  ["no CREATE TABLE", "INSERT INTO api_check VALUES (1);\n", "the columns of api_check are not known"],
  ["an open text", "INSERT INTO api_check VALUES ('a;\n", "a text has no end"],
  [
    "another program's",
    "CREATE TABLE api_check (id int);\nINSERT INTO api_check VALUES (1);\n",
    "table api_check has no column name, so it is no database of Healthchecks that we know",
  ],
])("%s is refused with the file's name and the rule", (_, content, words) => {
  using folder = newFolder();
  const path = folder.write("given", Buffer.from(content, "latin1"));
  expect(() => healthchecks(path)).toThrow(words);
  expect(() => healthchecks(path)).toThrow(path);
});

test("the backup of Uptime Kuma 1 as JSON is refused with the name of the file to give", () => {
  using folder = newFolder();
  const backup = { version: "1.23.16", notificationList: [], monitorList: [{ id: 1, type: "push", pushToken: "x" }] };
  const path = folder.write("Uptime_Kuma_Backup.json", JSON.stringify(backup, null, 4));
  expect(() => kuma(path)).toThrow(`${path}: is Uptime Kuma's backup as JSON; give its database instead, kuma.db`);
});

test("a dump is read only as far as it is needed: its other tables may hold what they like", () => {
  using folder = newFolder();
  const path = folder.made("healthchecks.mysqldump.sql");
  const noise = `INSERT INTO \`other\` VALUES (1,'COPY public.api_check (id) FROM stdin;\\n\\'; INSERT INTO \`api_check\` VALUES (1);\\n');\n`;
  const text = readFileSync(path, "utf8");
  const place = text.indexOf("CREATE TABLE `api_check`");
  const noisy = folder.write("noisy.sql", text.slice(0, place) + noise.repeat(50) + text.slice(place));
  expect(healthchecks(noisy)).toEqual(healthchecks(path));
});
