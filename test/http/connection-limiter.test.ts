// Whose connections are closed when there are too many, and when: the decision over connections as the system shows
// them.

import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { MINUTE, SECOND } from "../../src/domain/time.ts";
import { createConnectionLimiter, whomToClose } from "../../src/http/connection-limiter.ts";
import { type Connection, openConnections } from "../../src/http/connections.ts";
import { manualTime, until } from "../support/manual-time.ts";

const PROXY = "10.0.0.1";
const isProxy = (address: string) => address === PROXY;

/** One connection a number, which is for how many seconds it has been silent. */
const from = (address: string, ...seconds: readonly number[]): Connection[] =>
  seconds.map((silent, place) => ({ descriptor: 10 + place, address, port: place, silentFor: silent * SECOND }));

const seconds = (connections: readonly Connection[]) => connections.map(({ silentFor }) => silentFor / SECOND);

describe("whose connection is closed", () => {
  test("the longest silent one of whoever has most, until all have the same", () => {
    const open = [...from("192.0.2.1", 5, 9, 7, 8), ...from("192.0.2.2", 30, 40), ...from("192.0.2.3", 60)];
    expect(seconds(whomToClose(open, 2, SECOND, isProxy))).toEqual([9, 8]);
    expect(seconds(whomToClose(open, 4, SECOND, isProxy))).toEqual([9, 8, 40, 7]);
    expect(seconds(whomToClose(open, 7, SECOND, isProxy))).toEqual([9, 8, 40, 7, 60, 30, 5]);
  });

  test("a proxy's after everybody else's: many clients share them", () => {
    const open = [...from(PROXY, 90, 80, 70), ...from("192.0.2.2", 3)];
    expect(seconds(whomToClose(open, 2, SECOND, isProxy))).toEqual([3, 90]);
  });

  test("never one from which something has just come", () => {
    const open = [...from("192.0.2.1", 0, 0.5, 1), ...from(PROXY, 0)];
    expect(seconds(whomToClose(open, 4, SECOND, isProxy))).toEqual([1]);
    expect(seconds(whomToClose(open, 4, 0, isProxy))).toEqual([1, 0.5, 0, 0]);
  });

  test("none when there are not too many", () => {
    expect(whomToClose(from("192.0.2.1", 9), 0, SECOND, isProxy)).toEqual([]);
    expect(whomToClose(from("192.0.2.1", 9), -3, SECOND, isProxy)).toEqual([]);
  });
});

test("connections are seen with their address and silence, and closed as if by the client", async () => {
  const connections = openConnections();
  if (connections === null) return;
  using server = Bun.serve({ port: 0, hostname: "::1", fetch: () => new Response() });
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  connect(server.port!, "::1", () => opened.resolve()).on("close", () => closed.resolve());
  await opened.promise;
  await until(() => connections.list(server.port!, 1_000).length > 0);
  const seen = connections.list(server.port!, 1_000)[0]!;
  expect(seen).toMatchObject({ address: "0:0:0:0:0:0:0:1" });
  expect(seen.silentFor).toBeGreaterThanOrEqual(0);
  connections.hangUp(seen);
  await closed.promise;
});

