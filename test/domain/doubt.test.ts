// Which gaps leave a slot or a run in doubt (R26): a long one wherever it touches, a short one where the report was
// likely; and what is told of one that does not excuse.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { countDoubtful, isGapDecided } from "../../src/domain/monitor/doubt.ts";
import { type Gap, type Monitor, newMonitor, statusOf, type Watch } from "../../src/domain/monitor/monitor.ts";
import { type Signal, type Transition, transition } from "../../src/domain/monitor/transition.ts";
import { SECOND } from "../../src/domain/time.ts";
import { complete, DEFAULT_WATCH, fail, heartbeat, instantOf, start } from "../support/timeline-table.ts";
import { gapsOnSlot, slotAfter } from "./timelines/facts.ts";

const DAILY: Partial<Watch> = { schedule: "0 2 * * *", graceSeconds: 120 };
const WAKE: Signal = { kind: "wake" };

type Step = readonly [at: string, signal: Signal];

function after(watch: Partial<Watch>, steps: readonly Step[], gaps: readonly Gap[]): Transition {
  const monitor: Monitor = newMonitor({ ...DEFAULT_WATCH, ...watch }, instantOf("03-02 00:00:00"));
  let decision: Transition = {
    monitor,
    alerts: [],
    unknowns: [],
    pauseChanges: [],
    lateSlot: null,
    run: null,
    verdict: null,
    measuredSeconds: null,
    outlived: [],
  };
  for (const [at, signal] of steps) decision = transition(decision.monitor, signal, instantOf(at), gaps);
  return decision;
}

/** A restart that lasts 0.4 seconds. */
const restartAt = (at: string): Gap => ({ from: instantOf(at), to: instantOf(at) + 400 });

const gapOf = (from: string, to: string): Gap => ({ from: instantOf(from), to: instantOf(to) });

const told = ({ alerts, unknowns }: Transition): string[] => [
  ...alerts.map(({ cause, at }) => `${cause} ${new Date(at).toISOString().slice(11, 19)}`),
  ...unknowns.map(({ slot }) => (slot === null ? "unknown run" : "unknown slot")),
];

/** Reported the day before `seconds` past its slot, and is silent today. */
function silent(seconds: number, gap: Gap, more: Partial<Watch> = {}): Transition {
  const reportedAt = new Date(instantOf("03-02 02:00:00") + seconds * SECOND).toISOString().slice(11, 19);
  const steps: Step[] = [
    [`03-02 ${reportedAt}`, heartbeat],
    ["03-03 02:10:00", WAKE],
  ];
  return after({ ...DAILY, ...more }, steps, [gap]);
}

test("R26: a long gap leaves a slot in doubt if it touches the minute in which a report may come early, and not before", () => {
  expect(told(silent(4, gapOf("03-03 01:00:00", "03-03 01:59:00")))).toEqual(["unknown slot"]);
  expect(told(silent(4, gapOf("03-03 01:00:00", "03-03 01:58:59")))).toEqual(["missed 02:02:05"]);
});

describe("R26: a restart of 0.4 s after a daily slot with two minutes' grace", () => {
  test("hides no miss where the report was not likely, and the alarm names it", () => {
    const gap = restartAt("03-03 02:01:20");
    const decision = silent(4, gap);
    expect(told(decision)).toEqual(["missed 02:02:05"]);
    expect(decision.alerts[0]!.gap).toEqual(gap);
  });

  test("leaves the slot in doubt within ten seconds of where the last success came, at both ends", () => {
    expect(told(silent(30, restartAt("03-03 02:00:40")))).toEqual(["unknown slot"]);
    expect(told(silent(30, restartAt("03-03 02:00:41")))).toEqual(["missed 02:02:05"]);
    expect(told(silent(90, gapOf("03-03 02:01:10", "03-03 02:01:20")))).toEqual(["unknown slot"]);
    expect(told(silent(90, gapOf("03-03 02:01:10", "03-03 02:01:19")))).toEqual(["missed 02:02:05"]);
  });

  test("hides no miss when the last success came outside every window, or none has come yet", () => {
    const gap = restartAt("03-03 02:01:50");
    expect(told(silent(46_000, gap))).toEqual(["missed 02:02:05"]);
    const never = after(DAILY, [["03-02 02:10:00", WAKE]], [restartAt("03-02 02:01:50")]);
    expect(told(never)).toEqual(["missed 02:02:05"]);
    expect(never.alerts[0]!.gap).toEqual(restartAt("03-02 02:01:50"));
  });

  test("does the same for an interval of more than six hours, and more for one of six", () => {
    const every = (hours: number, gap: Gap) => {
      const steps: Step[] = [
        ["03-02 01:00:00", heartbeat],
        ["03-02 02:00:00", heartbeat],
        ["03-02 09:01:59", WAKE],
      ];
      const watch = { schedule: null, everySeconds: hours * 3_600, graceSeconds: 60 };
      return told(after(watch, steps, [gap]))[0];
    };
    // The end before came an hour after the one before that.
    expect(every(6, restartAt("03-02 03:00:59"))).toBe("unknown slot");
    expect(every(6, restartAt("03-02 03:01:01"))).toBe("missed 08:01:05");
    expect(every(7, restartAt("03-02 03:00:09"))).toBe("unknown slot");
    expect(every(7, restartAt("03-02 03:00:11"))).toBe("missed 09:01:05");
  });
});

