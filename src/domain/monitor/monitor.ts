// A monitor: one watched job. What is in force for it and the facts that are known about it; its status follows
// from them and is never stored (R18). Types and small readings only; every change is made in transition.ts.

import { maintenanceUntil } from "../schedule/maintenance.ts";
import { countSlots, nextSlot } from "../schedule/slots.ts";
import type { Applied, CountField, InForce } from "../settings/settings.ts";
import type { Instant } from "../time.ts";
import type { Incident, Reminders } from "./incident.ts";
import type { Run } from "./run.ts";

/** What is in force for a monitor: what was declared, under what the configuration says (R31). */
export interface Watch extends Applied, InForce<CountField> {
  readonly reminders: Reminders;
}

/** R24: a set; the monitor is paused while any of them stands, and each is lifted only by its own kind. */
export interface Pauses {
  readonly manual: { readonly until: Instant | null } | null;
  readonly discovery: boolean;
  readonly plan: boolean;
}

export type PauseKind = keyof Pauses;

export const PAUSE_KINDS: readonly PauseKind[] = ["manual", "discovery", "plan"];

const NO_PAUSES: Pauses = { manual: null, discovery: false, plan: false };

/** Of two pauses by hand the one that ends later stands; one without an end outlasts any (R24). */
export function pausedAlso(pauses: Pauses, until: Instant | null): Pauses {
  const { manual } = pauses;
  if (until === null || (manual !== null && (manual.until === null || manual.until >= until))) return pauses;
  return { ...pauses, manual: { until } };
}

/** R26: a span in which a report could have been lost through us. Both ends belong to it. */
export interface Gap {
  readonly from: Instant;
  readonly to: Instant;
  /** Absent: it excuses everything it touches. `closed`: it went on for too long, and excuses only what closed before it was told. */
  readonly excuses?: "closed" | "nothing";
}

/** R24: a fail that came while a pause by hand stood. */
export interface PendingFail {
  readonly message: string | null;
  readonly runId: string | null;
  readonly failedAt: Instant;
}

/** How far from its slot the last success came: less than 0 when it was early for it (R26). */
export interface LastSuccess {
  readonly afterSlotMs: number;
  /** The start of the run that it ended; null: none was known. */
  readonly startAfterSlotMs: number | null;
}

/** By how many minutes the last reports in a row have missed their slots, and how many they are; negative: they came before. */
export interface Drift {
  /** A multiple of 15; 0: the last report was not off by one. */
  readonly minutes: number;
  readonly reports: number;
}

export const NO_DRIFT: Drift = { minutes: 0, reports: 0 };

export interface Monitor {
  readonly watch: Watch;
  readonly createdAt: Instant;
  /** The newest instant at which anything changed; a clock that stands before it is not believed (R26). */
  readonly changedAt: Instant;
  /** The last accepted report of any kind; null: nothing was ever received. */
  readonly receivedAt: Instant | null;
  readonly succeededAt: Instant | null;
  /** The oldest slot that nothing has filled (R20); null without a schedule. */
  readonly expectedAt: Instant | null;
  /**
   * Where `expectedAt` is older than the schedule in force: all open slots that the one before had too, the oldest first,
   * then the first of the new one after the change (R12). Empty in ordinary times.
   */
  readonly carried: readonly Instant[];
  /** End of the gap that excused the first of the slots in a row before `expectedAt`, while nothing has come since (R26). */
  readonly excusedBy: Instant | null;
  /** A slot or a run is unknown, and no report has come since (R26). */
  readonly unheard: boolean;
  /** Null: none has come yet on the slots in force. */
  readonly lastSuccess: LastSuccess | null;
  /** In a row, since the last success (R41). */
  readonly misses: number;
  readonly failures: number;
  /** How far off their slots the last reports have come (R13). */
  readonly drift: Drift;
  /** The last end failed an outcome check that only warns (R27). */
  readonly warned: boolean;
  readonly pauses: Pauses;
  /** The fail that was the last end received under a manual pause: it is told when that ends (R24). */
  readonly pendingFail: PendingFail | null;
  /** Runs that can still matter: at least those `matteringRuns` names and the one the signal names. */
  readonly runs: readonly Run[];
  /** Runs ever recorded; the newest run's number. */
  readonly runCount: number;
  /** Milliseconds from start to end of the last run that had both (R21). */
  readonly lastRunMs: number | null;
  /** The open incident; at most one (R23). */
  readonly incident: Incident | null;
  /** Incidents ever opened; the newest one's number. */
  readonly incidentCount: number;
}

/** What is known of a monitor, without what is in force for it. */
export type MonitorFacts = Omit<Monitor, "watch">;

export const STATUSES = ["pending", "healthy", "warning", "critical", "paused"] as const;

export type Status = (typeof STATUSES)[number];

export const NOTHING_CARRIED: readonly Instant[] = [];

/** A monitor as it is before its first signal: paused when it is created in a maintenance window. `at`: when it is. */
export const newMonitor = (watch: Watch, at: Instant): Monitor => ({
  watch,
  createdAt: at,
  changedAt: at,
  receivedAt: null,
  succeededAt: null,
  expectedAt: slotAfter(watch, at),
  carried: NOTHING_CARRIED,
  excusedBy: null,
  unheard: false,
  lastSuccess: null,
  misses: 0,
  failures: 0,
  drift: NO_DRIFT,
  warned: false,
  pauses: pausedAlso(NO_PAUSES, maintenanceUntil(watch, at)),
  pendingFail: null,
  runs: [],
  runCount: 0,
  lastRunMs: null,
  incident: null,
  incidentCount: 0,
});

export const isPaused = ({ pauses: { manual, discovery, plan } }: Pick<Monitor, "pauses">): boolean =>
  manual !== null || discovery || plan;

/** Whether it counts against the plan's capacity: it is watched, or will be again by itself (R34). */
export const isActive = ({ manual, discovery, plan }: Pauses): boolean =>
  !discovery && !plan && (manual === null || manual.until !== null);

/** What the status follows from. */
export interface StatusFacts
  extends Pick<Monitor, "pauses" | "expectedAt" | "succeededAt" | "unheard" | "misses" | "failures" | "warned"> {
  /** The open one, or its id. */
  readonly incident: Incident | number | null;
}

/** The status the contract shows, derived in the order of R18. */
export function statusOf(monitor: StatusFacts, now: Instant): Status {
  if (isPaused(monitor)) return "paused";
  if (monitor.incident !== null) return "critical";
  const overdue = monitor.expectedAt !== null && monitor.expectedAt < now;
  if (overdue || monitor.unheard || monitor.misses > 0 || monitor.failures > 0 || monitor.warned) return "warning";
  return monitor.succeededAt === null ? "pending" : "healthy";
}

/** The first slot strictly after `after`; null without a schedule. */
export const slotAfter = (watch: Watch, after: Instant): Instant | null =>
  watch.schedule === null ? null : nextSlot(watch.schedule, watch.timezone, after);

/** The first slot strictly after `after` that is expected; `after`: not before the one that is expected first. */
export const expectedSlotAfter = ({ watch, carried }: Monitor, after: Instant): Instant | null =>
  carried.find((slot) => slot > after) ?? slotAfter(watch, after);

/** How many slots of (after, until] are expected, or were; `after` as above. 0 without a schedule. */
export function countExpectedSlots({ watch, carried }: Monitor, after: Instant, until: Instant): number {
  if (watch.schedule === null) return 0;
  const from = Math.max(after, carried.at(-1) ?? after);
  const older = carried.filter((slot) => slot > after && slot <= until).length;
  return older + countSlots(watch.schedule, watch.timezone, from, until);
}
