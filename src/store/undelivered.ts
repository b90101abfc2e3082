// Deliveries that did not arrive and that no notice elsewhere has named (R36): those given up, and those that wait
// where nothing is taken, each with the readable part of its alert. The engine decides whom to tell, and when.

import type { Database } from "bun:sqlite";
import type { AlertKind } from "../domain/message/alert.ts";
import type { Instant } from "../domain/time.ts";
import type { DeliveryState } from "./outgoing.ts";
import { isNotice, toldAt } from "./told.ts";

export interface UndeliveredRow {
  readonly id: number;
  readonly recipient: string | null;
  /** When it became true. */
  readonly at: Instant;
  /** All of these are null when it is about no monitor. */
  readonly application: string | null;
  readonly key: string | null;
  readonly name: string | null;
  readonly timezone: string | null;
  readonly kind: AlertKind | null;
}

/** `given_up`: and no notice elsewhere has named it. */
export type Unsent = Exclude<DeliveryState, "sent">;

/** What we gave up, or what waits, at one destination. */
export interface UndeliveredSum {
  readonly total: number;
  readonly monitors: number;
  /** When the oldest was due; null: there is nothing to report. */
  readonly since: Instant | null;
}

export interface UndeliveredRows {
  /** The destinations where something was given up, and when the first was. */
  destinations(): { readonly destination: string; readonly givenUpAt: Instant }[];
  sum(unsent: Unsent, destination: string): UndeliveredSum;
  /** How the last given-up delivery there ended. */
  lastAnswer(destination: string): string | null;
  /** Oldest first, `limit` at most. */
  rows(unsent: Unsent, destination: string, limit: number): UndeliveredRow[];
  markTold(destination: string): void;
  /** When a notice about this destination was last written; null: never. */
  lastNoticeAt(destination: string): Instant | null;
}

export function undeliveredRows(database: Database): UndeliveredRows {
  // A person waits for a test, and a drill reports itself. A notice of these kinds must not cause another.
  // The data of alerts is not read, of which there may be very many.
  const worthTelling = `a.type <> 'destination.test' AND (a.type <> 'service.notice'
    OR coalesce(${toldAt("notice.kind")}, '') NOT IN ('undelivered', 'failing'))`;
  const from = "FROM deliveries d CROSS JOIN alerts a ON a.id = d.alert_id";
  // The words of the indices deliveries_untold and deliveries_unsent_at.
  const conditions: Record<Unsent, string> = {
    given_up: "d.untold = 1",
    waiting: "d.outcome IS NULL AND d.outcome IS NOT 'sent'",
  };
  const which = (unsent: Unsent): string => `${conditions[unsent]} AND d.destination = ? AND ${worthTelling}`;

  const destinationAfter = database.prepare<{ destination: string | null }, [string]>(
    "SELECT min(d.destination) AS destination FROM deliveries d WHERE d.untold = 1 AND d.destination > ?",
  );
  const firstGivenUp = database.prepare<{ at: Instant }, [string]>(
    "SELECT min(d.finished_at) AS at FROM deliveries d WHERE d.untold = 1 AND d.destination = ?",
  );
  const sumOf = (unsent: Unsent) =>
    database.prepare<UndeliveredSum, [string]>(
      `SELECT count(*) AS total, count(DISTINCT d.monitor_id) AS monitors, min(d.created_at) AS since
       ${from} WHERE ${which(unsent)}`,
    );
  const sums = { given_up: sumOf("given_up"), waiting: sumOf("waiting") };
  const lastAnswer = database.prepare<{ answer: string | null }, [string]>(
    `SELECT d.answer ${from} WHERE ${which("given_up")} ORDER BY d.finished_at DESC, d.id DESC LIMIT 1`,
  );
  const rowsOf = (unsent: Unsent) =>
    database.prepare<UndeliveredRow, [string, number]>(
      `SELECT d.id, d.recipient, a.at, ${toldAt("applicationId")} AS application, ${toldAt("monitorKey")} AS key,
         ${toldAt("name")} AS name, ${toldAt("timezone")} AS timezone, ${toldAt("kind")} AS kind
       ${from} WHERE ${which(unsent)} ORDER BY d.id LIMIT ?`,
    );
  const rows = { given_up: rowsOf("given_up"), waiting: rowsOf("waiting") };
  const markTold = database.prepare<null, [string]>(
    "UPDATE deliveries SET untold = NULL WHERE untold = 1 AND destination = ?",
  );
  const lastNoticeAt = database.prepare<{ at: Instant | null }, [string]>(
    `SELECT max(at) AS at FROM alerts a WHERE ${isNotice("undelivered")} AND ${toldAt("notice.destination")} = ?`,
  );
  return {
    destinations: () => {
      const found: { destination: string; givenUpAt: Instant }[] = [];
      for (let after = ""; ; ) {
        const destination = destinationAfter.get(after)?.destination ?? null;
        if (destination === null) return found;
        found.push({ destination, givenUpAt: firstGivenUp.get(destination)!.at });
        after = destination;
      }
    },
    sum: (unsent, destination) => sums[unsent].get(destination)!,
    lastAnswer: (destination) => lastAnswer.get(destination)?.answer ?? null,
    rows: (unsent, destination, limit) => rows[unsent].all(destination, limit),
    markTold: (destination) => void markTold.run(destination),
    lastNoticeAt: (destination) => lastNoticeAt.get(destination)!.at,
  };
}
