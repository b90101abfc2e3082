// What alerts say to people: each kind and cause tells what, since when, what was expected and what to do, and no
// caller's text can make a message read as something it is not.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { type AlertData, MESSAGE_TYPES } from "../../src/domain/message/alert.ts";
import type { GapReason } from "../../src/domain/monitor/gap.ts";
import { checkOutcomes, type OutcomeValue } from "../../src/domain/monitor/reported-outcomes.ts";
import { cleanLine, cleanLines, quote as quoted } from "../../src/domain/text.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND } from "../../src/domain/time.ts";
import { momentInWords } from "../../src/domain/wording/moments.ts";
import { durationInWords } from "../../src/domain/wording/spoken-time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { ALERT_AT, alertOf } from "../support/alerts.ts";

const worded = (changes: Partial<AlertData> = {}, at: Instant = ALERT_AT) => wordingOf(alertOf(changes, at), at);

test("a missed report: what was expected, by when, and what comes next", () => {
  const { subject, story, toDo, advice, quote, tone } = worded();
  expect(subject).toBe("Missed: Nightly backup (prod), due 03:00");
  expect(story).toEqual([
    "Nightly backup did not report.",
    "A report was expected at 2026-03-01 03:00 Europe/Berlin (02:00 UTC) and could be up to 1 minute late; nothing came.",
  ]);
  expect(toDo).toBe("Check that its machine and its scheduler are up.");
  expect(advice).toEqual([
    "If they are, check that the job was started and that it can reach rollcall.",
    "The next report is expected at 2026-03-02 03:00; a success closes the incident.",
    "If it goes on, a reminder comes at 04:01.",
  ]);
  expect(quote).toBeNull();
  expect(tone).toBe("bad");
});

test("R23: a report that is due and still awaited is named before the next one, until its time is over", () => {
  const reminder = { kind: "ContinuedFailure", reason: "reminder", cause: "failed", causes: ["failed"] } as const;
  const nextExpectedAt = "2026-03-01T03:00:00.000Z";
  const said = (sentAt: string): string =>
    wordingOf(alertOf({ ...reminder, nextExpectedAt, graceSeconds: 60 }, ALERT_AT), Date.parse(sentAt)).advice.join(
      " ",
    );
  expect(said("2026-03-01T02:59:59Z")).toContain("The next report is expected at 04:00; a success closes");
  expect(said("2026-03-01T03:00:30Z")).toContain("The report due at 04:00 is awaited now; a success closes");
  expect(said("2026-03-01T03:01:06Z")).not.toContain("04:00");
});

test("R26: a miss during which rollcall could not hear all the time says when that was", () => {
  const gap = { from: "2026-03-01T02:00:40.100Z", to: "2026-03-01T02:00:40.500Z" };
  const said = (changes: Partial<AlertData>) => worded(changes).story.slice(1).join(" ");
  expect(said({ gap })).toEndWith(
    "; nothing came; rollcall itself could not hear for less than a second at 03:00:40. If the report was sent then, it is lost.",
  );
  const longer = { ...gap, to: "2026-03-01T02:01:00.050Z" };
  expect(said({ cause: "unfinished", causes: ["unfinished"], gap: longer })).toEndWith(
    "could not hear for 20 seconds at 2026-03-01 03:00:40 Europe/Berlin (02:00:40 UTC). If the end was sent then, it is lost.",
  );
});

