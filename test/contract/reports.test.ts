// The contract's section "Reports": which paths are which operation, in both ways to authenticate and with both
// methods. Over the wire alone.

import { afterAll, describe, expect, test } from "bun:test";
import { ask, askRaw, basic, exchange, parseAnswer } from "../support/http-client.ts";
import { startService } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";

describe.each(VERSIONS)("$title", ({ root, failedStatus, messageField }) => {
  const service = startService();
  afterAll(() => service[Symbol.asyncDispose]());
  const { port, keys } = service;
  const base = `${service.origin}${root}`;

  const REGISTER = "?schedule=0+3+*+*+*";
  let count = 0;

  /** A monitor key no other test uses. */
  const newKey = (): string => `paths-${++count}`;

  /** Whether a monitor exists, as far as a customer can tell. */
  async function exists(monitorKey: string): Promise<boolean> {
    const { status } = await ask(`${base}/ping/${encodeURIComponent(monitorKey)}`, { headers: basic(keys.all) });
    return status === 200;
  }

  const OPERATIONS = [
    ["", "ok"],
    ["/start", "started"],
    ["/complete", "completed"],
    ["/fail", failedStatus],
  ] as const;

  describe.each(["GET", "POST"])("every telemetry path accepts %s", (method) => {
    test.each(OPERATIONS)("with the key in the path: /ping/{monitor_key}/{api_key}%s", async (suffix, status) => {
      const key = newKey();
      const answer = await ask(`${base}/ping/${key}/${keys.all}${suffix}${REGISTER}`, { method });
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ status, monitor: key });
    });

    test.each(OPERATIONS)("with Basic authentication: /ping/{monitor_key}%s", async (suffix, status) => {
      const key = newKey();
      const answer = await ask(`${base}/ping/${key}${suffix}${REGISTER}`, { method, headers: basic(keys.all) });
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ status, monitor: key });
    });
  });

  describe("R5: the path", () => {
    test.each(["", "/start"])("one slash at its end is ignored: %s", async (suffix) => {
      const answer = await ask(`${base}/ping/${newKey()}/${keys.all}${suffix}/${REGISTER}`);
      expect(answer.status).toBe(200);
    });

    test("a second slash at its end is a segment of its own", async () => {
      const key = newKey();
      const answer = await askRaw(port, `GET ${root}/ping/${key}/${keys.all}//${REGISTER}`);
      expect(answer).toMatchObject({ status: 404, json: { error: "NOT_FOUND" } });
      expect(await exists(key)).toBe(false);
    });

    test.each([
      ["a%2Fb", "a/b"],
      ["a%2fb%2Fc", "a/b/c"],
      ["nightly%20backup", "nightly backup"],
      ["c++", "c++"],
      ["%C3%BCber", "über"],
      ["100%25", "100%"],
      ["%252F", "%2F"],
      ["a%3Fb%23c", "a?b#c"],
      ["~!$&'()*,;=:@-._", "~!$&'()*,;=:@-._"],
    ])("a segment is decoded once, after splitting: %s is the monitor %s", async (sent, monitor) => {
      const answer = await askRaw(port, `GET ${root}/ping/${sent}/${keys.all}${REGISTER}`);
      expect(answer).toMatchObject({ status: 200, json: { monitor } });
    });

    test("the operation and the key are decoded too", async () => {
      const key = newKey();
      const answer = await askRaw(port, `GET ${root}/ping/${key}/%63k${keys.all.slice(2)}/st%61rt${REGISTER}`);
      expect(answer).toMatchObject({ status: 200, json: { status: "started", monitor: key } });
    });

    test.each([
      ["a broken escape", "a%zz"],
      ["an escape cut short", "a%2"],
      ["bytes that are not UTF-8", "a%ff"],
      ["a surrogate in UTF-8", "%ED%A0%80"],
      ["a control character", "a%00b"],
      ["a line end", "a%0Ab"],
      ["a C1 control character", "a%C2%85b"],
    ])("%s in the monitor key is 400", async (_, sent) => {
      const answer = await askRaw(port, `GET ${root}/ping/${sent}/${keys.all}${REGISTER}`);
      expect(answer).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
      expect(answer.json?.["message"]).toStartWith("monitor_key: ");
    });

    test("bytes sent raw that are not UTF-8 are 400 too", async () => {
      const head = `/${keys.all}${REGISTER} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
      const bytes = Buffer.concat([Buffer.from(`GET ${root}/ping/a`), Buffer.from([0xe9]), Buffer.from(head)]);
      expect(parseAnswer(await exchange(port, bytes))).toMatchObject({
        status: 400,
        json: { error: "INVALID_REQUEST" },
      });
    });

    test.each(["%zz", "%00"])("the other segments are text too: a key %s is 400", async (sent) => {
      const answer = await askRaw(port, `GET ${root}/ping/${newKey()}/${sent}`);
      expect(answer).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
    });

    test.each([".", "..", "%2e", "%2E", ".%2e", "%2E.", "%2e%2E"])("the monitor %s is refused", async (dots) => {
      for (const path of [`${dots}/${keys.all}`, `${dots}/${keys.all}/fail`, dots]) {
        const answer = await askRaw(port, `GET ${root}/ping/${path}${REGISTER}`);
        expect(answer).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
        expect(answer.json?.["message"]).toStartWith("monitor_key: ");
      }
    });

    test.each([
      "KEY/fail/..",
      "KEY/fail/../",
      "KEY/fail/%2e%2e",
      "KEY/fail/.%2E",
      "KEY/start/../fail",
      "KEY/.",
      "KEY/%2e/",
      "./KEY",
      "%2e/KEY/fail",
      "KEY/x/y/z/../../..",
      "KEY//..",
      "/../KEY",
      "../MONITOR/KEY",
      "x/../../MONITOR/KEY/fail",
      "KEY/fail\\..",
    ])("dot segments behind the monitor are refused as well, and nothing is recorded: %s", async (rest) => {
      const key = newKey();
      const path = `${key}/${rest.replace("KEY", keys.all).replace("MONITOR", key)}`;
      const answer = await askRaw(port, `GET ${root}/ping/${path}${REGISTER}`);
      expect(answer).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
      expect(await exists(key)).toBe(false);
    });

    test.each(["...", "..a", "a..", ".a", "%2e%2e%2e"])(
      "a segment that only has dots in it is a key: %s",
      async (dots) => {
        const answer = await askRaw(port, `GET ${root}/ping/${dots}/${keys.all}/start${REGISTER}`);
        expect(answer).toMatchObject({ status: 200, json: { monitor: decodeURIComponent(dots) } });
      },
    );

    test("a path that climbs out of the telemetry paths is refused", async () => {
      const answer = await askRaw(port, `GET ${root}/ping/x/../../../../healthz`);
      expect(answer).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
    });

    test.each(["start", "complete", "fail", "ck_app_x", "log", "0", "sync"])(
      "a monitor may be called %s",
      async (key) => {
        const answer = await ask(`${base}/ping/${key}${REGISTER}`, { headers: basic(keys.all) });
        expect(answer).toMatchObject({ status: 200, json: { status: "ok", monitor: key } });
        const failed = await ask(`${base}/ping/${key}/fail`, { headers: basic(keys.all) });
        expect(failed).toMatchObject({ status: 200, json: { status: failedStatus, monitor: key } });
      },
    );

    test("a third segment that is neither operation nor key is 401 without Authorization and 404 with it", async () => {
      for (const path of ["job/nonsense", "job/Start", "job/nonsense/start", "a/b/c/d", `job/${keys.all.slice(1)}`]) {
        expect(await ask(`${base}/ping/${path}`)).toMatchObject({
          status: 401,
          json: { error: "AUTHENTICATION_REQUIRED" },
        });
        expect(await ask(`${base}/ping/${path}`, { headers: basic(keys.all) })).toMatchObject({
          status: 404,
          json: { error: "NOT_FOUND" },
        });
      }
    });

    test("an API key that was left out is 401", async () => {
      expect(await askRaw(port, `GET ${root}/ping/job//start`)).toMatchObject({ status: 401 });
      expect(await askRaw(port, `GET ${root}/ping/job//`)).toMatchObject({ status: 401 });
    });

    test("a monitor key that was left out is 400", async () => {
      const answer = await askRaw(port, `GET ${root}/ping//${keys.all}`);
      expect(answer).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
      expect(answer.json?.["message"]).toStartWith("monitor_key: ");
    });

    test("/log behind the key answers in the heartbeat's shape", async () => {
      const key = newKey();
      await ask(`${base}/ping/${key}/${keys.all}${REGISTER}`);
      const answer = await ask(`${base}/ping/${key}/${keys.all}/log`, { method: "POST" });
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ status: "ok", monitor: key });
      expect(Object.keys(answer.json ?? {}).sort()).toEqual(["monitor", "pingedAt", "status", "warning"]);
    });

    test("/log changes nothing, so it creates no monitor", async () => {
      const key = newKey();
      const answer = await ask(`${base}/ping/${key}/${keys.all}/log${REGISTER}`);
      expect(answer).toMatchObject({ status: 404, json: { error: "MONITOR_NOT_FOUND" } });
      expect(await exists(key)).toBe(false);
    });

    test("/0 behind the key is a heartbeat", async () => {
      const answer = await ask(`${base}/ping/${newKey()}/${keys.all}/0${REGISTER}`);
      expect(answer).toMatchObject({ status: 200, json: { status: "ok" } });
    });

    test.each([1, 2, 137, 255])("/%d behind the key is a fail with that exit status", async (status) => {
      const answer = await ask(`${base}/ping/${newKey()}/${keys.all}/${status}${REGISTER}&message=other`);
      expect(answer).toMatchObject({
        status: 200,
        json: { status: failedStatus, [messageField]: `exit status ${status}` },
      });
    });

    test.each(["256", "00", "01", "-1", "1.0", "START", "stop", "log/x", "start/x"])(
      "any other fourth segment is 404: %s",
      async (segment) => {
        const key = newKey();
        const answer = await ask(`${base}/ping/${key}/${keys.all}/${segment}${REGISTER}`);
        expect(answer).toMatchObject({ status: 404, json: { error: "NOT_FOUND" } });
        expect(await exists(key)).toBe(false);
      },
    );

    test.each(["log", "0", "7"])("/%s exists behind a key in the path only", async (segment) => {
      const answer = await ask(`${base}/ping/${newKey()}/${segment}${REGISTER}`, { headers: basic(keys.all) });
      expect(answer).toMatchObject({ status: 404, json: { error: "NOT_FOUND" } });
    });

    test("nothing follows an operation", async () => {
      const answer = await ask(`${base}/ping/${newKey()}/start/${keys.all}${REGISTER}`, { headers: basic(keys.all) });
      expect(answer).toMatchObject({ status: 404, json: { error: "NOT_FOUND" } });
    });
  });

  describe("the request line", () => {
    test.each(["http://rollcall.example", "https://other.example:8443"])(
      "may be in absolute form: %s",
      async (origin) => {
        const key = newKey();
        const answer = await askRaw(port, `GET ${origin}${root}/ping/${key}/${keys.all}${REGISTER}`);
        expect(answer).toMatchObject({ status: 200, json: { monitor: key } });
      },
    );

    test.each(["Host: x", "Host:", "Host: not a host", "Host: [::1]:8787"])("may come with %s", async (host) => {
      const key = newKey();
      const line = `GET ${root}/ping/${key}/${keys.all}${REGISTER} HTTP/1.1`;
      const answer = parseAnswer(await exchange(port, `${line}\r\n${host}\r\nConnection: close\r\n\r\n`));
      expect(answer).toMatchObject({ status: 200, json: { monitor: key } });
    });

    test("may be of HTTP/1.0, without any host", async () => {
      const line = `GET ${root}/ping/1.0%20caf%C3%A9/${keys.all}${REGISTER} HTTP/1.0`;
      const answer = parseAnswer(await exchange(port, `${line}\r\n\r\n`));
      expect(answer).toMatchObject({ status: 200, json: { monitor: "1.0 café" } });
    });
  });

  describe("R8: methods", () => {
    test.each(["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE"])(
      "%s is 405 and changes nothing",
      async (method) => {
        const key = newKey();
        const answer = await askRaw(port, `${method} ${root}/ping/${key}/${keys.all}${REGISTER}`);
        expect(answer.status).toBe(405);
        expect(answer.headers.get("allow")).toBe("GET, POST");
        if (method !== "HEAD") expect(answer.json).toMatchObject({ error: "METHOD_NOT_ALLOWED" });
        expect(await exists(key)).toBe(false);
      },
    );

    test.each(["get", "Post", "BREW"])("the method %s is not one and changes nothing", async (method) => {
      const key = newKey();
      const line = `${method} ${root}/ping/${key}/${keys.all}${REGISTER} HTTP/1.1`;
      const received = await exchange(port, `${line}\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect(received).not.toContain("200");
      expect(await exists(key)).toBe(false);
    });

    test.each([
      ["Purpose", "prefetch"],
      ["Sec-Purpose", "prefetch"],
      ["Sec-Purpose", "prefetch;prerender"],
      ["purpose", "Prefetch"],
    ])("a GET marked %s: %s is 403 and changes nothing", async (name, value) => {
      const key = newKey();
      const answer = await ask(`${base}/ping/${key}/${keys.all}${REGISTER}`, { headers: { [name]: value } });
      expect(answer).toMatchObject({ status: 403, json: { error: "ACCESS_DENIED" } });
      expect(await exists(key)).toBe(false);
    });

    test("other purposes, and a POST of any purpose, are taken", async () => {
      const url = `${base}/ping/${newKey()}/${keys.all}${REGISTER}`;
      expect((await ask(url, { headers: { purpose: "preview" } })).status).toBe(200);
      expect((await ask(url, { method: "POST", headers: { purpose: "prefetch" } })).status).toBe(200);
    });
  });
});
