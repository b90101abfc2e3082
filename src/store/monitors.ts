// The rows of monitors: identity and settings in one table, facts in a small second one that every ping rewrites. Loads
// whole monitors for the domain and saves what it decided; decides nothing.

import type { Database } from "bun:sqlite";
import type { Monitor, Watch } from "../domain/monitor/monitor.ts";
import type { MaintenanceWindow } from "../domain/schedule/maintenance.ts";
import type { ConfiguredWatch } from "../domain/settings/policy.ts";
import type { Declared } from "../domain/settings/settings.ts";
import type { Instant } from "../domain/time.ts";
import type { IncidentRows } from "./incidents.ts";
import { fromState, type Heads, NO_HEADS, type StateRow, toState } from "./monitor-state.ts";
import { NO_RUNS, type RunRows, type StoredRuns } from "./runs.ts";
import { monitorStates, monitors } from "./schema.ts";
import { assignmentsOf, columnsOf, insertInto, PARAMETER, type Stored } from "./sql.ts";

/** A monitor as it is stored: what the domain knows of it, and what only the rows need. */
export interface MonitorRecord {
  readonly id: number;
  readonly applicationId: number;
  readonly application: string;
  readonly key: string;
  readonly declared: Declared;
  /** R29: moves with declared or configured values, not with pings. */
  readonly updatedAt: Instant;
  readonly wakeAt: Instant | null;
  readonly heads: Heads;
  /** The rows of `monitor.runs`. */
  readonly storedRuns: StoredRuns;
  readonly monitor: Monitor;
}

export interface NamedMonitor {
  readonly id: number;
  readonly application: string;
  readonly key: string;
}

/** The part of a watch that is configuration alone, so that nobody else has it to be read. */
export type WatchRules = (application: string, key: string) => ConfiguredWatch;

export interface MonitorRows {
  /** `runId`: the run the signal names; it is loaded beside those that matter. */
  load(applicationId: number, key: string, runId: string | null, rules: WatchRules): MonitorRecord | null;
  loadById(id: number, rules: WatchRules): MonitorRecord | null;
  /** The windows of maintenance as they were when the monitor's settings were last saved: a load has the present ones. */
  savedMaintenance(id: number): readonly MaintenanceWindow[];
  /** The id of a monitor, whether or not the rest of it can be read; null: there is none. */
  find(applicationId: number, key: string): number | null;
  /** Of all monitors, ascending. */
  ids(): number[];
  /** How many the application has. */
  count(applicationId: number): number;
  /** How many of them are active, as domain/monitor/monitor.ts has it (R34). */
  countActive(applicationId: number): number;
  /**
   * By application and key, ascending, whether or not the rest of them can be read; of one application or, with null, of
   * all.
   */
  names(applicationId: number | null): NamedMonitor[];
  /** Creates both rows of a monitor without runs or incidents. */
  insert(
    application: { readonly id: number; readonly slug: string },
    key: string,
    declared: Declared,
    monitor: Monitor,
    wakeAt: Instant | null,
  ): MonitorRecord;
  /** Writes what is declared and what is in force (R31). */
  saveSettings(id: number, declared: Declared, watch: Watch, updatedAt: Instant): void;
  /** Writes the facts of a monitor; its runs and its incident are saved by their own files. */
  saveState(id: number, monitor: Monitor, heads: Heads, wakeAt: Instant | null): void;
  /** Writes when to look at a monitor again, and nothing else. */
  saveWake(id: number, wakeAt: Instant): void;
  /** Monitors whose newest instant lies after this one (R26: a clock that had been wrong); `application` is the slug. */
  changedAfter(at: Instant): { readonly application: string; readonly key: string }[];
  /** The newest instant stored for any monitor; null without monitors. */
  newestChange(): Instant | null;
  /** Every monitor after this id that time alone will change, by id. Reads in stretches: the caller may stop at any. */
  allWakes(after?: number): Generator<{ readonly monitorId: number; readonly wakeAt: Instant }>;
}

type Row = Stored<typeof monitors> & StateRow & { readonly application: string };

const WAKES_AT_ONCE = 1_000;

const IDENTITY = ["id", "applicationId", "key", "createdAt", "deletedAt"] as const;
const DECLARATION = ["source", "sourceVersion", "declaredAt", "metadata"] as const;
const UNDECLARED = { source: null, sourceVersion: null, declaredAt: null, metadata: null };

