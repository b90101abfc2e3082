// What pages do, they do as the person who asked (`operateAs`): as the user of the commands they only look.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isOperationName, OPERATIONS } from "../../src/engine/operations/operations.ts";
import { ROOT } from "../support/executable.ts";

const SOURCE = [...new Bun.Glob("src/web/**/*.{ts,tsx}").scanSync(ROOT)];

/** The operations that a text runs as the user of the commands; `?` where it does not name one. */
const runIn = (text: string): string[] =>
  [...text.matchAll(/\boperate(?:ByPages)?\(\s*(?:"([^"]+)")?/g)].map(([, name = "?"]) => name);

const mayRun = (name: string): boolean => isOperationName(name) && OPERATIONS[name].effect !== "acts";

test("no page changes anything as the user of the commands, who may do everything", () => {
  const run = SOURCE.flatMap((path) => runIn(readFileSync(join(ROOT, path), "utf8")).map((name) => ({ path, name })));
  expect(run.length).toBeGreaterThan(0);
  expect(run.filter(({ name }) => !mayRun(name))).toEqual([]);
});

test("one that did would be found", () => {
  const text =
    'engine.operate("monitor pause", {}); engine.operate(name, {}); engine.operateAs(by, "monitor pause", {});';
  expect(runIn(text).filter((name) => !mayRun(name))).toEqual(["monitor pause", "?"]);
});
