// The rows of pings, which are appended, never changed, and chained for each monitor. A monitor's last pings are read
// along its chain, so no ping pays for an index. Parts that only some pings have are in other rows: output, an
// idempotency key, another sender.

import type { Database } from "bun:sqlite";
import { IDEMPOTENCY_SPAN } from "../domain/limits.ts";
import type { Instant } from "../domain/time.ts";
import { type NameTuning, type RowNames, rowNames } from "./memory/row-names.ts";
import { LAST_KEPT, pruner } from "./retention.ts";
import { idempotencyAnswers, outputs, pings } from "./schema.ts";
import { columnsOf, insertInto, PARAMETER_IN_SUBQUERY, type Stored } from "./sql.ts";

export type StoredPing = Readonly<Stored<typeof pings>>;

/**
 * How many reports are followed along a monitor's chain at most, because reports have no index; this takes a few
 * milliseconds.
 */
export const WALKED = 3_000;

export type PingSpan = Readonly<{ since: Instant; until: Instant; walked: number; limit: number }>;

/** A report of a run that ended well, and how long that run took. */
type MeasuredEnd = Readonly<{ endedAt: Instant; seconds: number }>;

const OF_NOBODY: Omit<StoredPing, "id"> = {
  monitorId: 0,
  number: 0,
  at: 0,
  kind: "log",
  previousId: null,
  runRow: null,
  attempt: null,
  durationSeconds: null,
  message: null,
  outcomes: null,
  happenedAt: null,
  verdict: null,
};

export function pingRows(database: Database) {
  const append = database.prepare<null, [Omit<StoredPing, "id">]>(insertInto(pings));
  // The monitor is compared, because the chain may lead to a deleted row whose id another monitor's ping has now.
  const between = database.prepare<StoredPing, [PingSpan & { monitorId: number; last: number | null }]>(
    `WITH RECURSIVE chain (id, length) AS (
       SELECT $last, 1
       UNION ALL
       SELECT p.previous_id, chain.length + 1 FROM chain JOIN pings p ON p.id = chain.id
       WHERE chain.length < $walked AND p.at >= $since AND p.monitor_id = $monitorId
     )
     SELECT ${columnsOf(pings, "p")} FROM chain JOIN pings p ON p.id = chain.id
     WHERE p.monitor_id = $monitorId AND p.at <= $until ORDER BY p.id DESC LIMIT $limit`,
  );
  // This query reads only what it returns, and each row once, because a report may wait for it.
  const lengths = database.prepare<
    MeasuredEnd,
    [{ monitorId: number; last: number | null; walked: number; limit: number }]
  >(
    `WITH RECURSIVE chain (walked, at, kind, duration_seconds, previous_id) AS (
       SELECT 1, at, kind, duration_seconds, previous_id FROM pings WHERE id = $last AND monitor_id = $monitorId
       UNION ALL
       SELECT walked + 1, p.at, p.kind, p.duration_seconds, p.previous_id
       FROM chain JOIN pings p ON p.id = chain.previous_id
       WHERE walked < $walked AND p.monitor_id = $monitorId
     )
     SELECT at AS endedAt, duration_seconds AS seconds FROM chain
     WHERE kind IN ('complete', 'heartbeat') AND duration_seconds IS NOT NULL ORDER BY walked LIMIT $limit`,
  );
  const remove = database.prepare<null, [number | bigint]>("DELETE FROM pings WHERE id = ?");
  return {
    /**
     * Returns the ping's id. The caller takes `number` and `previousId` from the monitor's heads, which name its last
     * ping.
     */
    append: (ping: Omit<StoredPing, "id">) => Number(append.run(ping).lastInsertRowid),
    /** Tries whether pings can be stored, and keeps none. Throws when not. Must be called in a transaction. */
    tryOut: () => void remove.run(append.run(OF_NOBODY).lastInsertRowid),
    /** A monitor's pings, the newest first: at most `limit` from the id `last` back; `null` means none. */
    last: (monitorId: number, lastId: number | null, limit: number) =>
      between.all({ monitorId, last: lastId, since: -Infinity, until: Infinity, walked: limit, limit }),
    /**
     * A monitor's pings at `until` and before, the newest first, at most `limit`, back to the first one before `since`.
     * It examines at most `walked` pings from the id `last` back; `null` means none.
     */
    between: (monitorId: number, lastId: number | null, span: PingSpan) =>
      between.all({ monitorId, last: lastId, ...span }),
    /**
     * When a monitor's last runs ended well and how long they took, the newest first: at most `limit`, among the
     * `walked` pings from the id `last` back; `null` means none.
     */
    lengths: (monitorId: number, last: number | null, walked: number, limit: number): readonly MeasuredEnd[] =>
      lengths.all({ monitorId, last, walked, limit }),
    /** Keeps a monitor's last 20 pings and its last failure. */
    prune: pruner(database, {
      table: "pings",
      instant: "at",
      keep: `EXISTS (SELECT 1 FROM monitor_states s WHERE s.monitor_id = pings.monitor_id
             AND (pings.number > s.ping_count - ${LAST_KEPT} OR pings.id = s.last_failure_ping_id))`,
    }),
  };
}

// The rows of failing jobs' output (R46). They are separate, because output is long and every ping reads or writes its
// own row.

export type StoredOutput = Readonly<Stored<typeof outputs>>;

