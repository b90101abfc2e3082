// What random timelines must bring for the laws to mean anything: each signal, each arrow of the contract's state
// table, each kind of alert, each way a run or a slot can go. A list of names, each with how a moment shows it.

import { isPaused, type Status, statusOf } from "../../../src/domain/monitor/monitor.ts";
import { isOpen, type Run } from "../../../src/domain/monitor/run.ts";
import { INTERVAL_EVENTS } from "./counts-intervals.ts";
import { MAINTENANCE_EVENTS } from "./counts-maintenance.ts";
import { closeOf, firstUnfilledBy, gapsOnSlot, isEnd, isReport, isSuccess, slotAfter } from "./facts.ts";
import type { Kind } from "./plan.ts";
import type { Moment, Timeline } from "./timeline.ts";

/** How often each of them occurs in timelines of this kind, with 0 for what never does. */
export function countOccurrences(kind: Kind, timelines: readonly Timeline[]): ReadonlyMap<string, number> {
  const events = Object.entries(EVENTS_OF[kind]);
  const names = [...SIGNALS, ...ARROWS, ...ALERTS, ...events.map(([name]) => name)];
  const counts = new Map(names.map((name) => [name, 0]));
  const count = (name: string): void => {
    const known = counts.get(name);
    if (known !== undefined) counts.set(name, known + 1);
  };
  for (const { moments } of timelines) {
    let last: Status = "pending";
    for (const moment of moments) {
      const status = statusOf(moment.after.monitor, moment.at);
      count(signalName(moment));
      count(`${last} → ${status}`);
      last = status;
      for (const { kind, reason, cause } of moment.after.alerts) count(`${kind} (${reason}, ${cause})`);
      for (const [name, occurs] of events) if (occurs(moment)) count(name);
    }
  }
  return counts;
}

function signalName({ signal }: Moment): string {
  if (signal.kind === "heartbeat" || signal.kind === "complete")
    return `${signal.kind}, checks ${signal.checks.verdict}`;
  if (signal.kind === "resume") return `resume ${signal.pause}`;
  if (signal.kind !== "pause") return signal.kind;
  if (signal.pause !== "manual") return `pause by ${signal.pause}`;
  return signal.until === null ? "pause without an end" : "pause with an end";
}

const SIGNALS = [
  ...["heartbeat", "complete"].flatMap((kind) => ["passed", "warned", "failed"].map((v) => `${kind}, checks ${v}`)),
  ...[
    "start",
    "fail",
    "refused",
    "declare",
    "withdraw",
    "acknowledge",
    "unacknowledge",
    "resolve",
    "delete",
    "wake",
    "rebase",
  ],
  ...["pause with an end", "pause without an end", "pause by plan"],
  ...["resume manual", "resume discovery", "resume plan"],
];

const ARROWS = [
  ...["pending → healthy", "pending → warning", "pending → critical", "pending → paused"],
  ...["healthy → warning", "healthy → critical", "healthy → paused"],
  ...["warning → healthy", "warning → critical", "warning → paused"],
  ...["critical → healthy", "critical → paused", "critical → critical"],
  ...["paused → pending", "paused → healthy", "paused → warning", "paused → critical", "paused → paused"],
];

const CAUSES = ["missed", "failed", "unfinished", "outcome"];
const ALERTS = [
  ...CAUSES.map((cause) => `InitialFailure (opened, ${cause})`),
  "NeverExecuted (opened, missed)",
  ...CAUSES.flatMap((cause) =>
    ["new_cause", "reminder", "last_reminder"].map((r) => `ContinuedFailure (${r}, ${cause})`),
  ),
  ...CAUSES.map((cause) => `Acknowledged (acknowledged, ${cause})`),
  ...["success", "resolved", "withdrawn", "deleted"].map((reason) => `Recovered (${reason}, missed)`),
];

const runBefore = ({ before, after }: Moment): Run | null =>
  before.runs.find(({ number }) => number === after.run?.number) ?? null;

