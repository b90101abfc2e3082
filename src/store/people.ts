// The rows of people who may sign in, of their one-time links, and of the audit. Only hashes of passwords and links are
// stored.

import type { Database } from "bun:sqlite";
import { foldedName, type Person, type Role, type VouchedAccount } from "../domain/people/person.ts";
import type { Instant } from "../domain/time.ts";
import type { MonitorPlace } from "./monitor-pages.ts";
import { pruner } from "./retention.ts";
import { audit, people, signInLinks } from "./schema-people.ts";
import { columnsOf, insertInto, type Stored } from "./sql.ts";

export interface PersonRow extends Person {
  /** argon2id in PHC form; `null` when none was set yet. */
  readonly passwordHash: string | null;
  readonly createdAt: Instant;
  readonly signedInAt: Instant | null;
  /** The account by which the person signs in at an OpenID provider; `null` when none is bound yet. */
  readonly account: VouchedAccount | null;
}

export type LinkRow = Readonly<Pick<Stored<typeof signInLinks>, "id" | "personId" | "expiresAt">>;

export function personRows(database: Database) {
  const select = `SELECT ${columnsOf(people, "who")} FROM people who`;
  const insert = database.prepare<{ id: number }, [Omit<StoredPerson, "id">]>(`${insertInto(people)} RETURNING id`);
  const find = database.prepare<StoredPerson, [number]>(`${select} WHERE who.id = ?`);
  const named = database.prepare<StoredPerson, [string]>(`${select} WHERE who.folded = ?`);
  const ofAccount = database.prepare<StoredPerson, [string, string]>(
    `${select} WHERE who.issuer = ? AND who.subject = ?`,
  );
  const list = database.prepare<StoredPerson, []>(`${select} ORDER BY who.folded`);
  const count = database.prepare<{ count: number }, []>("SELECT count(*) AS count FROM people");
  const setPassword = database.prepare<null, [string | null, number]>(
    "UPDATE people SET password_hash = ? WHERE id = ?",
  );
  const setRole = database.prepare<null, [Role, string | null, number]>(
    "UPDATE people SET role = ?, applications = ? WHERE id = ?",
  );
  const setSignedIn = database.prepare<null, [Instant, number]>("UPDATE people SET signed_in_at = ? WHERE id = ?");
  const setAccount = database.prepare<null, [string | null, string | null, number]>(
    "UPDATE people SET issuer = ?, subject = ? WHERE id = ?",
  );
  const removals = [
    "DELETE FROM sign_in_links WHERE person_id = ?",
    "DELETE FROM sessions WHERE person_id = ?",
    "DELETE FROM passkeys WHERE person_id = ?",
    "DELETE FROM browsers WHERE person_id = ?",
    "DELETE FROM people WHERE id = ?",
  ].map((text) => database.prepare<null, [number]>(text));

  return {
    /** Adds a person. The name must be free. */
    create: ({ applications, ...person }: Omit<PersonRow, "id" | "signedInAt" | "account">): PersonRow => {
      const row = {
        ...person,
        folded: foldedName(person.name),
        applications: storedApplications(applications),
        signedInAt: null,
        issuer: null,
        subject: null,
      };
      return personFromRow({ ...row, ...insert.get(row)! });
    },
    find: (id: number) => personOrNull(find.get(id)),
    /** Finds a person by name, in any spelling. */
    named: (name: string) => personOrNull(named.get(foldedName(name))),
    ofAccount: ({ issuer, subject }: VouchedAccount) => personOrNull(ofAccount.get(issuer, subject)),
    /** All people, sorted by name. */
    list: () => list.all().map(personFromRow),
    count: () => count.get()!.count,
    setPassword: (id: number, passwordHash: string | null) => void setPassword.run(passwordHash, id),
    setRole: (id: number, role: Role, applications: readonly string[] | null) =>
      void setRole.run(role, storedApplications(applications), id),
    setSignedIn: (id: number, at: Instant) => void setSignedIn.run(at, id),
    /** Stores the account by which the person signs in. No other person may have it. */
    setAccount: (id: number, account: VouchedAccount | null) =>
      void setAccount.run(account?.issuer ?? null, account?.subject ?? null, id),
    delete: (id: number): void => {
      for (const removal of removals) removal.run(id);
    },
    ...linkRows(database),
  };
}

