// docs/configuration.md is the table of keys in words: each of its tables shows every key with its default and its
// meaning, and no other. `UPDATE_DOCS=1` rewrites the tables.

import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Type, { type TSchema } from "typebox";
import { KEYS } from "../../src/config/all-keys.ts";
import { annotationsOf, type WrittenValue } from "../../src/config/kinds.ts";
import { ROOT } from "../support/executable.ts";

const DOCUMENT = join(ROOT, "docs/configuration.md");
const HEAD = "| Key | Default | Meaning |\n|---|---|---|";
const MARKER = /<!-- keys: (\S+) -->\n(?:\n\|.*(?:\n\|.*)*\n)?/g;

/** A key of a table: its name, and its name in a table within, such as `links.logs`. */
interface Row {
  readonly name: string;
  readonly schema: TSchema;
}

/** Every table of the configuration by its path, with `*` for a free name; a list of tables counts as one. */
function tablesOf(schema: TSchema, path: readonly string[]): Map<string, readonly Row[]> {
  if (Type.IsRecord(schema)) return tablesOf(Type.RecordValue(schema), [...path, "*"]);
  if (Type.IsArray(schema) && Type.IsObject(schema.items)) return tablesOf(schema.items, [...path, "*"]);
  if (!Type.IsObject(schema)) return new Map();
  const entries = Object.entries(schema.properties);
  const isWithin = (property: TSchema): property is Type.TObject => path.length > 0 && Type.IsObject(property);
  const rows = entries.flatMap(([name, property]) => {
    if (isWithin(property))
      return Object.entries(property.properties).map(([inner, each]) => ({ name: `${name}.${inner}`, schema: each }));
    return Type.IsObject(property) || Type.IsRecord(property) ? [] : [{ name, schema: property }];
  });
  const inner = entries
    .filter(([, property]) => !isWithin(property))
    .flatMap(([name, property]) => [...tablesOf(property, [...path, name])]);
  return new Map([...(rows.length === 0 ? [] : [[path.join("."), rows] as const]), ...inner]);
}

const written = (value: WrittenValue): string =>
  Array.isArray(value)
    ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]`
    : typeof value === "string"
      ? JSON.stringify(value)
      : String(value);

function rowOf({ name, schema }: Row): string {
  const { meaning = "", default: byDefault, secret, restart } = annotationsOf(schema);
  expect(meaning, name).not.toBe("");
  const shown = byDefault === undefined ? "" : ` \`${written(byDefault)}\``;
  const told = `${meaning}${secret ? " A secret." : ""}${restart ? " Needs a restart." : ""}`;
  return `| \`${name}\` |${shown} | ${told.replaceAll("|", "\\|")} |`;
}

const TABLES = tablesOf(KEYS, []);

test("docs/configuration.md has a table for each table of keys, and no other", () => {
  const named = [...readFileSync(DOCUMENT, "utf8").matchAll(MARKER)].map(([, path]) => path);
  expect(named.toSorted()).toEqual([...TABLES.keys()].toSorted());
});

test("docs/configuration.md shows every key with its default and its meaning, as the program has them", () => {
  const found = readFileSync(DOCUMENT, "utf8");
  const told = found.replace(
    MARKER,
    (_, path: string) => `<!-- keys: ${path} -->\n\n${[HEAD, ...(TABLES.get(path) ?? []).map(rowOf)].join("\n")}\n`,
  );
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(DOCUMENT, told);
  else expect(found).toBe(told);
});

test("the walk finds keys of every depth", () => {
  const names = [...TABLES].flatMap(([path, rows]) => rows.map(({ name }) => `${path}.${name}`));
  expect(names).toContain("server.listen");
  expect(names).toContain("team.members.*.email");
  expect(names).toContain("applications.*.monitors.*.links.runbook");
  expect(names).toContain("applications.*.monitors.*.outcomes.*.on_failure");
  expect(new Set(names).size).toBe(names.length);
});
