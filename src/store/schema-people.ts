// The tables about people: who may sign in, their sessions and one-time links, and who did what. No report touches
// them.

import { blob, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const people = sqliteTable("people", {
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
});

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

/** Links by which a person sets a password, once. */
export const signInLinks = sqliteTable("sign_in_links", {
  id: integer("id").primaryKey(),
  /** Null: whoever opens it becomes the first person. */
  personId: integer("person_id").references(() => people.id),
  /** SHA-256 of the token, which is stored nowhere. */
  hash: blob("hash", { mode: "buffer" }).notNull().unique(),
  expiresAt: integer("expires_at").notNull(),
});

/** Who did what, when, to what, from which address. Append only; the oldest go. */
export const audit = sqliteTable("audit", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  at: integer("at").notNull(),
  /** Null: the user of the commands. */
  personId: integer("person_id"),
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
});
