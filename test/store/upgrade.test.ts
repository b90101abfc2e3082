// A database as the first release left it, with a history in it, opened by this one: nothing is lost, ids go on from
// where they were, and rows that refer to each other still do.

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/store/file/database.ts";
import { MIGRATIONS } from "../../src/store/file/migrations.ts";
import { openStore } from "../../src/store/store.ts";

const HISTORY = `
  INSERT INTO applications VALUES (1, 'prod', 1);
  INSERT INTO monitors VALUES (7, 1, 'backup', NULL, '0 2 * * *', NULL, NULL, NULL, '0 2 * * *', 'UTC', 60, NULL, 1, 1);
  INSERT INTO monitor_states (monitor_id, changed_at, misses, failures, warned, paused_manually, paused_by_discovery,
    paused_by_plan, hushed, run_count, runs_that_matter, incident_count, ping_count)
    VALUES (7, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3);
  INSERT INTO incidents (id, monitor_id, number, opening, opened_at, causes, troubles, missed_slots, reminders_sent)
    VALUES (4, 7, 1, 'InitialFailure', 5, '["failed"]', 1, 0, 0), (5, 7, 2, 'InitialFailure', 7, '["failed"]', 1, 0, 0);
  INSERT INTO alerts VALUES (40, 4, 'monitor.initial_failure', 5, '{}'), (41, 4, 'monitor.recovered', 6, '{}'),
    (42, 5, 'monitor.initial_failure', 7, '{}');
  INSERT INTO deliveries (id, alert_id, incident_id, destination, created_at, attempts, next_attempt_at)
    VALUES (90, 40, 4, 'hook', 5, 0, 5), (91, 41, 4, 'hook', 6, 0, NULL), (92, 42, 5, 'hook', 7, 0, 7), (93, 42, 5, 'pager', 7, 0, 7),
      (94, 42, 5, 'hook', 8, 0, NULL);
  DELETE FROM deliveries WHERE id = 91 OR id = 94;
  DELETE FROM alerts WHERE id = 41;`;

