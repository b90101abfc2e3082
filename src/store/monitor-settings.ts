// Converts a monitor's settings to columns and back. Also reads and writes the changes of settings, who asked for a
// manual pause, and planned maintenance.

import type { Database } from "bun:sqlite";
import type { Maintenance, MaintenanceWindow } from "../domain/schedule/maintenance.ts";
import type { NamedTimes, PlannedMaintenance } from "../domain/schedule/planned.ts";
import { NOTHING_DECLARED } from "../domain/settings/declared.ts";
import {
  type AppliedValues,
  DECLARED_FIELDS,
  type Declared,
  type DeclaredField,
  type ValuesInForce,
  WATCHED_FIELDS,
  type WatchedField,
} from "../domain/settings/settings.ts";
import { capitalized } from "../domain/text.ts";
import type { Instant } from "../domain/time.ts";
import { pruner } from "./retention.ts";
import { monitors } from "./schema.ts";
import { maintenances, pausesByHand, settingChanges } from "./schema-people.ts";
import { assignmentsOf, columnsOf, insertInto, type Stored, valuesOf } from "./sql.ts";

type DeclaredColumn<Field extends DeclaredField> = `declared${Capitalize<Field>}`;

export type DeclaredRow = { readonly [Field in DeclaredField as DeclaredColumn<Field>]: Declared[Field] };

type AppliedRow = ValuesInForce<WatchedField> & { readonly maintenance: string | null };

export type SettingsRow = DeclaredRow & AppliedRow & { readonly updatedAt: Instant };

const DECLARED: readonly (readonly [DeclaredField, keyof DeclaredRow])[] = DECLARED_FIELDS.map((field) => [
  field,
  `declared${capitalized(field)}` as keyof DeclaredRow,
]);

export const DECLARED_COLUMNS = DECLARED.map(([, column]) => column);

export function declaredOf(row: DeclaredRow): Declared {
  const declared: Record<string, unknown> = { ...NOTHING_DECLARED };
  for (const [field, column] of DECLARED) declared[field] = row[column];
  return declared as unknown as Declared;
}

export function appliedOf(row: AppliedRow): AppliedValues {
  const applied: Record<string, unknown> = { maintenance: windowsOf(row.maintenance) };
  for (const field of WATCHED_FIELDS) applied[field] = row[field];
  return applied as unknown as AppliedValues;
}

export const toSettings = (declared: Declared, applied: AppliedValues, updatedAt: Instant): SettingsRow =>
  Object.fromEntries([
    ...DECLARED.map(([field, column]) => [column, declared[field]]),
    ...WATCHED_FIELDS.map((field) => [field, applied[field]]),
    ["maintenance", applied.maintenance.length === 0 ? null : JSON.stringify(applied.maintenance)],
    ["updatedAt", updatedAt],
  ]);

/** The part of a monitor's row that is equal for many monitors. */
export type SharedSettings = Readonly<{ application: string; declared: Declared; applied: AppliedValues }>;

const SHARED = [...DECLARED_COLUMNS, ...WATCHED_FIELDS, "maintenance"];

/**
 * SQL: the settings of the monitor `m` that many monitors share, as one text. A query then returns one value, not 19,
 * and monitors with equal texts can share one object.
 */
export const SHARED_AS_TEXT = `json_array((SELECT slug FROM applications a WHERE a.id = m.application_id), ${valuesOf(monitors, "m", SHARED)})`;

export function storedSharedSettings(text: string): SharedSettings {
  const [application, ...values] = JSON.parse(text);
  const row = Object.fromEntries(SHARED.map((field, place) => [field, values[place]])) as DeclaredRow & AppliedRow;
  return { application, declared: declaredOf(row), applied: appliedOf(row) };
}

const NO_WINDOWS: readonly MaintenanceWindow[] = [];

