// The tables about people: their accounts, sessions, passkeys, one-time links and browsers; what they did, which is the
// audit; the maintenance that they planned; and the changes of monitors' settings.

import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const people = sqliteTable(
  "people",
  {
    /**
     * The id of a deleted person is never given to another one, because the audit goes on naming the deleted one by it.
     */
    id: integer("id").primaryKey({ autoIncrement: true }),
    name: text("name").notNull(),
    /** The name in lower case, with accents written in one way. Names are compared in this form. */
    folded: text("folded").notNull().unique(),
    role: text("role", { enum: ["viewer", "operator", "admin"] }).notNull(),
    /** The slugs of the only applications that the person may see, as JSON; `null` means all applications. */
    applications: text("applications"),
    /** The password's argon2id hash in PHC form; `null` when no password was set. */
    passwordHash: text("password_hash"),
    createdAt: integer("created_at").notNull(),
    signedInAt: integer("signed_in_at"),
    /**
     * The account at an OpenID provider by which the person signs in: the provider, and its name for the person. Both
     * are `null` without such an account.
     */
    issuer: text("issuer"),
    subject: text("subject"),
  },
  (table) => [uniqueIndex("people_by_account").on(table.issuer, table.subject)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    personId: integer("person_id")
      .notNull()
      .references(() => people.id),
    /** SHA-256 of the token in the cookie. The token itself is stored nowhere. */
    hash: blob("hash", { mode: "buffer" }).notNull().unique(),
    createdAt: integer("created_at").notNull(),
    /** When the session was last used, up to an hour late, because uses are written only once an hour. */
    usedAt: integer("used_at").notNull(),
    /**
     * Where the session began: the address, and what the browser calls itself. By these a person recognises the
     * session.
     */
    address: text("address").notNull(),
    agent: text("agent").notNull(),
  },
  (table) => [index("sessions_by_person").on(table.personId)],
);

export const passkeys = sqliteTable(
  "passkeys",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    personId: integer("person_id")
      .notNull()
      .references(() => people.id),
    /** The name by which the browser knows the passkey, in base64url. */
    credentialId: text("credential_id").notNull().unique(),
    /** The passkey's public key in COSE form. A signature by the private key is checked with it. */
    publicKey: blob("public_key", { mode: "buffer" }).notNull(),
    /** How often the device says that it has used the passkey; always 0 when the device does not count. */
    counter: integer("counter").notNull(),
    /** The host name of rollcall for which the passkey was made. A browser uses it at no other host. */
    host: text("host").notNull(),
    name: text("name").notNull(),
    createdAt: integer("created_at").notNull(),
    usedAt: integer("used_at"),
  },
  (table) => [index("passkeys_by_person").on(table.personId)],
);

/** Browsers in which people receive push messages. */
export const browsers = sqliteTable(
  "browsers",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    personId: integer("person_id")
      .notNull()
      .references(() => people.id),
    /** The address at the browser's push service that takes messages for this browser (RFC 8030). */
    endpoint: text("endpoint").notNull().unique(),
    /** The browser's keys for encrypting messages to it, as JSON (RFC 8291). */
    keys: text("keys").notNull(),
    agent: text("agent").notNull(),
    createdAt: integer("created_at").notNull(),
    usedAt: integer("used_at"),
  },
  (table) => [index("browsers_by_person").on(table.personId)],
);

export const signInLinks = sqliteTable("sign_in_links", {
  id: integer("id").primaryKey(),
  /**
   * The person who may sign in with the link. `null` in the link of a new rollcall, by which the first person gets an
   * account.
   */
  personId: integer("person_id").references(() => people.id),
  /** SHA-256 of the token in the link. The token itself is stored nowhere. */
  hash: blob("hash", { mode: "buffer" }).notNull().unique(),
  expiresAt: integer("expires_at").notNull(),
});

export const adminKeys = sqliteTable("admin_keys", {
  /** The id of an administrator's key is never given to another key, because the audit goes on naming the key by it. */
  id: integer("id").primaryKey({ autoIncrement: true }),
  /** SHA-256 of the whole key. The key itself is stored nowhere. */
  hash: blob("hash", { mode: "buffer" }).notNull().unique(),
  scope: text("scope", { enum: ["read", "admin"] }).notNull(),
  label: text("label"),
  createdAt: integer("created_at").notNull(),
  /**
   * When the key was last used, up to an hour late, because uses are written only once an hour. `null` when it never
   * was.
   */
  usedAt: integer("used_at"),
  usedFrom: text("used_from"),
  revokedAt: integer("revoked_at"),
});

/**
 * Who asked for the last manual pause of a monitor, even if that pause is over. A pause by planned maintenance has no
 * row.
 */
