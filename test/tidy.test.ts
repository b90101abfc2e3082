// The style of the house as a test: each check runs over the repository, and over small made-up trees with a planted
// fault that it must find.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text with templates is what is read here

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import manifest from "../package.json" with { type: "json" };
import {
  findBannedCalls,
  findClimbingImports,
  findLongFiles,
  findMissingHeaders,
  findSilencedChecks,
} from "./support/tidy-checks.ts";
import { exportsOf, importsOf, layersOf, type SourceFile } from "./support/tidy-source.ts";
import {
  type Exceptions,
  findForeignWords,
  findUnusedDependencies,
  findUnusedExports,
  findUnusedFiles,
} from "./support/tidy-usage.ts";

const ROOT = join(import.meta.dir, "..");

/** Source files that nothing imports on the way from main.ts, each with its reason. */
const UNREACHED: Exceptions = {};

/** Source files whose exports something other than an import takes, each with its reason. */
const READ_BY_TOOLS: Exceptions = {
  "src/store/schema.ts": "drizzle-kit compares every table in it with the migrations",
};

/** What is installed, built or written by a running service; the lock file is the package manager's. */
const NOT_OURS = ["node_modules", ".git", ".bun", "dist", "data", "bun.lock"];

/** Every file of the repository with its text, in the order of its path. */
const texts: SourceFile[] = readdirSync(ROOT, { withFileTypes: true })
  .filter(({ name }) => !NOT_OURS.includes(name))
  .flatMap((entry) => (entry.isDirectory() ? filesIn(entry.name) : [entry.name]))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));

const code = texts.filter(({ path }) => /^(?:src|test|bench)\/.*\.tsx?$/.test(path));

