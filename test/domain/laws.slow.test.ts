// The laws of the core, as properties over random timelines: each timeline is played once, and every law is held
// against it. PROPERTY_RUNS: how many timelines; PROPERTY_SEED: the seed that a failing run has printed, to play it
// again.

import { test } from "bun:test";
import fc from "fast-check";
import { propertyRuns } from "../support/property-runs.ts";
import { streaksAsRuled } from "./laws/drift-model.ts";
import * as incidents from "./laws/incidents.ts";
import * as intervals from "./laws/intervals.ts";
import * as late from "./laws/late.ts";
import { maintenance } from "./laws/maintenance.ts";
import { agreesAtIntervals, agreesWithNaiveModel } from "./laws/model.ts";
import { oneMessage } from "./laws/overdue.ts";
import * as pauses from "./laws/pauses.ts";
import { promises } from "./laws/promises.ts";
import { registries } from "./laws/registry.ts";
import * as runs from "./laws/runs.ts";
import * as slots from "./laws/slots.ts";
import * as time from "./laws/time.ts";
import * as unheard from "./laws/unheard.ts";
import { anyTimelineOf } from "./timelines/arbitrary.ts";
import { anyLateTimelineOf } from "./timelines/late.ts";
import type { Kind } from "./timelines/plan.ts";
import type { Timeline } from "./timelines/timeline.ts";

/** As many as show most mutants; `test/task prove` plays many more, and others each time. */
const { numRuns, seed } = propertyRuns(150);

const TIMELINES = { schedules: anyTimelineOf("schedules"), intervals: anyTimelineOf("intervals") };

const played = new Map<Kind, readonly Timeline[]>();
function timelines(kind: Kind): readonly Timeline[] {
  const known = played.get(kind) ?? fc.sample(TIMELINES[kind], { numRuns, seed });
  played.set(kind, known);
  return known;
}

/** Held against timelines of both kinds; `slotLaw` and `intervalLaw` are about what only one of them has. */
function law(title: string, holds: (timeline: Timeline) => void): void {
  test(title, () => {
    for (const kind of ["schedules", "intervals"] as const) holdAgainst(kind, holds);
  }, 1_200_000);
}

const slotLaw = (title: string, holds: (timeline: Timeline) => void): void =>
  test(title, () => holdAgainst("schedules", holds), 1_200_000);

const intervalLaw = (title: string, holds: (timeline: Timeline) => void): void =>
  test(title, () => holdAgainst("intervals", holds), 1_200_000);

function holdAgainst(kind: Kind, holds: (timeline: Timeline) => void): void {
  try {
    for (const timeline of timelines(kind)) holds(timeline);
  } catch (error) {
    // The same timelines once more, so that the failing one is made as short as can be and printed with its seed.
    fc.assert(fc.property(TIMELINES[kind], holds), { numRuns, seed });
    throw error;
  }
}

law("the same input gives an equal outcome, and no input is changed", time.sameInputSameOutput);
law(
  "R19: extra, late or left-out looks at the clock change neither state nor alerts nor unknowns",
  time.wakeInvariance,
);
law("R19: a look settles everything that is due, and the next look comes when something is due again", time.progress);
law("alert times never decrease and are never after the present", time.alertTimes);
law("R26: a clock that steps back makes nothing due and loses no report", time.clockBehind);

law(
  "R18: the status follows from the facts, critical exactly when an incident is open and nothing pauses",
  incidents.status,
);
law(
  "R23: alerts tell (opening (ContinuedFailure, Acknowledged)* Recovered)*, at most one incident at a time",
  incidents.grammar,
);
law("R23, R24, R41: a signal tells at once what it means, no more and no less", incidents.notifiedAtOnce);
law("R41: the incident opens at the n-th in a row, and a success starts over", incidents.counting);
law("R23: while a run that was told may still report, slots that close are not told as missed", oneMessage);
law("R27: the alert of a wrong result carries what was checked, and no other alert does", incidents.wrongResults);
law("R23: reminders come at their times, none once acknowledged, under a pause or in a gap", incidents.reminders);

slotLaw("R20: a report fills every slot up to its own time and the next when it is near, nothing later", slots.filling);
slotLaw(
  "R20, R21: a slot is missed at its close, never once filled or under a run inside its deadline",
  slots.missedAtItsClose,
);
slotLaw("R19: a late ping still tells the miss, stamped with the close, and then the recovery", slots.latePing);
slotLaw("R12: another schedule keeps the slots that both have as they are, the same one keeps all", slots.declaring);
law("R12: a report is heard before anything is judged by the values it brings", slots.reportingNewValues);
slotLaw("R26: where the last success came is known while its slots are in force", slots.distances);
slotLaw("R26: a miss that is told names the gap that touches it", slots.namesItsGap);
slotLaw("R21, R26: a slot is passed over only under a run inside its deadline, missed or unknown", unheard.passedOver);
slotLaw("R23, R26: what closed in a gap of ours is counted apart from what was missed", unheard.countedApart);
slotLaw("R26: a clock that was wrong is pulled back without an alarm", slots.pulledBack);

