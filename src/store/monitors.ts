// Loads whole monitors for the domain, and saves what the domain decided of them. A monitor's identity and settings are
// a row in `monitors`; its facts are in memory/monitor-states.ts, its runs and incidents in files beside this one.

import type { Database } from "bun:sqlite";
import type { Monitor, MonitorFacts } from "../domain/monitor/monitor.ts";
import type { RhythmCount } from "../domain/rate-limit.ts";
import type { AppliedValues, Declared } from "../domain/settings/settings.ts";
import type { Instant } from "../domain/time.ts";
import type { IncidentRows } from "./incidents.ts";
import type { ZoneRows } from "./known-zone-rules.ts";
import type { KnownMonitors, MonitorIdentity } from "./memory/known-monitors.ts";
import type { MonitorStates } from "./memory/monitor-states.ts";
import { appliedOf, type SettingsRow, SHARED_AS_TEXT, type SharedSettings, toSettings } from "./monitor-settings.ts";
import { fromState, type Heads, NO_HEADS, toState } from "./monitor-state.ts";
import { NO_RUNS, type RunRows, type StoredRuns } from "./runs.ts";
import { monitors } from "./schema.ts";
import { assignmentsOf, columnsOf, insertInto, PARAMETER_IN_SUBQUERY, type Stored, unlessDamaged } from "./sql.ts";

export interface StoredMonitor extends Omit<MonitorIdentity, "createdAt"> {
  readonly wakeAt: Instant | null;
  readonly heads: Heads;
  /** The runs of `facts.runs` with the ids of their rows. */
  readonly storedRuns: StoredRuns;
  readonly facts: MonitorFacts;
}

export type Wake = Readonly<{ monitorId: number; wakeAt: Instant | null }>;

type StoredMonitorRow = Omit<MonitorIdentity, keyof SharedSettings> & { readonly shared: string };

const READ_AT_ONCE = 1_000;

const IDENTITY = ["id", "applicationId", "key", "createdAt", "deletedAt"] as const;
const DECLARATION = ["source", "sourceVersion", "declaredAt", "metadata"] as const;
const UNDECLARED = { source: null, sourceVersion: null, declaredAt: null, metadata: null };

export interface MonitorParts {
  readonly states: MonitorStates;
  readonly known: KnownMonitors;
  readonly runs: RunRows;
  readonly incidents: IncidentRows;
  readonly zones: ZoneRows;
}

export const monitorRows = (database: Database, parts: MonitorParts) => ({
  ...loading(database, parts),
  ...listing(database, parts.known),
  ...saving(database, parts),
  ...timing(database, parts.states),
});

function loading(database: Database, { states, known, runs, incidents }: MonitorParts) {
  const columns = columnsOf(monitors, "m", ["id", "applicationId", "key", "createdAt", "updatedAt"]);
  const select = `SELECT ${columns}, ${SHARED_AS_TEXT} AS shared FROM monitors m`;
  const byKey = database.prepare<StoredMonitorRow, [number, string]>(
    `${select} WHERE m.id = (SELECT id FROM monitors WHERE application_id = ? AND key = ? AND deleted_at IS NULL)`,
  );
  const byId = database.prepare<StoredMonitorRow, [number]>(
    `${select} WHERE m.id = ${PARAMETER_IN_SUBQUERY} AND m.deleted_at IS NULL`,
  );

  function knownOf(applicationId: number, key: string): MonitorIdentity | null {
    const row = byKey.get(applicationId, key);
    if (row === null) return null;
    const monitor = monitorOf(row);
    known.keep(monitor);
    return monitor;
  }

  function monitorOf({ id, applicationId, key, createdAt, updatedAt, shared }: StoredMonitorRow): MonitorIdentity {
    const { application, declared, applied } = known.sharing(shared);
    return { id, applicationId, application, key, createdAt, declared, applied, updatedAt };
  }

  function storedOf(monitor: MonitorIdentity | null, runId: string | null): StoredMonitor | null {
    const state = monitor === null ? null : states.load(monitor.id);
    if (monitor === null || state === null) return null;
    // The fields are named one by one: this runs on every ping, and a rest pattern takes twenty times as long.
    const { id, applicationId, application, key, declared, applied, updatedAt } = monitor;
    const storedRuns =
      state.runsThatMatter > 0 || runId !== null ? runs.load(id, state.runsThatMatter, runId) : NO_RUNS;
    const incident = state.openIncidentId === null ? null : incidents.load(state.openIncidentId);
    const { facts, heads } = fromState(state, monitor.createdAt, runsOf(storedRuns), incident);
    const { wakeAt } = state;
    return { id, applicationId, application, key, declared, applied, updatedAt, wakeAt, heads, storedRuns, facts };
  }

  return {
    /**
     * Loads a monitor by its key; `null` when there is none. Of its runs it gets those that are marked `matters` and,
     * with a `runId`, also the newest run with this run_id.
     */
    load: (applicationId: number, key: string, runId: string | null) =>
      storedOf(known.get(applicationId, key) ?? knownOf(applicationId, key), runId),
    loadById: (id: number) => {
      const row = byId.get(id);
      return storedOf(row === null ? null : monitorOf(row), null);
    },
  };
}

