// No message has a time in the future, but for what is still to come (R26).

import { expect, test } from "bun:test";
import type { DigestMessage } from "../../src/domain/message/digest.ts";
import { notAfter } from "../../src/domain/message/not-after.ts";
import { HOUR, MINUTE, toIso } from "../../src/domain/time.ts";
import { ALERT_AT, alertOf } from "../support/alerts.ts";

const AHEAD = alertOf(
  { openedAt: toIso(ALERT_AT + HOUR), recoveredAt: toIso(ALERT_AT + 3 * HOUR), durationSeconds: 7_200 },
  ALERT_AT + 3 * HOUR,
);

test("R26: what a clock that was ahead has written is told as of its sending", () => {
  const told = notAfter(AHEAD, ALERT_AT + 2 * HOUR);
  expect(told.at).toBe(ALERT_AT + 2 * HOUR);
  expect(told.data).toMatchObject({
    openedAt: toIso(ALERT_AT + HOUR),
    recoveredAt: toIso(ALERT_AT + 2 * HOUR),
    durationSeconds: 3_600,
    // What is still to come stays.
    nextExpectedAt: AHEAD.data.nextExpectedAt,
    nextReminderAt: AHEAD.data.nextReminderAt,
  });
});

test("R26: so is each alert of a digest", () => {
  const data = { kind: "recovered", teamName: null, alerts: [AHEAD, alertOf()], others: null } as const;
  const digest: DigestMessage = { type: "monitor.digest", at: AHEAD.at, data };
  const { at, data: told } = notAfter(digest, ALERT_AT + MINUTE);
  expect([at, ...told.alerts.map((alert) => alert.at)]).toEqual([ALERT_AT + MINUTE, ALERT_AT + MINUTE, ALERT_AT]);
});

test("R26: a message of the past is left as it is", () => {
  expect(notAfter(AHEAD, AHEAD.at)).toBe(AHEAD);
});
