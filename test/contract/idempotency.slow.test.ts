// The contract's rule for idempotency keys (R11): where a key may stand and how long it may be, and that a repeat gets
// the first answer byte for byte and changes nothing. Over the wire alone.

import { afterAll, describe, expect, test } from "bun:test";
import { type Answer, ask, askRaw, basic, exchange, parseAnswer } from "../support/http-client.ts";
import { NO_LIMITS } from "../support/public-server.ts";
import { startService } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";

const DAILY = "schedule=0+3+*+*+*";
const OTHER = "schedule=30+4+*+*+*";
const RUN = "0b9f6d6e-31c5-4f0e-9f0b-5a3c1d0f7a11";

describe.each(VERSIONS)("$title", ({ root }) => {
  const service = startService();
  afterAll(() => service[Symbol.asyncDispose]());
  const { origin, port, keys } = service;
  const base = `${origin}${root}/ping`;

  let count = 0;
  const newMonitor = (): string => `idempotency-${++count}`;

  interface Request {
    readonly monitor: string;
    readonly operation?: string;
    readonly query?: string;
    /** In the header. */
    readonly key?: string;
    readonly method?: string;
  }

  const report = ({ monitor, operation = "", query = DAILY, key, method = "GET" }: Request): Promise<Answer> =>
    ask(`${base}/${monitor}/${keys.all}${operation}?${query}`, {
      method,
      headers: key === undefined ? {} : { "Idempotency-Key": key },
    });

  /**
   * Whether the second request was taken for a repeat of the first: only one that is not, if it declares another
   * schedule, is told of the change. Ends with the first schedule in force.
   */
  async function repeats(first: Omit<Request, "monitor">, second: Omit<Request, "monitor">): Promise<boolean> {
    const monitor = newMonitor();
    const { query: firstQuery = "", ...firstRest } = first;
    const { query: secondQuery = "", ...secondRest } = second;
    const answer = await report({ monitor, ...firstRest, query: `${DAILY}&${firstQuery}` });
    expect([answer.status, answer.json?.["warning"]]).toEqual([200, null]);
    const again = await report({ monitor, ...secondRest, query: `${OTHER}&${secondQuery}` });
    expect(again.status).toBe(200);
    const isRepeat = again.text === answer.text;
    const later = await report({ monitor, query: DAILY });
    expect(later.json?.["warning"] !== null).toBe(!isRepeat);
    return isRepeat;
  }

  describe("R11: a repeat", () => {
    test("R11: gets the first answer byte for byte, its headers alike, and changes nothing", async () => {
      const monitor = newMonitor();
      const first = await report({ monitor, key: RUN });
      const again = await report({ monitor, key: RUN, query: OTHER });
      expect([again.status, again.text]).toEqual([200, first.text]);
      const lasting = ({ headers }: Answer) => [...headers].filter(([name]) => name !== "date");
      expect(lasting(again)).toEqual(lasting(first));
      expect((await report({ monitor, query: DAILY })).json?.["warning"]).toBeNull();
    });

    test.each(["", "/start", "/complete", "/fail", "/log", "/0", "/7"])(
      "R11: of %p gets that answer, whatever operation repeats it",
      async (operation) => {
        const monitor = newMonitor();
        await report({ monitor });
        const query = "run_id=1&message=disk+full";
        const first = await report({ monitor, operation, query, key: RUN });
        expect(first.status).toBe(200);
        for (const repeated of ["", "/start", "/complete", "/fail", "/log", "/0", "/8"]) {
          for (const method of ["GET", "POST"]) {
            const again = await report({ monitor, operation: repeated, query: "message=other", key: RUN, method });
            expect([again.status, again.text]).toEqual([200, first.text]);
          }
        }
      },
    );

    test("R11: a fail that repeats a start ends no run", async () => {
      const monitor = newMonitor();
      const begun = await report({ monitor, operation: "/start", key: "begun" });
      expect((await report({ monitor, operation: "/fail", key: "begun" })).text).toBe(begun.text);
      expect((await report({ monitor, operation: "/complete" })).json?.["duration"]).toBeInteger();
    });

    test("R11: a start that repeats a heartbeat starts no run", async () => {
      const monitor = newMonitor();
      const first = await report({ monitor, key: RUN });
      expect((await report({ monitor, operation: "/start", key: RUN })).text).toBe(first.text);
      expect((await report({ monitor, operation: "/complete" })).json?.["duration"]).toBeNull();
    });

    test("may come with other credentials of the application", async () => {
      const monitor = newMonitor();
      const first = await report({ monitor, key: RUN });
      for (const key of [keys.all, keys.ping]) {
        const headers = { ...basic(key), "idempotency-key": RUN };
        expect((await ask(`${base}/${monitor}`, { headers })).text).toBe(first.text);
      }
    });

    test("without live credentials is 401", async () => {
      const monitor = newMonitor();
      await report({ monitor, key: RUN });
      const headers = { "Idempotency-Key": RUN };
      expect((await ask(`${base}/${monitor}/${keys.revoked}`, { headers })).status).toBe(401);
    });

    test("with a malformed parameter or body is 400 like any other", async () => {
      const monitor = newMonitor();
      await report({ monitor, key: RUN });
      expect((await report({ monitor, query: "attempt=x", key: RUN })).status).toBe(400);
      const headers = { "Idempotency-Key": RUN, "content-type": "application/json" };
      const init = { method: "POST", headers, body: "{" };
      expect((await ask(`${base}/${monitor}/${keys.all}/complete`, init)).status).toBe(400);
    });

    test("keeps text of any alphabet as it was", async () => {
      const monitor = newMonitor();
      const query = `${DAILY}&message=${encodeURIComponent('voll 💾 "\\\u0000\n\u2028 ü')}`;
      const first = await report({ monitor, operation: "/fail", query, key: RUN });
      expect(first.text).toContain("voll 💾");
      expect((await report({ monitor, operation: "/fail", query, key: RUN })).text).toBe(first.text);
    });
  });

  describe("R11: the identity is monitor + key", () => {
    test("another monitor's reports under the same key are reports of their own", async () => {
      const [one, other] = [newMonitor(), newMonitor()];
      await report({ monitor: one, key: RUN });
      const answer = await report({ monitor: other, operation: "/start", key: RUN });
      expect(answer.json).toMatchObject({ status: "started", monitor: other });
    });

    test("keys are compared exactly", async () => {
      expect(await repeats({ key: "Key" }, { key: "key" })).toBe(false);
      expect(await repeats({ key: "key" }, { key: "key2" })).toBe(false);
      expect(await repeats({ query: "idempotency_key=key+" }, { query: "idempotency_key=key" })).toBe(false);
      expect(await repeats({ query: "idempotency_key=a%00b" }, { query: "idempotency_key=a%00c" })).toBe(false);
    });

    test("reports without a key repeat nothing", async () => {
      expect(await repeats({ key: "key" }, {})).toBe(false);
      expect(await repeats({}, { key: "key" })).toBe(false);
      expect(await repeats({}, {})).toBe(false);
    });
  });

  describe("R11: only successful answers are kept", () => {
    test("R11: 404, and what then creates the monitor under the same key is taken", async () => {
      const monitor = newMonitor();
      expect((await report({ monitor, query: "", key: RUN })).status).toBe(404);
      const created = await report({ monitor, key: RUN });
      expect(created.status).toBe(200);
      expect((await report({ monitor, query: "", key: RUN })).text).toBe(created.text);
    });

    test("R11: 404 of a log, which creates nothing", async () => {
      const monitor = newMonitor();
      expect((await report({ monitor, operation: "/log", key: RUN })).status).toBe(404);
      expect((await report({ monitor, key: RUN })).status).toBe(200);
    });

    test("R11: 400, and the corrected request is taken", async () => {
      const monitor = newMonitor();
      expect((await report({ monitor, query: "schedule=nonsense", key: RUN })).status).toBe(400);
      expect((await report({ monitor, key: RUN })).json).toMatchObject({ monitor });
    });
  });

  describe("R11: where the key stands", () => {
    test("in the header or in the query, and both name the same", async () => {
      expect(await repeats({ key: "key" }, { key: "key" })).toBe(true);
      expect(await repeats({ query: "idempotency_key=key" }, { query: "idempotency_key=key" })).toBe(true);
      expect(await repeats({ key: "a key" }, { query: "idempotency_key=a+key" })).toBe(true);
      expect(await repeats({ query: "idempotency_key=a%20key" }, { key: "a key" })).toBe(true);
    });

    test("the header wins when both are present", async () => {
      const both = { key: "header", query: "idempotency_key=query" };
      expect(await repeats(both, { key: "header" })).toBe(true);
      expect(await repeats(both, { query: "idempotency_key=query" })).toBe(false);
      expect(await repeats({ query: "idempotency_key=query" }, both)).toBe(false);
    });

    test("R7: of two in the query the last one counts", async () => {
      const two = { query: "idempotency_key=one&idempotency_key=two" };
      expect(await repeats(two, { key: "two" })).toBe(true);
      expect(await repeats(two, { key: "one" })).toBe(false);
    });

    test("R1: one in the query that is no text is 400 and names it, unless the header has one", async () => {
      const monitor = newMonitor();
      const line = `GET ${root}/ping/${monitor}/${keys.all}?${DAILY}&idempotency_key=%ff`;
      const refused = await askRaw(port, line);
      expect(refused).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
      expect(refused.json?.["message"]).toStartWith("idempotency_key: ");
      expect((await askRaw(port, line, ["Idempotency-Key: key"])).status).toBe(200);
    });

    test("a header without any query will do", async () => {
      const monitor = newMonitor();
      await report({ monitor });
      const headers = { "Idempotency-Key": "key" };
      const url = `${base}/${monitor}/${keys.all}`;
      const first = await ask(`${url}/start`, { headers });
      expect((await ask(url, { headers })).text).toBe(first.text);
      const failed = await ask(`${url}/3`, { headers: { "Idempotency-Key": "other" } });
      expect(failed.text).toContain("exit status 3");
    });

    test("a header sent as UTF-8 names the key that a query spells, and one that is not names one all the same", async () => {
      for (const [bytes, spelled] of [
        [Buffer.from("über 💾"), "%C3%BCber%20%F0%9F%92%BE"],
        [Buffer.from("über", "latin1"), "%C3%BCber"],
      ] as const) {
        const path = `${root}/ping/${newMonitor()}/${keys.all}`;
        const head = `GET ${path}?${DAILY} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nIdempotency-Key: `;
        const sent = Buffer.concat([Buffer.from(head), bytes, Buffer.from("\r\n\r\n")]);
        const first = parseAnswer(await exchange(port, sent));
        expect(first.status).toBe(200);
        expect((await askRaw(port, `GET ${path}/start?idempotency_key=${spelled}`)).text).toBe(first.text);
      }
    });
  });

  describe("R11: at most 128 characters", () => {
    const longest = "k".repeat(128);
    const tooLong = "k".repeat(129);

    test("of 128 it is one", async () => {
      expect(await repeats({ key: longest }, { key: longest })).toBe(true);
      expect(await repeats({ query: `idempotency_key=${longest}` }, { key: longest })).toBe(true);
    });

    test("characters are counted, not bytes", async () => {
      const letters = encodeURIComponent("💾".repeat(128));
      expect(await repeats({ query: `idempotency_key=${letters}` }, { query: `idempotency_key=${letters}` })).toBe(
        true,
      );
      const path = `${root}/ping/${newMonitor()}/${keys.all}`;
      const head = [`Idempotency-Key: ${"ü".repeat(128)}`];
      const first = await askRaw(port, `GET ${path}?${DAILY}`, head);
      expect((await askRaw(port, `GET ${path}/start`, head)).text).toBe(first.text);
    });

    test("R11: a longer one is ignored, and in the header it leaves the query its word", async () => {
      expect(await repeats({ key: tooLong }, { key: tooLong })).toBe(false);
      const long = { query: `idempotency_key=${tooLong}` };
      expect(await repeats(long, long)).toBe(false);
      const both = { key: tooLong, query: "idempotency_key=query" };
      expect(await repeats(both, both)).toBe(true);
      expect(await repeats(both, { key: "query" })).toBe(true);
    });

    test("an empty one is none, since scripts send unset variables", async () => {
      expect(await repeats({ key: "" }, { key: "" })).toBe(false);
      expect(await repeats({ query: "idempotency_key=" }, { query: "idempotency_key=" })).toBe(false);
      expect(await repeats({ key: "", query: "idempotency_key=query" }, { key: "query" })).toBe(true);
    });
  });

  test("R11: of many at the same moment one is applied, and all get its answer", async () => {
    const monitor = newMonitor();
    const operations = ["", "/start", "/complete", "/fail", "/log", "/5"];
    await report({ monitor });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        report({ monitor, operation: operations[index % operations.length]!, key: RUN }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });
});

test.each(VERSIONS)("R11: a ping taken by $title is repeated through the other, byte for byte", async ({ root }) => {
  await using service = startService();
  const { origin, keys } = service;
  for (const [index, operation] of ["", "/start", "/complete", "/fail", "/log", "/9"].entries()) {
    const path = `/ping/job-${index}/${keys.all}`;
    await ask(`${origin}${root}${path}?${DAILY}`);
    const init = { method: "POST", headers: { "Idempotency-Key": RUN } };
    const first = await ask(`${origin}${root}${path}${operation}?message=full`, init);
    expect(first.status).toBe(200);
    for (const { root: repeatedAt } of VERSIONS) {
      const again = await ask(`${origin}${repeatedAt}${path}${operation}?message=full`, init);
      expect([again.status, again.text]).toEqual([200, first.text]);
    }
  }
});

test("R11: a repeat counts against the rate limit, and is refused beyond it", async () => {
  await using service = startService({ limits: { ...NO_LIMITS, v1PerMinute: 2 } });
  const send = () => ask(`${service.base}/ping/job/${service.keys.all}?${DAILY}&idempotency_key=key`);
  const answers = [await send(), await send(), await send()];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
});
