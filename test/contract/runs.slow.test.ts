// The contract's behaviour rule 5 (R21, R22): which end belongs to which start, how long a run took, and what becomes
// of one that does not end. By reports over HTTP, at times of the test's own.

import { describe, expect, test } from "bun:test";
import { instantOf } from "../support/timeline-table.ts";
import { type WatchedService, watchService } from "../support/watched-service.ts";

const DAILY = "schedule=0+6+*+*+*";
const HOURLY = "schedule=0+*+*+*+*";
const YEARLY = "schedule=0+0+1+1+*";

/** The `duration` that a complete is answered. */
const durationOf = async (service: WatchedService, time: string, query = ""): Promise<unknown> =>
  (await service.report(time, `/complete?${query}`)).json?.["duration"];

describe("with run_id", () => {
  test("rule 5, R22: start and end are correlated by it, concurrent runs each by its own", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&${DAILY}`);
    await service.report("10:05:00", "/start?run_id=b");
    expect(await durationOf(service, "10:10:00", "run_id=a")).toBe(600);
    expect(await durationOf(service, "10:20:00", "run_id=b")).toBe(900);
    expect(service.runs()).toMatchObject([
      { runId: "b", state: "ended", legacy: false },
      { runId: "a", state: "ended", legacy: false },
    ]);
  });

  test("rule 5, R22: retries reuse it; each attempt that starts after an end has its own deadline and duration", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&attempt=0&maxRuntime=600&${DAILY}`);
    await service.report("10:05:00", "/fail?run_id=a&attempt=0");
    await service.report("10:30:00", "/start?run_id=a&attempt=1");
    expect(service.runs()).toMatchObject([{ attempt: 1, state: "open", deadline: instantOf("10:40:00") }]);
    expect(await durationOf(service, "10:33:20", "run_id=a&attempt=1")).toBe(200);
  });

  test("R22: attempt is shown and never decides", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&attempt=7&${DAILY}`);
    expect(await durationOf(service, "10:01:00", "run_id=a&attempt=0")).toBe(60);
    const details = service.engine.operate("monitor show", { application: "prod", key: "job" });
    expect(details).toMatchObject({ pings: [{ attempt: 0 }, { attempt: 7 }] });
  });

  test("R22: a second start of an open run changes nothing", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&maxRuntime=3600&${DAILY}`);
    await service.report("10:30:00", "/start?run_id=a");
    expect(service.runs()).toMatchObject([{ startedAt: instantOf("10:00:00"), deadline: instantOf("11:00:00") }]);
    expect(await durationOf(service, "10:40:00", "run_id=a")).toBe(2400);
  });

  test("R22: a constant run_id hides no killed run: a start for a further slot is a new run, the older one incomplete", async () => {
    await using service = watchService();
    await service.report("10:00:03", `/start?run_id=backup&${HOURLY}`);
    await service.report("10:59:58", "/start?run_id=backup");
    expect(service.runs()).toMatchObject([
      { number: 2, runId: "backup", state: "open", startedAt: instantOf("10:59:58") },
      { number: 1, runId: "backup", state: "incomplete" },
    ]);
    expect(await durationOf(service, "11:10:00", "run_id=backup")).toBe(602);
    expect(service.news()).toEqual([]);
  });

  test("R22: a start within 60 s after a success of its run is a late copy: nothing opens again", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&maxRuntime=60&${HOURLY}`);
    expect(await durationOf(service, "10:00:30", "run_id=a")).toBe(30);
    await service.report("10:01:30", "/start?run_id=a");
    expect(service.runs()).toMatchObject([{ number: 1, state: "ended", durationSeconds: 30 }]);
    service.at("10:30:00");
    expect(service.news()).toEqual([]);
    await service.report("10:30:00", "/complete?run_id=a");
    await service.report("10:30:01", "/start?run_id=a&attempt=1");
    expect(service.runs()).toMatchObject([{ attempt: 1, state: "open" }]);
  });

  test("R22: a start soon after a fail is a retry, and later than 60 s after a success a new attempt", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&${HOURLY}`);
    await service.report("10:00:30", "/fail?run_id=a");
    await service.report("10:00:31", "/start?run_id=a");
    expect(service.runs()).toMatchObject([{ state: "open", startedAt: instantOf("10:00:31") }]);
    await service.report("10:00:40", "/complete?run_id=a");
    await service.report("10:01:40.001", "/start?run_id=a");
    expect(service.runs()).toMatchObject([{ state: "open", startedAt: instantOf("10:01:40.001") }]);
  });

  test("R22: a start under a constant run_id every minute is no late copy of the one before", async () => {
    await using service = watchService();
    await service.report("10:00:00", "/start?run_id=tick&schedule=*+*+*+*+*");
    expect(await durationOf(service, "10:00:20", "run_id=tick")).toBe(20);
    await service.report("10:01:00", "/start?run_id=tick");
    expect(await durationOf(service, "10:01:20", "run_id=tick")).toBe(20);
  });

  test("R22: a start that comes after its end is attached to it, and nothing reopens", async () => {
    await using service = watchService();
    expect(await durationOf(service, "10:00:01", `run_id=a&maxRuntime=60&${DAILY}`)).toBeNull();
    await service.report("10:00:02", "/start?run_id=a");
    expect(service.runs()).toMatchObject([{ state: "ended", durationSeconds: null }]);
    service.at("11:00:00");
    expect(service.news()).toEqual([]);
    expect(service.status()).toBe("healthy");
  });

  test("R22: with one that nothing was started under, an end takes the only open run without id, as legacy", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?${DAILY}`);
    expect(await durationOf(service, "10:05:00", "run_id=late")).toBe(300);
    expect(service.runs()).toMatchObject([{ state: "ended", legacy: true }]);
  });

  test("R22: seven days back, no further", async () => {
    const startAndEnd = async (end: string): Promise<unknown> => {
      await using service = watchService("03-02 09:00:00");
      await service.report("03-02 10:00:00", `/start?run_id=a&${YEARLY}`);
      // By then the run is over: without maxRuntime it had 24 hours and the grace.
      return await durationOf(service, end, "run_id=a");
    };
    expect(await startAndEnd("03-09 10:00:00")).toBe(7 * 86_400);
    expect(await startAndEnd("03-09 10:00:01")).toBeNull();
  });
});

describe("without run_id", () => {
  test("R22: an end takes the newest start without one that has no end; each pairing is labelled legacy", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?maxRuntime=3600&${DAILY}`);
    await service.report("10:05:00", "/start");
    expect(await durationOf(service, "10:10:00")).toBe(300);
    expect(service.runs()).toMatchObject([{ state: "ended", legacy: true }, { state: "open" }]);
    expect(await durationOf(service, "10:20:00")).toBe(1200);
    expect(service.runs()).toMatchObject([{ legacy: true }, { state: "ended", legacy: true }]);
  });

  test("R22: an end without run_id takes no run of another reporter: a job that hangs still alarms", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&maxRuntime=600&${DAILY}`);
    expect(await durationOf(service, "10:01:00")).toBeNull();
    await service.report("10:02:00");
    expect(service.runs()).toMatchObject([{ runId: "a", state: "open" }]);
    service.at("10:10:00");
    expect(service.news()).toEqual(["10:10:00 InitialFailure unfinished"]);
  });

  test("R22: an end finds the newest start without run_id although a run with one began after it", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?maxRuntime=600&${DAILY}`);
    await service.report("10:09:00", "/start?run_id=a");
    service.at("10:18:00");
    expect(await durationOf(service, "10:18:00")).toBe(1080);
    expect(service.runs()).toMatchObject([
      { runId: "a", state: "open" },
      { state: "ended", legacy: true },
    ]);
  });

  test("R22: older starts keep their own deadlines", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?maxRuntime=1200&${DAILY}`);
    await service.report("10:10:00", "/start");
    expect(await durationOf(service, "10:15:00")).toBe(300);
    service.at("10:19:59");
    expect(service.news()).toEqual([]);
    service.at("10:20:00");
    expect(service.news()).toEqual(["10:20:00 InitialFailure unfinished"]);
  });
});

describe("ends", () => {
  test("R22: a heartbeat ends a run; a complete after it that finds none open still has its duration", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?maxRuntime=3600&${DAILY}`);
    await service.report("10:10:00");
    expect(service.runs()).toMatchObject([{ state: "ended", endedBy: "heartbeat" }]);
    expect(await durationOf(service, "10:12:00")).toBe(720);
    service.at("11:30:00");
    expect(service.news()).toEqual([]);
  });

  test("R22: a fail ends a run too", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&maxRuntime=60&${DAILY}`);
    await service.report("10:00:30", "/fail?run_id=a");
    expect(service.runs()).toMatchObject([{ state: "ended", endedBy: "fail", durationSeconds: 30 }]);
    service.at("10:30:00");
    expect(service.news()).toEqual(["10:00:30 InitialFailure failed"]);
  });

  test("R22: a complete without a start, or before it, is stored and its duration is null", async () => {
    await using service = watchService();
    expect(await durationOf(service, "10:00:00", `run_id=a&${DAILY}`)).toBeNull();
    expect(await durationOf(service, "10:01:00")).toBeNull();
    expect(service.engine.operate("monitor show", { application: "prod", key: "job" })).toMatchObject({
      lastSuccessAt: instantOf("10:01:00"),
      pings: [{ kind: "complete" }, { kind: "complete" }],
    });
  });

  test("R22: a complete that comes twice is stored twice, and recovers once", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&${DAILY}`);
    await service.report("10:01:00", "/fail?run_id=a");
    await service.report("10:02:00", "/complete?run_id=a");
    await service.report("10:02:05", "/complete?run_id=a");
    expect(service.news()).toEqual(["10:01:00 InitialFailure failed", "10:02:00 Recovered failed"]);
    expect(service.engine.operate("monitor show", { application: "prod", key: "job" })).toMatchObject({
      pings: [{ kind: "complete" }, { kind: "complete" }, { kind: "fail" }, { kind: "start" }],
    });
  });
});

