// A monitor: one watched job, with the values in force and the facts known about it. Its status follows from them and
// is never stored (R18). Types and small readings only; transition.ts makes every change.

import { LIKELY_WITHIN } from "../limits.ts";
import { maintenanceUntil } from "../schedule/maintenance.ts";
import { countRhythmSlots, firstSlot, rhythmSlotAfter } from "../schedule/rhythm.ts";
import type { AppliedValues, CountField, ValuesInForce } from "../settings/settings.ts";
import type { Instant } from "../time.ts";
import type { Incident, Reminders } from "./incident.ts";
import type { Run } from "./run.ts";

/** The values in force for a monitor: the declared ones, overridden by the configuration (R31). */
export interface Watch extends AppliedValues, ValuesInForce<CountField> {
  readonly reminders: Reminders;
}

/** R24: a set. The monitor is paused while any of them stands; only its own kind lifts each. */
export interface Pauses {
  readonly manual: { readonly until: Instant | null } | null;
  readonly discovery: boolean;
  readonly plan: boolean;
  /** Its application is suspended (R3): no report is taken, and a pause by hand does not end meanwhile. */
  readonly suspension: boolean;
}

export type PauseKind = keyof Pauses;

export const PAUSE_KINDS: readonly PauseKind[] = ["manual", "discovery", "plan", "suspension"];

const NO_PAUSES: Pauses = { manual: null, discovery: false, plan: false, suspension: false };

/** Of two pauses by hand, the one that ends later stands; one without an end outlasts any (R24). */
export function withLongerPause(pauses: Pauses, until: Instant | null): Pauses {
  const { manual } = pauses;
  if (until === null || (manual !== null && (manual.until === null || manual.until >= until))) return pauses;
  return { ...pauses, manual: { until } };
}

/** R26: a span in which we could have lost a report. Both ends belong to it. */
export interface Gap {
  readonly from: Instant;
  readonly to: Instant;
  /** Absent: excuses all it touches. `closed`: went on for too long, excuses only what closed before we reported it. */
  readonly excuses?: "closed" | "nothing";
}

/** R24: a fail that came during a pause by hand. */
export interface PendingFail {
  readonly message: string | null;
  readonly runId: string | null;
  readonly failedAt: Instant;
  /** Later than it failed, if its report came late (R43). */
  readonly heardAt: Instant;
}

/** How far from its slot the last success came; negative when it came early (R26). */
export interface LastSuccess {
  readonly afterSlotMs: number;
  /** The start of the run that it ended; null: unknown. */
  readonly startAfterSlotMs: number | null;
}

/** By how many minutes the last reports in a row missed their slots, and how many they are; negative: early. */
export interface Drift {
  /** A multiple of 15; 0: the last report was on time, or off by something else. */
  readonly minutes: number;
  readonly reports: number;
}

export const NO_DRIFT: Drift = { minutes: 0, reports: 0 };

export interface Monitor {
  readonly watch: Watch;
  readonly createdAt: Instant;
  /** The newest instant at which anything changed; we do not believe a clock that is behind it (R26). */
  readonly changedAt: Instant;
  /** When the newest report of any kind happened, which is when it came unless it was late; null: none came. */
  readonly receivedAt: Instant | null;
  readonly succeededAt: Instant | null;
  /** When the newest fail, failed outcome or passed deadline of an unfinished run was; null: there was none. */
  readonly failedAt: Instant | null;
  /**
   * The oldest slot that nothing has filled (R20); null without a schedule. With an interval the others follow from it:
   * they lie whole intervals apart.
   */
  readonly expectedAt: Instant | null;
  /**
   * When `expectedAt` is older than the schedule in force: all open slots that the old schedule shares, the oldest
   * first, then the new schedule's first slot after the change (R12). Usually empty.
   */
  readonly carried: readonly Instant[];
  /** End of the gap that excused the first slot in the row before `expectedAt`; null once a report has come (R26). */
  readonly excusedBy: Instant | null;
  /** No report since a slot or a run was unknown (R26), or since a person closed an incident that is overdue. */
  readonly unheard: boolean;
  /** Null: none has come yet for the slots in force. */
  readonly lastSuccess: LastSuccess | null;
  /** In a row, since the last success (R41). */
  readonly misses: number;
  readonly failures: number;
  readonly drift: Drift;
  /** The last end failed an outcome check that only warns (R27). */
  readonly warned: boolean;
  readonly pauses: Pauses;
  /** The fail that was the last end received under a pause by hand: we report it when that pause ends (R24). */
  readonly pendingFail: PendingFail | null;
  /** Runs that can still matter: at least those that `matteringRuns` names and the one that the signal names. */
  readonly runs: readonly Run[];
  /** Runs ever recorded; the newest run's number. */
  readonly runCount: number;
  /** Milliseconds from start to end of the last run that had both (R21). */
  readonly lastRunMs: number | null;
  readonly incident: Incident | null;
  /** Incidents ever opened; the newest one's number. */
  readonly incidentCount: number;
}

