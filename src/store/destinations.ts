// The rows of destinations: what we remember about each over a restart (R36). The engine gives it meaning.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";
import { toldAt } from "./sql.ts";

export interface Outage {
  readonly name: string;
  /** Null: it takes messages. */
  readonly failingSince: Instant | null;
  /** Null: no notice has reported it. */
  readonly toldAlertId: number | null;
  /** Since when it fails, as that notice says; ISO 8601. */
  readonly toldSince: string | null;
}

export interface DestinationRows {
  /** Destinations whose last attempt failed, and since when they fail. */
  failingSince(): ReadonlyMap<string, Instant>;
  /** Null: it takes messages. */
  setFailing(name: string, since: Instant | null): void;
  /** Destinations that fail, and those that a notice has called failing. */
  outages(): Outage[];
  /** `alertId`: the notice that it fails; null: a later notice has said that it works again. */
  setTold(name: string, alertId: number | null): void;
  /** Null: none is known. */
  fingerprint(name: string): string | null;
  setFingerprint(name: string, fingerprint: string): void;
  /** Forgets all but these destinations. */
  keep(names: readonly string[]): void;
}

export function destinationRows(database: Database): DestinationRows {
  const failing = database.prepare<{ name: string; since: Instant }, []>(
    "SELECT name, failing_since AS since FROM destinations WHERE failing_since IS NOT NULL",
  );
  const setFailing = database.prepare<null, [{ name: string; since: Instant | null }]>(
    `INSERT INTO destinations (name, failing_since) VALUES ($name, $since)
     ON CONFLICT (name) DO UPDATE SET failing_since = $since`,
  );
  const outages = database.prepare<Outage, []>(
    `SELECT name, failing_since AS failingSince, told_alert_id AS toldAlertId,
       (SELECT ${toldAt("notice.since")} FROM alerts a WHERE a.id = told_alert_id) AS toldSince
     FROM destinations
     WHERE failing_since IS NOT NULL OR told_alert_id IS NOT NULL ORDER BY name`,
  );
  const setTold = database.prepare<null, [number | null, string]>(
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
    failingSince: () => new Map(failing.all().map(({ name, since }) => [name, since])),
    setFailing: (name, since) => void setFailing.run({ name, since }),
    outages: () => outages.all(),
    setTold: (name, alertId) => void setTold.run(alertId, name),
    fingerprint: (name) => fingerprint.get(name)?.fingerprint ?? null,
    setFingerprint: (name, value) => void setFingerprint.run({ name, fingerprint: value }),
    keep: (names) => void keep.run(JSON.stringify(names)),
  };
}
