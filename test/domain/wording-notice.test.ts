// What notices say to people: what rollcall could not know, which jobs it is about and what to do; and no caller's text
// and no number of jobs makes them unreadable.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { NoticeDetails, NoticeMessage } from "../../src/domain/message/notice.ts";
import { refusedDetails } from "../../src/domain/message/notice-lists.ts";
import { extendedUntil, type GapReason, oneGap } from "../../src/domain/monitor/gap.ts";
import type { StorageFault } from "../../src/domain/storage-fault.ts";
import { DAY, HOUR, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { htmlBody, textBody } from "../../src/notify/mail-body.ts";
import {
  CLOCK_NOTICE,
  GAP_FROM,
  GAP_TO,
  NOTICE_AT,
  noticeOf,
  refusalsOf,
  refusedAt,
  refusedOf,
  unheardIn,
  unheardOf,
  unknownOf,
  watchOf,
} from "../support/notices.ts";

const worded = (message: NoticeMessage, late = 0) => wordingOf(message, NOTICE_AT + late);

test("R26: after a gap the job that is unknown is named, as a question and not as an alarm", () => {
  const { subject, story, toDo, items, advice, quote, tone, signature } = worded(unheardOf());
  expect(toDo).toBe("If it matters, check whether Backup (prod) ran.");
  expect(subject).toBe("Did it run? Backup (prod): rollcall was down for at most 2 hours");
  expect(story).toEqual([
    "rollcall was down for at most 2 hours.",
    "That was from 2026-03-01 02:00 UTC to 04:00.",
    "No report of Backup (prod) came in its time, nor soon after. One that was sent while rollcall could not hear is lost, " +
      "so rollcall cannot know whether it ran.",
    "This is a question, not an alarm: no incident was opened for it. If its next report is missed as well, that raises an " +
      "alert as usual.",
  ]);
  expect(items).toEqual([
    {
      name: "Backup (prod, nightly-backup)",
      details: [
        "a report was due at 2026-03-01 03:30 Europe/Berlin (02:30 UTC)",
        "next report due at 2026-03-02 03:30",
      ],
      quote: null,
    },
  ]);
  expect(advice).toEqual(["If rollcall or its computer was not stopped on purpose, the system's log may say why."]);
  expect([quote, tone, signature]).toEqual([null, "neutral", "Sent by rollcall, which watches your jobs."]);
});

test("R26: of several jobs each says what is unknown, slots or runs, and what is awaited", () => {
  const poll = { application: "stage", key: "poll", name: "poll", watch: watchOf("* * * * *") };
  const run = { runId: "r-7", startedAt: GAP_FROM };
  const importing = { key: "import", name: "Import", watch: watchOf(null), slots: null, expectedAt: null };
  const { subject, story, items } = worded(
    unheardOf([
      unknownOf({ ...poll, slots: { first: GAP_FROM, count: 120 }, expectedAt: NOTICE_AT }),
      unknownOf({ ...importing, runs: [run] }),
      unknownOf({ ...importing, key: "other", runs: [{ ...run, runId: null }] }),
      unknownOf({ ...importing, key: "third", runs: [run, { runId: null, startedAt: GAP_FROM - SECOND }] }),
    ]),
  );
  expect(subject).toBe("Did they run? 4 jobs: rollcall was down for at most 2 hours");
  expect(story[2]).toStartWith("No report of 4 jobs came in their time, nor soon after.");
  expect(story[3]).toContain("If their next report");
  expect(items.map(({ name, details }) => [name, ...details])).toEqual([
    ["Import (prod, import)", "run r-7 began at 02:00, and no end was heard"],
    ["Import (prod, other)", "a run began at 02:00, and no end was heard"],
    ["Import (prod, third)", "2 runs began, the first at 01:59:59, and no end was heard"],
    ["poll (stage)", "120 reports were due, the first at 02:00", "the report due at 04:01 is awaited now"],
  ]);
});

test("R26: a gap is told as what it was", () => {
  const told = (["stopped", "stalled", "clock", "storage"] as GapReason[]).map((reason) => {
    const gap = oneGap(GAP_FROM, GAP_FROM + 6 * SECOND, reason);
    const { story, advice } = worded(noticeOf(unheardIn(gap, unknownOf())));
    expect(story[1]).toBe("That was from 2026-03-01 02:00 UTC to 02:00:06.");
    expect(advice).toHaveLength(1);
    return story[0];
  });
  expect(told).toEqual([
    "rollcall was down for at most 6 seconds.",
    "rollcall was suspended for 6 seconds.",
    "rollcall's clock jumped ahead by 6 seconds.",
    "rollcall could not store anything for 6 seconds.",
  ]);
});

test("R26: a restore is told as what it is, with when the data are from", () => {
  const { subject, story } = worded(noticeOf(unheardIn(oneGap(GAP_FROM, GAP_TO, "restored"), unknownOf())));
  expect(subject).toBe("Did it run? Backup (prod): a backup of rollcall was restored");
  expect(story.slice(0, 2)).toEqual([
    "rollcall's data are from 2026-03-01 02:00 UTC: a backup was restored.",
    "What was reported from then to 04:00 is lost, unless it came again.",
  ]);
});

test("R26: a gap of many outages is told as what it was, in all and between when", () => {
  const loop = { ...oneGap(GAP_FROM, GAP_FROM + 15 * MINUTE, "stopped"), outages: 17, silentMs: 136 * SECOND };
  const { subject, story } = worded(noticeOf(unheardIn(loop, unknownOf())));
  expect(subject).toBe("Did it run? Backup (prod): rollcall was down 17 times, at most 2 minutes 16 seconds in all");
  expect(story.slice(0, 2)).toEqual([
    "rollcall was down 17 times, at most 2 minutes 16 seconds in all.",
    "That was between 2026-03-01 02:00 UTC and 02:15.",
  ]);
});

test("R26: what came in a few seconds after a standstill is no part of it: its length and its end are told as they were", () => {
  const gap = extendedUntil(oneGap(GAP_FROM + 1, GAP_FROM + 20 * SECOND, "stalled"), GAP_FROM + 25 * SECOND);
  const { story } = worded(noticeOf(unheardIn(gap, unknownOf())));
  expect(story[0]).toBe("rollcall was suspended for 20 seconds.");
  expect(story[1]).toEndWith(" to 02:00:20.");
});

test("R33: a refused failure stands first in every part, with its time and what the job said", () => {
  const failing = refusedOf({
    key: "zz",
    name: "Ledger",
    fails: [{ at: GAP_FROM, message: "no space\r\nleft\u202E" }],
  });
  const { subject, story, toDo, items, advice, tone } = worded(refusalsOf([refusedOf(), failing]));
  expect(subject).toBe("Failed: Ledger (prod), report refused");
  expect(story).toEqual([
    "Ledger (prod) reported a failure, but the report was refused.",
    "No other message tells of it.",
    "The rate limit refused reports of 2 jobs: more came than it allows.",
    "Such a report shows that its job is alive, and nothing more. Whether the run it was about went well is unknown.",
  ]);
  expect(toDo).toBe("Read the log of that job.");
  const reason = "limits.v1_per_minute: more came than it allows";
  expect(items).toEqual([
    {
      name: "Ledger (prod, zz)",
      details: [`failure of 2026-03-01 03:00 Europe/Berlin (02:00 UTC) refused: ${reason}`],
      quote: "no space\nleft",
    },
    {
      name: "Backup (prod, nightly-backup)",
      details: [`report of 05:00 refused (12 times since 03:00): ${reason}`],
      quote: null,
    },
  ]);
  expect(advice[0]).toBe("Raise limits.v1_per_minute, or give busy jobs a key of their own.");
  expect(tone).toBe("neutral");
});

test("R33: failures of several jobs are said by the number of jobs", () => {
  const fails = [{ at: GAP_FROM, message: "x" }];
  const { subject, story, toDo } = worded(refusalsOf([refusedOf({ fails }), refusedOf({ key: "b", fails })]));
  expect(subject).toBe("Failed: 2 jobs, report refused");
  expect(story[0]).toBe("2 jobs reported a failure, but the report was refused.");
  expect(toDo).toBe("Read the log of each job.");
});

test("R33: without a failure the notice says which settings to raise, and what a refused report is worth", () => {
  const settings = ["limits.v1_per_minute", "limits.v1_per_hour"];
  const { subject, story, toDo, advice } = worded(refusalsOf([refusedOf({ settings }), refusedOf({ key: "b" })]));
  expect(subject).toBe("Rate limit refused reports: 2 jobs");
  expect(story).toHaveLength(2);
  expect(toDo).toBe("Raise limits.v1_per_hour and limits.v1_per_minute, or give busy jobs a key of their own.");
  expect(worded(refusalsOf([refusedOf({ settings: [""] })])).toDo).toBe(
    "Find out which of your computers asks for wrong addresses.",
  );
  expect(advice).toEqual([
    "The value 0 means no limit. While this goes on you hear of it once an hour at most, and sooner when another job " +
      "reports a failure.",
  ]);
});

test("R33: each reason has its say, the most important first", () => {
  const wrong = { error: "INVALID_SCHEDULE", field: "schedule", reason: "schedule: no" };
  const of = (key: string, watched: boolean, changes = {}) => ({
    ...refusedOf({ key, name: key, watched }),
    refused: [refusedAt(GAP_FROM, changes)],
  });
  const jobs = [
    refusedOf(),
    of("lost", false, wrong),
    of("stray", true, { error: "AUTHENTICATION_REQUIRED" }),
    of("a", true, { ...wrong, report: "fail" }),
  ];
  const { story, advice } = worded(refusalsOf(jobs));
  expect(story.map((line) => line.split(" ").slice(0, 5).join(" "))).toEqual([
    "a (prod) reported a failure,",
    "No other message tells of",
    "lost (prod) is not watched:",
    "Until a report of the",
    "stray (prod) reported with a",
    "The rate limit refused reports",
    "Such a report shows that",
  ]);
  expect(advice.slice(0, 3)).toEqual([
    "Correct the request that the job sends, or the name in it.",
    "Give the job another key. If none of your jobs sends this, somebody else has the old one.",
    "Raise limits.v1_per_minute, or give busy jobs a key of their own.",
  ]);
  expect(worded(refusalsOf(jobs.slice(0, 3))).subject).toBe("Not watched: lost (prod), report refused");
  expect(worded(refusalsOf([jobs[0]!, jobs[2]!])).subject).toBe("Revoked key used: stray (prod)");
});

test("R26: a clock that was set back: by how much, what was pulled back, what that means and what nobody was told", () => {
  const { subject, story, toDo, items } = worded(CLOCK_NOTICE);
  expect(subject).toBe("rollcall's clock was set back by 3 hours: missing reports went unnoticed");
  expect(story).toEqual([
    "rollcall could not notice missing reports, because its clock was set back by 3 hours.",
    "It noticed that at 2026-03-01 03:51 UTC. From then on the times that it had stored lay in the future.",
    "At 04:01 those times were set right, for 12 jobs. The next report is expected at the first scheduled " +
      "time after that, runs under way have their full time again, and open incidents stay open.",
  ]);
  expect(toDo).toBe("Check whether the jobs that were due meanwhile ran.");
  expect(items).toEqual([]);
});

test("R36: a notice that is sent over 15 minutes late says so first, and in its subject", () => {
  expect(worded(unheardOf(), 15 * MINUTE)).toEqual(worded(unheardOf()));
  const late = worded(unheardOf(), 16 * MINUTE);
  expect(late.subject).toBe("Did it run? Backup (prod): rollcall was down for at most 2 hours, sent 16 minutes late");
  expect(late.story[1]).toBe("This message is 16 minutes late. It says what was true at 2026-03-01 04:01 UTC.");
});

test("times are said in the server's zone where they are the server's, in the job's where they are the job's", () => {
  const gap = oneGap(GAP_FROM, GAP_TO, "stopped");
  const message = noticeOf(unheardIn(gap, unknownOf()), NOTICE_AT, { timezone: "Asia/Tokyo" });
  const { story, items } = worded(message);
  expect(story[1]).toBe("That was from 2026-03-01 11:00 Asia/Tokyo (02:00 UTC) to 13:00.");
  expect(items[0]?.details[0]).toContain("2026-03-01 03:30 Europe/Berlin (02:30 UTC)");
});

const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `job-${String(index).padStart(4, "0")}`);