test("R26: a restart is told with the most that it can have taken, and of many times the newest three", () => {
  const gapOf = (minute: number, seconds: number, reason: GapReason, times = 1) => ({
    from: new Date(Date.UTC(2026, 2, 1, 2, minute)).toISOString(),
    to: new Date(Date.UTC(2026, 2, 1, 2, minute, seconds)).toISOString(),
    ...{ reason, times },
  });
  const said = (...gaps: AlertData["gaps"]) => worded({ gaps, gapsTotal: gaps.length }).story.slice(1).join(" ");
  expect(said(gapOf(0, 4, "stopped"))).toEndWith(
    "; nothing came; rollcall was restarted at 03:00:04 (down for at most 4 seconds). If the report was sent then, it is lost.",
  );
  expect(said(gapOf(2, 3_000, "storage"))).toContain("; rollcall itself could not hear from 03:02 to 03:52. ");
  expect(said(gapOf(2, 3_000, "stopped", 4))).toContain(
    "; rollcall itself could not always hear between 03:02 and 03:52. ",
  );
  expect(said(...[1, 2, 3, 4, 5].map((minute) => gapOf(minute, 2, "stalled")))).toEndWith(
    "; rollcall itself could not hear for 2 seconds at 03:03, rollcall itself could not hear for 2 seconds at 03:04, " +
      "rollcall itself could not hear for 2 seconds at 03:05, and it could not hear 2 times before. " +
      "If the report was sent at such a time, it is lost.",
  );
});

test("a failure: when, and the message with its lines", () => {
  const failed = worded({
    cause: "failed",
    causes: ["failed"],
    failureMessage: "pg_dump:\r\n  no space\u0007",
    expectedAt: null,
  });
  expect(failed.subject).toBe("Failed: Nightly backup (prod)");
  expect(failed.story).toEqual([
    "Nightly backup reported a failure.",
    "The report came at 2026-03-01 03:01:05 Europe/Berlin (02:01:05 UTC).",
  ]);
  expect(failed.quote).toEqual({ label: "Message", value: "pg_dump:\n  no space" });

  const silent = worded({ cause: "failed", runStartedAt: "2026-03-01T01:40:00.000Z" });
  expect(silent.story).toEqual([
    "Nightly backup reported a failure.",
    "The run failed at 2026-03-01 03:01:05 Europe/Berlin (02:01:05 UTC), 21 minutes 5 seconds after its start, without a " +
      "message.",
  ]);
  expect(silent.quote).toBeNull();
});

test("R41: an alert that comes at the third in a row says so", () => {
  const third = (kind: AlertData["kind"]) => worded({ kind, troubles: 3 }).story;
  for (const story of [third("InitialFailure"), third("NeverExecuted")]) {
    expect(story.at(-1)).toBe("That makes 3 in a row; alert_after_misses tolerated those before.");
  }
});

const RUN = {
  cause: "unfinished",
  causes: ["unfinished"],
  runStartedAt: "2026-03-01T00:00:01.000Z",
  expectedAt: null,
} as const;

test("R21: an unfinished run names max_runtime and how long it was allowed, set or not", () => {
  const set = worded({ ...RUN, maxRuntimeSeconds: 7_200, runDeadline: "2026-03-01T02:00:01.000Z" });
  expect(set.subject).toBe("Not finished: Nightly backup (prod)");
  expect(set.story).toEqual([
    "A run of Nightly backup has not ended.",
    "It started at 2026-03-01 01:00:01 Europe/Berlin (00:00:01 UTC). It may run for 2 hours (max_runtime).",
  ]);
  expect(set.toDo).toBe("Check whether it hangs or was killed.");
  expect(set.advice[0]).toBe("If it may take this long, set a larger max_runtime.");
  const derived = worded({ ...RUN, runDeadline: "2026-03-01T00:45:01.000Z" });
  expect(derived.story[1]).toEndWith(
    "It has no max_runtime, so rollcall allowed it 45 minutes: as long as its schedule and the run before it suggest.",
  );
  expect(derived.advice[0]).toBe("If it may take this long, set a max_runtime for it.");
});

/** What these numbers, or nothing, come to where at least one row and at most nine errors are expected. */
function wrongResult(observed: Readonly<Record<string, OutcomeValue>>) {
  const bounds = { equals: null, min: null, max: null, onFailure: "fail" } as const;
  const expectations = new Map([
    ["rows", { ...bounds, min: 1 }],
    ["errors", { ...bounds, max: 9 }],
    ["verified", { ...bounds, equals: true }],
  ]);
  const checks = checkOutcomes(expectations, new Map(Object.entries(observed)));
  if (checks.verdict === "passed") throw new Error("the result is as expected");
  const { message: failureMessage, outcomes } = checks;
  return worded({ cause: "outcome", causes: ["outcome"], failureMessage, outcomes });
}

