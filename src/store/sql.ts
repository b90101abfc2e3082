// The texts of hand-prepared statements, made from the schema so that each column is named in one place only. Also how
// SQL reads the data of alerts, and reads around damaged pages. Drizzle's own prepared queries take 14 µs, these take 1
// to 4; they serve what happens on every ping.

import { getTableColumns, getTableName } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { type AlertKind, isTrouble, MESSAGE_TYPES } from "../domain/message/alert.ts";
import type { NoticeDetails } from "../domain/message/notice.ts";
import { isDamage } from "../domain/storage-fault.ts";

type Cell<Value> = unknown extends Value ? string : Value extends boolean ? 0 | 1 : Value;

/** A row as SQLite returns and accepts it: booleans are 0 and 1, JSON is text. */
export type Stored<Table extends SQLiteTable> = {
  [Field in keyof Table["$inferSelect"]]: Cell<Table["$inferSelect"][Field]>;
};

/**
 * SQL: `s."wake_at" AS "wakeAt", …`, the columns of the table `alias`, all or `only` some, under the schema's field
 * names.
 */
export const columnsOf = (table: SQLiteTable, alias: string, only: readonly string[] | null = null): string =>
  tableFields(table)
    .filter(([field]) => only?.includes(field) ?? true)
    .map(([field, column]) => `${alias}."${column}" AS "${field}"`)
    .join(", ");

/** SQL: a list of the values of these columns, in this order and without names. */
export const valuesOf = (table: SQLiteTable, alias: string, fields: readonly string[]): string =>
  fields.map((field) => `${alias}."${getTableColumns(table)[field]!.name}"`).join(", ");

/** SQL: an INSERT of every column except those whose field is in `except`. Parameters are the schema's field names. */
export function insertInto(table: SQLiteTable, except: readonly string[] = ["id"]): string {
  const fields = tableFields(table).filter(([field]) => !except.includes(field));
  const columns = fields.map(([, column]) => `"${column}"`);
  const values = fields.map(([field]) => `$${field}`);
  return `INSERT INTO "${getTableName(table)}" (${columns.join(", ")}) VALUES (${values.join(", ")})`;
}

/** SQL: `"wake_at" = $wakeAt, …` for every column except those whose field is in `except`. */
export const assignmentsOf = (table: SQLiteTable, except: readonly string[]): string =>
  tableFields(table)
    .filter(([field]) => !except.includes(field))
    .map(([field, column]) => `"${column}" = $${field}`)
    .join(", ");

/**
 * SQL: a parameter for comparisons that run on every ping. If SQLite has more than one way to a row and sees `column =
 * ?`, it plans the statement again on every run; with a subquery it does not. To read a monitor takes 2 µs this way,
 * otherwise 18.
 */
export const PARAMETER_IN_SUBQUERY = "(SELECT ?)";

/** The keys in the order of their rows in the file, so that neighbours are written together. */
export const inOrder = (keys: Iterable<number>): Float64Array => Float64Array.from(keys).sort();

export const toBit = (truth: boolean): 0 | 1 => (truth ? 1 : 0);

const tableFields = (table: SQLiteTable): [field: string, column: string][] =>
  Object.entries(getTableColumns(table)).map(([field, column]) => [field, column.name]);

// How SQL reads the data of alerts, which is JSON. Unreadable data stops no query, and counts as empty.

/** SQL: the data of the alert `a`. */
export const ALERT_DATA = "iif(json_valid(a.data), a.data, '{}')";

/** SQL: the value at this path in the data of the alert `a`, such as `notice.kind`; null when there is none. */
export const inAlert = (path: string): string => `json_extract(${ALERT_DATA}, '$.${path}')`;

/** SQL: the list of the types of alerts that tell of trouble. */
export const TROUBLE_TYPES = Object.entries(MESSAGE_TYPES)
  .filter(([kind]) => isTrouble(kind as AlertKind))
  .map(([, type]) => `'${type}'`)
  .join(", ");

/**
 * SQL: when a person acknowledged the incident of the delivery `d`, if `d` was not sent for that reason; otherwise
 * null.
 */
export const ACKNOWLEDGED_AT =
  "iif(d.why = 'acknowledged', (select i.acknowledged_at from incidents i where i.id = d.incident_id), null)";

/** SQL: whether the alert `a` is a notice of one of these kinds. Notices belong to no incident. */
export const isNotice = (...kinds: readonly NoticeDetails["kind"][]): string =>
  `a.incident_id IS NULL AND a.type = 'service.notice' AND ${inAlert("notice.kind")} IN ('${kinds.join("', '")}')`;

// Functions that read around damaged pages: they leave out the rows of a damaged page, and return all others.

/** Returns what `read` reads; `null` when a page is damaged. */
export function unlessDamaged<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}
