// The contract's section "Authentication" for telemetry: what counts as a credential, and that everything else is one
// and the same 401. Over the wire alone; what the versions take beside it is in "Aliases".

import { afterAll, describe, expect, test } from "bun:test";
import type { LogFields } from "../../src/domain/log.ts";
import { MINUTE } from "../../src/domain/time.ts";
import { type Answer, ask, basic } from "../support/http-client.ts";
import { startService } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";

describe.each(VERSIONS)("$title", ({ root }) => {
  const service = startService();
  afterAll(() => service[Symbol.asyncDispose]());
  const { keys } = service;
  const base = `${service.origin}${root}`;

  const REGISTER = "?schedule=0+3+*+*+*";

  const withHeader = (authorization: string): Promise<Answer> =>
    ask(`${base}/ping/authentication${REGISTER}`, { headers: { authorization } });

  const base64 = (text: string): string => Buffer.from(text).toString("base64");

  describe("a live key", () => {
    test("is taken in the path", async () => {
      expect((await ask(`${base}/ping/authentication/${keys.all}${REGISTER}`)).status).toBe(200);
    });

    test("is taken as the user name of HTTP Basic with an empty password", async () => {
      expect((await withHeader(`Basic ${base64(`${keys.all}:`)}`)).status).toBe(200);
    });

    test.each(["basic", "BASIC", "Basic  "])("the scheme is read as HTTP says: %s", async (scheme) => {
      expect((await withHeader(`${scheme} ${base64(`${keys.all}:`)}`)).status).toBe(200);
    });

    test("is taken in base64 without padding", async () => {
      expect((await withHeader(`Basic ${base64(`${keys.all}:`).replaceAll("=", "")}`)).status).toBe(200);
    });

    test("R5: in the path wins over an Authorization header", async () => {
      const path = `${base}/ping/authentication`;
      expect((await ask(`${path}/${keys.all}${REGISTER}`, { headers: basic("ck_app_unknown") })).status).toBe(200);
      expect((await ask(`${path}/ck_app_unknown`, { headers: basic(keys.all) })).status).toBe(401);
    });

    test("R3: of scope ping reports", async () => {
      expect((await ask(`${base}/ping/authentication/${keys.ping}${REGISTER}`)).status).toBe(200);
    });

    test("R3: of scope sync is 403 ACCESS_DENIED for telemetry, and nothing is recorded", async () => {
      const denied = { status: 403, json: { error: "ACCESS_DENIED" } };
      expect(await ask(`${base}/ping/out-of-scope/${keys.sync}${REGISTER}`)).toMatchObject(denied);
      expect(await ask(`${base}/ping/out-of-scope${REGISTER}`, { headers: basic(keys.sync) })).toMatchObject(denied);
      expect((await ask(`${base}/ping/out-of-scope/${keys.all}`)).status).toBe(404);
    });
  });

  describe("rule 1: everything else is 401 AUTHENTICATION_REQUIRED", () => {
    const bad: readonly (readonly [string, () => Promise<Answer>])[] = [
      ["no credential", () => ask(`${base}/ping/authentication${REGISTER}`)],
      ["an unknown key in the path", () => ask(`${base}/ping/authentication/ck_app_prod_${"x".repeat(32)}${REGISTER}`)],
      ["a revoked key in the path", () => ask(`${base}/ping/authentication/${keys.revoked}${REGISTER}`)],
      ["a malformed key in the path", () => ask(`${base}/ping/authentication/ck_app_${REGISTER}`)],
      ["a key cut short", () => ask(`${base}/ping/authentication/${keys.all.slice(0, -1)}${REGISTER}`)],
      ["a key in capitals", () => withHeader(`Basic ${base64(`${keys.all.toUpperCase()}:`)}`)],
      ["an unknown key in Basic", () => withHeader(`Basic ${base64("ck_app_prod_unknown:")}`)],
      ["a revoked key in Basic", () => withHeader(`Basic ${base64(`${keys.revoked}:`)}`)],
      ["a password", () => withHeader(`Basic ${base64(`${keys.all}:secret`)}`)],
      ["the key as the password", () => withHeader(`Basic ${base64(`:${keys.all}`)}`)],
      ["a user name and the key as the password", () => withHeader(`Basic ${base64(`user:${keys.all}`)}`)],
      ["no colon", () => withHeader(`Basic ${base64(keys.all)}`)],
      ["malformed base64", () => withHeader("Basic !!!!")],
      ["base64 of an impossible length", () => withHeader("Basic Y2tfY")],
      ["base64 with a stray equals sign", () => withHeader(`Basic =${base64(`${keys.all}:`)}`)],
      ["base64 of bytes that are no text", () => withHeader("Basic /////w==")],
      ["nothing behind Basic", () => withHeader("Basic")],
      ["the key itself behind Basic", () => withHeader(`Basic ${keys.all}`)],
      ["two credentials", () => withHeader(`Basic ${base64(`${keys.all}:`)}, Basic ${base64(`${keys.all}:`)}`)],
      ["the key alone in the header", () => withHeader(keys.all)],
      ["the key in the query", () => ask(`${base}/ping/authentication?api_key=${keys.all}`)],
    ];

    test.each(bad)("%s", async (_, send) => {
      expect(await send()).toMatchObject({ status: 401, json: { error: "AUTHENTICATION_REQUIRED" } });
    });

    test("R3: with one and the same body and headers, whatever was wrong", async () => {
      const seen = new Set<string>();
      for (const [, send] of bad) {
        const { text, headers } = await send();
        headers.delete("date");
        seen.add(JSON.stringify([text, ...headers]));
      }
      expect(seen.size).toBe(1);
    });

    test("the answer asks for Basic, as HTTP wants it", async () => {
      const answer = await ask(`${base}/ping/authentication`);
      expect(answer.headers.get("www-authenticate")).toStartWith("Basic ");
    });

    test("it comes before anything is said about parameters", async () => {
      expect((await ask(`${base}/ping/authentication/ck_app_unknown?attempt=x&schedule=nonsense`)).status).toBe(401);
    });
  });

  test("R33: what failed is in the log once a minute and client, who is told by R35, and never with its key", async () => {
    const time = { monotonic: 0 };
    const logged: { readonly event: string; readonly fields: LogFields }[] = [];
    await using service = startService({
      clock: { now: () => 0, monotonic: () => time.monotonic },
      log: (_level, event, fields = {}) => logged.push({ event, fields }),
    });
    const path = `${service.origin}${root}/ping/authentication`;
    const proxied = (client: string) => ({
      headers: { "x-forwarded-proto": "https", "x-forwarded-for": `203.0.113.9, ${client}, 127.0.0.1` },
    });
    for (let sent = 0; sent < 3; sent++) await ask(`${path}/ck_app_unknown`, proxied("192.0.2.1"));
    await ask(`${path}/${service.keys.revoked}/fail`, { method: "POST" });
    await ask(path, { headers: { authorization: "nonsense" } });
    // Neither of these is a failed authentication.
    await ask(`${path}/${service.keys.sync}`, proxied("192.0.2.2"));
    await ask(`${path}/${service.keys.all}`, proxied("192.0.2.2"));
    time.monotonic += MINUTE;
    await ask(path, proxied("192.0.2.1"));
    expect(logged).toEqual([
      { event: "authentication_failed", fields: { client: "192.0.2.1", failedBefore: 0, failedInAll: 1 } },
      { event: "authentication_failed", fields: { client: "127.0.0.1", failedBefore: 0, failedInAll: 4 } },
      { event: "revoked_key_used", fields: { application: "prod", client: "127.0.0.1", key: expect.any(Number) } },
      { event: "authentication_failed", fields: { client: "192.0.2.1", failedBefore: 2, failedInAll: 6 } },
    ]);
  });
});
