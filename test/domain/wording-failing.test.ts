// What people read of a destination that fails, and of one that works again (R36).

import { expect, test } from "bun:test";
import { HOUR, toIso } from "../../src/domain/time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { GAP_FROM, NOTICE_AT, noticeOf } from "../support/notices.ts";

const FAILING = {
  kind: "failing",
  destination: "email",
  since: toIso(NOTICE_AT - HOUR),
  until: null,
  answer: "535 5.7.8 wrong password",
  messagesTotal: 1,
  monitorsTotal: 1,
  monitors: [
    {
      applicationId: "prod",
      monitorKey: "backup",
      name: "Backup",
      timezone: "UTC",
      messagesTotal: 1,
      messages: [{ deliveryId: "7", recipient: "ada@example.org", kind: "InitialFailure", at: toIso(GAP_FROM) }],
    },
  ],
} as const;

test("R36: the notice of a failing destination says what waits there, why and what to do", () => {
  const { subject, story, toDo, commands, items, tone } = wordingOf(noticeOf(FAILING), NOTICE_AT);
  expect(subject).toBe("email has taken no messages for 1 hour: 1 message about Backup (prod) waits there");
  expect(story.at(-1)).toBe("The last answer was: 535 5.7.8 wrong password");
  expect(toDo).toBe("Repair email, then send it a test.");
  expect(commands.map(({ value }) => value)).toEqual(["rollcall notify test email"]);
  expect(items).toHaveLength(1);
  expect(tone).toBe("neutral");
});

test("R36: the notice that it works again says for how long it did not", () => {
  const { subject, toDo, items } = wordingOf(
    noticeOf(
      { ...FAILING, until: toIso(NOTICE_AT + HOUR), messagesTotal: 0, monitorsTotal: 0, monitors: [] },
      NOTICE_AT + HOUR,
    ),
    NOTICE_AT + HOUR,
  );
  expect(subject).toBe("email takes messages again, after 2 hours");
  expect(toDo).toBe("There is nothing to do.");
  expect(items).toEqual([]);
});
