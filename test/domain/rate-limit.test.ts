// R33: the arithmetic of rate limits, beside a model that forgets nothing and looks for the next accepted request
// second by second.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  aliasRateLimits,
  grownLimit,
  judgeRate,
  type RateLimit,
  type RateVerdict,
  reportsCalledFor,
  tooSmall,
  versionOneRateLimits,
  type Window,
} from "../../src/domain/rate-limit.ts";
import { countSlots } from "../../src/domain/schedule/slots.ts";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";

const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 300);

const DEFAULTS: readonly RateLimit[] = [
  { setting: "limits.v1_per_minute", most: 60, span: MINUTE },
  { setting: "limits.v1_per_hour", most: 1_000, span: HOUR },
];

/** Sends requests one after the other; every answer's windows are handed to the next. */
function sender(limits: readonly RateLimit[]) {
  let windows: readonly Window[] | undefined;
  return (now: number): RateVerdict => {
    const before = JSON.stringify(windows);
    const verdict = judgeRate(limits, windows, now);
    expect(JSON.stringify(windows)).toBe(before);
    if (verdict.accepted) windows = verdict.windows;
    return verdict;
  };
}

/** Whether a request at `now` is accepted after all these, found from the whole history. */
const modelAccepts = (limits: readonly RateLimit[], acceptedAt: readonly number[], now: number): boolean =>
  limits.every(({ most, span }) => {
    let opened: number | undefined;
    let count = 0;
    for (const at of acceptedAt) {
      const opensAnother = opened === undefined || at >= opened + span;
      count = opensAnother ? 1 : count + 1;
      if (opensAnother) opened = at;
    }
    return opened === undefined || now >= opened + span || count < most;
  });

function modelWait(limits: readonly RateLimit[], acceptedAt: readonly number[], now: number): number {
  let seconds = 0;
  while (!modelAccepts(limits, acceptedAt, now + seconds * SECOND)) seconds++;
  return seconds;
}

/** Small limits, so that they are met often, and requests that come in bursts, in a trickle and after silence. */
const limitsArbitrary = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 15 }))
  .map(([perMinute, perHour]): RateLimit[] => [
    { setting: "minute", most: perMinute, span: MINUTE },
    { setting: "hour", most: perHour, span: HOUR },
  ]);

const timesArbitrary = fc
  .tuple(
    fc.integer({ min: 0, max: 1e9 }),
    fc.array(
      fc.oneof(
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 0, max: 20 * SECOND }),
        fc.constantFrom(SECOND, MINUTE - 1, MINUTE, HOUR - 1, HOUR),
        fc.integer({ min: 0, max: 20 * MINUTE }),
      ),
      { maxLength: 60 },
    ),
  )
  .map(([start, pauses]) => {
    let at = start;
    return pauses.map((pause) => {
      at += pause;
      return at;
    });
  });

/** Plays the requests and hands each to `check`, with those accepted before it. */
function play(
  limits: readonly RateLimit[],
  times: readonly number[],
  check: (verdict: RateVerdict, now: number, acceptedAt: readonly number[]) => void,
): number[] {
  const send = sender(limits);
  const acceptedAt: number[] = [];
  for (const now of times) {
    const verdict = send(now);
    check(verdict, now, acceptedAt);
    if (verdict.accepted) acceptedAt.push(now);
  }
  return acceptedAt;
}

describe("R33: for random limits and requests", () => {
  const law = (title: string, holds: (limits: readonly RateLimit[], times: readonly number[]) => void) =>
    test(title, () => fc.assert(fc.property(limitsArbitrary, timesArbitrary, holds), { numRuns }));

  law("every verdict and every wait is the model's", (limits, times) => {
    play(limits, times, (verdict, now, acceptedAt) => {
      expect(verdict.accepted ? 0 : verdict.retryAfterSeconds).toBe(modelWait(limits, acceptedAt, now));
    });
  });

  law("a client that waits as long as told succeeds, and a whole second less is too short", (limits, times) => {
    const send = sender(limits);
    for (const time of times) {
      const verdict = send(time);
      if (verdict.accepted) continue;
      const waited = time + verdict.retryAfterSeconds * SECOND;
      expect(send(waited - SECOND).accepted).toBe(false);
      expect(send(waited).accepted).toBe(true);
      return;
    }
  });

  law("nobody is refused who sent fewer than the limit within its span", (limits, times) => {
    play(limits, times, (verdict, now, acceptedAt) => {
      const isFull = limits.some(({ most, span }) => acceptedAt.filter((at) => at > now - span).length >= most);
      if (!isFull) expect(verdict.accepted).toBe(true);
    });
  });

  law("no span holds as much as twice the limit", (limits, times) => {
    const acceptedAt = play(limits, times, () => {});
    for (const { most, span } of limits) {
      for (const from of acceptedAt) {
        expect(acceptedAt.filter((at) => at >= from && at < from + span).length).toBeLessThan(2 * most);
      }
    }
  });

  law("refused requests prolong nothing: without them the others fare the same", (limits, times) => {
    const acceptedAt = play(limits, times, () => {});
    expect(play(limits, acceptedAt, () => {})).toEqual(acceptedAt);
  });

  law("the limit that is named is one whose window ends with the wait", (limits, times) => {
    play(limits, times, (verdict, now, acceptedAt) => {
      if (verdict.accepted) return;
      const others = limits.filter((limit) => limit !== verdict.limit);
      expect(modelWait([verdict.limit], acceptedAt, now)).toBe(verdict.retryAfterSeconds);
      expect(modelWait(others, acceptedAt, now)).toBeLessThanOrEqual(verdict.retryAfterSeconds);
    });
  });
});