function filesIn(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

const tree = (files: Record<string, string>): SourceFile[] =>
  Object.entries(files).map(([path, text]) => ({ path, text }));

describe("the repository", () => {
  test("is what the checks look at", () => {
    expect(code.length).toBeGreaterThan(20);
    expect(texts.map(({ path }) => path)).toContain(".ci/run");
  });
  test("imports go down only", () => expect(findClimbingImports(code)).toEqual([]));
  test("time, chance, environment and promises stay in their places", () => expect(findBannedCalls(code)).toEqual([]));
  test("the type checker is not silenced", () => expect(findSilencedChecks(code)).toEqual([]));
  test("every file says in one to three lines what it is for", () => expect(findMissingHeaders(code)).toEqual([]));
  test("no source file has more than 300 lines", () => expect(findLongFiles(code)).toEqual([]));
  test("every source file is reached from main.ts", () => expect(findUnusedFiles(code, UNREACHED)).toEqual([]));
  test("every export is imported somewhere", () => expect(findUnusedExports(code, READ_BY_TOOLS)).toEqual([]));
  test("every dependency is used and named in the README", () =>
    expect(findUnusedDependencies(code, manifest, texts)).toEqual([]));
  test("no text names a package registry or a place outside the repository", () =>
    expect(findForeignWords(texts)).toEqual([]));
});

describe("reading source", () => {
  test("comments, strings, templates and regular expressions are told from code", () => {
    const text = 'a; // x\n"b//c"; `d${e /* y */}f`; g = /h"[/]/; i / j; \'k\';';
    const { code, bare, comments } = layersOf(text);
    expect(code).toBe('a;     \n"b//c"; `d${e        }f`; g = /h"[/]/; i / j; \'k\';');
    expect(bare).toBe("a;     \n\"    \"; ` ${e        } `; g = /     /; i / j; ' ';".replace("` ${", "`  {"));
    expect(comments.trim().split(/\s{2,}/)).toEqual(["// x", "/* y */"]);
    expect([code.length, bare.length, comments.length]).toEqual([text.length, text.length, text.length]);
  });

  test("a template inside a template ends where it ends", () => {
    expect(layersOf("`a${`b${c}`}d` + e").bare.replace(/[\s`]+/g, "")).toBe("{{c}}+e");
  });

  test("every form of import is seen, with the names it takes", () => {
    const text = [
      'import type { A } from "./a.ts";',
      'import b, { type C, d as e } from "../b.ts";',
      'import * as all from "lib";',
      'import "./effect.ts";',
      'export { f as g } from "./f.ts";',
      'export * from "./all.ts";',
      'const { h: i } = await import("./h.ts");',
      'const j = import("./j.ts");',
      '// import "./comment.ts"',
      "const k = 'import \"./string.ts\"';",
    ].join("\n");
    const found = importsOf({ path: "src/cli/x.ts", text }).map(({ specifier, target, names, line }) => [
      line,
      specifier,
      target,
      names,
    ]);
    expect(found.sort((a, b) => Number(a[0]) - Number(b[0]))).toEqual([
      [1, "./a.ts", "src/cli/a.ts", ["A"]],
      [2, "../b.ts", "src/b.ts", ["default", "C", "d"]],
      [3, "lib", null, ["*"]],
      [4, "./effect.ts", "src/cli/effect.ts", []],
      [5, "./f.ts", "src/cli/f.ts", ["f"]],
      [6, "./all.ts", "src/cli/all.ts", ["*"]],
      [7, "./h.ts", "src/cli/h.ts", ["h"]],
      [8, "./j.ts", "src/cli/j.ts", ["*"]],
    ]);
  });

  test("every form of export is seen", () => {
    const text =
      "export const a = 1;\nexport function b() {}\nexport interface C {}\nexport type D = 1;\nexport async function e() {}\nexport class F {}\nexport { g, h as i };\nconst exported = 1;";
    expect(exportsOf({ path: "src/x.ts", text }).map(({ name }) => name)).toEqual([
      "a",
      "b",
      "C",
      "D",
      "e",
      "F",
      "g",
      "i",
    ]);
  });
});

describe("floors", () => {
  const found = (path: string, specifier: string) =>
    findClimbingImports(tree({ [path]: `import type { A } from "${specifier}";` }));

  test.each([
    ["src/domain/a.ts", "../store/b.ts", "domain imports store"],
    ["src/domain/a.ts", "node:fs", "domain imports node:fs"],
    ["src/domain/a.ts", "../../package.json", "domain imports package.json"],
    ["src/store/a.ts", "../engine/b.ts", "store imports engine"],
    ["src/engine/a.ts", "../http/b.ts", "engine imports http"],
    ["src/http/a.ts", "../store/b.ts", "http imports store"],
    ["src/http/a.ts", "../notify/b.ts", "http imports notify"],
    ["src/notify/a.ts", "../http/b.ts", "notify imports http"],
    ["src/web/a.ts", "../store/b.ts", "web imports store"],
    ["src/engine/a.ts", "../config/b.ts", "engine imports config"],
    ["src/config/a.ts", "../engine/b.ts", "config imports engine"],
    ["src/http/a.ts", "../cli/b.ts", "http imports cli"],
    ["src/cli/a.ts", "../main.ts", "cli imports main.ts"],
    ["src/cli/a.ts", "../../test/b.ts", "cli imports test/b.ts"],
    ["src/main.ts", "./store/b.ts", "main.ts imports store"],
  ])("%s may not import %s", (path, specifier, what) => {
    expect(found(path, specifier)).toEqual([`${path}:1: ${what}`]);
  });

  test.each([
    ["src/domain/a.ts", "./b.ts"],
    ["src/domain/a.ts", "croner"],
    ["src/domain/a.ts", "typebox/value"],
    ["src/store/a.ts", "../../drizzle/b.sql"],
    ["src/engine/a.ts", "../store/b.ts"],
    ["src/http/a.ts", "../engine/b.ts"],
    ["src/cli/a.ts", "../notify/b.ts"],
    ["src/main.ts", "./cli/b.ts"],
  ])("%s may import %s", (path, specifier) => {
    expect(found(path, specifier)).toEqual([]);
  });

  test("a folder that is no floor is found", () => {
    expect(findClimbingImports(tree({ "src/utils/a.ts": "" }))).toHaveLength(1);
  });
});

describe("calls with one home", () => {
  test.each([
    ["src/engine/a.ts", "const a = Date.now();"],
    ["src/engine/a.ts", "const a = new Date();"],
    ["src/engine/a.ts", "const a = new Date;"],
    ["src/engine/a.ts", "const a = Date();"],
    ["src/engine/a.ts", "Temporal.Now.instant();"],
    ["src/notify/a.ts", "performance.now();"],
    ["src/notify/a.ts", "process.hrtime();"],
    ["src/notify/a.ts", "Bun.nanoseconds();"],
    ["src/notify/a.ts", "setTimeout(run, 5);"],
    ["src/notify/a.ts", "setInterval(run, 5);"],
    ["src/cli/a.ts", "Math.random();"],
    ["src/cli/a.ts", "crypto.randomUUID();"],
    ["src/cli/a.ts", "crypto.getRandomValues(a);"],
    ["src/cli/a.ts", 'import { randomBytes } from "node:crypto";'],
    ["src/config/a.ts", 'process.env["A"];'],
    ["src/http/a.ts", "Bun.env.A;"],
    ["src/engine/a.ts", "async function a() {}"],
    ["src/engine/a.ts", "const a = `${await b}`;"],
    ["src/store/a.ts", "Promise.resolve();"],
    ["src/engine/a.ts", "new Promise(run);"],
    ["src/engine/a.ts", "a.then(run);"],
    ["src/cli/a.ts", "console.log(1);"],
    ["src/cli/a.ts", "export default 1;"],
    ["src/cli/a.ts", "class Monitor {}"],
    ["src/cli/a.ts", "class Monitor<T> extends Base {}"],
  ])("in %s stands out: %s", (path, text) => {
    expect(findBannedCalls(tree({ [path]: `\n${text}` }))).toEqual([expect.stringContaining(`${path}:2: `)]);
  });

  test.each([
    ["src/cli/clock.ts", "Date.now(); Math.random(); setTimeout(run, 1);"],
    ["src/engine/a.ts", "const a = new Date(instant);"],
    ["src/engine/a.ts", "// Date.now() is not read here"],
    ["src/engine/a.ts", 'const a = "await Date.now()";'],
    ["src/engine/api.ts", "ingest(ping: Ping): Promise<Receipt>;"],
    ["src/engine/intake/batcher.ts", "return new Promise(run);"],
    ["src/http/a.ts", "export async function a() { await b; }"],
    ["src/main.ts", "process.env;"],
    ["src/store/a.ts", "class StorageError extends Error {}"],
    ["test/a.ts", "Date.now();"],
  ])("in %s is at home: %s", (path, text) => {
    expect(findBannedCalls(tree({ [path]: text }))).toEqual([]);
  });
});

describe("style", () => {
  test("a silenced type checker is found, in source and tests, and a mention in a string is not", () => {
    const files = tree({
      "src/cli/a.ts": "b as any;",
      "test/a.ts": "\n// @ts-ignore",
      "test/b.ts": '"// @ts-ignore as any"',
    });
    expect(findSilencedChecks(files)).toEqual([
      "src/cli/a.ts:1: as any silences the type checker",
      "test/a.ts:2: @ts-ignore silences the type checker",
    ]);
  });

  test("a header of no or of four lines is found", () => {
    const files = tree({
      "src/a.ts": "const a = 1;",
      "src/b.ts": "// 1\n// 2\n// 3\n// 4\n",
      "src/c.ts": "// 1\n// 2\n// 3\n\nconst c = 1;",
      "test/d.ts": "\n// late",
    });
    expect(findMissingHeaders(files).map((finding) => finding.split(":")[0])).toEqual([
      "src/a.ts",
      "src/b.ts",
      "test/d.ts",
    ]);
  });

  test("a file of 301 lines is found, one of 300 is not", () => {
    const files = tree({
      "src/a.ts": "a\n".repeat(301),
      "src/b.ts": "a\n".repeat(300),
      "test/c.ts": "a\n".repeat(400),
    });
    expect(findLongFiles(files)).toEqual(["src/a.ts: has 301 lines, more than 300"]);
  });
});

describe("use", () => {
  const files = tree({
    "src/main.ts": 'import { a } from "./cli/a.ts";',
    "src/cli/a.ts": 'export const a = 1;\nexport const b = a;\nexport type { C } from "./c.ts";',
    "src/cli/c.ts": "export interface C {}",
    "src/cli/lost.ts": "export const lost = 1;",
    "test/lost.test.ts": 'import { lost } from "../src/cli/lost.ts";',
  });

  test("a file only a test imports is found, unless it is an exception with a reason", () => {
    expect(findUnusedFiles(files)).toEqual(["src/cli/lost.ts: is not reached from src/main.ts"]);
    expect(findUnusedFiles(files, { "src/cli/lost.ts": "run by hand" })).toEqual([]);
  });

  test("an exception nobody needs is found", () => {
    expect(findUnusedFiles(files, { "src/cli/lost.ts": "", "src/cli/a.ts": "", "src/cli/gone.ts": "" })).toHaveLength(
      2,
    );
  });

  test("an export only its own file uses is found, a re-exported one too", () => {
    expect(findUnusedExports(files)).toEqual([
      "src/cli/a.ts:2: exports b, which no other file imports",
      "src/cli/a.ts:3: exports C, which no other file imports",
    ]);
  });

  test("a type that its own file uses may be exported, one that nothing mentions may not", () => {
    const typed = tree({
      "src/cli/a.ts": "export interface A {}\nexport const a: A = {};\nexport type B = A;",
      "src/cli/b.ts": 'import { a } from "./a.ts";',
    });
    expect(findUnusedExports(typed)).toEqual(["src/cli/a.ts:3: exports B, which no other file imports"]);
    expect(findUnusedExports(typed, { "src/cli/a.ts": "read by a tool" })).toEqual([]);
  });

  test("an export taken by a namespace import or by a dynamic import is used", () => {
    const taken = tree({
      "src/cli/a.ts": "export const a = 1;",
      "src/cli/b.ts": "export const b = 1;\nexport const c = 1;",
      "src/cli/d.ts": 'import * as a from "./a.ts";\nconst { b } = await import("./b.ts");',
    });
    expect(findUnusedExports(taken)).toEqual(["src/cli/b.ts:2: exports c, which no other file imports"]);
  });

  test("a dependency that is not imported, only imported by tests, or not named in the README is found", () => {
    const dependent = tree({
      "src/cli/a.ts": 'import { a } from "used/part";\nimport { b } from "@scope/used";',
      "test/a.ts": 'import "only-tested";',
    });
    const dependencies = { used: "1", "@scope/used": "1", "only-tested": "1", idle: "1" };
    const devDependencies = { "@types/used": "1", "@types/idle": "1", "drizzle-kit": "1", typescript: "1" };
    const readme = "used @scope/used only-tested idle @types/used @types/idle drizzle-kit";
    const texts = tree({ "README.md": readme, Makefile: "bun --bun drizzle-kit generate" });
    expect(findUnusedDependencies(dependent, { dependencies, devDependencies }, texts)).toEqual([
      "package.json: only-tested is not imported in src",
      "package.json: idle is not imported in src",
      "package.json: @types/idle is neither imported nor run",
      "package.json: typescript is neither imported nor run",
      "README.md: does not name the dependency typescript",
    ]);
  });

  test("the host of a package registry or a path outside the repository is found", () => {
    const host = ["registry", "npmjs", "org"].join(".");
    const outside = ["..", "shared", "a.md"].join("/");
    expect(
      findForeignWords(
        tree({ "README.md": `see\nhttps://${host}/x`, "src/a.ts": `// ${outside}`, "docs/a.md": "a registry" }),
      ),
    ).toEqual([`README.md:2: names ${host.replace(".org", "")}`, `src/a.ts:1: names ${outside.replace("/a.md", "")}`]);
  });
});
