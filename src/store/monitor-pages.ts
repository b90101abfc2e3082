// Reads monitors, incidents and deliveries for the pages and lists that people see. Each page takes the same number of
// queries, however many monitors it shows. Runs and whole incidents would take a query for each monitor, so they are
// not read.

import type { Database } from "bun:sqlite";
import type { Monitor, StatusFacts } from "../domain/monitor/monitor.ts";
import { type ValuesInForce, WATCHED_FIELDS, type WatchedField } from "../domain/settings/settings.ts";
import type { Instant } from "../domain/time.ts";
import type { MonitorStates } from "./memory/monitor-states.ts";
import type { PauseByHand } from "./monitor-settings.ts";
import { lastSuccessFromRow, pausesFromRow, type StateRow } from "./monitor-state.ts";
import { monitorStates, monitors } from "./schema.ts";
import { columnsOf, type Stored, unlessDamaged } from "./sql.ts";

/**
 * Where a page of a list ends: at the monitor with this slug and key. The next page begins after it, even if that
 * monitor was deleted meanwhile.
 */
export type MonitorPlace = Readonly<{ application: string; key: string }>;

export interface PlacedMonitor
  extends MonitorPlace,
    Pick<Stored<typeof monitors>, "declaredSeverity" | "declaredLabels"> {
  readonly id: number;
  /** 0 when the monitor's row in `monitor_states` is missing, so that its state cannot be shown. */
  readonly hasFacts: 0 | 1;
}

/** A monitor as lists show it: without its runs, and of its incident only a few facts. */
export interface MonitorOutline
  extends MonitorPlace,
    StatusFacts,
    Pick<Monitor, "lastSuccess" | "failedAt">,
    ValuesInForce<WatchedField>,
    Readonly<Pick<Stored<typeof monitors>, OutlinedField>>,
    Readonly<Pick<StateRow, "receivedAt" | "lastPingId" | "lastRunMs">> {
  /** The id of the open incident; `null` when none is open. */
  readonly incident: number | null;
  /** True when a person has acknowledged the open incident. */
  readonly takenOn: boolean;
  /**
   * The slot whose miss the open incident told of; `null` when it told of none, or when a late report has filled that
   * slot since (R43).
   */
  readonly missedSlot: Instant | null;
  /** Who asked for the present manual pause; `null` when there is none, or when planned maintenance made it. */
  readonly pauseAsked: PauseAsked | null;
  /** False when other data of the monitor are damaged, so that it cannot be loaded. Such a monitor is not watched. */
  readonly readable: boolean;
}

type OutlinedField = Exclude<(typeof OF_MONITOR)[number], "key" | WatchedField>;

/** Who asked for a manual pause, when and why. `name` is `null` when a command asked. */
export type PauseAsked = Pick<PauseByHand, "at" | "name" | "reason">;

const OF_MONITOR = [
  "id",
  "key",
  "declaredName",
  "declaredSeverity",
  "declaredLabels",
  ...WATCHED_FIELDS,
  "createdAt",
  "updatedAt",
  "deletedAt",
  "source",
] as const;

const OF_STATE = [
  "receivedAt",
  "succeededAt",
  "failedAt",
  "expectedAt",
  "unheard",
  "succeededAfterMs",
  "startedAfterMs",
  "misses",
  "failures",
  "warned",
  "pausedManually",
  "pausedUntil",
  "pausedByDiscovery",
  "pausedByPlan",
  "pausedBySuspension",
  "openIncidentId",
  "lastPingId",
  "lastRunMs",
] as const;

/** SQL: whether the JSON columns can be read that are needed to load the whole monitor. */
const READABLE = `(json_valid(coalesce(m.maintenance, '[]')) AND json_valid(coalesce(s.carried, '[]'))
  AND (s.open_incident_id IS NULL OR coalesce(json_valid(i.causes), 0)))`;

/**
 * SQL: the slot whose miss the open incident `i` told of; NULL when it told of none, or when a late report has filled
 * that slot since (`late_to`).
 */
const MISSED_SLOT = `iif(instr(i.causes, '"missed"') > 0 AND i.expected_at IS NOT i.late_to, i.expected_at, NULL)`;

