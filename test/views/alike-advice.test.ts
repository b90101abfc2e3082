// What is advised of many jobs in the same words is said once, on the page as at a terminal.

import { expect, test } from "bun:test";
import { alikeAdvice } from "../../src/views/rows/advice-rows.ts";

const piece = (says: string, key: string | null) => ({
  application: "prod",
  key,
  says,
  command: `rollcall for ${key}`,
});

test("pieces that say the same are one, in the order in which each was first said", () => {
  const untold = "no destination takes its alerts";
  const alike = alikeAdvice([piece(untold, "a"), piece("it is rare", "b"), piece(untold, "c")]);
  expect(alike.map(({ says, of, pieces }) => [of, says, pieces.map(({ key }) => key).join()])).toEqual([
    ["each of 2 jobs", untold, "a,c"],
    [null, "it is rare", "b"],
  ]);
});

test("what is no job's is not said of jobs", () => {
  expect(alikeAdvice([piece("a key is not used", null), piece("a key is not used", null)])).toMatchObject([
    { of: null },
  ]);
});
