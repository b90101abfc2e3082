// Writes the commented file of `rollcall init`, with every key. It must still load when each setting's # is removed.

import Type, { type TSchema } from "typebox";
import { KEYS } from "./all-keys.ts";
import { environmentName } from "./environment.ts";
import { keyNameInFault } from "./fault.ts";
import { annotationsOf, namesNotesOf, type SampleValue, tableNotesOf, type WrittenValue } from "./kinds.ts";
import { writeToml } from "./toml.ts";

const HEAD = `# The configuration of rollcall. Nothing in it is needed to start.
#
# A line that begins with # and no space is a setting: take the # away to change it. It shows the default; where there
# is none, an example that is marked so. The [table] above a setting must be there too.
#
# Every setting can also come from the environment, which wins: ${environmentName(["server", "listen"])} is listen in [server],
# lists are comma-separated, tables and lists of tables are JSON.
# Durations are "30s", "15m", "2h", "90d". Relative paths start in the working directory.
# Check it with: rollcall config check
`;

/** Returns the file's text. It sets only the server's time zone, to `timezone` of this machine; `null` sets nothing. */
export function exampleToml(timezone: string | null): string {
  const text = `${[HEAD.trimEnd(), ...innerLines(KEYS, [], false)].join("\n")}\n`;
  return timezone === null ? text : text.replace(SERVER_TIMEZONE, `$1\ntimezone = ${writeToml(timezone)}`);
}

/** Matches the server's time zone, which is the first setting of this name, together with the comment above it. */
const SERVER_TIMEZONE = /^(# .*?)(?: \(example\))?\n#timezone = .*$/m;

function tableLines(
  schema: Type.TObject,
  path: readonly string[],
  optional: boolean,
  sample: SampleValue | null,
): string[] {
  const properties = Object.entries(schema.properties);
  const settings = properties.filter(([name, property]) => isSetting(property) && isShown(name, sample));
  const tables = properties.filter(([name, property]) => !isSetting(property) && !sample?.without?.includes(name));
  const head =
    path.length === 0
      ? []
      : ["", ...meaningLines(schema), `${optional ? "#" : ""}[${path.map(keyNameInFault).join(".")}]`];
  return [
    ...head,
    ...settings.flatMap(([name, property]) => settingLines(name, property, sample?.values?.[name])),
    ...tables.flatMap(([name, property]) => innerLines(property, [...path, name], optional)),
  ];
}

function innerLines(schema: TSchema, path: readonly string[], optional: boolean): string[] {
  if (Type.IsObject(schema)) return tableLines(schema, path, optional, null);
  if (!Type.IsRecord(schema)) return [];
  const entry = Type.RecordValue(schema);
  if (!Type.IsObject(entry)) return [];
  const lines = namesNotesOf(schema).samples.map((sample) => tableLines(entry, [...path, sample.name], true, sample));
  return ["", ...meaningLines(schema), ...lines.flatMap((each, place) => (place === 0 ? each.slice(1) : each))];
}

const isSetting = (schema: TSchema): boolean => !Type.IsObject(schema) && !Type.IsRecord(schema);

const isShown = (name: string, sample: SampleValue | null): boolean =>
  !sample?.without?.includes(name) &&
  (sample?.only === undefined || sample.only.includes(name) || sample.values?.[name] !== undefined);

function meaningLines(schema: TSchema): string[] {
  const { meaning } = tableNotesOf(schema);
  return meaning === undefined ? [] : [`# ${meaning}`];
}

function settingLines(name: string, schema: TSchema, value: WrittenValue | undefined): string[] {
  const { meaning, default: byDefault, example, secret } = annotationsOf(schema);
  if (Type.IsArray(schema) && Type.IsObject(schema.items)) {
    return [`# ${meaning} Each: ${columns(schema.items)}`, `#${name} = [${inlineTable(schema.items)}]`];
  }
  const shown = value ?? byDefault ?? example;
  const note = byDefault === undefined ? " (example)" : "";
  const elsewhere = secret ? ` A secret: ${name}_file may name a file that holds it.` : "";
  return [`# ${meaning}${elsewhere}${note}`, `#${name} = ${writeToml(shown ?? "")}`];
}

const columns = (schema: Type.TObject): string =>
  Object.entries(schema.properties)
    .map(([name, property]) => `${name} (${annotationsOf(property).meaning?.replace(/\.$/, "").toLowerCase()})`)
    .join(", ");

const inlineTable = (schema: Type.TObject): string =>
  `{ ${Object.entries(schema.properties)
    .map(([name, property]) => `${name} = ${writeToml(annotationsOf(property).example ?? "")}`)
    .join(", ")} }`;
