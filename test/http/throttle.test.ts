// The throttle: what it remembers of each key, which clock it goes by, and what it says in the log. The arithmetic has
// its own tests in the domain.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { LogFields } from "../../src/domain/log.ts";
import { judgeRate, type Window } from "../../src/domain/rate-limit.ts";
import { HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import { createThrottle } from "../../src/http/api/throttle.ts";
import { VERSION_1 } from "../../src/http/api/versions.ts";
import { ping } from "../support/engine.ts";
import { NO_LIMITS } from "../support/public-server.ts";

const LIMITS = VERSION_1.rateLimits({ ...NO_LIMITS, v1PerMinute: 2, v1PerHour: 5 });

const callerOf = (keyId: number) => ({ ...ping().caller, keyId });

function open(limits = LIMITS) {
  const time = { monotonic: 0.25, wall: 0 };
  const logged: LogFields[] = [];
  const clock = { now: () => time.wall, monotonic: () => time.monotonic };
  const throttle = createThrottle(limits, clock, (_level, _event, fields = {}) => logged.push(fields));
  return { time, logged, send: (keyId = 1) => throttle(callerOf(keyId)) };
}

test("R33: each key has windows of its own", () => {
  const requests = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom(0, 1, 30 * SECOND, MINUTE, 20 * MINUTE, HOUR)),
    { maxLength: 80 },
  );
  fc.assert(
    fc.property(requests, (each) => {
      const { time, send } = open();
      const windowsOf = new Map<number, readonly Window[]>();
      for (const [keyId, pause] of each) {
        time.monotonic += pause;
        const verdict = judgeRate(LIMITS, windowsOf.get(keyId), Math.floor(time.monotonic));
        if (verdict.accepted) windowsOf.set(keyId, verdict.windows);
        expect(send(keyId)).toEqual(verdict.accepted ? null : verdict);
      }
    }),
  );
});

test("R33: no key is forgotten while a window of its is open, however many others come", () => {
  const { time, send } = open();
  send(2);
  time.monotonic = 50 * MINUTE;
  for (let sent = 0; sent < 5; sent++) {
    expect(send()).toBeNull();
    time.monotonic += MINUTE;
  }
  for (const minute of [59, 60, 61, 90, 109]) {
    time.monotonic = minute * MINUTE;
    send(2);
    send(minute);
  }
  expect(send()).toMatchObject({ limit: { setting: "limits.v1_per_hour" }, retryAfterSeconds: 60 });
  time.monotonic = 110 * MINUTE;
  expect(send()).toBeNull();
});

test("R33: a clock that is set neither locks anybody out nor lets anybody in", () => {
  const { time, send } = open();
  send();
  send();
  for (const wall of [0, HOUR, -HOUR, 1e12]) {
    time.wall = wall;
    expect(send()).toMatchObject({ retryAfterSeconds: 60 });
  }
  time.monotonic += MINUTE;
  time.wall = -1e12;
  expect(send()).toBeNull();
});

test("R33: whole seconds hold to the millisecond, whatever fractions the clock counts", () => {
  const fraction = (max: number) => fc.double({ min: 0, max, noNaN: true });
  fc.assert(
    fc.property(fraction(1e7), fraction(59_999), (start, passed) => {
      const { time, send } = open();
      time.monotonic = start;
      send();
      send();
      time.monotonic += passed;
      const { retryAfterSeconds } = send()!;
      time.monotonic += retryAfterSeconds * SECOND;
      expect(send()).toBeNull();
    }),
    { numRuns: 2_000 },
  );
});

test("R33: a limit of 0 is none", () => {
  const { send } = open(VERSION_1.rateLimits(NO_LIMITS));
  for (let sent = 0; sent < 2_000; sent++) expect(send()).toBeNull();
  const hourOnly = open(VERSION_1.rateLimits({ ...NO_LIMITS, v1PerHour: 70 }));
  for (let sent = 0; sent < 70; sent++) expect(hourOnly.send()).toBeNull();
  expect(hourOnly.send()).toMatchObject({ limit: { setting: "limits.v1_per_hour" }, retryAfterSeconds: 3_600 });
});

test("R33: a key that is refused is logged once a minute, with how many were refused before", () => {
  const { time, logged, send } = open();
  const line = { application: "prod", keyId: 1, setting: "limits.v1_per_minute" };
  for (let sent = 0; sent < 10; sent++) send();
  expect(logged).toEqual([{ ...line, refusedBefore: 0 }]);
  send(2);
  send(2);
  send(2);
  expect(logged.slice(1)).toEqual([{ ...line, keyId: 2, refusedBefore: 0 }]);
  time.monotonic += MINUTE;
  for (let sent = 0; sent < 4; sent++) send();
  expect(logged.slice(2)).toEqual([{ ...line, refusedBefore: 7 }]);
  time.monotonic += MINUTE - 1;
  send();
  expect(logged).toHaveLength(3);
  time.monotonic += MINUTE;
  for (let sent = 0; sent < 3; sent++) send();
  expect(logged.slice(3)).toEqual([{ ...line, setting: "limits.v1_per_hour", refusedBefore: 2 }]);
});