test("R27: a wrong result shows what was observed and expected", () => {
  const { subject, story, quote, toDo, facts } = wrongResult({ rows: 0, errors: 3, verified: false });
  expect(subject).toBe("Wrong result: Nightly backup (prod)");
  expect(story[0]).toBe("The result of Nightly backup is not what was expected.");
  expect(quote).toEqual({
    label: "Found",
    value: "rows was 0, expected at least 1; verified was false, expected true",
  });
  expect(toDo).toBe("Check what it produced before anything relies on it.");
  expect(facts).toContainEqual({ label: "As expected", value: "errors was 3, expected at most 9" });
});

test("R27: what is missing is named, with how to report it", () => {
  const { quote, advice } = wrongResult({ rows: 1, errors: 0 });
  expect(quote?.value).toBe("verified is missing, expected true");
  expect(advice[0]).toBe(
    "What is missing was not sent: only a POST to complete with a JSON body carries outcomes, a heartbeat has none.",
  );
});

test("a monitor that never reported is told so", () => {
  const never = worded({ kind: "NeverExecuted", lastPingAt: null });
  expect(never.subject).toBe("Never reported: Nightly backup (prod)");
  expect(never.story[0]).toBe("Nightly backup has not reported once since it was set up.");
  expect(never.story[1]).toStartWith("A report was expected at 2026-03-01 03:00 Europe/Berlin");
  expect(never.toDo).toBe("Check that it is installed and enabled.");
  expect(never.facts).toContainEqual({ label: "Last report", value: "never" });
});

const REMINDED = {
  kind: "ContinuedFailure",
  causes: ["missed", "failed"],
  troubles: 4,
  durationSeconds: 21_600,
  missedSlots: 6,
  remindersSent: 2,
  nextReminderAt: "2026-03-02T02:01:05.000Z",
} as const;

test("R23: a reminder says for how long and why; only the last one says that it is the last", () => {
  const reminder = worded({ ...REMINDED, reason: "reminder" });
  expect(reminder.subject).toBe("Still failing: Nightly backup (prod), for 6 hours");
  expect(reminder.story).toEqual([
    "Nightly backup has been in trouble for 6 hours.",
    "Incident 12 began at 2026-03-01 03:01:05 Europe/Berlin (02:01:05 UTC): no report came when one was expected, then it " +
      "reported a failure. That makes 6 scheduled runs missed so far.",
  ]);
  expect(reminder.advice.at(-1)).toBe("This is reminder 2 of at most 30; the next comes at 2026-03-02 03:01.");
  expect(JSON.stringify(reminder)).not.toMatch(/last (reminder|of this)/);

  const last = worded({ ...REMINDED, reason: "last_reminder", remindersSent: 30, nextReminderAt: null });
  expect(last.subject).toBe("Still failing: Nightly backup (prod), for 6 hours, last reminder");
  expect(last.advice.at(-1)).toBe(
    "This is reminder 30, the last of this incident. You will hear when it recovers, or when it fails in a new way.",
  );
});

test("R23: a job of which nothing is known but its silence is missing, not failing", () => {
  const { subject, story } = worded({ ...REMINDED, reason: "reminder", causes: ["missed"], missedSlots: 1 });
  expect(subject).toBe("Still missing: Nightly backup (prod), for 6 hours");
  expect(story[0]).toBe("A report of Nightly backup is 6 hours 1 minute overdue.");
  expect(story[1]).toEndWith("no report came when one was expected.");
});

test("R23, R33: a job whose reports are refused, also by the rate limit, is not called missing", () => {
  const refusedReport = {
    at: "2026-03-01T04:00:00.000Z",
    report: "heartbeat" as const,
    error: "RATE_LIMIT_EXCEEDED" as const,
    reason: "more came with its key than limits.v1_per_hour allows",
  };
  const reminder = { ...REMINDED, reason: "reminder", causes: ["missed"], missedSlots: 1 } as const;
  const { subject, story } = worded({ ...reminder, refusedReport });
  expect(subject).toBe("Still no report accepted: Nightly backup (prod), for 6 hours");
  expect(story[0]).toBe("No report of Nightly backup has been accepted for 6 hours.");
  const before = { ...refusedReport, at: "2026-03-01T02:00:30.000Z" };
  expect(worded({ ...reminder, refusedReport: before }).subject).toStartWith("Still missing");
});

