// R35: what counts as HTTPS, over real sockets: TLS of our own, a proxy in front, and plain HTTP on the same machine.

import { describe, expect, test } from "bun:test";
import { createCertificate } from "../support/certificate.ts";
import { type Answer, ask, askRaw } from "../support/http-client.ts";
import { type Service, startService } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";

describe.each(VERSIONS)("$title", ({ root }) => {
  const REGISTER = "?schedule=0+3+*+*+*";
  const TRUSTED = ["127.0.0.0/8", "::1/128"];

  const report = ({ origin, keys }: Service, headers: Record<string, string> = {}): Promise<Answer> =>
    ask(`${origin}${root}/ping/https/${keys.all}${REGISTER}`, { headers });

  const REFUSED = { status: 403, json: { error: "HTTPS_REQUIRED" } };
  const PROXY_HEADERS = [
    ["Forwarded", "for=192.0.2.1;proto=http"],
    ["X-Forwarded-Proto", "http"],
    ["X-Forwarded-For", "192.0.2.1"],
    ["X-Forwarded-Host", "example.org"],
    ["X-Forwarded-Anything", "1"],
    ["X-Real-IP", "192.0.2.1"],
    ["X-Original-Forwarded-For", "192.0.2.1"],
    ["X-Client-IP", "192.0.2.1"],
    ["Via", "1.1 proxy"],
    ["CDN-Loop", "cloudflare"],
    ["CF-Connecting-IP", "192.0.2.1"],
    ["CF-Ray", "1"],
    ["True-Client-IP", "192.0.2.1"],
  ] as const;

  describe("R35: plain_http = loopback", () => {
    test("the first curl on the same machine works", async () => {
      await using service = startService();
      expect((await report(service)).status).toBe(200);
    });

    test.each(PROXY_HEADERS)(
      "R35: a request that came through a proxy without HTTPS is refused: %s: %s",
      async (name, value) => {
        await using service = startService();
        expect(await report(service, { [name]: value })).toMatchObject(REFUSED);
      },
    );

    test.each(["https", "HTTPS", " https ", "https, https"])(
      "a trusted proxy's X-Forwarded-Proto counts: %s",
      async (proto) => {
        await using service = startService();
        const headers = { "x-forwarded-proto": proto, "x-forwarded-for": "192.0.2.1", forwarded: "for=192.0.2.1" };
        expect((await report(service, headers)).status).toBe(200);
      },
    );

    test.each(["http", "https, http", "http, https", "httpsx", "", "wss"])(
      "a trusted proxy that says otherwise is believed: %s",
      async (proto) => {
        await using service = startService();
        expect(await report(service, { "x-forwarded-proto": proto })).toMatchObject(REFUSED);
      },
    );

    test("a proxy that is not trusted is not believed", async () => {
      await using service = startService({ trust: { plainHttp: "loopback", trustedProxies: ["192.0.2.0/24"] } });
      expect(await report(service, { "x-forwarded-proto": "https" })).toMatchObject(REFUSED);
    });

    test("a refusal is not a redirect, names no place to go, and records nothing", async () => {
      await using service = startService();
      const { keys, origin } = service;
      const path = `${origin}${root}/ping/plain/${keys.all}`;
      const refused = await ask(path + REGISTER, { headers: { "x-forwarded-proto": "http" } });
      expect(refused.status).toBe(403);
      expect(refused.headers.get("location")).toBeNull();
      expect((await ask(path)).status).toBe(404);
    });

    test("paths that do not exist are refused the same way, probes are answered", async () => {
      await using service = startService();
      const origin = `http://127.0.0.1:${service.port}`;
      const headers = { "x-forwarded-proto": "http" };
      expect(await ask(`${origin}/nowhere`, { headers })).toMatchObject(REFUSED);
      expect((await ask(`${origin}/healthz`, { headers })).status).toBe(200);
      expect((await ask(`${origin}/readyz`, { headers })).status).toBe(200);
    });

    test("`.` as a monitor is refused no earlier than plain HTTP", async () => {
      await using service = startService();
      const answer = await askRaw(service.port, `GET ${root}/ping/../x`, ["X-Forwarded-Proto: http"]);
      expect(answer).toMatchObject(REFUSED);
    });
  });

  describe("R35: plain_http = refuse", () => {
    test("loopback is refused as well, a trusted proxy with HTTPS is not", async () => {
      await using service = startService({ trust: { plainHttp: "refuse", trustedProxies: TRUSTED } });
      expect(await report(service)).toMatchObject(REFUSED);
      expect((await report(service, { "x-forwarded-proto": "https" })).status).toBe(200);
    });
  });

  describe("R35: plain_http = accept", () => {
    test.each([["X-Other", "1"], ...PROXY_HEADERS])("everything is taken: %s: %s", async (name, value) => {
      await using service = startService({ trust: { plainHttp: "accept", trustedProxies: [] } });
      expect((await report(service, { [name]: value })).status).toBe(200);
    });
  });

  describe("R35: TLS of our own", () => {
    test.each(["loopback", "refuse"] as const)(
      "is HTTPS whatever else is said, with plain_http = %s",
      async (plainHttp) => {
        const tls = createCertificate();
        await using service = startService({ tls, trust: { plainHttp, trustedProxies: [] } });
        const answer = await ask(`${service.origin}${root}/ping/tls/${service.keys.all}${REGISTER}`, {
          headers: { "x-forwarded-proto": "http" },
          tls: { ca: tls.certificate },
        });
        expect(service.origin).toStartWith("https://");
        expect(answer.status).toBe(200);
      },
    );
  });
});

test("R35: TLS of our own takes no key exchange with static RSA, and no cipher without authentication", async () => {
  const tls = createCertificate(undefined, "rsa");
  await using service = startService({ tls });
  const offered = async (cipher: string) => {
    const command = ["openssl", "s_client", "-connect", `127.0.0.1:${service.port}`, "-tls1_2", "-cipher", cipher];
    const client = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
    return /Cipher is (.*)/.exec(await new Response(client.stdout).text())?.[1];
  };
  for (const cipher of ["AES128-GCM-SHA256", "AES256-SHA", "ECDHE-RSA-AES128-SHA"]) {
    expect([cipher, await offered(cipher)]).toEqual([cipher, "(NONE)"]);
  }
  expect(await offered("ECDHE-RSA-AES128-GCM-SHA256")).toBe("ECDHE-RSA-AES128-GCM-SHA256");
});