describe("duration", () => {
  test("R22: is whole seconds of arrival time", async () => {
    await using service = watchService();
    await service.report("10:00:00.900", `/start?run_id=a&${DAILY}`);
    expect(await durationOf(service, "10:00:03.800", "run_id=a")).toBe(2);
    await service.report("10:10:00", "/start?run_id=b");
    expect(await durationOf(service, "10:10:00", "run_id=b")).toBe(0);
  });

  test("R22: is at least 0, also when the clock was set back", async () => {
    await using service = watchService();
    await service.report("10:00:30", `/start?run_id=a&${DAILY}`);
    expect(await durationOf(service, "10:00:00", "run_id=a")).toBe(0);
  });
});

describe("a run that does not end", () => {
  test("R21: opens an incident at start + maxRuntime, and is over; a later end pairs all the same", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&maxRuntime=600&${DAILY}`);
    service.at("10:09:59");
    expect(service.news()).toEqual([]);
    service.at("10:10:00");
    expect(service.news()).toEqual(["10:10:00 InitialFailure unfinished"]);
    expect(service.runs()).toMatchObject([{ state: "unfinished" }]);
    expect(await durationOf(service, "10:20:00", "run_id=a")).toBe(1200);
    expect(service.news()).toEqual(["10:20:00 Recovered unfinished"]);
  });

  test.each([
    ["the distance between the slots around the start and the grace", HOURLY, "11:01:00"],
    ["at most 24 hours and the grace", "schedule=0+6+*+*+1", "03-03 10:01:00"],
  ])("R21: without maxRuntime has %s", async (_what, schedule, deadline) => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&${schedule}`);
    expect(service.runs()).toMatchObject([{ deadline: instantOf(deadline) }]);
  });

  test("R21: without maxRuntime has never less than twice the last finished run", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&${HOURLY}`);
    await service.report("10:50:00", "/complete?run_id=a");
    await service.report("11:00:00", "/start?run_id=b");
    expect(service.runs()[0]).toMatchObject({ deadline: instantOf("12:40:00") });
  });

  test("R21: without maxRuntime has at most 24 hours and the grace, however long the last run took", async () => {
    await using service = watchService("03-02 09:00:00");
    await service.report("03-02 10:00:00", `/start?run_id=a&${HOURLY}`);
    expect(await durationOf(service, "03-05 10:00:00", "run_id=a")).toBe(3 * 86_400);
    await service.report("03-05 11:00:00", "/start?run_id=b");
    expect(service.runs()[0]).toMatchObject({ deadline: instantOf("03-06 11:01:00") });
  });

  test("R21: keeps the deadline it started with, whatever is declared later", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&maxRuntime=600&${DAILY}`);
    await service.report("10:02:00", "/start?run_id=b&maxRuntime=60");
    expect(service.runs()).toMatchObject([{ deadline: instantOf("10:03:00") }, { deadline: instantOf("10:10:00") }]);
  });

  test("R21: while it is inside its deadline, a slot that closes is not missed", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&maxRuntime=6000&${HOURLY}`);
    service.at("11:30:00");
    expect(service.news()).toEqual([]);
    expect(service.status()).toBe("warning");
    await service.report("11:35:00", "/complete?run_id=a");
    expect(service.status()).toBe("healthy");
  });

  test("R21: of overlapping runs each is watched on its own", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&maxRuntime=600&${DAILY}`);
    await service.report("10:05:00", "/start?run_id=b");
    await service.report("10:09:00", "/complete?run_id=b");
    service.at("10:10:00");
    expect(service.news()).toEqual(["10:10:00 InitialFailure unfinished"]);
  });

  test("R21: the oldest runs beyond 100 open ones become incomplete, and no alert tells of them", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=0&maxRuntime=600&${DAILY}`);
    for (let count = 1; count <= 100; count++) await service.report("10:00:01", `/start?run_id=${count}`);
    expect(service.runs().filter(({ state }) => state === "open")).toHaveLength(100);
    service.at("10:10:00");
    expect(service.news()).toEqual([]);
    service.at("10:10:01");
    expect(service.news()).toEqual(["10:10:01 InitialFailure unfinished"]);
  });
});

test("R24: a run whose deadline falls into a pause is incomplete, of which nothing is told", async () => {
  await using service = watchService();
  await service.report("10:00:00", `/start?run_id=a&maxRuntime=600&${DAILY}`);
  service.engine.operate("monitor pause", { application: "prod", key: "job", durationSeconds: 1_800 });
  service.at("11:00:00");
  expect(service.runs()).toMatchObject([{ state: "incomplete" }]);
  expect(service.news()).toEqual([]);
});

describe("R21: without maxRuntime a deadline is a guess", () => {
  const warningOf = async (service: WatchedService, time: string, rest: string): Promise<unknown> =>
    (await service.report(time, rest)).json?.["warning"];

  test("a success of a run that began later gives up older open runs without an alarm; answer and history say so", async () => {
    await using service = watchService("03-02 09:00:00");
    await service.report("03-03 06:00:00", `/start?run_id=killed&gracePeriod=1800&${DAILY}`);
    await service.report("03-04 06:00:00", "/start?run_id=good");
    const warning = await warningOf(service, "03-04 06:20:00", "/complete?run_id=good");
    expect(warning).toStartWith("The run that started at 2026-03-03T06:00:00.000Z has not reported its end");
    expect(warning).toContain("maxRuntime");
    expect(service.runs()).toMatchObject([{ runId: "good" }, { runId: "killed", state: "incomplete" }]);
    service.at("03-04 20:00:00");
    expect(service.news()).toEqual([]);
    expect(await durationOf(service, "03-04 20:00:00", "run_id=killed")).toBe(38 * 3600);
  });

  test("so does a heartbeat without a start; it counts the runs it gives up", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&${DAILY}`);
    await service.report("10:01:00", "/start?run_id=b");
    expect(await warningOf(service, "10:05:00", "")).toStartWith("2 runs (the oldest started at 2026-03-02T10:00");
    expect(service.runs()).toMatchObject([{ state: "incomplete" }, { state: "incomplete" }]);
    expect(await warningOf(service, "10:06:00", "")).toBeNull();
  });

  test("a success of an older run, one of unknown start and a fail give up none, and a complete then has no warning", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&${DAILY}`);
    await service.report("10:01:00", "/start?run_id=b");
    await service.report("10:02:00", "/fail?run_id=stranger");
    const { json } = await service.report("10:03:00", "/complete?run_id=a");
    expect(Object.keys(json!)).toEqual(["status", "monitor", "completedAt", "duration"]);
    await service.report("10:04:00", "/complete?run_id=c");
    expect(service.runs()).toContainEqual(expect.objectContaining({ runId: "b", state: "open" }));
  });

  test("with it each run is judged by its own deadline, whatever came since", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&maxRuntime=3600&${DAILY}`);
    await service.report("10:10:00", "/start?run_id=b");
    expect(await warningOf(service, "10:20:00", "/complete?run_id=b")).toBeUndefined();
    service.at("11:00:00");
    expect(service.news()).toEqual(["11:00:00 InitialFailure unfinished"]);
  });
});

