// The judge of the simulation must be right itself: what it once got wrong, each in the shortest way that shows it.

import { expect, test } from "bun:test";
import { createAgenda } from "./agenda.ts";
import { createNetwork } from "./client.ts";
import { drawFleet } from "./fleet.ts";
import { createJob } from "./job.ts";
import { seeded } from "./random.ts";
import type { Reception } from "./receivers.ts";
import type { KnownGap } from "./rules-words.ts";
import { DAY, HOUR, type Instant, iso, MINUTE, SECOND } from "./units.ts";
import { verdictOn } from "./verdict.ts";
import { hearingVerdict, type WrittenGap } from "./verdict-hearing.ts";
import { monitorVerdict } from "./verdict-monitor.ts";
import { type NoticeDetails, noticeVerdict } from "./verdict-notices.ts";

const NOON = Date.UTC(2026, 5, 1, 12);

const gapOf = (from: Instant, to: Instant): WrittenGap => ({ from, to, excuses: null, reason: "stopped" });

test("R26: what a later gap leaves of a decided one still says which slots were not missed", () => {
  const hearing = hearingVerdict();
  hearing.deaf(NOON);
  hearing.hears(NOON + 4 * HOUR);
  hearing.found([gapOf(NOON, NOON + 2 * HOUR)]);
  // The clock stood behind meanwhile: the first one is decided, and the second begins before its end.
  hearing.found([gapOf(NOON + HOUR, NOON + 3 * HOUR)]);
  expect(hearing.gaps.map(({ from, to }) => [from - NOON, to - NOON])).toEqual([
    [0, HOUR - 1],
    [HOUR, 3 * HOUR],
  ]);
});

test("R26: a decided gap stays on both sides of a later one that lies within it", () => {
  const hearing = hearingVerdict();
  hearing.deaf(NOON);
  hearing.hears(NOON + 4 * HOUR);
  hearing.found([gapOf(NOON, NOON + 3 * HOUR)]);
  hearing.found([gapOf(NOON + HOUR, NOON + HOUR + MINUTE)]);
  expect(hearing.gaps.map(({ from, to }) => [from - NOON, to - NOON])).toEqual([
    [0, HOUR - 1],
    [HOUR, HOUR + MINUTE],
    [HOUR + MINUTE + 1, 3 * HOUR],
  ]);
});

/** On jobs that the configuration names since noon. */
function verdictOnJobs(now: () => Instant) {
  const agenda = createAgenda();
  const random = seeded(1);
  const network = createNetwork(agenda, now, random);
  const jobs = drawFleet(random, 60)
    .filter(({ configured, spools }) => configured && !spools)
    .map((member) =>
      createJob(member, {
        ...{ agenda, now, random, network, hostAhead: 0 },
        deliver: () => {},
        hostIsOff: () => false,
        count: () => {},
      }),
    );
  expect(jobs.length).toBeGreaterThan(0);
  const verdict = verdictOn({ jobs, now, wall: now, count: () => {} });
  verdict.configured(now());
  return verdict;
}

test("R26: what rollcall has judged is judged by the gaps of then, not by what one of them has become since", () => {
  const { hearing, settled } = verdictOnJobs(() => NOON);
  hearing.deaf(NOON);
  hearing.hears(NOON + 2 * DAY);
  hearing.found([gapOf(NOON, NOON + HOUR)]);
  settled(NOON + DAY);
  // What was missed after the first hour stays so, though the gap goes on for longer, as it was known to do later.
  expect(() => hearing.found([gapOf(NOON, NOON + 2 * DAY)])).toThrow("an alert is missing");
});

test("R26: after a restore nothing is due before rollcall has started", () => {
  let now = NOON;
  const verdict = verdictOnJobs(() => now);
  const restore = verdict.keep(0);
  // Rollcall has judged a day in which it could not hear; the restore makes it forget even that.
  now += DAY;
  verdict.hearing.deaf(NOON);
  verdict.hearing.hears(now);
  verdict.hearing.found([gapOf(NOON, now)]);
  verdict.settled(now);
  restore();
  now += SECOND;
  expect(() => verdict.disturbed(false)).not.toThrow();
});

test("R26: what a clock that was ahead has judged may be told as soon as that is put right", () => {
  const gap = { from: NOON, to: NOON + HOUR, excuses: null };
  const notices = noticeVerdict([gap], () => false);
  const [monitorKey, receiver, recipient] = ["backup", "hook", null] as const;
  const parts = { key: monitorKey, about: {}, gaps: [gap], agreed: () => {}, unknown: () => {} };
  const unknown = { gap, before: [], slot: NOON, run: null, at: NOON + HOUR };
  notices.unknown(monitorVerdict(parts), [{ receiver, recipient }], unknown);
  const told = { monitorKey, firstSlot: iso(NOON), slotsTotal: 1, runsTotal: 0 };
  const tell = (): void =>
    notices.received(
      { receiver, recipient } as unknown as Reception,
      { kind: "unheard", from: iso(NOON), monitors: [told] } as unknown as NoticeDetails,
      NOON + 20 * MINUTE,
    );
  expect(tell).toThrow("names others than are concerned");
  notices.pulledBack(NOON + 15 * MINUTE);
  expect(tell).not.toThrow();
});

test("R26: a slot that two gaps left in doubt may be told with the first, not with one that never touched it", () => {
  const [first, later, another] = [0, 8, 30].map((minutes) => {
    const from = NOON + minutes * MINUTE;
    return { from, to: from + 2 * MINUTE, excuses: null };
  });
  const [monitorKey, receiver, recipient] = ["backup", "hook", null] as const;
  const told = { monitorKey, firstSlot: iso(NOON), slotsTotal: 1, runsTotal: 0 };
  const tellWith = (gap: KnownGap) => (): void => {
    const notices = noticeVerdict([], () => false);
    const parts = { key: monitorKey, about: {}, gaps: [], agreed: () => {}, unknown: () => {} };
    const unknown = { gap: later!, before: [first!], slot: NOON, run: null, at: NOON + 11 * MINUTE };
    notices.unknown(monitorVerdict(parts), [{ receiver, recipient }], unknown);
    notices.received(
      { receiver, recipient } as unknown as Reception,
      { kind: "unheard", from: iso(gap.from), monitors: [told] } as unknown as NoticeDetails,
      NOON + HOUR,
    );
  };
  expect(tellWith(later!)).not.toThrow();
  expect(tellWith(first!)).not.toThrow();
  expect(tellWith(another!)).toThrow("left nothing unknown");
});

test("R33: a refused failure that its client sends again need not be in a notice, that of another client must", () => {
  const [monitorKey, receiver, recipient] = ["backup", "hook", null] as const;
  const told = { kind: "refused", monitors: [{ monitorKey, refused: [] }] };
  const judgedFor = (sendsAgain: boolean): (() => void) => {
    const notices = noticeVerdict([], () => sendsAgain);
    notices.refused(monitorKey, [{ receiver, recipient }], "fail", NOON);
    notices.received(
      { receiver, recipient, delivery: { id: 1 } } as unknown as Reception,
      told as unknown as NoticeDetails,
      NOON,
    );
    return () => notices.finish(() => false, NOON + DAY);
  };
  expect(judgedFor(true)).not.toThrow();
  expect(judgedFor(false)).toThrow("refused reports were not told as they were");
});
