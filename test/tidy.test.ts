// What no linter checks of our style: each check runs over the repository, and over small made-up trees with a planted
// fault that it must find. What a room may import is checked in floors.test.ts; the rest by biome.json,
// test/lint/ and knip, for which lint.test.ts plants faults.

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import manifest from "../package.json" with { type: "json" };

interface SourceFile {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
}

const ROOT = join(import.meta.dir, "..");

/** What is installed, built or written by a running service; the lock file is the package manager's. */
const NOT_OURS = ["node_modules", ".git", ".bun", "dist", "data", "bun.lock"];

const HEADER_LINES_MAX = 4;

/** Every file of the repository with its text, in the order of its path. */
const texts: SourceFile[] = readdirSync(ROOT, { withFileTypes: true })
  .filter(({ name }) => !NOT_OURS.includes(name))
  .flatMap((entry) => (entry.isDirectory() ? filesIn(entry.name) : [entry.name]))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));

const product = texts.filter(({ path }) => /^src\/.*\.tsx?$/.test(path));

const code = texts.filter(({ path }) => /^(?:src|test|bench)\/.*\.tsx?$/.test(path));

function filesIn(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

/** A type's name says the same everywhere. */
function findRepeatedTypes(files: readonly SourceFile[]): string[] {
  const places = files
    .filter(({ path }) => path.startsWith("src/"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^(?:export )?(?:interface|type) ([A-Z]\w*)/gm)].map(([, name]) => ({ name: name!, path })),
    );
  return [...Map.groupBy(places, ({ name }) => name)]
    .filter(([, of]) => of.length > 1)
    .map(([name, of]) => `${name}: is a type in ${of.map(({ path }) => path).join(" and ")}`);
}

/** A stack trace, a search and most tools know a file by its last name alone. */
function findRepeatedFileNames(files: readonly SourceFile[]): string[] {
  return [...Map.groupBy(files, ({ path }) => /([^/]+?)\.tsx?$/.exec(path)![1]!)]
    .filter(([, of]) => of.length > 1)
    .map(([name, of]) => `${name}: is a file in ${of.map(({ path }) => path).join(" and ")}`);
}

/** Paths from the root of the repository that stand as code in a document, and test files in the list of times. */
function findDeadPaths(files: readonly SourceFile[]): string[] {
  const there = (path: string) => files.some((file) => file.path === path || file.path.startsWith(`${path}/`));
  return files
    .filter(({ path }) => path.endsWith(".md") || path === "test/timings.json")
    .flatMap(({ path, text }) =>
      [...text.matchAll(/[`"]((?:src|test|docs|bench|drizzle|packaging|\.ci)\/[\w./-]+?)\/?[`"]/g)]
        .filter(([, named = ""]) => !there(named))
        .map(([, named]) => `${path}: names ${named}, which is not there`),
    );
}

/** Beginnings of comments that do not name what they speak of; written so that this file does not hold them itself. */
const RIDDLE = /^\s*\/\*\* (?:Null:|The same(?: of\b|[,:;])|Of (?:one|it|them)\b)/;

const COLUMNS_MAX = 120;

/** Code is broken by the formatter, comments by hand. */
const findLongComments = (files: readonly SourceFile[]): string[] =>
  files.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, place) =>
        line.length > COLUMNS_MAX && /^\s*(?:\/\/|\/\*|\*)/.test(line)
          ? [`${path}:${place + 1}: a comment of ${line.length} columns, not of ${COLUMNS_MAX} at most`]
          : [],
      ),
  );

/** drizzle-kit compares with the newest state of the tables alone; `test/task migrations` removes the one before. */
const findOldSnapshots = (files: readonly SourceFile[]): string[] =>
  files
    .filter(({ path }) => /^drizzle\/meta\/\d+_snapshot\.json$/.test(path))
    .map(({ path }) => path)
    .sort()
    .slice(0, -1)
    .map((path) => `${path}: is older than the newest, which alone is read`);

/** Every file opens with one to four lines that say what it is for. */
function findMissingHeaders(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.replace(/^#![^\n]*\n/, "").split("\n");
    const end = lines.findIndex((line) => !line.startsWith("// "));
    const count = end === -1 ? lines.length : end;
    if (count >= 1 && count <= HEADER_LINES_MAX) return [];
    return [`${path}: opens with ${count} comment lines, not with one to ${HEADER_LINES_MAX}`];
  });
}

/** Words that silence the type checker; written so that this file does not hold them itself. The linter finds `any`. */
const SILENCER = /@ts-(?:ignore|nocheck|expect-error)\b/;

/** Hosts of package registries and paths of one machine. */
const FOREIGN_WORD =
  /registry\.(?:npmjs|yarnpkg)|npmjs\.(?:org|com)|deb\.debian\.org|\.\.\/shared\b|(?<![\w.])\/work\/main\b/;

/** Each line that holds the word, once. */
function findWords(files: readonly SourceFile[], word: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, place) => {
      const found = word.exec(line)?.[0];
      return found === undefined ? [] : [`${path}:${place + 1}: holds ${found}`];
    }),
  );
}

