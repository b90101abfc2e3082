// Telemetry paths as a pure reading (R5), over any text a monitor key can be.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isRefusal } from "../../src/domain/errors.ts";
import { DOT_SEGMENTS, readAddress, readTarget } from "../../src/http/paths.ts";

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
          const address = readAddress(`${encodeURIComponent(key)}/ck_app_x${rest}`, NO_HEADERS);
          expect(address).toMatchObject({ monitorKey: key, pathKey: "ck_app_x" });
        },
      ),
    );
  });

  test("no path makes the reading throw, and every answer is an address or a refusal", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (tail) => {
        const address = readAddress(tail, NO_HEADERS);
        expect(isRefusal(address) || address.monitorKey.length > 0).toBe(true);
      }),
    );
  });

  test("every way to write the two dot segments is known", () => {
    expect(DOT_SEGMENTS).toHaveLength(12);
    expect(new Set(DOT_SEGMENTS.map((segment) => decodeURIComponent(segment)))).toEqual(new Set([".", ".."]));
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
