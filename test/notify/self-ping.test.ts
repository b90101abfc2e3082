// [self]: another monitor is told while all is well, and not while it is not. A real receiver; only the time is the
// test's.

import { expect, test } from "bun:test";
import type { LogFields } from "../../src/domain/log.ts";
import { MINUTE, SECOND } from "../../src/domain/time.ts";
import { createSelfPing } from "../../src/notify/self-ping.ts";
import { NOON } from "../support/engine.ts";
import { until } from "../support/executable.ts";
import { startHttpSink } from "../support/http-sink.ts";
import { manualTime } from "../support/manual-time.ts";

interface World {
  readonly advance: (milliseconds: number) => Promise<void>;
  /** Settles when this many of any outcome have ended. */
  readonly ended: (count: number) => Promise<unknown>;
  readonly waits: () => number[];
  readonly failing: string[];
  readonly lines: [string, LogFields][];
  readonly made: ReturnType<typeof createSelfPing>;
}

function start(pingUrl: string, unreadable = false): World {
  const time = manualTime(NOON);
  const lines: [string, LogFields][] = [];
  const failing: string[] = [];
  const made = createSelfPing({
    pingUrl,
    every: MINUTE,
    failing: () => {
      if (unreadable) throw new Error("database disk image is malformed");
      return failing;
    },
    reserve: { makeRoom: () => {} },
    clock: time.clock,
    after: time.after,
    log: (_, event, fields = {}) => void lines.push([event, fields]),
  });
  made.start();
  const endedSoFar = (): number => Object.values(made.health().counts).reduce((sum, count) => sum + count, 0);
  const ended = (count: number) => until(`${count} ended`, () => (endedSoFar() >= count ? true : null));
  return { advance: time.advance, ended, waits: time.waits, failing, lines, made };
}

test("is asked for with GET two seconds after the start and then every so often, and logged once", async () => {
  await using receiver = startHttpSink(() => new Response("ok"));
  const { advance, ended, waits, lines, made } = start(receiver.url);
  expect(waits()).toEqual([2 * SECOND]);
  await advance(2 * SECOND);
  await ended(1);
  await advance(MINUTE);
  await ended(2);
  expect(receiver.requests.map(({ method, body }) => [method, body])).toEqual([
    ["GET", ""],
    ["GET", ""],
  ]);
  expect(lines).toEqual([["self_ping_sent", {}]]);
  expect(made.health()).toEqual({
    arrivedAt: NOON + 62 * SECOND,
    last: { outcome: "sent", why: null },
    counts: { sent: 2, failed: 0, withheld: 0 },
  });
});

test("is withheld while this rollcall does not do its work, and comes ten seconds after it does", async () => {
  await using receiver = startHttpSink(() => new Response("ok"));
  const { advance, ended, failing, lines } = start(receiver.url);
  failing.push("disk full", "messages are stuck at ops");
  await advance(2 * SECOND);
  await ended(1);
  await advance(20 * SECOND);
  await ended(3);
  expect(receiver.requests).toEqual([]);
  failing.length = 0;
  await advance(10 * SECOND);
  await ended(4);
  expect(receiver.requests).toHaveLength(1);
  expect(lines).toEqual([
    ["self_ping_withheld", { why: "disk full; messages are stuck at ops" }],
    ["self_ping_sent", {}],
  ]);
});

test("R40: one that fails is tried again in ten seconds and logged once for each reason, without its address", async () => {
  let status = 404;
  await using receiver = startHttpSink(() => new Response(null, { status, headers: { location: "/elsewhere" } }));
  const { advance, ended, lines, made } = start(receiver.url);
  for (const [place, next] of [404, 404, 302, 200].entries()) {
    status = next;
    await advance(place === 0 ? 2 * SECOND : 10 * SECOND);
    await ended(place + 1);
  }
  expect(lines).toEqual([
    ["self_ping_failed", { why: "HTTP 404 Not Found" }],
    ["self_ping_failed", { why: "HTTP 302 Found" }],
    ["self_ping_sent", {}],
  ]);
  expect(receiver.requests.map(({ path }) => path)).not.toContain("/elsewhere");
  expect(made.health().counts).toEqual({ sent: 1, failed: 3, withheld: 0 });
});

test("a receiver that is gone, and a database that cannot be read, are reasons like others", async () => {
  const receiver = startHttpSink(() => new Response("ok"));
  await receiver[Symbol.asyncDispose]();
  const gone = start(receiver.url);
  await gone.advance(2 * SECOND);
  await gone.ended(1);
  expect(gone.lines).toEqual([["self_ping_failed", { why: "connection refused" }]]);
  const unread = start(receiver.url, true);
  await unread.advance(2 * SECOND);
  await unread.ended(1);
  expect(unread.lines).toEqual([["self_ping_withheld", { why: "the database cannot be read" }]]);
});

test("after a stop none is sent, though one was under way", async () => {
  const release = Promise.withResolvers<void>();
  await using receiver = startHttpSink(async () => {
    await release.promise;
    return new Response("ok");
  });
  const { advance, waits, made } = start(receiver.url);
  await advance(2 * SECOND);
  await until("the request", () => (receiver.requests.length === 1 ? true : null));
  made.stop();
  release.resolve();
  await advance(5 * MINUTE);
  expect([waits(), receiver.requests.length]).toEqual([[], 1]);
});
