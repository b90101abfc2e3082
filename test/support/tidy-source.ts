// Reads TypeScript as text for the tidy checks: what is code and what is comment, what is imported and exported.
// Knows none of the checks and reads no disk: a file is a path and a text.

import { dirname, join } from "node:path/posix";

export interface SourceFile {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

/** Three views of one text, each as long as it and with the same line breaks; what does not belong is spaces. */
export interface Layers {
  /** Without comments. */
  readonly code: string;
  /** Without comments and without what stands inside strings, templates and regular expressions. */
  readonly bare: string;
  /** The comments alone. */
  readonly comments: string;
}

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const QUOTED = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
/** From a backtick, or from the brace that closes a `${…}`, to the next of either kind. */
const TEMPLATE_PART = /[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const WORD = /[\w$]+/y;
/** A slash after one of these, or at the start, begins a regular expression; after anything else it divides. */
const BEFORE_REGEX = /^(?:[^\w$)\]}"]|return|typeof|case|in|of|do|else|void|delete|await|yield|)$/;

/** Splits a text into its layers; the code inside a template's `${…}` is code. */
export function layersOf(text: string): Layers {
  const layers = { code: "", bare: "", comments: "" };
  const braces: ("block" | "template")[] = [];
  let at = 0;
  let last = "";
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  while (at < text.length) {
    const comment = match(COMMENT);
    const inTemplate = text[at] === "`" || (text[at] === "}" && braces.at(-1) === "template");
    const template = inTemplate ? match(TEMPLATE_PART) : undefined;
    const literal = template ?? match(QUOTED) ?? (BEFORE_REGEX.test(last) ? match(REGEX) : undefined);
    const piece = comment ?? literal ?? match(WORD) ?? (text[at] as string);
    layers.code += comment === undefined ? piece : blank(piece);
    layers.bare += comment === undefined ? (literal === undefined ? piece : hollow(piece)) : blank(piece);
    layers.comments += comment === undefined ? blank(piece) : piece;
    if (piece.startsWith("}") && comment === undefined) braces.pop();
    if (piece === "{") braces.push("block");
    if (template?.endsWith("${")) braces.push("template");
    if (comment === undefined && piece.trim() !== "")
      last = literal === undefined ? piece : template?.endsWith("${") ? "{" : '"';
    at += piece.length;
  }
  return layers;
}

const blank = (piece: string): string => piece.replace(/[^\n]/g, " ");
const hollow = (piece: string): string => piece[0] + blank(piece.slice(1, -1)) + piece.at(-1);

/** The line, counted from 1, in which the place stands. */
export const lineAt = (text: string, place: number): number => text.slice(0, place).split("\n").length;

export interface Import {
  /** As written: a package, or a path that begins with a dot. */
  readonly specifier: string;
  /** The file meant by a path, relative to the repository; null for a package. */
  readonly target: string | null;
  /** The names taken; `*` for all of them. */
  readonly names: readonly string[];
  readonly line: number;
}

const CLAUSE_IMPORT = /\b(?:import|export)\s+(?:type\s+)?([\w$\s,{}*]+?)\s*\bfrom\s*(["'])/g;
const BARE_IMPORT = /\bimport\s*(["'])/g;
const DYNAMIC_IMPORT = /(?:\{([\w$\s,:]*)\}\s*=\s*await\s+)?\bimport\s*\(\s*(["'])/g;

/** Everything the file imports or re-exports, types too: a type is a dependency like any other. */
export function importsOf(file: SourceFile): Import[] {
  const { code, bare } = layersOf(file.text);
  const found = [
    ...[...bare.matchAll(CLAUSE_IMPORT)].map((match) => ({ match, names: namesIn(match[1] ?? "") })),
    ...[...bare.matchAll(BARE_IMPORT)].map((match) => ({ match, names: [] })),
    ...[...bare.matchAll(DYNAMIC_IMPORT)].map((match) => ({
      match,
      names: match[1] === undefined ? ["*"] : namesIn(`{${match[1]}}`),
    })),
  ];
  return found.map(({ match, names }) => {
    const start = match.index + match[0].length;
    const specifier = code.slice(start, code.indexOf(bare[start - 1] as string, start));
    const target = specifier.startsWith(".") ? join(dirname(file.path), specifier) : null;
    return { specifier, target, names, line: lineAt(bare, match.index) };
  });
}

/** The names, as the other file knows them, in what stands between `import` and `from`. */
function namesIn(clause: string): string[] {
  const braced = /\{([^}]*)\}/.exec(clause);
  const outside = clause
    .replace(/\{[^}]*\}/, "")
    .split(",")
    .map((part) => part.trim());
  const inside = (braced?.[1] ?? "").split(",").map(
    (part) =>
      part
        .trim()
        .replace(/^type\s+/, "")
        .split(/\s+as\s+|\s*:\s*/)[0] ?? "",
  );
  const whole = outside.filter((part) => part !== "").map((part) => (part.startsWith("*") ? "*" : "default"));
  return [...whole, ...inside.filter((name) => name !== "")];
}

const DECLARED =
  /\bexport\s+(?:declare\s+)?(?:async\s+)?(?:abstract\s+)?(const\s+enum|const|let|var|function\s*\*?|class|interface|type|enum)\s+([\w$]+)/g;
const LISTED = /\bexport\s+(?:type\s+)?\{([^}]*)\}/g;

export interface Export {
  readonly name: string;
  readonly line: number;
  /** Declared in the file as a type or interface. */
  readonly isType: boolean;
}

/** The names a file offers. */
export function exportsOf(file: SourceFile): Export[] {
  const { bare } = layersOf(file.text);
  const declared = [...bare.matchAll(DECLARED)].map((match) => ({
    name: match[2] ?? "",
    line: lineAt(bare, match.index),
    isType: match[1] === "interface" || match[1] === "type",
  }));
  const listed = [...bare.matchAll(LISTED)].flatMap((match) =>
    (match[1] ?? "")
      .split(",")
      .map(
        (part) =>
          part
            .trim()
            .split(/\s+as\s+/)
            .at(-1)
            ?.replace(/^type\s+/, "") ?? "",
      )
      .filter((name) => name !== "")
      .map((name) => ({ name, line: lineAt(bare, match.index), isType: false })),
  );
  return [...declared, ...listed];
}

/** Whether the name stands in the code of the file more than the once that declares it. */
export const isMentioned = (file: SourceFile, name: string): boolean =>
  (layersOf(file.text).bare.match(new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`, "g")) ?? []).length > 1;
