// The rows of answers kept for pings that carry an idempotency key (R11). Only such pings have one: a unique index that
// every ping writes would cost more than the ping itself. Does not know what an answer says.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";
import { type Pruned, pruner } from "./retention.ts";
import type { idempotencyAnswers } from "./schema.ts";
import type { Stored } from "./sql.ts";

type KeptAnswerRow = Readonly<Omit<Stored<typeof idempotencyAnswers>, "id">>;

type Repeated = {
  readonly applicationId: number;
  readonly monitorKey: string;
  readonly key: string;
  /** Older answers do not count. */
  readonly since: Instant;
};

export interface IdempotencyRows {
  /** The answer kept for this key of the monitor with this monitor key now; null: none. Ignores deleted monitors. */
  recall(repeated: Repeated): string | null;
  /** Replaces an answer that is too old to count, if there is one. */
  keep(answer: KeptAnswerRow): void;
  /** Deletes answers older than `before`; looks at no more than `limit` rows after the row `after`. */
  prune(before: Instant, after: number, limit: number): Pruned;
}

export function idempotencyRows(database: Database): IdempotencyRows {
  const recall = database.prepare<{ answer: string }, [Repeated]>(
    `SELECT answer FROM idempotency_answers WHERE key = $key AND at >= $since AND monitor_id =
       (SELECT id FROM monitors WHERE application_id = $applicationId AND key = $monitorKey AND deleted_at IS NULL)`,
  );
  // A new row at the end, because retention follows the order of writing.
  const keep = database.prepare<null, [KeptAnswerRow]>(
    `INSERT OR REPLACE INTO idempotency_answers (monitor_id, key, at, answer) VALUES ($monitorId, $key, $at, $answer)`,
  );
  return {
    recall: (repeated) => recall.get(repeated)?.answer ?? null,
    keep: (answer) => void keep.run(answer),
    prune: pruner(database, { table: "idempotency_answers", instant: "at", keep: "false" }),
  };
}