test("R23: how often it failed is said where it is known, and not where the causes have said it", () => {
  const history = (changes: Partial<AlertData>) =>
    worded({ ...REMINDED, reason: "reminder", missedSlots: null, ...changes }).story[1];
  expect(history({ causes: ["failed"] })).toEndWith("it reported a failure (4 times).");
  expect(history({ causes: ["failed"], troubles: 1 })).toEndWith("it reported a failure.");
  expect(history({ causes: ["failed", "outcome"] })).toEndWith("not what was expected (4 times in all).");
  expect(history({ troubles: 2 })).toEndWith("then it reported a failure.");
});

test("R23: a new cause is told as what it is, with the story so far", () => {
  const { subject, story, quote } = worded({
    ...REMINDED,
    reason: "new_cause",
    cause: "unfinished",
    failureMessage: "disk full",
  });
  expect(subject).toBe("Also not finished: Nightly backup (prod)");
  expect(story[0]).toBe("A run of Nightly backup has not ended.");
  expect(story.at(-1)).toStartWith("Incident 12 began at");
  // It may be of the trouble before.
  expect(quote).toEqual({ label: "Last message", value: "disk full" });
});

const RECOVERED = {
  kind: "Recovered",
  recoveredAt: "2026-03-01T05:12:09.000Z",
  durationSeconds: 11_464,
  missedSlots: 3,
  status: "healthy",
} as const;
const RECOVERED_AT = Date.parse(RECOVERED.recoveredAt);

test("R36: a recovery tells the whole story by itself", () => {
  const { subject, story, advice, quote, tone } = worded(
    { ...RECOVERED, reason: "success", causes: ["missed", "failed"], troubles: 2, failureMessage: "exit status 2" },
    RECOVERED_AT,
  );
  expect(subject).toBe("Recovered: Nightly backup (prod), after 3 hours 11 minutes");
  expect(story).toEqual([
    "Nightly backup works again.",
    "It reported a success at 2026-03-01 06:12:09 Europe/Berlin (05:12:09 UTC).",
    "Incident 12 began at 03:01:05: no report came when one was expected, then it reported a failure. It lasted 3 hours 11 " +
      "minutes.",
    "3 scheduled runs were missed.",
  ]);
  expect(advice).toEqual(["The next report is expected at 2026-03-02 03:00."]);
  expect(quote).toEqual({ label: "Last message while it failed", value: "exit status 2" });
  expect(tone).toBe("good");
});

test("R20: a success after one missed slot says how late it is", () => {
  const late = worded({ ...RECOVERED, reason: "success", missedSlots: 1 }, RECOVERED_AT);
  expect(late.story.at(-1)).toBe("1 scheduled run was missed; this report came 3 hours 12 minutes after it was due.");
  const unheard = worded({ ...RECOVERED, reason: "success", missedSlots: 2, unheardSlots: 3 }, RECOVERED_AT);
  expect(unheard.story.slice(-2)).toEqual([
    "2 scheduled runs were missed.",
    "3 more fell into a time in which rollcall could not hear: whether they ran is unknown.",
  ]);
  const none = worded({ ...RECOVERED, reason: "success", missedSlots: 0 }, RECOVERED_AT);
  expect(none.story).toHaveLength(3);
  // R41: those let pass before it opened are among the unreported runs, and not told twice.
  const tolerated = worded({ ...RECOVERED, reason: "success", troubles: 3 }, RECOVERED_AT);
  expect(tolerated.story[2]).toContain("when one was expected. It lasted");
});

