// What people read about messages that a destination did not take (R36): where, about what jobs, since when, and how to
// send them again.

import { expect, test } from "bun:test";
import type { AlertKind } from "../../src/domain/message/alert.ts";
import type { UndeliveredDetails } from "../../src/domain/message/notice.ts";
import { type LostMessage, listedLostMessages } from "../../src/domain/message/notice-lists.ts";
import { MINUTE, toIso } from "../../src/domain/time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { GAP_FROM, NOTICE_AT, noticeOf } from "../support/notices.ts";

const lost = (delivery: number, key = "backup", kind: AlertKind = "InitialFailure"): LostMessage => ({
  delivery,
  recipient: null,
  at: GAP_FROM + delivery * MINUTE,
  kind,
  monitor: { applicationId: "prod", monitorKey: key, name: key.toUpperCase(), timezone: "UTC" },
});

const wordsOf = (messages: readonly LostMessage[], changes: Partial<UndeliveredDetails> = {}) =>
  wordingOf(
    noticeOf({
      kind: "undelivered",
      removed: false,
      destination: "chat",
      messagesTotal: messages.length,
      monitorsTotal: listedLostMessages(messages).length,
      since: toIso(GAP_FROM),
      answer: "HTTP 404 Not Found",
      monitors: listedLostMessages(messages),
      ...changes,
    }),
    NOTICE_AT,
  );

test("R36: what waits at a destination that was taken out of the configuration is told as that", () => {
  const { story, toDo, commands, advice } = wordsOf([lost(7)], { removed: true, answer: "not configured" });
  expect(story).toEqual([
    "chat was taken out of the configuration while 1 message about BACKUP (prod) waited there.",
    "The people who read there have not been told. The message was to go out at 2026-03-01 02:00 UTC.",
  ]);
  expect(toDo).toBe("Tell these people, if it matters.");
  expect(commands.map(({ value }) => value)).toEqual(["rollcall notify list --given-up"]);
  expect(advice).toEqual([]);
});

test("R36: one message that was given up is told with its job, since when, and what was answered", () => {
  const { subject, story, toDo, items, commands, tone } = wordsOf([lost(7)]);
  expect(subject).toBe("Not delivered to chat: 1 message about BACKUP (prod)");
  expect(story).toEqual([
    "The destination chat did not take 1 message about BACKUP (prod), and rollcall has given up.",
    "The people who read there have not been told. The message was to go out at 2026-03-01 02:00 UTC. The last " +
      "answer was: HTTP 404 Not Found",
  ]);
  expect(items).toEqual([
    { name: "BACKUP (prod, backup)", details: ['"Trouble began" of 02:07: number 7'], quote: null },
  ]);
  expect(toDo).toBe("Repair the destination chat.");
  expect(commands.map(({ value }) => value)).toEqual([
    "rollcall notify test chat",
    "rollcall notify list --given-up",
    "rollcall notify resend NUMBER",
  ]);
  expect(tone).toBe("neutral");
});

test("R36: many messages are listed by their jobs, each with what it told and to whom", () => {
  const kinds: AlertKind[] = ["NeverExecuted", "ContinuedFailure", "Acknowledged", "Recovered"];
  const messages = [
    ...Array.from({ length: 7 }, (_, index) => lost(index + 1)),
    ...kinds.map((kind, index) => ({ ...lost(index + 10, "import", kind), recipient: "ada@example.org" })),
  ];
  const { subject, story, items } = wordsOf(messages);
  expect(subject).toBe("Not delivered to chat: 11 messages about 2 jobs");
  expect(story[1]).toContain("The first message was to go out at 2026-03-01 02:00 UTC.");
  expect(items.map(({ name }) => name)).toEqual(["BACKUP (prod, backup)", "IMPORT (prod, import)"]);
  expect(items[0]!.details.slice(4)).toEqual(['"Trouble began" of 02:05: number 5', "and 2 more"]);
  expect(items[1]!.details).toEqual([
    '"Never reported" of 02:10, to ada@example.org: number 10',
    '"Trouble goes on" of 02:11, to ada@example.org: number 11',
    '"Acknowledged" of 02:12, to ada@example.org: number 12',
    '"Trouble ended" of 02:13, to ada@example.org: number 13',
  ]);
});

test("a list of jobs that is too long to be read says how many it leaves out", () => {
  const messages = Array.from({ length: 60 }, (_, index) => lost(index, `job-${index}`));
  const { items } = wordsOf(messages, { messagesTotal: 5_000, monitorsTotal: 4_000 });
  expect(items).toHaveLength(51);
  expect(items.at(-1)!.name).toBe("and 3,950 more");
});

test("R36: messages about no job, or that cannot be read, are counted", () => {
  const { subject, story, items } = wordsOf([], { messagesTotal: 1, answer: null });
  expect(subject).toBe("Not delivered to chat: 1 message");
  expect(story[1]).toBe(
    "The people who read there have not been told. The message was to go out at 2026-03-01 02:00 UTC.",
  );
  expect(items).toEqual([]);
});