export function monitorRows(database: Database, runs: RunRows, incidents: IncidentRows): MonitorRows {
  const select = `SELECT ${columnsOf(monitors, "m")}, ${columnsOf(monitorStates, "s")}, a.slug AS application
    FROM monitors m JOIN monitor_states s ON s.monitor_id = m.id JOIN applications a ON a.id = m.application_id`;
  const byKey = database.prepare<Row, [number, string]>(
    `${select} WHERE m.id = (SELECT id FROM monitors WHERE application_id = ? AND key = ? AND deleted_at IS NULL)`,
  );
  const byId = database.prepare<Row, [number]>(`${select} WHERE m.id = ${PARAMETER} AND m.deleted_at IS NULL`);
  const find = database.prepare<{ id: number }, [{ applicationId: number; key: string }]>(
    "SELECT id FROM monitors WHERE application_id = $applicationId AND key = $key AND deleted_at IS NULL",
  );
  const maintenance = database.prepare<Pick<Row, "maintenance">, [number]>(
    "SELECT maintenance FROM monitors WHERE id = ?",
  );
  const all = database.prepare<{ id: number }, []>("SELECT id FROM monitors WHERE deleted_at IS NULL ORDER BY id");
  const count = database.prepare<{ monitors: number }, [number]>(
    "SELECT count(*) AS monitors FROM monitors WHERE application_id = ? AND deleted_at IS NULL",
  );
  const countActive = database.prepare<{ monitors: number }, [number]>(
    `SELECT count(*) AS monitors FROM monitors m JOIN monitor_states s ON s.monitor_id = m.id
     WHERE m.application_id = ? AND m.deleted_at IS NULL AND s.paused_by_discovery = 0 AND s.paused_by_plan = 0
       AND (s.paused_manually = 0 OR s.paused_until IS NOT NULL)`,
  );
  const names = database.prepare<NamedMonitor, [{ applicationId: number | null }]>(
    `SELECT m.id, a.slug AS application, m.key FROM monitors m JOIN applications a ON a.id = m.application_id
     WHERE m.deleted_at IS NULL AND ($applicationId IS NULL OR a.id = $applicationId) ORDER BY a.slug, m.key`,
  );
  const insert = database.prepare<null, [Omit<Stored<typeof monitors>, "id">]>(insertInto(monitors));
  const insertState = database.prepare<null, [StateRow]>(insertInto(monitorStates));
  const saveSettings = database.prepare(
    `UPDATE monitors SET ${assignmentsOf(monitors, [...IDENTITY, ...DECLARATION])} WHERE id = $id`,
  );
  const saveState = database.prepare<null, [StateRow]>(
    `UPDATE monitor_states SET ${assignmentsOf(monitorStates, ["monitorId"])} WHERE monitor_id = $monitorId`,
  );
  const saveWake = database.prepare<null, [Instant, number]>(
    "UPDATE monitor_states SET wake_at = ? WHERE monitor_id = ?",
  );
  const states = "monitor_states s JOIN monitors m ON m.id = s.monitor_id AND m.deleted_at IS NULL";
  const changedAfter = database.prepare<{ application: string; key: string }, [Instant]>(
    `SELECT a.slug AS application, m.key FROM ${states} JOIN applications a ON a.id = m.application_id
     WHERE s.changed_at > ? ORDER BY m.id`,
  );
  const newestChange = database.prepare<{ at: Instant | null }, []>(`SELECT max(s.changed_at) AS at FROM ${states}`);
  const wakes = database.prepare<{ monitorId: number; wakeAt: Instant | null }, [number, number]>(
    "SELECT monitor_id AS monitorId, wake_at AS wakeAt FROM monitor_states WHERE monitor_id > ? ORDER BY monitor_id LIMIT ?",
  );

  function recordOf(row: Row, runId: string | null, rules: WatchRules): MonitorRecord {
    const { id, applicationId, application, key } = row;
    const storedRuns = row.runsThatMatter > 0 || runId !== null ? runs.load(id, runId) : NO_RUNS;
    const incident = row.openIncidentId === null ? null : incidents.load(row.openIncidentId);
    const { monitor, heads } = fromState(row, watchOf(row, rules), row.createdAt, runsOf(storedRuns), incident);
    const { updatedAt, wakeAt } = row;
    return {
      id,
      applicationId,
      application,
      key,
      declared: declaredOf(row),
      updatedAt,
      wakeAt,
      heads,
      storedRuns,
      monitor,
    };
  }

  return {
    load: (applicationId, key, runId, rules) => {
      const row = byKey.get(applicationId, key);
      return row === null ? null : recordOf(row, runId, rules);
    },
    loadById: (id, rules) => {
      const row = byId.get(id);
      return row === null ? null : recordOf(row, null, rules);
    },
    savedMaintenance: (id) => windowsOf(maintenance.get(id)?.maintenance ?? null),
    find: (applicationId, key) => find.get({ applicationId, key })?.id ?? null,
    ids: () => all.all().map(({ id }) => id),
    count: (applicationId) => count.get(applicationId)!.monitors,
    countActive: (applicationId) => countActive.get(applicationId)!.monitors,
    names: (applicationId) => names.all({ applicationId }),
    insert: (application, key, declared, monitor, wakeAt) => {
      const { createdAt } = monitor;
      const settings = settingsOf(declared, monitor.watch, createdAt);
      const id = Number(
        insert.run({ ...settings, ...UNDECLARED, applicationId: application.id, key, createdAt, deletedAt: null })
          .lastInsertRowid,
      );
      insertState.run(toState(id, monitor, NO_HEADS, wakeAt));
      return {
        id,
        applicationId: application.id,
        application: application.slug,
        key,
        declared,
        updatedAt: createdAt,
        wakeAt,
        heads: NO_HEADS,
        storedRuns: NO_RUNS,
        monitor,
      };
    },
    saveSettings: (id, declared, watch, updatedAt) => {
      saveSettings.run({ ...settingsOf(declared, watch, updatedAt), id });
    },
    saveState: (id, monitor, heads, wakeAt) => {
      saveState.run(toState(id, monitor, heads, wakeAt));
    },
    saveWake: (id, wakeAt) => void saveWake.run(wakeAt, id),
    changedAfter: (at) => changedAfter.all(at),
    newestChange: () => newestChange.get()?.at ?? null,
    *allWakes(from = 0) {
      for (let after = from; ; ) {
        const rows = wakes.all(after, WAKES_AT_ONCE);
        for (const { monitorId, wakeAt } of rows) if (wakeAt !== null) yield { monitorId, wakeAt };
        if (rows.length < WAKES_AT_ONCE) return;
        after = rows.at(-1)!.monitorId;
      }
    },
  };
}

