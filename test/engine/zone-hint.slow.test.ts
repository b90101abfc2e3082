// R13, R14: what a job in the wrong zone hears and what people are told of it, through the engine and its tables. Which
// reports count is in test/domain/zone-hint.test.ts.

import { describe, expect, test } from "bun:test";
import type { AlertData, AlertMessage } from "../../src/domain/message/alert.ts";
import { alertDataFrom } from "../../src/domain/message/message.ts";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../../src/domain/time.ts";
import { wordingOf } from "../../src/domain/wording/wording.ts";
import { openService, ping, policyWith, type Service, warningOf } from "../support/engine.ts";

/** 02:00 in UTC on a summer's day; in Berlin it is 04:00. */
const TWO: Instant = Date.UTC(2026, 6, 6, 2);
const NIGHTLY = "0 2 * * *";
const HINT = (reports: number): string =>
  `The last ${reports === 1 ? "report" : `${reports} reports`} came 2 hours after ${reports === 1 ? "its" : "their"} scheduled ` +
  "time in Europe/Berlin, which is on time in UTC: if the job runs there, set timezone=UTC in its reports, or server.timezone.";

const IN_BERLIN = policyWith({ prod: { timezone: "Europe/Berlin" } });

function messagesOf(service: Service): AlertMessage[] {
  const rows = service.store.database
    .query<AlertMessage & { data: string }, []>("select * from alerts order by id")
    .all();
  return rows.map(({ type, at, data }) => ({ type, at, data: alertDataFrom(data)! as AlertData }));
}

/** One report a day, with a look at the clock every quarter of an hour before it; answers the warnings. */
async function reportDaily(service: Service, first: Instant, days: number): Promise<(string | null)[]> {
  const warnings: (string | null)[] = [];
  for (let at = first; at < first + days * DAY; at += DAY) {
    for (let look = at - DAY + 15 * MINUTE; look < at; look += 15 * MINUTE) if (look > service.now) service.look(look);
    service.at(at);
    const [answer] = await service.send(ping({ schedule: NIGHTLY }));
    warnings.push(warningOf(answer));
  }
  return warnings;
}

describe("R13: a job that runs by UTC and is expected by the clock of Berlin", () => {
  test("is missed and recovers each day; from the third report on its answer says why", async () => {
    using service = openService(IN_BERLIN, TWO);
    expect(await reportDaily(service, TWO, 5)).toEqual([null, null, HINT(3), HINT(4), HINT(5)]);
    const days = [1, 2, 3, 4].map((day) => TWO + day * DAY);
    expect(service.notified().map(({ kind, cause, at }) => [kind, cause, at])).toEqual(
      days.flatMap((day) => [
        ["InitialFailure", "missed", toIso(day - 2 * HOUR + MINUTE + 5_000)],
        ["ContinuedFailure", "missed", toIso(day - HOUR + MINUTE + 5_000)],
        ["Recovered", "missed", toIso(day)],
      ]),
    );
  });

  test("says it in the alarms and reminders that follow, not in recoveries", async () => {
    using service = openService(IN_BERLIN, TWO);
    await reportDaily(service, TWO, 5);
    const messages = messagesOf(service);
    expect(messages.map(({ data }) => data.zoneHint)).toEqual([
      ...[HINT(1), HINT(1), null],
      ...[HINT(2), HINT(2), null],
      ...[HINT(3), HINT(3), null],
      ...[HINT(4), HINT(4), null],
    ]);
    const [opening, reminder, recovery] = messages.slice(6, 9).map((message) => wordingOf(message, message.at));
    expect(opening!.advice[0]).toBe(HINT(3));
    expect(reminder!.advice[0]).toBe(HINT(3));
    expect(recovery!.advice.join()).not.toContain("zone");
  });

  test("R19: says the same when nobody looked before the late report", async () => {
    using watched = openService(IN_BERLIN, TWO);
    await reportDaily(watched, TWO, 4);
    using unwatched = openService(IN_BERLIN, TWO);
    for (let day = 0; day < 4; day++) {
      unwatched.at(TWO + day * DAY);
      await unwatched.send(ping({ schedule: NIGHTLY }));
    }
    expect(messagesOf(unwatched)).toEqual(messagesOf(watched));
  });

  test("hears no more of it once it names its zone, and is missed no more", async () => {
    using service = openService(IN_BERLIN, TWO);
    await reportDaily(service, TWO, 3);
    service.at(TWO + 2 * DAY + HOUR);
    const rezoned = 'The schedule changed from "0 2 * * *" in Europe/Berlin to "0 2 * * *" in UTC.';
    expect(warningOf((await service.send(ping({ timezone: "UTC" })))[0])).toBe(rezoned);
    expect(warningOf((await service.send(ping()))[0])).toBeNull();
    const told = service.notified().length;
    expect(await reportDaily(service, TWO + 3 * DAY, 3)).toEqual([null, null, null]);
    expect(service.notified()).toHaveLength(told);
  });

  test("is remembered over a restart", async () => {
    using service = openService(IN_BERLIN, TWO);
    await reportDaily(service, TWO, 2);
    service.restart();
    expect(await reportDaily(service, TWO + 2 * DAY, 1)).toEqual([HINT(3)]);
  });

  test("of a server in Berlin and an application without a zone is told the same", async () => {
    using service = openService(policyWith({ timezone: "Europe/Berlin" }), TWO);
    expect(await reportDaily(service, TWO, 3)).toEqual([null, null, HINT(3)]);
  });
});

