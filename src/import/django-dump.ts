// Tables of a dump that Django's `dumpdata` made: a list of rows, each with its model, its number and its fields.

import { readFileSync, statSync } from "node:fs";
import { messageOf } from "../domain/message-of.ts";
import { READ_MAX, type Row, type Tables, type Value } from "./values.ts";

interface Entry {
  readonly model: string;
  readonly pk: Value;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Throws a sentence that names the file. `app.model` is the table `app_model`; a reference to a row ends in `_id`, as in SQL. */
export function djangoTables(path: string, names: ReadonlySet<string>): Tables {
  // The whole file is one JSON value, so it is read at once.
  if (statSync(path).size > READ_MAX)
    throw new Error(
      `${path}: is larger than ${READ_MAX / 2 ** 20} MiB; leave out the pings: dumpdata --exclude api.ping`,
    );
  const entries = parsed(path);
  const tables = new Map<string, Row[]>();
  for (const { model, pk, fields } of entries) {
    const table = model.replace(".", "_");
    if (!names.has(table)) continue;
    const rows = tables.get(table) ?? [];
    tables.set(table, rows);
    rows.push(rowOf(pk, fields));
    for (const [name, linked] of Object.entries(fields))
      if (Array.isArray(linked)) addLinks(tables, `${table}_${name}`, table, name, pk, linked);
  }
  return tables;
}

function rowOf(pk: Value, fields: Entry["fields"]): Row {
  const row: Record<string, Value> = { id: pk };
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value)) continue;
    row[name] = row[`${name}_id`] = value as Value;
  }
  return row;
}

/** What SQL has as a table between two others: `channel_id` and `check_id` in `api_channel_checks`. */
function addLinks(
  tables: Map<string, Row[]>,
  between: string,
  table: string,
  name: string,
  pk: Value,
  linked: readonly unknown[],
): void {
  const own = `${table.slice(table.indexOf("_") + 1)}_id`;
  const other = `${name.replace(/s$/, "")}_id`;
  const rows = linked.map((one) => ({ [own]: pk, [other]: one as Value }));
  tables.set(between, [...(tables.get(between) ?? []), ...rows]);
}

function parsed(path: string): readonly Entry[] {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`${path}: is not valid JSON: ${messageOf(error)}`);
  }
  const isEntry = (one: unknown): one is Entry =>
    typeof one === "object" &&
    one !== null &&
    typeof (one as Entry).model === "string" &&
    typeof (one as Entry).fields === "object" &&
    (one as Entry).fields !== null;
  if (!Array.isArray(read) || !read.every(isEntry))
    throw new Error(`${path}: is no dump of Django: each entry must have model, pk and fields`);
  return read;
}
