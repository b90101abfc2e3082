// What people read of messages that a destination did not take (R36): where, of which jobs, since when, and how to send
// them again.

import { expect, test } from "bun:test";
import type { ToldKind } from "../../src/domain/alert.ts";
import type { LostMessage, Notice } from "../../src/domain/notice.ts";
import { MINUTE } from "../../src/domain/time.ts";
import { wordingOf } from "../../src/domain/wording.ts";
import { GAP_FROM, NOTICE_AT, noticeOf } from "../support/notices.ts";

type Undelivered = Extract<Notice, { kind: "undelivered" }>;

const lost = (delivery: number, key = "backup", kind: ToldKind = "InitialFailure"): LostMessage => ({
  delivery,
  recipient: null,
  at: GAP_FROM + delivery * MINUTE,
  monitor: { application: "prod", key, name: key.toUpperCase(), timezone: "UTC", kind },
});

const wordsOf = (messages: readonly LostMessage[], changes: Partial<Undelivered> = {}) =>
  wordingOf(
    noticeOf({
      kind: "undelivered",
      destination: "chat",
      total: messages.length,
      monitors: new Set(messages.flatMap(({ monitor }) => monitor?.key ?? [])).size,
      since: GAP_FROM,
      answer: "HTTP 404 Not Found",
      messages,
      ...changes,
    }),
    NOTICE_AT,
  );

test("R36: one message that was given up is told with its job, since when, and what was answered", () => {
  const { subject, story, items, advice, tone } = wordsOf([lost(7)]);
  expect(subject).toBe("Not delivered to chat: 1 message about BACKUP (prod)");
  expect(story).toEqual([
    "rollcall has given up on 1 message about BACKUP (prod): the destination chat did not take it. Whoever reads there does not know.",
    "The first of them was to go out at 2026-03-01 02:00:00 UTC. The last answer was: HTTP 404 Not Found",
  ]);
  expect(items).toEqual([
    { name: "BACKUP (prod, backup)", details: ["the alarm of 2026-03-01 02:07:00 UTC: number 7"], quote: null },
  ]);
  expect(advice.slice(0, 2)).toEqual([
    "Repair the destination chat, then check it with: rollcall notify test chat",
    "What was given up is listed by: rollcall notify list --given-up. Each can be sent again with rollcall notify resend and its number.",
  ]);
  expect(tone).toBe("neutral");
});

test("R36: many messages are listed by their jobs, each with what it told and to whom", () => {
  const kinds: ToldKind[] = ["NeverExecuted", "ContinuedFailure", "Acknowledged", "Recovered"];
  const messages = [
    ...Array.from({ length: 7 }, (_, index) => lost(index + 1)),
    ...kinds.map((kind, index) => ({ ...lost(index + 10, "import", kind), recipient: "ada@example.org" })),
  ];
  const { subject, items } = wordsOf(messages);
  expect(subject).toBe("Not delivered to chat: 11 messages about 2 jobs");
  expect(items.map(({ name }) => name)).toEqual(["BACKUP (prod, backup)", "IMPORT (prod, import)"]);
  expect(items[0]!.details.slice(4)).toEqual(["the alarm of 2026-03-01 02:05:00 UTC: number 5", "and 2 more"]);
  expect(items[1]!.details).toEqual([
    "the alarm of 2026-03-01 02:10:00 UTC, to ada@example.org: number 10",
    "the reminder of 2026-03-01 02:11:00 UTC, to ada@example.org: number 11",
    "the acknowledgement of 2026-03-01 02:12:00 UTC, to ada@example.org: number 12",
    "the recovery of 2026-03-01 02:13:00 UTC, to ada@example.org: number 13",
  ]);
});

test("a list of jobs that is too long to be read says how many it leaves out", () => {
  const messages = Array.from({ length: 60 }, (_, index) => lost(index, `job-${index}`));
  const { items } = wordsOf(messages, { total: 5_000, monitors: 4_000 });
  expect(items).toHaveLength(51);
  expect(items.at(-1)!.name).toBe("and 3950 more");
});

test("R36: messages about no job, or that cannot be read, are counted", () => {
  const { subject, story, items } = wordsOf([{ ...lost(3), monitor: null }], { answer: null });
  expect(subject).toBe("Not delivered to chat: 1 message");
  expect(story[1]).toBe("The first of them was to go out at 2026-03-01 02:00:00 UTC.");
  expect(items).toEqual([]);
});