/**
 * Reads the maintenance that applied when the row was saved. Rows from before this column have null, which counts as
 * none. So maintenance that was in progress then counts as newly begun. The present maintenance must not stand in for
 * null: newly planned maintenance would not be noticed, and its jobs would raise alarms.
 */
const windowsOf = (stored: string | null): readonly MaintenanceWindow[] =>
  stored === null ? NO_WINDOWS : JSON.parse(stored);

// Who asked for a manual pause of a monitor, and why. Whether the monitor is paused now is one of its facts, not here.

export type PauseByHand = Readonly<Stored<typeof pausesByHand>>;

export function pauseByHandRows(database: Database) {
  const save = database.prepare<null, [PauseByHand]>(
    `${insertInto(pausesByHand)} ON CONFLICT (monitor_id) DO UPDATE SET ${assignmentsOf(pausesByHand, ["monitorId"])}`,
  );
  const end = database.prepare<null, [number]>("UPDATE pauses_by_hand SET until = at WHERE monitor_id = ?");
  const find = database.prepare<PauseByHand, [number]>(
    `SELECT ${columnsOf(pausesByHand, "h")} FROM pauses_by_hand h WHERE h.monitor_id = ?`,
  );
  return {
    save: (pause: PauseByHand) => void save.run(pause),
    /**
     * Stores that the pause is over, because a person resumed the monitor: `until` becomes `at`. Otherwise a clock that
     * is set back could bring the pause back.
     */
    end: (monitorId: number) => void end.run(monitorId),
    /** The pause that a person asked for last, even if it is over; `null` when there was none. */
    find: (monitorId: number): PauseByHand | null => find.get(monitorId),
  };
}

// The rows of planned maintenance (R24). Those of deleted applications are not read.

type MaintenanceRow = Readonly<Stored<typeof maintenances>>;

export type StoredMaintenance = Omit<PlannedMaintenance, "reaches">;

export type NewMaintenance = Pick<MaintenanceRow, "applicationId" | "reason" | "at" | "by"> &
  Pick<StoredMaintenance, "targets" | "window"> & {
    /**
     * The times as clocks in a zone show them, if a person named them so; otherwise `null`. When the zone's rules
     * change, the window is computed from them again.
     */
    readonly named: NamedTimes | null;
  };

const NO_TIMES = {
  from: null,
  until: null,
  wallFrom: null,
  wallUntil: null,
  schedule: null,
  timezone: null,
  durationSeconds: null,
};

function toMaintenance(row: MaintenanceRow & { readonly application: string }): StoredMaintenance {
  const { targets, from, until, schedule, timezone, durationSeconds, ...others } = row;
  const { applicationId: _, wallFrom: _from, wallUntil: _until, ...rest } = others;
  const window = schedule === null ? { from: from!, until: until! } : { schedule, timezone, durationSeconds };
  return { ...rest, targets: JSON.parse(targets), window: window as MaintenanceWindow };
}

type NamedRow = NamedTimes & Maintenance & Readonly<{ id: number }>;

