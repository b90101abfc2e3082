// The contract's section "Limits", as far as it is about sizes of the request itself; the lengths of parameters are in
// "Parameters", those of bodies in "Complete". Over the wire alone.

import { afterAll, describe, expect, test } from "bun:test";
import { askRaw } from "../support/http-client.ts";
import { startService } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";

describe.each(VERSIONS)("$title", ({ root, messageField }) => {
  const service = startService();
  afterAll(() => service[Symbol.asyncDispose]());
  const { port, keys } = service;

  const LINE_BYTES_MAX = 16 * 1024;

  /** A request line of exactly this many bytes, its HTTP version included. */
  function lineOf(bytes: number, monitorKey: string): string {
    const line = `GET ${root}/ping/${monitorKey}/${keys.all}?schedule=0+3+*+*+*&padding=`;
    return line + "x".repeat(bytes - line.length - " HTTP/1.1".length);
  }

  describe("R10: request lines", () => {
    test("of 16 KiB are accepted, with a client's usual headers beside them", async () => {
      const head = [`User-Agent: ${"u".repeat(1000)}`, `Cookie: ${"c".repeat(4000)}`, "Accept: */*"];
      expect((await askRaw(port, lineOf(LINE_BYTES_MAX, "line"), head)).status).toBe(200);
    });

    test("far beyond that are refused", async () => {
      expect((await askRaw(port, lineOf(4 * LINE_BYTES_MAX, "line-too-long"))).status).toBe(431);
    });
  });

  test("everything at its longest fits into one request line", async () => {
    const longest = (length: number) => "%C3%BC".repeat(length);
    const query = `schedule=0+3+*+*+*&message=${longest(1000)}&run_id=${longest(128)}&name=${longest(200)}`;
    const answer = await askRaw(port, `GET ${root}/ping/${longest(200)}/${keys.all}/fail?${query}`);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ monitor: "ü".repeat(200), [messageField]: "ü".repeat(1000) });
  });
});
