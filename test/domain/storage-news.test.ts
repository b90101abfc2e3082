// R36: when people are told that nothing can be stored, and that it is over.

import { expect, test } from "bun:test";
import { NO_STORAGE_NEWS, type StorageTrouble, storageNoticeDue } from "../../src/domain/message/storage-news.ts";
import type { StorageFault } from "../../src/domain/storage-fault.ts";
import { MINUTE, SECOND } from "../../src/domain/time.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");

/** What is told, second by second, while storage fails in these seconds after noon. */
function notifiedOf(fault: StorageFault, seconds: number, failsIn: (second: number) => boolean): string[] {
  const notified: string[] = [];
  let news = NO_STORAGE_NEWS;
  let failing: StorageTrouble | null = null;
  for (let second = 0; second < seconds; second++) {
    const look = { at: NOON + second * SECOND, monotonic: 7_000 + second * SECOND };
    failing = failsIn(second) ? (failing ?? { fault, since: look.at, seenAt: look.monotonic }) : null;
    news = storageNoticeDue(news, failing, look);
    if (news.tell === null) continue;
    const { since, until } = news.tell;
    const [from, to] = [since, until ?? Number.NaN].map((at) => (at - NOON) / SECOND);
    notified.push(until === null ? `${second}: since ${from}` : `${second}: from ${from} until ${to}`);
  }
  return notified;
}

test("a full disk and a file that is gone are told at once, any other trouble when it has lasted for ten seconds", () => {
  expect(notifiedOf("full", 30, (second) => second >= 5)).toEqual(["5: since 5"]);
  expect(notifiedOf("gone", 30, (second) => second >= 5)).toEqual(["5: since 5"]);
  expect(notifiedOf("other", 30, (second) => second >= 5)).toEqual(["15: since 5"]);
  expect(notifiedOf("other", 30, (second) => second >= 5 && second < 15)).toEqual([]);
});

test("it is over when storage has worked for a minute, and that is told with when it began to", () => {
  expect(notifiedOf("full", 200, (second) => second < 20)).toEqual(["0: since 0", "80: from 0 until 20"]);
});

test("a disk that takes something now and then is one trouble, and a new one after it is over is another", () => {
  const nearlyFull = (second: number) => second < 300 && second % 50 !== 49;
  expect(notifiedOf("full", 400, nearlyFull)).toEqual(["0: since 0", `${299 + MINUTE / SECOND}: from 0 until 299`]);
  expect(notifiedOf("full", 300, (second) => second < 10 || second >= 200)).toHaveLength(3);
});
