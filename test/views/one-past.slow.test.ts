// The law of one past: whatever happened to a job, every screen says the same of the same slot, run and day. The
// histories are random, the engine is the real one.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { reportCell } from "../../src/cli/screens/monitor-tables.ts";
import { wholeOf } from "../../src/domain/in-pieces.ts";
import type { Status } from "../../src/domain/monitor/monitor.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND, toIso } from "../../src/domain/time.ts";
import { sentenceText } from "../../src/domain/wording/now.ts";
import { isEndResult, RESULTS, type Result } from "../../src/domain/wording/results.ts";
import type { Timeline, TimelineEntry } from "../../src/views/timeline.ts";
import { dayLinesOf, rowSummary } from "../../src/web/day/words.ts";
import { filterPartOfJob } from "../../src/web/overview/model.ts";
import { NOON, openService, ping, policyWith, type Service } from "../support/engine.ts";
import { granted } from "../support/service.ts";

// A history takes a third of a second.
const RUNS = Math.min(Number(process.env.PROPERTY_RUNS ?? 20), 200);
const SEED = Number(process.env.PROPERTY_SEED ?? 1);
const MIDNIGHT = NOON - 12 * HOUR;

/** What is said of an instant: `10:00 missed`. */
const said = (at: Instant, result: Result): string => `${new Date(at).toISOString().slice(8, 19)} ${result}`;

const JOBS = {
  plain: { schedule: "0 * * * *" },
  quick: { schedule: "*/10 * * * *", maxRuntimeSeconds: 1_500 },
  tolerant: { schedule: "0 * * * *" },
  maintained: { schedule: "0 * * * *" },
  every: { everySeconds: 3_600 },
  checked: { schedule: "0 * * * *" },
} as const;
type Job = keyof typeof JOBS;

const POLICY = policyWith({
  monitors: {
    tolerant: { alertAfterMisses: 3 },
    maintained: { maintenance: [{ schedule: "30 */5 * * *", timezone: null, durationSeconds: 7_200 }] },
    checked: {
      outcomes: new Map([
        ["rows", { equals: null, min: 1, max: null, onFailure: "fail" }],
        ["errors", { equals: null, min: null, max: 0, onFailure: "warn" }],
      ]),
    },
  },
});

const anyStep = fc.record({
  does: fc.constantFrom(
    ...(["heartbeat", "complete", "fail", "start", "start", "end", "log", "look", "pause", "resume", "gap"] as const),
    ...(["aged", "right", "wrong", "warned"] as const),
  ),
  minutes: fc.integer({ min: 0, max: 140 }),
});
type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

/** How it stood, as `monitor show` said then. */
interface Stood {
  readonly at: Instant;
  readonly status: Status;
  readonly incidentId: number | null;
}

async function play(service: Service, job: Job, steps: readonly Step[]): Promise<Stood[]> {
  const told = { monitorKey: job, ...JOBS[job] };
  const stood: Stood[] = [];
  await service.send(ping(told));
  let run = 0;
  for (const { does, minutes } of steps) {
    const until = service.now + minutes * MINUTE + SECOND;
    if (does === "gap") service.standStill(minutes * MINUTE);
    // A clock that ticks sees each slot close.
    for (let at = service.now + 5 * MINUTE; at < until; at += 5 * MINUTE) service.look(at);
    service.look(Math.max(service.now, until));
    const name = { application: "prod", key: job };
    if (does === "pause" || does === "resume") service.engine.operate(`monitor ${does}`, name);
    else if (does === "start") await service.send(ping({ ...told, kind: does, runId: `${++run}` }));
    else if (hasValues(does))
      await service.send(ping({ ...told, kind: "complete", runId: `${run}`, outcomes: VALUES[does] }));
    else if (does === "end") await service.send(ping({ ...told, kind: "complete", runId: `${run}` }));
    else if (does === "aged") await service.send(ping({ ...told, runId: `${++run}`, ageSeconds: minutes * 30 }));
    else if (does !== "look" && does !== "gap") await service.send(ping({ ...told, kind: does }));
    const { status, incidentId } = granted(service.engine.operate("monitor show", name));
    stood.push({ at: service.now, status, incidentId });
  }
  return stood;
}

