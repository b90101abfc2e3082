// Checks the written settings by the table of keys. It reports all faults, and returns the values without a fault,
// together with the defaults.

import { join } from "node:path";
import Type, { type TSchema } from "typebox";
import Value from "typebox/value";
import { lineNotUtf8, nearestOrAll, withoutUtf8Mark } from "../domain/text.ts";
import { KEYS } from "./all-keys.ts";
import { type Fault, type FaultOrigin, faultAt, formatPath, NOT_UTF8, type Path } from "./fault.ts";
import { type Annotations, annotationsOf, namesNotesOf, tableNotesOf } from "./kinds.ts";
import { readConfigText, type Surroundings } from "./place.ts";
import { emptyTable, type ListNode, type Node, type ScalarNode, type TableNode } from "./tree.ts";

interface Check {
  readonly surroundings: Surroundings;
  readonly faults: Fault[];
  /** Keys that have a fault. They are not reported as missing in addition. */
  readonly broken: Set<string>;
  readonly credentials: string[];
  /** The values of secret keys, which logs hide. Secrets that may be everyday words are left out. */
  readonly secrets: Set<string>;
}

export interface Checked extends Check {
  /** The value of each key; its default, or `undefined`, when it was not written or has a fault. */
  readonly values: Readonly<Record<string, unknown>>;
}

export function checkKeys(tree: TableNode, surroundings: Surroundings): Checked {
  const check: Check = { surroundings, faults: [], broken: new Set(), credentials: [], secrets: new Set() };
  return { ...check, values: readTable(check, KEYS as Type.TSchema as Type.TObject, tree, []) };
}

function complain(check: Check, node: Node, path: Path, what: string, rule: string): void {
  check.faults.push(faultAt(node.origin, path, what, rule));
  check.broken.add(formatPath(path));
}

function checkNode(check: Check, schema: TSchema, node: Node, path: Path): unknown {
  if (Type.IsObject(schema)) return readTable(check, schema, node, path);
  if (Type.IsRecord(schema)) return readNamed(check, schema, node, path);
  if (Type.IsArray(schema)) return readList(check, schema, node, path);
  return readLeaf(check, schema, node, path);
}

/** The value of a key that was not written: its default, an empty table or list, or `undefined`. */
function absent(check: Check, schema: TSchema, path: Path): unknown {
  const { default: byDefault } = annotationsOf(schema);
  if (byDefault !== undefined) return byDefault;
  if (Type.IsObject(schema) || Type.IsRecord(schema))
    return checkNode(check, schema, emptyTable({ file: "", line: null }), path);
  return Type.IsArray(schema) && !Type.IsOptional(schema) ? [] : undefined;
}

function readTable(check: Check, schema: Type.TObject, node: Node, path: Path): Record<string, unknown> {
  const table = tableOf(check, schema, node, path);
  const known = new Set<string>();
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, property] of Object.entries(schema.properties)) {
    const at = [...path, name];
    known.add(name);
    let written = table.entries.get(name);
    if (annotationsOf(property).secret) {
      known.add(`${name}_file`);
      written = findSecret(check, table, at);
    }
    const value = (written && checkNode(check, property, written, at)) ?? absent(check, property, at);
    if (isToHide(property) && typeof value === "string")
      for (const part of partsOf(name, value)) check.secrets.add(part);
    values[name] = value;
  }
  for (const [name, entry] of table.entries) {
    if (known.has(name)) continue;
    complain(check, entry, [...path, name], "is unknown", nearestOrAll(name, fittingKeys(schema, table, known)));
  }
  return values;
}

/** The known keys that fit the `type` of the table. All known keys, when the table names no type that is known. */
function fittingKeys(schema: TSchema, table: TableNode, known: ReadonlySet<string>): ReadonlySet<string> {
  const type = table.entries.get("type");
  const keys = type?.kind === "scalar" ? tableNotesOf(schema).keysOfType?.(String(type.value)) : null;
  return keys == null ? known : new Set([...known].filter((name) => keys.includes(name.replace(/_file$/, ""))));
}

/**
 * The parts of a secret that logs hide: each of its lines. If the secret is a list of headers, the value behind each
 * header's name is a part too. Headers whose values are everyday words, such as `Accept`, are left out.
 */
