// The keys a monitor may have: exactly what a report can name in its path, refused with a sentence that says why not.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isRefusal } from "../../src/domain/errors.ts";
import { checkMonitorKey } from "../../src/domain/monitor-key.ts";
import { readAddress } from "../../src/http/api/read-path.ts";
import { splitRequestTarget } from "../../src/http/request-target.ts";

describe("R5, R6: a monitor key", () => {
  test.each(["a", "...", ".a", "a/b?c=%2F", "ü😀", "start", " ", "k".repeat(200), "😀".repeat(200)])(
    "%p is one",
    (key) => {
      expect(checkMonitorKey("key", key)).toBeNull();
    },
  );

  test.each([
    ["", "it is empty, 1 to 200 characters are needed"],
    ["k".repeat(201), "it is longer than 200 characters, the most it may have"],
    ["😀".repeat(201), "it is longer than 200 characters, the most it may have"],
    ["a\u0000b", "it has a control character, which it may not have"],
    ["a\u0085b", "it has a control character, which it may not have"],
    ["\ud83d", "it is not Unicode text"],
    [".", '"." and ".." mean a place in a path, no monitor may be called so'],
    ["..", '"." and ".." mean a place in a path, no monitor may be called so'],
  ])("%p is none, and the sentence names the field, the problem and the rule", (key, problem) => {
    expect(checkMonitorKey("monitors[3].key", key)).toMatchObject({
      refusal: "INVALID_REQUEST",
      message: `monitors[3].key: ${problem}`,
    });
  });

  test("is what a report can name: both refuse the same keys, or a monitor could be made that nobody can reach", () => {
    const keys = fc.oneof(
      fc.string({ unit: "binary", maxLength: 210 }),
      fc.string({ unit: fc.constantFrom(".", "a", "/", "\u0085", "😀"), maxLength: 210 }),
      fc.nat(210).map((length) => "k".repeat(length)),
    );
    fc.assert(
      fc.property(
        keys.filter((key) => key.isWellFormed() && !key.includes("\ufffd")),
        (key) => {
          const { path } = splitRequestTarget(`http://localhost/${encodeURIComponent(key)}/ck_app_x`);
          const tail = path.slice(1);
          expect(isRefusal(readAddress(tail, 2, new Headers()))).toBe(checkMonitorKey("key", key) !== null);
        },
      ),
    );
  });
});