const runsOf = (storedRuns: StoredRuns) =>
  storedRuns === NO_RUNS ? [] : [...storedRuns.values()].map(({ run }) => run);

function watchOf(row: Row, rules: WatchRules): Watch {
  const { schedule, timezone, graceSeconds, maxRuntimeSeconds } = row;
  return { schedule, timezone, graceSeconds, maxRuntimeSeconds, ...rules(row.application, row.key) };
}

export type DeclaredRow = Pick<
  Row,
  "declaredName" | "declaredSchedule" | "declaredTimezone" | "declaredGraceSeconds" | "declaredMaxRuntimeSeconds"
>;

export const declaredOf = (row: DeclaredRow): Declared => ({
  name: row.declaredName,
  schedule: row.declaredSchedule,
  timezone: row.declaredTimezone,
  graceSeconds: row.declaredGraceSeconds,
  maxRuntimeSeconds: row.declaredMaxRuntimeSeconds,
});

const settingsOf = (declared: Declared, watch: Watch, updatedAt: Instant) => ({
  declaredName: declared.name,
  declaredSchedule: declared.schedule,
  declaredTimezone: declared.timezone,
  declaredGraceSeconds: declared.graceSeconds,
  declaredMaxRuntimeSeconds: declared.maxRuntimeSeconds,
  schedule: watch.schedule,
  timezone: watch.timezone,
  graceSeconds: watch.graceSeconds,
  maxRuntimeSeconds: watch.maxRuntimeSeconds,
  maintenance: watch.maintenance.length === 0 ? null : JSON.stringify(watch.maintenance),
  updatedAt,
});

/**
 * Rows that are older than the column have null as well: a window that lasts at their first start begins then, as if it
 * were new. Taken for the present ones, a window that really is new would be missed, and its jobs raise alarms.
 */
const windowsOf = (stored: string | null): readonly MaintenanceWindow[] => (stored === null ? [] : JSON.parse(stored));
