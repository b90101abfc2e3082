// What an operator may ask of the engine, as types: to look at monitors and incidents, and to act on them. Answers are
// plain data with instants; how they are shown is the edges' business.

import type { Refusal } from "../../domain/errors.ts";
import type { DrillOutcome } from "../../domain/message/drill.ts";
import type { FoundGap } from "../../domain/monitor/gap.ts";
import type { Incident } from "../../domain/monitor/incident.ts";
import type { Pauses, Status } from "../../domain/monitor/monitor.ts";
import type { OutcomeValue } from "../../domain/monitor/outcomes.ts";
import type { Run } from "../../domain/monitor/run.ts";
import type { Instant } from "../../domain/time.ts";
import type { DeliveryState, OutgoingRow } from "../../store/outgoing.ts";
import type { Declaration } from "../../store/registries.ts";
import type { PingKind } from "../api.ts";
import type { ReceivedFilter, RefusedList, RefusedSummary, SyncList } from "../reads/received-contract.ts";
import type { AlertRouting, MonitorSettings, PlannedWindow, RunLimit } from "../reads/settings-contract.ts";

/** What the words of any screen depend on. */
export interface Bearings {
  readonly now: Instant;
  /** The server's, for screens about more than one monitor. */
  readonly timezone: string;
  /** There is no other application, so naming it says nothing. */
  readonly onlyApplication: boolean;
}

/** An application as `app list` shows it. */
export interface ApplicationSummary {
  readonly slug: string;
  /** Null: it is known by its slug alone. */
  readonly name: string | null;
  readonly monitors: number;
  readonly createdAt: Instant;
}

/** Which monitor is meant. `application` null: the only one that has such a monitor; a new one's: the only one there is. */
export interface MonitorName {
  readonly application: string | null;
  readonly key: string;
}

/** What a monitor is made of by hand. Nothing in it has been checked; absent values are null. */
export interface NewMonitor extends MonitorName {
  readonly schedule: string;
  readonly name: string | null;
  readonly timezone: string | null;
  readonly graceSeconds: number | null;
  readonly maxRuntimeSeconds: number | null;
}

export interface MonitorSummary {
  readonly application: string;
  readonly key: string;
  readonly name: string;
  readonly status: Status;
  readonly schedule: string | null;
  readonly timezone: string;
  readonly graceSeconds: number;
  readonly maxRuntimeSeconds: number | null;
  /** The oldest slot that nothing has filled (R20); null without a schedule. */
  readonly expectedAt: Instant | null;
  readonly lastPingAt: Instant | null;
  readonly lastSuccessAt: Instant | null;
  readonly pauses: Pauses;
  /** The open incident; null: there is none. */
  readonly incidentId: number | null;
  readonly createdAt: Instant;
  /** R29: moves with declared or configured values, not with pings. */
  readonly updatedAt: Instant;
}

export interface MonitorList {
  /** By application and key, ascending. */
  readonly monitors: readonly MonitorSummary[];
  /** Those whose rows cannot be read, of any status; the log says why. */
  readonly unreadable: readonly { readonly application: string; readonly key: string }[];
}

export interface PingSummary {
  readonly at: Instant;
  readonly kind: PingKind | "log";
  /** Its run's; null: it belongs to none, or that is gone. */
  readonly runNumber: number | null;
  readonly runId: string | null;
  readonly attempt: number | null;
  readonly durationSeconds: number | null;
  /** Of arrival times; null also where its run's start is not known any more. */
  readonly durationMilliseconds: number | null;
  readonly message: string | null;
  /** What it reported of the outcomes that were expected (R27); null: nothing. */
  readonly outcomes: Readonly<Record<string, OutcomeValue>> | null;
}

/** Everything that is known of one monitor. */
export interface MonitorDetails extends MonitorSummary {
  /** One sentence: by how much its reports are off, and which zone would explain it (R13); null: there is none. */
  readonly zoneHint: string | null;
  readonly settings: MonitorSettings;
  /** By the registry that did so last (R30); null: none ever did. */
  readonly declaration: Declaration | null;
  readonly maintenance: readonly PlannedWindow[];
  readonly runLimit: RunLimit;
  readonly routing: AlertRouting;
  readonly incident: IncidentSummary | null;
  /** Null: it is no drill monitor. */
  readonly drill: DrillSummary | null;
  /** Its reports that were refused for another reason than the rate limit, one for each reason, newest first. */
  readonly refused: readonly RefusedSummary[];
  /** The last 20, newest first. */
  readonly pings: readonly PingSummary[];
  /** Those that are open and those of the last 20 pings, newest first. */
  readonly runs: readonly Run[];
  /** What could not be known of it because we could not hear (R26); the last 20, newest first. */
  readonly unknowns: readonly UnknownSummary[];
}

/** A slot or a run whose end rollcall could not hear. */
export interface UnknownSummary {
  /** When it was judged. */
  readonly at: Instant;
  /** Null: it is about a run. */
  readonly slot: Instant | null;
  /** How many slots it stands for, that one and those after it. */
  readonly slots: number;
  readonly runId: string | null;
  readonly runStartedAt: Instant | null;
  readonly gap: Pick<FoundGap, "from" | "to" | "reason">;
}

