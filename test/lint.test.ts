// The rules of biome.json, test/lint/ and knip must be able to fail: each planted fault is found where it stands, and
// what is allowed beside it is not. The tools run as `make check` runs them, over trees made for this.

import { describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dir, "..");

/** Runs a tool over made-up files beside our configuration; answers what it printed. */
function run(tool: string, options: readonly string[], files: Record<string, string>): string {
  const tree = mkdtempSync(join(tmpdir(), "rollcall-lint-"));
  try {
    for (const name of ["biome.json", "tsconfig.json", "package.json", "test/lint"])
      cpSync(join(ROOT, name), join(tree, name), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(tree, dirname(path)), { recursive: true });
      writeFileSync(join(tree, path), text);
    }
    const command = [process.execPath, "--bun", join(ROOT, "node_modules/.bin", tool), ...options];
    const { stdout, stderr } = Bun.spawnSync(command, { cwd: tree, env: { ...process.env, NO_COLOR: "1" } });
    return `${stdout}${stderr}`;
  } finally {
    rmSync(tree, { recursive: true });
  }
}

interface Line {
  readonly path: string;
  readonly text: string;
  /** The rule that must find it; null: none may. */
  readonly rule: string | null;
}

const at = (path: string, rule: string | null, ...texts: string[]): Line[] =>
  texts.map((text) => ({ path, text, rule }));

const PLUGIN = "plugin";

const LINES: readonly Line[] = [
  // Time and chance have one home.
  ...at(
    "src/cli/c.ts",
    PLUGIN,
    "export const a = Date.now();",
    "export const b = new Date();",
    "Temporal.Now.instant();",
  ),
  ...at("src/cli/d.ts", PLUGIN, "export const c = new Date;", "export const d = Date();"),
  ...at("src/notify/c.ts", PLUGIN, "performance.now();", "process.hrtime.bigint();", "Bun.nanoseconds();"),
  ...at("src/notify/d.ts", PLUGIN, "setTimeout(send, 5);", "globalThis.setInterval(send, 5);", "Math.random();"),
  ...at("src/cli/e.ts", PLUGIN, "crypto.randomUUID();", "crypto.getRandomValues(bytes);", "randomBytes(8);"),
  ...at(
    "src/engine/c.ts",
    null,
    "export const e = new Date(instant);",
    "// Date.now()",
    'export const f = "Date.now()";',
  ),
  ...at("src/cli/clock.ts", null, "Date.now();", "Math.random();", "setTimeout(run, 1);"),
  ...at("test/a.ts", null, "Date.now();"),

  // The environment is read where the process begins.
  ...at("src/config/b.ts", PLUGIN, 'process.env["A"];', "Bun.env.A;", "import.meta.env.A;"),
  ...at("src/cli/f.ts", null, "process.env.A;"),

  // Below the edges nothing waits.
  ...at("src/store/c.ts", PLUGIN, "export async function a() {}", "export const b = async () => 1;", "await c();"),
  ...at("src/engine/d.ts", PLUGIN, "export const d = { async e() {} };", "for await (const f of g) h(f);"),
  ...at("src/domain/h.ts", PLUGIN, "Promise.resolve();", "new Promise(run);", "i.then(run);"),
  ...at("src/engine/e.ts", null, "export interface J { k(): Promise<void>; }"),
  ...at("src/http/b.ts", null, "export async function l() { await m(); }"),

  // One way to write what has several.
  ...at("src/cli/g.ts", PLUGIN, "class Monitor {}", "class Monitors<T> extends List<T> {}"),
  ...at("src/cli/h.ts", null, "export class StorageError extends Error {}"),
  ...at("src/cli/i.ts", "noDefaultExport", "export default 1;"),
  ...at("src/cli/j.ts", "noConsole", "console.log(1);"),
  ...at("src/cli/k.ts", "noExplicitAny", "export const a = b as any;"),
  ...at("src/cli/l.ts", "noUnusedImports", 'import { a } from "./k.ts";'),
  ...at("src/cli/m.ts", "noUnusedVariables", "function unused() {}"),
  ...at("src/cli/n.ts", "noUnusedFunctionParameters", "export const a = (unused: string): number => 1;"),

  // Every test runs, unless the machine lacks what it needs.
  ...at("test/b.test.ts", "noSkippedTests", 'test.skip("a", () => {});', 'describe.skip("b", () => {});'),
  ...at("test/c.test.ts", "noFocusedTests", 'test.only("c", () => {});'),
  ...at("test/d.test.ts", null, 'test.skipIf(!isInstalled)("d", () => {});'),
];

