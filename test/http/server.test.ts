// The server as a process part: what it does when the engine fails, when a client goes away, when it is told to stop,
// and where it listens.

import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { refuse } from "../../src/domain/errors.ts";
import type { LogFields } from "../../src/domain/log.ts";
import type { Ping, Receipt } from "../../src/engine/api.ts";
import type { Routes } from "../../src/http/handler.ts";
import { createServer, type Server } from "../../src/http/server.ts";
import { ask, askRaw, exchange, parseAnswer } from "../support/http-client.ts";
import { ARRIVAL, createRecordingEngine, type RecordingEngineSettings } from "../support/http-engine.ts";
import { startPublicServer } from "../support/public-server.ts";
import { granted } from "../support/service.ts";

interface Started extends AsyncDisposable {
  readonly server: Server;
  readonly path: string;
  readonly pings: readonly Ping[];
  readonly logged: readonly { readonly event: string; readonly fields: LogFields | undefined }[];
}

function start(settings: RecordingEngineSettings = {}, host = "127.0.0.1"): Started {
  const engine = createRecordingEngine(settings);
  granted(engine.createApplication("prod"));
  const { key } = granted(engine.createKey("prod", "all", "k".repeat(32)));
  const logged: { event: string; fields: LogFields | undefined }[] = [];
  const server = startPublicServer(engine, {
    listen: { host, port: 0 },
    trust: { plainHttp: "loopback", trustedProxies: ["127.0.0.0/8"] },
    log: (_, event, fields) => logged.push({ event, fields }),
  });
  const path = `/api/v1/ping/job/${key}`;
  return { server, path, pings: engine.pings, logged, [Symbol.asyncDispose]: () => server.stop(0) };
}

const receiptOf = ({ kind, monitorKey, message }: Ping): Receipt => ({
  kind,
  monitorKey,
  at: ARRIVAL,
  happenedAt: null,
  durationSeconds: null,
  message,
  warning: null,
});

