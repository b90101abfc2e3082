// Telemetry paths as a pure reading (R5), over any text a monitor key can be.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isRefusal } from "../../src/domain/errors.ts";
import { readAddress, readTarget } from "../../src/http/api/paths.ts";

const NO_HEADERS = new Headers();

const readableKeys = fc
  .string({ unit: "binary", minLength: 1, maxLength: 50 })
  .filter((key) => key.isWellFormed() && !/[\p{Cc}\ufffd]/u.test(key) && key !== "." && key !== "..");

describe("R5: segments", () => {
  test("whatever a monitor is called, its encoded key is read back exactly", () => {
    fc.assert(
      fc.property(
        readableKeys,
        fc.constantFrom("", "/start", "/complete", "/fail", "/log", "/0", "/255"),
        (key, rest) => {
          const address = readAddress(`${encodeURIComponent(key)}/ck_app_x${rest}`, rest === "" ? 2 : 3, NO_HEADERS);
          expect(address).toMatchObject({ monitorKey: key, pathKey: "ck_app_x" });
        },
      ),
    );
  });

  test("no path makes the reading throw, and every answer is an address or a refusal", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.constantFrom(1, 2, 3, null), (tail, sent) => {
        const address = readAddress(tail, sent, NO_HEADERS);
        expect(isRefusal(address) || address.monitorKey.length > 0).toBe(true);
      }),
    );
  });

  test("a replacement character is refused however it was sent, since raw bytes that are no text become one", () => {
    expect(readAddress("%EF%BF%BD/ck_app_x", 2, NO_HEADERS)).toMatchObject({ refusal: "INVALID_REQUEST" });
  });
});

describe("targets", () => {
  test.each([
    ["http://h/a/b?c=d?e", "/a/b", "c=d?e"],
    ["https://[::1]:1/a", "/a", ""],
    ["http://h/?", "/", ""],
    ["http://h/a?b/c", "/a", "b/c"],
    ["/a?b", "/a", "b"],
    ["/ä?ö", "/%C3%A4", "%C3%B6"],
    ["//x/y", "//x/y", ""],
  ])("%s", (url, path, query) => {
    expect(readTarget(url)).toEqual({ path, query });
  });
});
