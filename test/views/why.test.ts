// `why`: for each way in which a job can stand, the column that explains it, now and at other times; and who was told,
// who not, and why. Its page and command draw the same.

import { describe, expect, test } from "bun:test";
import { refuse } from "../../src/domain/errors.ts";
import { wholeOf } from "../../src/domain/in-pieces.ts";
import { actorOf } from "../../src/domain/people/person.ts";
import { NOTHING_DECLARED } from "../../src/domain/settings/declared.ts";
import type { MemberEvent } from "../../src/domain/settings/policy.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { sentenceText } from "../../src/domain/wording/now.ts";
import { incidentEntries } from "../../src/views/story.ts";
import { deliver } from "../cli/delivering.ts";
import { INCIDENTS, MESSAGES, TEAM_MAIL } from "../support/destinations.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { startPages } from "../support/pages.ts";
import { granted } from "../support/service.ts";

const HOURLY = { schedule: "0 * * * *", graceSeconds: 600 };

const ONE = NOON + HOUR;
const CLOSES = 10 * MINUTE + 5 * SECOND;

/** At UTC. A `+` stands before a line that belongs to the one above it. */
function why({ engine }: Service, at: Instant | null = null) {
  const { now, steps, status, outcome } = granted(
    engine.operate("why", { key: "job", at: at === null ? null : toIso(at) }),
  );
  const lines = steps.flatMap(({ at: then, says }) =>
    says.map((line, place) => `${place === 0 ? toIso(then).slice(11, 19) : "+"} ${sentenceText(line)}`),
  );
  return { says: sentenceText(now), lines, status, outcome };
}

async function reported(policy = policyWith(), report: Parameters<typeof ping>[0] = HOURLY): Promise<Service> {
  const service = openService(policy);
  await service.send(ping(report));
  return service;
}

async function withoutSchedule(): Promise<Service> {
  const service = await reported();
  granted(service.engine.operate("monitor set", { key: "job", unset: "schedule" }));
  return service;
}

