// The tree of the settings that were written, whether as TOML, JSON or in the environment: each value with its origin.

import type { TSchema } from "typebox";
import type { FaultOrigin, Path } from "./fault.ts";
import { annotationsOf, schemaUnder } from "./kinds.ts";

export type TableNode = Readonly<{ kind: "table"; origin: FaultOrigin; entries: Map<string, Node> }>;

export type ListNode = Readonly<{ kind: "list"; origin: FaultOrigin; items: Node[] }>;

export type ScalarNode = Readonly<{ kind: "scalar"; origin: FaultOrigin; value: unknown }>;

export type Node = TableNode | ListNode | ScalarNode;

export const emptyTable = (origin: FaultOrigin): TableNode => ({ kind: "table", origin, entries: new Map() });

/** Makes a node of a value that was read as JSON. All parts of the node get the same origin. */
export function nodeFromJson(value: unknown, origin: FaultOrigin): Node {
  if (Array.isArray(value)) return { kind: "list", origin, items: value.map((item) => nodeFromJson(item, origin)) };
  if (typeof value !== "object" || value === null) return { kind: "scalar", origin, value };
  const entries = Object.entries(value).map(([name, item]): [string, Node] => [name, nodeFromJson(item, origin)]);
  return { kind: "table", origin, entries: new Map(entries) };
}

/** Puts `node` into the tree at the path. It makes missing tables on the way, and replaces any value there. */
export function plantNode(root: TableNode, path: readonly string[], node: Node): void {
  let table = root;
  for (const name of path.slice(0, -1)) {
    const next = table.entries.get(name);
    if (next?.kind === "table") {
      table = next;
      continue;
    }
    const made = emptyTable(node.origin);
    table.entries.set(name, made);
    table = made;
  }
  const name = path.at(-1);
  if (name !== undefined) table.entries.set(name, node);
}

/**
 * Joins two tables: tables of the same name are joined in turn, and any other value of `upper` replaces that of
 * `lower`. `schema` describes both tables. If it has a secret `x`, then `x` and `x_file` are two ways to give it, and
 * either in `upper` replaces both in `lower`. For any other key the ending `_file` means nothing.
 */
export function mergeTables(lower: TableNode, upper: TableNode, schema: TSchema | undefined): TableNode {
  const entries = new Map(lower.entries);
  for (const name of upper.entries.keys()) {
    const owner = name.endsWith("_file") ? name.slice(0, -"_file".length) : name;
    if (isSecret(schema, owner)) entries.delete(name === owner ? `${owner}_file` : owner);
  }
  for (const [name, node] of upper.entries) {
    const below = entries.get(name);
    const areTables = below?.kind === "table" && node.kind === "table";
    entries.set(name, areTables ? mergeTables(below, node, schemaUnder(schema, name)) : node);
  }
  return { kind: "table", origin: lower.origin, entries };
}

const isSecret = (schema: TSchema | undefined, name: string): boolean =>
  annotationsOf(schemaUnder(schema, name) ?? {}).secret === true;

export function nodeAt(root: Node, path: Path): Node | undefined {
  let node: Node | undefined = root;
  for (const part of path) {
    if (node?.kind === "table" && typeof part === "string") node = node.entries.get(part);
    else if (node?.kind === "list" && typeof part === "number") node = node.items[part];
    else return undefined;
  }
  return node;
}
