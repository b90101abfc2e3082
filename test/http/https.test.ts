// R35 as a decision over addresses and headers, for the peers no test on one machine can have.

import { describe, expect, test } from "bun:test";
import { clientAddress, createPeerReader, isAcceptedOverPlain } from "../../src/http/https.ts";

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
  const address = (peer: string, forwardedFor?: string) =>
    clientAddress(
      readPeer(peer),
      headersOf(forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor }),
      readPeer,
    );

  test.each([
    ["the peer's own, without the header", "127.0.0.1", undefined, "127.0.0.1"],
    ["the peer's own, when it is not trusted", "192.0.2.1", "198.51.100.1", "192.0.2.1"],
    ["what a trusted peer says", "127.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["the rightmost that is no trusted proxy", "127.0.0.1", "203.0.113.9, 198.51.100.1, 10.0.0.7", "198.51.100.1"],
    ["the leftmost, when all are trusted", "127.0.0.1", "10.0.0.8,10.0.0.7", "10.0.0.8"],
    ["IPv6 as well", "::1", "2001:db8::1, fd00::2", "2001:db8::1"],
    [
      "the nearest that is known, before something that is no address",
      "127.0.0.1",
      "198.51.100.1, nonsense, 10.0.0.7",
      "10.0.0.7",
    ],
    ["the peer's own, when the header is empty", "127.0.0.1", "", "127.0.0.1"],
  ])("is %s", (_, peer, forwardedFor, expected) => {
    expect(address(peer, forwardedFor)).toBe(expected);
  });
});
