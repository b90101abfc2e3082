// What the management socket answers, as types: the service writes them, the commands read them. Every time is ISO 8601
// here. Types only.

import type { DrillOutcome } from "../../domain/message/drill.ts";
import type { GapReason } from "../../domain/monitor/gap.ts";
import type { Cause, ClosedBy } from "../../domain/monitor/incident.ts";
import type { Status } from "../../domain/monitor/monitor.ts";
import type { OutcomeValue } from "../../domain/monitor/outcomes.ts";
import type { EndKind, RunState } from "../../domain/monitor/run.ts";
import type { MaintenanceWindow } from "../../domain/schedule/maintenance.ts";
import type { KeyScope, PingKind } from "../../engine/api.ts";
import type { DeliveryState, ResentDelivery } from "../../engine/operations/operators-contract.ts";
import type { RefusedSummary, SyncSummary } from "../../engine/reads/received-contract.ts";
import type { AlertRouting, MonitorSettings, RunLimit } from "../../engine/reads/settings-contract.ts";

/** Answer to `POST /applications` with `{ slug }`. */
export interface CreatedApplication {
  readonly slug: string;
  readonly createdAt: string;
}

/** One of the `applications` of `GET /applications`. */
export interface ListedApplication {
  readonly slug: string;
  readonly name: string | null;
  readonly monitors: number;
  readonly createdAt: string;
}

