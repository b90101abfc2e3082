// Every group of rows over one database, its statements prepared once. Begins no transaction: the caller does.

import type { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import type { Instant } from "../domain/time.ts";
import { type AlertRows, alertRows, type DrillRows, drillRows } from "./alerts.ts";
import { type ApplicationRows, applicationRows } from "./applications.ts";
import { type DeletedMonitorRows, deletedMonitorRows } from "./deleted-monitors.ts";
import { type DestinationRows, destinationRows } from "./destinations.ts";
import { type RestoredMark, restoredMark } from "./file/restore.ts";
import { type GapRows, gapRows, type UnknownRows, unknownRows } from "./gaps.ts";
import { type IncidentRows, incidentRows } from "./incidents.ts";
import { type AdminKeyRows, adminKeyRows, type KeyRows, keyRows } from "./keys.ts";
import { type MonitorPageRows, monitorPageRows, type PageListRows, pageListRows } from "./monitor-pages.ts";
import {
  type PauseByHandRows,
  pauseByHandRows,
  type SettingChangeRows,
  settingChangeRows,
} from "./monitor-settings.ts";
import { type MonitorStates, monitorStateRows } from "./monitor-states.ts";
import { type MonitorRows, monitorRows } from "./monitors.ts";
import { type OldAddressRows, oldAddressRows } from "./old-addresses.ts";
import { type OutgoingRows, outgoingRows, type UndeliveredRows, undeliveredRows } from "./outgoing.ts";
import { type AuditRows, auditRows, type PersonRows, personRows } from "./people.ts";
import {
  type IdempotencyRows,
  idempotencyRows,
  type OutputRows,
  outputRows,
  type PingRows,
  pingRows,
  type SenderRows,
  senderRows,
} from "./pings.ts";
import { type RecentRows, recentRows } from "./recent.ts";
import {
  type RateLimitedReportRows,
  type RejectedReportRows,
  rateLimitedReportRows,
  rejectedReportRows,
} from "./refused-reports.ts";
import { type RegistryRows, registryRows, type SyncRows, syncRows } from "./registries.ts";
import { type RunNames, runNames } from "./run-names.ts";
import { type RunRows, runRows } from "./runs.ts";
import { type PasskeyRows, passkeyRows, type SessionRows, sessionRows } from "./sessions.ts";
import { type SpanRows, spanRows } from "./spans.ts";

export interface Store {
  readonly database: Database;
  /** Whether its file is still where it was opened. */
  readonly place: FilePlace;
  readonly applications: ApplicationRows;
  readonly keys: KeyRows;
  readonly oldAddresses: OldAddressRows;
  readonly adminKeys: AdminKeyRows;
  readonly monitors: MonitorRows;
  readonly states: MonitorStates;
  readonly monitorPages: MonitorPageRows;
  readonly deletedMonitors: DeletedMonitorRows;
  readonly registries: RegistryRows;
  readonly recent: RecentRows;
  readonly spans: SpanRows;
  readonly syncs: SyncRows;
  readonly runs: RunRows;
  readonly runNames: RunNames;
  readonly pings: PingRows;
  readonly outputs: OutputRows;
  readonly idempotency: IdempotencyRows;
  readonly incidents: IncidentRows;
  readonly alerts: AlertRows;
  readonly outgoing: OutgoingRows;
  readonly pageLists: PageListRows;
  readonly undelivered: UndeliveredRows;
  readonly destinations: DestinationRows;
  readonly drills: DrillRows;
  readonly liveness: LivenessRow;
  readonly restored: RestoredMark;
  readonly gaps: GapRows;
  readonly unknowns: UnknownRows;
  readonly rateLimitedReports: RateLimitedReportRows;
  readonly rejectedReports: RejectedReportRows;
  readonly people: PersonRows;
  readonly senders: SenderRows;
  readonly sessions: SessionRows;
  readonly passkeys: PasskeyRows;
  readonly audit: AuditRows;
  readonly pausesByHand: PauseByHandRows;
  readonly settingChanges: SettingChangeRows;
}

/** The row functions of a database that `openDirectory` or `openDatabase` has opened. */
export function openStore(database: Database): Store {
  const names = runNames(database);
  const runs = runRows(database, names);
  const incidents = incidentRows(database);
  const states = monitorStateRows(database);
  return {
    database,
    place: watchPlace(database),
    applications: applicationRows(database),
    keys: keyRows(database),
    oldAddresses: oldAddressRows(database),
    adminKeys: adminKeyRows(database),
    monitors: monitorRows(database, { states, runs, incidents }),
    states,
    monitorPages: monitorPageRows(database, states),
    deletedMonitors: deletedMonitorRows(database, states),
    registries: registryRows(database),
    recent: recentRows(database),
    spans: spanRows(database),
    syncs: syncRows(database),
    runs,
    runNames: names,
    pings: pingRows(database),
    outputs: outputRows(database),
    idempotency: idempotencyRows(database),
    incidents,
    alerts: alertRows(database),
    outgoing: outgoingRows(database),
    pageLists: pageListRows(database),
    undelivered: undeliveredRows(database),
    destinations: destinationRows(database),
    drills: drillRows(database),
    liveness: livenessRow(database),
    restored: restoredMark(database),
    gaps: gapRows(database),
    unknowns: unknownRows(database),
    rateLimitedReports: rateLimitedReportRows(database),
    rejectedReports: rejectedReportRows(database),
    people: personRows(database),
    senders: senderRows(database),
    sessions: sessionRows(database),
    passkeys: passkeyRows(database),
    audit: auditRows(database),
    pausesByHand: pauseByHandRows(database),
    settingChanges: settingChangeRows(database),
  };
}

// Whether the file of an open database is still where it was opened. A process may go on writing to a file that
// somebody has deleted or replaced: it would answer reports that no start ever finds again.

interface FilePlace {
  /** Looks; whether the file is gone. One without a file never is. */
  look(): boolean;
  /** What the last look found. */
  isGone(): boolean;
}

/** To be called at the opening. */
function watchPlace({ filename }: Database): FilePlace {
  const opened = fileAt(filename);
  let isGone = false;
  return {
    look: () => {
      isGone = opened !== null && fileAt(filename) !== opened;
      return isGone;
    },
    isGone: () => isGone,
  };
}

/** Which file has this name; null: none. */
function fileAt(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}

// One row: when we last could hear (R26), the zone schedules are read in (R13), and the configuration in force.

interface LivenessRow {
  /** Null: no process has run on this database yet. */
  lastAliveAt(): Instant | null;
  saveAlive(at: Instant): void;
  /** The zone of schedules while nothing names one, as the first start found it (R13); null: it found none. */
  timezone(): string | null;
  /** To be called once an instant has been saved. */
  keepTimezone(zone: string): void;
  /** The fingerprint of the configuration in force for every monitor; null: unknown. */
  applied(): string | null;
  /** To be called once an instant has been saved. Null: some monitors may have another. */
  keepApplied(fingerprint: string | null): void;
}

function livenessRow(database: Database): LivenessRow {
  const alive = database.prepare<{ at: Instant }, []>("SELECT last_alive_at AS at FROM liveness WHERE id = 1");
  const saveAlive = database.prepare<null, [Instant]>(
    "INSERT INTO liveness (id, last_alive_at) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET last_alive_at = ?1",
  );
  const timezone = database.prepare<{ timezone: string | null }, []>("SELECT timezone FROM liveness WHERE id = 1");
  const applied = database.prepare<{ applied: string | null }, []>("SELECT applied FROM liveness WHERE id = 1");
  const keepApplied = database.prepare<null, [string | null]>("UPDATE liveness SET applied = ? WHERE id = 1");
  const keepTimezone = database.prepare<null, [string]>("UPDATE liveness SET timezone = ? WHERE id = 1");
  return {
    lastAliveAt: () => alive.get()?.at ?? null,
    saveAlive: (at) => void saveAlive.run(at),
    timezone: () => timezone.get()?.timezone ?? null,
    keepTimezone: (zone) => void keepTimezone.run(zone),
    applied: () => applied.get()?.applied ?? null,
    keepApplied: (fingerprint) => void keepApplied.run(fingerprint),
  };
}
