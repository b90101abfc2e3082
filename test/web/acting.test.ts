// What pages do, they do as the person who asked: as the user of the commands they only look.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isOperationName, OPERATIONS } from "../../src/engine/operations/operations.ts";
import { ROOT } from "../support/executable.ts";

const SOURCE = [...new Bun.Glob("src/web/**/*.{ts,tsx}").scanSync(ROOT)];

/** The operations that a text runs as the user of the commands; `?` where it does not name one. */
const runIn = (text: string): string[] =>
  [...text.matchAll(/\bas\("host"\)(?:\s*\.\w+\(\s*(?:"([^"]+)")?)?/g)].map(([, name = "?"]) => name);

const mayRun = (name: string): boolean => isOperationName(name) && OPERATIONS[name].effect !== "acts";

test("no page changes anything as the user of the commands, who may do everything", () => {
  const run = SOURCE.flatMap((path) => runIn(readFileSync(join(ROOT, path), "utf8")).map((name) => ({ path, name })));
  expect(run.length).toBeGreaterThan(0);
  expect(run.filter(({ name }) => !mayRun(name))).toEqual([]);
});

test("one that did would be found", () => {
  const text =
    'engine.as("host").operate("monitor pause", {}); engine.as("host").ask(name, {}); const host = engine.as("host");' +
    'engine.as(by).operate("monitor pause", {}); engine.as("host").operate("app list", {});';
  expect(runIn(text).filter((name) => !mayRun(name))).toEqual(["monitor pause", "?", "?"]);
});