/** One of the `keys` of `GET /keys[?application=SLUG]`, and the answer to `POST /keys/{id}/revoke`. */
export interface ListedKey {
  readonly id: number;
  readonly application: string;
  readonly scope: KeyScope;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

/** Answer to `POST /keys` with `{ application, scope }`: the only time a key is seen whole. */
export interface CreatedKey extends ListedKey {
  readonly key: string;
}

/** One of the `monitors` of `GET /monitors[?application=SLUG&status=STATUS]`, and the answer to `POST /monitors`. */
export interface ListedMonitor {
  readonly application: string;
  readonly key: string;
  readonly name: string;
  readonly status: Status;
  readonly schedule: string | null;
  readonly timezone: string;
  readonly graceSeconds: number;
  readonly maxRuntimeSeconds: number | null;
  readonly expectedAt: string | null;
  readonly lastPingAt: string | null;
  readonly lastSuccessAt: string | null;
  readonly pauses: {
    readonly manual: { readonly until: string | null } | null;
    readonly discovery: boolean;
    readonly plan: boolean;
  };
  /** The open incident. */
  readonly incidentId: number | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ListedMonitors {
  readonly monitors: readonly ListedMonitor[];
  /** Those whose rows cannot be read, of any status. */
  readonly unreadable: readonly { readonly application: string; readonly key: string }[];
}

export interface ShownPing {
  readonly at: string;
  readonly kind: PingKind | "log";
  readonly runNumber: number | null;
  readonly runId: string | null;
  readonly attempt: number | null;
  readonly durationSeconds: number | null;
  readonly durationMilliseconds: number | null;
  readonly message: string | null;
  /** What it reported of the outcomes that were expected, by name. */
  readonly outcomes: Readonly<Record<string, OutcomeValue>> | null;
}

export interface ShownRun {
  readonly number: number;
  readonly runId: string | null;
  readonly attempt: number | null;
  readonly state: RunState;
  readonly startedAt: string | null;
  readonly deadline: string | null;
  readonly endedAt: string | null;
  readonly endedBy: EndKind | null;
  readonly durationSeconds: number | null;
  /** Of arrival times. */
  readonly durationMilliseconds: number | null;
  readonly legacy: boolean;
}

/** How a registry declared a monitor, the last time. */
export interface ShownDeclaration {
  readonly source: string;
  /** The integration's own. */
  readonly version: string | null;
  readonly declaredAt: string;
  /** As it was sent, its names in one order. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export interface ShownRouting extends Omit<AlertRouting, "failing"> {
  readonly failing: ListedDeliveries["failing"];
}

export interface ShownWindow extends MaintenanceWindow {
  /** When it takes place now or next; null: never again. */
  readonly next: { readonly from: string; readonly until: string } | null;
}

/** Answer to `GET /monitors/show?key=KEY[&application=SLUG]`. */
export interface ShownMonitor extends ListedMonitor {
  /** One sentence about its time zone. */
  readonly zoneHint: string | null;
  readonly settings: MonitorSettings;
  /** Null: no registry ever declared it. */
  readonly declaration: ShownDeclaration | null;
  readonly maintenance: readonly ShownWindow[];
  /** How long a run that starts now may take, and what that follows from (R21). */
  readonly runLimit: RunLimit;
  readonly routing: ShownRouting;
  readonly incident: ListedIncident | null;
  /** Null: it is no drill monitor. */
  readonly drill: ShownDrill | null;
  /** Reports that were refused for another reason than the rate limit, one for each reason, newest first. */
  readonly refused: readonly ListedRefused[];
  readonly pings: readonly ShownPing[];
  readonly runs: readonly ShownRun[];
  /** What could not be known because rollcall could not hear; the last 20, newest first. */
  readonly unknowns: readonly ShownUnknown[];
}

/** A slot or a run whose end rollcall could not hear. */
export interface ShownUnknown {
  /** When it was judged. */
  readonly at: string;
  /** Null: it is about a run. */
  readonly slot: string | null;
  /** How many slots it stands for, that one and those after it. */
  readonly slots: number;
  readonly runId: string | null;
  readonly runStartedAt: string | null;
  /** When, and why, rollcall could not hear. */
  readonly gap: { readonly from: string; readonly to: string; readonly reason: GapReason };
}

/** Answer to `POST /monitors/pause` with `{ key, application?, durationSeconds? }`, and to `POST /monitors/resume`. */
export interface ChangedMonitorAnswer {
  readonly changed: boolean;
  readonly monitor: ListedMonitor;
}

/** Answer to `POST /monitors/delete` with `{ key, application? }`. */
export interface DeletedMonitorAnswer {
  readonly application: string;
  readonly key: string;
  readonly name: string;
  readonly incidentId: number | null;
  /** False where there was no incident, or nothing could be made of it. */
  readonly recoveryTold: boolean;
  readonly historyUntil: string;
  readonly returnsAtStart: boolean;
}

/** One of the `incidents` of `GET /incidents[?application=SLUG&open=true]`. */
export interface ListedIncident {
  readonly id: number;
  readonly application: string;
  readonly key: string;
  readonly name: string;
  readonly opening: "InitialFailure" | "NeverExecuted";
  readonly openedAt: string;
  readonly causes: readonly Cause[];
  readonly troubles: number;
  readonly missedSlots: number;
  /** Those that fell into a time in which rollcall could not hear. */
  readonly unheardSlots: number;
  readonly message: string | null;
  readonly runId: string | null;
  readonly expectedAt: string | null;
  readonly acknowledgedAt: string | null;
  /** The next reminder. */
  readonly remindAt: string | null;
  readonly remindersSent: number;
  readonly closedAt: string | null;
  readonly closedBy: ClosedBy | null;
}

export interface ListedIncidents {
  readonly incidents: readonly ListedIncident[];
  /** There are older ones that are not in the list. */
  readonly more: boolean;
}

/** Answer to `POST /incidents/{id}/acknowledge` and `POST /incidents/{id}/resolve`. */
export interface ChangedIncidentAnswer {
  readonly changed: boolean;
  readonly incident: ListedIncident;
  /** Its monitor's, afterwards. */
  readonly status: Status;
}

/** One of the `refused` of `GET /refused[?application=SLUG&limit=N]`, and in `GET /monitors/show`. */
export interface ListedRefused extends Omit<RefusedSummary, "firstAt" | "at"> {
  /** The HTTP status of the answers. */
  readonly status: number;
  readonly firstAt: string;
  readonly at: string;
}

export interface ListedRefusals {
  readonly refused: readonly ListedRefused[];
  /** There are older ones that are not in the list. */
  readonly more: boolean;
}

/** One of the `syncs` of `GET /syncs[?application=SLUG&limit=N]`. */
export interface ListedSync extends Omit<SyncSummary, "firstAt" | "at" | "errorList"> {
  readonly firstAt: string;
  readonly at: string;
  readonly errorList: readonly { readonly key: string; readonly error: string; readonly withheldRemoval: boolean }[];
}

export interface ListedSyncs {
  readonly syncs: readonly ListedSync[];
  /** There are older ones that are not in the list. */
  readonly more: boolean;
}

/** One of the `deliveries` of `GET /deliveries?states=waiting,given_up,sent&limit=N`, and the answer to `GET /deliveries/{id}`. */
export interface ListedDelivery {
  readonly id: number;
  readonly createdAt: string;
  readonly destination: string;
  /** A mail address; null for everything that is not mail. */
  readonly recipient: string | null;
  /** The webhook's `type`, and what it is about: an alert's or notice's kind, `test` or `drill`. */
  readonly type: string;
  readonly kind: string | null;
  readonly application: string | null;
  readonly monitorKey: string | null;
  readonly incidentId: number | null;
  readonly state: "waiting" | "under_way" | "sent" | "given_up";
  /** Null unless it waits, and while it waits for an earlier one of its incident to the same address. */
  readonly nextAttemptAt: string | null;
  readonly finishedAt: string | null;
  readonly attempts: number;
  /** The first of the deliveries it went out with as one message (R39); null: it went by itself. */
  readonly digestId: number | null;
  /** What the last attempt ended with. */
  readonly answer: string | null;
}

export interface ListedDeliveries {
  /** The service's time. */
  readonly at: string;
  readonly deliveries: readonly ListedDelivery[];
  /** Of these states there are older ones that are not in the list. */
  readonly more: readonly DeliveryState[];
  readonly failing: readonly { readonly destination: string; readonly answer: string; readonly since: string }[];
}

/** Answer to `POST /deliveries/test` with `{ destination }`: they have been written, and are sent now. */
export interface TestedDestinationAnswer {
  readonly deliveries: readonly ListedDelivery[];
}

/** Answer to `POST /deliveries/{id}/resend`. */
export interface ResentDeliveryAnswer {
  readonly done: ResentDelivery["done"];
  readonly delivery: ListedDelivery;
}

/** In `GET /monitors/show`: what drills of the monitor's alerts came to. */
export interface ShownDrill {
  readonly everySeconds: number;
  readonly dueAt: string;
  readonly last: {
    readonly at: string;
    /** Null: not all is decided. */
    readonly outcome: DrillOutcome | null;
    readonly deliveries: readonly ListedDelivery[];
  } | null;
}
