// Failed authentication in the log: a line a minute and address, in bounded memory, and none that is not counted.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { LogFields } from "../../src/domain/log.ts";
import { MINUTE } from "../../src/domain/time.ts";
import { createKeyFailureLog } from "../../src/http/api/failed-authentication.ts";
import { createFailureLog } from "../../src/http/failure-log.ts";

function open() {
  const time = { monotonic: 0.25, wall: 0 };
  const lines: LogFields[] = [];
  const clock = { now: () => time.wall, monotonic: () => time.monotonic };
  const note = createFailureLog(
    clock,
    (level, event, fields = {}) => {
      expect([level, event]).toEqual(["warn", "authentication_failed"]);
      lines.push(fields);
    },
    "authentication_failed",
  );
  return { time, lines, note };
}

test("R33: each address has one line a minute, which tells how many failures there were before", () => {
  const { time, lines, note } = open();
  for (let failed = 0; failed < 5; failed++) note("192.0.2.1");
  expect(lines).toEqual([{ client: "192.0.2.1", failedBefore: 0, failedInAll: 1 }]);
  note("2001:db8::1");
  expect(lines.slice(1)).toEqual([{ client: "2001:db8::1", failedBefore: 0, failedInAll: 6 }]);
  time.monotonic += MINUTE - 1;
  note("192.0.2.1");
  expect(lines).toHaveLength(2);
  time.monotonic += 1;
  note("192.0.2.1");
  note("192.0.2.1");
  expect(lines.slice(2)).toEqual([{ client: "192.0.2.1", failedBefore: 5, failedInAll: 8 }]);
  time.monotonic += MINUTE;
  note("192.0.2.1");
  expect(lines.slice(3)).toEqual([{ client: "192.0.2.1", failedBefore: 1, failedInAll: 10 }]);
});

test("R33: a clock that is set changes nothing", () => {
  const { time, lines, note } = open();
  for (const wall of [0, 2 * MINUTE, -2 * MINUTE]) {
    time.wall = wall;
    note("192.0.2.1");
  }
  expect(lines).toHaveLength(1);
});

describe("R33: however many addresses there are", () => {
  const fill = (note: (client: string) => void, from: number, to: number): void => {
    for (let number = from; number < to; number++) note(`2001:db8::${number.toString(16)}`);
  };

  test("1,000 have lines of their own within a minute, the rest share one, and none is lost from the count", () => {
    const { time, lines, note } = open();
    fill(note, 0, 5_000);
    expect(lines).toHaveLength(1_001);
    expect(lines.at(-1)).toEqual({ client: "others", failedBefore: 0, failedInAll: 1_001 });
    time.monotonic += MINUTE;
    fill(note, 10_000, 15_000);
    expect(lines).toHaveLength(2_002);
    expect(lines.slice(1_001).filter(({ client }) => client === "others")).toEqual([
      { client: "others", failedBefore: 3_999, failedInAll: 6_001 },
    ]);
  });

  test("one that failed within the last minute has no second line, and one that comes again is not lost", () => {
    const { time, lines, note } = open();
    note("192.0.2.1");
    time.monotonic += MINUTE - 1;
    fill(note, 0, 5_000);
    note("192.0.2.1");
    const own = () => lines.filter(({ client }) => client === "192.0.2.1");
    expect(own()).toHaveLength(1);
    time.monotonic += 1;
    note("192.0.2.1");
    expect(own()).toHaveLength(2);
  });

  test("the one whose line is the oldest makes room for a new one, not the one that came first", () => {
    const { time, lines, note } = open();
    fill(note, 0, 1_000);
    time.monotonic += MINUTE;
    fill(note, 0, 1);
    note("192.0.2.1");
    expect(lines.at(-1)).toMatchObject({ client: "192.0.2.1" });
    fill(note, 0, 1);
    expect(lines).toHaveLength(1_002);
  });

  test("no address has two lines within a minute", () => {
    const failures = fc.array(fc.tuple(fc.integer({ min: 0, max: 1_200 }), fc.constantFrom(0, 100, 30_000)), {
      minLength: 1_000,
      maxLength: 3_000,
    });
    fc.assert(
      fc.property(failures, (each) => {
        const { time, lines, note } = open();
        const saidAt = new Map<unknown, number>();
        for (const [number, pause] of each) {
          time.monotonic += pause === 30_000 && number > 20 ? 0 : pause;
          const before = lines.length;
          note(String(number));
          for (const { client } of lines.slice(before)) {
            expect(time.monotonic - (saidAt.get(client) ?? -MINUTE)).toBeGreaterThanOrEqual(MINUTE);
            saidAt.set(client, time.monotonic);
          }
        }
        expect(lines.at(-1)?.["failedInAll"]).toBeLessThanOrEqual(each.length);
      }),
      { numRuns: 20 },
    );
  });
});

test("a revoked key that somebody still uses is named once a minute, by its number", () => {
  const time = { monotonic: 0.25 };
  const lines: unknown[] = [];
  const clock = { now: () => 0, monotonic: () => time.monotonic };
  const note = createKeyFailureLog(clock, (_level, event, fields) => {
    if (event === "revoked_key_used") lines.push(fields);
  });
  const line = (key: number, client: string) => ({ key, application: "prod", client });
  note("192.0.2.1", null);
  for (let time = 0; time < 3; time++) note("192.0.2.1", { keyId: 7, application: "prod" });
  note("192.0.2.2", { keyId: 8, application: "prod" });
  expect(lines).toEqual([line(7, "192.0.2.1"), line(8, "192.0.2.2")]);
  time.monotonic += MINUTE;
  note("192.0.2.3", { keyId: 7, application: "prod" });
  expect(lines.slice(2)).toEqual([line(7, "192.0.2.3")]);
});