/** What a completion reports; of a job of which nothing is expected it is not kept. */
const VALUES = {
  right: new Map([
    ["rows", 5],
    ["errors", 0],
  ]),
  wrong: new Map([["errors", 0]]),
  warned: new Map([
    ["rows", 5],
    ["errors", 3],
  ]),
} as const;

const hasValues = (does: Step["does"]): does is keyof typeof VALUES => does in VALUES;

const CLOCK = { moment: toIso, between: () => "" } as unknown as Parameters<typeof dayLinesOf>[1];

const slotsOf = ({ entries }: Timeline) => entries.filter(({ slot }) => slot !== null);

test(
  "R23, R26: list, day, history, story, strip, calendar, status page, incident, why and terminal say the same of a slot, a run and a day",
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...(Object.keys(JOBS) as Job[])),
        fc.array(anyStep, { minLength: 8, maxLength: 24 }),
        async (job, steps) => {
          using service = openService(POLICY, MIDNIGHT + HOUR + MINUTE);
          // Which of the misses in a row a run has excused is written nowhere.
          const isPlayed = ({ does }: Step) => job !== "tolerant" || does !== "start";
          const stood = await play(service, job, steps.filter(isPlayed));
          const { now } = service;
          const { views } = service.engine;
          const id = views.monitorId("prod", job)!;
          const timelineIn = (from: Instant, to: Instant) =>
            wholeOf(views.timelines([id], { from, to })).monitors.get(id)!;
          const timeline = timelineIn(MIDNIGHT, now);
          const slots = slotsOf(timeline).map(({ at, result }) => said(at, result));
          const runs = timeline.runs.map(({ from, to, result }) => said(isEnd(result) ? to : (from ?? to), result));

          // The day, wherever it begins and ends.
          const [third, middle] = [3, 2].map((share) => MIDNIGHT + Math.floor((now - MIDNIGHT) / share)) as [
            Instant,
            Instant,
          ];
          for (const [from, to] of [
            [MIDNIGHT, middle],
            [third, third + HOUR],
            [middle + 1, now],
          ] as const) {
            const part = slotsOf(timelineIn(from, to)).map(({ at, result }) => said(at, result));
            expect(part).toEqual(
              slotsOf(timeline)
                .filter(({ at }) => at >= from && at <= to)
                .map(({ at, result }) => said(at, result)),
            );
          }

          // What the day says of each, in the words of the one dictionary.
          for (const entry of timeline.entries) {
            const [line] = dayLinesOf({ entries: [entry] }, CLOCK);
            const says = entry.result === "succeeded" ? /succeeded|reported/ : RESULTS[entry.result].says;
            expect([said(entry.at, entry.result), line!.text]).toEqual([
              said(entry.at, entry.result),
              expect.stringMatching(says),
            ]);
            if (RESULTS[entry.result].tone === "bad")
              expect(rowSummary({ entries: [entry], isThinned: false })).toMatchObject({ isTrouble: true });
          }

          // `monitor history`.
          const { entries } = granted(
            service.engine.operate("monitor history", { application: "prod", key: job, limit: 1_000 }),
          );
          for (const { at, kind, outcome: result } of entries) {
            if (kind === null) expect(slots).toContain(said(at, result!));
            else if (result !== null) expect(runs).toContain(said(at, result));
          }
          const unfilled = slotsOf(timeline).filter(
            ({ result, slot }) =>
              result === "missed" || result === "paused" || (result === "unknown" && slot!.reportAt === null),
          );
          expect(
            entries
              .filter(({ kind, outcome }) => kind === null && outcome !== "silent")
              .map(({ at }) => at)
              .toSorted((a, b) => a - b),
          ).toEqual(unfilled.map(({ at }) => at));

          const asked = { part: "all", before: Number.MAX_SAFE_INTEGER, find: "", limit: 500 } as const;
          const page = granted(wholeOf(views.job("prod", job, asked)));

          // The strip of a list, and the chart of a page.
          service.endTurns();
          for (const _ of views.board.catchUp());
          for (const strip of [views.board.recentRuns([id]).get(id)!, page.runs])
            for (const { at, result } of strip) expect([...slots, ...runs]).toContain(said(at, result));

          // The row of a list and its card: an incident that is open is trouble there, and nothing that went well.
          const [row] = wholeOf(views.board.monitors(now, (one) => one.id === id));
          const last = stood.at(-1)!;
          expect([row!.status, row!.incidentId]).toEqual([last.status, last.incidentId]);
          if (last.incidentId !== null && last.status !== "paused") {
            expect(filterPartOfJob(row!, now)).toBe("trouble");
            expect(sentenceText(views.sentencesNow([id]).get(id)!)).not.toMatch(/^(succeeded|reported)/);
          }

          // The calendar of a page, and a status page, which reads no reports: of failures it knows what incidents
          // tell, and on a day that an incident touches it may say what the incident is about instead of what became of
          // that day's slots.
          const { days, story } = page;
          const isChosen = (key: string) => key === job;
          const [shown] = wholeOf(views.lookBack({ application: "prod", isChosen, days: 14, limit: 1 })).monitors;
          const publicDays = new Map(shown!.days.map((day) => [day.at, day.result]));
          for (const { at: from, result } of days.filter(({ at }) => at >= MIDNIGHT)) {
            const until = from + DAY;
            const touching = shown!.incidents.filter(
              ({ openedAt, expectedAt, closedAt }) =>
                Math.min(openedAt, expectedAt ?? openedAt) < until && (closedAt ?? now) >= from,
            );
            const causes = touching.flatMap((one) => one.causes);
            // The day of a deadline keeps the trouble, also where the run has ended on another day.
            if (causes.includes("unfinished")) continue;
            const ofDay = timeline.entries.filter((entry) => dayOf(entry) >= from && dayOf(entry) < until);
            const counted = ofDay.map((entry) => RESULTS[entry.result].counted);
            const worstOf = (...fields: (typeof counted)[number][]) =>
              fields.find((field) => counted.includes(field)) ?? null;
            const [whole, untold] = [worstOf("failed", "missed", "unknown"), worstOf("missed", "unknown")];
            const told = causes.map((cause) => (cause === "missed" ? cause : "failed"));
            // Of a day without slots and runs a calendar says what the incident is about that was open then.
            const isNotified = ofDay.length === 0 && told.some((cause) => cause === result);
            expect([from, RESULTS[result].counted]).toEqual([from, isNotified ? RESULTS[result].counted : whole]);
            const isPublic = RESULTS[publicDays.get(from)!].counted;
            expect([from, [whole, untold, ...told].includes(isPublic) ? null : isPublic]).toEqual([from, null]);
          }

          // `why`, now and of the past.
          const whyAt = (at: Instant) =>
            granted(service.engine.operate("why", { application: "prod", key: job, at: toIso(at) }));
          for (const { at, status, incidentId } of stood) {
            const why = whyAt(at);
            if (at === now) expect([why.status, why.incidentId]).toEqual([status, incidentId]);
            // Late reports and pauses change what is known of a time, no incident that stood then.
            else if (incidentId !== null) expect([at, why.incidentId]).toEqual([at, incidentId]);
            else if (why.incidentId !== null)
              expect(why.steps.find((step) => sentenceText(step.says[0]!).includes(" opened: "))!.at).toBeGreaterThan(
                at,
              );
            // For the past it is not told what began an interval again (R44).
            const isExcused = job === "every" && why.outcome === "late";
            if (status === "healthy" && why.outcome !== null && !isExcused)
              expect(WELL).toContain(why.outcome as Result);
          }
          for (const entry of timeline.entries) {
            const following = timeline.entries.find(({ at }) => at > entry.at)?.at ?? now;
            // Where nothing is written of an interval that has passed, it counted as no miss.
            const next = job === "every" ? Math.min(following, entry.at + 50 * MINUTE) : following;
            // A report may fill the next slot a minute early.
            const before = next - MINUTE - 1;
            const [settled, ...others] = timeline.entries.filter(({ at }) => at === entry.at);
            const isSettled = others.length === 0 && settled!.run?.result !== "running" && entry.result !== "late";
            const isRunning = timeline.runs.some(({ from, to }) => from !== null && from <= before && to > before);
            const { run, result } = entry;
            const ended = timeline.runs.findLast(({ to }) => to <= before && (to >= entry.at || to === run?.to));
            const came = ended?.result ?? result;
            if (isSettled && !isRunning && before - entry.at > CLOSED)
              expect(said(entry.at, whyAt(before).outcome as Result)).toBe(said(entry.at, came));
          }

          // The story of a page, and what `monitor show` says stayed unknown.
          for (const entry of story.entries)
            if (entry.kind === "report" && entry.result !== null) expect(runs).toContain(said(entry.at, entry.result));
          // What opened an incident is bad there, and so nowhere drawn as a success.
          for (const { at, cause, reason } of service.alarms()) {
            const told = cause === "outcome" ? "wrong" : cause;
            // Its end may have come since, too late or as a failure.
            if (told === "unfinished") expect(timeline.runs.map(({ result }) => RESULTS[result].tone)).toContain("bad");
            if ((told !== "wrong" && told !== "failed") || (reason !== "opened" && reason !== "new_cause")) continue;
            const reported = story.entries.flatMap((entry) =>
              entry.kind === "report" && toIso(entry.heardAt ?? entry.at) === at ? [entry.result] : [],
            );
            // A failure under a pause by hand is told when that ends (R24).
            if (told === "wrong" || reported.length > 0)
              expect([at, reported]).toEqual([at, expect.arrayContaining([told])]);
          }

          // `incident show` of each incident, and what a terminal prints of its reports.
          const { incidents } = granted(service.engine.operate("incident list", { application: "prod", monitor: job }));
          for (const { id: number } of incidents) {
            const { reports } = granted(service.engine.operate("incident show", { id: number }));
            for (const { at, kind, outcome: result } of reports) {
              if (result === null) continue;
              expect(runs).toContain(said(at, result as Result));
              if (RESULTS[result as Result].tone !== "bad" || kind === "fail") continue;
              expect(reportCell({ kind, outcome: result })).toContain(RESULTS[result as Result].says);
            }
          }
          expect(story.entries.flatMap(({ at, kind }) => (kind === "slot" ? [at] : [])).toSorted()).toEqual(
            slotsOf(timeline).flatMap(({ at, result }) => (result === "missed" ? [at] : [])),
          );
          const { unknowns } = granted(service.engine.operate("monitor show", { application: "prod", key: job }));
          for (const { slot } of unknowns) if (slot !== null) expect(slots).toContain(said(slot, "unknown"));
        },
      ),
      { numRuns: RUNS, seed: SEED, endOnFailure: true },
    ),
  300_000,
);

/** A slot of these jobs has closed by then. */
const CLOSED = 2 * MINUTE;

/** A report of any kind takes the doubt about an unknown slot (R26). */
const WELL: readonly Result[] = [
  "unknown",
  "succeeded",
  "overran",
  "covered",
  "running",
  "paused",
  "maintenance",
  "silent",
  "quiet",
  "incomplete",
];

/** A failure belongs to the day on which its run was over. */
const dayOf = ({ at, result, run }: TimelineEntry): Instant =>
  run !== null && RESULTS[result].counted === "failed" ? run.to : at;

const isEnd = isEndResult;
