// Reads settings from environment variables. Their names are ROLLCALL_ and the key's path, with two underscores between
// levels: ROLLCALL_SERVER__LISTEN sets `listen` in [server]. A fault never quotes a variable's text.

import Type, { type TSchema } from "typebox";
import { CLIENT_VARIABLES } from "../domain/client-variables.ts";
import { nearestKnownName, withoutUtf8Mark } from "../domain/text.ts";
import { orElse } from "../domain/unless-missing.ts";
import { KEYS } from "./all-keys.ts";
import { type Fault, type FaultOrigin, faultAt, type Path } from "./fault.ts";
import { annotationsOf, namesNotesOf } from "./kinds.ts";
import { emptyTable, type Node, nodeFromJson, plantNode } from "./tree.ts";

const PREFIX = "ROLLCALL_";
export const CONFIG_VARIABLE = "ROLLCALL_CONFIG";

/**
 * The variables with an administrator's key, or with the file that has the key. Commands read them to ask a service
 * elsewhere; the service itself does not.
 */
export const ADMIN_KEY_VARIABLES = { key: "ROLLCALL_ADMIN_KEY", file: "ROLLCALL_ADMIN_KEY_FILE" } as const;

export const IMPORT_KEY_VARIABLE = "ROLLCALL_FROM_KEY";

/** Variables that begin with ROLLCALL_ but set no key of the configuration. */
const OTHERS: readonly string[] = [
  CONFIG_VARIABLE,
  IMPORT_KEY_VARIABLE,
  ...Object.values(ADMIN_KEY_VARIABLES),
  ...Object.values(CLIENT_VARIABLES),
];

export type Variable = Readonly<{ name: string; text: string; origin: FaultOrigin }>;

export const isRollcallVariable = (name: string): boolean => name.startsWith(PREFIX) && !OTHERS.includes(name);

/**
 * Makes a tree of the settings in `variables`. A whole table may be set as JSON, and one of its keys by a variable of
 * its own. Then the variable of the key, which has the longer name, counts.
 */
export function readEnvironment(variables: readonly Variable[]) {
  const tree = emptyTable({ file: "environment", line: null });
  const faults: Fault[] = [];
  for (const variable of [...variables].sort((a, b) => levelsOf(a.name).length - levelsOf(b.name).length)) {
    const { name, origin } = variable;
    const place = findPlace(levelsOf(name));
    const node = place && nodeFromText(place.schema, variable);
    if (node !== null) plantNode(tree, place!.path, node);
    else if (place !== null) faults.push(faultAt(origin, place.path, "is not JSON", "must be one JSON value"));
    else
      faults.push(
        faultAt(
          origin,
          levelsOf(name).map((level) => level.toLowerCase()),
          "is unknown",
          suggestion(name),
        ),
      );
  }
  return { tree, faults };
}

/**
 * Returns the name of the variable that sets the key at this path. Some keys can only be set as JSON; then it returns
 * the name of the variable for the whole table around the key.
 */
export function environmentName(path: Path): string {
  const levels: string[] = [];
  let schema: TSchema | undefined = KEYS;
  for (const part of path) {
    if (Type.IsRecord(schema) && namesNotesOf(schema).inEnvironment) schema = Type.RecordValue(schema);
    else if (Type.IsObject(schema)) schema = schema.properties[part];
    else break;
    levels.push(String(part).replaceAll("-", "_").toUpperCase());
  }
  return PREFIX + levels.join("__");
}

const levelsOf = (name: string): string[] => name.slice(PREFIX.length).split("__");

function findPlace(levels: readonly string[]): { readonly path: readonly string[]; readonly schema: TSchema } | null {
  const path: string[] = [];
  let schema: TSchema = KEYS;
  for (const level of levels) {
    if (!/^[A-Z0-9_]+$/.test(level)) return null;
    const name = level.toLowerCase();
    if (Type.IsRecord(schema) && namesNotesOf(schema).inEnvironment) {
      path.push(name.replaceAll("_", "-"));
      schema = Type.RecordValue(schema);
      continue;
    }
    const next = Type.IsObject(schema) ? propertyOf(schema, name) : null;
    if (next === null) return null;
    path.push(name);
    schema = next;
  }
  return { path, schema };
}

function propertyOf(schema: Type.TObject, name: string): TSchema | null {
  if (Object.hasOwn(schema.properties, name)) return schema.properties[name] ?? null;
  const owner = name.endsWith("_file") ? name.slice(0, -"_file".length) : "";
  const isSecret = Object.hasOwn(schema.properties, owner) && annotationsOf(schema.properties[owner] ?? {}).secret;
  return isSecret ? Type.String() : null;
}

/**
 * Reads a variable's text as a value of the schema. A list of plain values is written with commas, tables and lists of
 * tables as JSON. Returns `null` when the text should be JSON but is not.
 */
export function nodeFromText(schema: TSchema, { text, origin }: Pick<Variable, "text" | "origin">): Node | null {
  if (Type.IsArray(schema) && !Type.IsObject(schema.items)) {
    const words = text.split(",").map((word) => word.trim());
    return nodeFromJson(text.trim() === "" ? [] : words, origin);
  }
  if (Type.IsObject(schema) || Type.IsRecord(schema) || Type.IsArray(schema))
    return orElse(null, () => nodeFromJson(JSON.parse(text), origin));
  return { kind: "scalar", origin, value: valueIn(schema, text) };
}