export const pausesByHand = sqliteTable("pauses_by_hand", {
  monitorId: integer("monitor_id").primaryKey(),
  at: integer("at").notNull(),
  /**
   * When the pause ends; `null` when only a person ends it. When a person resumes the monitor, `until` becomes equal to
   * `at`.
   */
  until: integer("until"),
  /** The name of the person who asked, as it was then; `null` when a command asked. */
  name: text("name"),
  reason: text("reason"),
});

/**
 * The times in which a monitor was not watched, whatever paused it (R24). The row of a pause that lasts has no end. A
 * pause from before this table was made has no row.
 */
export const pausedSpans = sqliteTable(
  "paused_spans",
  {
    id: integer("id").primaryKey(),
    monitorId: integer("monitor_id").notNull(),
    from: integer("from_at").notNull(),
    to: integer("to_at"),
    /**
     * The slots from this instant until `to` fall into the pause. It lies before `from` if a slot was still open as the
     * pause began, and after `from` if a report had already filled the next slot.
     */
    firstSlot: integer("first_slot").notNull(),
  },
  (table) => [index("paused_spans_of").on(table.monitorId, table.to)],
);

/**
 * Maintenance that a person planned (R24). Maintenance that happens once has `from` and `until`; maintenance that
 * repeats has `schedule` and `duration_seconds`. The other two of these columns are null.
 */
export const maintenances = sqliteTable("maintenances", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  applicationId: integer("application_id").notNull(),
  /**
   * Which monitors the maintenance pauses, as JSON: a list of keys, patterns of keys and labels (`label:db`). An empty
   * list means all.
   */
  targets: text("targets").notNull(),
  from: integer("from_at"),
  until: integer("until_at"),
  /**
   * The beginning and the end as clocks in `timezone` show them, each as if it were UTC; `null` unless a person named
   * the times in a zone. From them `from` and `until` are computed again when the zone's rules change.
   */
  wallFrom: integer("wall_from"),
  wallUntil: integer("wall_until"),
  schedule: text("schedule"),
  timezone: text("timezone"),
  durationSeconds: integer("duration_seconds"),
  reason: text("reason").notNull(),
  at: integer("at").notNull(),
  /**
   * The name of the person who planned the maintenance, as it was then; `null` when a command did. `ended_by` likewise
   * names who ended it early.
   */
  by: text("planned_by"),
  /** When a person or a command ended the maintenance early; `null` when it was not ended early. */
  endedAt: integer("ended_at"),
  endedBy: text("ended_by"),
});

/** Changes of monitors' settings, and who made them. Only the newest rows of each monitor are kept. */
export const settingChanges = sqliteTable(
  "setting_changes",
  {
    id: integer("id").primaryKey(),
    monitorId: integer("monitor_id").notNull(),
    at: integer("at").notNull(),
    by: text("by", { enum: ["job", "registry", "configuration", "person"] }).notNull(),
    /**
     * The name of the registry or person that made the change; `null` when a command, a job's report or the
     * configuration made it, or when the name is not known.
     */
    source: text("source"),
    /** The changed settings as JSON: for each its name, the value before, and the value afterwards. */
    changes: text("changes").notNull(),
  },
  (table) => [index("setting_changes_of").on(table.monitorId)],
);

/**
 * The audit: who did what to which monitor, when, and from which address. Rows are only appended; the oldest are
 * deleted.
 */
export const audit = sqliteTable(
  "audit",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    at: integer("at").notNull(),
    /** The person who did it; `null` when an administrator's key did it, or a command on rollcall's own machine. */
    personId: integer("person_id"),
    adminKeyId: integer("admin_key_id"),
    /**
     * The name of who did it, as it was then: a person, or the machine's user who ran a command. `null` when not known.
     */
    name: text("name"),
    /**
     * The address from which it was done; `null` when the request came over the Unix socket, or when rollcall itself
     * did it at a start.
     */
    address: text("address"),
    /**
     * What was done: the name of an operation, such as `incident resolve`, or what a person did with a session or
     * password.
     */
    action: text("action").notNull(),
    application: text("application"),
    monitorKey: text("monitor_key"),
    /** The values that were given to the operation, without secrets, as JSON. */
    details: text("details").notNull(),
    /**
     * The id of the reply to a message by which a person did it; otherwise `null`. The unique index lets each reply act
     * only once.
     */
    answer: text("answer"),
  },
  // The page of a monitor uses the index `audit_of_monitor`.
  (table) => [
    uniqueIndex("audit_of_answer").on(table.answer).where(sql`answer is not null`),
    index("audit_of_monitor").on(table.application, table.monitorKey, table.id).where(sql`monitor_key is not null`),
  ],
);
