// Turns a monitor's settings into columns and back: the declared ones, and those last put in force. Decides nothing.

import type { MaintenanceWindow } from "../domain/schedule/maintenance.ts";
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
import type { Instant } from "../domain/time.ts";

type DeclaredColumn<Field extends DeclaredField> = `declared${Capitalize<Field>}`;

export type DeclaredRow = { readonly [Field in DeclaredField as DeclaredColumn<Field>]: Declared[Field] };

type AppliedRow = ValuesInForce<WatchedField> & { readonly maintenance: string | null };

export type SettingsRow = DeclaredRow & AppliedRow & { readonly updatedAt: Instant };

const DECLARED: readonly (readonly [DeclaredField, keyof DeclaredRow])[] = DECLARED_FIELDS.map((field) => [
  field,
  `declared${field.charAt(0).toUpperCase()}${field.slice(1)}` as keyof DeclaredRow,
]);

/** The schema's names for them. */
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

const NO_WINDOWS: readonly MaintenanceWindow[] = [];

/**
 * Rows that are older than the column have null as well: a window under way at their first start begins then, as if it
 * were new. If we took the present windows instead, we would miss a new one, and its jobs would raise alarms.
 */
const windowsOf = (stored: string | null): readonly MaintenanceWindow[] =>
  stored === null ? NO_WINDOWS : JSON.parse(stored);