/** The README says what each of them is for. */
const findUnnamedDependencies = (names: readonly string[], readme: string): string[] =>
  names.filter((name) => !readme.includes(`\`${name}\``));

const tree = (files: Record<string, string>): SourceFile[] =>
  Object.entries(files).map(([path, text]) => ({ path, text }));

describe("the repository", () => {
  test("is what the checks look at", () => {
    expect(code.length).toBeGreaterThan(20);
    expect(texts.map(({ path }) => path)).toContain(".ci/run");
  });
  test("says in one to four lines what each file is for", () => expect(findMissingHeaders(code)).toEqual([]));
  test("does not silence the type checker", () => expect(findWords(code, SILENCER)).toEqual([]));
  test("names no package registry and no place outside it", () => expect(findWords(texts, FOREIGN_WORD)).toEqual([]));
  test("keeps comments to 120 columns", () => expect(findLongComments(code)).toEqual([]));
  test("gives no two types one name", () => expect(findRepeatedTypes(code)).toEqual([]));
  test("gives no two files of the product one name", () => expect(findRepeatedFileNames(product)).toEqual([]));
  test("names no path in a document that is not there", () => expect(findDeadPaths(texts)).toEqual([]));
  test("names in a comment what it speaks of", () => expect(findWords(product, RIDDLE)).toEqual([]));
  test("keeps the newest snapshot of the tables alone", () => expect(findOldSnapshots(texts)).toEqual([]));
  test("names every dependency in the README", () => {
    const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(findUnnamedDependencies(names, readFileSync(join(ROOT, "README.md"), "utf8"))).toEqual([]);
  });
});

describe("a planted fault is found", () => {
  test("a comment that is too wide", () => {
    const wide = `/** ${"x".repeat(120)} */`;
    const files = tree({ "src/a.ts": `// a\n${wide}\nconst a = "${"x".repeat(200)}";` });
    expect(findLongComments(files)).toEqual([expect.stringContaining("src/a.ts:2")]);
  });

  test("a header of no or of five lines, or one that comes late", () => {
    const files = tree({
      "src/a.ts": "const a = 1;",
      "src/b.ts": "// 1\n// 2\n// 3\n// 4\n// 5\n",
      "src/c.ts": "// 1\n// 2\n// 3\n// 4\n\nconst c = 1;",
      "test/d.ts": "\n// late",
    });
    expect(findMissingHeaders(files).map((finding) => finding.split(":")[0])).toEqual([
      "src/a.ts",
      "src/b.ts",
      "test/d.ts",
    ]);
  });

  test.each(["ignore", "nocheck", "expect-error"])("a type checker silenced by %s", (how) => {
    expect(findWords(tree({ "test/a.ts": `a;\n// @ts-${how}` }), SILENCER)).toEqual([`test/a.ts:2: holds @ts-${how}`]);
  });

  test.each([
    ["registry", "npmjs", "org"].join("."),
    ["..", "shared", "a.md"].join("/"),
    ["", "work", "main"].join("/"),
  ])("the foreign word %s", (word) => {
    const files = tree({ "README.md": `a registry\nsee ${word}` });
    expect(findWords(files, FOREIGN_WORD)).toEqual([expect.stringContaining("README.md:2: ")]);
  });

  test("a type whose name another has", () => {
    const files = tree({ "src/a.ts": "export interface Row {}\ntype Cell = 1;", "src/b.ts": "type Row<Key> = Key;" });
    expect(findRepeatedTypes(files)).toEqual(["Row: is a type in src/a.ts and src/b.ts"]);
  });

  test("a file whose name another has", () => {
    const files = tree({ "src/a/row.ts": "", "src/b/row.tsx": "" });
    expect(findRepeatedFileNames(files)).toEqual(["row: is a file in src/a/row.ts and src/b/row.tsx"]);
  });

  test("a path in a document that is not there", () => {
    const files = tree({ "src/a/row.ts": "", "docs/a.md": "`src/a/row.ts`, `src/a/` and `src/b/row.ts`" });
    expect(findDeadPaths(files)).toEqual(["docs/a.md: names src/b/row.ts, which is not there"]);
    const timings = tree({
      "test/timings.json": '{ "test/a.test.ts": 700, "test/b.test.ts": 5 }',
      "test/b.test.ts": "",
    });
    expect(findDeadPaths(timings)).toEqual(["test/timings.json: names test/a.test.ts, which is not there"]);
  });

  test.each(["Null: none.", "The same of a run.", "Of one that is named twice."])("the comment %s", (comment) => {
    expect(findWords(tree({ "src/a.ts": `// a\n  /** ${comment} */` }), RIDDLE)).toHaveLength(1);
  });

  test("a snapshot of the tables that a newer one follows", () => {
    const files = tree({ "drizzle/meta/0002_snapshot.json": "", "drizzle/meta/0001_snapshot.json": "" });
    expect(findOldSnapshots(files)).toEqual([expect.stringContaining("0001_snapshot.json: ")]);
  });

  test("a dependency that the README does not name", () => {
    expect(findUnnamedDependencies(["ajv", "ajv-formats"], "| `ajv` | tests |")).toEqual(["ajv-formats"]);
  });
});
