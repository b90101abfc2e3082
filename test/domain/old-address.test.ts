// Addresses of other services: in how many ways a person may write one, and that all of them are one.

import { describe, expect, test } from "bun:test";
import { isRefusal } from "../../src/domain/errors.ts";
import {
  addressOfPingKey,
  addressOfSlug,
  addressOfToken,
  addressOfUuid,
  type OldAddress,
  readOldAddress,
} from "../../src/domain/old-address.ts";

const UUID = "0b6f3a1c-5d2e-4c3b-9f4e-6a7b8c9d0e1f";
const PING_KEY = "fqood6f4mmnucenztu01wx";
const TOKEN = "Wd4Kq8Zt1xAbCdEfGhIjKlMnOpQrStUv";

const read = (text: string): OldAddress => {
  const found = readOldAddress(text);
  if (isRefusal(found)) throw new Error(found.message);
  return found;
};

describe("R45: an address", () => {
  test("made of its parts is the one that is written", () => {
    const made = [
      addressOfUuid(UUID),
      addressOfSlug(PING_KEY, "nightly"),
      addressOfPingKey(PING_KEY),
      addressOfToken(TOKEN),
    ];
    expect(made).toEqual(
      [`/ping/${UUID}`, `/ping/${PING_KEY}/nightly`, `/ping/${PING_KEY}`, `/api/push/${TOKEN}`].map(read),
    );
    expect([
      addressOfUuid("x"),
      addressOfSlug("short", "x"),
      addressOfPingKey(UUID),
      addressOfToken("a b c d e"),
    ]).toEqual([null, null, null, null]);
  });

  test.each([
    [
      "healthchecks",
      `/ping/${UUID}`,
      "/ping/…0e1f",
      [
        UUID,
        UUID.toUpperCase(),
        `/${UUID}`,
        `https://hc-ping.com/${UUID}`,
        `https://hc-ping.com/${UUID}/fail`,
        `https://hc.example.org:8000/ping/${UUID}/?rid=1#top`,
        `/ping/${UUID}/137`,
        ` ping/${UUID}/start `,
      ],
    ],
    [
      "healthchecks-slug",
      `/ping/${PING_KEY}/nightly_db-2`,
      "/ping/…01wx/nightly_db-2",
      [
        `${PING_KEY}/nightly_db-2`,
        `https://hc-ping.com/${PING_KEY}/nightly_db-2/log?create=1`,
        `https://hc.example.org/ping/${PING_KEY}/nightly_db-2/`,
      ],
    ],
    ["healthchecks-slug", `/ping/${PING_KEY}/start`, "/ping/…01wx/start", [`/ping/${PING_KEY}/start`]],
    [
      "healthchecks-create",
      `/ping/${PING_KEY}/*`,
      "/ping/…01wx/*",
      [`/ping/${PING_KEY}`, `https://hc-ping.com/${PING_KEY}/`],
    ],
    [
      "kuma",
      `/api/push/${TOKEN}`,
      "/api/push/…StUv",
      [`https://kuma.example.org/api/push/${TOKEN}?status=up&msg=OK&ping=`, `/api/push/${TOKEN}/`],
    ],
    ["kuma", "/api/push/Wd4Kq8Zt1x", "/api/push/…", ["/api/push/Wd4Kq8Zt1x"]],
  ] as const)("%s has one spelling, %s", (convention, path, shown, written) => {
    for (const text of written) expect([text, read(text)]).toEqual([text, { convention, path, shown }]);
  });

  test.each([
    "",
    "/",
    "https://hc.example.org/ping/",
    "nightly",
    TOKEN,
    PING_KEY,
    "/ping/short/slug",
    `/ping/${PING_KEY}/two/words`,
    `/ping/${PING_KEY}/sp ace`,
    `/ping/${UUID}/fail/fail`,
    "/api/push/short",
    `/api/push/${TOKEN}/more`,
    "/api/push",
    "/ping/ck_app_prod_0123/start/start",
  ])("that is none is refused, and not repeated: %j", (text) => {
    const refused = readOldAddress(text);
    if (!isRefusal(refused)) throw new Error(`${text} was read as an address`);
    expect(refused.refusal).toBe("INVALID_REQUEST");
    expect(refused.message).toMatch(/^address: .+ must be /);
    // The rule itself names what is in front of a token.
    if (text.length > "/api/push".length) expect(JSON.stringify(refused)).not.toContain(text);
  });
});