const BODY = "  run();\n";

/** Faults that take more than one line: the file in which each is found, and the rule. */
const FILES: readonly { readonly path: string; readonly text: string; readonly rule: string | null }[] = [
  {
    path: "src/cli/long.ts",
    text: `export function long() {\n${BODY.repeat(71)}}\n`,
    rule: "noExcessiveLinesPerFunction",
  },
  { path: "src/cli/short.ts", text: `export function short() {\n${BODY.repeat(68)}}\n`, rule: null },
  { path: "src/cli/one.ts", text: 'import type { B } from "./two.ts";\nexport type A = B;\n', rule: "noImportCycles" },
  { path: "src/cli/two.ts", text: 'import type { A } from "./one.ts";\nexport type B = A;\n', rule: "noImportCycles" },
];

describe("the linter", () => {
  const lines = Object.entries(Object.groupBy(LINES, ({ path }) => path));
  const found = run("biome", ["lint", "--max-diagnostics=none", "--reporter=github"], {
    ...Object.fromEntries(lines.map(([path, of]) => [path, `${of?.map(({ text }) => text).join("\n")}\n`])),
    ...Object.fromEntries(FILES.map(({ path, text }) => [path, text])),
  })
    .split("\n")
    .flatMap((line) => {
      const [, title = "", path = "", number = ""] =
        /title=([^,]+),file=.*?\/((?:src|test)\/[^,]+),line=(\d+)/.exec(line) ?? [];
      return title === "" ? [] : [{ path, line: Number(number), rule: title.split("/").at(-1) }];
    });
  const rulesAt = (path: string, line: number) =>
    found.filter((finding) => finding.path === path && finding.line === line).map(({ rule }) => rule);

  const placed = lines.flatMap(([, of = []]) => of.map((line, place) => ({ ...line, number: place + 1 })));

  test.each(placed.filter(({ rule }) => rule !== null))("finds in $path: $text", ({ path, number, rule }) => {
    expect(rulesAt(path, number)).toContain(rule!);
  });

  const OURS = [PLUGIN, "noDefaultExport", "noConsole", "noSkippedTests"];

  test.each(placed.filter(({ rule }) => rule === null))("allows in $path: $text", ({ path, number }) => {
    expect(rulesAt(path, number).filter((rule) => OURS.includes(rule ?? ""))).toEqual([]);
  });

  test.each(FILES)("finds what is wrong with all of $path: $rule", ({ path, rule }) => {
    const sizes = ["noExcessiveLinesPerFunction", "noImportCycles"];
    const rules = found.filter((finding) => finding.path === path).map((finding) => finding.rule ?? "");
    expect([...new Set(rules.filter((name) => sizes.includes(name)))]).toEqual(rule === null ? [] : [rule]);
  });
});

describe("knip", () => {
  const files = {
    "src/main.ts": 'import { a } from "./cli/a.ts";\na();\n',
    "src/cli/a.ts":
      'import "leven";\nimport "fast-check";\nexport const a = 1;\nexport const lost = 2;\nexport type Lost = 1;\nexport interface Part {}\nexport const b: Part = {};\n',
    "src/cli/tested.ts": "export const tested = 1;\n",
    "src/cli/unread.ts": "export const unread = 1;\n",
    "test/a.test.ts":
      'import { tested } from "../src/cli/tested.ts";\nimport { b } from "../src/cli/a.ts";\nimport "elysia";\nimport "ajv-draft-04";\ntested(b);\n',
    "test/support/nobody.ts": "export const nobody = 1;\n",
  };
  const found = (options: string[]) => run("knip", [...options, "--no-progress", "--reporter=symbols"], files);

  test("finds files and exports that nothing uses, and packages that are not declared", () => {
    const all = found([]);
    for (const fault of ["src/cli/unread.ts", "test/support/nobody.ts", "lost ", "Lost ", "ajv-draft-04"])
      expect(all).toContain(fault);
    for (const used of ["src/cli/tested.ts", "Part "]) expect(all).not.toContain(used);
  });

  test("finds what only tests use, and development packages in src", () => {
    const product = found(["--production", "--strict", "--include=files,dependencies,unlisted"]);
    for (const fault of ["src/cli/tested.ts", "elysia", "fast-check"]) expect(product).toContain(fault);
    expect(product).not.toContain("leven");
  });
});
