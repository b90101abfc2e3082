// The grammar of mail addresses: what passes is one plain address and nothing a mail library could read as two.

import { expect, test } from "bun:test";
import { isMailAddress } from "../../src/domain/text.ts";

const GOOD = [
  "ada@example.org",
  "ada.lovelace+cron@mail.example.co.uk",
  "_ops@xn--bcher-kva.example",
  "o'brien@example.org",
  "root@localhost",
  `${"a".repeat(64)}@example.org`,
];

const BAD = [
  "",
  "ada",
  "@example.org",
  "ada@",
  "ada@@example.org",
  "ada@example.org@example.net",
  "ada@example.org,eve@example.org",
  "ada@example.org;eve@example.org",
  "ada@example.org eve@example.org",
  " ada@example.org",
  "ada@example.org\n",
  "ada@example.org\r\nBcc: eve@example.org",
  "ada\u0000@example.org",
  "Ada <ada@example.org>",
  '"ada"@example.org',
  '"eve@example.org x"@example.net',
  "ada(eve)@example.org",
  "ada..b@example.org",
  ".ada@example.org",
  "ada.@example.org",
  "-oQ/tmp@example.org",
  "|sh@example.org",
  "eve%example.org@example.net",
  "björn@example.org",
  "ada@bücher.example",
  "ada@example..org",
  "ada@-example.org",
  "ada@example.org.",
  "ada@[127.0.0.1]",
  `${"a".repeat(65)}@example.org`,
  `ada@${"a".repeat(64)}.org`,
  `ada@${"abcdefgh.".repeat(30)}org`,
];

test("one plain address passes", () => {
  expect(GOOD.filter((text) => !isMailAddress(text))).toEqual([]);
});

test("anything else is refused, above all what could be read as a second recipient", () => {
  expect(BAD.filter(isMailAddress)).toEqual([]);
});
