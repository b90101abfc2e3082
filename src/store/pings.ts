// Reads and writes pings. Each ping names its monitor's ping before it. A monitor's last pings are read along this
// chain, so no ping pays for an index. Output, receipts and senders are in other tables, because few pings write them.

import type { Database } from "bun:sqlite";
import { IDEMPOTENCY_SPAN } from "../domain/limits.ts";
import type { Instant } from "../domain/time.ts";
import { type NameTuning, type RowNames, rowNames } from "./memory/row-names.ts";
import { LAST_KEPT, pruner } from "./retention.ts";
import { outputs, pings, receipts } from "./schema.ts";
import { columnsOf, insertInto, PARAMETER_IN_SUBQUERY, type Stored } from "./sql.ts";

export type StoredPing = Readonly<Stored<typeof pings>>;

/** How many pings are read along a monitor's chain at most. So many take a few milliseconds. */
export const PINGS_WALKED_MAX = 3_000;

export type PingSpan = Readonly<{ since: Instant; until: Instant; walked: number; limit: number }>;

/**
 * The end of a run that was reported by a complete or a heartbeat: when that was, and how many seconds the run took.
 */
type MeasuredEnd = Readonly<{ endedAt: Instant; seconds: number }>;

const TRIAL_PING: Omit<StoredPing, "id"> = {
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
  // `monitor_id` is compared, because a monitor's chain may lead to the id of a deleted ping, and another monitor's
  // ping may have this id now.
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
  // A report may wait for this query. So it reads each ping once, and of each only the columns that it needs.
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
     * Stores a ping and returns its id. `number` and `previousId` follow from the monitor's last ping, which the caller
     * knows.
     */
    append: (ping: Omit<StoredPing, "id">) => Number(append.run(ping).lastInsertRowid),
    /** Stores a ping and deletes it again; throws when pings cannot be stored. Must be called in a transaction. */
    tryOut: () => void remove.run(append.run(TRIAL_PING).lastInsertRowid),
    /**
     * At most `limit` pings of a monitor, the newest first. `lastId` is the id of its last ping; `null` when it has
     * none.
     */
    last: (monitorId: number, lastId: number | null, limit: number) =>
      between.all({ monitorId, last: lastId, since: -Infinity, until: Infinity, walked: limit, limit }),
    /**
     * A monitor's pings that came from `since` to `until`, and the last ping before `since`. The newest come first, at
     * most `limit`. The chain is read back from the ping with the id `lastId`, at most `walked` pings of it. `lastId`
     * is `null` when the monitor has no ping.
     */
    between: (monitorId: number, lastId: number | null, span: PingSpan) =>
      between.all({ monitorId, last: lastId, ...span }),
    /**
     * The last runs of a monitor that ended otherwise than by a fail and whose length is known, the newest first: at
     * most `limit`. At most `walked` pings are examined, from the one with the id `last` back. `last` is `null` when
     * the monitor has no ping.
     */
    lengths: (monitorId: number, last: number | null, walked: number, limit: number): readonly MeasuredEnd[] =>
      lengths.all({ monitorId, last, walked, limit }),
    prune: pruner(database, {
      table: "pings",
      instant: "at",
      keep: `EXISTS (SELECT 1 FROM monitor_states s WHERE s.monitor_id = pings.monitor_id
             AND (pings.number > s.ping_count - ${LAST_KEPT} OR pings.id = s.last_failure_ping_id))`,
    }),
  };
}

// The output of failing jobs (R46). It is long, so a separate table keeps the rows of pings small.

export type StoredOutput = Readonly<Stored<typeof outputs>>;

export function outputRows(database: Database) {
  // A row with this id may be left of a deleted ping that had the same id. The new row takes its place.
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
    newest: (monitorId: number) => newest.get(monitorId),
    prune: pruner(database, {
      table: "outputs",
      instant: "at",
      keep: "EXISTS (SELECT 1 FROM pings WHERE pings.id = outputs.id AND pings.monitor_id = outputs.monitor_id)",
    }),
  };
}

// The receipts of pings with an idempotency key (R11), which are not interpreted here. A unique index of keys on the
// table of pings would cost each ping more than the ping itself.

type KeptAnswerRow = Readonly<Omit<Stored<typeof receipts>, "id">>;

/** Makes the functions that find receipts by their idempotency keys. `tuning` is for tests. */
export const receiptNames = (database: Database, tuning?: NameTuning): RowNames =>
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
  const keep = database.prepare<null, [KeptAnswerRow]>(insertInto(receipts));
  return {
    /** The receipt of the monitor's ping with this key; `null` when there is none, or when it is older than `since`. */
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

// The senders of reports: for each monitor the computer, the program and the key by which it was last reported.

export type Sender = {
  readonly keyId: number;
  readonly address: string;
  /** What the program calls itself; `null` when it does not say. */
  readonly agent: string | null;
};

/** The sender of a monitor's reports. `since` is when reports began to come from this sender. */
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
    /** Stores who sent a monitor's report. While the sender stays the same, `since` keeps its value. */
    save: (monitorId: number, { keyId, address, agent }: Sender, at: Instant) =>
      void save.run({ monitorId, keyId, address, agent, at }),
    /** Who sent the monitor's last report; `null` when not known. */
    of: (monitorId: number) => of.get(monitorId),
    /**
     * The addresses from which these monitors were last reported, by the monitor's id. Monitors without a known address
     * are left out.
     */
    addresses: (monitorIds: readonly number[]): ReadonlyMap<number, string> =>
      new Map(addresses.all({ ids: JSON.stringify(monitorIds) }).map(({ id, address }) => [id, address])),
    /**
     * The monitors that were last reported with this key: the keys of at most `limit` of them, in ascending order, and
     * the count of all.
     */
    monitorsOfKey: (keyId: number, limit: number) => ({
      monitors: monitors.all({ keyId, limit }).map(({ key }) => key),
      count: count.get({ keyId })!.count,
    }),
  };
}
