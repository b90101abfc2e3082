// Pages that stay open share their work: one look for all who see the same, and turns between those who do not. By a
// clock that the test moves.

import { expect, test } from "bun:test";
import { createLive, type View } from "../../src/web/live/live.ts";
import { nextTurn, TURNS } from "../support/turns.ts";

interface Browser {
  readonly said: string[];
  leave(): void;
}

/** Live pages of things that the test changes; `looks` has the key of each look, in their order. */
function openLive() {
  let now = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  const looks: string[] = [];
  const wakes = new Set<() => void>();
  let object = "one";
  let sessions = 0;
  const watch = createLive({
    scheduler: TURNS,
    clock: { monotonic: () => now },
    after: (milliseconds, run) => {
      const timer = { at: now + milliseconds, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    log: (_level, event) => expect(event).toBe("no trouble"),
  });
  async function pass(milliseconds: number): Promise<void> {
    const end = now + milliseconds;
    for (;;) {
      for (let turn = 0; turn < 20; turn++) await nextTurn();
      const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      timers.delete(next);
      now = Math.max(now, next.at);
      next.run();
    }
    now = end;
  }
  return {
    looks,
    wakes,
    pass,
    change(to: string): void {
      object = to;
      for (const wake of wakes) wake();
    },
    open(key: string, seen: string | null = null, mayLook = () => true, session = `session ${sessions++}`): Browser {
      const browser: Browser = { said: [], leave: () => {} };
      const view: View = {
        key,
        prepare: async () => {},
        *look() {
          yield;
          looks.push(key);
          return { parts: new Map([["thing", `<p id="thing">${object}</p>`]]), list: null };
        },
        onChange: (wake) => {
          wakes.add(wake);
          return () => void wakes.delete(wake);
        },
        isSeen: ({ parts }) => parts.get("thing") === `<p id="thing">${seen}</p>`,
        session,
        mayLook,
      };
      const leave = watch(view, {
        send: (message) => browser.said.push(/<p[^>]*>(\w+)/.exec(new TextDecoder().decode(message))![1]!),
        beat: () => browser.said.push("here"),
        end: () => {
          browser.said.push("end");
          leave();
        },
      });
      browser.leave = leave;
      return browser;
    },
  };
}

test("one look serves all who see the same, and each is told what is new to it", async () => {
  const live = openLive();
  const [known, old] = [live.open("a", "one"), live.open("a")];
  await live.pass(100);
  expect([known.said, old.said, live.looks]).toEqual([["here"], ["one"], ["a"]]);
  live.change("two");
  await live.pass(1_000);
  expect([known.said, old.said, live.looks]).toEqual([
    ["here", "two"],
    ["one", "two"],
    ["a", "a"],
  ]);
});

test("changes without a pause are looked at once in a second, and the last of them is shown", async () => {
  const live = openLive();
  const browser = live.open("a", "one");
  await live.pass(100);
  for (let change = 1; change <= 100; change++) {
    live.change(`t${change}`);
    await live.pass(50);
  }
  await live.pass(1_000);
  expect(live.looks.length).toBeLessThanOrEqual(7);
  expect(browser.said.at(-1)).toBe("t100");
});

test("after a large message it rests, so that a browser is sent 16 KB a second for longer", async () => {
  const live = openLive();
  const browser = live.open("a", "one");
  await live.pass(100);
  live.change("x".repeat(80_000));
  await live.pass(1_000);
  expect(browser.said).toHaveLength(2);
  live.change("small");
  await live.pass(4_000);
  expect(browser.said).toHaveLength(2);
  await live.pass(1_500);
  expect(browser.said.at(-1)).toBe("small");
  live.change("again");
  await live.pass(1_000);
  expect(browser.said.at(-1)).toBe("again");
});

test("without a change it looks again after ten seconds, because time alone makes a job late", async () => {
  const live = openLive();
  const browser = live.open("a", "one");
  await live.pass(20_050);
  expect(browser.said).toEqual(["here", "here", "here"]);
});

test("many rooms look one after another, with a pause between two", async () => {
  const live = openLive();
  for (let room = 0; room < 10; room++) live.open(`room ${room}`, "one");
  await live.pass(24);
  expect(live.looks).toHaveLength(1);
  await live.pass(9 * 25);
  expect(new Set(live.looks).size).toBe(10);
});

test("who may no longer look is sent away, and the others stay", async () => {
  const live = openLive();
  let may = true;
  const [gone, stays] = [live.open("a", "one", () => may), live.open("a", "one")];
  await live.pass(100);
  may = false;
  live.change("two");
  await live.pass(1_100);
  expect([gone.said, stays.said]).toEqual([
    ["here", "end"],
    ["here", "two"],
  ]);
});

test("R33: whether a session may look is asked once for each look, however many connections it has", async () => {
  const live = openLive();
  let asked = 0;
  const mayLook = () => {
    asked++;
    return true;
  };
  for (let place = 0; place < 20; place++) live.open("a", "one", mayLook, "one session");
  await live.pass(100);
  expect([asked, live.looks.length]).toEqual([1, 1]);
  live.open("a", "one", mayLook, "another");
  live.change("two");
  await live.pass(1_100);
  expect([asked, live.looks.length]).toEqual([3, 2]);
});

test("a room that nobody is in any more does nothing, and opens again", async () => {
  const live = openLive();
  live.open("a", "one").leave();
  await live.pass(30_000);
  expect([live.looks, live.wakes.size]).toEqual([[], 0]);
  const browser = live.open("a", "one");
  await live.pass(100);
  expect(browser.said).toEqual(["here"]);
});
