// The table of parameters: that each is read as its schema says, and that every limit of a number is held.

import { describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020";
import fc from "fast-check";
import { isRefusal } from "../../src/domain/errors.ts";
import { wholeNumberKind } from "../../src/http/api/parameter-kinds.ts";
import { parametersOf } from "../../src/http/api/parameters.ts";
import { VERSIONS } from "../../src/http/api/versions.ts";

const ajv = new Ajv2020();

describe.each(VERSIONS.map((version) => [version.title, version] as const))("%s", (_, version) => {
  const { idempotency, ...others } = parametersOf(version);

  test.each(Object.entries(others))(
    "R7, R10: %s takes nothing that its schema does not",
    (_, { name, schema, read }) => {
      const matches = ajv.compile(schema);
      const isNumber = "minimum" in schema;
      const longest = "maxLength" in schema ? Number(schema.maxLength) : 10;
      // Tried in every run, so that each parameter meets a text that it takes and one that it does not.
      const known = [
        "",
        "0 3 * * *",
        " 0  3 * * 1-5",
        "@daily",
        "1 0 3 * * *",
        "Europe/Berlin",
        "utc",
        "25h",
        "60",
        "59",
        "0",
      ];
      const bounds = [longest - 1, longest, longest + 1].map((length) => "😀".repeat(length));
      const texts = fc.oneof(
        fc.string({ unit: "binary" }),
        fc.integer().map(String),
        fc.constantFrom(...bounds, ...known),
      );
      const taken = new Set<boolean>();
      fc.assert(
        fc.property(texts, (text) => {
          const value = read(text, name);
          const isTaken = value !== null && !isRefusal(value);
          taken.add(isTaken);
          if (isTaken) expect(matches(isNumber ? value : text)).toBe(true);
          if (isRefusal(value)) expect(value.message).toStartWith(`${name}: `);
        }),
        { examples: [...bounds, ...known].map((text): [string] => [text]) },
      );
      expect(taken.size).toBe(2);
    },
  );

  test("R11: an idempotency key is taken as it stands, or not at all", () => {
    expect(idempotency.read("k".repeat(128), "")).toMatchObject({ key: "k".repeat(128) });
    expect(["", "k".repeat(129)].map((text) => idempotency.read(text, ""))).toEqual([null, null]);
  });
});

test("a number beyond either limit is refused in words that name the limit", () => {
  const { read } = wholeNumberKind(60, 600);
  expect(["60", "600"].map((text) => read(text, "a"))).toEqual([60, 600]);
  expect(read("59", "a")).toMatchObject({
    refusal: "INVALID_REQUEST",
    message: "a: 59 is too small, it must be at least 60",
  });
  expect(read("601", "a")).toMatchObject({
    refusal: "INVALID_REQUEST",
    message: "a: 601 is too large, it must be at most 600",
  });
});