test("at most 50 jobs are named, with how many there are more", () => {
  const unknown = worded(unheardOf(names(173).map((key) => unknownOf({ key })))).items;
  expect(unknown).toHaveLength(51);
  expect(unknown[50]).toEqual({ name: "and 123 more", details: [], quote: null, unnamed: 123 });
  expect(worded(unheardOf(names(50).map((key) => unknownOf({ key })))).items).toHaveLength(50);
  const beyondTheList = worded(refusalsOf(names(1_500).map((key) => refusedOf({ key })))).items;
  expect(beyondTheList[50]?.name).toBe("and 1,450 more");
});

const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 1_000 }),
  fc.constantFrom(
    "👩‍🚀".repeat(200),
    "\u202Eevil\u2066",
    "a\r\nBcc: b@example.org\r\n\r\n",
    "גיבוי לילי",
    "\ud83d",
    "",
    "<b>",
  ),
);
const instant = fc.integer({ min: 0, max: 4_102_444_800_000 });
const zone = fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns");
const length = fc.constantFrom(1, 2, 49, 50, 51, 120);
const named = fc.record({
  application: fc.constantFrom("a", "a-slug-of-forty-characters-is-the-longest"),
  key: text,
  name: text,
});
const watch = fc.record({ schedule: fc.constantFrom(null, "* * * * *", "0 3 * * *"), timezone: zone });
const unknowns = fc.record({
  named,
  watch,
  slots: fc.option(fc.record({ first: instant, count: fc.integer({ min: 1, max: 100_000 }) })),
  runs: fc.array(fc.record({ runId: fc.option(text), startedAt: instant }), { maxLength: 3 }),
  expectedAt: fc.option(instant),
});
const refusals = fc.record({
  named,
  watch,
  watched: fc.boolean(),
  settings: fc.subarray(["limits.v1_per_minute", "limits.v1_per_hour"], { minLength: 1 }),
  fails: fc.array(fc.record({ at: instant, message: fc.option(text) }), { maxLength: 4 }),
});