describe("R18: why a job stands as it does", () => {
  test("well, and a slot that was filled early", async () => {
    using service = await reported();
    service.look(ONE - 20 * SECOND);
    await service.send(ping(HOURLY));
    service.look(ONE + MINUTE);
    expect(why(service)).toEqual({
      says: "succeeded 80 s ago, next due in 59 min",
      lines: ["12:59:40 Reported, early for the time that was due", "13:00:00 Due", "14:00:00 Next due"],
      status: "healthy",
      outcome: "succeeded",
    });
  });

  test("running, then over", async () => {
    using service = await reported();
    service.look(ONE);
    await service.send(ping({ ...HOURLY, kind: "start", runId: "r" }));
    expect(why(service)).toMatchObject({ lines: ["13:00:00 Due", "13:00:00 Started", "14:00:00 Next due"] });
    service.look(ONE + 3 * MINUTE);
    await service.send(ping({ ...HOURLY, kind: "complete", runId: "r" }));
    service.look(ONE + 4 * MINUTE);
    expect(why(service).lines).toContain("13:03:00 Succeeded after 3 min");
    expect(why(service, ONE + 2 * MINUTE)).toMatchObject({ says: "was running", status: null, outcome: "running" });
  });

  test("late within its grace, with a report that was refused", async () => {
    using service = await reported();
    service.look(ONE + MINUTE);
    const refusal = refuse("INVALID_REQUEST", "gracePeriod: 5 is refused");
    service.engine.intake.refused({ ...ping(), refusal });
    service.look(ONE + 3 * MINUTE);
    expect(why(service)).toMatchObject({
      says: "is 3 min late, due 13:00, and may come until 13:10",
      lines: [
        "13:00:00 Due",
        "13:01:00 A report was refused: gracePeriod: 5 is refused",
        "13:03:00 Nothing has come yet",
        "13:10:00 Its grace ends",
        "13:10:05 If nothing comes by then, an incident opens",
        "14:00:00 Next due",
      ],
      outcome: "late",
    });
  });

  test("R41: trouble that is tolerated", async () => {
    using service = await reported(policyWith({ monitors: { job: { alertAfterMisses: 3, alertAfterFailures: 2 } } }));
    service.look(ONE + MINUTE);
    expect(why(service).lines).toContain("13:10:05 If nothing comes by then, that is 1 of 3 misses before it alarms");
    service.look(ONE + CLOSES);
    expect(why(service).lines).toContain("13:10:05 1 of 3 misses in a row before it alarms");
    await service.send(ping({ ...HOURLY, kind: "fail" }));
    expect(why(service).lines).toContain("13:10:05 1 of 2 failures in a row before it alarms");
  });

  test("missed and acknowledged, then over; and what was so before it was missed", async () => {
    using service = await reported();
    service.look(ONE + CLOSES);
    service.look(ONE + 15 * MINUTE);
    granted(service.engine.operate("incident ack", { id: 1 }));
    service.look(ONE + 2 * HOUR);
    const opened = [
      "13:00:00 Due",
      "13:10:00 Its grace ends",
      "13:10:05 Missed: nothing came",
      "13:10:05 Incident 1 opened: no report came when one was expected",
    ];
    expect(why(service).lines).toEqual([
      ...opened,
      "13:10:05 Message: Missed",
      "+ hook: waits for its turn",
      "13:15:00 Acknowledged: no more reminders",
      "15:00:00 Due",
      "15:00:00 Nothing has come yet",
      "15:10:00 Its grace ends",
      "16:00:00 Next due",
    ]);
    expect(why(service, ONE + 5 * MINUTE)).toMatchObject({ says: "was late", lines: expect.arrayContaining(opened) });
    await service.send(ping(HOURLY));
    expect(why(service, ONE + HOUR).lines).toContain("15:00:00 Incident 1 ended: recovered after 1 h 50 min");
  });

  test("recovered: who was told of the trouble, as its incident says", async () => {
    using service = await reported(policyWith(), { schedule: "0 12 * * 1", graceSeconds: 600 });
    service.look(ONE);
    await service.send(ping({ kind: "fail", message: "disk full" }));
    service.look(ONE + HOUR);
    await service.send(ping());
    const heard = [
      "13:00:00 Incident 1 opened: it reported a failure: disk full",
      "13:00:00 Message: Failed",
      "+ hook: waits for its turn",
      "14:00:00 Incident 1 ended: recovered after 1 h",
    ];
    service.look(ONE + 2 * HOUR);
    expect(why(service)).toMatchObject({ status: "healthy", lines: expect.arrayContaining(heard) });
    // Until its next slot, which may be a week later.
    service.look(ONE + 3 * DAY);
    expect(why(service).lines).toEqual(expect.arrayContaining(heard));
  });

  test("failed, with what it said; and not finished", async () => {
    using service = await reported(policyWith(), { ...HOURLY, maxRuntimeSeconds: 300 });
    service.look(ONE);
    await service.send(ping({ ...HOURLY, kind: "fail", message: "disk full" }));
    expect(why(service).lines).toEqual(
      expect.arrayContaining(["13:00:00 Failed", "13:00:00 Incident 1 opened: it reported a failure: disk full"]),
    );
    await service.send(ping(HOURLY), ping({ ...HOURLY, kind: "start", runId: "r" }));
    service.look(ONE + 5 * MINUTE);
    expect(why(service).lines).toContain("13:05:00 Did not end in time");
  });

  test("of the incident that stood then, where another opened before the slot closed", async () => {
    using service = await reported(policyWith(), HOURLY);
    service.look(ONE);
    await service.send(ping({ ...HOURLY, kind: "fail" }));
    service.look(ONE + MINUTE);
    await service.send(ping(HOURLY));
    service.look(ONE + 2 * MINUTE);
    await service.send(ping({ ...HOURLY, kind: "fail" }));
    expect(why(service, ONE + 30 * SECOND).lines).toContain("13:00:00 Incident 1 opened: it reported a failure");
    expect(why(service, ONE + 90 * SECOND).lines).toContain("13:02:00 Incident 2 opened: it reported a failure");
  });

  test("R24: paused by whom, until when and why; in maintenance; suspended; withdrawn", async () => {
    using service = await reported();
    service.look(ONE - MINUTE);
    granted(service.engine.operate("monitor pause", { key: "job", durationSeconds: 7_200, reason: "a new disk" }));
    service.look(ONE + MINUTE);
    expect(why(service)).toEqual({
      says: "is paused until 14:59: a new disk",
      lines: [
        "12:59:00 Paused by command for 2 h: a new disk",
        "13:00:00 Due, but paused",
        "14:59:00 A failure is told then, when the pause ends",
        "15:00:00 Next due",
      ],
      status: "paused",
      outcome: "paused",
    });
    granted(service.engine.operate("monitor resume", { key: "job" }));
    granted(service.engine.operate("app suspend", { slug: "prod" }));
    service.endTurns();
    expect(why(service).lines).toContain("13:01:00 Application prod was suspended");
    granted(service.engine.operate("app resume", { slug: "prod" }));
    service.endTurns();
    const list = (keys: string[]) => ({
      ...{ source: "cron", version: null, authoritative: true },
      entries: keys.map((key) => ({ key, declared: { ...NOTHING_DECLARED, schedule: "0 * * * *" }, metadata: null })),
    });
    service.engine.intake.sync(ping().caller, list(["job", "other"]));
    service.engine.intake.sync(ping().caller, list(["other"]));
    expect(why(service).lines).toContain("13:01:00 Withdrawn: cron no longer names it");
  });

  test("R24: in maintenance since when, until when, planned by whom and why, and what of a failure", async () => {
    using service = await reported();
    const window = { from: toIso(ONE - 30 * MINUTE), until: toIso(ONE + 3 * HOUR), reason: "kernel upgrade" };
    const ben = actorOf({ id: 1, name: "Ben", role: "operator", applications: null }, "::1");
    granted(service.engine.as(ben).operate("maintenance plan", { monitors: ["job"], ...window }));
    service.endTurns();
    service.look(ONE - 20 * MINUTE);
    service.look(ONE + MINUTE);
    const planned = "12:30:00 In maintenance until 16:00, planned by Ben: kernel upgrade";
    expect(why(service)).toMatchObject({
      says: "is in maintenance until 16:00 by Ben: kernel upgrade",
      lines: [
        ...[planned, "13:00:00 Due, but in maintenance"],
        ...["16:00:00 A failure is told then, when the pause ends", "17:00:00 Next due"],
      ],
    });
    await service.send(ping({ ...HOURLY, kind: "fail" }));
    const held = "16:00:00 The failure is told then, when the pause ends, unless a success comes first";
    expect(why(service).lines).toEqual([...[planned, "13:00:00 Due", "13:01:00 Failed", held, "17:00:00 Next due"]]);
    service.look(ONE + 3 * HOUR);
    service.look(ONE + 3 * HOUR + MINUTE);
    expect(why(service).status).toBe("critical");
    expect(why(service, ONE + 30 * MINUTE)).toMatchObject({
      says: "was in maintenance",
      lines: expect.arrayContaining([planned]),
    });
  });

  test("R24: resumed inside a window, it is watched", async () => {
    using service = await reported();
    const window = { from: toIso(ONE - 30 * MINUTE), until: toIso(ONE + 3 * HOUR), reason: "a new disk" };
    granted(service.engine.operate("maintenance plan", { monitors: ["job"], ...window }));
    service.endTurns();
    service.look(ONE - 20 * MINUTE);
    service.look(ONE + MINUTE);
    expect(why(service).lines).toContain("13:00:00 Due, but in maintenance");
    service.look(ONE + 20 * MINUTE);
    granted(service.engine.operate("monitor resume", { key: "job" }));
    service.look(ONE + HOUR + MINUTE);
    expect(why(service)).toMatchObject({
      lines: expect.arrayContaining([
        "14:00:00 Due",
        "14:01:00 Nothing has come yet",
        "14:10:05 If nothing comes by then, an incident opens",
      ]),
      status: "warning",
      outcome: "late",
    });
    service.look(ONE + HOUR + CLOSES);
    service.look(ONE + 2 * HOUR + MINUTE);
    expect(why(service)).toMatchObject({ status: "critical", outcome: "late" });
    expect(why(service).lines.join("\n")).not.toContain("but in maintenance");
    const timelines = service.engine.views.timelines([1], { from: NOON, to: ONE + 4 * HOUR });
    const { entries, maintenance } = wholeOf(timelines).monitors.get(1)!;
    expect(maintenance.map(({ from, to }) => [from - ONE, to - ONE])).toEqual([[-30 * MINUTE, 20 * MINUTE]]);
    expect(entries.map(({ result }) => result).join(" ")).toBe("succeeded maintenance missed late expected expected");
  });

  test("R26: unknown after a gap", async () => {
    using service = await reported();
    service.look(ONE - 2 * MINUTE);
    service.standStill(30 * MINUTE);
    service.look(ONE + HOUR - MINUTE);
    expect(why(service)).toMatchObject({
      lines: [
        "12:58:00 rollcall was suspended for 30 minutes, until 13:28",
        "13:00:00 Due",
        "13:10:00 Its grace ends",
        "13:10:05 Unknown: rollcall could not hear",
        "14:00:00 Next due",
      ],
      status: "warning",
      outcome: "unknown",
    });
  });

  test("R26: a gap that was over before the job was made does not explain it", async () => {
    using service = openService(policyWith());
    service.look(NOON);
    service.standStill(30 * MINUTE);
    service.look(service.now + SECOND);
    service.look(service.now + MINUTE);
    await service.send(ping(HOURLY));
    service.look(ONE - MINUTE);
    expect(why(service).lines.join("\n")).not.toContain("suspended");
  });

  test("R44: of an interval, and of a job without a schedule", async () => {
    using service = await reported(policyWith(), { everySeconds: 3_600 });
    service.look(ONE + 30 * SECOND);
    expect(why(service).lines).toEqual([
      "12:00:00 Reported",
      "13:00:00 Due at the latest: it must report at least every hour",
      "13:00:30 Nothing has come yet",
      "13:01:00 Its grace ends",
      "13:01:05 If nothing comes by then, an incident opens",
      "14:00:00 Next due",
    ]);
    using free = await withoutSchedule();
    free.look(ONE + 9 * DAY);
    expect(why(free)).toMatchObject({ lines: ["12:00:00 Reported"], outcome: "succeeded" });
  });

  test("nothing is known of a time before it was made, of one to come, and of one past what is kept", async () => {
    using service = await reported();
    expect(why(service, NOON - HOUR)).toEqual({
      says: "was not watched before 12:00",
      lines: ["12:00:00 Made"],
      status: null,
      outcome: null,
    });
    expect(why(service, ONE + 30 * MINUTE)).toMatchObject({
      says: "is not known yet",
      lines: ["14:00:00 Next due"],
      outcome: null,
    });
    using free = await withoutSchedule();
    free.look(NOON + 100 * DAY);
    await free.send(ping());
    expect(why(free, NOON + 3 * DAY)).toMatchObject({
      outcome: null,
      says: "is not known: reports are kept for 90 days",
    });
    expect(service.engine.operate("why", { key: "job", at: "yesterday" })).toMatchObject({
      refusal: "INVALID_REQUEST",
    });
    expect(granted(service.engine.operate("why", { key: "job", at: "2026-03-02T12:30" })).at).toBe(NOON + 30 * MINUTE);
  });
});

