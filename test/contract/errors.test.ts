// The contract's section "Errors" and R1: every error the service answers has a code and a sentence, and which error
// comes first when a request has several. Over the wire alone.

import { afterAll, describe, expect, test } from "bun:test";
import { type Answer, ask, askRaw, basic } from "../support/http-client.ts";
import { startService } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";

describe.each(VERSIONS)("$title", ({ root }) => {
  const service = startService();
  afterAll(() => service[Symbol.asyncDispose]());
  const { port, keys } = service;
  const base = `${service.origin}${root}`;

  const origin = `http://127.0.0.1:${port}`;
  const REGISTER = "?schedule=0+3+*+*+*";

  describe("R1: every error has exactly the body {error, message}", () => {
    const errors: readonly (readonly [number, string, () => Promise<Answer>])[] = [
      [400, "INVALID_SCHEDULE", () => ask(`${base}/ping/errors/${keys.all}?schedule=nonsense`)],
      [400, "INVALID_REQUEST", () => ask(`${base}/ping/errors/${keys.all}${REGISTER}&gracePeriod=59`)],
      [400, "INVALID_REQUEST", () => askRaw(port, `GET ${root}/ping/%zz/${keys.all}`)],
      [401, "AUTHENTICATION_REQUIRED", () => ask(`${base}/ping/errors`)],
      [403, "ACCESS_DENIED", () => ask(`${base}/ping/errors/${keys.sync}`)],
      [
        403,
        "HTTPS_REQUIRED",
        () => ask(`${base}/ping/errors/${keys.all}`, { headers: { "x-forwarded-proto": "http" } }),
      ],
      [404, "MONITOR_NOT_FOUND", () => ask(`${base}/ping/errors-missing/${keys.all}`)],
      [404, "NOT_FOUND", () => ask(`${base}/ping/errors/${keys.all}/nonsense`)],
      [405, "METHOD_NOT_ALLOWED", () => ask(`${base}/ping/errors/${keys.all}`, { method: "DELETE" })],
      [
        413,
        "PAYLOAD_TOO_LARGE",
        () => ask(`${base}/ping/errors/${keys.all}${REGISTER}`, { method: "POST", body: "x".repeat(1024 * 1024 + 1) }),
      ],
    ];

    test.each(errors)("%d %s", async (status, code, send) => {
      const answer = await send();
      expect(answer.status).toBe(status);
      expect(answer.json).toEqual({ error: code, message: expect.any(String) });
      expect(answer.json?.["message"]).not.toBe("");
      expect(answer.headers.get("content-type")).toStartWith("application/json");
    });

    test.each([
      "/",
      "/api",
      "/api/v1",
      "/api/v1/",
      "/api/v1/ping",
      `${root}/ping/`,
      "/api/v2/ping/errors",
      "/API/v1/ping/errors",
      "/api//v1/ping/errors",
      `/${root}/ping/errors`,
      "/api/v1/pings/errors",
      "/api/v1/%70ing/errors",
      "/index.html",
      "/favicon.ico",
      "/%zz",
      "/healthz/more",
    ])("404 NOT_FOUND for a path that does not exist: %s", async (path) => {
      for (const method of ["GET", "POST", "PUT"]) {
        const answer = await askRaw(port, `${method} ${path}`, [`Authorization: ${basic(keys.all).authorization}`]);
        expect(answer).toMatchObject({ status: 404, json: { error: "NOT_FOUND", message: expect.any(String) } });
      }
    });

    test("a HEAD of a path that does not exist is 404 without a body", async () => {
      expect(await askRaw(port, "HEAD /nowhere")).toMatchObject({ status: 404, text: "" });
    });
  });

  describe("rule 1: a missing monitor", () => {
    test.each(["", "/start", "/complete", "/fail", "/log"])(
      "without schedule is 404 MONITOR_NOT_FOUND: %s",
      async (operation) => {
        for (const method of ["GET", "POST"]) {
          const answer = await ask(`${base}/ping/never-seen/${keys.all}${operation}`, { method });
          expect(answer).toMatchObject({ status: 404, json: { error: "MONITOR_NOT_FOUND" } });
        }
      },
    );
  });

  describe("R1: a 400 names the field, the problem and the rule", () => {
    test.each([
      ["gracePeriod=30", ["gracePeriod", "30", "60"]],
      ["gracePeriod=6e1", ["gracePeriod", "6e1", "digits"]],
      ["attempt=-1", ["attempt", "-1", "0"]],
      ["maxRuntime=59", ["maxRuntime", "59", "60"]],
      ["timezone=Mars%2FOlympus", ["timezone", "Mars/Olympus", "IANA"]],
      [`run_id=${"r".repeat(129)}`, ["run_id", "longer", "128"]],
      [`name=${"n".repeat(201)}`, ["name", "longer", "200"]],
      ["schedule=61+*+*+*+*", ["schedule", "61", "0-59"]],
    ])("%s", async (query, words) => {
      const answer = await ask(`${base}/ping/errors/${keys.all}?${query}`);
      expect(answer.status).toBe(400);
      for (const word of words) expect(answer.json?.["message"]).toContain(word);
    });

    test("no error repeats a key", async () => {
      for (const path of [`errors/${keys.all}/x`, `errors/${keys.all}?attempt=x`, "errors/ck_app_x"]) {
        const { text } = await ask(`${base}/ping/${path}`);
        expect(text).not.toContain(keys.all);
        expect(text).not.toContain("ck_app_x");
      }
    });
  });

  describe("the first error that applies is answered", () => {
    const bad = `attempt=x`;
    test.each([
      ["403 HTTPS before 404", "GET", `errors/${keys.all}/nonsense`, "X-Forwarded-Proto: http", 403],
      ["404 path before 405", "PUT", `errors/${keys.all}/nonsense`, "X: y", 404],
      ["400 path before 405", "PUT", `%00/${keys.all}`, "X: y", 400],
      ["405 before 401", "PUT", "errors/ck_app_unknown", "X: y", 405],
      ["403 prefetch before 401", "GET", "errors/ck_app_unknown", "Purpose: prefetch", 403],
      ["401 before 400", "GET", `errors/ck_app_unknown?${bad}`, "X: y", 401],
      ["403 scope before 400", "GET", `errors/${keys.sync}?${bad}`, "X: y", 403],
      ["400 parameters before 404 monitor", "GET", `errors-never/${keys.all}?${bad}`, "X: y", 400],
      ["400 parameters before 413", "POST", `errors/${keys.all}?${bad}`, "Content-Length: 9999999", 400],
    ])("%s", async (_, method, path, header, status) => {
      expect((await askRaw(port, `${method} ${root}/ping/${path}`, [header])).status).toBe(status);
    });
  });

  describe("health", () => {
    const PATHS = ["/healthz", "/readyz", "/healthz/", "/readyz/"];
    test.each(PATHS)("%s answers GET and HEAD; other methods are 405", async (path) => {
      expect(await ask(origin + path)).toMatchObject({ status: 200, json: { status: "ok" } });
      expect(await ask(origin + path, { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
      const refused = await ask(origin + path, { method: "POST" });
      expect(refused).toMatchObject({ status: 405, json: { error: "METHOD_NOT_ALLOWED" } });
      expect(refused.headers.get("allow")).toBe("GET, HEAD");
    });
  });
});
