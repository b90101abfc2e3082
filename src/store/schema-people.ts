// The tables about people: who may sign in, their sessions, passkeys and one-time links, and who did what; what they
// planned, and what was changed of monitors. A report touches none of them unless it changes a setting.

import { sql } from "drizzle-orm";
import { blob, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

export const people = sqliteTable(
  "people",
  {
    /** Never given twice: the audit names a person after the row is gone. */
    id: integer("id").primaryKey({ autoIncrement: true }),
    name: text("name").notNull(),
    /** The name as names are compared. */
    folded: text("folded").notNull().unique(),
    role: text("role", { enum: ["viewer", "operator", "admin"] }).notNull(),
    /** As JSON, the slugs of the only applications the person may see; null: all. */
    applications: text("applications"),
    /** argon2id in PHC form; null: none was set yet. */
    passwordHash: text("password_hash"),
    createdAt: integer("created_at").notNull(),
    signedInAt: integer("signed_in_at"),
    /** The account of an OpenID provider by which the person signs in; null: none yet. Both or neither. */
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
    /** To the hour: a use is written with the upkeep. */
    usedAt: integer("used_at").notNull(),
    /** Where it began, for the person to recognize it: an address, and what the browser calls itself. */
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
    /** As the browser names it, base64url. */
    credentialId: text("credential_id").notNull().unique(),
    /** In COSE form. */
    publicKey: blob("public_key", { mode: "buffer" }).notNull(),
    /** How often the device says that it has used the key; 0 for ever where it does not count. */
    counter: integer("counter").notNull(),
    /** The host that it was made for; browsers give it to no other. */
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
    /** As JSON, what they are encrypted with (RFC 8291). */
    keys: text("keys").notNull(),
    agent: text("agent").notNull(),
    createdAt: integer("created_at").notNull(),
    usedAt: integer("used_at"),
  },
  (table) => [index("browsers_by_person").on(table.personId)],
);

export const signInLinks = sqliteTable("sign_in_links", {
  id: integer("id").primaryKey(),
  /** Null: whoever opens it becomes the first person. */
  personId: integer("person_id").references(() => people.id),
  /** SHA-256 of the token, which is stored nowhere. */
  hash: blob("hash", { mode: "buffer" }).notNull().unique(),
  expiresAt: integer("expires_at").notNull(),
});

export const adminKeys = sqliteTable("admin_keys", {
  /** Never given twice: the audit names a key after it was revoked. */
  id: integer("id").primaryKey({ autoIncrement: true }),
  /** SHA-256 of the whole key, which is stored nowhere. */
  hash: blob("hash", { mode: "buffer" }).notNull().unique(),
  scope: text("scope", { enum: ["read", "admin"] }).notNull(),
  label: text("label"),
  createdAt: integer("created_at").notNull(),
  /** Some minutes behind. */
  usedAt: integer("used_at"),
  usedFrom: text("used_from"),
  revokedAt: integer("revoked_at"),
});

/** Who asked for the pause by hand of a monitor that stands, or stood last; one of a maintenance window has none. */
export const pausesByHand = sqliteTable("pauses_by_hand", {
  monitorId: integer("monitor_id").primaryKey(),
  at: integer("at").notNull(),
  /** As the monitor has it. Null: it stands until a person resumes the monitor. */
  until: integer("until"),
  /** The name, as it was then; null: it was done by command. */
  name: text("name"),
  reason: text("reason"),
});

/** Maintenance that a person planned (R24), once or by a schedule: the columns of the other are null. */
export const maintenances = sqliteTable("maintenances", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  applicationId: integer("application_id").notNull(),
  /** As JSON, the keys and patterns of the monitors; empty: all of the application. */
  targets: text("targets").notNull(),
  from: integer("from_at"),
  until: integer("until_at"),
  /** What clocks in the zone show then, as an instant in UTC, where a person named that: other rules move it. */
  wallFrom: integer("wall_from"),
  wallUntil: integer("wall_until"),
  schedule: text("schedule"),
  timezone: text("timezone"),
  durationSeconds: integer("duration_seconds"),
  reason: text("reason").notNull(),
  at: integer("at").notNull(),
  /** Names as they were then; null: by command. */
  by: text("planned_by"),
  /** Null: it goes on, is still to come, or is over in its time. */
  endedAt: integer("ended_at"),
  endedBy: text("ended_by"),
});

/** Values of a monitor that were changed, and by what. The oldest go. */
export const settingChanges = sqliteTable(
  "setting_changes",
  {
    id: integer("id").primaryKey(),
    monitorId: integer("monitor_id").notNull(),
    at: integer("at").notNull(),
    by: text("by", { enum: ["job", "registry", "configuration", "person"] }).notNull(),
    /** The registry's, or the name of the person; null: it was none, or a command. */
    source: text("source"),
    /** As JSON, for each setting its name, its value before and its value since. */
    changes: text("changes").notNull(),
  },
  (table) => [index("setting_changes_of").on(table.monitorId)],
);

/** Who did what, when, to what, from which address. Append only; the oldest go. */
export const audit = sqliteTable(
  "audit",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    at: integer("at").notNull(),
    /** Null: no person; without an administrator's key either, the user of the commands. */
    personId: integer("person_id"),
    adminKeyId: integer("admin_key_id"),
    /** As it was then. Null: the name of the user of the commands is not known. */
    name: text("name"),
    /** Null: by the socket. */
    address: text("address"),
    /** The name of an operation, or what a person did with a session or password. */
    action: text("action").notNull(),
    application: text("application"),
    monitorKey: text("monitor_key"),
    /** As JSON, what was asked, without secrets. */
    details: text("details").notNull(),
    /** By which answer to which message it was done, each at most once; null: by none. */
    answer: text("answer"),
  },
  // What was done to one monitor, for its page.
  (table) => [
    uniqueIndex("audit_of_answer").on(table.answer).where(sql`answer is not null`),
    index("audit_of_monitor").on(table.application, table.monitorKey, table.id).where(sql`monitor_key is not null`),
  ],
);
