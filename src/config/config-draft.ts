// Makes the configuration from the checked values. Each is decoded as its key declares, such as a duration to
// milliseconds, inner values before the tables around them.

import Type, { type TSchema } from "typebox";
import { type Checked, checkKeys } from "./check-tree.ts";
import { environmentName, isRollcallVariable } from "./environment.ts";
import { type Fault, type FaultOrigin, faultAt, formatPath, type Path } from "./fault.ts";
import { annotationsOf } from "./kinds.ts";
import { type ConfigPlace, camelCaseKey, readConfigText, type Surroundings } from "./place.ts";
import { nodeAt, type TableNode } from "./tree.ts";

export interface ConfigDraft extends Checked {
  readonly tree: TableNode;
  readonly warnings: Fault[];
}

export const draftOf = (tree: TableNode, surroundings: Surroundings): ConfigDraft => ({
  ...checkKeys(tree, surroundings),
  tree,
  warnings: [],
});

/** Returns the values that the program uses. If decoding adds faults to the draft, the result must not be used. */
export const decodeAll = <S extends TSchema>(draft: ConfigDraft, schema: S): Type.Static<S> =>
  decode(draft, schema, draft.values, []) as Type.Static<S>;

function decode(draft: ConfigDraft, schema: TSchema, value: unknown, path: Path): unknown {
  let decoded = inside(draft, schema, value, path);
  for (const decoder of annotationsOf(schema).decoders ?? []) decoded = decoder(decoded as never, placeAt(draft, path));
  return decoded;
}

function inside(draft: ConfigDraft, schema: TSchema, value: unknown, path: Path): unknown {
  if (Type.IsArray(schema))
    return (value as readonly unknown[]).flatMap((item, place) =>
      item === undefined ? [] : [decode(draft, schema.items, item, [...path, place])],
    );
  const of = (each: TSchema, name: string) =>
    decode(draft, each, (value as Readonly<Record<string, unknown>>)[name], [...path, name]);
  if (Type.IsRecord(schema))
    return new Map(Object.keys(value as object).map((name) => [name, of(Type.RecordValue(schema), name)]));
  if (!Type.IsObject(schema)) return value;
  const fields = Object.entries(schema.properties).flatMap(([name, property]) => {
    if ((value as Readonly<Record<string, unknown>>)[name] !== undefined)
      return [[camelCaseKey(name), of(property, name)]];
    return annotationsOf(property).inherited ? [] : [[camelCaseKey(name), null]];
  });
  return Object.fromEntries(fields);
}

export function placeAt(draft: ConfigDraft, base: Path): ConfigPlace {
  const { tree, faults, warnings, broken, surroundings, secrets } = draft;
  const below = (path: Path): Path => [...base, ...path];
  const fault = (path: Path, what: string, rule: string): Fault =>
    faultAt(originOf(draft, below(path)), below(path), what, rule);
  const complain = (path: Path, what: string, rule: string): void => {
    faults.push(fault(path, what, rule));
  };
  return {
    path: base,
    get whole() {
      return placeAt(draft, []);
    },
    surroundings,
    complain,
    miss: (path, rule) => {
      const isBroken = below(path).some((_, place) => broken.has(formatPath(below(path).slice(0, place + 1))));
      if (!isBroken) complain(path, "is missing", rule);
    },
    warn: (path, what, rule) => {
      warnings.push(fault(path, what, rule));
    },
    isWritten: (path) => nodeAt(tree, below(path)) !== undefined,
    names: (path) => {
      const node = nodeAt(tree, below(path));
      if (node === undefined) return [];
      return node.kind === "table" ? [...node.entries.keys()] : null;
    },
    text: (path) => {
      const node = nodeAt(tree, below(path));
      return node?.kind === "scalar" ? String(node.value) : "";
    },
    pem: (path, file, secret) => {
      const read = readConfigText(surroundings, file);
      if ("text" in read && read.text.includes("-----BEGIN ")) {
        if (secret) secrets.add(read.text);
        return read.text;
      }
      const what = "text" in read ? "names a file that is not PEM" : `cannot be read (${read.code})`;
      complain(path, what, "must be the path of a PEM file that can be read");
      return null;
    },
  };
}

/**
 * Returns where a value was set, otherwise where the nearest table around it was set. If a variable set that table, or
 * nothing was set, it returns the name of the variable that could set the value.
 */
function originOf(draft: ConfigDraft, path: Path): FaultOrigin {
  for (let length = path.length; length > 0; length--) {
    const node = nodeAt(draft.tree, path.slice(0, length));
    if (node === undefined) continue;
    const { file, line } = node.origin;
    return length === path.length || line !== null || !isRollcallVariable(file)
      ? node.origin
      : { file: environmentName(path), line: null };
  }
  return { file: environmentName(path), line: null };
}
