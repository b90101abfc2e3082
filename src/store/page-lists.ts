// What the dashboard's lists ask besides: incidents of several applications, and what each destination takes. Reads only.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";

export interface IncidentFilter {
  /** Slugs; null: of all. */
  readonly applications: readonly string[] | null;
  readonly state: "open" | "closed";
  /** Only incidents with an id below this. */
  readonly before: number;
  /** At most. */
  readonly limit: number;
}

export interface FoundIncidents {
  /** Newest first. */
  readonly ids: readonly number[];
  /** All from this id on were looked at; null: all were. */
  readonly lookedTo: number | null;
}

/** `isGivenUp` 0: they wait, or an attempt is under way. */
interface UnsentFilter {
  readonly destination: string;
  readonly isGivenUp: 0 | 1;
}

/** `last`: the id behind which the next piece begins. */
export interface CountedPiece {
  readonly count: number;
  readonly last: number | null;
}

export interface PageListRows {
  /** Never a deleted monitor's. Closed ones of some applications are found among so many rows at once. */
  incidentIds(filter: IncidentFilter): FoundIncidents;
  /** How many one destination has not taken, a piece at a time: of the first `limit` behind this id. `last` null: there are no more. */
  countUnsent(which: UnsentFilter, piece: { readonly after: number; readonly limit: number }): CountedPiece;
  /** When each destination took its last, among the newest deliveries. */
  arrived(): { readonly destination: string; readonly at: Instant }[];
}

/** No index knows a closed incident's application, or when a destination took its last. */
const LOOKED_AT = 10_000;
const ARRIVALS_READ = 5_000;

export function pageListRows(database: Database): PageListRows {
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
    // In these very words, so that the planner takes the index of those that are open.
    open: listed("incidents i INDEXED BY incidents_open", "i.closed_at IS NULL"),
    closed: listed("incidents i", "i.closed_at IS NOT NULL"),
  };
  const last = database.prepare<{ id: number | null }, []>("SELECT max(id) AS id FROM incidents");
  // The words of the index deliveries_unsent_at.
  const countedOf = (condition: string) =>
    database.prepare<CountedPiece, [{ destination: string; after: number; limit: number }]>(
      `SELECT count(*) AS count, iif(count(*) = $limit, max(id), NULL) AS last FROM
         (SELECT id FROM deliveries INDEXED BY deliveries_unsent_at WHERE destination = $destination AND ${condition}
          AND outcome IS NOT 'sent' AND id > $after ORDER BY id LIMIT $limit)`,
    );
  const counted = { 0: countedOf("outcome IS NULL"), 1: countedOf("outcome = 'given_up'") };
  const arrived = database.prepare<{ destination: string; at: Instant }, []>(
    `SELECT destination, max(finished_at) AS at FROM deliveries
     WHERE outcome = 'sent' AND id > (SELECT max(id) FROM deliveries) - ${ARRIVALS_READ} GROUP BY destination`,
  );
  return {
    incidentIds: ({ applications, state, before, limit }) => {
      const newest = Math.min(before, (last.get()?.id ?? 0) + 1);
      const after = applications === null || state === "open" ? 0 : Math.max(0, newest - LOOKED_AT);
      const slugs = applications === null ? null : JSON.stringify(applications);
      const ids = lists[state].all({ before, after, limit, applications: slugs }).map(({ id }) => id);
      return { ids, lookedTo: after === 0 ? null : after + 1 };
    },
    countUnsent: ({ destination, isGivenUp }, piece) => counted[isGivenUp].get({ destination, ...piece })!,
    arrived: () => arrived.all(),
  };
}
