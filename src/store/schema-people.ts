// The tables about people: who may sign in, their sessions, passkeys and one-time links, and who did what; what they
// planned, and what was changed of monitors. A report uses none of them unless it changes a setting.

import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const people = sqliteTable(
  "people",
  {
    /** An id is never used twice, because the audit names a person after the row is gone. */
    id: integer("id").primaryKey({ autoIncrement: true }),
    name: text("name").notNull(),
    /** The name in the form in which names are compared. */
    folded: text("folded").notNull().unique(),
    role: text("role", { enum: ["viewer", "operator", "admin"] }).notNull(),
    /** The slugs of the only applications that the person may see, as JSON; `null` means all. */
    applications: text("applications"),
    /** argon2id in PHC form; `null` when none was set yet. */
    passwordHash: text("password_hash"),
    createdAt: integer("created_at").notNull(),
    signedInAt: integer("signed_in_at"),
    /** The account of an OpenID provider by which the person signs in; both are `null` when none is bound yet. */
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
    /** SHA-256 of the token, which is stored nowhere. */
    hash: blob("hash", { mode: "buffer" }).notNull().unique(),
    createdAt: integer("created_at").notNull(),
    /** When the session was last used, exact to the hour, because a use is written with the upkeep. */
    usedAt: integer("used_at").notNull(),
    /** Where the session began, for the person to recognise it: an address, and the browser's name for itself. */
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
    /** The browser's name for it, in base64url. */
    credentialId: text("credential_id").notNull().unique(),
    /** In COSE form. */
    publicKey: blob("public_key", { mode: "buffer" }).notNull(),
    /** How often the device has used the key, by its own count; always 0 when it does not count. */
    counter: integer("counter").notNull(),
    /** The host for which it was made. Browsers give it to no other host. */
    host: text("host").notNull(),
    name: text("name").notNull(),
    createdAt: integer("created_at").notNull(),
    usedAt: integer("used_at"),
  },
  (table) => [index("passkeys_by_person").on(table.personId)],
);

/** Browsers in which a person is notified, each as its push service knows it. */
export const browsers = sqliteTable(
  "browsers",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    personId: integer("person_id")
      .notNull()
      .references(() => people.id),
    /** Where its push service takes messages for it (RFC 8030). */
    endpoint: text("endpoint").notNull().unique(),
    /** The keys with which its messages are encrypted, as JSON (RFC 8291). */
    keys: text("keys").notNull(),
    agent: text("agent").notNull(),
    createdAt: integer("created_at").notNull(),
    usedAt: integer("used_at"),
  },
  (table) => [index("browsers_by_person").on(table.personId)],
);

export const signInLinks = sqliteTable("sign_in_links", {
  id: integer("id").primaryKey(),
  /** The person whom the link is for; `null` for the link by which the first person is created. */
  personId: integer("person_id").references(() => people.id),
  /** SHA-256 of the token, which is stored nowhere. */
  hash: blob("hash", { mode: "buffer" }).notNull().unique(),
  expiresAt: integer("expires_at").notNull(),
});

export const adminKeys = sqliteTable("admin_keys", {
  /** An id is never used twice, because the audit names a key after it was revoked. */
  id: integer("id").primaryKey({ autoIncrement: true }),
  /** SHA-256 of the whole key, which is stored nowhere. */
  hash: blob("hash", { mode: "buffer" }).notNull().unique(),
  scope: text("scope", { enum: ["read", "admin"] }).notNull(),
  label: text("label"),
  createdAt: integer("created_at").notNull(),
  /** When the key was last used, up to an hour late, because uses are written with the upkeep. */
  usedAt: integer("used_at"),
  usedFrom: text("used_from"),
  revokedAt: integer("revoked_at"),
});

/** Who asked for a monitor's manual pause, the present or the last one. A pause of a maintenance window has no row. */
export const pausesByHand = sqliteTable("pauses_by_hand", {
  monitorId: integer("monitor_id").primaryKey(),
  at: integer("at").notNull(),
  /** The end of the pause, as the monitor has it; `null` when it lasts until a person resumes the monitor. */
  until: integer("until"),
  /** Who asked, by the name at that time; `null` when a command did it. */
  name: text("name"),
  reason: text("reason"),
});

/** Maintenance that a person planned (R24), once or by a schedule. The columns of the other form are null. */
export const maintenances = sqliteTable("maintenances", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  applicationId: integer("application_id").notNull(),
  /** The keys and patterns of the monitors, as JSON; empty means all of the application. */
  targets: text("targets").notNull(),
  from: integer("from_at"),
  until: integer("until_at"),
  /**
   * What clocks in the zone show at that time, as an instant in UTC, if a person named it so. Changed zone rules move
   * it.
   */
  wallFrom: integer("wall_from"),
  wallUntil: integer("wall_until"),
  schedule: text("schedule"),
  timezone: text("timezone"),
  durationSeconds: integer("duration_seconds"),
  reason: text("reason").notNull(),
  at: integer("at").notNull(),
  /** Who planned it and who ended it, by the names at that time; `null` when a command did it. */
  by: text("planned_by"),
  /** When a person ended it; `null` when none has: it goes on, is still to come, or is over by time. */
  endedAt: integer("ended_at"),
  endedBy: text("ended_by"),
});

/** Values of a monitor that were changed, and by what. The oldest rows are deleted. */
export const settingChanges = sqliteTable(
  "setting_changes",
  {
    id: integer("id").primaryKey(),
    monitorId: integer("monitor_id").notNull(),
    at: integer("at").notNull(),
    by: text("by", { enum: ["job", "registry", "configuration", "person"] }).notNull(),
    /** The registry's name or the person's; `null` for a command, or when there is none. */
    source: text("source"),
    /** For each setting its name, its value before and its value since, as JSON. */
    changes: text("changes").notNull(),
  },
  (table) => [index("setting_changes_of").on(table.monitorId)],
);

/** Who did what, when, to what, from which address. Rows are only appended; the oldest are deleted. */
export const audit = sqliteTable(
  "audit",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    at: integer("at").notNull(),
    /**
     * The person who did it; `null` when it was no person. Without an administrator's key either, it was the user of
     * the commands.
     */
    personId: integer("person_id"),
    adminKeyId: integer("admin_key_id"),
    /** Who did it, by the name at that time; `null` when the name of the user of the commands is not known. */
    name: text("name"),
    /** The address from which it was done; `null` when it came over the socket. */
    address: text("address"),
    /** The name of an operation, or what a person did with a session or password. */
    action: text("action").notNull(),
    application: text("application"),
    monitorKey: text("monitor_key"),
    /** What was asked, without secrets, as JSON. */
    details: text("details").notNull(),
    /** The id of the reply to a message by which it was done; each reply acts once. `null` for everything else. */
    answer: text("answer"),
  },
  // The second index finds what was done to one monitor, which its page shows.
  (table) => [
    uniqueIndex("audit_of_answer").on(table.answer).where(sql`answer is not null`),
    index("audit_of_monitor").on(table.application, table.monitorKey, table.id).where(sql`monitor_key is not null`),
  ],
);
