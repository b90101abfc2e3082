// Answers in pieces: one piece per turn of the event loop, for every reader, fast or slow, also when one goes away.

import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import type { LogFields } from "../../src/domain/log.ts";
import { createScheduler } from "../../src/domain/scheduler.ts";
import { createRespondInPieces, type Pieces } from "../../src/http/respond-in-pieces.ts";
import { createServer } from "../../src/http/server.ts";
import type { Yield } from "../../src/http/yield.ts";
import { until } from "../support/manual-time.ts";
import { nextTurn } from "../support/turns.ts";

interface Served extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly logged: readonly { readonly event: string; readonly fields: LogFields | undefined }[];
}

/** A server that answers `/` with these pieces. */
function serving(pieces: (path: string) => Pieces, myTurn: Yield = nextTurn): Served {
  const logged: { event: string; fields: LogFields | undefined }[] = [];
  const log = (_: unknown, event: string, fields?: LogFields) => void logged.push({ event, fields });
  const inPieces = createRespondInPieces(log, myTurn);
  const server = createServer({
    routes: { "/:name": ({ url }) => inPieces(pieces(new URL(url).pathname)) },
    unknown: null,
    pages: null,
    troubles: () => [],
    metrics: null,
    adminKeys: { authenticate: () => null },
    listen: { host: "127.0.0.1", port: 0 },
    tls: null,
    notePlain: () => {},
    trust: { plainHttp: "loopback", trustedProxies: [] },
    ownHosts: [],
    log,
  });
  return { url: server.url, port: server.port, logged, [Symbol.asyncDispose]: () => server.stop(0) };
}

/** Yields all but the last, which it returns. */
function* piecesOf(...texts: string[]): Pieces {
  const last = texts.pop()!;
  for (const text of texts) yield text;
  return last;
}

const MEGABYTE = "x".repeat(1_000_000);

test("one piece is an answer like any other", async () => {
  await using served = serving(() => piecesOf("[1]"));
  const answer = await fetch(`${served.url}/one`);
  expect(answer.headers.get("content-length")).toBe("3");
  expect(answer.headers.get("transfer-encoding")).toBeNull();
  expect(await answer.text()).toBe("[1]");
});

test("several make one body, with the headers of every answer", async () => {
  const texts = ['{"a":', "", "[", "ä", "1", "", "]}"];
  await using served = serving(() => piecesOf(...texts));
  const answer = await fetch(`${served.url}/many`);
  expect(answer.headers.get("transfer-encoding")).toBe("chunked");
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(await answer.text()).toBe(texts.join(""));
});

test("between two pieces others have their turn, and two answers share the turns", async () => {
  const made: string[] = [];
  function* noting(name: string): Pieces {
    for (let piece = 0; piece < 20; piece++) {
      made.push(name);
      yield `${piece} `;
    }
    return "end";
  }
  // The test itself begins each turn, so it does not matter which request comes first, and by how much.
  const turns: (() => void)[] = [];
  const schedule = (run: () => void): void => void turns.push(run);
  const taker = createScheduler({ schedule, clock: { monotonic: () => 0 } });
  await using served = serving(noting, () => new Promise((resolve) => taker.laterAlone(resolve)));
  const bodies = Promise.all(["/a", "/b"].map(async (path) => (await fetch(served.url + path)).text()));
  await until(() => made.includes("/a") && made.includes("/b"));
  expect(made).toHaveLength(2);
  let over = false;
  const ended = bodies.then(() => {
    over = true;
  });
  while (!over) {
    await until(() => over || turns.length > 0);
    expect(turns.length).toBeLessThanOrEqual(1);
    made.push("turn");
    turns.shift()?.();
  }
  await ended;
  const [one, other] = await bodies;
  expect(one).toBe(other!);
  expect(one).toEndWith("19 end");
  const inATurn = made
    .slice(2)
    .join(" ")
    .split("turn")
    .map((names) => names.split("/").length - 1);
  expect(made.filter((name) => name !== "turn")).toHaveLength(40);
  expect(Math.max(...inATurn)).toBe(1);
});

test("who goes away is not read on for", async () => {
  let made = 0;
  let ended = false;
  function* endless(): Pieces {
    try {
      for (;;) {
        made++;
        yield MEGABYTE;
      }
    } finally {
      ended = true;
    }
  }
  await using served = serving(endless);
  const gone = new AbortController();
  const answer = await fetch(`${served.url}/endless`, { signal: gone.signal });
  const reader = answer.body!.getReader();
  await reader.read();
  gone.abort();
  await until(() => ended);
  const before = made;
  await Bun.sleep(20);
  expect(made).toBe(before);
  expect(served.logged).toEqual([]);
});

test("who reads nothing is waited for: what is made ahead is bounded", async () => {
  let made = 0;
  function* thousand(): Pieces {
    for (; made < 1_000; made++) yield MEGABYTE;
    return "";
  }
  await using served = serving(thousand);
  const socket = connect(served.port, "127.0.0.1", () => {
    socket.pause();
    socket.write("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
  });
  await until(() => made > 0);
  await Bun.sleep(300);
  expect(made).toBeLessThan(30);
  socket.destroy();
});

describe("an error", () => {
  test("in the first piece is an answer of its own", async () => {
    await using served = serving(() => failing(0));
    const answer = await fetch(`${served.url}/first`);
    expect([answer.status, await answer.json()]).toMatchObject([500, { error: "INTERNAL_ERROR" }]);
  });

  test("in a later one breaks the body off, and is logged", async () => {
    await using served = serving(() => failing(3));
    const read = async () => (await fetch(`${served.url}/later`)).text();
    await expect(read()).rejects.toThrow();
    expect(served.logged.map(({ event }) => event)).toEqual(["answer_broken_off"]);
  });

  function* failing(after: number): Pieces {
    for (let piece = 0; piece < after; piece++) yield MEGABYTE;
    throw new Error("the disk is gone");
  }
});