describe("R26: a restart of 0.4 s after an hourly slot with two minutes' grace", () => {
  const HOURLY: Partial<Watch> = { schedule: "0 * * * *", graceSeconds: 120 };

  /** Reported an hour before `seconds` past its slot, and is silent now. */
  function silentAt(seconds: number, gap: Gap): Transition {
    const reportedAt = new Date(instantOf("03-03 01:00:00") + seconds * SECOND).toISOString().slice(11, 19);
    const steps: Step[] = [
      [`03-03 ${reportedAt}`, heartbeat],
      ["03-03 02:10:00", WAKE],
    ];
    return after(HOURLY, steps, [gap]);
  }

  test("leaves the slot in doubt within a minute of where the last success came, at both ends", () => {
    expect(told(silentAt(30, restartAt("03-03 02:01:30")))).toEqual(["unknown slot"]);
    expect(told(silentAt(30, restartAt("03-03 02:01:31")))).toEqual(["missed 02:02:05"]);
    expect(told(silentAt(90, gapOf("03-03 02:00:20", "03-03 02:00:30")))).toEqual(["unknown slot"]);
    expect(told(silentAt(90, gapOf("03-03 02:00:20", "03-03 02:00:29")))).toEqual(["missed 02:02:05"]);
  });

  test("leaves it in doubt anywhere when the last success came outside every window, as by hand in between", () => {
    expect(told(silentAt(1_800, restartAt("03-03 02:01:50")))).toEqual(["unknown slot"]);
  });

  test("leaves it in doubt anywhere when no success has come yet, or none on the slots in force", () => {
    const gaps = [restartAt("03-02 02:01:50")];
    const failed = after(
      HOURLY,
      [
        ["03-02 01:00:04", fail()],
        ["03-02 01:30:00", { kind: "resolve" }],
        ["03-02 02:10:00", WAKE],
      ],
      gaps,
    );
    expect(told(failed)).toEqual(["unknown slot"]);
    const moved = { ...DEFAULT_WATCH, ...HOURLY };
    const declared = after(
      { ...HOURLY, schedule: "30 * * * *" },
      [
        ["03-02 01:30:04", heartbeat],
        ["03-02 01:40:00", { kind: "declare", watch: moved }],
        ["03-02 02:10:00", WAKE],
      ],
      gaps,
    );
    expect(told(declared)).toEqual(["unknown slot"]);
  });
});

test("R26, R44: a restart as the slot of an interval closes hides no miss of a job that would have reported long before", () => {
  const steps: Step[] = [
    ["03-02 00:00:02", heartbeat],
    ["03-02 00:00:07", heartbeat],
    ["03-02 01:10:00", WAKE],
  ];
  const every = { everySeconds: 3600, schedule: null, graceSeconds: 60 };
  expect(told(after(every, steps, [restartAt("03-02 01:01:11")]))).toEqual(["missed 01:01:12"]);
  expect(told(after(every, steps, [restartAt("03-02 00:00:12")]))).toEqual(["missed 01:01:17", "unknown slot"]);
  expect(told(after(every, steps, [gapOf("03-02 01:00:00", "03-02 01:01:11")]))).toEqual(["unknown slot"]);
});

test("R26: of a job that reports its start, a restart at the time of its start leaves the slot in doubt too", () => {
  const steps: Step[] = [
    ["03-02 02:00:01", start()],
    ["03-02 02:30:00", complete()],
    ["03-03 02:03:00", WAKE],
  ];
  expect(told(after(DAILY, steps, [restartAt("03-03 02:00:02")]))).toEqual(["unknown slot"]);
  expect(told(after(DAILY, steps, [restartAt("03-03 02:01:30")]))).toEqual(["missed 02:02:05"]);
});

test("R26: a gap of more than a minute leaves a slot in doubt wherever it touches its window", () => {
  expect(told(silent(4, gapOf("03-03 02:02:00", "03-03 02:03:01")))).toEqual(["unknown slot"]);
  expect(told(silent(4, gapOf("03-03 02:02:00", "03-03 02:03:00")))).toEqual(["missed 02:02:05"]);
});

test("R26: a short gap leaves a run in doubt only near to where the last one ended, and the alarm names it otherwise", () => {
  const job = { ...DAILY, maxRuntimeSeconds: 3_600 };
  const steps: Step[] = [
    ["03-02 02:00:00", start()],
    ["03-02 02:20:00", complete()],
    ["03-03 02:00:00", start()],
    ["03-03 03:10:00", WAKE],
  ];
  expect(told(after(job, steps, [restartAt("03-03 02:20:59")]))).toEqual(["unknown run"]);
  const far = restartAt("03-03 02:21:01");
  const decision = after(job, steps, [far]);
  expect(told(decision)).toEqual(["unfinished 03:00:00"]);
  expect(decision.alerts[0]!.gap).toEqual(far);
  // Of a first run nobody knows how long it takes.
  expect(told(after(job, steps.slice(2), [far]))).toContain("unknown run");
});