test("R36: a full disk is said first, then what to do; and that it is over", () => {
  const trouble = {
    kind: "storage",
    since: toIso(GAP_FROM),
    database: "/var/lib/rollcall/rollcall.db",
    failingTotal: 0,
    monitors: [],
  } as const;
  const full = worded(noticeOf({ ...trouble, fault: "full", until: null }));
  expect(full.subject).toBe("Disk full: rollcall watches nothing");
  expect(full.story).toEqual([
    "The disk is full: rollcall stores no report and raises no alarm.",
    "This began at 2026-03-01 02:00 UTC. The database is /var/lib/rollcall/rollcall.db.",
  ]);
  expect(full.toDo).toBe("Free space on the disk of its database.");
  const other = worded(noticeOf({ ...trouble, fault: "other", until: null }));
  expect(other.subject).toBe("Database not writable: rollcall watches nothing");
  const over = worded(noticeOf({ ...trouble, fault: "full", until: toIso(GAP_TO) }));
  expect(over.subject).toBe("rollcall stores reports again");
  expect(over.story.slice(0, 2)).toEqual([
    "rollcall stores reports again.",
    "It could not from 2026-03-01 02:00 UTC to 04:00.",
  ]);
  const reason = "the report could not be stored";
  const failure = refusedAt(GAP_FROM + HOUR, { report: "fail", error: "STORAGE_UNAVAILABLE", reason });
  const monitors = [{ ...refusedOf({ key: "ledger", name: "Ledger", watch: watchOf(null) }), refused: [failure] }];
  const failed = worded(noticeOf({ ...trouble, fault: "full", until: toIso(GAP_TO), failingTotal: 1, monitors }));
  expect(failed).toMatchObject({
    subject: "Failed: Ledger (prod), report not stored",
    story: [
      "Ledger (prod) reported a failure while rollcall could store nothing. It opened no incident.",
      "rollcall stores reports again.",
      "It could not from 2026-03-01 02:00 UTC to 04:00.",
    ],
    toDo: "Read the log of that job.",
    items: [{ name: "Ledger (prod, ledger)", details: ["failure of 03:00 refused: the report could not be stored"] }],
  });
});

