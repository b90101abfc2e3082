// The rows of senders: from which computer, with which program and key each monitor was last reported. Written some time
// after the report, and only when one of them has changed.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";

export type Sender = {
  readonly keyId: number;
  readonly address: string;
  /** The program's name for itself; null: it says none. */
  readonly agent: string | null;
};

/** `since`: when it was first seen there. */
export type SenderRow = Sender & { readonly since: Instant };

export interface SenderRows {
  /** Keeps the row of a sender that is the same. */
  save(monitorId: number, sender: Sender, at: Instant): void;
  /** Null: not known. */
  of(monitorId: number): SenderRow | null;
  /** The keys of the monitors that this key last reported, ascending, at most `limit`; `count`: of how many. */
  monitorsOfKey(keyId: number, limit: number): { readonly monitors: readonly string[]; readonly count: number };
}

export function senderRows(database: Database): SenderRows {
  const save = database.prepare<null, [Sender & { readonly monitorId: number; readonly at: Instant }]>(
    `INSERT INTO senders (monitor_id, key_id, since, address, agent) VALUES ($monitorId, $keyId, $at, $address, $agent)
     ON CONFLICT (monitor_id) DO UPDATE SET key_id = excluded.key_id, since = excluded.since,
       address = excluded.address, agent = excluded.agent
     WHERE key_id <> excluded.key_id OR address <> excluded.address OR agent IS NOT excluded.agent`,
  );
  const of = database.prepare<SenderRow, [number]>(
    "SELECT key_id AS keyId, since, address, agent FROM senders WHERE monitor_id = ?",
  );
  const ofKey =
    "FROM senders s JOIN monitors m ON m.id = s.monitor_id AND m.deleted_at IS NULL WHERE s.key_id = $keyId";
  const monitors = database.prepare<{ key: string }, [{ keyId: number; limit: number }]>(
    `SELECT m.key ${ofKey} ORDER BY m.key LIMIT $limit`,
  );
  const count = database.prepare<{ count: number }, [{ keyId: number }]>(`SELECT count(*) AS count ${ofKey}`);
  return {
    save: (monitorId, { keyId, address, agent }, at) => void save.run({ monitorId, keyId, address, agent, at }),
    of: (monitorId) => of.get(monitorId),
    monitorsOfKey: (keyId, limit) => ({
      monitors: monitors.all({ keyId, limit }).map(({ key }) => key),
      count: count.get({ keyId })!.count,
    }),
  };
}