test("R23: a recovery says by what the incident was closed, and does not claim that the job works", () => {
  const paused = { pausedBy: ["discovery"], nextExpectedAt: null } as const;
  const closed = (reason: AlertData["reason"]) =>
    worded({ ...RECOVERED, reason, ...(reason === "withdrawn" ? paused : {}) }, RECOVERED_AT);
  const told = (["resolved", "withdrawn", "deleted"] as const).map((reason) => {
    const { subject, story, toDo } = closed(reason);
    return [subject, ...story.slice(0, 2), toDo];
  });
  expect(told).toEqual([
    [
      "Closed by hand: Nightly backup (prod), after 3 hours 11 minutes",
      "Somebody closed the incident of Nightly backup.",
      "That was at 2026-03-01 06:12:09 Europe/Berlin (05:12:09 UTC); the job itself reported no success.",
      "Watch its next report: that shows whether it works.",
    ],
    [
      "Withdrawn: Nightly backup (prod), after 3 hours 11 minutes",
      "Nightly backup was withdrawn.",
      "At 2026-03-01 06:12:09 Europe/Berlin (05:12:09 UTC) the source that had declared it no longer listed it.",
      "There is nothing to do, if that was meant.",
    ],
    [
      "Deleted: Nightly backup (prod), after 3 hours 11 minutes",
      "Nightly backup was deleted.",
      "That was at 2026-03-01 06:12:09 Europe/Berlin (05:12:09 UTC), and its incident closed with it.",
      "There is nothing to do, if that was meant.",
    ],
  ]);
});

test("R36, R38: a message that its destination was to hear later is not late by that, and says of when it tells", () => {
  const alert = alertOf();
  const heldUntil = ALERT_AT + 5 * HOUR;
  const held = wordingOf(alert, heldUntil + MINUTE, heldUntil);
  expect(held.subject).toBe(wordingOf(alert, ALERT_AT).subject);
  expect(held.story[1]).toBe("This message says what was true at 2026-03-01 03:01:05 Europe/Berlin (02:01:05 UTC).");
  const late = wordingOf(alert, heldUntil + 20 * MINUTE, heldUntil);
  expect(late.subject).toEndWith(", sent 20 minutes late");
  expect(late.story[1]).toStartWith("This message is 20 minutes late. It says what was true at 2026-03-01 03:01");
});

test("R36: a message that is sent over 15 minutes late says so first, and in its subject", () => {
  const sentAfter = (delay: number) => wordingOf(alertOf(), ALERT_AT + delay);
  expect(sentAfter(15 * MINUTE)).toEqual(sentAfter(0));
  const late = sentAfter(15 * MINUTE + SECOND);
  expect(late.subject).toBe("Missed: Nightly backup (prod), due 03:00, sent 15 minutes late");
  expect(late.story[1]).toBe(
    "This message is 15 minutes late. It says what was true at 2026-03-01 " + "03:01:05 Europe/Berlin (02:01:05 UTC).",
  );
});

test("R38: how bad it is stands in the facts, and critical in the subject until it recovers", () => {
  const critical = worded({ severity: "critical" });
  expect(critical.subject).toBe("[critical] Missed: Nightly backup (prod), due 03:00");
  expect(critical.facts).toContainEqual({ label: "Severity", value: "critical" });
  expect(worded({ ...RECOVERED, reason: "success", severity: "critical" }).subject).toStartWith("Recovered: ");
});

test("the facts leave out what does not apply, and what the story has said", () => {
  const labels = (changes: Partial<AlertData>) => worded(changes).facts.map(({ label }) => label);
  expect(labels({})).toEqual([
    "Monitor",
    "Application",
    "Environment",
    "Severity",
    "Owner",
    "Schedule",
    "Last report",
    "Incident",
  ]);
  const told = ["Grace", "Missed"];
  expect(labels({ ...REMINDED, reason: "reminder" })).toEqual(expect.arrayContaining(told));
  expect(labels(RECOVERED)).toEqual(expect.arrayContaining(told));
  expect(labels({ maxRuntimeSeconds: 60 })).toContain("Max runtime");
  expect(labels({ cause: "unfinished", maxRuntimeSeconds: 60 })).not.toContain("Max runtime");
  // The report that the alert is about is not told as the last one before it.
  expect(labels({ lastPingAt: "2026-03-01T02:01:05.000Z" })).not.toContain("Last report");
  const bare = labels({ environment: null, owner: null, schedule: null, expectedAt: null });
  expect(bare).toEqual(["Monitor", "Application", "Severity", "Last report", "Incident"]);
});