law("R22: a duration is null or at least 0 seconds, from a start of the same run", runs.durations);
law("R22: an end belongs to the run of its run_id, else to a run without id, never to another's", runs.pairing);
law("R21, R22: a start opens a run, a new attempt or nothing, and fixes the deadline", runs.starting);
law("R21: without maxRuntime a success gives up the open runs that are older, and nothing else does", runs.outlived);
law("R21: a run is unfinished at its deadline, never before and never in doubt", runs.unfinishedAtItsDeadline);
law(
  "R21: a run that goes on for longer than usual is noted once, in time, and only where nothing hides its end",
  runs.slow,
);
law("R21: what is usual changes neither alerts nor what is known otherwise", runs.usualDecidesNothing);
law("R21: at most 100 runs are watched, and the oldest give way", runs.watchedAtMost);
law("R22: the runs that matter and the one that is named are all a decision needs", runs.mattering);

law("R24: under a pause only a success and an explicit fail speak", pauses.quiet);
slotLaw("R24: a pause ends at its stated instant and leaves nothing overdue behind", pauses.pauseEnds);
law("R24: a fail that a manual pause hushed is told when that pause ends", pauses.pendingFail);
law(
  "R23, R24: an alert announces the reminder that comes, if one does, and the oldest report that is awaited",
  promises,
);
law("R24: a maintenance window is a pause by hand from its start to its end, and a person may end it", maintenance);
slotLaw("R26: a slot in doubt is excused once and never missed on account of that gap alone", pauses.excusedOnce);
law("R26: a run in doubt is judged a minute after the gap at the earliest", pauses.doubtfulRuns);
law("the same declaration again is nothing, the last one wins, and a manual pause survives withdrawal", registries);
slotLaw("R26: a refused report fills slots and does nothing else", pauses.rateLimitedReports);

law("R43: an age of 0 is no age", late.noAge);
law("R43: a late success or start raises no alarm, and a late start is not judged at once", late.noAlarm);
law("R43: a late fail that is older than a success is history", late.history);
law("R43: a late success that is older than a failure ends nothing", late.oldSuccess);
law("R43: a late end ends no run that began after it", late.newerRun);
law("R43: `duration` counts as far as it can be, and lengthens no guess by more than we measured", late.measures);
law("R43: a late fail that is the newest fact opens an incident now and says when it happened", late.newFail);
law("R43: a success leaves the same behind, heard in time or late", late.asInTime);
law("R21, R43: a run that comes late covers and fills as one heard in time does", late.covering);
law("R23, R43: a late end in time of a run that was told tells what was missed since", late.endedInTime);
law("R43: a late report moves one slot that an incident has counted, and loses none", late.counts);
law("R43: runs that come late in their order heal all that was told of them, with one recovery", late.flush);

intervalLaw("R44: an end restarts the interval, a start does not", intervals.beginning);
intervalLaw("R44: its slot is missed at its close, never sooner than that after an end", intervals.missedAtItsClose);
intervalLaw("R44: a dead job is told, whatever recurs", intervals.deadJob);
intervalLaw(
  "R44: another interval counts from the last end; if that has passed, from now or until the old slot",
  intervals.changing,
);
intervalLaw("R24, R44: a pause in which the slot fell begins it again as it ends", intervals.afterPauses);
intervalLaw("R44: what a gap excuses is expected an interval after the gap", intervals.excused);
intervalLaw("R26, R44: a miss names the last gap since the last end", intervals.namesItsGap);

test("R43: whatever comes late, time and telling keep their laws", () => {
  const holds = (timeline: Timeline): void => {
    time.sameInputSameOutput(timeline);
    time.wakeInvariance(timeline);
    time.progress(timeline);
    time.alertTimes(timeline);
    incidents.grammar(timeline);
    runs.watchedAtMost(timeline);
    runs.mattering(timeline);
  };
  for (const kind of ["schedules", "intervals"] as const)
    fc.assert(fc.property(anyLateTimelineOf(kind), holds), { numRuns, seed });
}, 1_200_000);

test("R23: the core tells what a model tells that looks at every second", () => {
  fc.assert(agreesWithNaiveModel, { numRuns, seed });
}, 1_200_000);

test("R44: the core tells of intervals what a model tells that looks at every second", () => {
  fc.assert(agreesAtIntervals, { numRuns, seed });
}, 1_200_000);

test("R13: a streak counts reports in a row that are off their slots by the same quarters of an hour", () => {
  fc.assert(streaksAsRuled, { numRuns, seed });
}, 1_200_000);