test("of a time before its settings changed it does not say what was due", async () => {
  using service = await reported();
  service.look(ONE + 2 * MINUTE);
  await service.send(ping(HOURLY));
  service.look(ONE + HOUR + CLOSES);
  service.look(ONE + 90 * MINUTE);
  granted(service.engine.operate("monitor set", { key: "job", schedule: "*/5 * * * *", graceSeconds: 60 }));
  service.look(ONE + 100 * MINUTE);
  const changed = "14:30:00 Its settings changed: rollcall keeps no earlier schedules, so it cannot say what was due";
  expect(why(service, ONE + 9 * MINUTE)).toMatchObject({
    says: "was well",
    lines: ["13:02:00 Reported", changed],
    outcome: "succeeded",
  });
  const { says, lines } = why(service, ONE + 80 * MINUTE);
  expect(says).toBe("was in trouble: no report came when one was expected");
  expect(lines.slice(0, 3)).toEqual([
    "13:02:00 Reported",
    "14:00:00 Due",
    "14:10:05 Incident 1 opened: no report came when one was expected",
  ]);
  expect(lines).toContain(changed);
  expect(lines.join("\n")).not.toMatch(/grace|next due/);
});

describe("R38: who was told, and who was not", () => {
  const EVENTS: readonly MemberEvent[] = ["InitialFailure", "NeverExecuted", "ContinuedFailure", "Recovered"];
  const members = [
    { name: "Ada", email: "ada@example.org", events: EVENTS },
    { name: "Ben", email: "ben@example.org", events: EVENTS.filter((event) => event !== "ContinuedFailure") },
  ];

  test("by whom it arrived and when, who left it out, what waits and why, and where its alerts do not go", async () => {
    const destinations = new Map([
      ["mail", TEAM_MAIL],
      ["hook", MESSAGES],
      ["pager", INCIDENTS],
    ]);
    using service = await reported(
      policyWith({ team: { name: null, destinations: ["mail", "hook"], members }, destinations }),
    );
    service.look(ONE + CLOSES);
    const takes = { send: async () => ({ verdict: "delivered", answer: "250 OK" }) as const };
    const fails = { send: async () => ({ verdict: "retry", answer: "HTTP 503" }) as const };
    await deliver(service, { mail: takes, hook: fails });
    service.look(ONE + CLOSES + HOUR);
    service.failing.set("hook", "HTTP 503");
    const { lines } = why(service);
    expect(lines.map((line) => line.replace(/Monday .*/, "Monday …"))).toEqual([
      "13:00:00 Due",
      "13:10:00 Its grace ends",
      "13:10:05 Missed: nothing came",
      "13:10:05 Incident 1 opened: no report came when one was expected",
      "13:10:05 Message: Missed",
      "+ Ada (mail): arrived 13:10",
      "+ Ben (mail): arrived 13:10",
      "+ hook: waits for its turn: HTTP 503",
      "+ not told: pager; its alerts go to mail, hook",
      "14:00:00 Due",
      "14:10:00 Its grace ends",
      "14:10:05 Missed: nothing came",
      "14:10:05 Message: Still missing",
      "+ Ada (mail): waits for its turn",
      "+ hook: waits for an earlier one: it takes no messages (HTTP 503)",
      "+ not told: Ben (mail), whose events leave out trouble that goes on",
      "+ not told: pager; its alerts go to mail, hook",
      "15:00:00 Next due",
      "19:10:05 Next reminder",
    ]);
    // The story of its incident says the same of each message.
    const story = incidentEntries(granted(service.engine.operate("incident show", { id: 1 })), service.now);
    const notes = story.flatMap((entry) =>
      entry.notes.map(({ says }) => says.join("").replace("[object Object]", "…")),
    );
    expect(notes).toContain("Ben (mail): arrived …");
    expect(notes).toContain("hook: waits for an earlier one: it takes no messages (HTTP 503)");
  });

  test("and where there is no destination at all", async () => {
    const nowhere = { name: null, destinations: [], members };
    using service = await reported(policyWith({ team: nowhere, destinations: new Map() }));
    service.look(ONE + CLOSES);
    expect(why(service).lines).toContain("+ Nobody was told: no destination is configured to hear of it.");
  });
});

test("its page has the same column, of now or of the time in its address, and a card leads there", async () => {
  using service = await reported();
  service.look(ONE + CLOSES);
  const clock = { now: () => service.now, monotonic: () => performance.now() };
  const pages = startPages(service.engine, { clock });
  const textAt = async (path: string) =>
    (await (await fetch(`${pages.url}${path}`)).text()).replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");
  const now = await textAt("/jobs/prod/job/why");
  for (const line of why(service).lines) expect(now).toContain(line.slice(line.indexOf(" ") + 1));
  expect(await textAt("/jobs/prod/job/why?at=2026-03-02T12:30")).toContain("Job was well.");
  expect((await fetch(`${pages.url}/jobs/prod/job/why?at=noon`)).status).toBe(400);
  for (const path of ["/", "/jobs/prod/job", "/incidents/1"])
    expect(await (await fetch(`${pages.url}${path}`)).text()).toContain(`href="/jobs/prod/job/why"`);
  await pages.stop(0);
});
