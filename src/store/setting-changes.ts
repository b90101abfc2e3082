// The rows that say how the values of a monitor have changed, and who changed them: the last of each monitor.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";
import { settingChanges } from "./schema-people.ts";
import { columnsOf, insertInto, type Stored } from "./sql.ts";

/** A setting, its value before and its value since. */
export type ChangedValue = readonly [field: string, before: string | number | null, since: string | number | null];

export type SettingChangeRow = Readonly<Stored<typeof settingChanges>>;

export interface SettingChangeRows {
  insert(change: Omit<SettingChangeRow, "id">): void;
  /** Of this monitor before this instant, the newest first. */
  of(monitorId: number, before: Instant, limit: number): SettingChangeRow[];
}

/** Two hosts that declare a job differently change it with each report. */
const KEPT = 50;

export function settingChangeRows(database: Database): SettingChangeRows {
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
    insert: (change) => {
      insert.run(change);
      forget.run({ monitorId: change.monitorId });
    },
    of: (monitorId, before, limit) => of.all({ monitorId, before, limit }),
  };
}
