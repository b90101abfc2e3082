// The answers of operations about people, and about who did what.

import Type from "typebox";
import {
  BOOLEAN,
  COUNT,
  ID,
  INSTANT,
  type InEngine,
  listOf,
  namedValues,
  nullable,
  object,
  TEXT,
  wordOf,
} from "./schema-kinds.ts";

const PERSON_FIELDS = {
  name: TEXT,
  role: wordOf("viewer", "operator", "admin"),
  /** The only applications that the person may see; `null` means all. */
  applications: nullable(listOf(TEXT)),
};

const ACCOUNT = object({ issuer: TEXT, subject: TEXT });

const LISTED_PERSON = object({
  id: ID,
  ...PERSON_FIELDS,
  createdAt: INSTANT,
  signedInAt: nullable(INSTANT),
  /** False while the person has set no password, for example because the one-time link was not opened yet. */
  hasPassword: BOOLEAN,
  /** Until when the person's one-time link can be opened; `null` when there is none. */
  linkExpiresAt: nullable(INSTANT),
  sessions: COUNT,
  passkeys: COUNT,
  /** The account at an OpenID provider by which the person signs in; `null` when none is bound yet. */
  account: nullable(ACCOUNT),
});

/** The people who may sign in, sorted by name. */
export const PEOPLE = object({ people: listOf(LISTED_PERSON) });

export const CHANGED_PERSON = object(PERSON_FIELDS);

export const SIGNED_OUT_PERSON = object({ name: TEXT, sessions: COUNT });

/** `account` is the OpenID account that was bound until now; `null` when none was. */
export const UNBOUND_PERSON = object({ name: TEXT, account: nullable(ACCOUNT) });

/** A one-time link. No other answer shows the whole link. */
const LINK = object({
  path: TEXT,
  /** The public address of the dashboard, before `path`; `null` when it is not known. */
  address: nullable(TEXT),
  expiresAt: INSTANT,
});

/**
 * A person who was added, with the one-time link by which they set a password. `link` is `null` when the password was
 * set directly.
 */
export const PERSON_WITH_LINK = object({ ...PERSON_FIELDS, link: nullable(LINK) });

/**
 * The answer when a password was reset. The person's passkeys were removed too. `link` is `null` when the new password
 * was set directly.
 */
export const RESET_PERSON = object({ ...PERSON_FIELDS, link: nullable(LINK), passkeysRemoved: COUNT });

export const DELETED_PERSON = object({ name: TEXT });

const AUDIT_ENTRY = object({
  id: ID,
  at: INSTANT,
  /** `system`: a command on rollcall's own machine, or rollcall itself. `key`: an administrator's key. */
  by: wordOf("system", "person", "key"),
  /** Who acted, by the name at that time; `null` when rollcall acted at a start without being asked. */
  name: nullable(TEXT),
  address: nullable(TEXT),
  /** The name of an operation, such as `monitor pause`, or what a person did with a session or password. */
  action: TEXT,
  application: nullable(TEXT),
  monitorKey: nullable(TEXT),
  /** What the operation was given, without secrets. */
  details: namedValues(Type.Unknown()),
});

/** What was done, the newest first. `more` is true when older entries are not in the list. */
export const AUDIT = object({ entries: listOf(AUDIT_ENTRY), more: BOOLEAN });

export type PeopleList = InEngine<typeof PEOPLE>;
export type PersonWithLink = InEngine<typeof PERSON_WITH_LINK>;
export type AuditList = InEngine<typeof AUDIT>;