/** A few different monitors, repeated to a list of some length: what matters is each, and how many. */
const listOf = <Made>(made: fc.Arbitrary<Made>): fc.Arbitrary<Made[]> =>
  fc
    .tuple(fc.array(made, { minLength: 1, maxLength: 3 }), length)
    .map(([few, count]) => Array.from({ length: count }, (_, index) => few[index % few.length]!));

const notices: fc.Arbitrary<NoticeDetails> = fc.oneof(
  fc
    .record({
      from: instant,
      to: instant,
      reason: fc.constantFrom<GapReason>("stopped", "stalled", "clock", "storage", "restored", "several"),
      outages: fc.integer({ min: 1, max: 40 }),
    })
    .map(({ from, to, reason, outages }) => ({ ...oneGap(from, to, reason), outages }))
    .chain((gap) =>
      listOf(unknowns).map(
        (monitors): NoticeDetails =>
          unheardIn(
            gap,
            ...monitors.map(({ named, watch, ...rest }) =>
              unknownOf({ ...named, watch: watchOf(watch.schedule, watch.timezone), ...rest }),
            ),
          ),
      ),
    ),
  listOf(refusals).map((list) =>
    refusedDetails(
      list.map(({ named, watch, ...own }) =>
        refusedOf({ ...named, watch: watchOf(watch.schedule, watch.timezone), ...own }),
      ),
    ),
  ),
  fc.record({
    kind: fc.constant("storage" as const),
    fault: fc.constantFrom<StorageFault>("full", "gone", "other"),
    since: instant.map(toIso),
    until: fc.option(instant.map(toIso)),
    database: fc.constant("/var/lib/rollcall/rollcall.db"),
    failingTotal: fc.constant(0),
    monitors: fc.constant([]),
  }),
  fc.record({
    kind: fc.constant("clock" as const),
    aheadSeconds: fc.nat(100 * 24 * 3_600),
    exact: fc.boolean(),
    since: instant.map(toIso),
    monitorsTotal: fc.nat(),
  }),
);