const became = ({ before, after }: Moment, state: Run["state"]): boolean =>
  after.monitor.runs.some(
    (run) => run.state === state && before.runs.some((was) => was.number === run.number && isOpen(was)),
  );

/** The newest gap known touches a slot that is expected. */
const expectedInDoubt = ({ before, gaps }: Moment): boolean =>
  before.expectedAt !== null && gapsOnSlot(before, before.expectedAt, gaps).length > 0;

const EVENTS: Record<string, (moment: Moment) => boolean> = {
  "a tolerated miss": ({ before, after }) => after.monitor.incident === null && after.monitor.misses > before.misses,
  "a tolerated failure": ({ before, after, signal }) =>
    !isPaused(before) && signal.kind === "fail" && after.monitor.incident === null,
  "an unknown slot": ({ after }) => after.unknowns.some(({ slot, gap }) => slot !== null && gap !== null),
  "an unknown run": ({ after }) => after.unknowns.some(({ run }) => run !== null),
  "slots unknown by a refused report": ({ after }) => after.unknowns.some(({ gap }) => gap === null),
  "a slot in doubt that is missed all the same": ({ before, after, gaps }) =>
    after.alerts.some(
      ({ reason, cause, incident }) =>
        (reason === "opened" || reason === "new_cause") &&
        cause === "missed" &&
        gapsOnSlot(before, incident.expectedAt!, gaps).length > 0,
    ),
  "a doubtful slot that a report still fills": (moment) =>
    isReport(moment) && expectedInDoubt(moment) && moment.at > closeOf(moment.before.watch, moment.before.expectedAt!),
  "a hushed fail": ({ before, after }) => before.pendingFail === null && after.monitor.pendingFail !== null,
  "a hushed fail that is told": ({ before, after, signal }) =>
    before.pendingFail !== null && signal.kind !== "fail" && after.alerts.some(({ cause }) => cause === "failed"),
  "a fail under a pause that no person asked for": ({ before, signal, after }) =>
    isPaused(before) && before.pauses.manual === null && signal.kind === "fail" && after.alerts.length > 0,
  "a recovery under a pause": ({ before, after }) =>
    isPaused(before) && isPaused(after.monitor) && after.alerts.some(({ reason }) => reason === "success"),
  "two pauses at once": ({ after }) => Object.values(after.monitor.pauses).filter(Boolean).length > 1,
  "an acknowledged incident with a new cause": ({ after }) =>
    after.alerts.some(({ reason, incident }) => reason === "new_cause" && incident.acknowledgedAt !== null),
  "a legacy pairing": ({ after }) => after.run?.legacy === true,
  "a late start": (moment) =>
    moment.signal.kind === "start" && moment.after.run?.durationSeconds === null && moment.after.run.state === "ended",
  "a second attempt": (moment) =>
    runBefore(moment)?.startedAt != null && !isOpen(runBefore(moment)!) && moment.after.run?.startedAt === moment.at,
  "a second start of an open run": (moment) =>
    moment.signal.kind === "start" && runBefore(moment) !== null && isOpen(runBefore(moment)!),
  "a start that takes over the id of an open run": ({ signal, before, after }) =>
    signal.kind === "start" &&
    signal.runId !== null &&
    before.runs.some((run) => isOpen(run) && run.runId === signal.runId && run.number !== after.run!.number),
  "a late copy of a start": (moment) =>
    moment.signal.kind === "start" &&
    runBefore(moment)?.startedAt != null &&
    moment.after.run!.state === "ended" &&
    moment.after.run!.startedAt !== moment.at,
  "a success of a run that began before the one that failed": (moment) =>
    isSuccess(moment) && moment.after.monitor.incident !== null,
  "slots that closed while an overdue run might still report": ({ before, after }) =>
    before.incident?.awaitsRun === true &&
    !before.incident.causes.includes("missed") &&
    (after.monitor.incident?.missedSlots ?? 0) > before.incident.missedSlots,
  "a miss that is told once an overdue run has reported": ({ after }) =>
    after.alerts.some(
      ({ reason, cause, incident }) =>
        reason === "new_cause" &&
        cause === "missed" &&
        incident.causes.includes("unfinished") &&
        incident.missedSlots > 0,
    ),
  "a run that a later one has outlived": ({ signal, after }) => signal.kind === "complete" && after.outlived.length > 0,
  "a run that a heartbeat without a start has outlived": ({ after }) => after.run === null && after.outlived.length > 0,
  "a late end of a run that was told": (moment) => isEnd(moment.signal) && runBefore(moment)?.state === "unfinished",
  "a run that ends twice": (moment) => isEnd(moment.signal) && runBefore(moment)?.endedAt != null,
  "an end without a start": ({ signal, after }) => isEnd(signal) && after.run !== null && after.run.startedAt === null,
  "a complete that uses a heartbeat's start": (moment) =>
    moment.signal.kind === "complete" &&
    moment.after.run?.legacy === true &&
    runBefore(moment)?.endedBy === "heartbeat",
  "a run_id that is forgotten": ({ signal, before, after }) =>
    signal.kind === "start" &&
    before.runs.some((r) => r.runId === signal.runId && r.number !== after.run!.number && r.runId !== null),
  "a run that gives way to a newer one": (moment) => moment.signal.kind === "start" && became(moment, "incomplete"),
  "a run whose deadline fell into a pause": (moment) => isPaused(moment.before) && became(moment, "incomplete"),
  "more than one open run": ({ after }) => after.monitor.runs.filter(isOpen).length > 1,
  "a slot that closed under a run": ({ before, at }) =>
    before.expectedAt !== null &&
    before.runs.some((r) => isOpen(r) && r.deadline > closeOf(before.watch, before.expectedAt!)) &&
    closeOf(before.watch, before.expectedAt) < at,
  "an early report that fills the next slot": (moment) => {
    const { before, at } = moment;
    return isReport(moment) && firstUnfilledBy(moment, before.watch) !== slotAfter(before.watch, at);
  },
  "a report at the very close": (moment) =>
    isReport(moment) &&
    moment.before.expectedAt !== null &&
    moment.at === closeOf(moment.before.watch, moment.before.expectedAt),
  "a success after the close": (moment) =>
    isSuccess(moment) && moment.after.alerts.some(({ reason, cause }) => reason === "success" && cause === "missed"),
  "a look that settles more than one thing": ({ signal, after }) => signal.kind === "wake" && after.alerts.length > 2,
  "a clock that stepped back": ({ now, before }) => now < before.changedAt,
  "more than one gap": ({ gaps }) => gaps.length > 1,
  "a gap of more than a day": ({ gaps }) => gaps.some(({ from, to }) => to - from > 86_400_000),
  ...MAINTENANCE_EVENTS,
};

/** What comes of slots that are known without a report. */
const SCHEDULE_EVENTS: typeof EVENTS = {
  "a slot that is missed although a short gap touches it": ({ before, after, gaps }) =>
    after.alerts.some(
      ({ reason, gap, incident }) =>
        gap !== null &&
        reason === "opened" &&
        incident.expectedAt !== null &&
        after.monitor.watch.schedule !== null &&
        gapsOnSlot({ ...before, watch: after.monitor.watch }, incident.expectedAt, gaps).length === 0,
    ),
  "an open slot that another schedule has too": ({ before, after }) =>
    before.carried.length === 0 && after.monitor.carried.length > 0,
  "a carried slot that is missed": ({ before, after }) =>
    after.alerts.some(
      ({ cause, incident, reason }) =>
        cause === "missed" && reason === "opened" && before.carried.includes(incident.expectedAt!),
    ),
  "no schedule": ({ before }) => before.watch.schedule === null,
};

const EVENTS_OF: Readonly<Record<Kind, typeof EVENTS>> = {
  schedules: { ...EVENTS, ...SCHEDULE_EVENTS },
  intervals: { ...EVENTS, ...INTERVAL_EVENTS },
};
