// Keys are hidden wherever they stand, and a look at a text tells beforehand whether one may stand there.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { maskKeys, mayHoldKeys } from "../../src/domain/output/secrets.ts";
import { propertyRuns } from "../support/property-runs.ts";

const SECRET = "s3cretLetters0123456789";

/** Some letters percent-encoded, some of these more than once, in letters of either case. */
const inSomeCoding = (text: string): fc.Arbitrary<string> =>
  fc.array(fc.nat(5), { minLength: text.length, maxLength: text.length }).map((codings) =>
    [...text]
      .map((letter, place) => {
        const coding = codings[place]!;
        if (coding < 3) return coding === 2 ? letter.toUpperCase() : letter;
        return `%${"25".repeat(coding - 3)}${letter.charCodeAt(0).toString(16)}`;
      })
      .join(""),
  );

const hidden = fc.oneof(
  inSomeCoding("ck_app_").map((prefix) => `${prefix}shop_${SECRET}`),
  inSomeCoding("ck_adm_").map((prefix) => `${prefix}${SECRET}`),
  fc.constantFrom("ck_app_", "ck_adm_").map((prefix) => `Basic ${btoa(`${prefix}${SECRET}`)}`),
  fc.constantFrom("https://hc-ping.com/", "http://pi:3001/api/push/", "/ping/").map((path) => `${path}${SECRET}`),
);

test("R2, R45: a key or an old address in any coding is seen in a text and in its JSON, and hidden", () => {
  const shown = [SECRET, btoa(`ck_app_${SECRET}`), btoa(`ck_adm_${SECRET}`)];
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), hidden, fc.string({ unit: "grapheme" }), (before, key, after) => {
      const text = `${before} ${key} ${after}`;
      expect([mayHoldKeys(text), mayHoldKeys(JSON.stringify({ text }))]).toEqual([true, true]);
      const masked = maskKeys(text);
      for (const secret of shown) expect(masked).not.toContain(secret);
    }),
    propertyRuns(300),
  );
});

test("most messages are seen to hold none", () => {
  const plain = ["disk 91 % full", "nightly-backup missed its slot of 02:00", "https://example.com/jobs/?a=b%20c", ""];
  expect(plain.map(mayHoldKeys)).toEqual([false, false, false, false]);
});
