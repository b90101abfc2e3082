// The contract's section "Complete: optional request body", and R9 on bodies of every operation. Over the wire alone.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Answer, ask, askRaw, chunked, exchange } from "../support/http-client.ts";
import { startService } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";

describe.each(VERSIONS)("$title", ({ root }) => {
  const service = startService();
  afterAll(() => service[Symbol.asyncDispose]());
  const { port, keys } = service;

  const JSON_TYPE = { "content-type": "application/json" };
  const MIB = 1024 * 1024;
  let count = 0;

  /** The path of a monitor no other test uses, which the request creates when it is taken. */
  const newPath = (): string => `${root}/ping/body-${++count}/${keys.all}`;
  const REGISTER = "?schedule=0+3+*+*+*";

  const post = (
    operation: string,
    body: string | Uint8Array,
    headers: Record<string, string> = JSON_TYPE,
  ): Promise<Answer> =>
    ask(`http://127.0.0.1:${port}${newPath()}${operation}${REGISTER}`, { method: "POST", body, headers });

  const complete = (body: unknown): Promise<Answer> =>
    post("/complete", typeof body === "string" ? body : JSON.stringify(body));

  const outcomesOf = (number: number) => Object.fromEntries(Array.from({ length: number }, (_, i) => [`key_${i}`, i]));

  describe("R27: outcomes", () => {
    test.each([
      ["none at all", {}],
      ["an empty object", { outcomes: {} }],
      ["numbers and booleans", { outcomes: { rows: 12, ratio: -0.5, big: 1e308, verified: true, clean: false } }],
      ["keys of 64 characters", { outcomes: { ["k".repeat(64)]: 1 } }],
      ["digits and underscores", { outcomes: { _0: 1, "9": 2 } }],
      ["other fields beside them", { outcomes: { rows: 1 }, host: "db1", tags: ["a"] }],
      ["5 entries", { outcomes: outcomesOf(5) }],
    ])("are taken: %s", async (_, body) => {
      expect(await complete(body)).toMatchObject({ status: 200, json: { status: "completed" } });
    });

    test.each([
      ["more than 5 entries", { outcomes: outcomesOf(6) }],
      ["a key of 65 characters", { outcomes: { ["k".repeat(65)]: 1 } }],
      ["an empty key", { outcomes: { "": 1 } }],
      ["a capital letter", { outcomes: { Rows: 1 } }],
      ["a hyphen", { outcomes: { "row-count": 1 } }],
      ["a key with a line end", { outcomes: { "rows\n": 1 } }],
      ["a string value", { outcomes: { rows: "12" } }],
      ["a null value", { outcomes: { rows: null } }],
      ["a nested object", { outcomes: { rows: { min: 1 } } }],
      ["an array value", { outcomes: { rows: [1] } }],
      ["an array", { outcomes: [1] }],
      ["a number", { outcomes: 1 }],
      ["null", { outcomes: null }],
    ])("are refused as 400 INVALID_REQUEST: %s", async (_, body) => {
      const answer = await complete(body);
      expect(answer).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
      expect(answer.json?.["message"]).toStartWith("outcomes: ");
    });

    test.each(["1e999", "-1e999"])("R27: %s is not finite: 400", async (number) => {
      const answer = await complete(`{"outcomes":{"rows":${number}}}`);
      expect(answer).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
    });

    test("R27: __proto__ is an ordinary name", async () => {
      expect((await complete('{"outcomes":{"__proto__":1}}')).status).toBe(200);
      expect((await complete('{"outcomes":{"__proto__":{"rows":1}}}')).status).toBe(400);
      expect((await complete('{"__proto__":{"outcomes":[]}}')).status).toBe(200);
    });

    test("a refused body refuses the ping: nothing is recorded", async () => {
      const path = newPath();
      const url = `http://127.0.0.1:${port}${path}`;
      const refused = await ask(`${url}/complete${REGISTER}`, {
        method: "POST",
        body: '{"outcomes":1}',
        headers: JSON_TYPE,
      });
      expect(refused.status).toBe(400);
      expect((await ask(url)).status).toBe(404);
    });
  });

  describe("the body of a complete", () => {
    test.each([
      ["an array", "[]"],
      ["a number", "1"],
      ["a string", '"x"'],
      ["null", "null"],
      ["a boolean", "true"],
      ["cut short", "{"],
      ["more than one value", "{}{}"],
      ["NaN", "NaN"],
      ["single quotes", "{'a':1}"],
      ["a NUL", "\u0000"],
      ["nested 8,000 deep", "[".repeat(8000)],
    ])("that is no JSON object is 400: %s", async (_, body) => {
      const answer = await complete(body);
      expect(answer).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
      expect(answer.json?.["message"]).toStartWith("body: ");
    });

    test("that is not UTF-8 is 400", async () => {
      const answer = await post("/complete", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
      expect(answer).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
    });

    test("R9: empty is no body", async () => {
      expect((await post("/complete", "")).status).toBe(200);
      const raw = await askRaw(
        port,
        `POST ${newPath()}/complete${REGISTER}`,
        ["Content-Type: application/json", "Transfer-Encoding: chunked"],
        chunked(),
      );
      expect(raw.status).toBe(200);
    });

    test.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonx", "application/problem+json"])(
      "R9: of another type is no body: %s",
      async (type) => {
        expect((await post("/complete", "not JSON", { "content-type": type })).status).toBe(200);
      },
    );

    test.each(["application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8"])(
      "is read as %s",
      async (type) => {
        expect((await post("/complete", '{"outcomes":{"a":1}}', { "content-type": type })).status).toBe(200);
        expect((await post("/complete", '{"outcomes":1}', { "content-type": type })).status).toBe(400);
      },
    );

    test("R9: has at most 16 KiB, whether its length is stated or not", async () => {
      const body = (bytes: number) => `{"note":"${"x".repeat(bytes - 11)}"}`;
      expect((await complete(body(16 * 1024))).status).toBe(200);
      expect(await complete(body(16 * 1024 + 1))).toMatchObject({ status: 413, json: { error: "PAYLOAD_TOO_LARGE" } });
      const head = ["Content-Type: application/json", "Transfer-Encoding: chunked"];
      const line = () => `POST ${newPath()}/complete${REGISTER}`;
      expect((await askRaw(port, line(), head, chunked(body(16 * 1024)))).status).toBe(200);
      expect(await askRaw(port, line(), head, chunked("x".repeat(16 * 1024), "x"))).toMatchObject({
        status: 413,
        json: { error: "PAYLOAD_TOO_LARGE" },
      });
    });

    test("is refused by its stated length before any of it has come", async () => {
      const head = ["Content-Type: application/json", "Content-Length: 16385"];
      expect((await askRaw(port, `POST ${newPath()}/complete${REGISTER}`, head)).status).toBe(413);
    });

    test("may come in chunks", async () => {
      const head = ["Content-Type: application/json", "Transfer-Encoding: chunked"];
      const parts = chunked('{"outcomes":', '{"rows":', '"twelve"}}');
      expect((await askRaw(port, `POST ${newPath()}/complete${REGISTER}`, head, parts)).status).toBe(400);
    });

    test("R27: POST only: what comes with a GET is not looked at", async () => {
      const body = '{"outcomes":1}';
      const head = ["Content-Type: application/json", `Content-Length: ${body.length}`];
      expect((await askRaw(port, `GET ${newPath()}/complete${REGISTER}`, head, body)).status).toBe(200);
    });
  });

  describe("R9: bodies nobody looks at", () => {
    /** Of a monitor that exists: `log` alone creates none. */
    const path = `${root}/ping/ignored/${keys.all}`;
    beforeAll(async () => expect((await ask(`http://127.0.0.1:${port}${path}${REGISTER}`)).status).toBe(200));

    const send = (operation: string, body: string, type = "text/plain"): Promise<Answer> =>
      ask(`http://127.0.0.1:${port}${path}${operation}`, { method: "POST", body, headers: { "content-type": type } });

    const IGNORING = ["", "/start", "/fail", "/log", "/0", "/9"];

    test.each(IGNORING)("behind %s anything up to 1 MiB is ignored", async (operation) => {
      expect((await send(operation, '{"outcomes":1}', "application/json")).status).toBe(200);
      expect((await send(operation, "x".repeat(MIB))).status).toBe(200);
    });

    test.each([...IGNORING, "/complete"])(
      "behind %s more is 413, whether its length is stated or not",
      async (operation) => {
        const refused = { status: 413, json: { error: "PAYLOAD_TOO_LARGE" } };
        expect(await send(operation, "x".repeat(MIB + 1))).toMatchObject(refused);
        const line = `POST ${path}${operation}`;
        const half = "x".repeat(MIB / 2);
        expect((await askRaw(port, line, ["Transfer-Encoding: chunked"], chunked(half, half))).status).toBe(200);
        expect(await askRaw(port, line, ["Transfer-Encoding: chunked"], chunked(half, half, "x"))).toMatchObject(
          refused,
        );
      },
    );

    test("a body far beyond every limit is 413 with our own answer", async () => {
      const head = ["Content-Length: 999999999999"];
      expect(await askRaw(port, `POST ${path}/fail`, head, "x")).toMatchObject({
        status: 413,
        json: { error: "PAYLOAD_TOO_LARGE" },
      });
    });

    test("a POST without Content-Length and without a body is a normal POST", async () => {
      for (const operation of [...IGNORING, "/complete"]) {
        expect((await askRaw(port, `POST ${path}${operation}`)).status).toBe(200);
      }
    });

    test("the connection lives on behind a body that was ignored", async () => {
      const request = (more: string, body: string) =>
        `POST ${path}/fail HTTP/1.1\r\nHost: localhost\r\n${more}\r\n${body}`;
      const received = await exchange(
        port,
        request("Content-Length: 50000\r\n", "x".repeat(50_000)),
        request("Transfer-Encoding: chunked\r\n", chunked("x".repeat(50_000))),
        request("Connection: close\r\n", ""),
      );
      expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3);
    });

    test("a body of a stated length is not awaited, and dropped when it comes", async () => {
      const request = (more: string) => `POST ${path}/fail HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
      const received = await exchange(
        port,
        request("Content-Length: 50000\r\n"),
        "x".repeat(50_000) + request("Connection: close\r\n"),
      );
      expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    });

    test("chunks that are none are a bad request, and nothing is recorded", async () => {
      const fresh = newPath();
      const head = `POST ${fresh}${REGISTER} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n`;
      expect(await exchange(port, `${head}zz\r\nabc`)).toStartWith("HTTP/1.1 400 ");
      expect((await askRaw(port, `GET ${fresh}`)).status).toBe(404);
    });
  });
});
