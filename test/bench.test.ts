// What make bench relies on: its steady load charges a server that stalls for everything that was due meanwhile, and a
// figure is called worse only when it is not by chance.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { isRegression, less, medianOf, more, together } from "../bench/figures.ts";
import { atRate } from "../bench/steady.ts";
import { ROOT } from "./support/executable.ts";

/**
 * A server in a process of its own that answers its first request after this many milliseconds, and no other meanwhile.
 */
async function stallingServer(milliseconds: number): Promise<{ readonly port: number; readonly stop: () => void }> {
  const source = `
    let stalled = false;
    const fetch = () => {
      if (!stalled) Bun.sleepSync(${milliseconds});
      stalled = true;
      return new Response("{}");
    };
    console.log(Bun.serve({ hostname: "127.0.0.1", port: 0, fetch }).port);`;
  const child = Bun.spawn([process.execPath, "-e", source], { stdout: "pipe", cwd: join(ROOT, "bench") });
  const { value } = await child.stdout.getReader().read();
  return { port: Number(new TextDecoder().decode(value)), stop: () => child.kill() };
}

test("a stall is charged to every request that was due in it, not only to those that were sent", async () => {
  const server = await stallingServer(800);
  // 400 of 500 requests are due in the stall, and only 2 connections are there to send them.
  const { p50, p99 } = await atRate(server.port, { rate: 500, seconds: 1, connections: 2, paths: ["/"], at: null });
  server.stop();
  expect(p50).toBeGreaterThan(200);
  expect(p99).toBeGreaterThan(700);
});

test("a new connection for each request, all at one moment: each waits for its answer", async () => {
  const server = await stallingServer(300);
  const at = Date.now() + 300;
  const plan = { rate: 100_000, seconds: 0.001, connections: null, paths: ["/"], at };
  const { p50, failed } = await atRate(server.port, plan);
  server.stop();
  expect(failed).toBe(0);
  expect(p50).toBeGreaterThan(250);
});

const rate = (...rounds: number[]) => more("answers", "% of bare", rounds);
const time = (...rounds: number[]) => less("p99", "times bare", rounds);

test("a figure is worse when its median is over 10 % worse, and nearly every round is worse than before", () => {
  expect(isRegression(rate(85, 86, 87, 88), rate(98, 99, 100, 101))).toBe(true);
  expect(isRegression(rate(91, 92, 93, 94), rate(98, 99, 100, 101))).toBe(false);
  expect(isRegression(time(1.2, 1.25, 1.3, 1.2), time(1, 1.02, 0.98, 1))).toBe(true);
  expect(isRegression(time(1.05, 1.06, 1.07, 1.08), time(1, 1.02, 0.98, 1))).toBe(false);
  expect(isRegression(time(0.5, 0.5, 0.5, 0.5), time(1, 1.02, 0.98, 1))).toBe(false);
});

test("a figure that varies from round to round is not called worse for one bad round, nor for one good round then", () => {
  expect(isRegression(time(2, 3, 60, 66), time(1.5, 2, 2.5, 3))).toBe(false);
  expect(isRegression(time(4, 5, 6, 60), time(0.6, 2, 3, 8))).toBe(false);
  expect(isRegression(time(9, 10, 11, 60), time(0.6, 2, 3, 8))).toBe(true);
});

test("what was measured twice counts with the rounds of both", () => {
  const chapter = (...rounds: number[]) => ({ title: "Connections", note: "", results: [rate(...rounds)] });
  const both = together(chapter(1, 2), chapter(3));
  expect(both.results[0]!.rounds).toEqual([1, 2, 3]);
  expect(medianOf(both.results[0]!.rounds)).toBe(2);
});
