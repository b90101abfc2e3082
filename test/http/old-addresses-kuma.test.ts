// Addresses of Uptime Kuma's push monitors on the public server (R45): what scripts send there, and what they are
// answered.

import { afterAll, describe, expect, test } from "bun:test";
import { asked, bind, recorded, TOKEN, UUID } from "../support/old-addresses.ts";
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

describe("R45: wrong addresses", () => {
  /** With an address of each service, and a clock that stands still. */
  function guessed() {
    const made = startService({ clock: { now: () => 0, monotonic: () => 0 } });
    bind(made, `/ping/${UUID}`, "by-uuid");
    bind(made, `/api/push/${TOKEN}`, "by-token");
    const ask = (path: string, from: string, init: BunFetchRequestInit = {}) =>
      asked(made.origin + path, {
        ...init,
        headers: { "x-forwarded-for": from, "x-forwarded-proto": "https" },
      });
    const flood = async (from: string, path = (place: number) => `/api/push/wrong-${place}-token`) => {
      const statuses = [];
      for (let place = 0; place < 301; place++) statuses.push((await ask(path(place), from)).status);
      return statuses;
    };
    return { ...made, ask, flood, [Symbol.asyncDispose]: () => made[Symbol.asyncDispose]() };
  }

  test.each([
    ["of Uptime Kuma", (place: number) => `/api/push/wrong-${place}-token`, 404],
    ["of Healthchecks", (place: number) => `/ping/${UUID.slice(0, -3)}${String(place).padStart(3, "0")}`, 401],
    ["without /ping", (place: number) => `/${UUID.slice(0, -3)}${String(place).padStart(3, "0")}`, 404],
  ])(
    "%s are limited in each network, and then a right one is answered like a wrong one, but shows life",
    async (_of, path, wrong) => {
      await using made = guessed();
      expect(await made.flood("192.0.2.1", path)).toEqual([...Array(300).fill(wrong), 429]);
      const [right, other] = [
        await made.ask(`/api/push/${TOKEN}`, "192.0.2.99"),
        await made.ask("/api/push/wrong-token", "192.0.2.99"),
      ];
      // A second may begin between the two answers.
      for (const { headers } of [right, other]) headers.delete("date");
      expect([right.status, right.text, [...right.headers]]).toEqual([429, other.text, [...other.headers]]);
      expect(recorded(made, "by-token")).toEqual([]);
      expect(granted(made.engine.operate("monitor refused", {})).refused).toMatchObject([
        { monitorKey: "by-token", reason: "wrong addresses from a network in a minute: more came than it allows" },
      ]);
      expect((await made.ask(`/api/push/${TOKEN}`, "198.51.100.1")).status).toBe(200);
    },
  );

  test("keep nobody from reporting who has reported from there, nor any report with a key", async () => {
    await using made = guessed();
    expect((await made.ask(`/ping/${UUID}`, "192.0.2.1")).status).toBe(200);
    await made.flood("192.0.2.1");
    expect((await made.ask(`/ping/${UUID}`, "192.0.2.1")).status).toBe(200);
    expect((await made.ask(`/ping/${UUID}/fail`, "192.0.2.1")).status).toBe(200);
    expect((await made.ask(`/ping/by-uuid/${made.keys.all}`, "192.0.2.1")).status).toBe(200);
    // A monitor's key and a wrong one of ours are no address of another service.
    const wrong = `/ping/a-monitor-with-a-long-key/ck_app_prod_${"x".repeat(32)}`;
    expect((await made.ask(wrong, "192.0.2.1")).status).toBe(401);
  });

  test("are not counted where nobody has added an address", async () => {
    await using made = startService();
    for (let place = 0; place < 301; place++) expect((await asked(`${made.origin}/ping/${UUID}`)).status).toBe(401);
  });
});
