// The contract's section "Answers": the fields of each answer, no more and no less, and its headers. Over
// the wire alone; fail, which the versions answer differently, is in "Aliases".

import { afterAll, describe, expect, test } from "bun:test";
import { type Answer, ask } from "../support/http-client.ts";
import { startService } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";

describe.each(VERSIONS)("$title", ({ root }) => {
  const service = startService();
  afterAll(() => service[Symbol.asyncDispose]());
  const { keys } = service;
  const base = `${service.origin}${root}`;

  const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const SCHEDULE = "schedule=0+3+*+*+*";

  const report = (monitorKey: string, operation: string, query = ""): Promise<Answer> =>
    ask(`${base}/ping/${monitorKey}/${keys.all}${operation}?${SCHEDULE}&${query}`, { method: "POST" });

  test("heartbeat: status ok, monitor, pingedAt, warning", async () => {
    const answer = await report("heartbeat", "");
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      status: "ok",
      monitor: "heartbeat",
      pingedAt: TIMESTAMP,
      warning: answer.json?.["warning"] ?? null,
    });
    const { warning } = answer.json ?? {};
    expect(warning === null || typeof warning === "string").toBe(true);
  });

  test("start: status started, monitor, startedAt", async () => {
    const { json } = await report("start", "/start");
    expect(json).toEqual({ status: "started", monitor: "start", startedAt: TIMESTAMP });
  });

  describe("complete: status completed, monitor, completedAt, duration", () => {
    test("after a start the duration is whole seconds", async () => {
      await report("complete", "/start", "run_id=1");
      const { json } = await report("complete", "/complete", "run_id=1");
      expect(json).toEqual({
        status: "completed",
        monitor: "complete",
        completedAt: TIMESTAMP,
        duration: json?.["duration"],
      });
      expect(Number.isInteger(json?.["duration"])).toBe(true);
      expect(json?.["duration"]).toBeGreaterThanOrEqual(0);
    });

    test("R22: without a start it is null", async () => {
      const { json } = await report("complete-alone", "/complete");
      expect(json).toEqual({ status: "completed", monitor: "complete-alone", completedAt: TIMESTAMP, duration: null });
    });
  });

  test("the monitor is answered as its key was meant, not as it was encoded", async () => {
    const key = 'a/b "quoted" ü 😀';
    expect((await report(encodeURIComponent(key), "")).json?.["monitor"]).toBe(key);
  });

  describe("R8: headers", () => {
    const cases: readonly (readonly [string, () => Promise<Answer>])[] = [
      ["200", () => report("headers", "")],
      ["400", () => report("headers", "", "attempt=x")],
      ["401", () => ask(`${base}/ping/headers/ck_app_unknown`)],
      ["404", () => ask(`${base}/ping/headers-missing/${keys.all}`)],
      ["405", () => ask(`${base}/ping/headers/${keys.all}`, { method: "PUT" })],
    ];

    test.each(cases)("an answer %s is not kept, sends no referrer, and is JSON", async (status, send) => {
      const answer = await send();
      expect(String(answer.status)).toBe(status);
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
      expect(answer.headers.get("content-type")).toStartWith("application/json");
    });
  });
});
