// ARCHITECTURE.md's recipes held to the code: the files of each are those that name its example, no more and no less,
// so that a file that was forgotten, moved or became needless shows.

import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./support/executable.ts";
import { codeIn, rowsUnder } from "./support/readme.ts";

interface Example {
  readonly names: RegExp;
  /** Files that name something else by the same word. */
  readonly but?: RegExp;
  /** Files of the recipe that need not name the example. */
  readonly besides?: readonly string[];
}

const EXAMPLES: Readonly<Record<string, Example>> = {
  "A channel": {
    names: /\bntfy\b/,
    but: /^import\/|\/(destination-(screens|operations)|destinations-page|given-settings|cli)\.tsx?$/,
  },
  "A parameter of a ping": {
    names: /\battempt\b/,
    but: /^notify\/|^client\/|^web\/(deliveries|incidents)\/|\/(delete-monitor|sample-alert)\.ts$/,
  },
  "A key of the configuration": { names: /alias_per_minute|aliasPerMinute/ },
  "A setting of a monitor": { names: /alert_after_misses|alertAfterMisses/, but: /^import\// },
  "An operation with its command": { names: /incident resolve|incidentResolve|resolveIncident/ },
  "A cause of an alert": { names: /\bunfinished\b/ },
  "A notice": {
    names: /"failing"|failingWords/,
    but: /^(web\/public|import)\//,
    besides: ["engine/outbox/notice-reviews.ts"],
  },
  "A page": { names: /incidentRoutes|storyPage/, besides: ["web/paths.ts"] },
  "A column": { names: /\btoldAlertId\b/ },
  "An error code": { names: /\bPLAN_LIMIT_REACHED\b/ },
  "A reason for a gap": { names: /\bstalled\b/, but: /\/mail-rule\.ts$/ },
};

const TEXT = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");

/** The files that the first cells of a recipe's table name, in their order. */
function filesOf(recipe: string): string[] {
  const [, section = ""] = TEXT.split(`\n### ${recipe}\n`);
  return rowsUnder(section, "File", "What to do").flatMap(([files = ""]) => codeIn(files));
}

/** Without comments, which may tell of anything. */
const codeOf = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:"'`])\/\/.*$/gm, "$1");

const SOURCE = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(join(ROOT, "src"))].map((path) => ({
  path,
  code: codeOf(readFileSync(join(ROOT, "src", path), "utf8")),
}));

describe("recipes", () => {
  test("each with a table of files has an example here", () => {
    const [, recipes = ""] = TEXT.split("\n## Recipes\n");
    const [own = ""] = recipes.split("\n## ");
    const withTable = own.split("\n### ").filter((section) => section.includes("| File | What to do |"));
    expect(withTable.map((section) => section.split("\n")[0]!)).toEqual(Object.keys(EXAMPLES));
  });

  test.each(Object.entries(EXAMPLES))("%s: its files are those that name the example", (recipe, example) => {
    const { names, but, besides = [] } = example;
    const listed = filesOf(recipe).filter((file) => existsSync(join(ROOT, "src", file)));
    const naming = SOURCE.filter(({ path, code }) => names.test(code) && !but?.test(path)).map(({ path }) => path);
    expect(listed.toSorted()).toEqual([...naming, ...besides].toSorted());
  });

  test.each(Object.keys(EXAMPLES))("%s: every file that it names is there, once", (recipe) => {
    const files = filesOf(recipe);
    const missing = files.filter((file) => !existsSync(join(ROOT, "src", file)) && !existsSync(join(ROOT, file)));
    expect({ missing, repeated: files.length - new Set(files).size }).toEqual({ missing: [], repeated: 0 });
  });
});