describe("R23: a run past its deadline that may still report", () => {
  test("brings one message however many slots close, and its end tells how many went unreported", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?${HOURLY}`);
    service.at("12:30:00");
    expect(service.news()).toEqual([
      "11:01:00 InitialFailure unfinished",
      "12:01:00 ContinuedFailure unfinished (reminder)",
    ]);
    await service.report("12:30:00", "/complete");
    expect(service.news()).toEqual(["12:30:00 Recovered unfinished"]);
    expect(service.instance.connect().query("select missed_slots from incidents").values()).toEqual([[2]]);
  });

  test("holds nothing back once another report has come: a later slot that closes is told as missed", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&maxRuntime=600&${HOURLY}`);
    await service.report("11:00:00", "/start?run_id=b");
    service.at("12:02:00");
    expect(service.news()).toEqual(["10:10:00 InitialFailure unfinished", expect.stringContaining("(reminder)")]);
    await service.report("12:30:00", "/fail?run_id=c");
    service.at("13:02:00");
    expect(service.news()).toEqual(["12:30:00 ContinuedFailure failed", "13:01:05 ContinuedFailure missed"]);
  });
});

describe("R23: a success", () => {
  test("of a run that began before the one that failed last closes nothing, where both are known by run_id", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=old&maxRuntime=3600&${DAILY}`);
    await service.report("10:05:00", "/start?run_id=new");
    await service.report("10:06:00", "/fail?run_id=new");
    await service.report("10:10:00", "/complete?run_id=old");
    expect(service.status()).toBe("critical");
    expect(service.news()).toEqual(["10:06:00 InitialFailure failed"]);
    await service.report("10:20:00", "/start?run_id=new&attempt=1");
    await service.report("10:25:00", "/complete?run_id=new&attempt=1");
    expect(service.news().at(-1)).toBe("10:25:00 Recovered failed");
  });

  test("closes it where one of the two has no run_id, or no start", async () => {
    for (const [older, newer] of [
      ["", "run_id=b"],
      ["run_id=a", ""],
      ["run_id=a", "run_id=stranger"],
    ] as const) {
      await using service = watchService();
      await service.report("10:00:00", `/start?${older}&maxRuntime=3600&${DAILY}`);
      if (newer !== "run_id=stranger") await service.report("10:05:00", `/start?${newer}`);
      await service.report("10:06:00", `/fail?${newer}`);
      await service.report("10:10:00", `/complete?${older}`);
      expect([older, newer, service.news().at(-1)]).toEqual([older, newer, "10:10:00 Recovered failed"]);
    }
  });
});

describe("R21: at one instant", () => {
  test("a run's deadline comes before the slot that closes with it", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&maxRuntime=3665&${HOURLY}`);
    service.at("11:02:00");
    // The slot is counted and not told (R23); had it closed first, it would have opened the incident.
    expect(service.news()).toEqual(["11:01:05 InitialFailure unfinished"]);
  });

  test("a pause's end comes before the deadline and the slot that close with it", async () => {
    await using service = watchService();
    await service.report("10:00:00", `/start?run_id=a&maxRuntime=3665&${HOURLY}`);
    service.at("11:00:05");
    service.engine.operate("monitor pause", { application: "prod", key: "job", durationSeconds: 60 });
    service.at("11:02:00");
    expect(service.news()).toEqual([]);
    expect(service.expects()).toBe("12:00:00");
  });

  test("a slot that closes comes before the reminder that falls due with it", async () => {
    await using service = watchService();
    await service.report("10:01:05", `/fail?${HOURLY}`);
    service.at("11:02:00");
    expect(service.news()).toEqual([
      "10:01:05 InitialFailure failed",
      "11:01:05 ContinuedFailure missed",
      expect.stringMatching(/^11:01:05 ContinuedFailure \w+ \(reminder\)$/),
    ]);
  });
});
