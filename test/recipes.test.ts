// ARCHITECTURE.md's recipes: each file that one names is there, once. Whether a recipe names all that must change, the
// compiler and the other tests say.

import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./support/executable.ts";
import { codeIn, rowsUnder } from "./support/readme.ts";

const [, RECIPES = ""] = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8").split("\n## Recipes\n");

/** Each recipe with a table of files, with its heading in the first line. */
const WITH_FILES = RECIPES.split("\n## ")[0]!
  .split("\n### ")
  .filter((section) => section.includes("| File | What to do |"));

const isThere = (file: string): boolean => ["src", "."].some((folder) => existsSync(join(ROOT, folder, file)));

describe("recipes", () => {
  test("some are there", () => {
    expect(WITH_FILES.length).toBeGreaterThan(5);
  });

  test.each(WITH_FILES.map((section) => [section.split("\n")[0]!, section]))(
    "%s: every file that it names is there, once",
    (_, section) => {
      const files = rowsUnder(section, "File", "What to do").flatMap(([cell = ""]) => codeIn(cell));
      const missing = files.filter((file) => !isThere(file));
      expect({ missing, repeated: files.length - new Set(files).size }).toEqual({ missing: [], repeated: 0 });
    },
  );
});
