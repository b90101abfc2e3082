// Reads and writes the sessions of people who are signed in, their passkeys, and the browsers that receive push
// messages for them.

import type { Database } from "bun:sqlite";
import { SESSION_IDLE, SESSION_MAX } from "../domain/people/sign-in.ts";
import type { Instant } from "../domain/time.ts";
import { browsers, passkeys, sessions } from "./schema-people.ts";
import { columnsOf, insertInto, type Stored } from "./sql.ts";

export type SessionRow = Readonly<Omit<Stored<typeof sessions>, "hash">>;
export interface SignedInRow {
  readonly name: string;
  readonly sessions: number;
  /**
   * When the person last used any session. Uses are written once an hour, so the true time may be up to an hour later.
   */
  readonly usedAt: Instant;
}

export function sessionRows(database: Database) {
  const select = `SELECT ${columnsOf(sessions, "s", FIELDS)} FROM sessions s`;
  const insert = database.prepare<{ id: number }, [Omit<Stored<typeof sessions>, "id">]>(
    `${insertInto(sessions)} RETURNING id`,
  );
  const forget = database.prepare<null, [{ personId: number; kept: number }]>(
    `DELETE FROM sessions WHERE id IN
       (SELECT id FROM sessions WHERE person_id = $personId ORDER BY id DESC LIMIT -1 OFFSET $kept)`,
  );
  const findByHash = database.prepare<SessionRow, [Uint8Array]>(`${select} WHERE s.hash = ?`);
  const ofPerson = database.prepare<SessionRow, [number]>(`${select} WHERE s.person_id = ? ORDER BY s.id DESC`);
  const signedIn = database.prepare<SignedInRow, [Instant, Instant]>(
    `SELECT p.name, count(*) AS sessions, max(s.used_at) AS usedAt FROM sessions s JOIN people p ON p.id = s.person_id
     WHERE s.used_at > ? AND s.created_at > ? GROUP BY p.id ORDER BY p.folded`,
  );
  const remove = database.prepare<null, [number]>("DELETE FROM sessions WHERE id = ?");
  const removeOthers = database.prepare<null, [number, number | null]>(
    "DELETE FROM sessions WHERE person_id = ? AND id IS NOT ?",
  );
  const use = database.prepare<null, [Instant, number]>("UPDATE sessions SET used_at = max(used_at, ?) WHERE id = ?");
  const prune = database.prepare<null, [Instant, Instant]>(
    "DELETE FROM sessions WHERE used_at <= ? OR created_at <= ?",
  );

  return {
    /** Adds a session and returns its id. Only the person's newest `kept` sessions stay. */
    insert: (session: Omit<SessionRow, "id" | "usedAt">, hash: Uint8Array, kept: number): number => {
      const { id } = insert.get({ ...session, usedAt: session.createdAt, hash: Buffer.from(hash) })!;
      forget.run({ personId: session.personId, kept });
      return id;
    },
    findByHash: (hash: Uint8Array) => findByHash.get(hash),
    /** The sessions of a person, the newest first. */
    ofPerson: (personId: number) => ofPerson.all(personId),
    /** The people who have a session that has not expired, sorted by name. */
    signedIn: (now: Instant) => signedIn.all(now - SESSION_IDLE, now - SESSION_MAX),
    delete: (id: number) => void remove.run(id),
    /** Deletes the person's sessions except the one with this id; with `null` it deletes all. */
    deleteOthers: (personId: number, id: number | null) => void removeOthers.run(personId, id),
    setUsed: (uses: Iterable<readonly [id: number, usedAt: Instant]>): void => {
      for (const [id, usedAt] of uses) use.run(usedAt, id);
    },
    /** Deletes expired sessions. Must be called in a transaction. */
    prune: (now: Instant) => void prune.run(now - SESSION_IDLE, now - SESSION_MAX),
  };
}

const FIELDS = ["id", "personId", "createdAt", "usedAt", "address", "agent"];

// The rows of passkeys. Only public keys are stored; the web pages check signatures with them.

export type PasskeyRow = Readonly<Stored<typeof passkeys>>;

export function passkeyRows(database: Database) {
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
    /** Stores a passkey. No person may have a passkey with this `credentialId` yet. */
    insert: (passkey: Omit<PasskeyRow, "id" | "usedAt">) => void insert.run({ ...passkey, usedAt: null }),
    find: (credentialId: string) => find.get(credentialId),
    /** The passkeys of a person, the oldest first. */
    ofPerson: (personId: number) => ofPerson.all(personId),
    setUsed: (id: number, counter: number, at: Instant) => void use.run(counter, at, id),
    delete: (id: number) => void remove.run(id),
    deleteAll: (personId: number) => removeAll.run(personId).changes,
  };
}

export type BrowserRow = Readonly<Stored<typeof browsers>>;

export function browserRows(database: Database) {
  const select = `SELECT ${columnsOf(browsers, "b")} FROM browsers b JOIN people p ON p.id = b.person_id`;
  const insert = database.prepare<null, [Omit<BrowserRow, "id">]>(insertInto(browsers));
  const ofPerson = database.prepare<BrowserRow, [string]>(`${select} WHERE p.name = ? ORDER BY b.id`);
  const owners = database.prepare<{ name: string; applications: string | null }, []>(
    "SELECT name, applications FROM people WHERE id IN (SELECT person_id FROM browsers) ORDER BY folded",
  );
  const use = database.prepare<null, [Instant, number]>("UPDATE browsers SET used_at = ? WHERE id = ?");
  const remove = database.prepare<null, [string]>("DELETE FROM browsers WHERE endpoint = ?");
  const removeAll = database.prepare<null, [number]>("DELETE FROM browsers WHERE person_id = ?");
  return {
    /** Stores a browser. No other row may have the same endpoint. */
    insert: (browser: Omit<BrowserRow, "id" | "usedAt">) => void insert.run({ ...browser, usedAt: null }),
    /** The browsers of a person, the oldest first. */
    ofPerson: (name: string) => ofPerson.all(name),
    /**
     * The people who receive push messages in a browser, sorted by name. `applications` has the slugs of the only
     * applications that the person may see; `null` means all.
     */
    owners: () =>
      owners.all().map(({ name, applications: a }) => ({ name, applications: a === null ? null : JSON.parse(a) })),
    setUsed: (id: number, at: Instant) => void use.run(at, id),
    delete: (endpoint: string) => void remove.run(endpoint),
    deleteAll: (personId: number) => void removeAll.run(personId),
  };
}
