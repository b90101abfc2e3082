// R35 as a decision over addresses and headers, for the peers no test on one machine can have.

import { describe, expect, test } from "bun:test";
import { cameOverHttps, clientOf, createPeerReader, isAcceptedOverPlain } from "../../src/http/https.ts";

const readPeer = createPeerReader(["127.0.0.0/8", "::1/128", "10.0.0.0/8", "fd00::/8"]);
const headersOf = (record: Record<string, string>) => new Headers(record);
const HTTPS = headersOf({ "x-forwarded-proto": "https" });
const NONE = headersOf({});

describe("R35: peers", () => {
  test.each([
    ["127.0.0.1", true, true],
    ["127.255.0.9", true, true],
    ["::1", true, true],
    ["::ffff:127.0.0.1", true, true],
    ["::ffff:7f00:1", true, true],
    ["10.1.2.3", false, true],
    ["::ffff:10.1.2.3", false, true],
    ["fd00::5", false, true],
    ["11.0.0.1", false, false],
    ["::ffff:192.0.2.1", false, false],
    ["2001:db8::1", false, false],
    ["fe80::1%eth0", false, false],
    ["", false, false],
    ["unknown", false, false],
  ])("%s: loopback %p, trusted %p", (address, isLoopback, isTrusted) => {
    expect(readPeer(address)).toMatchObject({ isLoopback, isTrusted });
    expect(readPeer(address)).toMatchObject({ isLoopback, isTrusted });
  });

  test("an IPv4 address inside IPv6 is shown as itself", () => {
    expect(readPeer("::ffff:192.0.2.1").address).toBe("192.0.2.1");
  });
});

describe("R35: plain HTTP from another machine", () => {
  const stranger = readPeer("192.0.2.1");
  const proxy = readPeer("10.0.0.1");

  test("is refused unless everything is accepted", () => {
    expect(isAcceptedOverPlain("loopback", stranger, NONE)).toBe(false);
    expect(isAcceptedOverPlain("refuse", stranger, NONE)).toBe(false);
    expect(isAcceptedOverPlain("accept", stranger, NONE)).toBe(true);
  });

  test("is no HTTPS because it says so itself", () => {
    expect(isAcceptedOverPlain("loopback", stranger, HTTPS)).toBe(false);
    expect(isAcceptedOverPlain("refuse", stranger, HTTPS)).toBe(false);
  });

  test("is HTTPS when a trusted proxy says so", () => {
    expect(isAcceptedOverPlain("loopback", proxy, HTTPS)).toBe(true);
    expect(isAcceptedOverPlain("refuse", proxy, HTTPS)).toBe(true);
  });

  test("from a trusted proxy that says nothing is refused: trust is not loopback", () => {
    expect(isAcceptedOverPlain("loopback", proxy, NONE)).toBe(false);
  });

  test("from loopback is accepted although loopback is no trusted proxy", () => {
    const readStrict = createPeerReader([]);
    expect(isAcceptedOverPlain("loopback", readStrict("::ffff:127.0.0.1"), NONE)).toBe(true);
    expect(isAcceptedOverPlain("loopback", readStrict("127.0.0.1"), HTTPS)).toBe(false);
  });
});

