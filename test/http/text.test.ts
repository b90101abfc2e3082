// Texts from outside, against the plain ways to say the same, which cost more the longer a text is.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { cutTo } from "../../src/domain/text.ts";
import { headerText, spacesForPluses } from "../../src/http/api/read-text.ts";
import { beforeParameters } from "../../src/http/body.ts";

const withPluses = fc.string({ unit: fc.constantFrom("+", "a", " ", "%2B", "ü", "😀", "\ud83d") });

test("R5: each plus of a query becomes a space, and nothing else changes", () => {
  fc.assert(
    fc.property(withPluses, (text) => expect(spacesForPluses(text)).toBe(text.replaceAll("+", " "))),
    { examples: [["+"], ["a+b+"], ["ü+"], ["\ud83d+"], ["+".repeat(20_000)]] },
  );
});

test("a text is cut to whole code points", () => {
  fc.assert(
    fc.property(withPluses, fc.nat(10), (text, most) =>
      expect(cutTo(text, most)).toBe([...text].slice(0, most).join("")),
    ),
    {
      examples: [
        ["😀".repeat(20), 10],
        ["a😀a😀😀", 3],
      ],
    },
  );
});

test("R10: bytes of a header that are UTF-8 are read as such, all others letter by letter", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const bytes = Buffer.from(text).toString("latin1");
      expect(headerText(bytes)).toBe(Buffer.from(text).toString());
    }),
  );
  expect(headerText("caf\u00e9")).toBe("caf\u00e9");
});

test.each([
  ["application/json", "application/json"],
  [" Application/JSON ; charset=utf-8", "application/json"],
  ["prefetch;prerender", "prefetch"],
  ["application/jsonx", "application/jsonx"],
  [";", ""],
])("what stands before the parameters of %p", (value, before) => {
  expect(beforeParameters(value)).toBe(before);
});