function partsOf(key: string, secret: string): string[] {
  const lines = secret.split(/\r?\n/);
  const isOfHeaders = key === "headers";
  const secretLines = isOfHeaders ? lines.filter((line) => !EVERYDAY_HEADER.test(line)) : lines;
  const values = isOfHeaders ? secretLines.map((line) => line.replace(/^[\w-]+: */, "")) : [];
  return [...secretLines, ...values].filter((part) => part !== "");
}

const EVERYDAY_HEADER =
  /^(?:accept|accept-[\w-]+|cache-control|content-[\w-]+|user-agent|(?:x-)?(?:priority|title|tags?)):/i;

function isToHide(property: TSchema): boolean {
  const { secret = false, everyday = false } = annotationsOf(property);
  return secret && !everyday;
}

function readNamed(check: Check, schema: Type.TRecord, node: Node, path: Path): Record<string, unknown> {
  const table = tableOf(check, schema, node, path);
  const { names } = namesNotesOf(schema);
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, entry] of table.entries) {
    const at = [...path, name];
    const problem = names.judge?.(name) ?? null;
    if (problem !== null) complain(check, entry, at, problem.what, names.rule);
    else values[name] = checkNode(check, Type.RecordValue(schema), entry, at);
  }
  return values;
}

function readList(check: Check, schema: Type.TArray, node: Node, path: Path): unknown[] | undefined {
  if (node.kind !== "list") {
    complain(check, node, path, `is ${nodeInWords(node)}`, annotationsOf(schema).rule ?? "must be a list");
    return undefined;
  }
  if (node.items.length < (annotationsOf(schema).least ?? 0)) {
    complain(check, node, path, "is empty", annotationsOf(schema).rule ?? "");
    return undefined;
  }
  return node.items.map((item, place) => checkNode(check, schema.items, item, [...path, place]));
}

function readLeaf(check: Check, schema: TSchema, node: Node, path: Path): unknown {
  const valueRule = annotationsOf(schema);
  const rule = valueRule.rule ?? "";
  const value = node.kind === "scalar" ? node.value : undefined;
  if (!typesOf(schema).includes(typeof value)) {
    complain(check, node, path, `is ${nodeInWords(node)}`, rule);
    return undefined;
  }
  if (!Value.Check(schema, value)) {
    complain(check, node, path, withValue(valueRule, value, valueRule.problem ?? "is refused"), rule);
    return undefined;
  }
  const problem = typeof value === "string" ? (valueRule.judge?.(value) ?? null) : null;
  if (problem === null) return typeof value === "string" ? (valueRule.spell?.(value) ?? value) : value;
  complain(check, node, path, withValue(valueRule, value, problem.what), problem.rule ?? rule);
  return undefined;
}

function typesOf(schema: TSchema): string[] {
  if (Type.IsUnion(schema)) return schema.anyOf.flatMap(typesOf);
  if (Type.IsBoolean(schema)) return ["boolean"];
  return [Type.IsInteger(schema) || Type.IsNumber(schema) ? "number" : "string"];
}

/**
 * Returns the node if it is a table. Otherwise reports a fault and returns an empty table, whose keys then get their
 * defaults.
 */
function tableOf(check: Check, schema: TSchema, node: Node, path: Path): TableNode {
  if (node.kind === "table") return node;
  const sample = typeof path.at(-1) === "number" ? sampleOf(schema) : "";
  complain(check, node, path, `is ${nodeInWords(node)}`, `must be a table${sample}`);
  return emptyTable(node.origin);
}

/**
 * Whether a key must be written. Some such keys are optional in the schema, because a rule reports in better words that
 * they are missing; their meaning begins with "Needed".
 */
const isNeeded = (property: TSchema): boolean =>
  !Type.IsOptional(property) || annotationsOf(property).meaning?.startsWith("Needed") === true;