test("R18, R26: a monitor with an unknown slot shows as warning until its next report", () => {
  const gaps = [gapOf("03-03 02:00:00", "03-03 02:01:30")];
  const { monitor } = after(
    DAILY,
    [
      ["03-02 02:00:04", heartbeat],
      ["03-03 02:10:00", WAKE],
    ],
    gaps,
  );
  expect(statusOf(monitor, instantOf("03-03 12:00:00"))).toBe("warning");
  const heard = transition(monitor, heartbeat, instantOf("03-03 12:00:00"), gaps).monitor;
  expect(statusOf(heard, instantOf("03-03 12:00:00"))).toBe("healthy");
});

const distance = fc.integer({ min: -60_000, max: 4_000_000 });
const gaps = fc
  .array(
    fc.record({
      wait: fc.integer({ min: 1, max: 4_000_000 }),
      lasts: fc.oneof(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: 9_000_000 })),
      excuses: fc.constantFrom(undefined, undefined, "closed" as const, "nothing" as const),
    }),
    { maxLength: 5 },
  )
  .map((outages) => {
    let last = instantOf("10:00:00");
    return outages.map(({ wait, lasts, excuses }): Gap => {
      const gap = { from: last + wait, to: last + wait + lasts };
      last = gap.to;
      return excuses === undefined ? gap : { ...gap, excuses };
    });
  });

test("R23, R26: slots that a gap leaves in doubt are counted as they are judged one by one", () => {
  const plan = fc.record({
    schedule: fc.constantFrom("* * * * *", "*/5 * * * *", "0 * * * *", "7,22,52 * * * *", "0 1,11,12,13 * * *"),
    graceSeconds: fc.constantFrom(60, 90, 900, 7_200),
    lastSuccess: fc.option(fc.record({ afterSlotMs: distance, startAfterSlotMs: fc.option(distance) })),
    gaps,
  });
  fc.assert(
    fc.property(plan, ({ schedule, graceSeconds, lastSuccess, gaps: known }) => {
      const watch = { ...DEFAULT_WATCH, schedule, graceSeconds };
      const monitor: Monitor = { ...newMonitor(watch, instantOf("10:00:00")), lastSuccess };
      const until = instantOf("16:00:00");
      let count = 0;
      for (let slot = slotAfter(watch, instantOf("10:00:00"))!; slot <= until; slot = slotAfter(watch, slot)!)
        if (gapsOnSlot(monitor, slot, known).length > 0) count += 1;
      expect(countDoubtful(monitor, instantOf("10:00:00"), until, known)).toBe(count);
    }),
    { numRuns: Number(process.env["PROPERTY_RUNS"] ?? 1_000) },
  );
});

test("R23, R26: a recovery counts what fell into a gap of ours apart: it was not missed", () => {
  const watch = { schedule: "0 * * * *" };
  const steps: Step[] = [
    ["03-02 10:00:05", heartbeat],
    ["03-02 16:30:00", heartbeat],
  ];
  const outage = gapOf("03-02 12:30:00", "03-02 14:30:00");
  expect(after(watch, steps, [outage]).alerts.at(-1)).toMatchObject({
    kind: "Recovered",
    incident: { missedSlots: 4, unheardSlots: 2 },
  });
  // The slot whose miss was told is missed, whatever touches it.
  const first = restartAt("03-02 11:00:58");
  expect(after({ ...watch, graceSeconds: 120 }, steps, [first, outage]).alerts.at(-1)).toMatchObject({
    incident: { missedSlots: 3 },
  });
});

describe("R26: a gap is decided", () => {
  const gap = gapOf("10:00:00", "10:05:00");
  const never = Number.POSITIVE_INFINITY;
  const ended = (minutes: string) => instantOf(`10:${minutes}`);

  test("when nothing that is undecided began by its end, and not before", () => {
    expect(isGapDecided(gap, never, never)).toBe(true);
    expect(isGapDecided(gap, ended("05:00") + 1, ended("05:00"))).toBe(true);
    expect(isGapDecided(gap, ended("05:00"), never)).toBe(false);
  });

  test("when it went on for too long, as soon as what closed within a minute of it is judged", () => {
    const closed: Gap = { ...gap, excuses: "closed" };
    expect(isGapDecided(closed, ended("00:00"), ended("06:00") + 1)).toBe(true);
    expect(isGapDecided(closed, ended("00:00"), ended("06:00"))).toBe(false);
    expect(isGapDecided({ ...gap, excuses: "nothing" }, ended("00:00"), never)).toBe(false);
  });
});
