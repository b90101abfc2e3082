// Reads TOML text into a tree that knows the line of every key and value. Knows no keys; never quotes the text in a
// fault, because a line that does not parse may hold a secret.

import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import { type Fault, faultAt, type Origin } from "./fault.ts";
import { emptyTable, type ListNode, type Node, type TableNode } from "./tree.ts";

/** The whole text as one table, or the first place that is not TOML. Faults show `file` as its name. */
export function readToml(text: string, file: string): TableNode | Fault {
  const root = emptyTable({ file, line: 1 });
  try {
    const [program] = parseTOML(text.replace(/^\uFEFF/, "")).body;
    for (const part of program.body) addTopLevel(root, part, file);
    return root;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const what = error.message.charAt(0).toLowerCase() + error.message.slice(1);
    return faultAt({ file, line: error.lineNumber }, ["TOML"], what, "must be valid TOML");
  }
}

function addTopLevel(root: TableNode, part: AST.TOMLKeyValue | AST.TOMLTable, file: string): void {
  if (part.type === "TOMLKeyValue") return addKeyValue(root, part, file);
  const table = openTable(root, part.resolvedKey, { file, line: part.loc.start.line });
  for (const entry of part.body) addKeyValue(table, entry, file);
}

function addKeyValue(table: TableNode, entry: AST.TOMLKeyValue, file: string): void {
  const names = entry.key.keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value));
  const parent = openTable(table, names.slice(0, -1), { file, line: entry.loc.start.line });
  parent.entries.set(names.at(-1) ?? "", nodeOf(entry.value, file));
}

/** The table at the path, created if missing; a number is an index in a list of tables. */
function openTable(root: TableNode, path: readonly (string | number)[], origin: Origin): TableNode {
  let table = root;
  for (const [place, name] of path.entries()) {
    if (typeof name === "number") continue;
    const position = path[place + 1];
    if (typeof position === "number") table = tableInList(listUnder(table, name, origin), position, origin);
    else table = tableUnder(table, name, origin);
  }
  return table;
}

function tableUnder(table: TableNode, name: string, origin: Origin): TableNode {
  const there = table.entries.get(name);
  if (there?.kind === "table") return there;
  const made = emptyTable(origin);
  table.entries.set(name, made);
  return made;
}

function listUnder(table: TableNode, name: string, origin: Origin): ListNode {
  const there = table.entries.get(name);
  if (there?.kind === "list") return there;
  const made: ListNode = { kind: "list", origin, items: [] };
  table.entries.set(name, made);
  return made;
}

function tableInList(list: ListNode, place: number, origin: Origin): TableNode {
  const there = list.items[place];
  if (there?.kind === "table") return there;
  const made = emptyTable(origin);
  list.items[place] = made;
  return made;
}

function nodeOf(value: AST.TOMLContentNode, file: string): Node {
  const origin = { file, line: value.loc.start.line };
  if (value.type === "TOMLArray") {
    return { kind: "list", origin, items: value.elements.map((item) => nodeOf(item, file)) };
  }
  if (value.type === "TOMLInlineTable") {
    const table = emptyTable(origin);
    for (const entry of value.body) addKeyValue(table, entry, file);
    return table;
  }
  return { kind: "scalar", origin, value: value.value };
}
