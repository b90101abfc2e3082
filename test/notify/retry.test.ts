// How often and how long a delivery is tried (R36), as rules over every answer, age and draw of chance.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { DRILL_PATIENCE } from "../../src/domain/message/test-message.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/domain/time.ts";
import type { Channel, Verdict } from "../../src/notify/channel.ts";
import { createEmailChannel } from "../../src/notify/email.ts";
import { CHANNELS } from "../../src/notify/registry.ts";
import {
  decideRetry,
  deliveryBackoff,
  patienceOf,
  retryAfterMs,
  sendingGivenUpAt,
  verdictOnStatus,
} from "../../src/notify/retry.ts";
import { alertOf } from "../support/alerts.ts";
import { emailSettings } from "../support/mail.ts";

const NOW = Date.parse("2026-03-01T02:00:00.000Z");
const MIDDLE = () => 0.5;

const MAIL = createEmailChannel(emailSettings(25));
const HOOK = CHANNELS.webhook({ url: "http://127.0.0.1:9", secret: `whsec_${"a".repeat(32)}` });

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
/** Any, and many around the ends of both patiences. */
const age = fc.oneof(
  fc.integer({ min: 0, max: 4 * DAY }),
  fc.integer({ min: DAY - HOUR, max: DAY + HOUR }),
  fc.integer({ min: 3 * DAY - HOUR, max: 3 * DAY + HOUR }),
);
const failure: fc.Arbitrary<Verdict> = fc.oneof(
  fc.record({ verdict: fc.constant("retry" as const), answer: fc.string() }),
  fc.record({ verdict: fc.constant("retry" as const), answer: fc.string(), afterMs: fc.nat(2 * DAY) }),
  fc.record({ verdict: fc.constant("retry" as const), answer: fc.string(), recipientOnly: fc.constant(true as const) }),
  fc.record({ verdict: fc.constant("blocked" as const), answer: fc.string() }),
  fc.record({
    verdict: fc.constant("blocked" as const),
    answer: fc.string(),
    recipientOnly: fc.constant(true as const),
  }),
);

test("R36: the waits are 5 s, 15 s, 45 s, 2 m, 5 m, 10 m, 20 m, 30 m, then an hour each", () => {
  const waits = Array.from({ length: 11 }, (_, attempts) => deliveryBackoff(attempts, MIDDLE) / SECOND);
  expect(waits).toEqual([5, 15, 45, 120, 300, 600, 1_200, 1_800, 3_600, 3_600, 3_600]);
});

test("R36: each wait is spread by a fifth to both sides and no further", () => {
  expect(deliveryBackoff(0, () => 0)).toBe(4 * SECOND);
  expect(deliveryBackoff(0, () => 0.999_999)).toBeCloseTo(6 * SECOND, -1);
  fc.assert(
    fc.property(fc.nat(100), chance, (attempts, drawn) => {
      const ratio = deliveryBackoff(attempts, () => drawn) / deliveryBackoff(attempts, MIDDLE);
      return ratio >= 0.8 && ratio <= 1.2;
    }),
  );
});

test("R36: a failed delivery is tried again later and never after its patience ends, then given up", () => {
  fc.assert(
    fc.property(
      failure,
      age,
      fc.nat(100),
      chance,
      fc.constantFrom(MAIL, HOOK),
      (verdict, old, attempts, drawn, channel) => {
        const createdAt = NOW - old;
        const patience = patienceOf(channel, alertOf());
        const decision = decideRetry(verdict, attempts, createdAt + patience, NOW, () => drawn);
        if (old >= patience) return decision.decision === "give_up";
        if (decision.decision !== "retry") return false;
        const { at, holdMs } = decision;
        return at > NOW && at <= createdAt + patience && at <= NOW + 1.2 * HOUR && holdMs >= 0 && holdMs <= at - NOW;
      },
    ),
  );
});

test("R36: nothing is given up before an hour of trying since the start or the clock's last step, but a test is tried once", () => {
  expect(sendingGivenUpAt(NOW - 30 * HOUR, DAY, NOW)).toBe(NOW + HOUR);
  expect(sendingGivenUpAt(NOW - HOUR, DAY, NOW)).toBe(NOW + 23 * HOUR);
  expect(sendingGivenUpAt(NOW - HOUR, DRILL_PATIENCE, NOW)).toBe(NOW + DRILL_PATIENCE);
  expect(sendingGivenUpAt(NOW, 0, NOW)).toBe(NOW);
});

