// Reads and writes the accounts of people, their one-time links, and the audit. Passwords and links are stored only as
// hashes.

import type { Database } from "bun:sqlite";
import { foldedPersonName, type Person, type Role, type VouchedAccount } from "../domain/people/person.ts";
import type { Instant } from "../domain/time.ts";
import type { MonitorPlace } from "./monitor-pages.ts";
import { pruner } from "./retention.ts";
import { audit, people, signInLinks } from "./schema-people.ts";
import { columnsOf, insertInto, type Stored } from "./sql.ts";

export interface PersonRow extends Person {
  readonly passwordHash: string | null;
  readonly createdAt: Instant;
  readonly signedInAt: Instant | null;
  /** The account at an OpenID provider by which the person signs in; `null` when there is none. */
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
    /** Creates a person. No other person may have the name. */
    create: ({ applications, ...person }: Omit<PersonRow, "id" | "signedInAt" | "account">): PersonRow => {
      const row = {
        ...person,
        folded: foldedPersonName(person.name),
        applications: storedApplications(applications),
        signedInAt: null,
        issuer: null,
        subject: null,
      };
      return personFromRow({ ...row, ...insert.get(row)! });
    },
    find: (id: number) => personOrNull(find.get(id)),
    /** Finds a person by name. Upper and lower case, for example, make no difference. */
    named: (name: string) => personOrNull(named.get(foldedPersonName(name))),
    ofAccount: ({ issuer, subject }: VouchedAccount) => personOrNull(ofAccount.get(issuer, subject)),
    list: () => list.all().map(personFromRow),
    count: () => count.get()!.count,
    setPassword: (id: number, passwordHash: string | null) => void setPassword.run(passwordHash, id),
    setRole: (id: number, role: Role, applications: readonly string[] | null) =>
      void setRole.run(role, storedApplications(applications), id),
    setSignedIn: (id: number, at: Instant) => void setSignedIn.run(at, id),
    /** Stores the person's account at an OpenID provider; `null` removes it. No other person may have that account. */
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
    /**
     * Stores a one-time link in place of the person's earlier one. With `personId` `null` it is the link by which the
     * first person gets an account.
     */
    setLink: (personId: number | null, hash: Uint8Array, expiresAt: Instant): void => {
      deleteLinkOf.run(personId);
      insertLink.run({ personId, hash: Buffer.from(hash), expiresAt });
    },
    link: (hash: Uint8Array) => linkByHash.get(hash),
    linkOf: (personId: number | null) => linkOf.get(personId),
    /**
     * Makes the first person's link expire `movedMs` later, because the clock was moved forward by that much. `before`
     * is what the clock said just before it was moved.
     */
    putOffFirstLink: (moved: Readonly<{ before: Instant; movedMs: number }>) => void putOffFirst.run(moved),
    /**
     * Called when the clock was set back: makes links that expire after `until` expire at `until`, which is when a link
     * that is made now expires.
     */
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

// The audit: who did what. The number of rows is limited. rollcall itself needs the rows for one decision only: whether
// a reply to a message was taken already.

type AuditRow = Readonly<Stored<typeof audit>>;

/** Selects rows of the audit. A field that is `null` leaves no row out. */
interface AuditFilter {
  /** Selects rows of this instant or later. */
  readonly since: Instant;
  /** Selects rows with a lower id than this one. */
  readonly before: number;
  /** Selects rows of the person with this name, in upper or lower case. */
  readonly name: string | null;
  readonly actions: readonly string[] | null;
  /** Selects actions whose first word is this one, such as `incident` for `incident resolve`. */
  readonly group: string | null;
  readonly application: string | null;
  readonly monitorKey: string | null;
  readonly limit: number;
}

/**
 * How many rows the audit keeps. A script that pauses and resumes a monitor every minute writes so many in a month;
 * people write fewer in a year.
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
    /** The row that a reply to a message wrote, by the reply's id; `null` when the reply did nothing. */
    ofReply: (link: string) => ofReply.get(link),
    insert: (row: Omit<AuditRow, "id">) => void forget.run(insert.get(row)!.id - KEPT),
    list: ({ actions, ...filter }: AuditFilter) =>
      list.all({ ...filter, actions: actions === null ? null : JSON.stringify(actions) }),
    /**
     * What was done to a monitor from `since` until just before `before`, the newest first. Actions that changed
     * nothing are left out, such as a pause of a paused monitor.
     */
    ofMonitor: (
      { application, key }: MonitorPlace,
      { since, before }: { readonly since: Instant; readonly before: Instant },
      limit: number,
    ) => ofMonitor.all({ application, key, since, before, limit }),
    prune: pruner(database, { table: "audit", instant: "at", keep: "false" }),
  };
}
