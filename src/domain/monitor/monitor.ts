// A monitor is one watched job: the values in force and the facts known about it. Its status follows from these and is
// never stored (R18). This file has types and small readings only; transition.ts makes every change.

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

/**
 * The kinds of pause that stand (R24). The monitor is paused while any kind stands, and each kind is lifted by itself.
 */
export interface Pauses {
  readonly manual: { readonly until: Instant | null } | null;
  readonly discovery: boolean;
  readonly plan: boolean;
  /** The monitor's application is suspended (R3): reports are refused, and a manual pause does not end meanwhile. */
  readonly suspension: boolean;
}

export type PauseKind = keyof Pauses;

export const PAUSE_KINDS: readonly PauseKind[] = ["manual", "discovery", "plan", "suspension"];

const NO_PAUSES: Pauses = { manual: null, discovery: false, plan: false, suspension: false };

/**
 * Returns the pauses with a manual pause until `until`. Of two manual pauses the one that ends later stands; a pause
 * without an end outlasts any other (R24).
 */
export function withLongerPause(pauses: Pauses, until: Instant | null): Pauses {
  const { manual } = pauses;
  if (until === null || (manual !== null && (manual.until === null || manual.until >= until))) return pauses;
  return { ...pauses, manual: { until } };
}

/** A span in which a report could have been lost (R26). Both ends belong to it. */
export interface Gap {
  readonly from: Instant;
  readonly to: Instant;
  /**
   * How the gap is limited. Without this field it excuses everything that it touches. `closed`: it went on for too
   * long, and excuses only what closed before it was told.
   */
  readonly excuses?: "closed" | "nothing";
}

/** A fail that came during a manual pause (R24). */
export interface PendingFail {
  readonly message: string | null;
  readonly runId: string | null;
  readonly failedAt: Instant;
  /** When the fail was heard, which is later than `failedAt` if its report came late (R43). */
  readonly heardAt: Instant;
}

/** How far from its slot the last success came, in milliseconds; negative when it came early (R26). */
export interface LastSuccess {
  readonly afterSlotMs: number;
  /** How long after the slot the run began; `null` when its start is unknown. */
  readonly startAfterSlotMs: number | null;
}

/**
 * By how many minutes the last reports in a row missed their slots, and how many reports these were. Negative minutes
 * mean early.
 */
export interface Drift {
  /** The minutes, a multiple of 15; 0 when the last report was on time, or off by anything but quarters of an hour. */
  readonly minutes: number;
  readonly reports: number;
}

export const NO_DRIFT: Drift = { minutes: 0, reports: 0 };

export interface Monitor {
  readonly watch: Watch;
  readonly createdAt: Instant;
  /** The newest instant at which anything changed. A clock that is behind it is not believed (R26). */
  readonly changedAt: Instant;
  /** When the event of the newest report of any kind happened; `null` before the first report. */
  readonly receivedAt: Instant | null;
  readonly succeededAt: Instant | null;
  /**
   * When the newest fail, failed outcome check or passed deadline of an unfinished run was; `null` when there was none.
   */
  readonly failedAt: Instant | null;
  /**
   * The oldest slot that is not filled (R20); `null` without a schedule. With an interval later slots follow in whole
   * intervals.
   */
  readonly expectedAt: Instant | null;
  /**
   * Used while `expectedAt` is a slot of the former schedule (R12): the open slots that both schedules have, the oldest
   * first, and then the new schedule's first slot after the change. Usually empty.
   */
  readonly carried: readonly Instant[];
  /**
   * The end of the gap that excused the first of the slots directly before `expectedAt` that were excused in a row;
   * `null` once a report has come (R26).
   */
  readonly excusedBy: Instant | null;
  /**
   * True when no report has come since a slot or a run was unknown (R26), or since a person closed the incident of an
   * overdue monitor.
   */
  readonly unheard: boolean;
  /** When the last success came for the slots in force; `null` when none has come. */
  readonly lastSuccess: LastSuccess | null;
  /** How many misses have come in a row since the last success (R41). */
  readonly misses: number;
  readonly failures: number;
  readonly drift: Drift;
  /** True when the last end failed an outcome check that only warns (R27). */
  readonly warned: boolean;
  readonly pauses: Pauses;
  /** A fail that was the last end received under a manual pause. It is told when that pause ends (R24). */
  readonly pendingFail: PendingFail | null;
  /** The runs that can still matter: at least those that `matteringRuns` names and the one that the signal names. */
  readonly runs: readonly Run[];
  /** The number of runs ever recorded, which is the newest run's number. */
  readonly runCount: number;
  /** How many milliseconds the last run with a start and an end took (R21). */
  readonly lastRunMs: number | null;
  readonly incident: Incident | null;
  /** The number of incidents ever opened, which is the newest one's number. */
  readonly incidentCount: number;
}

export type MonitorFacts = Omit<Monitor, "watch">;

export const STATUSES = ["pending", "healthy", "warning", "critical", "paused"] as const;

export type Status = (typeof STATUSES)[number];

export const NOTHING_CARRIED: readonly Instant[] = [];

/** A monitor before its first signal, created at `at`. It is paused when `at` lies in a maintenance. */
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

/**
 * Whether the monitor counts against the plan's limit (R34). A pause that has an end, and the suspension of its
 * application, leave it counted.
 */
export const isActive = ({ manual, discovery, plan }: Omit<Pauses, "suspension">): boolean =>
  !discovery && !plan && (manual === null || manual.until !== null);

export interface StatusFacts
  extends Pick<Monitor, "pauses" | "expectedAt" | "succeededAt" | "unheard" | "misses" | "failures" | "warned"> {
  readonly incident: Incident | number | null;
}

export const isOverdue = ({ expectedAt }: Pick<Monitor, "expectedAt">, now: Instant): boolean =>
  expectedAt !== null && expectedAt < now;

/** The contract's status, in the order of R18. Time changes it at one instant only: see `isOverdue`. */
export function statusOf(monitor: StatusFacts, now: Instant): Status {
  if (isPaused(monitor)) return "paused";
  if (monitor.incident !== null) return "critical";
  if (isOverdue(monitor, now) || monitor.unheard || monitor.misses > 0 || monitor.failures > 0 || monitor.warned)
    return "warning";
  return monitor.succeededAt === null ? "pending" : "healthy";
}

/**
 * Whether a `warning` deserves attention. A slot that merely waits does only when it has waited for longer than the
 * last success took after its own slot: a job that runs every minute has a waiting slot in each minute.
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
 * The instant from which an interval counts: the newest end or, before any end, the creation. A run that never ended
 * counts by its deadline.
 */
export const lastEndAt = ({ createdAt, succeededAt, failedAt }: Monitor): Instant =>
  succeededAt === null && failedAt === null
    ? createdAt
    : Math.max(succeededAt ?? Number.NEGATIVE_INFINITY, failedAt ?? Number.NEGATIVE_INFINITY);

/** The first expected slot strictly after `after`. `after` must not lie before the first expected slot. */
export const expectedSlotAfter = (monitor: Monitor, after: Instant): Instant | null =>
  monitor.carried.find((slot) => slot > after) ?? slotAfter(monitor, after);

/**
 * Counts the slots of (after, until] that are or were expected; 0 without a schedule. `after` must not lie before the
 * first expected slot.
 */
export function countExpectedSlots(monitor: Monitor, after: Instant, until: Instant): number {
  const { watch, carried, expectedAt } = monitor;
  const from = Math.max(after, carried.at(-1) ?? after);
  const older = carried.filter((slot) => slot > after && slot <= until).length;
  return older + countRhythmSlots(watch, from, until, expectedAt);
}
