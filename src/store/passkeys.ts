// The rows of passkeys. Stores only public keys; whether an answer was signed by one is for the edge to find out.

import type { Database } from "bun:sqlite";
import type { Instant } from "../domain/time.ts";
import { passkeys } from "./schema-people.ts";
import { columnsOf, insertInto, type Stored } from "./sql.ts";

export type PasskeyRow = Readonly<Stored<typeof passkeys>>;

export interface PasskeyRows {
  /** No person may have its credential yet. */
  insert(passkey: Omit<PasskeyRow, "id" | "usedAt">): void;
  find(credentialId: string): PasskeyRow | null;
  /** The oldest first. */
  ofPerson(personId: number): PasskeyRow[];
  setUsed(id: number, counter: number, at: Instant): void;
  delete(id: number): void;
  /** All of the person's; returns how many. */
  deleteAll(personId: number): number;
}

export function passkeyRows(database: Database): PasskeyRows {
  const select = `SELECT ${columnsOf(passkeys, "k")} FROM passkeys k`;
  const insert = database.prepare<null, [Omit<PasskeyRow, "id">]>(insertInto(passkeys));
  const find = database.prepare<PasskeyRow, [string]>(`${select} WHERE k.credential_id = ?`);
  const ofPerson = database.prepare<PasskeyRow, [number]>(`${select} WHERE k.person_id = ? ORDER BY k.id`);
  const use = database.prepare<null, [number, Instant, number]>(
    "UPDATE passkeys SET counter = ?, used_at = ? WHERE id = ?",
  );
  const remove = database.prepare<null, [number]>("DELETE FROM passkeys WHERE id = ?");
  const removeAll = database.prepare<null, [number]>("DELETE FROM passkeys WHERE person_id = ?");
  return {
    insert: (passkey) => void insert.run({ ...passkey, usedAt: null }),
    find: (credentialId) => find.get(credentialId),
    ofPerson: (personId) => ofPerson.all(personId),
    setUsed: (id, counter, at) => void use.run(counter, at, id),
    delete: (id) => void remove.run(id),
    deleteAll: (personId) => removeAll.run(personId).changes,
  };
}