test("the application's name stands beside its short name when it has one", () => {
  const shown = (applicationName: string | null) =>
    worded({ applicationName }).facts.find(({ label }) => label === "Application")?.value;
  expect(shown("Production")).toBe("prod (Production)");
  expect(shown("Pro\u202Educ\ntion")).toBe("prod (Produc tion)");
  expect([null, "\u200B"].map(shown)).toEqual(["prod", "prod"]);
});

test("the signature says for which team it watches when the team has a name", () => {
  const signature = (teamName: string | null) => worded({ teamName }).signature;
  expect(signature("Home")).toBe("Sent by rollcall for Home, which watches this job.");
  expect([null, "\u200B"].map(signature)).toEqual(Array(2).fill("Sent by rollcall, which watches this job."));
});

test("R38: only http and https links are shown, our own page first", () => {
  const links = {
    bad: "javascript:alert(1)",
    file: "file:///etc/passwd",
    broken: "https://x\r\ny",
    logs: "https://logs.example.org",
    "\u200B": "https://example.org/nameless",
  };
  expect(worded({ url: "https://cron.example.org/incidents/1", links }).links).toEqual([
    { label: "Incident", url: "https://cron.example.org/incidents/1" },
    { label: "logs", url: "https://logs.example.org" },
    { label: "https://example.org/nameless", url: "https://example.org/nameless" },
  ]);
});

test("a name is one line in its right direction, and cut where it is long, but told in full once", () => {
  expect(worded({ name: "a\r\nBcc: b\u202Ec\u2066\u200B\u2028d" }).subject).toBe(
    "Missed: a Bcc: bc d (prod), due 03:00",
  );
  expect(worded({ name: "n".repeat(200) }).subject).toBe(`Missed: ${"n".repeat(59)}… (prod), due 03:00`);
  expect(worded({ name: "n".repeat(200) }).facts).toContainEqual({ label: "Name", value: "n".repeat(200) });
  expect(worded({ name: "👩‍🚀".repeat(2) }).subject).toBe("Missed: 👩‍🚀👩‍🚀 (prod), due 03:00");
  expect(worded({ name: "\u200B\u0000" }).subject).toBe("Missed: nightly-backup (prod), due 03:00");
  expect(worded({ name: "", monitorKey: "\u200B" }).subject).toBe("Missed: (no name) (prod), due 03:00");
});

test("text is cleaned without breaking characters apart", () => {
  expect(cleanLine("x\ud83d", 10)).toBe("x\ufffd");
  expect(cleanLine("😀😀😀", 2)).toBe("😀…");
  expect(cleanLines("a \r\n\r\n\r\n\tb\u0000\rc", 100)).toBe("a\n\n b\nc");
});

const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

