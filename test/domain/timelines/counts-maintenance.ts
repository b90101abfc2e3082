// What random timelines must bring of maintenance windows for its law to mean anything: each way a window and a pause
// can meet. A list of names, each with how a moment shows it.

import { isOpen } from "../../../src/domain/monitor/run.ts";
import { closeOf, isManual, windowEnd, windowsIn } from "./facts.ts";
import type { Moment } from "./timeline.ts";

/** Where the windows that time came to in this moment begin. */
const beginnings = ({ before, at }: Moment): readonly number[] =>
  windowsIn(before.watch, before.changedAt, at).map(({ from }) => from);

const beginsPause = ({ before, after }: Moment): boolean => !isManual(before) && isManual(after.monitor);

const insideWindow = ({ before, at }: Moment): boolean => windowEnd(before.watch, at) !== null;

export const MAINTENANCE_EVENTS: Record<string, (moment: Moment) => boolean> = {
  "a window that pauses": (moment) => moment.signal.kind === "wake" && beginsPause(moment),
  "a window that makes a pause longer": ({ signal, before, after }) =>
    signal.kind === "wake" &&
    before.pauses.manual?.until != null &&
    (after.monitor.pauses.manual?.until ?? 0) > before.pauses.manual.until,
  "a window that begins as a pause ends": (moment) => {
    const until = moment.before.pauses.manual?.until ?? null;
    return until !== null && beginnings(moment).includes(until);
  },
  "a window under a pause without an end": (moment) =>
    moment.before.pauses.manual?.until === null && beginnings(moment).length > 0,
  "a window under a pause of another kind": (moment) =>
    (moment.before.pauses.discovery || moment.before.pauses.plan) && beginsPause(moment),
  "a window that begins as a slot closes": (moment) => {
    const { expectedAt, watch } = moment.before;
    return expectedAt !== null && beginnings(moment).includes(closeOf(watch, expectedAt));
  },
  "a window that begins at a run's deadline": (moment) =>
    moment.before.runs.some((run) => isOpen(run) && beginnings(moment).includes(run.deadline)),
  "a look that finds more than one window": (moment) => beginnings(moment).length > 1,
  "a fail in a window": (moment) =>
    moment.signal.kind === "fail" &&
    isManual(moment.before) &&
    insideWindow(moment) &&
    moment.after.monitor.pendingFail !== null,
  "a resume in a window": (moment) =>
    moment.signal.kind === "resume" &&
    moment.signal.pause === "manual" &&
    isManual(moment.before) &&
    insideWindow(moment),
  "a pause in a window that ends before it": (moment) => {
    const { signal, before, at } = moment;
    const paused = signal.kind === "pause" && signal.pause === "manual" && signal.until !== null && signal.until > at;
    return paused && signal.until! < (windowEnd(before.watch, at) ?? 0);
  },
  "a declaration that begins maintenance": (moment) => moment.signal.kind === "declare" && beginsPause(moment),
  "a declaration that ends maintenance": ({ signal, before, after }) =>
    signal.kind === "declare" && isManual(before) && !isManual(after.monitor),
  "a window that comes once": ({ before, at }) =>
    before.watch.maintenance.some((window) => "from" in window && window.from > before.changedAt && window.from <= at),
  "a monitor that stays resumed in a window": (moment) =>
    moment.signal.kind !== "resume" && insideWindow(moment) && !isManual(moment.before) && !beginsPause(moment),
  "a monitor created in a window": ({ before }) =>
    before.changedAt === before.createdAt && windowEnd(before.watch, before.createdAt) !== null,
  "a clock pulled back out of a window": ({ signal, before, after }) =>
    signal.kind === "rebase" && isManual(before) && !isManual(after.monitor),
  "a clock pulled back into a window": (moment) => moment.signal.kind === "rebase" && beginsPause(moment),
};
