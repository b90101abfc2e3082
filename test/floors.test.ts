// Imports go down only: what each room of src may import, in one table, held for every file, types included. The rooms
// of the engine have floors among themselves.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface SourceFile {
  /** Below `src/`. */
  readonly path: string;
  readonly text: string;
}

const ENGINE = ["domain", "store", "views", "engine/api.ts", "engine/own-outages", "engine/*"];

/**
 * What a floor may import besides itself. A file stands on that of the longest name; `*`: what is in the folder itself.
 */
const BELOW: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  store: ["domain"],
  views: ["domain", "store"],
  "engine/api.ts": ["domain"],
  "engine/own-outages": ["domain", "store", "engine/api.ts"],
  "engine/*": ENGINE,
  "engine/people": ENGINE,
  "engine/settings": ENGINE,
  "engine/outbox": ENGINE,
  "engine/clock": [...ENGINE, "engine/people", "engine/outbox"],
  "engine/intake": [...ENGINE, "engine/outbox", "engine/clock"],
  "engine/operations": [...ENGINE, "engine/people", "engine/outbox", "engine/clock", "engine/settings"],
  "engine/health": [...ENGINE, "engine/clock", "engine/intake"],
  "engine/engine.ts": ["domain", "store", "views", "engine"],
  config: ["domain"],
  client: ["domain"],
  discover: ["domain"],
  import: ["domain"],
  backup: ["domain", "engine"],
  notify: ["domain", "engine"],
  http: ["domain", "views", "engine"],
  web: ["domain", "views", "engine", "http"],
  cli: [
    ...[
      "domain",
      "store",
      "views",
      "engine",
      "config",
      "client",
      "discover",
      "import",
      "backup",
      "notify",
      "http",
      "web",
    ],
    "package.json",
  ],
  "main.ts": ["cli"],
  "http/openapi": ["domain", "engine", "http", "package.json"],
};

/** The core is pure: it imports no other library, and nothing of Node. */
const LIBRARIES_OF_DOMAIN = ["cronstrue", "leven", "mustache", "re2js", "typebox"];

const SOURCE = join(import.meta.dir, "../src");

const files: readonly SourceFile[] = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(SOURCE)]
  .sort()
  .map((path) => ({ path, text: readFileSync(join(SOURCE, path), "utf8") }));

/** `import … from`, `export … from`, and imports without names or while running. */
const IMPORT =
  /^import\s+(?:[^;"=(]*?\bfrom\s*)?"([^"]+)"|^export\s[^;"=]*?\bfrom\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

const importsOf = ({ text }: SourceFile): string[] =>
  [...text.matchAll(IMPORT)].map(([, one, other, third]) => (one ?? other ?? third)!);

const isOn = (path: string, floor: string): boolean =>
  floor.endsWith("/*") ? `${dirname(path)}/*` === floor : path === floor || path.startsWith(`${floor}/`);

const floorOf = (path: string): string | undefined =>
  Object.keys(BELOW)
    .filter((floor) => isOn(path, floor))
    .sort((a, b) => b.length - a.length)[0];

function wrongImports(file: SourceFile): string[] {
  const { path } = file;
  const floor = floorOf(path);
  if (floor === undefined) return [`${path}: stands on no floor`];
  const may = [floor, ...BELOW[floor]!];
  return importsOf(file).flatMap((name) => {
    if (!name.startsWith(".")) {
      const isPure = path.split("/")[0] !== "domain" || LIBRARIES_OF_DOMAIN.includes(name.split("/")[0]!);
      return isPure ? [] : [`${path}: imports ${name}, and the core is pure`];
    }
    const target = join(dirname(path), name).replace(/^\.\.\//, "");
    const stands = floorOf(target);
    const isBelow = may.some((below) => below === stands || (!below.endsWith("/*") && isOn(target, below)));
    return isBelow || target.startsWith("drizzle/") ? [] : [`${path}: imports ${target}, which is not below it`];
  });
}

test("imports go down only", () => expect(files.flatMap(wrongImports)).toEqual([]));

test("every floor has files", () => {
  const used = new Set(files.map(({ path }) => floorOf(path)));
  expect(Object.keys(BELOW).filter((floor) => !used.has(floor))).toEqual([]);
});

describe("a fault is found:", () => {
  test.each([
    ["domain/monitor/a.ts", 'import type { A } from "../../engine/b.ts";'],
    ["domain/b.ts", 'export { c } from "../notify/b.ts";'],
    ["domain/c.ts", 'import "node:fs";'],
    ["domain/c.ts", 'import { drizzle } from "drizzle-orm";'],
    ["domain/c.ts", 'import manifest from "../../package.json" with { type: "json" };'],
    ["store/a.ts", 'export const b = () => import("../http/b.ts");'],
    ["store/a.ts", 'import {\n  a,\n  b,\n} from "../views/b.ts";'],
    ["views/a.ts", 'import type { A } from "../engine/context.ts";'],
    ["engine/clock/a.ts", 'import "../../http/b.ts";'],
    ["engine/people/a.ts", 'import { annotationsOf } from "../operations/fields.ts";'],
    ["engine/outbox/a.ts", 'import type { A } from "../intake/a.ts";'],
    ["engine/a.ts", 'import type { A } from "./intake/a.ts";'],
    ["engine/a.ts", 'import type { A } from "./engine.ts";'],
    ["engine/own-outages/a.ts", 'import type { A } from "../context.ts";'],
    ["engine/api.ts", 'import type { A } from "./context.ts";'],
    ["config/a.ts", 'import "../store/b.ts";'],
    ["http/a.ts", 'import "../store/b.ts";'],
    ["web/a.ts", 'import "../config/b.ts";'],
    ["notify/a.ts", 'import "../http/b.ts";'],
    ["cli/a.ts", 'import "../../test/b.ts";'],
    ["discover/a.ts", 'import "../client/b.ts";'],
    ["main.ts", 'import "./store/b.ts";'],
    ["elsewhere/a.ts", "export const a = 1;"],
  ])("%s: %s", (path, text) => expect(wrongImports({ path, text })).toHaveLength(1));

  test.each([
    ["domain/monitor/f.ts", 'import "../schedule/g.ts";\nimport { Compile } from "typebox/compile";'],
    ["store/b.ts", 'import "../../drizzle/b.sql";\nimport "../domain/b.ts";\nimport "node:fs";'],
    ["web/b.ts", 'import "../http/b.ts";\nimport "../views/b.ts";'],
    [
      "engine/intake/b.ts",
      'import "../context.ts";\nimport "../own-outages/pulse.ts";\nimport "./a.ts";\nimport "../outbox/a.ts";',
    ],
    ["engine/engine.ts", 'import "./context.ts";\nimport "./operations/operate.ts";'],
    ["cli/b.ts", 'import "../notify/b.ts";\nimport "../store/b.ts";'],
  ])("and none is made up: %s", (path, text) => expect(wrongImports({ path, text })).toEqual([]));
});