test("R36: mail is given up after 24 hours, a webhook after 72", () => {
  const retry: Verdict = { verdict: "retry", answer: "HTTP 500" };
  const lastsFor = (channel: Channel) =>
    [DAY - 1, DAY, 3 * DAY - 1, 3 * DAY].map(
      (old) => decideRetry(retry, 30, NOW - old + patienceOf(channel, alertOf()), NOW, MIDDLE).decision,
    );
  expect(lastsFor(MAIL)).toEqual(["retry", "give_up", "give_up", "give_up"]);
  expect(lastsFor(HOOK)).toEqual(["retry", "retry", "retry", "give_up"]);
});

test("R36: Retry-After counts when it is longer than the backoff, and up to an hour", () => {
  const waits = [1, 60 * SECOND, 10 * HOUR].map((afterMs) => {
    const decision = decideRetry({ verdict: "retry", answer: "", afterMs }, 0, NOW + DAY, NOW, MIDDLE);
    return decision.decision === "retry" ? decision.at - NOW : null;
  });
  expect(waits).toEqual([5 * SECOND, 60 * SECOND, HOUR]);
});

test("R36: what is blocked is tried hourly from the start", () => {
  const blocked: Verdict = { verdict: "blocked", answer: "HTTP 401" };
  const decision = decideRetry(blocked, 0, NOW + DAY, NOW, MIDDLE);
  expect(decision).toEqual({ decision: "retry", at: NOW + HOUR, holdMs: MINUTE });
});

test("a failing destination is held as long as its delivery waits, but asked again every minute", () => {
  const holdAfter = (attempts: number, verdict: Verdict) => {
    const decision = decideRetry(verdict, attempts, NOW + DAY, NOW, MIDDLE);
    return decision.decision === "retry" ? decision.holdMs : null;
  };
  expect(holdAfter(0, { verdict: "retry", answer: "" })).toBe(5 * SECOND);
  expect(holdAfter(7, { verdict: "retry", answer: "" })).toBe(MINUTE);
  expect(holdAfter(7, { verdict: "retry", answer: "", recipientOnly: true })).toBe(0);
  expect(holdAfter(0, { verdict: "blocked", answer: "" })).toBe(MINUTE);
  expect(holdAfter(0, { verdict: "blocked", answer: "", recipientOnly: true })).toBe(0);
  expect(holdAfter(0, { verdict: "retry", answer: "", afterMs: 10 * MINUTE })).toBe(10 * MINUTE);
});

test("what was delivered is sent, and what can never be delivered is given up at once", () => {
  const decisionOn = (verdict: Verdict) => decideRetry(verdict, 0, NOW + DAY, NOW, MIDDLE).decision;
  expect(decisionOn({ verdict: "delivered", answer: "" })).toBe("sent");
  expect(decisionOn({ verdict: "hopeless", answer: "" })).toBe("give_up");
  expect(decisionOn({ verdict: "rejected", answer: "" })).toBe("give_up");
});

test("R36: every HTTP status has its verdict", () => {
  const verdicts = Object.groupBy(
    [200, 204, 299, 301, 302, 307, 308, 400, 401, 403, 404, 405, 408, 410, 413, 422, 425, 429, 500, 502, 503, 599],
    (status) => verdictOnStatus(status, null, NOW).verdict,
  );
  expect(verdicts).toEqual({
    delivered: [200, 204, 299],
    rejected: [400, 413, 422],
    blocked: [301, 302, 307, 308, 401, 403, 404, 405, 410],
    retry: [408, 425, 429, 500, 502, 503, 599],
  });
  expect(verdictOnStatus(429, "7", NOW)).toEqual({
    verdict: "retry",
    answer: "HTTP 429 Too Many Requests",
    afterMs: 7 * SECOND,
  });
  expect(verdictOnStatus(599, null, NOW).answer).toBe("HTTP 599");
});

test("Retry-After is seconds, some with a fraction, or an HTTP date, and nothing else", () => {
  const read = (header: string | null) => retryAfterMs(header, NOW);
  expect(read("120")).toBe(120 * SECOND);
  expect(read(" 0 ")).toBe(0);
  expect(read("1.5")).toBe(1_500);
  expect(read("0.0001")).toBe(1);
  expect(read(new Date(NOW + HOUR).toUTCString())).toBe(HOUR);
  expect(read(new Date(NOW - HOUR).toUTCString())).toBe(0);
  expect(read("Sunday, 01-Mar-26 02:01:00 GMT")).toBe(MINUTE);
  for (const junk of [
    null,
    "",
    "-5",
    "1.",
    ".5",
    "1.5.0",
    "1e3",
    "soon",
    "2026-03-01T03:00:00Z",
    "Sun, 99 Foo 2026 02:00:00 GMT",
  ]) {
    expect(read(junk)).toBeNull();
  }
});

test("Retry-After never breaks, whatever a server writes there", () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const wait = retryAfterMs(header, NOW);
      return wait === null || wait >= 0;
    }),
  );
});
