// R9 over the wire: the reason of a fail in its body, and parameters that stand there in vain.

import { afterAll, describe, expect, test } from "bun:test";
import { ask, basic } from "../support/http-client.ts";
import { granted, startService } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";

describe.each(VERSIONS)("$title", ({ root }) => {
  const service = startService();
  afterAll(() => service[Symbol.asyncDispose]());
  let count = 0;
  const post = (path: string, body: string, type: string) =>
    ask(`${service.origin}${root}/ping/${path}`, {
      method: "POST",
      body,
      headers: { ...basic(service.keys.ping), "content-type": type },
    });
  const messageOf = (key: string) =>
    granted(service.engine.operate("monitor show", { application: null, key })).pings[0]?.message;
  const FORM = "application/x-www-form-urlencoded";

  test.each([
    ["a form", "message=disk+full%21&host=web1", FORM, "disk full!"],
    ["JSON", JSON.stringify({ message: "disk full", other: 1 }), "application/json", "disk full"],
    ["plain text", "disk full", "text/plain; charset=utf-8", "disk full"],
    ["several lines", "started\nworking\nfatal: disk full\n", "text/plain", "fatal: disk full"],
    ["curl -d of JSON", JSON.stringify({ message: "disk full" }), FORM, "disk full"],
    ["curl -d of a text", "disk full", FORM, "disk full"],
    ["more than fits", "x".repeat(2_000), "text/plain", "x".repeat(1_000)],
  ])("R9: %s of a fail is its message", async (_name, body, type, message) => {
    const key = `said-${++count}`;
    expect((await post(`${key}/fail?schedule=0+3+*+*+*`, body, type)).status).toBe(200);
    expect(messageOf(key)).toBe(message);
  });

  test("R9: what the query says comes first, and what is no message is ignored", async () => {
    const key = `said-${++count}`;
    await post(`${key}/fail?schedule=0+3+*+*+*&message=first`, "message=second", FORM);
    expect(messageOf(key)).toBe("first");
    const other = `said-${++count}`;
    for (const body of ["{", "[1]", JSON.stringify({ message: 5 })])
      expect((await post(`${other}/fail?schedule=0+3+*+*+*`, body, "application/json")).status).toBe(200);
    expect(messageOf(other)).toBeNull();
  });

  test("R9: a parameter in a form is ignored, and the answer says where it belongs", async () => {
    const key = `said-${++count}`;
    const refused = await post(key, "schedule=0+3+*+*+*", FORM);
    expect(refused.status).toBe(404);
    expect(refused.text).toContain("parameters stand in the query, as in ?schedule=VALUE");
    const taken = await post(`${key}?schedule=0+3+*+*+*`, "timezone=Europe/Berlin", FORM);
    expect(taken.status).toBe(200);
    expect(taken.text).toContain("parameters stand in the query, as in ?timezone=VALUE");
  });
});