describe("R1: an unexpected error", () => {
  const fault = new Error("secret detail");
  const faults: readonly (readonly [string, RecordingEngineSettings])[] = [
    [
      "while authenticating",
      {
        authenticate: () => {
          throw fault;
        },
      },
    ],
    [
      "while recording",
      {
        ingest: () => {
          throw fault;
        },
      },
    ],
    ["after recording began", { ingest: () => Promise.reject(fault) }],
  ];

  test.each(faults)(
    "%s is 500 INTERNAL_ERROR; the details are in the log alone, under its number",
    async (_, settings) => {
      await using started = start(settings);
      for (const number of [1, 2]) {
        const answer = await ask(started.server.url + started.path);
        expect(answer.status).toBe(500);
        expect(answer.json).toEqual({ error: "INTERNAL_ERROR", message: expect.stringContaining(`number ${number}`) });
        expect(answer.text).not.toContain("secret");
        expect(started.logged.at(-1)).toMatchObject({ event: "request_failed", fields: { number, error: fault } });
      }
    },
  );

  test.each(["SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_READONLY", "SQLITE_BUSY"])(
    "%s is 503 STORAGE_UNAVAILABLE, since the report may be sent again",
    async (code) => {
      const full = Object.assign(new Error("secret detail"), { code });
      await using started = start({ ingest: () => Promise.reject(full) });
      const answer = await ask(started.server.url + started.path);
      const words = code === "SQLITE_FULL" ? "disk full, nothing can be stored" : "the database cannot be written";
      const message = expect.stringContaining(words);
      expect(answer).toMatchObject({ status: 503, json: { error: "STORAGE_UNAVAILABLE", message } });
      expect(started.logged).toMatchObject([{ event: "request_failed", fields: { error: full } }]);
    },
  );

  test("is answered so behind every path", async () => {
    const fails = (): never => {
      throw fault;
    };
    await using started = start({
      authenticate: fails,
      get troubles() {
        return fails();
      },
    });
    const requests = [
      ["GET", "/api/v1/ping/job"],
      ["POST", "/ping/job"],
      ["POST", "/api/v1/sync"],
      ["GET", "/api/sync/status"],
      ["GET", "/readyz"],
    ] as const;
    for (const [place, [method, path]] of requests.entries()) {
      const answer = await ask(started.server.url + path, { method });
      const message = `an unexpected error; the log has it as number ${place + 1}`;
      expect(answer).toMatchObject({ status: 500, json: { error: "INTERNAL_ERROR", message } });
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
    expect(started.logged.map(({ fields }) => fields?.["number"])).toEqual([1, 2, 3, 4, 5]);
  });

  test("is logged with the client's address, as the trusted proxy knows it", async () => {
    await using started = start({
      authenticate: () => {
        throw fault;
      },
    });
    const headers = { "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.1" };
    await ask(started.server.url + started.path, { method: "POST", headers });
    expect(started.logged.at(-1)?.fields).toMatchObject({ client: "192.0.2.1", method: "POST" });
  });
});

describe("what the engine refuses", () => {
  test("R1: STORAGE_UNAVAILABLE is 503 with Retry-After", async () => {
    await using started = start({ ingest: () => Promise.resolve(refuse("STORAGE_UNAVAILABLE", "not stored")) });
    const answer = await ask(started.server.url + started.path);
    expect(answer).toMatchObject({ status: 503, json: { error: "STORAGE_UNAVAILABLE", message: "not stored" } });
    expect(answer.headers.get("retry-after")).toMatch(/^[1-9][0-9]*$/);
  });

  test("R1: PLAN_LIMIT_REACHED is 402", async () => {
    await using started = start({ ingest: () => Promise.resolve(refuse("PLAN_LIMIT_REACHED", "full")) });
    expect((await ask(started.server.url + started.path)).status).toBe(402);
  });

  test("R3: a suspended application is 403", async () => {
    await using started = start({ authenticate: () => refuse("ACCESS_DENIED", "suspended") });
    const answer = await ask(started.server.url + started.path);
    expect(answer).toMatchObject({ status: 403, json: { error: "ACCESS_DENIED" } });
  });
});

test("R14: a warning of the receipt is in the heartbeat's answer", async () => {
  const warning = "the monitor is paused";
  await using started = start({ ingest: (ping) => Promise.resolve({ ...receiptOf(ping), warning }) });
  expect((await ask(started.server.url + started.path)).json).toMatchObject({ warning });
});

test("/readyz is 503 with every reason; /healthz does not care", async () => {
  const troubles = ["no destination can deliver", "the database cannot be written"];
  await using started = start({ troubles });
  const answer = await ask(`${started.server.url}/readyz`);
  expect(answer.status).toBe(503);
  expect(answer.json).toEqual({ error: "NOT_READY", message: troubles.join("; "), troubles });
  expect((await ask(`${started.server.url}/healthz`)).status).toBe(200);
});

test("R36: /readyz tells names and answers to direct callers on this machine alone", async () => {
  await using started = start({ troubles: ["ops does not take them"], generalTroubles: ["no destination takes them"] });
  const told = async (headers: Record<string, string>) =>
    (await ask(`${started.server.url}/readyz`, { headers })).json?.["message"];
  expect(await told({})).toBe("ops does not take them");
  for (const name of ["x-forwarded-for", "x-real-ip", "via", "forwarded", "cf-connecting-ip"]) {
    expect(await told({ [name]: "192.0.2.1" })).toBe("no destination takes them");
  }
});

test("who asks for the connection's end gets the header back, and nobody else", async () => {
  await using started = start();
  const { server, path } = started;
  for (const target of ["/healthz", "/readyz", `${path}?schedule=0+3+*+*+*`, path, "/api/v1/ping/job/ck_app_none"]) {
    for (const [asked, answered] of [
      ["close", "close"],
      ["Keep-Alive, Close", "close"],
      ["upgrade ,\t close\t", "close"],
    ] as const) {
      const text = await exchange(server.port, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: ${asked}\r\n\r\n`);
      expect(parseAnswer(text).headers.get("connection")).toBe(answered);
    }
    expect((await ask(server.url + target)).headers.get("connection")).not.toBe("close");
  }
});

test("probes of HTTP/1.0 without a host are answered", async () => {
  await using started = start();
  for (const path of ["/healthz", "/readyz"]) {
    expect(parseAnswer(await exchange(started.server.port, `GET ${path} HTTP/1.0\r\n\r\n`)).status).toBe(200);
  }
});

test("R9: a client that goes away within its body records nothing and is no error of ours", async () => {
  await using started = start();
  const { server, path } = started;
  for (const [suffix, type] of [
    ["", "text/plain"],
    ["/complete", "application/json"],
  ]) {
    const head = `POST ${path}${suffix}?schedule=0+3+*+*+* HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n`;
    await new Promise<void>((resolve) => {
      const socket = connect(server.port, "127.0.0.1", () => {
        socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n`, () => socket.destroy());
      });
      socket.on("close", () => resolve());
    });
  }
  // An answer to a later request on the same server comes after whatever those two led to.
  await ask(server.url + path);
  await ask(server.url + path);
  expect(started.pings.filter(({ said }) => said.schedule !== null)).toEqual([]);
  expect(started.logged).toEqual([]);
});

