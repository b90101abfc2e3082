// The number by which a run's name is found. Stored in the database, so it must never change; nobody can choose names that
// share one.

import { createHash } from "node:crypto";

/** 48 bits, the first of a SHA-256: SQLite stores them in six bytes. */
export const nameHash = (monitorId: number, runId: string): number =>
  createHash("sha256").update(`${monitorId}/${runId}`).digest().readUIntBE(0, 6);
