// The environment: its names for the keys, and a tree of what they set. A name is ROLLCALL_ and the path in upper case
// with two underscores between levels. A fault never quotes a variable's text.

import Type, { type TSchema } from "typebox";
import { CLIENT_VARIABLES } from "../domain/client-variables.ts";
import { nearest } from "../domain/text.ts";
import { orElse } from "../domain/unless-missing.ts";
import { KEYS } from "./all-keys.ts";
import { type Fault, type FaultOrigin, faultAt, type Path } from "./fault.ts";
import { annotationsOf, namesNotesOf } from "./kinds.ts";
import { emptyTable, type Node, nodeFromJson, plant } from "./tree.ts";

const PREFIX = "ROLLCALL_";
export const CONFIG_VARIABLE = "ROLLCALL_CONFIG";

/**
 * An administrator's key, or its file, for commands that ask a service on another machine. That service itself does not
 * read these variables.
 */
export const ADMIN_KEY_VARIABLES = { key: "ROLLCALL_ADMIN_KEY", file: "ROLLCALL_ADMIN_KEY_FILE" } as const;

export const IMPORT_KEY_VARIABLE = "ROLLCALL_FROM_KEY";

/** The variables that commands read and `serve` ignores. */
const OTHERS: readonly string[] = [
  CONFIG_VARIABLE,
  IMPORT_KEY_VARIABLE,
  ...Object.values(ADMIN_KEY_VARIABLES),
  ...Object.values(CLIENT_VARIABLES),
];

export type Variable = Readonly<{ name: string; text: string; origin: FaultOrigin }>;

export const isRollcallVariable = (name: string): boolean => name.startsWith(PREFIX) && !OTHERS.includes(name);

/**
 * Makes the tree of what `variables` set. A variable with a longer name overrides one with a shorter name that holds
 * the same key as JSON.
 */
export function readEnvironment(variables: readonly Variable[]) {
  const tree = emptyTable({ file: "environment", line: null });
  const faults: Fault[] = [];
  for (const variable of [...variables].sort((a, b) => levelsOf(a.name).length - levelsOf(b.name).length)) {
    const { name, origin } = variable;
    const place = findPlace(levelsOf(name));
    const node = place && nodeFromText(place.schema, variable);
    if (node !== null) plant(tree, place!.path, node);
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

/** The variable that sets the key at this path, or the variable of its whole table when only JSON can name the key. */
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
 * The value of a text. A list of plain values is comma-separated; tables and lists of tables are JSON. `null` when the
 * text should be JSON but is not.
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

/** The text as a value of the schema. One that is no such value stays a text, which the check then refuses. */
function valueIn(schema: TSchema, text: string): string | number | boolean {
  if (Type.IsInteger(schema) && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (Type.IsBoolean(schema) && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

function suggestion(name: string): string {
  const levels = levelsOf(name.toUpperCase());
  const near = nearest(
    name.toUpperCase(),
    allNames(KEYS, levels).map((known) => PREFIX + known.join("__")),
  );
  return near === null ? `must be ${PREFIX} and a key with "__" between levels` : `did you mean ${near}?`;
}

/** Every possible name; free names are taken from the levels that were written. */
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

// Reads an environment file as systemd reads its EnvironmentFile, so that one file serves both. node, Bun and dotenv
// cannot do it: they cut a value at #, read other escapes, skip wrong lines and know no line numbers.

interface Reader {
  readonly text: string;
  at: number;
}

/**
 * Reads `NAME=value` lines. Lines that begin with `#` or `;` are comments. A value may be in single quotes (taken as it
 * is) or double quotes (`\` escapes `"`, `\`, `` ` `` and `$`), over several lines; without quotes `\` escapes the next
 * character, and white space at both ends is dropped. A `\` at the end of a line joins the next one to it.
 */
export function parseEnvFile(text: string, file: string) {
  const variables: Variable[] = [];
  const faults: Fault[] = [];
  const reader: Reader = { text: text.replace(/^\uFEFF/, "").replace(/\r\n/g, "\n"), at: 0 };
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

/**
 * Takes all up to the end of the line: quoted parts joined, then the unquoted rest; `null` when a quote does not end.
 */
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