test("whatever callers write and however much there is, lines stay lines, subjects short and mails bounded", () => {
  fc.assert(
    fc.property(notices, instant, fc.nat(3 * DAY), fc.option(text), zone, (notice, at, delay, teamName, timezone) => {
      const message = noticeOf(notice, at, { teamName, timezone });
      const wording = wordingOf(message, at + delay);
      const { subject, story, items, advice, facts, signature } = wording;
      const details = items.flatMap((item) => [item.name, ...item.details]);
      const lines = [...story, ...advice, ...details, ...facts.flatMap(({ label, value }) => [label, value])];
      for (const line of [subject, signature, ...lines]) {
        expect(line).not.toMatch(UNSAFE);
        expect(line).not.toBe("");
        expect([...line].length).toBeLessThanOrEqual(1_000);
      }
      expect([...subject].length).toBeLessThan(220);
      for (const { quote } of items) {
        expect(quote?.replaceAll("\n", "") ?? "").not.toMatch(UNSAFE);
        expect([...(quote ?? "")].length).toBeLessThanOrEqual(1_000);
      }
      expect(new Set(items.map(({ name }) => name)).size).toBeLessThanOrEqual(51);
      expect(items.length).toBeLessThanOrEqual(100);
      expect(textBody(wording, [], true).isWellFormed()).toBe(true);
      expect(htmlBody(wording, [])).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});
