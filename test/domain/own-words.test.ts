// The reason that a job gave, as the line under an alert's subject.

import { expect, test } from "bun:test";
import type { Message } from "../../src/domain/message/message.ts";
import { newMonitor } from "../../src/domain/monitor/monitor.ts";
import { transitions } from "../../src/domain/monitor/transition.ts";
import { ownWordsIn } from "../../src/domain/wording/own-words.ts";
import { leadSentences, wordingOf } from "../../src/domain/wording/wording.ts";
import { REFUSED } from "../messages/service.ts";
import { ALERT_AT, alertOf } from "../support/alerts.ts";
import { PLAIN_WATCH } from "../support/watch.ts";

test.each([
  ["disk full", "disk full", true],
  ["exit status 11: rsync: No space left on device", "rsync: No space left on device (exit status 11)", true],
  ["ended by SIGTERM: interrupted", "interrupted (ended by SIGTERM)", true],
  ["stopped at its longest runtime: ended by SIGTERM", "stopped at its longest runtime: ended by SIGTERM", true],
  ["exit status 1\ndump failed\nsee /var/log/dump", "dump failed (exit status 1)", false],
  ["Traceback (most recent call last):\n  File x\nOSError: disk full", "OSError: disk full", false],
  ["rows was 0, expected at least 1\nsize was 3, expected at least 9", "rows was 0, expected at least 1", false],
  ["\n\n  disk full\n", "disk full", true],
])("of %j the line says %j", (message, line, isWhole) => {
  expect(ownWordsIn(message)).toEqual({ line, isWhole });
});

test("R37: a failure without a message or a run's id shows no older one", () => {
  const watch = { ...PLAIN_WATCH, schedule: "0 3 * * *" };
  let at = ALERT_AT;
  let monitor = newMonitor(watch, at);
  const fail = (message: string | null, runId: string | null): void => {
    at += 60_000;
    ({ monitor } = transitions(monitor, [{ kind: "fail", message, runId, attempt: null }], at, []));
  };
  fail("disk full", "run-1");
  expect(monitor.incident).toMatchObject({ message: "disk full", runId: "run-1" });
  fail(null, null);
  expect(monitor.incident).toMatchObject({ message: null, runId: null });
});

test.each([null, "", "exit status 2", "ended by SIGKILL", "ended by signal 9", "\n"])(
  "%j gives no reason",
  (message) => {
    expect(ownWordsIn(message)).toBeNull();
  },
);

test("a long line is cut, and is not all that was said", () => {
  const said = ownWordsIn("no space ".repeat(60))!;
  expect(said.isWhole).toBe(false);
  expect(said.line).toHaveLength(200);
  expect(said.line).toEndWith("…");
});

const leadOfAlert = (given: Parameters<typeof alertOf>[0]): string =>
  leadSentences(wordingOf(alertOf({ failureMessage: "disk full", ...given }), ALERT_AT));

test("R37: the line under the subject is the reason while the trouble of which the job spoke stands", () => {
  expect(leadOfAlert({ cause: "failed" })).toBe("disk full");
  expect(leadOfAlert({ cause: "outcome" })).toBe("disk full");
  expect(leadOfAlert({ cause: "failed", kind: "ContinuedFailure", reason: "reminder" })).toBe("disk full");
});

test("R37: what the job said of older trouble is no reason for newer trouble, nor for an end", () => {
  expect(leadOfAlert({ cause: "missed", kind: "ContinuedFailure", reason: "new_cause" })).not.toContain("disk full");
  expect(leadOfAlert({ cause: "unfinished", kind: "ContinuedFailure", reason: "new_cause" })).not.toContain(
    "disk full",
  );
  expect(leadOfAlert({ cause: "failed", kind: "Acknowledged", reason: "acknowledged" })).not.toContain("disk full");
  expect(leadOfAlert({ cause: "failed", kind: "Recovered", reason: "success" })).not.toContain("disk full");
});

test("a command inside a sentence begins as it works where rollcall was started", () => {
  const { message } = REFUSED.rows.find(({ when }) => when === "mails that say neither")!;
  const data = { ...message.data, commandLine: "cd /srv/clone && dist/rollcall" };
  const { toDo, advice } = wordingOf({ ...message, data } as Message, ALERT_AT);
  expect(toDo).toContain("`cd /srv/clone && dist/rollcall monitor set JOB --mail-rule RULE`");
  expect(advice.join()).toContain("`cd /srv/clone && dist/rollcall monitor refused`");
});