describe("R33: at the contract's limits", () => {
  test("a burst of exactly 60 is accepted, and the next is told to wait out the minute since the first", () => {
    const send = sender(DEFAULTS);
    for (let sent = 0; sent < 60; sent++) expect(send(sent * 10).accepted).toBe(true);
    expect(send(600)).toEqual({ accepted: false, retryAfterSeconds: 60, limit: DEFAULTS[0]! });
    expect(send(30 * SECOND)).toMatchObject({ retryAfterSeconds: 30 });
    expect(send(MINUTE - 1)).toMatchObject({ retryAfterSeconds: 1 });
    expect(send(MINUTE).accepted).toBe(true);
  });

  test("one request each 3.6 seconds is never refused", () => {
    const send = sender(DEFAULTS);
    for (let sent = 0; sent < 5_000; sent++) expect(send(sent * 3_600).accepted).toBe(true);
  });

  test("after 1,000 in an hour the next is accepted an hour after the first", () => {
    const send = sender(DEFAULTS);
    for (let sent = 0; sent < 1_000; sent++) expect(send(sent * 1_100).accepted).toBe(true);
    const now = 1_000 * 1_100;
    const wait = { accepted: false, retryAfterSeconds: (HOUR - now) / SECOND, limit: DEFAULTS[1]! };
    expect(send(now)).toEqual(wait as RateVerdict);
    expect(send(HOUR).accepted).toBe(true);
  });

  test("what the hour refuses does not count for the minute", () => {
    const limits = [
      { setting: "minute", most: 3, span: MINUTE },
      { setting: "hour", most: 1, span: HOUR },
    ];
    const send = sender(limits);
    expect(send(0).accepted).toBe(true);
    for (let sent = 0; sent < 9; sent++) expect(send(HOUR - 10).accepted).toBe(false);
    expect(send(HOUR)).toMatchObject({ accepted: true, windows: [{ taken: 1 }, { taken: 1 }] });
  });

  test("no limit accepts everything", () => {
    expect(judgeRate([], undefined, 0)).toEqual({ accepted: true, windows: [] });
  });
});

describe("R33: a limit that fits the schedules", () => {
  const every = (schedule: string | null, monitors = 1, everySeconds: number | null = null) => ({
    schedule,
    everySeconds,
    monitors,
  });
  const numbers = (...rhythms: ReturnType<typeof every>[]) =>
    versionOneRateLimits(60, 1_000).map((limit) => grownLimit(limit, rhythms).most);

  test("is the contract's number, until twice the starts and ends of all jobs are more", () => {
    expect(numbers()).toEqual([60, 1_000]);
    expect(numbers(every("* * * * *", 4))).toEqual([60, 1_000]);
    // Nine jobs of each minute start and end 1,080 times an hour.
    expect(numbers(every("* * * * *", 9))).toEqual([60, 2_160]);
    // Jobs of one minute of the day may all come in that minute.
    expect(numbers(every("0 2 * * *", 20), every("0 3 * * 1", 10))).toEqual([120, 1_000]);
    expect(numbers(every(null, 50, 90), every(null, 100))).toEqual([200, 8_000]);
  });

  test("grows to twenty times the contract's number, and not at all where another one is configured", () => {
    expect(numbers(every("* * * * *", 100_000))).toEqual([1_200, 20_000]);
    const many = [every("* * * * *", 100_000)];
    expect(versionOneRateLimits(61, 999).map((limit) => grownLimit(limit, many).most)).toEqual([61, 999]);
    expect(aliasRateLimits(1_000).map((limit) => grownLimit(limit, many).most)).toEqual([20_000]);
    expect(versionOneRateLimits(0, 0)).toEqual([]);
  });

  test("is too small only where it refuses what the schedules call for", () => {
    const limits = versionOneRateLimits(60, 1_000);
    expect(tooSmall(limits, [every("* * * * *", 166)])).toBeNull();
    expect(tooSmall(limits, [every("* * * * *", 167)])).toEqual({
      setting: "limits.v1_per_hour",
      words: "its jobs may send 20040 reports in 1 hour, and a key may send 20000",
    });
    expect(tooSmall(versionOneRateLimits(10, 0), [every("0 * * * *", 6)])?.setting).toBe("limits.v1_per_minute");
  });

  test("counts as many runs as the fields have in any minute and any hour", () => {
    const schedules = fc.constantFrom("*/7 * * * *", "0,30 2 * * *", "*/10 5-9 * * * *", "5 4 1 1 *", "@hourly");
    fc.assert(
      fc.property(schedules, fc.integer({ min: 0, max: 400 * 24 * 60 }), (schedule, minute) => {
        const at = Date.UTC(2026, 0, 1) + minute * MINUTE - 1;
        for (const span of [MINUTE, HOUR]) {
          const slots = countSlots(schedule, "UTC", at, at + span);
          expect(2 * slots).toBeLessThanOrEqual(reportsCalledFor([every(schedule)], span));
        }
      }),
      { numRuns },
    );
  });
});