/** Reads a single value. A text that is no value of the schema stays text, which the check of the tree refuses. */
function valueIn(schema: TSchema, text: string): string | number | boolean {
  if (Type.IsInteger(schema) && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (Type.IsBoolean(schema) && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

function suggestion(name: string): string {
  const levels = levelsOf(name.toUpperCase());
  const table = environmentName(levels.map((level) => level.toLowerCase()));
  const found = findPlace(levelsOf(table))?.schema;
  if (Type.IsRecord(found) || Type.IsArray(found)) return `must stand in the JSON of ${table}`;
  const near = nearestKnownName(
    name.toUpperCase(),
    allNames(KEYS, levels).map((known) => PREFIX + known.join("__")),
  );
  return near === null ? `must be ${PREFIX} and a key with "__" between levels` : `did you mean ${near}?`;
}

/**
 * Returns the names of all variables that rollcall reads, each as a list of its levels: `ROLLCALL_SERVER__LISTEN` has
 * the levels `SERVER` and `LISTEN`. `levels` are those of the variable that a person has written. Where a level is a
 * name that people choose, such as a destination's, it is taken from `levels`.
 */
function allNames(schema: TSchema, levels: readonly string[]): string[][] {
  if (Type.IsRecord(schema) && namesNotesOf(schema).inEnvironment && levels[0] !== undefined) {
    return below(levels[0], Type.RecordValue(schema), levels);
  }
  if (!Type.IsObject(schema)) return [];
  return Object.entries(schema.properties).flatMap(([name, property]) => {
    const level = name.toUpperCase();
    const names = below(level, property, levels);
    return annotationsOf(property).secret ? [...names, [`${level}_FILE`]] : names;
  });
}

const below = (level: string, schema: TSchema, levels: readonly string[]): string[][] => [
  [level],
  ...allNames(schema, levels.slice(1)).map((rest) => [level, ...rest]),
];

// The following reads an environment file as systemd reads its EnvironmentFile, so that one file works for both. node,
// Bun and dotenv cannot: they cut values at #, read other escapes, skip wrong lines and know no line numbers.

interface Reader {
  readonly text: string;
  at: number;
}

/**
 * Reads `NAME=value` lines. Lines that begin with `#` or `;` are comments. A value may be in quotes, over several
 * lines: in single quotes nothing is escaped, in double quotes `\` escapes `"`, `\`, `` ` `` and `$`. Without quotes
 * `\` escapes any character, and white space at both ends is dropped. A `\` at the end of a line joins the next line.
 */
export function parseEnvFile(text: string, file: string) {
  const variables: Variable[] = [];
  const faults: Fault[] = [];
  const reader: Reader = { text: withoutUtf8Mark(text).replace(/\r\n/g, "\n"), at: 0 };
  const complain = (line: number, what: string, rule: string) =>
    faults.push(faultAt({ file, line }, ["variable"], what, rule));

  while (takeMatch(reader, /\s*/y) !== null && reader.at < reader.text.length) {
    const line = lineAt(reader);
    if (takeMatch(reader, /[#;].*/y) !== null) continue;
    const name = takeMatch(reader, /([A-Za-z_][A-Za-z0-9_]*)[ \t]*=/y)?.[1];
    if (name === undefined) {
      takeMatch(reader, /.*/y);
      complain(line, "is not NAME=value", "must be a name of letters, digits and _, then = and the value");
      continue;
    }
    const value = takeValue(reader);
    if (value === null) complain(line, `${name} has a quote that is never closed`, "must be closed by the same quote");
    else variables.push({ name, text: value, origin: { file, line } });
  }
  return { variables, faults };
}

/** Reads a value up to the end of its line: quoted parts, then bare text, joined; `null` when a quote is not closed. */
function takeValue(reader: Reader): string | null {
  let value = "";
  for (;;) {
    takeMatch(reader, /(?:[ \t]|\\\n)*/y);
    const single = takeMatch(reader, /'([^']*)'/y);
    const double = takeMatch(reader, /"((?:[^"\\]|\\[\s\S])*)"/y);
    if (single !== null) value += single[1] ?? "";
    if (double !== null) value += (double[1] ?? "").replace(/\\([\s\S])/g, inDoubleQuotes);
    if (single === null && double === null) break;
  }
  if (/["']/.test(reader.text[reader.at] ?? "")) {
    reader.at = reader.text.length;
    return null;
  }
  const bare = takeMatch(reader, /((?:[^\\\n]|\\[\s\S]|\\$)*?)[ \t]*(?=\n|$)/y)?.[1] ?? "";
  return value + bare.replace(/\\([\s\S])/g, (_, character: string) => (character === "\n" ? "" : character));
}

function inDoubleQuotes(written: string, character: string): string {
  if (character === "\n") return "";
  return '"\\`$'.includes(character) ? character : written;
}

function takeMatch(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const match = pattern.exec(reader.text);
  if (match !== null) reader.at = pattern.lastIndex;
  return match;
}

const lineAt = (reader: Reader): number => reader.text.slice(0, reader.at).split("\n").length;