export function monitorPageRows(database: Database, states: MonitorStates) {
  const places = placesOf(database);
  const counts = database.prepare<{ applicationId: number; monitors: number }, []>(
    `SELECT application_id AS applicationId, count(*) AS monitors FROM monitors WHERE deleted_at IS NULL
     GROUP BY application_id`,
  );
  const outlines = database.prepare<OutlineRow, [{ ids: string }]>(
    `SELECT ${columnsOf(monitors, "m", OF_MONITOR)}, ${columnsOf(monitorStates, "s", OF_STATE)}, a.slug AS application,
       ${READABLE} AS readable, i.acknowledged_at IS NOT NULL AS takenOn, ${MISSED_SLOT} AS missedSlot, h.at AS askedAt, h.until AS askedUntil, h.name AS askedBy, h.reason AS askedReason
     FROM json_each($ids) wanted CROSS JOIN monitors m ON m.id = wanted.value
       CROSS JOIN monitor_states s ON s.monitor_id = m.id CROSS JOIN applications a ON a.id = m.application_id
       LEFT JOIN incidents i ON i.id = s.open_incident_id LEFT JOIN pauses_by_hand h ON h.monitor_id = m.id ORDER BY wanted.key`,
  );

  const outlinesOf = (ids: readonly number[]): OutlineRow[] => outlines.all({ ids: JSON.stringify(ids) });

  return {
    /**
     * At most `limit` monitors after `place`, or from the start, sorted by slug and key; with `applicationId` `null`
     * those of all applications. Monitors that can be read only in part are listed too.
     */
    after: places,
    /** How many monitors each application has, by its id. Applications without monitors are left out. */
    counts: () => new Map(counts.all().map(({ applicationId, monitors }) => [applicationId, monitors])),
    /**
     * Outlines of the monitors with these ids, in the order of `ids`; also of deleted ones. Monitors that cannot be
     * read are left out.
     */
    outlines: (ids: readonly number[]) =>
      (unlessDamaged(() => outlinesOf(ids)) ?? ids.flatMap((id) => unlessDamaged(() => outlinesOf([id])) ?? [])).map(
        (row) => toOutline(row, states.newerThanRow(row.id)),
      ),
  };
}

/**
 * Makes the function that lists monitors. If a page of `monitor_states` is damaged, it lists them without reading that
 * table, and `hasFacts` is 1 for all of them.
 */
function placesOf(database: Database) {
  const prepared = (hasFacts: string, facts: string) => {
    const listed = `SELECT m.id, a.slug AS application, m.key, m.declared_severity AS declaredSeverity,
        m.declared_labels AS declaredLabels, ${hasFacts} AS hasFacts
      FROM applications a CROSS JOIN monitors m ON m.application_id = a.id AND m.deleted_at IS NULL ${facts}`;
    const ofApplication = database.prepare<PlacedMonitor, [{ application: string; key: string; limit: number }]>(
      `${listed} WHERE a.slug = $application AND m.key > $key ORDER BY m.key LIMIT $limit`,
    );
    const ofLaterApplications = database.prepare<PlacedMonitor, [{ application: string; limit: number }]>(
      `${listed} WHERE a.slug > $application ORDER BY a.slug, m.key LIMIT $limit`,
    );
    return (application: string | null, place: MonitorPlace | null, limit: number): PlacedMonitor[] => {
      const of = application ?? place?.application;
      const rest = of === undefined ? [] : ofApplication.all({ application: of, key: place?.key ?? "", limit });
      if (application !== null || rest.length === limit) return rest;
      return [...rest, ...ofLaterApplications.all({ application: of ?? "", limit: limit - rest.length })];
    };
  };
  const looked = prepared("s.monitor_id IS NOT NULL", "LEFT JOIN monitor_states s ON s.monitor_id = m.id");
  const assumed = prepared("1", "");
  return (...asked: Parameters<typeof looked>) => unlessDamaged(() => looked(...asked)) ?? assumed(...asked);
}

type OutlineRow = Pick<Stored<typeof monitors>, (typeof OF_MONITOR)[number]> &
  StateFacts & {
    readonly application: string;
    readonly readable: 0 | 1;
    readonly takenOn: 0 | 1;
    readonly missedSlot: Instant | null;
  } & AskedRow;

/** Who asked for a manual pause last. `askedAt` is `null` when no pause was ever asked for. */
interface AskedRow {
  readonly askedAt: Instant | null;
  readonly askedUntil: Instant | null;
  readonly askedBy: string | null;
  readonly askedReason: string | null;
}

type StateFacts = Pick<StateRow, (typeof OF_STATE)[number]>;

/**
 * Makes the outline of a monitor. `newer` has the newest facts when the row in `monitor_states` is out of date;
 * otherwise it is undefined.
 */
function toOutline(found: OutlineRow, newer: StateRow | undefined): MonitorOutline {
  const row: OutlineRow = newer === undefined ? found : { ...found, ...outlined(newer) };
  const { openIncidentId, unheard, warned, readable, succeededAfterMs, startedAfterMs, ...others } = row;
  const { askedAt, askedUntil, askedBy, askedReason, ...rest } = others;
  const pauses = pausesFromRow(row);
  // When planned maintenance has replaced the pause that a person asked for, the present pause ends at another time
  // than the one asked for.
  const isAsked = askedAt !== null && pauses.manual !== null && pauses.manual.until === askedUntil;
  return {
    ...rest,
    pauseAsked: isAsked ? { at: askedAt, name: askedBy, reason: askedReason } : null,
    incident: openIncidentId,
    takenOn: row.takenOn === 1,
    unheard: unheard === 1,
    lastSuccess: lastSuccessFromRow({ succeededAfterMs, startedAfterMs }),
    warned: warned === 1,
    pauses,
    readable: readable === 1,
  };
}

