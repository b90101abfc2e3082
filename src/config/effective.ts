// Lists the configuration in force for people: each key with its value and where the value was set. It holds no secret.

import { createHash } from "node:crypto";
import Type, { type TSchema } from "typebox";
import { KEYS } from "./all-keys.ts";
import type { ConfigDraft } from "./config-draft.ts";
import { faultPlace, formatPath, type Path } from "./fault.ts";
import { annotationsOf } from "./kinds.ts";
import { nodeAt } from "./tree.ts";

export interface EffectiveSetting {
  readonly key: string;
  readonly value: string | null;
  /** True when a secret value is set. `value` is then `null`. */
  readonly secret: boolean;
  /**
   * A hash of the value, by which a change of a secret is noticed. The hash is never shown. `null` when there is no
   * value.
   */
  readonly digest: string | null;
  /** Where the value was set: a file with its line, a variable or a credential; `null` when it is the default. */
  readonly from: string | null;
  readonly meaning: string;
  /** True when a change of the value comes into force only at a restart. */
  readonly restart: boolean;
}

/**
 * Returns the settings in the order of the table of keys. Inside a destination, an application or a list of tables,
 * such as the team's members, only keys that were written or have a default are included.
 */
export function effectiveSettings(draft: ConfigDraft, directory: string): EffectiveSetting[] {
  return settingsBelow(draft, KEYS, draft.values, []).map((setting) =>
    setting.key === "storage.directory" ? { ...setting, ...directorySetting(draft, directory, setting) } : setting,
  );
}

function settingsBelow(draft: ConfigDraft, schema: TSchema, value: unknown, path: Path): EffectiveSetting[] {
  if (Type.IsObject(schema))
    return Object.entries(schema.properties).flatMap(([name, property]) =>
      settingsBelow(draft, property, (value as Readonly<Record<string, unknown>>)[name], [...path, name]),
    );
  if (Type.IsRecord(schema))
    return Object.entries(value ?? {}).flatMap(([name, entry]) =>
      settingsBelow(draft, Type.RecordValue(schema), entry, [...path, name]),
    );
  if (Type.IsArray(schema) && (Type.IsObject(schema.items) || Type.IsRecord(schema.items)))
    return ((value ?? []) as readonly unknown[]).flatMap((item, place) =>
      settingsBelow(draft, schema.items, item, [...path, place]),
    );
  return leaf(draft, schema, value, path);
}

function leaf(draft: ConfigDraft, schema: TSchema, value: unknown, path: Path): EffectiveSetting[] {
  const { secret = false, meaning = "", restart = false } = annotationsOf(schema);
  const isSet = value !== undefined && value !== "";
  if (!isSet && isRepeated(path)) return [];
  const shown = !isSet || secret ? null : valueInWords(value);
  return [
    {
      key: formatPath(path),
      value: shown,
      secret: secret && isSet,
      digest: isSet ? createHash("sha256").update(JSON.stringify(value)).digest("base64") : null,
      from: isSet ? sourceOfValue(draft, path, secret) : null,
      meaning,
      restart,
    },
  ];
}

/** Whether the path is inside a destination, an application or a list of tables, where most keys are not set. */
const isRepeated = (path: Path): boolean =>
  path[0] === "destinations" || path[0] === "applications" || path.some((part) => typeof part === "number");

const valueInWords = (value: unknown): string =>
  Array.isArray(value) ? value.map(valueInWords).join(", ") : withoutQuery(String(value));

/** Removes the query from a web address, because the query often holds a token (R40). */
const withoutQuery = (text: string): string => text.replace(/^(https?:\/\/[^?#]*)[?#].*$/s, "$1?…");

function sourceOfValue({ tree }: ConfigDraft, path: Path, secret: boolean): string | null {
  const written = nodeAt(tree, path);
  if (written !== undefined) return faultPlace(written.origin);
  if (!secret) return null;
  const file = nodeAt(tree, [...path.slice(0, -1), `${path.at(-1)}_file`]);
  return file === undefined ? `credential ${formatPath(path)}` : `the file that ${faultPlace(file.origin)} names`;
}

/** The data directory as an absolute path. If no key names it, systemd may have done so in STATE_DIRECTORY. */
function directorySetting({ tree, surroundings }: ConfigDraft, value: string, { from }: EffectiveSetting) {
  const isNamed = nodeAt(tree, ["storage", "directory"]) === undefined && surroundings.environment["STATE_DIRECTORY"];
  return { value, from: isNamed ? "STATE_DIRECTORY" : from };
}