export function outputRows(database: Database) {
  // The row replaces an older one, because an earlier ping that was deleted may have had the same id.
  const keep = database.prepare<null, [StoredOutput]>(insertInto(outputs, []).replace("INSERT", "INSERT OR REPLACE"));
  const of = database.prepare<Pick<StoredOutput, "id" | "text">, [string]>(
    "SELECT id, text FROM outputs WHERE id IN (SELECT value FROM json_each(?))",
  );
  const newest = database.prepare<StoredOutput, [number]>(
    "SELECT id, monitor_id AS monitorId, at, text FROM outputs WHERE monitor_id = ? ORDER BY id DESC LIMIT 1",
  );
  return {
    keep: (output: StoredOutput) => void keep.run(output),
    of: (pings: readonly number[]) =>
      pings.length === 0 ? new Map() : new Map(of.all(JSON.stringify(pings)).map(({ id, text }) => [id, text])),
    /** A monitor's newest output; `null` when it has none. */
    newest: (monitorId: number) => newest.get(monitorId),
    /** Deletes only outputs whose ping is gone. */
    prune: pruner(database, {
      table: "outputs",
      instant: "at",
      keep: "EXISTS (SELECT 1 FROM pings WHERE pings.id = outputs.id AND pings.monitor_id = outputs.monitor_id)",
    }),
  };
}

// The rows of answers that are kept for pings with an idempotency key (R11). Only such pings have one, because a unique
// index that every ping writes would cost more than the ping itself. It does not know what an answer says.

type KeptAnswerRow = Readonly<Omit<Stored<typeof idempotencyAnswers>, "id">>;

/** Which answers have a key. `tuning` is for tests. */
export const answerNames = (database: Database, tuning?: NameTuning): RowNames =>
  rowNames(
    database,
    {
      table: "idempotency_answers",
      name: "key",
      names: "answer_names",
      row: "answer_row",
      isWanted: "r.at >= $before",
      span: IDEMPOTENCY_SPAN,
    },
    tuning,
  );

export function idempotencyRows(database: Database, names: RowNames) {
  const byId = database.prepare<Omit<KeptAnswerRow, "monitorId">, [number, number]>(
    `SELECT key, at, answer FROM idempotency_answers WHERE id = ? AND monitor_id = ${PARAMETER_IN_SUBQUERY}`,
  );
  const keep = database.prepare<null, [KeptAnswerRow]>(insertInto(idempotencyAnswers));
  return {
    /** The answer kept for this key of the monitor; `null` when there is none, or it is older than `since`. */
    recall: (monitorId: number, key: string, since: Instant): string | null => {
      const found = names.find(monitorId, key, (id) => {
        const row = byId.get(id, monitorId);
        return row?.key === key ? row : null;
      });
      return found === null || found.at < since ? null : found.answer;
    },
    keep: (answer: KeptAnswerRow): void => {
      names.note(Number(keep.run(answer).lastInsertRowid), answer.monitorId, answer.key);
    },
    prune: pruner(database, { table: "idempotency_answers", instant: "at", keep: "false" }),
  };
}

// The rows of senders: from which computer, by which program and key each monitor was last reported.

export type Sender = {
  readonly keyId: number;
  readonly address: string;
  /** The program's own name; `null` when it gives none. */
  readonly agent: string | null;
};

/** A sender as it is stored. `since` is when it was first seen. */
type SenderRow = Sender & { readonly since: Instant };

export function senderRows(database: Database) {
  const save = database.prepare<null, [Sender & { readonly monitorId: number; readonly at: Instant }]>(
    `INSERT INTO senders (monitor_id, key_id, since, address, agent) VALUES ($monitorId, $keyId, $at, $address, $agent)
     ON CONFLICT (monitor_id) DO UPDATE SET key_id = excluded.key_id, since = excluded.since,
       address = excluded.address, agent = excluded.agent
     WHERE key_id <> excluded.key_id OR address <> excluded.address OR agent IS NOT excluded.agent`,
  );
  const of = database.prepare<SenderRow, [number]>(
    "SELECT key_id AS keyId, since, address, agent FROM senders WHERE monitor_id = ?",
  );
  const addresses = database.prepare<{ id: number; address: string }, [{ ids: string }]>(
    `SELECT s.monitor_id AS id, s.address FROM json_each($ids) wanted
     CROSS JOIN senders s ON s.monitor_id = wanted.value`,
  );
  const ofKey =
    "FROM senders s JOIN monitors m ON m.id = s.monitor_id AND m.deleted_at IS NULL WHERE s.key_id = $keyId";
  const monitors = database.prepare<{ key: string }, [{ keyId: number; limit: number }]>(
    `SELECT m.key ${ofKey} ORDER BY m.key LIMIT $limit`,
  );
  const count = database.prepare<{ count: number }, [{ keyId: number }]>(`SELECT count(*) AS count ${ofKey}`);
  return {
    /** Stores who sent a monitor's report. If its row has an equal sender already, it is not changed. */
    save: (monitorId: number, { keyId, address, agent }: Sender, at: Instant) =>
      void save.run({ monitorId, keyId, address, agent, at }),
    /** The sender of a monitor's reports; `null` when it is not known. */
    of: (monitorId: number) => of.get(monitorId),
    /** From where these monitors were last reported, by id. Monitors for which that is not known are left out. */
    addresses: (monitorIds: readonly number[]): ReadonlyMap<number, string> =>
      new Map(addresses.all({ ids: JSON.stringify(monitorIds) }).map(({ id, address }) => [id, address])),
    /**
     * At most `limit` keys of the monitors that this key last reported, in ascending order; `count` is how many there
     * are.
     */
    monitorsOfKey: (keyId: number, limit: number) => ({
      monitors: monitors.all({ keyId, limit }).map(({ key }) => key),
      count: count.get({ keyId })!.count,
    }),
  };
}
