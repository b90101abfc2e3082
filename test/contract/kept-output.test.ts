// R46 over the wire: what a fail may bring where the operator keeps its output, and that nothing changes where not.

import { afterAll, describe, expect, test } from "bun:test";
import { policyWith } from "../support/engine.ts";
import { type Answer, ask, basic, exchange } from "../support/http-client.ts";
import { granted, type Service, startService } from "../support/service.ts";
import { VERSIONS } from "../support/versions.ts";

const MIB = 1024 * 1024;
const TRACE = `${Array.from({ length: 40 }, (_, place) => `  at step ${place}`).join("\n")}\nfatal: disk full`;

describe.each(VERSIONS)("$title", ({ root, messageField, failedStatus }) => {
  const keeping = startService({}, policyWith({ prod: { keepOutput: true, mask: ["customer [0-9]+"] } }));
  const hiding = startService({}, policyWith({ prod: { mask: ["customer [0-9]+"] } }));
  const plain = startService();
  afterAll(() => Promise.all([keeping, hiding, plain].map((service) => service[Symbol.asyncDispose]())));

  let count = 0;
  const newMonitor = (): string => `job-${++count}`;

  const send = (to: Service, path: string, init: BunFetchRequestInit = {}): Promise<Answer> =>
    ask(`${to.origin}${root}/ping/${path}`, {
      method: "POST",
      ...init,
      headers: { ...basic(to.keys.ping), ...(init.headers as Record<string, string>) },
    });

  const post = (to: Service, path: string, body: BunFetchRequestInit["body"], type = "text/plain"): Promise<Answer> =>
    send(to, `${path}${path.includes("?") ? "&" : "?"}schedule=0+3+*+*+*`, {
      body,
      ...(type === "" ? {} : { headers: { "content-type": type } }),
    });

  function keptOf(of: Service, key: string) {
    const { pings, lastOutput } = granted(of.engine.operate("monitor show", { application: null, key }));
    return { message: pings[0]?.message ?? null, output: lastOutput?.text ?? null };
  }

  describe("R46: with keep_output", () => {
    test("a body of plain text is kept, and its last line is the message", async () => {
      const monitor = newMonitor();
      const answer = await post(keeping, `${monitor}/fail`, TRACE);
      expect(answer).toMatchObject({ status: 200, json: { status: failedStatus, [messageField]: "fatal: disk full" } });
      expect(keptOf(keeping, monitor)).toEqual({ message: "fatal: disk full", output: TRACE });
    });

    test("a message beside it stays the message", async () => {
      const monitor = newMonitor();
      await post(keeping, `${monitor}/fail?message=exit+status+1`, TRACE, "text/plain; charset=utf-8");
      expect(keptOf(keeping, monitor)).toEqual({ message: "exit status 1", output: TRACE });
    });

    test("a message of up to 10,000 bytes is an output, too", async () => {
      const monitor = newMonitor();
      const long = `${"x".repeat(9_900)}\nlast`;
      expect((await post(keeping, `${monitor}/fail?message=${encodeURIComponent(long)}`, "")).status).toBe(200);
      expect(keptOf(keeping, monitor)).toEqual({ message: "last", output: long });
      const thousand = "ü".repeat(1_000);
      await post(keeping, `${monitor}/fail?message=${encodeURIComponent(thousand)}`, "");
      expect(keptOf(keeping, monitor).message).toBe(thousand);
    });

    test("R10: a longer one is refused by version 1; of one at the aliases the end is kept", async () => {
      const monitor = newMonitor();
      const answer = await post(keeping, `${monitor}/fail?message=${"x".repeat(10_001)}`, "");
      if (messageField === "failureMessage") {
        expect(answer).toMatchObject({ status: 400, json: { error: "INVALID_REQUEST" } });
        expect(answer.text).toContain("longer than 10000 bytes");
      } else {
        expect(keptOf(keeping, monitor).output).toMatch(/^…x{9996}$/);
      }
    });

    test("R9: of a body of up to 1 MiB the end is kept, whether its length is stated or not; more is 413", async () => {
      const lines = "one line of the log\n".repeat(MIB / 20);
      const stream = () =>
        new ReadableStream({
          pull(controller) {
            for (let at = 0; at < lines.length; at += 7_001)
              controller.enqueue(Buffer.from(lines.slice(at, at + 7_001)));
            controller.close();
          },
        });
      for (const body of [lines, stream()]) {
        const monitor = newMonitor();
        expect((await post(keeping, `${monitor}/fail`, body)).status).toBe(200);
        expect(keptOf(keeping, monitor).output).toMatch(/^…\n(one line of the log\n)+one line of the log$/);
      }
      const monitor = newMonitor();
      expect(await post(keeping, `${monitor}/fail`, "x".repeat(MIB + 1))).toMatchObject({
        status: 413,
        json: { error: "PAYLOAD_TOO_LARGE" },
      });
      expect(await post(keeping, `${monitor}/fail`, "")).toMatchObject({ status: 200 });
      expect(keptOf(keeping, monitor)).toEqual({ message: null, output: null });
    });

    test("keys, passwords and what the operator's patterns match are hidden in all of it, the answer included", async () => {
      const monitor = newMonitor();
      const { all: key } = keeping.keys;
      const secrets = `using ${key}\nAuthorization: Bearer abc\npostgres://ada:hunter2@db/x\nfor customer 4711`;
      const answer = await post(keeping, `${monitor}/fail`, secrets);
      expect(keptOf(keeping, monitor)).toEqual({
        message: "for ***",
        output: "using ck_app_***\nAuthorization: ***\npostgres://***@db/x\nfor ***",
      });
      expect(answer.json).toMatchObject({ [messageField]: "for ***" });
      await post(keeping, `${monitor}/fail?message=${encodeURIComponent(`no ${key} of customer 4711`)}`, "");
      expect(keptOf(keeping, monitor).message).toBe("no ck_app_*** of ***");
    });

    test("R9: a body of another type, or packed, is ignored", async () => {
      for (const type of [
        "application/json",
        "application/x-www-form-urlencoded",
        "text/html",
        "application/octet-stream",
      ]) {
        const monitor = newMonitor();
        expect((await post(keeping, `${monitor}/fail`, '{"args":["secret"]}', type)).status).toBe(200);
        expect(keptOf(keeping, monitor)).toEqual({ message: null, output: null });
      }
      const monitor = newMonitor();
      const headers = { "content-type": "text/plain", "content-encoding": "gzip" };
      await send(keeping, `${monitor}/fail?schedule=0+3+*+*+*`, { body: Bun.gzipSync(TRACE), headers });
      expect(keptOf(keeping, monitor)).toEqual({ message: null, output: null });
    });

    test("a body of nothing, or of what nobody can read, leaves the message alone", async () => {
      for (const body of ["", "\n\n", "\u001b[0m\r\n"]) {
        const monitor = newMonitor();
        await post(keeping, `${monitor}/fail?message=exit+status+1`, body);
        expect(keptOf(keeping, monitor)).toEqual({ message: "exit status 1", output: null });
      }
    });

    test("R5: an exit status brings its output, too", async () => {
      const monitor = newMonitor();
      const { ping } = keeping.keys;
      await post(keeping, monitor, "");
      const answer = await ask(`${keeping.origin}${root}/ping/${monitor}/${ping}/7`, {
        method: "POST",
        body: TRACE,
        headers: { "content-type": "text/plain" },
      });
      expect(answer.status).toBe(200);
      expect(keptOf(keeping, monitor)).toEqual({ message: "exit status 7", output: TRACE });
    });

    test("only fails have an output", async () => {
      const monitor = newMonitor();
      for (const path of [monitor, `${monitor}/start`, `${monitor}/complete`]) await post(keeping, path, TRACE);
      expect(keptOf(keeping, monitor)).toEqual({ message: null, output: null });
    });

    test("R11: a repeat under an idempotency key gets the first answer and keeps nothing more", async () => {
      const monitor = newMonitor();
      const first = await post(keeping, `${monitor}/fail?idempotency_key=a`, "first\nfailure");
      const second = await post(keeping, `${monitor}/fail?idempotency_key=a`, "second\nfailure");
      expect(second.text).toBe(first.text);
      expect(keptOf(keeping, monitor).output).toBe("first\nfailure");
    });

    test("a sender that goes away before the end of its body has reported nothing", async () => {
      const monitor = newMonitor();
      await post(keeping, monitor, "");
      const head = [
        `POST ${root}/ping/${monitor}/${keeping.keys.ping}/fail HTTP/1.1`,
        "Host: cron.example.org",
        "Content-Type: text/plain",
        "Content-Length: 100",
      ];
      const socket = await Bun.connect({ hostname: "127.0.0.1", port: keeping.port, socket: { data: () => {} } });
      socket.write(`${head.join("\r\n")}\r\n\r\nhalf of`);
      socket.flush();
      socket.end();
      const next = `GET ${root}/ping/${monitor}/${keeping.keys.ping} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`;
      expect(await exchange(keeping.port, next)).toContain("200 OK");
      expect(keptOf(keeping, monitor)).toEqual({ message: null, output: null });
    });
  });

  test("R46: without keep_output the last line of a body is the message, no output is kept, and a message is as it was sent", async () => {
    const monitor = newMonitor();
    expect((await post(plain, `${monitor}/fail`, TRACE)).json).toMatchObject({ [messageField]: "fatal: disk full" });
    expect(keptOf(plain, monitor)).toEqual({ message: "fatal: disk full", output: null });
    const message = `pin\r1234\u001b[0m customer 4711 ${plain.keys.all}`;
    await post(plain, `${monitor}/fail?message=${encodeURIComponent(message)}`, TRACE);
    expect(keptOf(plain, monitor)).toEqual({ message, output: null });
    const long = await post(plain, `${monitor}/fail?message=${"x".repeat(1_001)}`, TRACE);
    expect(long.status).toBe(messageField === "failureMessage" ? 400 : 200);
  });

  test("R46: with mask alone a message is hidden in part before it is cut, and no output is kept", async () => {
    const monitor = newMonitor();
    await post(hiding, `${monitor}/fail?message=customer+4711+failed`, TRACE);
    expect(keptOf(hiding, monitor)).toEqual({ message: "*** failed", output: null });
    const long = `${"x".repeat(990)} customer 47111111111111`;
    const answer = await post(hiding, `${monitor}/fail?message=${encodeURIComponent(long)}`, "");
    if (messageField === "message") expect(keptOf(hiding, monitor).message).toBe(`${"x".repeat(990)} ***`);
    else expect(answer.status).toBe(400);
  });
});

test("R46: a fail that the rate limit refused names no secret in the notice either", async () => {
  const limits = { v1PerMinute: 1, v1PerHour: 0, aliasPerMinute: 0, syncPerMinute: 0, adminPerMinute: 0 };
  await using service = startService({ limits }, policyWith({ prod: { keepOutput: true, mask: ["customer [0-9]+"] } }));
  const address = `${service.base}/ping/job/${service.keys.ping}`;
  expect((await ask(`${address}?schedule=0+3+*+*+*`)).status).toBe(200);
  expect((await ask(`${address}/fail?message=customer+4711`)).status).toBe(429);
  // It is written beside the next batch.
  expect((await ask(address)).status).toBe(429);
  const row = service.database.query("select message from refused_reports").get();
  expect(row).toEqual({ message: "***" });
});
