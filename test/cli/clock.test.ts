// The secret part of an API key: its shape, and that every character is as likely as any other. And the look each
// second, which waits for the real clock, as nothing else can show it.

import { expect, test } from "bun:test";
import { everySecond, randomSecret } from "../../src/cli/clock.ts";

test("R2: a secret is 32 base62 characters, and no two are alike", () => {
  const secrets = Array.from({ length: 200 }, randomSecret);
  for (const secret of secrets) expect(secret).toMatch(/^[0-9A-Za-z]{32}$/);
  expect(new Set(secrets).size).toBe(secrets.length);
});

test("R2: no character of a secret is likelier than another", () => {
  const counts = new Map<string, number>();
  const secrets = 6_200;
  for (let n = 0; n < secrets; n++)
    for (const letter of randomSecret()) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // Chi-square with 61 degrees of freedom is above 150 once in a billion runs; a plain `byte % 62` gives over 5,000.
  const expected = (secrets * 32) / 62;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  expect(chiSquare).toBeLessThan(150);
});

test("R19: each look comes in a second of its own, and never in the last moment of the one before", async () => {
  const looks: number[] = [];
  await new Promise<void>((enough) => {
    const stop = everySecond(() => {
      if (looks.push(Date.now()) < 3) return;
      stop();
      enough();
    });
  });
  const seconds = looks.map((at) => Math.floor(at / 1_000));
  expect(new Set(seconds).size).toBe(3);
  // A timer may be a millisecond early, and that is what the five are for.
  for (const at of looks) expect(at % 1_000).toBeGreaterThanOrEqual(3);
});
