// What random timelines must bring of intervals for their laws to mean anything (R44): each way one restarts, is
// missed, is put off or changes. A list of names, each with how a moment shows it.

import { isPaused } from "../../../src/domain/monitor/monitor.ts";
import { isOpen } from "../../../src/domain/monitor/run.ts";
import { closeOf, isEnd } from "./facts.ts";
import type { Moment } from "./timeline.ts";

/** The interval that holds before and after this moment, in milliseconds; null: there is none, or another. */
function lengthIn({ before, after }: Moment): number | null {
  const { everySeconds } = after.monitor.watch;
  return everySeconds === null || before.watch.everySeconds !== everySeconds ? null : everySeconds * 1000;
}

const declares = ({ signal }: Moment): boolean => signal.kind === "declare";

/** The slot that is expected after this moment lies one interval after this instant. */
const expectsAfter = (moment: Moment, from: number): boolean => {
  const length = lengthIn(moment);
  return length !== null && moment.after.monitor.expectedAt === from + length;
};

export const INTERVAL_EVENTS: Record<string, (moment: Moment) => boolean> = {
  "an end that restarts an interval before its slot": (moment) =>
    isEnd(moment.signal) && expectsAfter(moment, moment.at) && moment.before.expectedAt! > moment.at,
  "an end that restarts an interval after its slot": (moment) =>
    isEnd(moment.signal) && expectsAfter(moment, moment.at) && moment.before.expectedAt! < moment.at,
  "a start that leaves the slot where it is": (moment) =>
    moment.signal.kind === "start" &&
    lengthIn(moment) !== null &&
    moment.before.expectedAt !== null &&
    moment.after.monitor.expectedAt === moment.before.expectedAt,
  "a slot of an interval that waits for a run": (moment) => {
    const { before, after, at } = moment;
    if (lengthIn(moment) === null || before.expectedAt === null || before.incident !== null) return false;
    const close = closeOf(before.watch, before.expectedAt);
    const covered = before.runs.some((run) => isOpen(run) && run.deadline > at && run.deadline > close);
    return covered && close < at && after.monitor.expectedAt === before.expectedAt;
  },
  "several missed slots of an interval": (moment) =>
    lengthIn(moment) !== null && (moment.after.monitor.incident?.missedSlots ?? 0) > 2,
  "an interval shorter than its grace that is missed": (moment) =>
    (lengthIn(moment) ?? Number.POSITIVE_INFINITY) < moment.after.monitor.watch.graceSeconds * 1000 &&
    moment.after.alerts.some(({ cause, reason }) => cause === "missed" && reason === "opened"),
  "an interval that becomes another": (moment) =>
    declares(moment) &&
    moment.before.watch.everySeconds !== null &&
    moment.after.monitor.watch.everySeconds !== null &&
    lengthIn(moment) === null,
  "an interval that becomes a schedule": (moment) =>
    declares(moment) && moment.before.watch.everySeconds !== null && moment.after.monitor.watch.schedule !== null,
  "a schedule that becomes an interval": (moment) =>
    declares(moment) && moment.before.watch.schedule !== null && moment.after.monitor.watch.everySeconds !== null,
  "a job that is overdue by its new interval": (moment) =>
    declares(moment) &&
    moment.after.monitor.watch.everySeconds !== null &&
    lengthIn(moment) === null &&
    (moment.after.monitor.expectedAt ?? Number.POSITIVE_INFINITY) <= moment.at,
  "a slot of an interval that a gap puts off": (moment) =>
    moment.after.unknowns.some(({ slot, gap }) => slot !== null && gap !== null && expectsAfter(moment, gap.to)),
  "an interval that restarts as a pause ends": (moment) =>
    moment.signal.kind === "resume" &&
    isPaused(moment.before) &&
    !isPaused(moment.after.monitor) &&
    expectsAfter(moment, moment.at),
  "a refused report that fills a slot of an interval": (moment) =>
    moment.signal.kind === "refused" && expectsAfter(moment, moment.at),
  "an interval whose clock is pulled back": (moment) =>
    moment.signal.kind === "rebase" && lengthIn(moment) !== null && moment.after.monitor.expectedAt !== null,
};
