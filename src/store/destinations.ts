// The rows of destinations: what we remember about each over a restart (R36). The engine gives it meaning.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";
import { inAlert } from "./sql.ts";

export interface Outage {
  readonly name: string;
  readonly failingSince: Instant | null;
  /** Null: no notice has reported it. */
  readonly toldAlertId: number | null;
  /** Since when it fails, as that notice says; ISO 8601. */
  readonly notifiedSince: string | null;
}

export type DestinationRows = ReturnType<typeof destinationRows>;

export function destinationRows(database: Database) {
  const failing = database.prepare<{ name: string; since: Instant }, []>(
    "SELECT name, failing_since AS since FROM destinations WHERE failing_since IS NOT NULL",
  );
  const setFailing = database.prepare<null, [{ name: string; since: Instant | null }]>(
    `INSERT INTO destinations (name, failing_since) VALUES ($name, $since)
     ON CONFLICT (name) DO UPDATE SET failing_since = $since`,
  );
  const outages = database.prepare<Outage, []>(
    `SELECT name, failing_since AS failingSince, told_alert_id AS toldAlertId,
       (SELECT ${inAlert("notice.since")} FROM alerts a WHERE a.id = told_alert_id) AS notifiedSince
     FROM destinations
     WHERE failing_since IS NOT NULL OR told_alert_id IS NOT NULL ORDER BY name`,
  );
  const setNotified = database.prepare<null, [number | null, string]>(
    "UPDATE destinations SET told_alert_id = ? WHERE name = ?",
  );
  const fingerprint = database.prepare<{ fingerprint: string | null }, [string]>(
    "SELECT fingerprint FROM destinations WHERE name = ?",
  );
  const setFingerprint = database.prepare<null, [{ name: string; fingerprint: string }]>(
    `INSERT INTO destinations (name, fingerprint) VALUES ($name, $fingerprint)
     ON CONFLICT (name) DO UPDATE SET fingerprint = $fingerprint`,
  );
  const keep = database.prepare<null, [string]>(
    "DELETE FROM destinations WHERE name NOT IN (SELECT value FROM json_each(?))",
  );
  return {
    /** Destinations whose last attempt failed, and since when they fail. */
    failingSince: () => new Map(failing.all().map(({ name, since }) => [name, since])),
    setFailing: (name: string, since: Instant | null) => void setFailing.run({ name, since }),
    /** Destinations that fail, and those that a notice has called failing. */
    outages: () => outages.all(),
    /** `alertId`: the notice that it fails; null: a later notice has said that it works again. */
    setNotified: (name: string, alertId: number | null) => void setNotified.run(alertId, name),
    fingerprint: (name: string) => fingerprint.get(name)?.fingerprint ?? null,
    setFingerprint: (name: string, value: string) => void setFingerprint.run({ name, fingerprint: value }),
    keep: (names: readonly string[]) => void keep.run(JSON.stringify(names)),
  };
}