describe("R35: the client's address", () => {
  const clientBy = (peer: string, headers: Record<string, string>) =>
    clientOf(readPeer(peer), headersOf(headers), readPeer);
  const address = (peer: string, forwardedFor?: string) =>
    clientBy(peer, forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor }).address;

  test.each([
    ["the peer's own, without the header", "127.0.0.1", undefined, "127.0.0.1"],
    ["the peer's own, when it is not trusted", "192.0.2.1", "198.51.100.1", "192.0.2.1"],
    ["what a trusted peer says", "127.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["the rightmost that is no trusted proxy", "127.0.0.1", "203.0.113.9, 198.51.100.1, 10.0.0.7", "198.51.100.1"],
    ["the leftmost, when all are trusted", "127.0.0.1", "10.0.0.8,10.0.0.7", "10.0.0.8"],
    ["IPv6 as well", "::1", "2001:db8::1, fd00::2", "2001:db8::1"],
    ["with a port, as IIS and Azure write it", "127.0.0.1", "198.51.100.1:51234", "198.51.100.1"],
    ["in brackets with a port", "127.0.0.1", "[2001:db8::1]:51234", "2001:db8::1"],
    ["in brackets alone", "127.0.0.1", "[2001:db8::1]", "2001:db8::1"],
    ["in quotes", "127.0.0.1", '"198.51.100.1", "[fd00::2]:443"', "198.51.100.1"],
    ["with the zone of a link", "127.0.0.1", "fe80::1%eth0", "fe80::1"],
    ["IPv4 inside IPv6", "127.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"],
    ["a name that hides it, so that clients stay apart", "127.0.0.1", "_hidden7, 10.0.0.7", "_hidden7"],
    ["no number that is only a part of an address", "127.0.0.1", "12", "12"],
    ["the peer's own, when the header is empty", "127.0.0.1", "", "127.0.0.1"],
  ])("is %s", (_, peer, forwardedFor, expected) => {
    expect(address(peer, forwardedFor)).toBe(expected);
  });

  test.each([
    ["for=198.51.100.1", "198.51.100.1"],
    ["For=198.51.100.1;proto=https;by=203.0.113.43", "198.51.100.1"],
    ['proto=https; for="198.51.100.1:4711"', "198.51.100.1"],
    ['for="[2001:db8::1]:4711";by=_x, for=10.0.0.7', "2001:db8::1"],
    ['host="a,b;for=9.9.9.9";for=198.51.100.1', "198.51.100.1"],
    ["for=_gazonk", "_gazonk"],
    ["for=unknown", "unknown"],
  ])("Forwarded: %s", (forwarded, expected) => {
    expect(clientBy("127.0.0.1", { forwarded }).address).toBe(expected);
    expect(clientBy("192.0.2.1", { forwarded }).address).toBe("192.0.2.1");
    expect(clientBy("127.0.0.1", { forwarded, "x-forwarded-for": "198.51.100.9" }).address).toBe("198.51.100.9");
  });

  test("what cannot be read is told, and what no proxy says, too", () => {
    expect(clientBy("127.0.0.1", { "x-forwarded-for": "<b>, 10.0.0.7" })).toEqual({ address: "b", unread: "<b>" });
    expect(clientBy("127.0.0.1", { forwarded: "proto=https" })).toEqual({ address: "127.0.0.1", unread: "" });
    expect(clientBy("127.0.0.1", { "x-forwarded-proto": "https" })).toEqual({ address: "127.0.0.1", unread: "" });
    expect(clientBy("127.0.0.1", {})).toEqual({ address: "127.0.0.1", unread: null });
    expect(clientBy("192.0.2.1", { "x-forwarded-for": "<b>" })).toEqual({ address: "192.0.2.1", unread: null });
  });

  test("HTTPS may be said in Forwarded, by the nearest proxy and by none otherwise", () => {
    const isHttps = (headers: Record<string, string>) => cameOverHttps(readPeer("10.0.0.1"), headersOf(headers));
    expect(isHttps({ forwarded: "for=1.2.3.4;proto=https" })).toBe(true);
    expect(isHttps({ forwarded: "for=1.2.3.4;proto=HTTPS, for=10.0.0.3; proto=https" })).toBe(true);
    expect(isHttps({ forwarded: "for=1.2.3.4;proto=https, for=10.0.0.3;proto=http" })).toBe(false);
    expect(isHttps({ forwarded: "proto=https, for=10.0.0.3" })).toBe(false);
    expect(isHttps({ forwarded: "proto=https", "x-forwarded-proto": "http" })).toBe(false);
    expect(isHttps({ "x-forwarded-proto": '"HTTPS", https' })).toBe(true);
    expect(isHttps({ "x-forwarded-proto": "" })).toBe(false);
  });
});
