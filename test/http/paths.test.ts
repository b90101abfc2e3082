// Telemetry paths as a pure reading (R5), over any text a monitor key can be.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isRefusal } from "../../src/domain/errors.ts";
import { namedInRefusedPath, readAddress } from "../../src/http/api/read-path.ts";
import { splitRequestTarget } from "../../src/http/request-target.ts";

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

  test("a path of thousands of segments is none, and names its key wherever that stands", () => {
    const further = ["/d", "/d/", "/d//", "/d".repeat(5_000), "/%41".repeat(3_000), "/".repeat(10_000)];
    for (const rest of further) {
      expect(readAddress(`a/ck_app_x/c${rest}`, null, NO_HEADERS)).toMatchObject({ refusal: "NOT_FOUND" });
    }
    expect(readAddress("/".repeat(10_000), null, NO_HEADERS)).toMatchObject({ refusal: "INVALID_REQUEST" });
    expect(namedInRefusedPath(`a/${"b/".repeat(5_000)}ck_app_x/c`)).toEqual({ monitorKey: "a", pathKey: "ck_app_x" });
    expect(namedInRefusedPath("ck_app_x/ck_app_y")).toEqual({ monitorKey: "", pathKey: "ck_app_x" });
    expect(namedInRefusedPath("a/b")).toEqual({ monitorKey: "a", pathKey: null });
  });

  test("a monitor key that is too long is refused, however it is encoded and however long it is", () => {
    for (const letter of ["a", "%41", "%C3%BC", "%F0%9F%98%80"]) {
      const longest = readAddress(`${letter.repeat(200)}/ck_app_x`, 2, NO_HEADERS);
      expect(longest).toMatchObject({ monitorKey: decodeURIComponent(letter).repeat(200) });
      for (const length of [201, 1_000]) {
        const tail = `${letter.repeat(length)}/ck_app_x`;
        expect(readAddress(tail, 2, NO_HEADERS)).toMatchObject({
          refusal: "INVALID_REQUEST",
          message: "monitor_key: it is longer than 200 characters, the most it may have",
        });
        expect(namedInRefusedPath(tail)).toEqual({ monitorKey: "", pathKey: "ck_app_x" });
      }
    }
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
    expect(splitRequestTarget(url)).toEqual({ path, query });
  });
});