function linkRows(database: Database) {
  const link = `SELECT ${columnsOf(signInLinks, "l", ["id", "personId", "expiresAt"])} FROM sign_in_links l`;
  const insertLink = database.prepare<null, [Omit<Stored<typeof signInLinks>, "id">]>(insertInto(signInLinks));
  const linkByHash = database.prepare<LinkRow, [Uint8Array]>(`${link} WHERE l.hash = ?`);
  const linkOf = database.prepare<LinkRow, [number | null]>(`${link} WHERE l.person_id IS ?`);
  const putOffFirst = database.prepare<null, [{ before: Instant; movedMs: number }]>(
    "UPDATE sign_in_links SET expires_at = expires_at + $movedMs WHERE person_id IS NULL AND expires_at > $before",
  );
  const boundLinks = database.prepare<null, [Instant]>(
    "UPDATE sign_in_links SET expires_at = ?1 WHERE expires_at > ?1",
  );
  const deleteLinkOf = database.prepare<null, [number | null]>("DELETE FROM sign_in_links WHERE person_id IS ?");
  return {
    /** Stores a one-time link in place of an earlier one for the same person. */
    setLink: (personId: number | null, hash: Uint8Array, expiresAt: Instant): void => {
      deleteLinkOf.run(personId);
      insertLink.run({ personId, hash: Buffer.from(hash), expiresAt });
    },
    link: (hash: Uint8Array) => linkByHash.get(hash),
    linkOf: (personId: number | null) => linkOf.get(personId),
    /**
     * Prolongs the first link after the clock was moved forward by `movedMs`. `before` is what the clock said until
     * then.
     */
    putOffFirstLink: (moved: Readonly<{ before: Instant; movedMs: number }>) => void putOffFirst.run(moved),
    /** Shortens the links after the clock was set back, so that none is valid for longer than one that is made now. */
    boundLinks: (until: Instant) => void boundLinks.run(until),
    deleteLinkOf: (personId: number | null) => void deleteLinkOf.run(personId),
  };
}

type StoredPerson = Stored<typeof people>;

const storedApplications = (applications: readonly string[] | null): string | null =>
  applications === null ? null : JSON.stringify(applications);

const personFromRow = ({ folded: _, applications, issuer, subject, ...row }: StoredPerson): PersonRow => ({
  ...row,
  account: issuer === null || subject === null ? null : { issuer, subject },
  applications: applications === null ? null : JSON.parse(applications),
});

const personOrNull = (row: StoredPerson | null): PersonRow | null => (row === null ? null : personFromRow(row));

// The rows of the audit: who did what. Their number is limited; they decide nothing.

type AuditRow = Readonly<Stored<typeof audit>>;

interface AuditFilter {
  /** Only rows from this instant on. */
  readonly since: Instant;
  /** Only rows with an id below this. */
  readonly before: number;
  /** Only rows of the person with this name, in any ASCII case; `null` means rows of all. */
  readonly name: string | null;
  /** Only these actions; `null` means all. */
  readonly actions: readonly string[] | null;
  /** Only actions with this first word; `null` means all. */
  readonly group: string | null;
  /** Only rows about this application; `null` means all. */
  readonly application: string | null;
  readonly monitorKey: string | null;
  readonly limit: number;
}

/**
 * How many rows the audit keeps. This allows for a script that pauses and resumes every minute; people do less in a
 * year.
 */
const KEPT = 100_000;

export function auditRows(database: Database) {
  const insert = database.prepare<{ id: number }, [Omit<AuditRow, "id">]>(`${insertInto(audit)} RETURNING id`);
  const forget = database.prepare<null, [number]>("DELETE FROM audit WHERE id <= ?");
  type Asked = Omit<AuditFilter, "actions"> & { readonly actions: string | null };
  const list = database.prepare<AuditRow, [Asked]>(
    `SELECT ${columnsOf(audit, "a")} FROM audit a WHERE a.id < $before AND a.at >= $since
       AND ($name IS NULL OR a.name = $name COLLATE NOCASE)
       AND ($application IS NULL OR a.application = $application)
       AND ($monitorKey IS NULL OR a.monitor_key = $monitorKey)
       AND ($actions IS NULL OR a.action IN (SELECT value FROM json_each($actions)))
       AND ($group IS NULL OR a.action = $group OR substr(a.action, 1, length($group) + 1) = $group || ' ')
     ORDER BY a.id DESC LIMIT $limit`,
  );
  type OfMonitor = { application: string; key: string; since: Instant; before: Instant; limit: number };
  const ofMonitor = database.prepare<AuditRow, [OfMonitor]>(
    `SELECT ${columnsOf(audit, "a")} FROM audit a INDEXED BY audit_of_monitor
     WHERE a.application = $application AND a.monitor_key = $key AND a.monitor_key IS NOT NULL
       AND a.at >= $since AND a.at < $before AND json_extract(a.details, '$.alreadySo') IS NULL
     ORDER BY a.id DESC LIMIT $limit`,
  );
  const ofReply = database.prepare<AuditRow, [string]>(
    `SELECT ${columnsOf(audit, "a")} FROM audit a WHERE a.answer = ? AND a.answer IS NOT NULL`,
  );
  return {
    /** What was done by this reply to a message; `null` when nothing was. */
    ofReply: (link: string) => ofReply.get(link),
    insert: (row: Omit<AuditRow, "id">) => void forget.run(insert.get(row)!.id - KEPT),
    /** The rows that the filter selects, the newest first. */
    list: ({ actions, ...filter }: AuditFilter) =>
      list.all({ ...filter, actions: actions === null ? null : JSON.stringify(actions) }),
    /** What was done to the monitor of this name in [since, before), the newest first, without what changed nothing. */
    ofMonitor: (
      { application, key }: MonitorPlace,
      { since, before }: { readonly since: Instant; readonly before: Instant },
      limit: number,
    ) => ofMonitor.all({ application, key, since, before, limit }),
    prune: pruner(database, { table: "audit", instant: "at", keep: "false" }),
  };
}