describe("the connection limiter", () => {
  /** Ten descriptors of its own and a limit of 60, so that clients have 30; what the system shows is `open`. */
  function start(singly = true) {
    const time = manualTime(0);
    const world = { open: [] as Connection[], idleClosed: 0, logged: [] as unknown[] };
    const keeper = createConnectionLimiter({
      descriptors: { limit: 60, inUse: () => Math.min(10 + world.open.length, 60) },
      connections: singly
        ? {
            list: () => world.open,
            hangUp: (gone) => {
              world.open = world.open.filter((one) => one.descriptor !== gone.descriptor);
            },
          }
        : null,
      isProxy,
      ...time,
      log: (_level, event, fields) => void (event === "connections_closed" && world.logged.push(fields)),
    });
    const stop = keeper.watch({ port: 1, closeIdle: () => ++world.idleClosed });
    return { time, world, keeper, stop };
  }

  test("leaves a third of few descriptors free, and says so for a minute", async () => {
    const { time, world, keeper } = start();
    world.open = from("192.0.2.1", ...Array(30).fill(5));
    await time.advance(SECOND);
    expect([world.open.length, keeper.trouble()]).toEqual([30, null]);
    world.open = from("192.0.2.1", ...Array(45).fill(5));
    await time.advance(SECOND);
    expect(world.open).toHaveLength(30);
    expect(keeper.trouble()).toContain("the limit of 60 open files");
    await time.advance(MINUTE);
    expect(keeper.trouble()).toBeNull();
    expect(world.logged).toMatchObject([{ connections: 15, limit: 60 }]);
  });

  test("makes room at once for whoever asks, and does nothing after its end", async () => {
    const { world, keeper, stop, time } = start();
    world.open = from("192.0.2.1", ...Array(31).fill(5));
    keeper.makeRoom();
    expect(world.open).toHaveLength(30);
    stop();
    world.open = from("192.0.2.1", ...Array(50).fill(5));
    keeper.makeRoom();
    await time.advance(MINUTE);
    expect(world.open).toHaveLength(50);
    expect(time.waits()).toEqual([]);
  });

  test("closes who sends a letter now and then for a message, or when there was no room for two seconds", async () => {
    const { world, time, keeper } = start();
    world.open = from("192.0.2.1", ...Array(50).fill(0.2));
    await time.advance(2 * SECOND);
    expect([world.open.length, keeper.wasShort()]).toEqual([50, true]);
    await time.advance(SECOND);
    expect(world.open).toHaveLength(30);
    await time.advance(2 * SECOND);
    expect(keeper.wasShort()).toBe(false);
    world.open = from("192.0.2.1", ...Array(50).fill(0.2));
    keeper.makeRoom();
    await time.advance(20);
    keeper.makeRoom();
    expect(world.open).toHaveLength(30);
  });

  test("R36: counts the silence of one that had to wait to be let in from then on, since its request is being answered", async () => {
    const { world, keeper, time } = start();
    world.open = from("192.0.2.1", ...Array(40).fill(0.3));
    await time.advance(2 * SECOND);
    const waited = { descriptor: 99, address: "192.0.2.9", port: 1, silentFor: 4 * SECOND };
    world.open = [...world.open.slice(1), waited];
    keeper.makeRoom();
    expect(world.open).toContainEqual(waited);
    expect(world.open).toHaveLength(30);
    world.open = [...from("192.0.2.1", ...Array(30).fill(0.01)), waited];
    await time.advance(2 * SECOND);
    expect(world.open).not.toContainEqual(waited);
  });

  /** It waited this number of seconds to be let in with its request, which has been read and is not answered yet. */
  const asking = (waited: number): Connection => ({
    descriptor: 99,
    address: "192.0.2.1",
    port: 1,
    silentFor: waited * SECOND,
  });

  test("R36: a request that waited to be let in is answered, also right after there was room", async () => {
    const { world, keeper, time } = start();
    world.open = from("192.0.2.1", ...Array(40).fill(1.5));
    keeper.makeRoom();
    keeper.makeRoom();
    await time.advance(10);
    world.open = [...from("192.0.2.1", ...Array(35).fill(0.01)), asking(1.2)];
    keeper.makeRoom();
    expect(world.open).toContainEqual(asking(1.2));
  });

  test("R36: a request is answered that waited a little while the shortage began", async () => {
    const { world, keeper } = start();
    world.open = [...from("192.0.2.1", ...Array(40).fill(5)), asking(0.4)];
    keeper.makeRoom();
    expect(world.open).toHaveLength(30);
    world.open = [...from("192.0.2.2", ...Array(40).fill(0.3)), asking(0.4)];
    keeper.makeRoom();
    expect(world.open).toContainEqual(asking(0.4));
  });

  test("R36: the time in which the process itself could not run is not taken for a client's silence", async () => {
    const { world, keeper, time } = start();
    world.open = from("192.0.2.1", ...Array(40).fill(0.3));
    await time.advance(3 * SECOND);
    world.open = [...from("192.0.2.1", ...Array(35).fill(0.01)), asking(4)];
    keeper.makeRoom();
    time.stall(500);
    keeper.makeRoom();
    expect(world.open).toContainEqual(asking(4));
  });

  test("closes all idle ones where single ones cannot be closed", () => {
    const { world, keeper } = start(false);
    world.open = from("192.0.2.1", ...Array(50).fill(5));
    keeper.makeRoom();
    expect(world.idleClosed).toBe(1);
    expect(world.logged).toMatchObject([{ connections: 1 }]);
  });
});