test("whatever callers write, every line stays one line and nothing throws", () => {
  const text = fc.string({ unit: "binary", maxLength: 300 });
  const value = fc.oneof(fc.double({ noNaN: true }), fc.boolean());
  const checked = fc.record({
    key: text,
    observed: fc.option(value),
    expected: fc.record({ equals: fc.option(value), min: fc.option(fc.double()), max: fc.option(fc.double()) }),
    verdict: fc.constantFrom("passed", "warned", "failed"),
  });
  const changes = fc.record({
    kind: fc.constantFrom(...(Object.keys(MESSAGE_TYPES) as AlertData["kind"][])),
    cause: fc.constantFrom("missed", "failed", "unfinished", "outcome"),
    reason: fc.constantFrom(
      "opened",
      "new_cause",
      "reminder",
      "last_reminder",
      "success",
      "resolved",
      "withdrawn",
      "deleted",
    ),
    name: text,
    monitorKey: text,
    failureMessage: fc.option(text),
    runId: fc.option(text),
    owner: fc.option(text),
    environment: fc.option(text),
    applicationName: fc.option(text),
    teamName: fc.option(text),
    schedule: fc.option(text),
    links: fc.dictionary(text, text),
    outcomes: fc.option(fc.array(checked)),
    expectedAt: fc.option(fc.constant("2026-03-01T02:00:00.000Z")),
    recoveredAt: fc.option(fc.constant("2026-03-01T05:12:09.000Z")),
    durationSeconds: fc.option(fc.nat()),
    missedSlots: fc.option(fc.nat()),
    troubles: fc.nat(),
    nextReminderAt: fc.option(fc.constant("2026-03-02T02:01:05.000Z")),
    acknowledgedAt: fc.option(fc.constant("2026-03-01T02:30:00.000Z")),
    acknowledgedBy: fc.option(fc.constant("Ada")),
  }) as fc.Arbitrary<Partial<AlertData>>;
  fc.assert(
    fc.property(changes, fc.nat(3 * DAY), (change, delay) => {
      const wording = wordingOf(alertOf(change), ALERT_AT + delay);
      const { subject, story, advice, commands, facts, links, signature, quote } = wording;
      const oneLiners = [
        subject,
        signature,
        ...story,
        ...advice,
        ...[...commands, ...facts, ...links].flatMap((each) => Object.values(each)),
      ];
      for (const line of oneLiners) {
        expect(line).not.toMatch(UNSAFE);
        expect(line).not.toBe("");
      }
      expect(quote?.value.replaceAll("\n", "") ?? "").not.toMatch(UNSAFE);
      expect([...subject].length).toBeLessThan(200);
    }),
  );
});

test("durations are said in two units at most", () => {
  const said = [
    0,
    999,
    SECOND,
    65 * SECOND,
    HOUR,
    HOUR + 5 * SECOND,
    3 * HOUR + 12 * MINUTE + 59 * SECOND,
    DAY + HOUR,
    30 * DAY,
  ];
  expect(said.map(durationInWords)).toEqual([
    "less than a second",
    "less than a second",
    "1 second",
    "1 minute 5 seconds",
    "1 hour",
    "1 hour",
    "3 hours 13 minutes",
    "1 day 1 hour",
    "30 days",
  ]);
});

test("moments are said where the job lives and in UTC, with UTC's date when it is another", () => {
  const at = Date.parse("2026-06-30T22:30:00.000Z");
  expect(momentInWords(at, "Europe/Berlin")).toBe("2026-07-01 00:30:00 Europe/Berlin (2026-06-30 22:30:00 UTC)");
  expect(momentInWords(at, "Asia/Kathmandu")).toBe("2026-07-01 04:15:00 Asia/Kathmandu (2026-06-30 22:30:00 UTC)");
  expect(momentInWords(at, "America/New_York")).toBe("2026-06-30 18:30:00 America/New_York (22:30:00 UTC)");
  expect(momentInWords(at, "UTC")).toBe("2026-06-30 22:30:00 UTC");
  expect(momentInWords(Date.parse("2026-10-25T01:30:00.000Z"), "Europe/Berlin")).toBe(
    "2026-10-25 02:30:00 Europe/Berlin (01:30:00 UTC)",
  );
});

test("R23: an acknowledgement is no alarm, and says that the incident is still open", () => {
  const { subject, story, advice, tone } = worded({
    kind: "Acknowledged",
    reason: "acknowledged",
    severity: "critical",
    durationSeconds: 7_200,
    acknowledgedAt: "2026-03-01T02:01:05.000Z",
    nextReminderAt: null,
  });
  expect(subject).toBe("Acknowledged: Nightly backup (prod), after 2 hours");
  expect(story[0]).toBe("Somebody acknowledged the incident of Nightly backup; it is still open.");
  expect(advice.at(-1)).toStartWith("It was acknowledged at 03:01:05, so no reminders come.");
  expect(tone).toBe("neutral");
});

test("a quoted text shows every control character and every change of direction as a code", () => {
  expect(quoted("a\n\u001b[2J\u007f\u009b\u2028\u202eb")).toBe('"a\\n\\u001b[2J\\u007f\\u009b\\u2028\\u202eb"');
});
