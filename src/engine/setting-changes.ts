// Saves the values of a monitor that have changed, and notes what they were and who changed them. Called in the
// transaction of the change.

import type { Watch } from "../domain/monitor/monitor.ts";
import { type AppliedValues, DECLARED_FIELDS, type Declared, WATCHED_FIELDS } from "../domain/settings/settings.ts";
import type { Instant } from "../domain/time.ts";
import type { ChangedValue, SettingChangeRow } from "../store/monitor-settings.ts";
import type { Store } from "../store/store.ts";

/** `source`: the registry's; null: it was none. */
export type ChangedBy = Pick<SettingChangeRow, "by" | "source">;

interface Changed {
  readonly store: Store;
  readonly id: number;
  readonly now: Instant;
}

/** What a report or a registry declared. */
export function saveDeclared(
  { store, id, now }: Changed,
  before: Declared,
  declared: Declared,
  watch: AppliedValues,
  by: ChangedBy,
): void {
  store.monitors.saveSettings(id, declared, watch, now);
  const changes = DECLARED_FIELDS.map((field): ChangedValue => [field, before[field], declared[field]]);
  note({ store, id, now }, changes, by);
}

/** What the configuration puts in force. */
export function saveConfigured({ store, id, now }: Changed, declared: Declared, before: Watch, watch: Watch): void {
  store.monitors.saveSettings(id, declared, watch, now);
  const changes = WATCHED_FIELDS.map((field): ChangedValue => [field, before[field], watch[field]]);
  note({ store, id, now }, changes, { by: "configuration", source: null });
}

function note({ store, id, now }: Changed, values: readonly ChangedValue[], by: ChangedBy): void {
  const changes = values.filter(([, before, since]) => before !== since);
  if (changes.length === 0) return;
  store.settingChanges.insert({ ...by, monitorId: id, at: now, changes: JSON.stringify(changes) });
}
