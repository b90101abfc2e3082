// Reads TOML into a tree with the line of every value, and writes it. No fault quotes the text, which may be a secret.

import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import { withoutUtf8Mark } from "../domain/text.ts";
import { type Fault, type FaultOrigin, faultAt, formatPath } from "./fault.ts";
import type { WrittenValue } from "./kinds.ts";
import { emptyTable, type ListNode, type Node, type TableNode } from "./tree.ts";

/** Says where a line of the text comes from: a file and line, or a command that stored the text. */
type LineOrigin = (line: number) => FaultOrigin;

export const originByLine =
  (file: string): LineOrigin =>
  (line) => ({ file, line });

/** Reads the whole text as one table. If it is not TOML, returns the fault at the first place that is wrong. */
export function readToml(given: string, originOf: LineOrigin): TableNode | Fault {
  const text = withoutUtf8Mark(given);
  const parsed = parse(text);
  if (!(parsed instanceof ParseError)) return treeOf(parsed, originOf);
  const { lineNumber: line, column, message } = whereItBegan(text, parsed);
  const lines = text.split("\n");
  // The lines before the fault are read to name the table in which it is. That fails if the fault began in one of them.
  const before = parse(lines.slice(0, line - 1).join("\n"));
  const header = tableHeaderIn(lines[line - 1] ?? "");
  const table = header ?? (before instanceof ParseError ? null : (lastTable(before) ?? []));
  const place = `column ${column + 1}${table === null || table.length === 0 ? "" : ` in [${formatPath(table)}]`}`;
  const what = `${message.charAt(0).toLowerCase()}${message.slice(1)} (${place})`;
  const first =
    before instanceof ParseError || table === null ? null : firstPlace(before, table, header, lines[line - 1]!);
  const earlier = first === null || !message.includes("multiple times") ? "" : `; line ${first} has it first`;
  const advice = adviceFor(lines[line - 1] ?? "", column, message);
  return faultAt(originOf(line), ["TOML"], what + earlier, `must be valid TOML${advice}`);
}