test("a first release's database keeps its history, and no id is ever given twice", () => {
  const directory = mkdtempSync(join(tmpdir(), "rollcall-upgrade-"));
  const path = join(directory, "rollcall.db");
  try {
    openDatabase(path, 1, MIGRATIONS.slice(0, 1)).close();
    const old = new Database(path, { strict: true });
    old.run(HISTORY);
    old.close();

    using database = openDatabase(path, 2);
    const rows = (sql: string) => database.query(sql).all();
    expect(rows("select id, deleted_at from monitors")).toEqual([{ id: 7, deleted_at: null }]);
    expect(rows("select drift_minutes, drift_reports, ping_count from monitor_states")).toEqual([
      { drift_minutes: 0, drift_reports: 0, ping_count: 3 },
    ]);
    expect(rows("select id, incident_id from alerts")).toEqual([
      { id: 40, incident_id: 4 },
      { id: 42, incident_id: 5 },
    ]);
    // Two incidents of one monitor share a lane now, so at one destination the second waits for the first (R36).
    expect(rows("select id, alert_id, incident_id, monitor_id, next_attempt_at from deliveries order by id")).toEqual([
      { id: 90, alert_id: 40, incident_id: 4, monitor_id: 7, next_attempt_at: 5 },
      { id: 92, alert_id: 42, incident_id: 5, monitor_id: 7, next_attempt_at: null },
      { id: 93, alert_id: 42, incident_id: 5, monitor_id: 7, next_attempt_at: 7 },
    ]);
    expect(rows("select * from drills")).toEqual([]);
    expect(rows("select id from deliveries where outcome is null and outcome is not 'sent'")).toHaveLength(3);
    expect(rows("pragma foreign_key_check")).toEqual([]);
    // A notice, which the old tables could not hold.
    database.run("INSERT INTO alerts (type, at, data) VALUES ('service.notice', 7, '{}')");
    expect(rows("select max(id) as id from alerts")).toEqual([{ id: 43 }]);
    database.run("INSERT INTO deliveries (alert_id, destination, created_at, attempts) VALUES (43, 'hook', 7, 0)");
    expect(rows("select max(id) as id from deliveries")).toEqual([{ id: 95 }]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("R36: what was given up and not told before an update is told after it, the oldest first", () => {
  const directory = mkdtempSync(join(tmpdir(), "rollcall-upgrade-"));
  const path = join(directory, "rollcall.db");
  try {
    const before = MIGRATIONS.findIndex(({ name }) => name.endsWith("told_in_pieces"));
    openDatabase(path, 1, MIGRATIONS.slice(0, before)).close();
    const old = new Database(path, { strict: true });
    old.run("INSERT INTO alerts (id, type, at, data) VALUES (40, 'monitor.recovered', 5, '{}')");
    old.run(`INSERT INTO deliveries (id, alert_id, destination, created_at, attempts, finished_at, outcome, untold)
      VALUES (90, 40, 'hook', 5, 1, 7, 'given_up', 1), (91, 40, 'hook', 5, 1, 7, 'given_up', NULL),
        (92, 40, 'hook', 6, 1, 8, 'given_up', 1)`);
    old.close();
    using database = openDatabase(path, 2);
    const { undelivered } = openStore(database);
    const upTo = undelivered.lastPlace("given_up", "hook");
    const rows = undelivered.unsent("given_up", { destination: "hook", after: 0, upTo, limit: 10 });
    expect(rows.map(({ id }) => id)).toEqual([90, 92]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("R33: of refused reports an update leaves those untold that were, whatever refused them", () => {
  const directory = mkdtempSync(join(tmpdir(), "rollcall-upgrade-"));
  const path = join(directory, "rollcall.db");
  try {
    const before = MIGRATIONS.findIndex(({ name }) => name.endsWith("refused_reports"));
    openDatabase(path, 1, MIGRATIONS.slice(0, before)).close();
    const old = new Database(path, { strict: true });
    old.run("INSERT INTO applications (id, slug, created_at) VALUES (1, 'prod', 0)");
    for (const [id, key] of [
      [7, "job"],
      [8, "other"],
    ])
      old.run(
        `INSERT INTO monitors (id, application_id, key, created_at, grace_seconds, timezone, updated_at) VALUES (${id}, 1, '${key}', 0, 60, 'UTC', 0)`,
      );
    old.run(`INSERT INTO refused_reports (id, monitor_id, at, kind, message, setting)
      VALUES (1, 7, 1, 'fail', 'told', 's'), (2, 7, 2, 'start', null, 's'), (3, 7, 3, 'fail', 'untold', 's'), (4, 8, 4, 'log', null, 's')`);
    old.run("UPDATE refused_told SET up_to = 2");
    old.run(`INSERT INTO rejected_reports (application_id, monitor_key, code, field, reason, kind, key_id, first_at, at, times, told_at)
      VALUES (1, 'job', 'STORAGE_UNAVAILABLE', '', 'r', 'start', 5, 1, 6, 2, null),
        (1, 'job', 'STORAGE_UNAVAILABLE', 'fail', 'r', 'fail', 5, 1, 5, 2, null), (1, 'none', 'NOT_FOUND', 'f', 'r', null, 5, 1, 7, 2, 8)`);
    old.run(
      `INSERT INTO alerts (id, type, at, data) VALUES (1, 'service.notice', 9, '${JSON.stringify({
        notice: {
          ...{ kind: "refused", from: "a", to: "b", settings: ["s"], failingTotal: 1 },
          monitors: [
            { monitorKey: "job", minutes: 3, failsTotal: 1, fails: [{ at: "c", message: "boom" }] },
            { monitorKey: "other", minutes: 2, failsTotal: 0, fails: [] },
          ],
        },
      })}'), (2, 'service.notice', 9, '${JSON.stringify({ notice: { kind: "rejected", monitors: [] } })}')`,
    );
    old.close();
    using database = openDatabase(path, 2);
    const { refusedReports } = openStore(database);
    const span = refusedReports.pendingSpan();
    expect(refusedReports.within(span, 10).map(({ monitorKey }) => monitorKey)).toEqual(["job", "job", "other"]);
    expect(
      refusedReports
        .newest({ applicationId: 1, monitorKey: null, limit: 10 })
        .map(({ at, code, message, times, firstAt }) => [at, code, message, times, firstAt]),
    ).toEqual([
      [7, "NOT_FOUND", null, 2, 1],
      [6, "STORAGE_UNAVAILABLE", null, 2, 1],
      [5, "STORAGE_UNAVAILABLE", null, 2, 1],
      [4, "RATE_LIMIT_EXCEEDED", null, 1, 4],
      [3, "RATE_LIMIT_EXCEEDED", "untold", 2, 1],
      [2, "RATE_LIMIT_EXCEEDED", null, 1, 2],
    ]);
    const notices = database.query<{ data: string }, []>("SELECT data FROM alerts ORDER BY id").all();
    expect(notices.map(({ data }) => JSON.parse(data).notice)).toMatchObject([
      {
        kind: "refused",
        monitors: [
          { watched: true, refused: [{ at: "c", report: "fail", message: "boom", field: "s" }] },
          { watched: true, refused: [{ at: "b", report: "heartbeat", message: null, times: 2 }] },
        ],
      },
      { kind: "refused", monitors: [] },
    ]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("R19: facts that a crash left in the log of an earlier version are in monitors' own rows", () => {
  const directory = mkdtempSync(join(tmpdir(), "rollcall-upgrade-"));
  const path = join(directory, "rollcall.db");
  const before = MIGRATIONS.findIndex(({ name }) => name === "0045_log_of_commits");
  try {
    openDatabase(path, 1, MIGRATIONS.slice(0, 1)).close();
    const old = new Database(path, { strict: true });
    old.run(HISTORY);
    old.close();
    const crashed = openDatabase(path, 2, MIGRATIONS.slice(0, before));
    for (const at of [8, 9])
      crashed.run(
        `INSERT INTO state_log (monitor_id, changed_at, misses, failures, warned, paused_manually, paused_by_discovery,
           paused_by_plan, hushed, run_count, runs_that_matter, incident_count, ping_count, last_ping_id)
           VALUES (7, ${at}, ${at}0, 0, 1, 0, 0, 0, 0, 0, 0, 1, ${at}00, ${at}000)`,
      );
    crashed.close();

    using database = openDatabase(path, 3);
    const { states } = openStore(database);
    expect(states.load(7)).toMatchObject({ changedAt: 9, misses: 90, warned: 1, pingCount: 900, lastPingId: 9_000 });
    expect(database.query("SELECT * FROM state_log").all()).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("R38: what waited and what was known before an update is planned as before", () => {
  const directory = mkdtempSync(join(tmpdir(), "rollcall-upgrade-"));
  const path = join(directory, "rollcall.db");
  const before = MIGRATIONS.findIndex(({ name }) => name.endsWith("planned_lanes"));
  try {
    const old = openDatabase(path, 1, MIGRATIONS.slice(0, before));
    old.run("INSERT INTO applications (id, slug, created_at) VALUES (1, 'prod', 1)");
    old.run(
      "INSERT INTO monitors (id, application_id, key, timezone, grace_seconds, created_at, updated_at) VALUES (7, 1, 'backup', 'UTC', 60, 1, 1)",
    );
    const incident = (id: number, closedAt: number | null) =>
      old
        .query(
          `INSERT INTO incidents (id, monitor_id, number, opening, opened_at, closed_at, causes, troubles, missed_slots,
             reminders_sent) VALUES (?1, 7, ?1, 'InitialFailure', ?1, ?2, '["failed"]', 1, 0, 0)`,
        )
        .run(id, closedAt);
    for (const [id, closedAt] of [
      [1, 10],
      [2, 20],
      [3, null],
    ] as const)
      incident(id, closedAt);
    const alert = (id: number, incidentId: number, type: string) =>
      old
        .query("INSERT INTO alerts (id, incident_id, type, at, data) VALUES (?, ?, ?, 1, '{}')")
        .run(id, incidentId, type);
    alert(11, 1, "monitor.initial_failure");
    alert(12, 1, "monitor.recovered");
    alert(21, 2, "monitor.initial_failure");
    alert(22, 2, "monitor.recovered");
    alert(31, 3, "monitor.initial_failure");
    const delivery = (
      id: number,
      alertId: number,
      destination: string,
      facts: Readonly<Record<string, number | string | null>>,
    ) => {
      const row = {
        id,
        alert_id: alertId,
        incident_id: Math.floor(alertId / 10),
        monitor_id: 7,
        destination,
        created_at: 100,
        attempts: 0,
        ...facts,
      };
      const names = Object.keys(row);
      old
        .query(`INSERT INTO deliveries (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
        .run(...Object.values(row));
    };
    const sent = { outcome: "sent", finished_at: 101, attempts: 1 };
    // A chat that was told of the first failure, of its end, and of the second one, by which it knows the third.
    delivery(1, 11, "chat", sent);
    delivery(2, 12, "chat", sent);
    delivery(3, 21, "chat", sent);
    delivery(4, 31, "chat", { outcome: "not_sent", finished_at: 101, answer: "known", digest_id: 3 });
    // Quiet hours hold the second failure and, behind it, its end; the pause by hand took back the third.
    delivery(5, 21, "night", { not_before: 900, held: 1 });
    delivery(6, 22, "night", { not_before: 900 });
    delivery(7, 31, "boss", {
      outcome: "not_sent",
      finished_at: 101,
      answer: "the job was paused before this was due",
    });
    // A pager was told of the second failure, and its end is on its way.
    delivery(8, 21, "pager", sent);
    delivery(9, 22, "pager", { next_attempt_at: 100 });
    old.close();

    using database = openDatabase(path, 2);
    const rows = database
      .query(
        "select id, destination, due_at as due, next_attempt_at as next, why, stands, outcome from deliveries order by id",
      )
      .values();
    expect(rows).toEqual([
      [1, "chat", 100, null, null, 0, "sent"],
      [2, "chat", 100, null, null, 0, "sent"],
      [3, "chat", 100, null, null, 1, "sent"],
      [4, "chat", 100, null, null, 0, "not_sent"],
      [5, "night", 900, 900, null, 0, null],
      [6, "night", 900, null, null, 0, null],
      [7, "boss", null, null, "paused", 0, null],
      [8, "pager", 100, null, null, 1, "sent"],
      [9, "pager", 100, 100, null, 0, null],
    ]);
    expect(database.query("pragma foreign_key_check").all()).toEqual([]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("R21, R27: of earlier ends an update keeps what their incidents tell of them", () => {
  const directory = mkdtempSync(join(tmpdir(), "rollcall-upgrade-"));
  const path = join(directory, "rollcall.db");
  const before = MIGRATIONS.findIndex(({ name }) => name.endsWith("verdicts"));
  try {
    const old = openDatabase(path, 1, MIGRATIONS.slice(0, before));
    old.run("INSERT INTO applications (id, slug, created_at) VALUES (1, 'prod', 1)");
    for (const id of [7, 8])
      old.run(`INSERT INTO monitors (id, application_id, key, timezone, grace_seconds, created_at, updated_at)
        VALUES (${id}, 1, 'job${id}', 'UTC', 60, 1, 1)`);
    // Of job 7 a run overran and another was slow under a pause; then two results were wrong, and one was right again.
    old.run(`INSERT INTO incidents (id, monitor_id, number, opening, opened_at, closed_at, causes, troubles, missed_slots,
        reminders_sent) VALUES (1, 7, 1, 'InitialFailure', 20, 30, '["unfinished"]', 1, 0, 0),
          (2, 7, 2, 'InitialFailure', 60, 80, '["outcome"]', 2, 0, 0), (3, 7, 3, 'InitialFailure', 90, NULL, '["failed"]', 1, 0, 0)`);
    old.run(`INSERT INTO runs (id, monitor_id, number, state, started_at, deadline, ended_at, ended_by, legacy, matters)
        VALUES (1, 7, 1, 'ended', 10, 20, 30, 'complete', 0, 0), (2, 7, 2, 'ended', 31, 40, 50, 'complete', 0, 0),
          (3, 7, 3, 'ended', 61, 75, 70, 'complete', 0, 0)`);
    old.run(`INSERT INTO pings (id, monitor_id, number, at, kind, run_row)
        VALUES (1, 7, 1, 10, 'start', 1), (2, 7, 2, 30, 'complete', 1), (3, 7, 3, 50, 'complete', 2),
          (4, 7, 4, 60, 'heartbeat', NULL), (5, 8, 1, 65, 'heartbeat', NULL), (6, 7, 5, 70, 'complete', 3),
          (7, 7, 6, 72, 'log', NULL), (8, 7, 7, 80, 'heartbeat', NULL), (9, 7, 8, 90, 'fail', NULL),
          (10, 7, 9, 95, 'heartbeat', NULL)`);
    old.close();
    using database = openDatabase(path, 2);
    expect(database.query("select id, verdict from runs order by id").values()).toEqual([
      [1, "overran"],
      [2, null],
      [3, "wrong"],
    ]);
    expect(database.query("select id, verdict from pings where verdict is not null order by id").values()).toEqual([
      [2, "overran"],
      [4, "wrong"],
      [6, "wrong"],
    ]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
