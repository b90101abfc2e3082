// A monitor is one watched job: its settings and what is known about it. Its status is computed from these and never
// stored (R18). This file has types and small computations; transition.ts makes every change.

import { LIKELY_WITHIN } from "../limits.ts";
import { maintenanceUntil } from "../schedule/maintenance.ts";
import { countRhythmSlots, firstSlot, rhythmSlotAfter } from "../schedule/rhythm.ts";
import type { AppliedValues, CountField, ValuesInForce } from "../settings/settings.ts";
import type { Instant } from "../time.ts";
import type { Incident, Reminders } from "./incident.ts";
import type { Run } from "./run.ts";

/** The settings in force for a monitor: what the configuration says, otherwise what was declared (R31). */
export interface Watch extends AppliedValues, ValuesInForce<CountField> {
  readonly reminders: Reminders;
}

/**
 * Who has paused the monitor (R24): a person or a maintenance (`manual`), a registry (`discovery`), the limit of the
 * paid plan (`plan`), or the suspension of the application. It is paused as long as one of them lasts.
 */
export interface Pauses {
  readonly manual: { readonly until: Instant | null } | null;
  readonly discovery: boolean;
  readonly plan: boolean;
  /**
   * True while the application is suspended (R3): reports are refused, and a manual pause goes on after its time is
   * over.
   */
  readonly suspension: boolean;
}

export type PauseKind = keyof Pauses;

export const PAUSE_KINDS: readonly PauseKind[] = ["manual", "discovery", "plan", "suspension"];

const NO_PAUSES: Pauses = { manual: null, discovery: false, plan: false, suspension: false };

/**
 * Returns the pauses with a manual pause that lasts at least until `until`; unchanged when `until` is `null`. A manual
 * pause that lasts longer, or that has no end, stays as it is (R24).
 */
export function withLongerPause(pauses: Pauses, until: Instant | null): Pauses {
  const { manual } = pauses;
  if (until === null || (manual !== null && (manual.until === null || manual.until >= until))) return pauses;
  return { ...pauses, manual: { until } };
}

/** A time in which a report could have been lost, because rollcall could not hear (R26). Both ends belong to it. */
export interface Gap {
  readonly from: Instant;
  readonly to: Instant;
  /**
   * What the gap excuses. Absent: every slot and run whose report it may have swallowed. `closed`: the gap went on for
   * too long, and excuses only what is over within a minute after it. `nothing`: it excuses none.
   */
  readonly excuses?: "closed" | "nothing";
}

/** A fail that came under a manual pause, so that it is told only when the pause ends (R24). */
export interface PendingFail {
  readonly message: string | null;
  readonly runId: string | null;
  readonly failedAt: Instant;
  /** When rollcall received the fail; later than `failedAt` if the report came late (R43). */
  readonly heardAt: Instant;
}

/** How long after its slot the last success came, in milliseconds; negative when it came before the slot (R26). */
export interface LastSuccess {
  readonly afterSlotMs: number;
  /** How long after its slot the success's run began, in milliseconds; `null` if unknown, and with an interval. */
  readonly startAfterSlotMs: number | null;
}

/** The last `reports` reports in a row missed their slots by the same `minutes`, as with a wrong time zone (R13). */
export interface Drift {
  /**
   * How many minutes after their slots the reports came, a multiple of 15; negative when they came early. 0 when the
   * last report was on time, or missed its slot by a time that is no multiple of 15 minutes.
   */
  readonly minutes: number;
  readonly reports: number;
}

export const NO_DRIFT: Drift = { minutes: 0, reports: 0 };

export interface Monitor {
  readonly watch: Watch;
  readonly createdAt: Instant;
  /**
   * The newest instant at which the monitor changed. While the clock shows an earlier time, this instant counts instead
   * of that time (R26).
   */
  readonly changedAt: Instant;
  /** When the event of the newest report happened, whatever kind it is; `null` before the first report. */
  readonly receivedAt: Instant | null;
  readonly succeededAt: Instant | null;
  /** When the job last failed: by a fail, a wrong outcome or a passed deadline. `null` when it never failed. */
  readonly failedAt: Instant | null;
  /** The oldest slot that no report has filled (R20); `null` without a schedule or an interval. */
  readonly expectedAt: Instant | null;
  /**
   * After a change of schedule: the open slots that the old and the new schedule share, the oldest first, and then the
   * new schedule's first slot after the change (R12). It is empty once the shared slots are over.
   */
  readonly carried: readonly Instant[];
  /**
   * The end of the gap that excused the slot before `expectedAt`. If several slots in a row were excused, it is the end
   * of the gap that excused the first of them. `null` when that slot was not excused, and once a report has come. A
   * slot is excused once: the next silent slot is missed, unless the same gap touches it (R26).
   */
  readonly excusedBy: Instant | null;
  /**
   * True while it is unknown how the job is: a slot or run became unknown (R26), the rate limit refused a report, or a
   * person closed the incident of a silent job. The next report makes it false, unless slots have closed between
   * the time when that report was made and its arrival.
   */
  readonly unheard: boolean;
  /** How long after its slot the last success came; `null` when no success has come since the schedule changed. */
  readonly lastSuccess: LastSuccess | null;
  /** How many misses count towards `alert_after_misses` (R41). A success, or a person's `resolve`, makes it 0. */
  readonly misses: number;
  readonly failures: number;
  readonly drift: Drift;
  /** True when an outcome of the last end was wrong or missing, and that only warns (R27). */
  readonly warned: boolean;
  readonly pauses: Pauses;
  /** A fail under the manual pause, if it is the newest end; otherwise `null`. It is told when the pause ends (R24). */
  readonly pendingFail: PendingFail | null;
  /** The runs that a signal may need: those that `matteringRuns` names, and the run that the signal itself names. */
  readonly runs: readonly Run[];
  /** How many runs the monitor has ever had. It is the number of the newest run. */
  readonly runCount: number;
  /** How long the last run took of which both start and end are known, in milliseconds (R21); `null` without one. */
  readonly lastRunMs: number | null;
  readonly incident: Incident | null;
  /** How many incidents the monitor has ever had. It is the number of the newest incident. */
  readonly incidentCount: number;
}

