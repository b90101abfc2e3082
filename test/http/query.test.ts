// The query reader against the platform's own, which reads the same queries more slowly and hides broken escapes.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { isRefusal } from "../../src/domain/errors.ts";
import { wholeNumberKind } from "../../src/http/api/parameter-kinds.ts";
import { checkPairs, readText, splitQuery } from "../../src/http/api/read-text.ts";

const texts = fc.string({ unit: "binary" }).filter((text) => text.isWellFormed());

test("R7: every query a URLSearchParams writes is read back, of each name the last value", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(texts, texts)), (pairs) => {
      const query = splitQuery(new URLSearchParams(pairs).toString());
      for (const [name, value] of new Map(pairs)) expect(readText(query, name)).toBe(value);
    }),
  );
});

test("R7: the names that matter are read however they are encoded, and far longer ones hide none", () => {
  const encoded = [..."idempotency_key"].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
  const long = ["+".repeat(15_000), "%FF".repeat(5_000), "%41".repeat(5_000)];
  const query = splitQuery([...long, `${encoded}=a+b`, ...long].join("&"));
  expect(readText(query, "idempotency_key")).toBe("a b");
  expect([...query.keys()].filter((name) => name.length <= 300)).toEqual(["idempotency_key"]);
});

test("what decodes to no text is refused and never replaced", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      const read = readText(splitQuery(`a=${value.replaceAll("&", "")}`), "a");
      expect(isRefusal(read) || !read?.includes("\ufffd") || value.includes("\ufffd")).toBe(true);
    }),
  );
});

test("R7: an integer is 1 to 9 digits", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.integer().map(String), fc.double().map(String)), (value) => {
      const read = wholeNumberKind(0).read(value, "a");
      if (/^[0-9]{1,9}$/.test(value)) expect(read).toBe(Number(value));
      else expect(isRefusal(read)).toBe(true);
    }),
  );
});

test("a query has at most 100 parameters, empty ones counted", () => {
  expect(checkPairs("")).toBeNull();
  expect(checkPairs("&".repeat(99))).toBeNull();
  expect(checkPairs("&".repeat(100))).toMatchObject({
    refusal: "INVALID_REQUEST",
    message: expect.stringContaining("more than 100"),
  });
});
