// What alerts must not say, because it is not so: each of these was said once, of the story beside it.

import { expect, test } from "bun:test";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { WORKED } from "../messages/openings.ts";
import { alertsOf, type Story } from "../messages/row.ts";
import { complete, fail, heartbeat, start } from "../support/timeline-table.ts";

/** The last message of a story, as it reads when it is sent at once. */
function lastOf(story: Story) {
  const message = alertsOf(story).at(-1)!;
  return { data: message.data, ...wordingOf(message, message.at) };
}

test("R21: a run is told exactly what it was allowed: 24 hours and 30 minutes are not a day", () => {
  const { story } = lastOf({
    watch: { graceSeconds: 1_800 },
    steps: [["03:00:00", start("r3")]],
    until: "03-03 03:30:01",
  });
  expect(story[1]).toEndWith(
    "allowed it 1 day 30 minutes: the time from one scheduled run to the next, and the grace.",
  );
});

test("R21: a limit is not said to come of a schedule and a run before where there is neither", () => {
  const none = {
    watch: { schedule: null },
    steps: [["03:00:05", start("r3")]],
    until: "03-03 03:01:00",
  } satisfies Story;
  expect(lastOf(none).story[1]).toEndWith("allowed it 1 day: the limit of a job without a schedule.");
  const often = {
    watch: { schedule: "*/10 * * * *" },
    steps: [["03:00:05", start("r3")]],
    until: "03:12:00",
  } satisfies Story;
  expect(lastOf(often).story[1]).toEndWith("the time from one scheduled run to the next, and the grace.");
});

test("R23: a run that is overdue is not called failing", () => {
  const story = {
    watch: { maxRuntimeSeconds: 7_200 },
    steps: [["02:00:00", start("r3")]],
    until: "05:01:00",
  } satisfies Story;
  const { subject, story: told } = lastOf(story);
  expect(subject).toBe("Still not finished: Nightly backup, for 1 hour");
  expect(told[0]).toBe("Run r3 of Nightly backup, started 2026-03-02 02:00 UTC, has been overdue for 1 hour.");
  const several = lastOf({
    watch: { schedule: null, maxRuntimeSeconds: 600 },
    steps: [
      ["02:00:00", start("r3")],
      ["02:20:00", start("r4")],
    ],
    until: "03:15:00",
  });
  expect(several.story[0]).toBe("2 runs of Nightly backup are overdue, the first for 1 hour.");
  expect(several.toDo).toBe("Check whether they hang or were killed.");
});

test("R23: a job that runs is not called missing", () => {
  const { subject, story, toDo } = lastOf({
    watch: { maxRuntimeSeconds: 7_200 },
    steps: [WORKED, ["03:40:00", start("r4")]],
    until: "04:02:00",
  });
  expect(subject).toBe("Still no success: Nightly backup, for 1 hour");
  expect(story[0]).toBe("Nightly backup is running, but has reported no success for 1 hour.");
  expect(story[1]).toEndWith("A run has been under way since 03:40.");
  expect(toDo).toBe("See whether that run ends well.");
});

test("R23: what has never reported does not work again", () => {
  const first = lastOf({ name: "Never", steps: [["05:00:00", heartbeat]], until: "05:01:00" });
  expect(first.subject).toBe("Reported for the first time: Never, after 1 hour 59 minutes");
  expect(first.story[0]).toBe("Never reported for the first time.");
  const afterAFailure = lastOf({
    name: "Never",
    steps: [
      ["05:00:00", fail("exit status 1")],
      ["05:20:00", complete()],
    ],
    until: "05:21:00",
  });
  expect(afterAFailure.story[0]).toBe("Never reported its first success.");
});

test("R23: a reminder of what never reported says so", () => {
  const { story, toDo } = lastOf({ until: "04:02:00" });
  expect(story[0]).toBe("Nightly backup has not reported once; its first report is 1 hour 1 minute overdue.");
  expect(toDo).toBe("Check that it is installed and enabled.");
});

test("R23: one failure an hour ago is not an hour of failing", () => {
  const once = lastOf({ steps: [["03:00:20", fail("exit status 2")]], until: "04:02:00" });
  expect(once.story[0]).toBe("Nightly backup failed 1 hour ago; its incident is still open.");
  const often = lastOf({
    steps: [
      ["03:00:20", fail("exit status 2")],
      ["03:20:20", fail("exit status 2")],
    ],
    until: "04:02:00",
  });
  expect(often.story[0]).toBe("Nightly backup has been failing for 1 hour.");
});

test("R23: a reminder says how many scheduled runs were missed so far", () => {
  const { story, data } = lastOf({ steps: [WORKED], until: "03-29 03:02:00" });
  expect(data).toMatchObject({ reason: "reminder", missedSlots: 28, durationSeconds: 27 * 86_400 });
  expect(story[1]).toEndWith("That makes 28 scheduled runs missed so far.");
});

test("R23: misses are counted as missed runs, not as problems", () => {
  const { story } = lastOf({
    watch: { schedule: "0 * * * *" },
    setUp: "00:30:00",
    steps: [
      ["01:00:10", heartbeat],
      ["02:30:00", fail("exit status 1")],
    ],
    until: "08:02:00",
  });
  expect(story[0]).toBe("Nightly backup has been in trouble for 6 hours.");
  expect(story[1]).toEndWith("then it reported a failure. That makes 7 scheduled runs missed so far.");
});

test("R23: a miss is not told with the run of an earlier trouble", () => {
  const { subject, data, facts } = lastOf({
    watch: { schedule: "0 * * * *" },
    setUp: "02:30:00",
    steps: [["03:00:20", fail("exit status 2", "r3")]],
    until: "04:02:00",
  });
  expect(subject).toBe("Also missed: Nightly backup, due 04:00");
  expect(data.runId).toBeNull();
  expect(facts.map(({ label }) => label)).not.toContain("Run");
});

test("R33: a refused report is named first, and what to do is to correct it", () => {
  const refusedReport = {
    at: "2026-03-02T03:30:00.000Z",
    report: "complete",
    error: "INVALID_REQUEST",
    reason: "too many",
  };
  const saying = (story: Story) => {
    const message = alertsOf(story).at(-1)!;
    return wordingOf({ ...message, data: { ...message.data, refusedReport } }, message.at);
  };
  const hanging = saying({
    watch: { maxRuntimeSeconds: 7_200 },
    steps: [["03:00:05", start("r3")]],
    until: "05:01:00",
  });
  expect(hanging.story.slice(0, 2)).toEqual([
    "No end of run r3 of Nightly backup was accepted.",
    "Its report of 2026-03-02 03:30 UTC was refused: too many.",
  ]);
  expect(hanging.toDo).toBe("Correct the request that it sends.");
  const missing = saying({ steps: [WORKED], until: "03:02:00" });
  expect(missing.story[0]).toBe("No report of Nightly backup was accepted.");
  expect(missing.story[2]).toEndWith("none was accepted.");
});