/** Names the rule that a line breaks, where its fault is one of those that people make who do not know TOML. */
function adviceFor(line: string, column: number, message: string): string {
  if (!/unexpected character|newline|unspecified|unterminated table/i.test(message)) return "";
  if (/^\s*\[/.test(line))
    return line.includes("]") ? ": a name with other letters than A-Z, a-z, 0-9, _ and - stands in double quotes" : "";
  // What stands between the mark and the fault has no quotes, so the value itself was written without them.
  if (/[=,[]\s*[^\s"'[\]{},]*\s*$/.test(line.slice(0, column))) return ": a text stands in straight double quotes";
  return line.includes("=") ? "" : ": a setting is written as name = value";
}

/**
 * Finds where a fault began. The parser notices an incomplete `key = value` only at the beginning of the next line, so
 * the fault may have begun one line earlier.
 */
function whereItBegan(text: string, error: ParseError): Pick<ParseError, "lineNumber" | "column" | "message"> {
  if (error.column > 0 || !/equal|same line|unexpected character|unspecified|unterminated table/i.test(error.message))
    return error;
  const before = text
    .split("\n", error.lineNumber - 1)
    .join("\n")
    .trimEnd();
  const earlier = parse(before);
  if (!(earlier instanceof ParseError)) return error;
  return { lineNumber: earlier.lineNumber, column: earlier.column, message: error.message };
}

type Names = readonly string[];

function parse(text: string): AST.TOMLTopLevelTable | ParseError {
  try {
    return parseTOML(text).body[0];
  } catch (error) {
    if (error instanceof ParseError) return error;
    throw error;
  }
}

function treeOf(program: AST.TOMLTopLevelTable, originOf: LineOrigin): TableNode {
  const root = emptyTable(originOf(1));
  for (const part of program.body) addTopLevel(root, part, originOf);
  return root;
}

const lastTable = (program: AST.TOMLTopLevelTable): Names | null =>
  program.body.findLast((part) => part.type === "TOMLTable")?.resolvedKey.filter((name) => typeof name === "string") ??
  null;

function tableHeaderIn(line: string): Names | null {
  const parsed = /^\s*\[/.test(line) ? parse(line) : null;
  return parsed === null || parsed instanceof ParseError ? null : lastTable(parsed);
}

/**
 * The text `line` writes a table or key a second time. Returns the number of the line that wrote it first; `null` when
 * that is not known. `header` is the table's name when `line` begins a table; otherwise `null`.
 */
function firstPlace(before: AST.TOMLTopLevelTable, table: Names, header: Names | null, line: string): number | null {
  const key = header === null ? parse(`${line.slice(0, line.indexOf("="))}= 0`) : null;
  const [entry] = key === null || key instanceof ParseError ? [] : key.body;
  const names = entry?.type === "TOMLKeyValue" ? entry.key.keys.map(keyName) : [];
  if (header === null && names.length === 0) return null;
  let node: Node = treeOf(before, originByLine(""));
  let found: number | null = null;
  for (const [depth, name] of [...table, ...names].entries()) {
    if (node.kind === "list") node = node.items.at(-1) ?? node;
    const next: Node | undefined = node.kind === "table" ? node.entries.get(name) : undefined;
    if (next === undefined) break;
    node = next;
    if (header !== null || depth >= table.length) found = node.origin.line;
  }
  return found;
}

const keyName = (key: AST.TOMLBare | AST.TOMLQuoted): string => (key.type === "TOMLBare" ? key.name : key.value);

function addTopLevel(root: TableNode, part: AST.TOMLKeyValue | AST.TOMLTable, originOf: LineOrigin): void {
  if (part.type === "TOMLKeyValue") return addKeyValue(root, part, originOf);
  const table = openTable(root, part.resolvedKey, originOf(part.loc.start.line));
  for (const entry of part.body) addKeyValue(table, entry, originOf);
}

function addKeyValue(table: TableNode, entry: AST.TOMLKeyValue, originOf: LineOrigin): void {
  const names = entry.key.keys.map(keyName);
  const parent = openTable(table, names.slice(0, -1), originOf(entry.loc.start.line));
  parent.entries.set(names.at(-1) ?? "", nodeOf(entry.value, originOf));
}

function openTable(root: TableNode, path: readonly (string | number)[], origin: FaultOrigin): TableNode {
  let table = root;
  for (const [place, name] of path.entries()) {
    if (typeof name === "number") continue;
    const position = path[place + 1];
    if (typeof position === "number") table = tableInList(listUnder(table, name, origin), position, origin);
    else table = tableUnder(table, name, origin);
  }
  return table;
}

function tableUnder(table: TableNode, name: string, origin: FaultOrigin): TableNode {
  const there = table.entries.get(name);
  if (there?.kind === "table") return there;
  const made = emptyTable(origin);
  table.entries.set(name, made);
  return made;
}

function listUnder(table: TableNode, name: string, origin: FaultOrigin): ListNode {
  const there = table.entries.get(name);
  if (there?.kind === "list") return there;
  const made: ListNode = { kind: "list", origin, items: [] };
  table.entries.set(name, made);
  return made;
}

function tableInList(list: ListNode, place: number, origin: FaultOrigin): TableNode {
  const there = list.items[place];
  if (there?.kind === "table") return there;
  const made = emptyTable(origin);
  list.items[place] = made;
  return made;
}

function nodeOf(value: AST.TOMLContentNode, originOf: LineOrigin): Node {
  const origin = originOf(value.loc.start.line);
  if (value.type === "TOMLArray") {
    return { kind: "list", origin, items: value.elements.map((item) => nodeOf(item, originOf)) };
  }
  if (value.type === "TOMLInlineTable") {
    const table = emptyTable(origin);
    for (const entry of value.body) addKeyValue(table, entry, originOf);
    return table;
  }
  return { kind: "scalar", origin, value: value.value };
}

/** Writes a value as JSON, which is also TOML once the character DEL is escaped. */
export const writeToml = (value: WrittenValue): string =>
  typeof value === "object"
    ? `[${value.map(writeToml).join(", ")}]`
    : JSON.stringify(value).replaceAll("\x7f", "\\u007f");