test("R13: a zone is named only where the server, the application or UTC has it", async () => {
  const monitors = { job: { timezone: "America/New_York" } };
  const warnings = async (changes: Parameters<typeof policyWith>[0]) => {
    using service = openService(policyWith({ ...changes, monitors }), TWO - 2 * HOUR);
    // Midnight in UTC is 02:00 in Berlin, and 20:00 in New York.
    return (await reportDaily(service, TWO - 2 * HOUR, 3))[2];
  };
  const came = "The last 3 reports came 6 hours before their scheduled time in America/New_York";
  expect(await warnings({})).toBe(
    `${came}: the job runs in another time zone, or its clock or schedule is off by that much.`,
  );
  const berlin = `${came}, which is on time in Europe/Berlin: if the job runs there, set timezone=Europe/Berlin in its reports, or server.timezone.`;
  expect(await warnings({ timezone: "Europe/Berlin" })).toBe(berlin);
  expect(await warnings({ prod: { timezone: "Europe/Berlin" } })).toBe(berlin);
});

describe("R13: the first miss of a job that lives by another zone in use here", () => {
  /** What the alarms and reminders of the first night say of zones, when the job ran once at `first` and not again. */
  async function firstNight(policy: ReturnType<typeof policyWith>, first: Instant): Promise<(string | null)[]> {
    using service = openService(policy, first);
    await service.send(ping({ schedule: NIGHTLY }));
    service.look(first + DAY - MINUTE);
    return messagesOf(service).map(({ data }) => data.zoneHint);
  }

  test("says so at once, where the computer's own zone explains it", async () => {
    // A home in Berlin whose rollcall reads schedules in UTC; its 02:00 is midnight there.
    const hints = await firstNight(policyWith({ machineTimezone: "Europe/Berlin" }), TWO - 2 * HOUR + 3_000);
    const hint =
      "The last report came 2 hours before its scheduled time in UTC, which is on time in Europe/Berlin: " +
      "if the job runs there, set timezone=Europe/Berlin in its reports, or server.timezone.";
    expect(hints.length).toBeGreaterThan(1);
    expect(new Set(hints)).toEqual(new Set([hint]));
  });

  test("says so on the second night where the job runs after its time in UTC", async () => {
    const [hint] = await firstNight(policyWith({ machineTimezone: "America/New_York" }), TWO + 4 * HOUR);
    expect(hint).toStartWith(
      "The last report came 4 hours after its scheduled time in UTC, which is on time in America/",
    );
  });

  test.each([
    ["the server's", policyWith({ timezone: "Europe/Berlin", prod: { timezone: "UTC" } }), TWO - 2 * HOUR],
    [
      "the application's",
      policyWith({ prod: { timezone: "Europe/Berlin" }, monitors: { job: { timezone: "UTC" } } }),
      TWO - 2 * HOUR,
    ],
    ["half an hour's", policyWith({ machineTimezone: "Asia/Kolkata" }), TWO - 5.5 * HOUR],
  ])("and where %s zone does", async (_, policy, first) => {
    expect((await firstNight(policy, first))[0]).toStartWith("The last report came");
  });

  test("says nothing where no zone in use explains it, nor where the job was on time", async () => {
    const silent = async (policy: ReturnType<typeof policyWith>, first: Instant) =>
      expect(new Set(await firstNight(policy, first))).toEqual(new Set([null]));
    await silent(policyWith({ machineTimezone: "Europe/Berlin" }), TWO - 3 * HOUR);
    await silent(policyWith({ machineTimezone: "UTC" }), TWO - 2 * HOUR);
    // UTC is nobody's zone here: that waits for three reports.
    await silent(policyWith({ timezone: "Europe/Berlin" }), TWO);
    using service = openService(policyWith({ machineTimezone: "Europe/Berlin" }), TWO);
    await service.send(ping({ schedule: NIGHTLY }));
    service.look(TWO + DAY + HOUR);
    expect(messagesOf(service).map(({ data }) => data.zoneHint)).toEqual([null]);
  });

  test("leads what the message says there is to do", async () => {
    using service = openService(policyWith({ machineTimezone: "Europe/Berlin" }), TWO - 2 * HOUR);
    await service.send(ping({ schedule: NIGHTLY }));
    service.look(TWO + 2 * MINUTE);
    const [message] = messagesOf(service);
    const { advice } = wordingOf(message!, message!.at);
    expect(advice[0]).toStartWith("The last report came 2 hours before its scheduled time in UTC");
  });
});

test("R14: the zone hint gives way to a pause, to a destination that fails and to another schedule", async () => {
  using service = openService(IN_BERLIN, TWO);
  await reportDaily(service, TWO, 3);
  const warning = async (changes = {}) => warningOf((await service.send(ping(changes)))[0]);
  service.apply("job", { kind: "pause", pause: "manual", until: null });
  expect(await warning()).toStartWith("This monitor is paused");
  service.apply("job", { kind: "resume", pause: "manual" });
  service.failing.set("hook", "it answers 404");
  expect(await warning()).toStartWith("Alerts of this monitor cannot be delivered");
  service.failing.clear();
  expect(await warning()).toBe(HINT(3));
  expect(await warning({ schedule: "0 3 * * *" })).toStartWith("The schedule changed");
});