const outlined = (row: StateRow) => Object.fromEntries(OF_STATE.map((field) => [field, row[field]])) as StateFacts;

// Lists for other pages: the incidents of several applications, and the deliveries that destinations have not taken.

export interface IncidentFilter {
  /** The slugs of the applications whose incidents are wanted; `null` means all. */
  readonly applications: readonly string[] | null;
  readonly state: "open" | "unacknowledged" | "closed" | "any";
  readonly before: number;
  readonly limit: number;
}

/** With `isGivenUp` 1 it selects the deliveries that were given up, with 0 those that wait or are being sent. */
type UnsentFilter = Readonly<{ destination: string; isGivenUp: 0 | 1 }>;

/**
 * What one call of `countUnsent` counted. `count` is how many deliveries it found; `last` is the id after which the
 * next call goes on, or `null` when no more follow.
 */
export type CountedPiece = Readonly<{ count: number; last: number | null }>;

/**
 * How many of the newest rows are examined at most, where no index helps. `INCIDENTS_SEARCHED` is for a list of
 * incidents of some applications, `DELIVERIES_SEARCHED` for the last delivery that each destination took.
 */
const INCIDENTS_SEARCHED = 10_000;
const DELIVERIES_SEARCHED = 5_000;

export function pageListRows(database: Database) {
  type Bounds = { before: number; after: number; limit: number; applications: string | null };
  const listed = (from: string, condition: string) =>
    database.prepare<{ id: number }, [Bounds]>(
      `SELECT i.id FROM ${from} CROSS JOIN monitors m ON m.id = i.monitor_id AND m.deleted_at IS NULL
         CROSS JOIN applications a ON a.id = m.application_id
       WHERE ${condition} AND i.id < $before AND i.id > $after
         AND ($applications IS NULL OR a.slug IN (SELECT value FROM json_each($applications)))
       ORDER BY i.id DESC LIMIT $limit`,
    );
  const lists = {
    // Only with exactly the words `i.closed_at IS NULL` can SQLite use the index of open incidents.
    open: listed("incidents i INDEXED BY incidents_open", "i.closed_at IS NULL"),
    unacknowledged: listed(
      "incidents i INDEXED BY incidents_open",
      "i.closed_at IS NULL AND i.acknowledged_at IS NULL",
    ),
    closed: listed("incidents i", "i.closed_at IS NOT NULL"),
    any: listed("incidents i", "true"),
  };
  const last = database.prepare<{ id: number | null }, []>("SELECT max(id) AS id FROM incidents");
  // With the words `outcome IS NOT 'sent'` SQLite can use the index deliveries_unsent_at.
  const countedOf = (condition: string) =>
    database.prepare<CountedPiece, [{ destination: string; after: number; limit: number }]>(
      `SELECT count(*) AS count, iif(count(*) = $limit, max(id), NULL) AS last FROM
         (SELECT id FROM deliveries INDEXED BY deliveries_unsent_at WHERE destination = $destination AND ${condition}
          AND outcome IS NOT 'sent' AND id > $after ORDER BY id LIMIT $limit)`,
    );
  const counted = { 0: countedOf("outcome IS NULL"), 1: countedOf("outcome = 'given_up'") };
  const arrived = database.prepare<{ destination: string; at: Instant }, []>(
    `SELECT destination, max(finished_at) AS at FROM deliveries
     WHERE outcome = 'sent' AND id > (SELECT max(id) FROM deliveries) - ${DELIVERIES_SEARCHED} GROUP BY destination`,
  );
  return {
    /**
     * The ids of incidents, the newest first, without those of deleted monitors. A search for closed incidents of some
     * applications looks only at the newest ten thousand ids below `before`. `lookedTo` is then the lowest id that it
     * looked at. `lookedTo` is `null` when all incidents were searched.
     */
    incidentIds: ({ applications, state, before, limit }: IncidentFilter) => {
      const newest = Math.min(before, (last.get()?.id ?? 0) + 1);
      const isOpen = state === "open" || state === "unacknowledged";
      const after = applications === null || isOpen ? 0 : Math.max(0, newest - INCIDENTS_SEARCHED);
      const slugs = applications === null ? null : JSON.stringify(applications);
      const ids = lists[state].all({ before, after, limit, applications: slugs }).map(({ id }) => id);
      return { ids, lookedTo: after === 0 ? null : after + 1 };
    },
    /** Counts the deliveries that one destination has not taken, at most `limit` of them after the id `after`. */
    countUnsent: (
      { destination, isGivenUp }: UnsentFilter,
      piece: { readonly after: number; readonly limit: number },
    ) => counted[isGivenUp].get({ destination, ...piece })!,
    /** When each destination last took a message. Destinations that took none of the newest deliveries are left out. */
    arrived: () => arrived.all(),
  };
}
