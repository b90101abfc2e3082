// The stored text of a message: what it leaves out, and that it is read as it was.

import { expect, test } from "bun:test";
import { MESSAGE_TYPES } from "../../src/domain/message/alert.ts";
import { alertDataFrom, type Message, messageFrom, storedMessageText } from "../../src/domain/message/message.ts";
import { ALERT_AT, alertOf } from "../support/alerts.ts";

const PAGE = 1_024;

const PLAIN = alertOf({ failureMessage: null });

const MESSAGES: readonly Message[] = [
  PLAIN,
  alertOf({ ...PLAIN.data, failureMessage: '"url":null,', runsOn: { host: "nas", user: null } as never, outcomes: [] }),
  {
    ...alertOf({ ...PLAIN.data, kind: "Recovered", durationSeconds: 0, missedSlots: 0 }),
    type: MESSAGE_TYPES.Recovered,
  },
  { type: "service.notice", at: ALERT_AT, data: { notice: { kind: "x", reason: null }, teamName: null } } as never,
];

test("a message is read as it was stored", () => {
  for (const message of MESSAGES)
    expect(messageFrom(message.type, message.at, storedMessageText(message))).toStrictEqual(message);
});

test("the text of an alert leaves out what is not said, so that its row fits in a page", () => {
  const text = storedMessageText(PLAIN);
  expect(Object.values(JSON.parse(text))).not.toContain(null);
  expect(text.length).toBeLessThan((PAGE * 3) / 4);
});

test("an alert of an earlier version is read alike, with its nulls and without fields that are newer", () => {
  const { note, usualSeconds, ...older } = PLAIN.data;
  expect(messageFrom(PLAIN.type, PLAIN.at, JSON.stringify(PLAIN.data))).toStrictEqual(PLAIN);
  expect(messageFrom(PLAIN.type, PLAIN.at, JSON.stringify(older))).toStrictEqual(PLAIN);
});

test("a damaged text is no message", () => {
  for (const text of ["", "{", "null", "7"]) {
    expect(messageFrom(MESSAGE_TYPES.Recovered, ALERT_AT, text)).toBeNull();
    expect(alertDataFrom(text)).toBeNull();
  }
});