const runsOf = (storedRuns: StoredRuns) =>
  storedRuns === NO_RUNS ? [] : [...storedRuns.values()].map(({ run }) => run);

type OutOfLine = Readonly<{ id: number; applicationId: number; key: string }>;

function listing(database: Database, known: KnownMonitors) {
  const find = database.prepare<{ id: number }, [{ applicationId: number; key: string }]>(
    "SELECT id FROM monitors WHERE application_id = $applicationId AND key = $key AND deleted_at IS NULL",
  );
  const after = database.prepare<{ id: number }, [number, number, number | null]>(
    `SELECT id FROM monitors WHERE deleted_at IS NULL AND id > ?1 AND (?3 IS NULL OR application_id = ?3)
     ORDER BY id LIMIT ?2`,
  );
  const alike = database.prepare<{ id: number }, [number, string, string]>(
    `SELECT id FROM monitors WHERE application_id = ? AND deleted_at IS NULL
       AND (key GLOB ? OR instr('label:' || replace(declared_labels, ' ', ' label:') || ' ', ? || ' ') > 0) LIMIT 1`,
  );
  const highest = database.prepare<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'monitors'");
  const countActive = database.prepare<{ monitors: number }, [number]>(
    `SELECT count(*) AS monitors FROM monitors m JOIN monitor_states s ON s.monitor_id = m.id
     WHERE m.application_id = ? AND m.deleted_at IS NULL AND s.paused_by_discovery = 0 AND s.paused_by_plan = 0
       AND (s.paused_manually = 0 OR s.paused_until IS NOT NULL)`,
  );
  const notFollowing = database.prepare<OutOfLine, [{ after: number; upTo: number; limit: number }]>(
    `SELECT m.id, m.application_id AS applicationId, m.key FROM monitors m JOIN applications a ON a.id = m.application_id JOIN monitor_states s ON s.monitor_id = m.id
     WHERE m.id > $after AND m.id <= $upTo AND m.deleted_at IS NULL AND (a.deleted_at IS NOT NULL OR (a.suspended_at IS NOT NULL) <> s.paused_by_suspension)
     ORDER BY m.id LIMIT $limit`,
  );
  const rhythms = database.prepare<RhythmCount, [{ applicationId: number; most: number }]>(
    `SELECT schedule, every_seconds AS everySeconds, count(*) AS monitors FROM (
       SELECT schedule, every_seconds FROM monitors WHERE application_id = $applicationId AND deleted_at IS NULL LIMIT $most
     ) GROUP BY schedule, every_seconds`,
  );
  /**
   * Returns what `notFollowing` returns, but reads monitor by monitor, so that only monitors on a damaged page are left
   * out.
   */
  function readableOutOfLine(after: number, limit: number): OutOfLine[] {
    const found: OutOfLine[] = [];
    const end = highest.get()?.seq ?? 0;
    for (let id = after + 1; id <= end && found.length < limit; id++)
      found.push(...(unlessDamaged(() => notFollowing.all({ after: id - 1, upTo: id, limit: 1 })) ?? []));
    return found;
  }
  return {
    /** How many monitors of an application have each schedule or interval. At most `most` monitors are counted. */
    rhythms: (applicationId: number, most: number) => rhythms.all({ applicationId, most }),
    /**
     * At most `limit` monitors with ids above `after` that must still be paused, resumed or deleted with their
     * application (R3), sorted by id.
     */
    notFollowing: (after: number, limit: number) =>
      unlessDamaged(() => notFollowing.all({ after, upTo: Number.MAX_SAFE_INTEGER, limit })) ??
      readableOutOfLine(after, limit),
    /** The id of a monitor, even if the rest of it is damaged; `null` when there is none. */
    find: (applicationId: number, key: string) =>
      known.get(applicationId, key)?.id ?? find.get({ applicationId, key })?.id ?? null,
    /** Whether the pattern (domain/pattern.ts) matches the key or a declared label of a monitor of the application. */
    hasAlike: (applicationId: number, pattern: string): boolean =>
      alike.get(applicationId, pattern.replaceAll(/[?[]/g, "[$&]"), pattern) !== null,
    /**
     * The ids of all monitors, or of one application's, in ascending order. They are read a thousand at a time, so the
     * caller may wait in between. Where a page is damaged, each number that may be an id is returned.
     */
    *ids(applicationId: number | null = null) {
      const end = highest.get()?.seq ?? 0;
      for (let last = 0; last < end; ) {
        const some =
          unlessDamaged(() => after.all(last, READ_AT_ONCE, applicationId).map(({ id }) => id)) ??
          numbersAfter(last, Math.min(end, last + READ_AT_ONCE));
        yield* some;
        if (some.length === 0) return;
        last = some.at(-1)!;
      }
    },
    /**
     * How many monitors of the application count against the limit of its plan (`isActive` of
     * domain/monitor/monitor.ts, R34).
     */
    countActive: (applicationId: number) => countActive.get(applicationId)!.monitors,
  };
}

const numbersAfter = (last: number, end: number): number[] =>
  Array.from({ length: end - last }, (_, index) => last + 1 + index);

function saving(database: Database, { states, known, zones }: MonitorParts) {
  const insert = database.prepare<null, [Omit<Stored<typeof monitors>, "id">]>(insertInto(monitors));
  const saveSettings = database.prepare<null, [SettingsRow & { readonly id: number }]>(
    `UPDATE monitors SET ${assignmentsOf(monitors, [...IDENTITY, ...DECLARATION])} WHERE id = $id`,
  );
  const rename = database.prepare<null, [string, number]>("UPDATE monitors SET key = ? WHERE id = ?");
  return {
    /** Gives a monitor another key. No other monitor of the application may have that key. */
    rename: (id: number, key: string): void => {
      known.changing();
      rename.run(key, id);
    },
    insert: (
      { id: applicationId, slug: application }: { readonly id: number; readonly slug: string },
      key: string,
      declared: Declared,
      { watch, ...facts }: Monitor,
      wakeAt: Instant | null,
    ): StoredMonitor => {
      known.adding();
      zones.use(watch.timezone);
      const { createdAt } = facts;
      const settings = toSettings(declared, watch, createdAt);
      const identity = { applicationId, key, createdAt, deletedAt: null };
      const id = Number(insert.run({ ...settings, ...UNDECLARED, ...identity }).lastInsertRowid);
      states.insert(toState(id, facts, NO_HEADS, wakeAt));
      const named = { id, applicationId, application, key };
      const rest = { updatedAt: createdAt, wakeAt, heads: NO_HEADS, storedRuns: NO_RUNS, facts };
      return { ...named, declared, applied: appliedOf(settings), ...rest };
    },
    saveSettings: (id: number, declared: Declared, applied: AppliedValues, updatedAt: Instant): void => {
      known.changing();
      zones.use(applied.timezone);
      saveSettings.run({ ...toSettings(declared, applied, updatedAt), id });
    },
    /** Saves the facts of a monitor, without its runs and its incident. */
    saveState: (id: number, facts: MonitorFacts, heads: Heads, wakeAt: Instant | null) =>
      states.save(toState(id, facts, heads, wakeAt)),
    saveWake: (id: number, wakeAt: Instant): void => {
      const row = states.load(id);
      if (row !== null) states.save({ ...row, wakeAt });
    },
    /**
     * Updates the monitor's row in `monitor_states` at once. Must be called after `saveState` when pauses or the open
     * incident have changed, because queries search for these.
     */
    saveForQueries: states.follow,
  };
}

function timing(database: Database, states: MonitorStates) {
  const rows = "monitor_states s JOIN monitors m ON m.id = s.monitor_id AND m.deleted_at IS NULL";
  const newestChange = database.prepare<{ at: Instant | null }, []>(`SELECT max(s.changed_at) AS at FROM ${rows}`);
  const wakes = database.prepare<Wake, [number, number]>(
    "SELECT monitor_id AS monitorId, wake_at AS wakeAt FROM monitor_states WHERE monitor_id > ? ORDER BY monitor_id LIMIT ?",
  );
  const one = database.prepare<Wake & { readonly changedAt: Instant }, [number]>(
    "SELECT monitor_id AS monitorId, wake_at AS wakeAt, changed_at AS changedAt FROM monitor_states WHERE monitor_id = ?",
  );
  const last = database.prepare<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'monitors'");
  /** Reads `wake_at` and `changed_at` of monitors row by row, and leaves out rows on a damaged page. */
  const readable = (after: number, end: number) =>
    numbersAfter(after, end).flatMap((id) => unlessDamaged(() => one.get(id)) ?? []);
  const end = (): number => last.get()?.seq ?? 0;
  return {
    /**
     * The newest `changed_at` of all rows in `monitor_states`; `null` without monitors. Facts in memory may be newer.
     */
    newestChange: () =>
      unlessDamaged(() => newestChange.get()?.at ?? null) ??
      readable(0, end()).reduce<Instant | null>(
        (newest, { changedAt }) => Math.max(newest ?? changedAt, changedAt),
        null,
      ),
    /**
     * For each monitor, sorted by id: when time alone changes it next; `null` means never. Each `yield` gives about
     * `atOnce` monitors.
     */
    *wakes(atOnce: number) {
      for (let after = 0; ; ) {
        const page = unlessDamaged(() => wakes.all(after, atOnce));
        if (page === null) {
          const upTo = Math.min(end(), after + atOnce);
          yield readable(after, upTo).map((row) => states.newerThanRow(row.monitorId) ?? row);
          if (upTo === end()) return;
          after = upTo;
          continue;
        }
        if (page.length > 0) yield page.map((row) => states.newerThanRow(row.monitorId) ?? row);
        if (page.length < atOnce) return;
        after = page.at(-1)!.monitorId;
      }
    },
  };
}
