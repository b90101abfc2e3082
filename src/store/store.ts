// All groups of rows over one database, each with its statements prepared once. This file begins no transaction; the
// caller does.

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
import { auditRows, personRows } from "./people.ts";
import { answerNames, idempotencyRows, outputRows, pingRows, senderRows } from "./pings.ts";
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
  const namesOfAnswers = answerNames(database);
  const incidents = incidentRows(database);
  const states = monitorStateRows(database);
  const known = createKnownMonitors();
  const zones = zoneRows(database);
  return {
    database,
    memory: {
      ...allMemories(states.memory, known.memory, runs.memory, namesOfRuns.memory, namesOfAnswers.memory),
      /**
       * Updates at most `limit` of the monitors' own rows from their newest facts. Returns false once all are up to
       * date.
       */
      writeBehindSome: states.followSome,
      /** Writes everything that is only noted in memory, so that the next start has nothing to catch up with. */
      writeBehindAll: (): void => {
        for (const part of [states, namesOfRuns, namesOfAnswers]) part.writeBehindAll();
      },
    },
    /** Watches whether the database's file is still where it was opened. */
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
    idempotency: idempotencyRows(database, namesOfAnswers),
    answerNames: namesOfAnswers,
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
    settingChanges: settingChangeRows(database),
    maintenances: maintenanceRows(database),
    zones,
  };
}

// Checks whether the file of an open database is still where it was opened. A process can go on writing to a file that
// was deleted or replaced; it would answer reports that no later start finds.

/** Begins to watch the file. Must be called when the database is opened. */
function watchPlace({ filename }: Database) {
  const opened = fileAt(filename);
  let isGone = false;
  return {
    /** Checks and returns whether the file is gone. A database without a file never is. */
    look: (): boolean => {
      isGone = opened !== null && fileAt(filename) !== opened;
      return isGone;
    },
    isGone: () => isGone,
  };
}

/** The identity of the file at this path; `null` when there is none. */
function fileAt(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}

// One row: when reports were last surely heard (R26), the zone in which schedules are read (R13), and the configuration
// in force.

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
    /** When rollcall last ran on this database; `null` when it never did. */
    lastAliveAt: () => alive.get()?.at ?? null,
    /** Stores when rollcall last ran. `text` is the lived time until then, as JSON. */
    saveAlive: (at: Instant, text: string) => void saveAlive.run(at, text),
    /** The lived time until an instant was last saved, as JSON; `null` when none is known. */
    lived: () => lived.get()?.lived ?? null,
    /** The zone of schedules while none is named, as the first start found it (R13); `null` when it found none. */
    timezone: () => timezone.get()?.timezone ?? null,
    /** Stores the zone of schedules while none is named. Must be called after an instant has been saved. */
    keepTimezone: (zone: string) => void keepTimezone.run(zone),
    /** The key that signs answers to messages; `null` when there is none yet. */
    replySecret: () => replySecret.get()?.secret ?? null,
    /** Stores the key that signs answers. Must be called after an instant has been saved. */
    keepReplySecret: (secret: string) => void keepReplySecret.run(secret),
    /** The keys by which push services know this rollcall, as JSON; `null` when none were made yet. */
    pushKeys: () => pushKeys.get()?.keys ?? null,
    keepPushKeys: (keys: string) => void keepPushKeys.run(keys),
    /** The fingerprint of the configuration in force for every monitor; `null` when unknown. */
    applied: () => applied.get()?.applied ?? null,
    /**
     * Stores the fingerprint of the configuration; with `null` some monitors may have another configuration. Must be
     * called after an instant has been saved.
     */
    keepApplied: (fingerprint: string | null) => void keepApplied.run(fingerprint),
  };
}