/** One alert, notice or test on its way to one destination, for e-mail to one recipient. */
export type DeliverySummary = OutgoingRow;

export type { DeliveryState };

export interface DeliveryFilter {
  readonly states: readonly DeliveryState[];
  /** Only what tells of this application's monitors; left out or null: everything. */
  readonly application?: string | null;
  /** The largest number of each state. */
  readonly limit: number;
}

export interface DeliveryList {
  /** When it was so. */
  readonly at: Instant;
  /** Newest first. */
  readonly deliveries: readonly DeliverySummary[];
  /** The states that have older deliveries than those in the list. */
  readonly more: readonly DeliveryState[];
  /** Destinations whose last attempt failed for every message. */
  readonly failing: readonly { readonly destination: string; readonly answer: string; readonly since: Instant }[];
}

/** What sending a delivery again came to. */
export interface ResentDelivery {
  /**
   * `again`: a copy goes out, behind what waits in its lane; `forward`: it still waited, and is tried now; `behind`: it
   * waited for an earlier one, which is tried now; `under_way`: an attempt is under way, nothing was changed.
   */
  readonly done: "again" | "forward" | "behind" | "under_way";
  /** The copy, the one that is tried now, or the one that is under way. */
  readonly delivery: DeliverySummary;
}

/** Drills of a monitor's alerts, and what became of the last. */
export interface DrillSummary {
  readonly everySeconds: number;
  /** Not while the monitor is paused, then as soon as it is not. */
  readonly dueAt: Instant;
  readonly last: {
    readonly at: Instant;
    /** Null: not all is decided. */
    readonly outcome: DrillOutcome | null;
    /** The last to each address; none when they are gone. */
    readonly deliveries: readonly DeliverySummary[];
  } | null;
}

export interface IncidentSummary extends Incident {
  readonly id: number;
  readonly application: string;
  readonly key: string;
  readonly name: string;
}

export interface IncidentFilter {
  /** Null: of all applications. */
  readonly application: string | null;
  readonly openOnly: boolean;
  /** The largest number; left out: 500. */
  readonly limit?: number;
}

export interface IncidentList {
  /** Newest first. */
  readonly incidents: readonly IncidentSummary[];
  /** There are older ones that are not in the list. */
  readonly more: boolean;
}

/** What a change came to. `changed` false: everything was as asked for already. */
export interface ChangedMonitor {
  readonly changed: boolean;
  /** As it stands afterwards. */
  readonly monitor: MonitorSummary;
}

export interface ChangedIncident {
  readonly changed: boolean;
  readonly incident: IncidentSummary;
  /** Its monitor's, afterwards. */
  readonly status: Status;
}

export interface DeletedMonitor {
  readonly application: string;
  readonly key: string;
  readonly name: string;
  /** The incident that its deletion closed; null: none was open. */
  readonly incidentId: number | null;
  /** False where none was open, or nothing could be made of the one that was. */
  readonly recoveryTold: boolean;
  /** From then on its history is deleted too (R25). */
  readonly historyUntil: Instant;
  /** The configuration names it with a schedule, so the next start creates it again. */
  readonly returnsAtStart: boolean;
}

/** Every change is one transaction, on disk when the answer is given; all of these throw what SQLite throws. */
export interface Operators {
  bearings(): Bearings;
  /** By slug, ascending. */
  listApplications(): readonly ApplicationSummary[];
  /** Null: of all applications, of any status. */
  listMonitors(application: string | null, status: Status | null): MonitorList | Refusal;
  showMonitor(monitor: MonitorName): MonitorDetails | Refusal;
  /** Refuses one that exists, and whatever a report that registers itself would be refused for. */
  createMonitor(monitor: NewMonitor): MonitorSummary | Refusal;
  /** By hand, for this number of seconds or, with null, until it is resumed; replaces an earlier such pause (R24). */
  pauseMonitor(monitor: MonitorName, durationSeconds: number | null): ChangedMonitor | Refusal;
  /** Lifts a pause by hand; refused where only others stand, which each end by themselves (R24). */
  resumeMonitor(monitor: MonitorName): ChangedMonitor | Refusal;
  /** Takes it out of every list and closes its open incident, as far as they can be read (R25). */
  deleteMonitor(monitor: MonitorName): DeletedMonitor | Refusal;
  listIncidents(filter: IncidentFilter): IncidentList | Refusal;
  /** Stops the reminders of an open incident (R23). */
  acknowledgeIncident(id: number): ChangedIncident | Refusal;
  /** Closes an open incident; `Recovered` goes out (R23). */
  resolveIncident(id: number): ChangedIncident | Refusal;
  listSyncs(filter: ReceivedFilter): SyncList | Refusal;
  /** Reports that were refused for another reason than the rate limit. */
  listRejected(filter: ReceivedFilter): RefusedList | Refusal;
  /** Sends a test through this destination, to each of its recipients; the deliveries have only been written then. */
  testDestination(destination: string): readonly DeliverySummary[] | Refusal;
  listDeliveries(filter: DeliveryFilter): DeliveryList | Refusal;
  showDelivery(id: number): DeliverySummary | Refusal;
  /** Sends a finished delivery again, and tries one that waits now. */
  resendDelivery(id: number): ResentDelivery | Refusal;
}