describe("the routes it is given", () => {
  const routes = {
    "/one/:name/": ({ url }: Request) => Response.json({ url }),
    "/all/*": () => Promise.reject(new Error("x")),
  };
  const trust = { plainHttp: "refuse", trustedProxies: ["127.0.0.0/8"] } as const;
  const overHttps = { headers: { "x-forwarded-proto": "https" } };

  test("are all there is but health, and R35 holds for each", async () => {
    await using server = serving(routes);
    expect((await ask(`${server.url}/one/x/`, overHttps)).json).toEqual({ url: `${server.url}/one/x/` });
    expect((await ask(`${server.url}/one/x`, overHttps)).status).toBe(404);
    expect((await fetch(`${server.url}/api/v1/openapi.json`, overHttps)).status).toBe(404);
    for (const path of ["/one/x/", "/all/x", "/none"]) expect((await ask(server.url + path)).status).toBe(403);
    expect((await ask(`${server.url}/readyz`)).json).toMatchObject({ troubles: ["told to operator"] });
  });

  test("may fail, and are answered for", async () => {
    await using server = serving(routes);
    expect((await ask(`${server.url}/all/x`, overHttps)).json).toMatchObject({ error: "INTERNAL_ERROR" });
  });

  test("of plain HTTP are counted by their address before they are refused, and the answer names the setting", async () => {
    await using server = serving(routes);
    refusedPlain.length = 0;
    const { status, json } = await ask(`${server.url}/all/x`);
    expect(status).toBe(403);
    expect(json).toMatchObject({ message: expect.stringContaining("server.plain_http") });
    expect(refusedPlain).toEqual(["127.0.0.1"]);
  });

  const refusedPlain: string[] = [];

  function serving(given: Routes) {
    const server = createServer({
      routes: given,
      unknown: null,
      pages: null,
      troubles: (listener) => [`told to ${listener}`],
      metrics: null,
      adminKeys: { authenticate: () => null },
      listen: { host: "127.0.0.1", port: 0 },
      tls: null,
      trust,
      ownHosts: [],
      log: () => {},
      notePlain: (client) => refusedPlain.push(client),
    });
    return { url: server.url, [Symbol.asyncDispose]: () => server.stop(0) };
  }
});

describe("where it listens", () => {
  test("a port that is taken is an error, not a second server", async () => {
    await using started = start();
    const listen = { host: "127.0.0.1", port: started.server.port };
    expect(() => startPublicServer(createRecordingEngine(), { listen })).toThrow();
  });

  test("R35: on localhost as well, whichever of its addresses that is", async () => {
    await using started = start({}, "localhost");
    const url = `http://localhost:${started.server.port}${started.path}?schedule=0+3+*+*+*`;
    expect((await ask(url)).status).toBe(200);
    expect((await ask(url, { headers: { "x-forwarded-for": "192.0.2.1" } })).status).toBe(403);
  });

  test.each(["::", "0.0.0.0"])("R35: on %s, loopback peers are known by their address", async (host) => {
    await using started = start({}, host);
    const path = `${started.path}?schedule=0+3+*+*+*`;
    expect((await askRaw(started.server.port, `GET ${path}`)).status).toBe(200);
    expect((await askRaw(started.server.port, `GET ${path}`, ["X-Forwarded-For: 192.0.2.1"])).status).toBe(403);
    const proxied = ["X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https"];
    expect((await askRaw(started.server.port, `GET ${path}`, proxied)).status).toBe(200);
  });

  test("R35: on [::1] as well", async () => {
    await using started = start({}, "::1");
    expect(started.server.url).toBe(`http://[::1]:${started.server.port}`);
    expect((await ask(`${started.server.url}/healthz`)).status).toBe(200);
    expect((await ask(`${started.server.url}${started.path}?schedule=0+3+*+*+*`)).status).toBe(200);
  });
});

describe("told to stop", () => {
  test("it finishes what is in flight, takes nothing new, and closes connections nobody uses at once", async () => {
    const arrived = Promise.withResolvers<Ping>();
    const committed = Promise.withResolvers<void>();
    const started = start({
      ingest: async (ping) => {
        arrived.resolve(ping);
        await committed.promise;
        return receiptOf(ping);
      },
    });
    const idle = connect(started.server.port, "127.0.0.1");
    const idleAnswered = new Promise((resolve) => idle.once("data", resolve));
    const idleClosed = new Promise((resolve) => idle.once("close", resolve));
    idle.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await idleAnswered;
    const answer = ask(started.server.url + started.path);
    await arrived.promise;

    const stopped = started.server.stop(60_000);
    await expect(ask(`${started.server.url}/healthz`)).rejects.toThrow();
    await idleClosed;
    committed.resolve();
    expect((await answer).status).toBe(200);
    await stopped;
  });

  test("it breaks off what is still in flight after its grace", async () => {
    const arrived = Promise.withResolvers<Ping>();
    const started = start({
      ingest: (ping) => {
        arrived.resolve(ping);
        return new Promise(() => {});
      },
    });
    const answer = ask(started.server.url + started.path).then(
      () => "answered",
      () => "broken off",
    );
    await arrived.promise;
    await started.server.stop(1);
    expect(await answer).toBe("broken off");
  });
});
