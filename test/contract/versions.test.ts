// The contract's section "Versions": where version 1 lives, that the aliases map to it, and that nothing else does.
// What the two answer differently is in "Aliases".

import { afterAll, describe, expect, test } from "bun:test";
import { ask } from "../support/http-client.ts";
import { startService } from "../support/service.ts";

const service = startService();
afterAll(() => service[Symbol.asyncDispose]());
const { origin, keys } = service;
const REGISTER = "?schedule=0+3+*+*+*";

const statusOf = async (path: string): Promise<number> => (await ask(`${origin}${path}`)).status;

test("version 1 lives under /api/v1, and /ping maps to /api/v1/ping: each finds what the other made", async () => {
  expect(await statusOf(`/api/v1/ping/versions-1/${keys.all}${REGISTER}`)).toBe(200);
  expect(await statusOf(`/ping/versions-1/${keys.all}/start`)).toBe(200);
  expect(await statusOf(`/ping/versions-2/${keys.all}${REGISTER}`)).toBe(200);
  expect(await statusOf(`/api/v1/ping/versions-2/${keys.all}/complete`)).toBe(200);
});

describe("no other address is one", () => {
  test.each(["/api", "/api/ping", "/v1/ping", "/api/v0/ping", "/api/v2/ping", "/API/V1/ping", "/Ping", "/api/v1"])(
    "%s",
    async (base) => {
      const answer = await ask(`${origin}${base}/versions-1/${keys.all}${REGISTER}`);
      expect(answer).toMatchObject({ status: 404, json: { error: "NOT_FOUND" } });
    },
  );
});

test("no date is set for the end of the aliases, so no answer names one", async () => {
  const { headers } = await ask(`${origin}/ping/versions-3/${keys.all}${REGISTER}`);
  expect([headers.get("deprecation"), headers.get("sunset"), headers.get("link")]).toEqual([null, null, null]);
});
