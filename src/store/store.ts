// Puts together what the other files here offer, for one open database. Each group of tables prepares its statements
// once. The caller begins and ends transactions.

import type { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import type { Instant } from "../domain/time.ts";
import { applicationRows } from "./applications.ts";
import { deletedMonitorRows } from "./deleted-monitors.ts";
import { destinationRows, keptRows } from "./deliveries.ts";
import { deliveryLists, undeliveredRows } from "./delivery-lists.ts";
import { restoredMark } from "./file/restored.ts";
import { gapRows, unknownRows } from "./gaps.ts";
import { alertRows, drillRows, incidentRows, troubleRows } from "./incidents.ts";
import { adminKeyRows, keyRows } from "./keys.ts";
import { zoneRows } from "./known-zone-rules.ts";
import { laneRows } from "./lanes.ts";
import { createKnownMonitors } from "./memory/known-monitors.ts";
import { monitorStateRows } from "./memory/monitor-states.ts";
import { allMemories } from "./memory/transaction-memory.ts";
import { monitorPageRows, pageListRows } from "./monitor-pages.ts";
import { maintenanceRows, pauseByHandRows, settingChangeRows } from "./monitor-settings.ts";
import { monitorRows } from "./monitors.ts";
import { oldAddressRows } from "./old-address-rows.ts";
import { pausedSpanRows } from "./paused-spans.ts";
import { auditRows, personRows } from "./people.ts";
import { idempotencyRows, outputRows, pingRows, receiptNames, senderRows } from "./pings.ts";
import { recentRows } from "./recent.ts";
import { refusedReportRows } from "./refused-reports.ts";
import { registryRows, syncRows } from "./registries.ts";
import { runLengthRows, runNames, runRows } from "./runs.ts";
import { browserRows, passkeyRows, sessionRows } from "./sessions.ts";
import { spanRows } from "./spans.ts";

export type Store = Readonly<ReturnType<typeof openStore>>;

export function openStore(database: Database) {
  const namesOfRuns = runNames(database);
  const runs = runRows(database, namesOfRuns);
  const namesOfReceipts = receiptNames(database);
  const incidents = incidentRows(database);
  const states = monitorStateRows(database);
  const known = createKnownMonitors();
  const zones = zoneRows(database);
  return {
    database,
    memory: {
      ...allMemories(states.memory, known.memory, runs.memory, namesOfRuns.memory, namesOfReceipts.memory),
      /** Updates at most `limit` rows of `monitor_states` from memory. Returns false once all are up to date. */
      writeBehindSome: states.followSome,
      /**
       * Writes to their tables the facts of monitors that are only in memory or in `state_log`, and the run_ids and
       * idempotency keys that are only in memory. The next start then has nothing to catch up on.
       */
      writeBehindAll: (): void => {
        for (const part of [states, namesOfRuns, namesOfReceipts]) part.writeBehindAll();
      },
    },
    place: watchPlace(database),
    applications: applicationRows(database),
    keys: keyRows(database),
    oldAddresses: oldAddressRows(database),
    adminKeys: adminKeyRows(database),
    monitors: monitorRows(database, { states, known, runs, incidents, zones }),
    states,
    known,
    monitorPages: monitorPageRows(database, states),
    deletedMonitors: deletedMonitorRows(database, states, known),
    registries: registryRows(database),
    recent: recentRows(database),
    spans: spanRows(database),
    syncs: syncRows(database),
    runs,
    runNames: namesOfRuns,
    runLengths: runLengthRows(database),
    pings: pingRows(database),
    outputs: outputRows(database),
    idempotency: idempotencyRows(database, namesOfReceipts),
    receiptNames: namesOfReceipts,
    incidents,
    troubles: troubleRows(database),
    alerts: alertRows(database),
    lanes: laneRows(database),
    outgoing: deliveryLists(database),
    pageLists: pageListRows(database),
    undelivered: undeliveredRows(database),
    destinations: destinationRows(database),
    kept: keptRows(database),
    drills: drillRows(database),
    liveness: livenessRow(database),
    restored: restoredMark(database),
    gaps: gapRows(database),
    unknowns: unknownRows(database),
    refusedReports: refusedReportRows(database),
    people: personRows(database),
    senders: senderRows(database),
    sessions: sessionRows(database),
    passkeys: passkeyRows(database),
    browsers: browserRows(database),
    audit: auditRows(database),
    pausesByHand: pauseByHandRows(database),
    pausedSpans: pausedSpanRows(database),
    settingChanges: settingChangeRows(database),
    maintenances: maintenanceRows(database),
    zones,
  };
}

// Watches the path of the open database's file. If the file is deleted or replaced, SQLite goes on writing to the old
// file. Reports would then be answered as stored, but the next start would not find them.

/**
 * Remembers which file is the database's: the one that is at its path now. Must be called when the database is opened.
 */
function watchPlace({ filename }: Database) {
  const opened = fileAt(filename);
  let isGone = false;
  return {
    /** Returns whether another file or none is at the database's path now; always false for a database in memory. */
    look: (): boolean => {
      isGone = opened !== null && fileAt(filename) !== opened;
      return isGone;
    },
    isGone: () => isGone,
  };
}

function fileAt(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}

// Reads and writes the one row of the table `liveness`. schema.ts explains its columns.

function livenessRow(database: Database) {
  const alive = database.prepare<{ at: Instant }, []>("SELECT last_alive_at AS at FROM liveness WHERE id = 1");
  const saveAlive = database.prepare<null, [Instant, string]>(
    `INSERT INTO liveness (id, last_alive_at, lived) VALUES (1, ?1, ?2)
     ON CONFLICT (id) DO UPDATE SET last_alive_at = ?1, lived = ?2`,
  );
  const lived = database.prepare<{ lived: string | null }, []>("SELECT lived FROM liveness WHERE id = 1");
  const timezone = database.prepare<{ timezone: string | null }, []>("SELECT timezone FROM liveness WHERE id = 1");
  const applied = database.prepare<{ applied: string | null }, []>("SELECT applied FROM liveness WHERE id = 1");
  const keepApplied = database.prepare<null, [string | null]>("UPDATE liveness SET applied = ? WHERE id = 1");
  const replySecret = database.prepare<{ secret: string | null }, []>(
    "SELECT answer_secret AS secret FROM liveness WHERE id = 1",
  );
  const keepReplySecret = database.prepare<null, [string]>("UPDATE liveness SET answer_secret = ? WHERE id = 1");
  const pushKeys = database.prepare<{ keys: string | null }, []>("SELECT push_keys AS keys FROM liveness WHERE id = 1");
  const keepPushKeys = database.prepare<null, [string]>("UPDATE liveness SET push_keys = ? WHERE id = 1");
  const keepTimezone = database.prepare<null, [string]>("UPDATE liveness SET timezone = ? WHERE id = 1");
  return {
    /** When rollcall last surely ran on this database; `null` when it never did. */
    lastAliveAt: () => alive.get()?.at ?? null,
    /** Stores that rollcall runs at this instant. `text` is the `LivedTime` of domain/lived-time.ts, as JSON. */
    saveAlive: (at: Instant, text: string) => void saveAlive.run(at, text),
    lived: () => lived.get()?.lived ?? null,
    timezone: () => timezone.get()?.timezone ?? null,
    /**
     * Stores the time zone of schedules that is used when none is configured. `saveAlive` must have been called before,
     * because it creates the row.
     */
    keepTimezone: (zone: string) => void keepTimezone.run(zone),
    replySecret: () => replySecret.get()?.secret ?? null,
    /**
     * Stores the secret that signs the tokens by which people reply to messages. `saveAlive` must have been called
     * before, because it creates the row.
     */
    keepReplySecret: (secret: string) => void keepReplySecret.run(secret),
    pushKeys: () => pushKeys.get()?.keys ?? null,
    keepPushKeys: (keys: string) => void keepPushKeys.run(keys),
    applied: () => applied.get()?.applied ?? null,
    /**
     * Stores a hash of the configuration that every monitor has got; `null` while some may still have an older one.
     * `saveAlive` must have been called before, because it creates the row.
     */
    keepApplied: (fingerprint: string | null) => void keepApplied.run(fingerprint),
  };
}