export type MonitorFacts = Omit<Monitor, "watch">;

export const STATUSES = ["pending", "healthy", "warning", "critical", "paused"] as const;

export type Status = (typeof STATUSES)[number];

export const NOTHING_CARRIED: readonly Instant[] = [];

/** A monitor that is created at `at`, before its first signal. It is paused when a maintenance is going on. */
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
 * Guesses when a pause began whose beginning was not stored: at the monitor's last report. If there was none, at the
 * monitor's creation. `firstSlot` is the first slot in the pause. It is never before `expectedAt`, because earlier
 * slots are judged already.
 */
export function unstoredPause({ receivedAt, createdAt, expectedAt }: PauseFacts) {
  const from = receivedAt ?? createdAt;
  return { from, firstSlot: Math.max(from + 1, expectedAt ?? from) };
}

type PauseFacts = Pick<Monitor, "receivedAt" | "createdAt" | "expectedAt">;

/**
 * Whether the monitor counts towards the limit of the paid plan (R34). It does not under a pause of a registry, of the
 * plan, or by hand without an end. It does under a pause by hand with an end, and while its application is suspended.
 */
export const isActive = ({ manual, discovery, plan }: Omit<Pauses, "suspension">): boolean =>
  !discovery && !plan && (manual === null || manual.until !== null);

export interface StatusFacts
  extends Pick<Monitor, "pauses" | "expectedAt" | "succeededAt" | "unheard" | "misses" | "failures" | "warned"> {
  readonly incident: Incident | number | null;
}

export const isOverdue = ({ expectedAt }: Pick<Monitor, "expectedAt">, now: Instant): boolean =>
  expectedAt !== null && expectedAt < now;

/**
 * The status as the contract defines it; the first case that applies counts (R18). While the facts stay as they are,
 * the status changes only when `isOverdue` becomes true.
 */
export function statusOf(monitor: StatusFacts, now: Instant): Status {
  if (isPaused(monitor)) return "paused";
  if (monitor.incident !== null) return "critical";
  if (isOverdue(monitor, now) || monitor.unheard || monitor.misses > 0 || monitor.failures > 0 || monitor.warned)
    return "warning";
  return monitor.succeededAt === null ? "pending" : "healthy";
}

/**
 * Whether people should look at a job with the status `warning`. Every job is `warning` from its slot until its report
 * comes. So if that is the only reason, the report must be over a minute later than usual. For example, if the last
 * success came 3 minutes after its slot, people should look after 4 minutes.
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
 * When the newest end came; an unfinished run's deadline counts as one. Before the first end it is the monitor's
 * creation.
 */
export const lastEndAt = ({ createdAt, succeededAt, failedAt }: Monitor): Instant =>
  succeededAt === null && failedAt === null
    ? createdAt
    : Math.max(succeededAt ?? Number.NEGATIVE_INFINITY, failedAt ?? Number.NEGATIVE_INFINITY);

/** The first expected slot after `after`. A slot in the past is computed by the schedule in force now. */
export const expectedSlotAfter = (monitor: Monitor, after: Instant): Instant | null =>
  monitor.carried.find((slot) => slot > after) ?? slotAfter(monitor, after);

/**
 * Counts the expected slots after `after` and up to `until`; 0 without a schedule or an interval. Slots in the past are
 * computed by the schedule in force now.
 */
export function countExpectedSlots(monitor: Monitor, after: Instant, until: Instant): number {
  const { watch, carried, expectedAt } = monitor;
  const from = Math.max(after, carried.at(-1) ?? after);
  const older = carried.filter((slot) => slot > after && slot <= until).length;
  return older + countRhythmSlots(watch, from, until, expectedAt);
}
