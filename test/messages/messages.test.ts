// docs/messages.md is what rollcall says, and what is said keeps a few rules in every circumstance.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MESSAGE_TYPES } from "../../src/domain/message/alert.ts";
import { CAUSES } from "../../src/domain/wording/causes.ts";
import { ownWordsIn } from "../../src/domain/wording/own-words.ts";
import type { Wording } from "../../src/domain/wording/types.ts";
import { leadSentences, wordingOf } from "../../src/domain/wording/wording.ts";
import { messagesDocument, SECTIONS } from "./print.ts";

const FILE = join(import.meta.dir, "../../docs/messages.md");

test("R37: docs/messages.md is what the messages say now", () => {
  const isStale = readFileSync(FILE, "utf8") !== messagesDocument();
  expect(isStale ? "docs/messages.md is stale; run `test/task messages`" : "").toBe("");
});

const ROWS = SECTIONS.flatMap(({ title, rows }) =>
  rows.map(({ when, message, sentAt }) => ({
    row: `${title}: ${when}`,
    message,
    late: sentAt > message.at,
    wording: wordingOf(message, sentAt),
  })),
);

/** All that people read of a message, but for links. */
const textOf = ({ subject, story, toDo, quote, items, advice, commands, facts, signature }: Wording): string =>
  [
    subject,
    toDo,
    ...story,
    quote?.value ?? "",
    ...items.flatMap(({ name, details }) => [name, ...details]),
    ...advice,
    ...[...commands, ...facts].map(({ label, value }) => `${label}: ${value}`),
    signature,
  ].join("\n");

test("R37: every kind, cause and sort of notice is in the table", () => {
  const alerts = ROWS.flatMap(({ message }) =>
    "cause" in message.data && message.data.cause !== null ? [message] : [],
  );
  expect(new Set(alerts.map(({ type }) => type))).toEqual(new Set(Object.values(MESSAGE_TYPES)));
  const told = new Set(alerts.map(({ data }) => ("cause" in data ? data.cause : null)));
  expect(told as Set<unknown>).toEqual(new Set(Object.keys(CAUSES)));
});

test("R37: a lock screen shows why, as the job says it, or else what happened and what to do, in two lines", () => {
  for (const { row, wording } of ROWS) {
    const lead = leadSentences(wording);
    expect({ row, length: wording.subject.length }).toEqual({ row, length: Math.min(wording.subject.length, 120) });
    expect({ row, length: lead.length }).toEqual({ row, length: Math.min(lead.length, 180) });
    if (wording.ownWords !== null) expect({ row, lead }).toEqual({ row, lead: ownWordsIn(wording.quote!.value)!.line });
    else expect({ row, lead }).toEqual({ row, lead: expect.stringMatching(/^\S.*[.:] [A-Z\d].*\.$/) });
  }
});

test("R37: a message names its zone and UTC once; one that is late, once more", () => {
  for (const { row, late, wording } of ROWS) {
    const named = textOf(wording).match(/\d UTC/g)?.length ?? 0;
    expect({ row, named }).toEqual({ row, named: Math.min(named, late ? 2 : 1) });
  }
});

test("R37: where there is one application alone, no message names it", () => {
  for (const { row, wording } of ROWS.filter(({ row }) => !row.includes("several applications"))) {
    expect({ row, text: textOf(wording) }).toEqual({ row, text: expect.not.stringMatching(/\bdefault\b|--app/) });
  }
});

test("no message says what must be read twice", () => {
  const banned = /\b(?:whoever|of which|at least \d+ problem|went unreported|every 1 |1 days|0 seconds)\b/i;
  for (const { row, wording } of ROWS) {
    expect({ row, text: textOf(wording) }).toEqual({ row, text: expect.not.stringMatching(banned) });
  }
});
