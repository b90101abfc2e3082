// What will happen and when: a heap of things to do at instants of true time; at equal instants, in the order of entry.
// Runs nothing by itself.

import type { Instant } from "../../src/domain/time.ts";

interface Entry {
  readonly at: Instant;
  readonly order: number;
  readonly run: () => void;
}

export interface Agenda {
  enter(at: Instant, run: () => void): void;
  /** When the next thing is to be done; Infinity when nothing is left. */
  nextAt(): Instant;
  /** Takes the next thing out and does it. */
  doNext(): void;
}

export function createAgenda(): Agenda {
  const heap: Entry[] = [];
  let entered = 0;

  const isBefore = (one: Entry, other: Entry): boolean =>
    one.at < other.at || (one.at === other.at && one.order < other.order);

  function enter(at: Instant, run: () => void): void {
    const entry = { at, order: entered++, run };
    let place = heap.push(entry) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = entry;
  }

  function takeFirst(): Entry {
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length > 0) sink(last);
    return first;
  }

  function sink(entry: Entry): void {
    let place = 0;
    while (true) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, entry)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = entry;
  }

  return {
    enter,
    nextAt: () => heap[0]?.at ?? Number.POSITIVE_INFINITY,
    doNext: () => takeFirst().run(),
  };
}