export function maintenanceRows(database: Database) {
  const insert = database.prepare<{ id: number }, [Omit<MaintenanceRow, "id">]>(
    `${insertInto(maintenances)} RETURNING id`,
  );
  const rowsWhere = (condition: string) =>
    database.prepare<MaintenanceRow & { application: string }, [number]>(
      `SELECT ${columnsOf(maintenances, "w")}, a.slug AS application FROM maintenances w
         JOIN applications a ON a.id = w.application_id AND a.deleted_at IS NULL
       WHERE ${condition} ORDER BY w.id`,
    );
  const since = rowsWhere("coalesce(w.ended_at, w.until_at, ?1) >= ?1");
  const byId = rowsWhere("w.id = ?");
  const open = rowsWhere("w.ended_at IS NULL AND (w.until_at IS NULL OR w.until_at > ?1)");
  const named = database.prepare<NamedRow, [Instant]>(
    `SELECT id, from_at AS "from", until_at AS "until", timezone, wall_from AS wallFrom, wall_until AS wallUntil
     FROM maintenances WHERE ended_at IS NULL AND schedule IS NULL AND timezone IS NOT NULL AND until_at > ?`,
  );
  const move = database.prepare<null, [Maintenance & { readonly id: number }]>(
    "UPDATE maintenances SET from_at = $from, until_at = $until WHERE id = $id",
  );
  const end = database.prepare<null, [{ id: number; at: Instant; by: string | null }]>(
    "UPDATE maintenances SET ended_at = $at, ended_by = $by WHERE id = $id",
  );
  const rename = database.prepare<null, [{ applicationId: number; from: string; to: string }]>(
    `UPDATE maintenances SET targets =
       (SELECT json_group_array(iif(value = $from, $to, value)) FROM json_each(targets))
     WHERE application_id = $applicationId AND ended_at IS NULL
       AND EXISTS (SELECT 1 FROM json_each(targets) WHERE value = $from)`,
  );
  return {
    insert: ({ targets, window, named, ...row }: NewMaintenance): number =>
      insert.get({
        ...NO_TIMES,
        ...row,
        ...window,
        ...named,
        targets: JSON.stringify(targets),
        endedAt: null,
        endedBy: null,
      })!.id,
    find: (id: number) => byId.all(id).map(toMaintenance)[0] ?? null,
    /**
     * The maintenance that is in progress or still to come and was not ended early, in the order in which it was
     * planned.
     */
    open: (now: Instant) => open.all(now).map(toMaintenance),
    /** The maintenance that was not over at this instant, in the order in which it was planned. */
    since: (at: Instant) => since.all(at).map(toMaintenance),
    /** The maintenance that is not over, and whose beginning or end a person gave as wall time of a zone. */
    named: (now: Instant) => named.all(now),
    move: (id: number, { from, until }: Maintenance) => void move.run({ id, from, until }),
    end: (id: number, at: Instant, by: string | null) => void end.run({ id, at, by }),
    /**
     * Puts a monitor's new key in place of its old one in all maintenance that was not ended early. Returns whether any
     * of it named the monitor.
     */
    rename: (applicationId: number, from: string, to: string) => rename.run({ applicationId, from, to }).changes > 0,
    prune: pruner(database, { table: "maintenances", instant: "coalesce(ended_at, until_at)", keep: "false" }),
  };
}

// The rows that say how a monitor's settings changed, and by whom.

export type ChangedValue = readonly [field: string, before: string | number | null, since: string | number | null];

export type SettingChangeRow = Readonly<Stored<typeof settingChanges>>;

/**
 * How many changes of settings are kept for each monitor. Without a limit, two hosts that declare the same job
 * differently would add one with each report.
 */
const KEPT = 50;

export function settingChangeRows(database: Database) {
  const insert = database.prepare<null, [Omit<SettingChangeRow, "id">]>(insertInto(settingChanges));
  const forget = database.prepare<null, [{ monitorId: number }]>(
    `DELETE FROM setting_changes WHERE id IN
       (SELECT id FROM setting_changes WHERE monitor_id = $monitorId ORDER BY id DESC LIMIT -1 OFFSET ${KEPT})`,
  );
  const of = database.prepare<SettingChangeRow, [{ monitorId: number; before: Instant; limit: number }]>(
    `SELECT ${columnsOf(settingChanges, "c")} FROM setting_changes c WHERE c.monitor_id = $monitorId AND c.at < $before
     ORDER BY c.id DESC LIMIT $limit`,
  );
  return {
    insert: (change: Omit<SettingChangeRow, "id">): void => {
      insert.run(change);
      forget.run({ monitorId: change.monitorId });
    },
    /** At most `limit` changes of a monitor that were made before the instant `before`, the newest first. */
    of: (monitorId: number, before: Instant, limit: number) => of.all({ monitorId, before, limit }),
  };
}