/** The keys that a table in a list must have, as people would write them: `, such as { email = "ada@example.org" }`. */
function sampleOf(schema: TSchema): string {
  const needed = Type.IsObject(schema)
    ? Object.entries(schema.properties).filter(([, property]) => isNeeded(property))
    : [];
  const keys = needed.flatMap(([name, property]) => {
    const { example, default: byDefault } = annotationsOf(property) as { example?: unknown; default?: unknown };
    return typeof example === "string" && byDefault === undefined ? [`${name} = ${JSON.stringify(example)}`] : [];
  });
  return keys.length === 0 ? "" : `, such as { ${keys.join(", ")} }`;
}

function nodeInWords(node: Node | ListNode): string {
  if (node.kind !== "scalar") return `a ${node.kind}`;
  if (typeof node.value === "string") return "text";
  if (typeof node.value === "number" || typeof node.value === "bigint") return "a number";
  if (typeof node.value === "boolean") return "true or false";
  return node.value === null ? "null" : "a date or time";
}

const SHOWN_LENGTH = 80;

/** Puts the value before the problem, unless it may be a secret, such as a web address in the wrong place. */
function withValue({ hidden, secret }: Annotations, value: unknown, problem: string): string {
  const text = typeof value === "number" ? String(value) : JSON.stringify(value);
  const unsafe = text.length > SHOWN_LENGTH || /:\/\/|whsec_|ck_app_|ck_adm_/.test(text);
  return hidden || secret || unsafe ? problem : `${text} ${problem}`;
}

// The following finds a secret `x`: in the key itself, in the file that `x_file` names, or in a credential of systemd.

/** Returns the secret; `undefined` when it was not given, or could not be read, which is reported. */
function findSecret(check: Check, table: TableNode, path: Path): Node | undefined {
  const name = String(path.at(-1));
  const direct = table.entries.get(name);
  const file = table.entries.get(`${name}_file`);
  if (file === undefined) return direct ?? fromCredential(check, path);
  if (direct === undefined) return valueFromSecretFile(check, file, path);
  return lacking(check, path, faultAt(file.origin, fileKey(path), `is given beside ${formatPath(path)}`, ONE_OF_BOTH));
}

const ONE_OF_BOTH = "must be one or the other";

function lacking(check: Check, path: Path, fault: Fault): undefined {
  check.faults.push(fault);
  check.broken.add(formatPath(path));
}

const fileKey = (path: Path): Path => [...path.slice(0, -1), `${path.at(-1)}_file`];

/** Reads a secret from a file. A fault does not repeat the path: a secret may have been pasted there. */
function valueFromSecretFile(check: Check, file: Node, path: Path): Node | undefined {
  const fault = (what: string, rule = "must be the path of a file that can be read") =>
    lacking(check, path, faultAt(file.origin, fileKey(path), what, rule));
  if (file.kind !== "scalar" || typeof file.value !== "string" || file.value === "") return fault("is not a path");
  const read = readConfigText(check.surroundings, file.value);
  if ("code" in read) return fault(`cannot be read (${read.code})`);
  if (lineNotUtf8(read.text) !== null) return fault(`names a file that ${NOT_UTF8.what}`, NOT_UTF8.rule);
  const node = secretNode(read.text, file.origin);
  return node.value === "" ? fault("names an empty file", "must hold the secret") : node;
}

function fromCredential(check: Check, path: Path): Node | undefined {
  const directory = check.surroundings.environment["CREDENTIALS_DIRECTORY"];
  if (directory === undefined || directory === "") return undefined;
  const name = formatPath(path);
  const origin = { file: `credential ${name}`, line: null };
  const read = readConfigText(check.surroundings, join(directory, name));
  if ("text" in read) {
    if (lineNotUtf8(read.text) !== null)
      return lacking(check, path, faultAt(origin, path, NOT_UTF8.what, NOT_UTF8.rule));
    check.credentials.push(name);
    return secretNode(read.text, origin);
  }
  if (read.code === "ENOENT") return undefined;
  return lacking(
    check,
    path,
    faultAt(origin, path, `cannot be read (${read.code})`, "must be readable by this process"),
  );
}

/** Makes a node of a secret, without what editors add: the mark of UTF-8 at its begin, the line end at its end. */
const secretNode = (text: string, origin: FaultOrigin): ScalarNode => ({
  kind: "scalar",
  origin,
  value: withoutUtf8Mark(text).replace(/\r?\n$/, ""),
});
