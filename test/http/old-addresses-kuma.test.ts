// Addresses of Uptime Kuma's push monitors on the public server (R45): what scripts send there, and what they are answered.

import { afterAll, describe, expect, test } from "bun:test";
import { asked, bind, recorded, TOKEN } from "../support/old-addresses.ts";
import { granted, startService } from "../support/service.ts";

const service = startService();
afterAll(() => service[Symbol.asyncDispose]());
const { origin, engine } = service;

let count = 0;
function moved() {
  const key = `pushed-${++count}`;
  const token = `${TOKEN.slice(0, -3)}${String(count).padStart(3, "0")}`;
  const id = bind(service, `/api/push/${token}`, key);
  return { id, key, url: `${origin}/api/push/${token}` };
}

describe("R45: a push address of Uptime Kuma", () => {
  test.each([
    ["?status=up&msg=OK&ping=", "heartbeat", null],
    ["", "heartbeat", null],
    ["?status=up&msg=all%20well&ping=132.5", "heartbeat", null],
    ["?status=&msg=x", "heartbeat", null],
    ["/?status=up", "heartbeat", null],
    ["?status=down&msg=disk+full&ping=", "fail", "disk full"],
    ["?status=down", "fail", null],
    ["?status=DOWN&msg=", "fail", null],
    [`?status=down&msg=${"é".repeat(1_001)}`, "fail", "é".repeat(1_000)],
    ["?status=down&msg=two%0Alines", "fail", "two\nlines"],
    // As a script writes it that encodes nothing; Uptime Kuma takes it, too.
    ["?status=down&msg=disk+95%+full", "fail", "disk 95% full"],
    ["?status=down&msg=%ff", "fail", "%ff"],
    ["?status=%ff", "fail", null],
  ] as const)("%p is a %s with the message %p", async (suffix, kind, message) => {
    const { key, url } = moved();
    const { status, text, headers } = await asked(url + suffix);
    expect([status, text, headers.get("content-type")]).toEqual([200, '{"ok":true}', "application/json"]);
    expect(recorded(service, key)).toEqual([[kind, message]]);
  });

  test("takes every method that scripts use, and drops what they post", async () => {
    const { key, url } = moved();
    for (const method of ["GET", "HEAD", "POST", "PUT"])
      expect((await asked(url, { method, ...(method[0] === "P" ? { body: "x=1" } : {}) })).status).toBe(200);
    expect((await asked(url, { method: "DELETE" })).headers.get("allow")).toBe("GET, HEAD, POST, PUT");
    expect(recorded(service, key)).toHaveLength(4);
  });

  test("that is unknown, revoked or of another form is a path like any other that is none", async () => {
    const { id, url } = moved();
    granted(engine.operate("address revoke", { id }));
    const { key } = moved();
    for (const method of ["GET", "HEAD", "POST"]) {
      const unknown = await asked(`${origin}/api/unknown`, { method });
      for (const path of [
        url,
        `${origin}/api/push/${TOKEN}`,
        `${origin}/api/push/x`,
        `${origin}/api/push`,
        `${origin}/api/push/a/b`,
      ]) {
        const { status, text, headers } = await asked(path, { method });
        expect([status, [...headers.keys()]]).toEqual([404, [...unknown.headers.keys()]]);
        expect(text).toBe(unknown.text);
      }
    }
    expect(recorded(service, key)).toEqual([]);
  });

  test("is none of Healthchecks, nor the other way round", async () => {
    bind(service, `/ping/${TOKEN}/slug`, "other");
    expect((await asked(`${origin}/api/push/${TOKEN}`)).status).toBe(404);
    const { url } = moved();
    expect((await asked(url.replace("/api/push/", "/ping/"))).status).toBe(401);
  });
});