export type MonitorFacts = Omit<Monitor, "watch">;

export const STATUSES = ["pending", "healthy", "warning", "critical", "paused"] as const;

export type Status = (typeof STATUSES)[number];

export const NOTHING_CARRIED: readonly Instant[] = [];

/** A monitor before its first signal, created at `at`; paused when that is inside a maintenance window. */
export const newMonitor = (watch: Watch, at: Instant): Monitor => ({
  watch,
  createdAt: at,
  changedAt: at,
  receivedAt: null,
  succeededAt: null,
  failedAt: null,
  expectedAt: firstSlot(watch, at),
  carried: NOTHING_CARRIED,
  excusedBy: null,
  unheard: false,
  lastSuccess: null,
  misses: 0,
  failures: 0,
  drift: NO_DRIFT,
  warned: false,
  pauses: withLongerPause(NO_PAUSES, maintenanceUntil(watch, at)),
  pendingFail: null,
  runs: [],
  runCount: 0,
  lastRunMs: null,
  incident: null,
  incidentCount: 0,
});

export const isPaused = ({ pauses: { manual, discovery, plan, suspension } }: Pick<Monitor, "pauses">): boolean =>
  manual !== null || discovery || plan || suspension;

/** Whether it counts against the plan (R34): watched now, or again without a person or with its application. */
export const isActive = ({ manual, discovery, plan }: Omit<Pauses, "suspension">): boolean =>
  !discovery && !plan && (manual === null || manual.until !== null);

export interface StatusFacts
  extends Pick<Monitor, "pauses" | "expectedAt" | "succeededAt" | "unheard" | "misses" | "failures" | "warned"> {
  readonly incident: Incident | number | null;
}

export const isOverdue = ({ expectedAt }: Pick<Monitor, "expectedAt">, now: Instant): boolean =>
  expectedAt !== null && expectedAt < now;

/** The contract's status, in the order of R18. Time changes it at one instant alone: see `isOverdue`. */
export function statusOf(monitor: StatusFacts, now: Instant): Status {
  if (isPaused(monitor)) return "paused";
  if (monitor.incident !== null) return "critical";
  if (isOverdue(monitor, now) || monitor.unheard || monitor.misses > 0 || monitor.failures > 0 || monitor.warned)
    return "warning";
  return monitor.succeededAt === null ? "pending" : "healthy";
}

/**
 * Whether a `warning` is worth a person's look: it has another reason than a slot that waits, or the slot waits for
 * longer than the last success came after its own. A job that runs every minute has a slot that waits in each minute.
 */
export function isLaterThanUsual(
  { lastSuccess, ...facts }: StatusFacts & Pick<Monitor, "lastSuccess">,
  now: Instant,
): boolean {
  if (statusOf({ ...facts, expectedAt: null }, now) === "warning") return true;
  const usually = Math.max(0, lastSuccess?.afterSlotMs ?? 0) + LIKELY_WITHIN;
  return facts.expectedAt !== null && now > facts.expectedAt + usually;
}

export type Expecting = Pick<Monitor, "watch" | "expectedAt">;

export const slotAfter = ({ watch, expectedAt }: Expecting, after: Instant): Instant | null =>
  rhythmSlotAfter(watch, after, expectedAt);

/**
 * When the newest end happened or, before any, when it was created: from there an interval counts. A run that did not
 * end counts by its deadline.
 */
export const lastEndAt = ({ createdAt, succeededAt, failedAt }: Monitor): Instant =>
  succeededAt === null && failedAt === null
    ? createdAt
    : Math.max(succeededAt ?? Number.NEGATIVE_INFINITY, failedAt ?? Number.NEGATIVE_INFINITY);

/** The first slot strictly after `after` that is expected; `after`: not before the first expected slot. */
export const expectedSlotAfter = (monitor: Monitor, after: Instant): Instant | null =>
  monitor.carried.find((slot) => slot > after) ?? slotAfter(monitor, after);

/** How many slots of (after, until] are expected, or were; `after` as above. 0 without a schedule. */
export function countExpectedSlots(monitor: Monitor, after: Instant, until: Instant): number {
  const { watch, carried, expectedAt } = monitor;
  const from = Math.max(after, carried.at(-1) ?? after);
  const older = carried.filter((slot) => slot > after && slot <= until).length;
  return older + countRhythmSlots(watch, from, until, expectedAt);
}
